//! Every record in `records/records.json` as a program, run by `tx run` and compared with a
//! reference computed here.
//!
//! A record describes one case of an earlier reduction compiler's test suite. Most are plain data:
//! shapes, regions, axes, layouts, threads, who executes, the seed of the inputs. Programs are
//! *generated* from those by rule, so that records with other shapes or guards need no new code:
//!
//! * `tile.shared.*`, `tile.local.thread`, `tile.local.sm100_*`: `records/tiles.rs`;
//! * `tile.local.*` of several threads: `records/fragments.rs`;
//! * `intrinsic.*`: `records/intrinsics.rs`;
//! * `classic.allreduce` and `classic.lower_thread_allreduce`, which are whole kernels with a
//!   schedule: `records/allreduce.rs`;
//! * `seed.tutorial`, `classic.cross_thread` and `classic.rfactor` say what they are about in a few
//!   words and numbers: `records/tutorial.rs`, `cross_thread.rs` and `rfactor.rs`;
//! * `probe` and `dispatch`, which are prose, have a program each in `records/probes.rs`.
//!
//! Those that mean nothing here are in `records/not_taken.rs`.
//!
//! Each record is one test with the record's name. Besides libtest's arguments there are
//! `--records FILE` (take the records from there) and `--dump DIR` (run nothing; write programs,
//! inputs and expected outputs, for a machine without Rust).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use serde_json::{Value, json};

#[path = "records/allreduce.rs"]
mod allreduce;
#[path = "records/case.rs"]
mod case;
#[path = "records/cross_thread.rs"]
mod cross_thread;
#[path = "records/element.rs"]
mod element;
#[path = "records/facts.rs"]
mod facts;
#[path = "records/fragments.rs"]
mod fragments;
#[path = "records/host.rs"]
mod host;
#[path = "records/intrinsics.rs"]
mod intrinsics;
#[path = "records/not_taken.rs"]
mod not_taken;
#[expect(dead_code, reason = "xtask uses more of it")]
#[path = "../../xtask/src/npy.rs"]
mod npy;
#[path = "records/pairs.rs"]
mod pairs;
#[path = "records/probes.rs"]
mod probes;
#[path = "records/ptx.rs"]
mod ptx;
#[path = "support/ptxas.rs"]
mod ptxas;
#[path = "records/rfactor.rs"]
mod rfactor;
#[path = "records/self_tests.rs"]
mod self_tests;
#[path = "records/tiles.rs"]
mod tiles;
#[path = "records/tutorial.rs"]
mod tutorial;
#[path = "records/view.rs"]
mod view;

use case::Case;
use tiles::Storage;

fn main() -> ExitCode {
    match harness() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("records: {error}");
            ExitCode::FAILURE
        }
    }
}

fn harness() -> Result<ExitCode, String> {
    let mut rest = Vec::new();
    let mut records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/records.json");
    let mut dump_to = None;
    let mut arguments = std::env::args();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .map(PathBuf::from)
                .ok_or(format!("{argument} needs a path"))
        };
        match argument.as_str() {
            "--records" => records = value()?,
            "--dump" => dump_to = Some(value()?),
            _ => rest.push(argument),
        }
    }
    let text = fs::read_to_string(&records)
        .map_err(|error| format!("cannot read {}: {error}", records.display()))?;
    let records: Vec<Record> =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", records.display()))?;

    if let Some(folder) = dump_to {
        let count = dump(&records, &folder)?;
        println!("records: wrote {count} cases to {}", folder.display());
        return Ok(ExitCode::SUCCESS);
    }
    let mut trials = self_tests::trials();
    trials.extend(records.into_iter().map(|record| {
        // None of those in our file; in others they are to be seen.
        let not_taken = not_taken::reason(&record).is_some();
        Trial::test(record.id.clone(), move || {
            run(&record).map_err(|message| Failed::from(message.trim_end()))
        })
        .with_ignored_flag(not_taken)
    }));
    Ok(libtest_mimic::run(&Arguments::from_iter(rest), trials).exit_code())
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Record {
    id: String,
    suite: String,
    /// `sum`, `max`, `min` or `prod`.
    op: String,
    /// `thread`, `warp`, `warpgroup` or `cta`.
    exec_scope: String,
    dtype: String,
    threads: usize,
    /// Who executes, where not all threads do: `warp_id == 5`.
    guard: Option<String>,

    src_shape: Vec<usize>,
    /// For each dimension where the region starts and how long it is.
    src_region: Vec<[usize; 2]>,
    dst_shape: Vec<usize>,
    dst_region: Vec<[usize; 2]>,
    axes: Vec<i64>,
    accum: bool,
    atol: f64,
    /// How the inputs are made, in the record's own words.
    input: Option<String>,

    /// Where elements live, as (extent, stride, axis) triples.
    src_layout: Option<Value>,
    dst_layout: Option<Value>,
    /// `thread_reduce`: whether threads exchange what they have.
    config: Value,
    /// The reductions, one after the other, in the record's own words.
    steps: Vec<String>,
    /// Tiles of all groups of threads together.
    global_src_shape: Vec<usize>,
    /// Rounds of a loop.
    iterations: Option<usize>,
    /// Numbers of instructions on a chip that has packed ones.
    schedule_sm100: Option<Value>,

    /// `warp_reduce` or `cta_reduce`.
    intrinsic: Option<String>,
    /// Lanes that form a group.
    width: Option<usize>,
    num_warps: Option<usize>,
    /// What a thread contributes: `lane+1` or `thread_id+1`.
    lane_value: Option<String>,
    /// What comes out, in the record's own words.
    expect: Option<Value>,

    /// A block that is no line of threads.
    block: Option<[usize; 3]>,
    /// The variant that the program names.
    forced: Option<String>,
    grid: Option<usize>,
    expected_error: Option<String>,

    /// Threads of a block along `x`, `y` and `z`.
    block_dim: BTreeMap<String, usize>,
    /// `x`, or in the other words `threadIdx.x`: whose threads combine.
    reduce_threads: Vec<String>,
    reduce_axis_binding: Option<String>,
    /// How values are exchanged.
    lowering_path_cuda: Option<String>,
    /// Of a source and of a destination.
    shapes: Vec<Vec<usize>>,
    rtol: Option<f64>,
    /// What it is about, in words; what its numbers are.
    what: Value,
    facts: Value,
}

/// The programs of a record: one, but for those in prose.
fn cases(record: &Record) -> Result<Vec<Case>, String> {
    if let Some(reason) = not_taken::reason(record) {
        return Err(format!("a record that is not taken: {reason}"));
    }
    let one = match record.suite.as_str() {
        "probe" | "dispatch" => return probes::prose_cases(record),
        "intrinsic.error" => return Ok(vec![intrinsics::error_case(record)?]),
        "classic.allreduce" | "classic.lower_thread_allreduce" => {
            return Ok(vec![allreduce::allreduce_case(record)?]);
        }
        "classic.cross_thread" => return cross_thread::cross_thread_cases(record),
        "classic.rfactor" => return rfactor::rfactor_cases(record),
        "seed.tutorial" => return tutorial::tutorial_cases(record),
        _ if record.grid.unwrap_or(1) != 1 => {
            return Err("a grid of more than one block".to_owned());
        }
        _ if record.expected_error.is_some() => {
            return Err(format!("a record of an error in `{}`", record.suite));
        }
        "tile.shared.cta" | "tile.shared.subscope" => tiles::tile_case(record, Storage::Shared),
        "tile.local.thread" => tiles::tile_case(record, Storage::Private),
        "tile.local.sm100_sum" | "tile.local.sm100_maxmin" => return tiles::packed_cases(record),
        "tile.local.view_basic"
        | "tile.local.view_fragment"
        | "tile.local.warp_replica"
        | "tile.local.warpgroup" => fragments::fragment_case(record),
        "intrinsic.warp_reduce" | "intrinsic.cta_reduce" => intrinsics::intrinsic_case(record),
        other => Err(format!("there is no rule for the suite `{other}`")),
    };
    Ok(vec![one?])
}

/// Names of a record's cases, which are names of folders as well.
fn names(record: &Record, count: usize) -> Vec<String> {
    match count {
        1 => vec![record.id.clone()],
        _ => (0..count).map(|n| format!("{}-{n}", record.id)).collect(),
    }
}

fn run(record: &Record) -> Result<(), String> {
    let cases = cases(record)?;
    if cases.is_empty() {
        return Err("a record without a program".to_owned());
    }
    for (case, name) in cases.iter().zip(names(record, cases.len())) {
        case.run(&name)?;
    }
    Ok(())
}

/// Writes every case that has results, and a manifest. Returns how many.
fn dump(records: &[Record], folder: &Path) -> Result<usize, String> {
    let mut dumped = Vec::new();
    let taken = |record: &&Record| not_taken::reason(record).is_none();
    for record in records.iter().filter(taken) {
        let cases = cases(record).map_err(|error| format!("{}: {error}", record.id))?;
        for (case, name) in cases.iter().zip(names(record, cases.len())) {
            dumped.extend(case.dump(&name, folder)?);
        }
    }
    let manifest = serde_json::to_string_pretty(&json!({ "cases": dumped }))
        .map_err(|error| error.to_string())?;
    fs::write(folder.join("manifest.json"), manifest + "\n").map_err(|error| error.to_string())?;
    Ok(dumped.len())
}
