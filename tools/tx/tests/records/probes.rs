//! Records in prose: a program for each, written by hand.
//!
//! Where a record is about a case that other records describe in data, it is written as such a
//! record here. Where it is about something that the other compiler refused and that is defined
//! here, the result is checked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::Record;
use crate::case::{Argument, Case, Output};
use crate::element::{Element, Mt19937};
use crate::fragments::fragment_case;
use crate::ptx::{Ptx, trace_block, worst_bank_conflict};
use crate::tiles::{Storage, kernel, tile_case, tile_program, wrong_tile_program};
use crate::view::{Reference, View};

/// The programs of a record.
pub(crate) fn prose_cases(record: &Record) -> Result<Vec<Case>, String> {
    let (suite, number) = record.id.split_once('/').unwrap_or(("", ""));
    match (suite, number) {
        ("dispatch", "0000") => no_variant_accepts(),
        ("dispatch", "0001") => one(unknown_variant("nonsense")?),
        ("dispatch", "0002") => one(Case::refused(
            tile_program(&rows("cta", 32).forced("local"), Storage::Shared)?,
            "tile.reduce",
            &[
                "lower this reduction",
                "local (priority 10): storage: source is in shared memory, expected registers or \
                 private memory",
            ],
        )),
        ("dispatch", "0003") => refused_regions(),

        ("probe", "0000") => shared_both(&rows_of(32).with_threads(48)),
        ("probe", "0001") => shared_both(&rows_of(32).with_threads(20)),
        ("probe", "0002") => one(refused_rows(
            &rows("cta", 256).guarded("warp_id == 5"),
            &[
                "all threads of the `cta` must reach `tile.reduce` together",
                "160 to 191 of 256",
            ],
        )?),
        ("probe", "0003") => one(refused_rows(
            &rows("warpgroup", 64),
            &["a warpgroup has 128 threads, but warpgroup 0 of this block has 64"],
        )?),
        ("probe", "0004") => two_warpgroups(),
        ("probe", "0005") => one(refused_rows(
            &rows("warp", 32).guarded("thread_id < 16"),
            &[
                "all threads of the `warp` must reach `tile.reduce` together",
                "0 to 15 of 32",
            ],
        )?),
        ("probe", "0006") => one(refused_rows(
            &rows("thread", 256),
            &["256 threads reach this op, and all write the same destination"],
        )?),
        ("probe", "0007") => one(tile_case(
            &Record {
                src_shape: vec![1, 4096],
                dst_shape: vec![1],
                atol: 1e-3,
                ..rows("cta", 256)
            }
            .full(),
            Storage::Shared,
        )?
        .with_ptx("sm_90", all_threads_load)),
        ("probe", "0008") => one(tile_case(
            &Record {
                src_shape: vec![32, 32],
                dst_shape: vec![32],
                axes: vec![0],
                ..rows("cta", 128)
            }
            .full(),
            Storage::Shared,
        )?
        .with_ptx("sm_90", |ptx| {
            match worst_bank_conflict(&trace_block(ptx, 128)?)? {
                1 => Ok(()),
                ways => Err(format!("{ways} words of one bank are loaded at a time")),
            }
        })),
        ("probe", "0009") => dynamic_extents(),
        ("probe", "0010") => dynamic_start(),
        ("probe", "0011") => one(refused_shape(
            &[4, 8, 6],
            &[1],
            &[6, 4],
            &["[4, 6]", "has [6, 4]"],
        )?),
        ("probe", "0012") => one(refused_shape(&[4, 8], &[-1], &[3], &["[4]", "has [3]"])?),
        ("probe", "0013") => one(refused_shape(
            &[4, 8],
            &[2],
            &[4],
            &["axis 2 is out of range for rank 2"],
        )?),
        ("probe", "0014") => shared_both(&Record {
            block: Some([32, 4, 1]),
            ..rows("cta", 128)
        }),
        ("probe", "0015") => shared_into_private(),
        ("probe", "0016") => global_tiles(),
        ("probe", "0017") => cluster(),
        ("probe", "0018") => one(refused_private(
            &rows("cta", 32),
            &["private memory is seen by one thread, but the scope is `cta`"],
        )?),
        ("probe", "0019") => narrower_destination(),
        ("probe", "0020") => maximum_of_bits(),
        ("probe", "0021") => one(refused_shape(
            &[4, 8],
            &[-1, 1],
            &[4],
            &["axis 1 names dimension 1 again"],
        )?),
        ("probe", "0022") => one(refused_private(
            &Record {
                src_shape: vec![3, 4, 5],
                dst_shape: vec![2],
                axes: vec![0, 2],
                ..rows("thread", 1)
            }
            .full(),
            &["gives [4] or [1, 4, 1]", "has [2]"],
        )?),
        ("probe", "0023") => one(refused_private(
            &Record {
                axes: vec![5],
                ..rows("thread", 1)
            },
            &["axis 5 is out of range for rank 2"],
        )?),
        ("probe", "0024") => one(unknown_variant("sm100_packed")?),
        ("probe", "0025") => one(refused_packed("sm_90", 32, "sm_90")?),
        ("probe", "0026") => one(refused_packed("sm_100a", 4, "4")?),
        ("probe", "0027") => one(tile_case(&vector(32).forced("local"), Storage::Private)?
            .with_ptx("sm_100a", |ptx| {
                match (ptx.count("add.rn.f32x2"), ptx.count_f32("add", 3)) {
                    (0, 1..) => Ok(()),
                    found => Err(format!(
                        "additions of pairs and of single values: {found:?}"
                    )),
                }
            })),

        ("probe", "0028") => fragment_both(&replicas_of_four()),
        ("probe", "0029") => fragment_both(&columns_of_lanes())?
            .into_iter()
            .map(|case| Ok(case.with_ptx("sm_90", distances_of_columns)))
            .collect(),
        ("probe", "0030") => fragment_both(
            &Record {
                dst_shape: vec![1],
                axes: vec![0, 1],
                dst_layout: Some(layout(json!([[1, 1, "m"]]), json!([[32, 1, "laneid"]]))),
                ..replicas_of_four()
            }
            .full(),
        ),
        ("probe", "0031") => fragment_both(&Record {
            src_region: vec![[0, 32], [1, 2]],
            dst_region: vec![[1, 2]],
            ..replicas_of_four()
        }),
        ("probe", "0032") => fragment_both(
            &Record {
                src_shape: vec![5, 6],
                dst_shape: vec![5],
                axes: vec![1],
                src_layout: Some(layout(
                    json!([[5, 6, "laneid"], [6, 1, "laneid"]]),
                    json!([]),
                )),
                dst_layout: Some(layout(json!([[5, 6, "laneid"]]), json!([[6, 1, "laneid"]]))),
                ..rows("warp", 32)
            }
            .full(),
        ),
        ("probe", "0033") => fragment_both(
            &Record {
                src_shape: vec![4, 32],
                dst_shape: vec![32],
                axes: vec![0],
                src_layout: Some(layout(
                    json!([[4, 1, "warpid"], [32, 1, "laneid"]]),
                    json!([]),
                )),
                dst_layout: Some(layout(
                    json!([[32, 1, "laneid"]]),
                    json!([[4, 1, "warpid"]]),
                )),
                ..rows("cta", 128)
            }
            .full(),
        ),
        ("probe", "0034") => fragment_both(&Record {
            src_region: vec![[0, 32], [2, 2], [0, 8]],
            dst_shape: vec![32, 4, 1],
            dst_region: vec![[0, 32], [0, 2], [0, 1]],
            axes: vec![2],
            dst_layout: Some(layout(
                json!([[32, 1, "laneid"], [4, 1, "m"], [1, 1, "m"]]),
                json!([]),
            )),
            ..lane_matrices()
        }),
        ("probe", "0035") => fragment_both(
            &Record {
                dst_shape: vec![32, 8],
                axes: vec![1],
                dst_layout: Some(layout(json!([[32, 1, "laneid"], [8, 1, "m"]]), json!([]))),
                ..lane_matrices()
            }
            .full(),
        ),
        ("probe", "0036") => fragment_both(
            &Record {
                src_shape: vec![64, 128],
                dst_shape: vec![64],
                axes: vec![1],
                src_layout: Some(layout(
                    json!([
                        [4, 1, "wid_in_wg"],
                        [2, 2, "m"],
                        [8, 4, "laneid"],
                        [16, 4, "m"],
                        [4, 1, "laneid"],
                        [2, 1, "m"]
                    ]),
                    json!([]),
                )),
                dst_layout: Some(layout(
                    json!([[4, 1, "wid_in_wg"], [2, 1, "m"], [8, 4, "laneid"]]),
                    json!([[4, 1, "laneid"]]),
                )),
                ..rows("warpgroup", 128)
            }
            .full(),
        ),
        ("probe", "0037") => warpgroup_replicas(),
        ("probe", "0038") => other_threads(),
        ("probe", "0039") => other_operations(),

        ("probe", "0040") => warp_and_block(),
        ("probe", "0041") => large_integers(),
        ("probe", "0042") => infinities(),
        ("probe", "0043") => index_of_infinities(),
        ("probe", "0044") => many_halves(),
        ("probe", "0045") => partial_results(),
        ("probe", "0046") => dynamic_rows(),
        ("probe", "0047") => custom_combiners(),
        ("probe", "0048") => narrow_elements(),
        ("probe", "0049") => every_scope(),
        ("probe", "0050") => shared_both(
            &Record {
                dst_shape: vec![4, 8],
                axes: vec![],
                ..rows("cta", 32)
            }
            .full(),
        ),
        ("probe", "0051") => nothing_to_reduce(),
        _ => Err(format!("there is no program for `{}`", record.id)),
    }
}

fn one(case: Case) -> Result<Vec<Case>, String> {
    Ok(vec![case])
}

// ---------------------------------------------------------------------------------------------
// Records of data
// ---------------------------------------------------------------------------------------------

impl Record {
    /// Regions that are the whole tiles.
    fn full(mut self) -> Self {
        let full = |shape: &[usize]| shape.iter().map(|extent| [0, *extent]).collect();
        self.src_region = full(&self.src_shape);
        self.dst_region = full(&self.dst_shape);
        self
    }

    fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    fn guarded(self, guard: &str) -> Self {
        Self {
            guard: Some(guard.to_owned()),
            ..self
        }
    }

    fn forced(self, variant: &str) -> Self {
        Self {
            forced: Some(variant.to_owned()),
            ..self
        }
    }
}

/// The rows of a 4x8 tile of f32, summed.
pub(crate) fn rows(scope: &str, threads: usize) -> Record {
    Record {
        op: "sum".to_owned(),
        exec_scope: scope.to_owned(),
        dtype: "float32".to_owned(),
        threads,
        src_shape: vec![4, 8],
        dst_shape: vec![4],
        axes: vec![-1],
        atol: 1e-5,
        ..Record::default()
    }
    .full()
}

fn rows_of(length: usize) -> Record {
    Record {
        src_shape: vec![4, length],
        ..rows("cta", 32)
    }
    .full()
}

/// A vector that one thread sums.
fn vector(length: usize) -> Record {
    Record {
        src_shape: vec![length],
        dst_shape: vec![1],
        ..rows("thread", 1)
    }
    .full()
}

fn layout(shard: Value, replica: Value) -> Value {
    json!({ "shard": shard, "replica": replica, "offset": {} })
}

/// Four elements a lane, each summed over the lanes.
fn replicas_of_four() -> Record {
    Record {
        src_shape: vec![32, 4],
        dst_shape: vec![4],
        axes: vec![0],
        src_layout: Some(layout(json!([[32, 1, "laneid"], [4, 1, "m"]]), json!([]))),
        dst_layout: Some(layout(json!([[4, 1, "m"]]), json!([[32, 1, "laneid"]]))),
        ..rows("warp", 32)
    }
    .full()
}

/// Eight rows of four lanes, of which the columns are summed.
fn columns_of_lanes() -> Record {
    Record {
        src_shape: vec![8, 4],
        dst_shape: vec![4],
        axes: vec![0],
        src_layout: Some(layout(
            json!([[8, 4, "laneid"], [4, 1, "laneid"]]),
            json!([]),
        )),
        dst_layout: Some(layout(json!([[4, 1, "laneid"]]), json!([[8, 4, "laneid"]]))),
        ..rows("warp", 32)
    }
    .full()
}

/// A 4x8 matrix for each lane.
fn lane_matrices() -> Record {
    Record {
        src_shape: vec![32, 4, 8],
        src_layout: Some(layout(
            json!([[32, 1, "laneid"], [4, 8, "m"], [8, 1, "m"]]),
            json!([]),
        )),
        src_region: vec![[0, 32], [0, 4], [0, 8]],
        ..rows("warp", 32)
    }
}

fn both(
    record: &Record,
    case: impl Fn(&Record) -> Result<Case, String>,
) -> Result<Vec<Case>, String> {
    [false, true]
        .into_iter()
        .map(|accum| {
            case(&Record {
                accum,
                ..record.clone()
            })
        })
        .collect()
}

/// In shared memory, without an old value and with one.
fn shared_both(record: &Record) -> Result<Vec<Case>, String> {
    both(record, |record| tile_case(record, Storage::Shared))
}

/// In registers, without an old value and with one.
fn fragment_both(record: &Record) -> Result<Vec<Case>, String> {
    both(record, fragment_case)
}

fn refused_rows(record: &Record, texts: &[&str]) -> Result<Case, String> {
    let program = tile_program(record, Storage::Shared)?;
    Ok(Case::refused(program, "tile.reduce", texts))
}

fn refused_private(record: &Record, texts: &[&str]) -> Result<Case, String> {
    let program = wrong_tile_program(record, Storage::Private)?;
    Ok(Case::refused(program, "tile.reduce", texts))
}

fn refused_shape(
    source: &[usize],
    axes: &[i64],
    destination: &[usize],
    texts: &[&str],
) -> Result<Case, String> {
    let record = Record {
        src_shape: source.to_vec(),
        dst_shape: destination.to_vec(),
        axes: axes.to_vec(),
        ..rows("cta", 32)
    }
    .full();
    let program = wrong_tile_program(&record, Storage::Shared)?;
    Ok(Case::refused(program, "tile.reduce", texts))
}

// ---------------------------------------------------------------------------------------------
// Variants
// ---------------------------------------------------------------------------------------------

/// A name that nobody knows is answered with those that there are.
fn unknown_variant(name: &str) -> Result<Case, String> {
    let program = tile_program(&rows("cta", 32).forced(name), Storage::Shared)?;
    let unknown = format!("no variant named `{name}`; known variants: ");
    let known = ["3input_maxmin", "local", "packed_add_sum", "shared"];
    let texts: Vec<&str> = [unknown.as_str()].into_iter().chain(known).collect();
    Ok(Case::refused(program, "tile.reduce", &texts))
}

fn refused_packed(chip: &'static str, length: usize, found: &str) -> Result<Case, String> {
    let program = tile_program(&vector(length).forced("packed_add_sum"), Storage::Private)?;
    Ok(Case::refused_on(
        chip,
        program,
        "tile.reduce",
        &[
            "lower this reduction",
            "packed_add_sum (priority 20): ",
            found,
        ],
    ))
}

/// The op of a refusal is shown, with its regions.
fn refused_regions() -> Result<Vec<Case>, String> {
    let record = Record {
        src_region: vec![[1, 2], [2, 4]],
        dst_region: vec![[1, 2]],
        ..rows("cta", 32).forced("local")
    };
    one(refused_rows(
        &record,
        &[
            "lower this reduction",
            "local (priority 10): storage: source is in shared memory",
            "tile.reduce sum %src into %dst axes [-1] scope(cta)",
            "memref<2x4xf32, strided<[8, 1], offset: 10>, #gpu.address_space<workgroup>>",
        ],
    )?)
}

/// Where none accepts, each gives its reasons.
fn no_variant_accepts() -> Result<Vec<Case>, String> {
    one(Case::refused(
        fragment_case(&of_other_threads())?.program,
        "tile.reduce",
        &[
            "no variant can lower this reduction",
            "3input_maxmin (priority 20): ",
            "local (priority 10): ",
            "packed_add_sum (priority 20): ",
            "shared (priority 10): ",
        ],
    ))
}

// ---------------------------------------------------------------------------------------------
// Who does what
// ---------------------------------------------------------------------------------------------

fn all_threads_load(ptx: &Ptx<'_>) -> Result<(), String> {
    let threads = 256;
    let (base, bytes) = ptx.largest_shared().ok_or("no shared memory")?;
    for (thread, trace) in trace_block(ptx, threads)?.iter().enumerate() {
        let own: u64 = trace
            .shared
            .iter()
            .filter(|a| !a.writes && (base..base + bytes).contains(&a.address))
            .map(|a| a.bytes)
            .sum();
        if own * threads as u64 != bytes {
            return Err(format!("thread {thread} loads {own} of {bytes} bytes"));
        }
    }
    Ok(())
}

/// Lanes that share a column of an 8x4 grid are 4, 8 and 16 apart, in steps of powers of two.
fn distances_of_columns(ptx: &Ptx<'_>) -> Result<(), String> {
    let distances: BTreeSet<u64> = ptx
        .trace([0; 3], [32, 1, 1])?
        .butterflies
        .into_iter()
        .collect();
    if distances == BTreeSet::from([4, 8, 16]) {
        Ok(())
    } else {
        Err(format!("lanes exchange at distances {distances:?}"))
    }
}

/// Two warpgroups do the same on tiles of their own: together, and then one of them once more,
/// where no barrier may wait for both.
fn two_warpgroups() -> Result<Vec<Case>, String> {
    let tile = "memref<4x8xf32, strided<[8, 1], offset: ?>>";
    let tile_s = "memref<4x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<workgroup>>";
    let sums = "memref<4xf32, strided<[1], offset: ?>>";
    let sums_s = "memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>";
    let work = format!(
        "tile.copy %from to %tile scope(warpgroup) : {tile} to {tile_s}
tile.reduce sum %tile into %sums axes [1] scope(warpgroup) : {tile_s} into {sums_s}
tile.copy %sums to %to scope(warpgroup) : {sums_s} to {sums}"
    );
    let views = format!(
        "%thread = gpu.thread_id x
%threads = arith.constant 128 : index
%one = arith.constant 1 : index
%group = arith.divui %thread, %threads : index
%tile = memref.subview %As[%group, 0, 0] [1, 4, 8] [1, 1, 1]
    : memref<2x4x8xf32, #gpu.address_space<workgroup>> to {tile_s}
%sums = memref.subview %Bs[%group, 0] [1, 4] [1, 1]
    : memref<2x4xf32, #gpu.address_space<workgroup>> to {sums_s}"
    );
    let part = |round: &str| {
        format!(
            "%from = memref.subview %A[%group, {round}, 0, 0] [1, 1, 4, 8] [1, 1, 1, 1]
    : memref<2x2x4x8xf32> to {tile}
%to = memref.subview %B[%group, {round}, 0] [1, 1, 4] [1, 1, 1]
    : memref<2x2x4xf32> to {sums}"
        )
    };
    let together = format!("{views}\n{}\n{work}", part("0"));
    let apart = format!(
        "{together}
%again = arith.cmpi eq, %group, %one : index
scf.if %again {{
{}
{}
}}",
        part("1").replace("%from", "%next").replace("%to", "%then"),
        work.replace("%from", "%next").replace("%to", "%then"),
    );
    [(together, [1, 1]), (apart, [1, 2])]
        .into_iter()
        .map(|(body, rounds)| {
            let program = kernel(
                "(%A: memref<2x2x4x8xf32>, %B: memref<2x2x4xf32>)",
                " workgroup(%As: memref<2x4x8xf32, #gpu.address_space<workgroup>>, \
                 %Bs: memref<2x4xf32, #gpu.address_space<workgroup>>)",
                [256, 1, 1],
                &[body],
            );
            let inputs = Mt19937::new(0).fill(Element::F32, 128, 1.0);
            let mut expected = vec![0.0; 16];
            for (group, rounds) in rounds.into_iter().enumerate() {
                let mut reduce = |round| {
                    Reference {
                        op: "sum",
                        accumulate: false,
                        element: Element::F32,
                        source: &View::whole(&[2, 2, 4, 8]).region(&[
                            [group, 1],
                            [round, 1],
                            [0, 4],
                            [0, 8],
                        ])?,
                        reduced: &[false, false, false, true],
                        destination: &View::whole(&[2, 2, 4]).region(&[
                            [group, 1],
                            [round, 1],
                            [0, 4],
                        ])?,
                    }
                    .apply(&inputs, &mut expected)
                };
                (0..rounds).try_for_each(&mut reduce)?;
            }
            Ok(Case::runs(
                program,
                vec![
                    Argument::new(Element::F32, &[2, 2, 4, 8], &inputs),
                    Argument::new(Element::F32, &[2, 2, 4], &[0.0; 16]),
                ],
                vec![Output::exact(1, Element::F32, &[2, 2, 4], &expected).within(1e-5, 1e-7)],
            )
            .with_ptx("sm_90", barriers_of_warpgroups))
        })
        .collect()
}

/// A barrier that waits for a part of the block belongs to one warpgroup.
fn barriers_of_warpgroups(ptx: &Ptx<'_>) -> Result<(), String> {
    let block = 256;
    let mut users: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    // Each warpgroup has its number of rounds, so one thread of each is enough.
    for group in 0..2 {
        for (barrier, count) in ptx.trace([group * 128, 0, 0], [block, 1, 1])?.barriers {
            if count.is_some_and(|count| count < block as u64) {
                users.entry(barrier).or_default().insert(group);
            }
        }
    }
    match users.iter().find(|(_, groups)| groups.len() > 1) {
        None => Ok(()),
        Some((barrier, _)) => Err(format!("both warpgroups wait at barrier {barrier}")),
    }
}

/// A warpgroup's warps each sum their lanes; and all of its threads together.
fn warpgroup_replicas() -> Result<Vec<Case>, String> {
    let warps = Record {
        src_shape: vec![4, 32],
        dst_shape: vec![4],
        axes: vec![1],
        src_layout: Some(layout(
            json!([[4, 1, "wid_in_wg"], [32, 1, "laneid"]]),
            json!([]),
        )),
        dst_layout: Some(layout(
            json!([[4, 1, "wid_in_wg"]]),
            json!([[32, 1, "laneid"]]),
        )),
        ..rows("warpgroup", 128)
    }
    .full();
    let all = Record {
        src_shape: vec![128],
        dst_shape: vec![1],
        axes: vec![0],
        src_layout: Some(layout(json!([[128, 1, "tid_in_wg"]]), json!([]))),
        dst_layout: Some(layout(json!([[1, 1, "m"]]), json!([[128, 1, "tid_in_wg"]]))),
        atol: 1e-4,
        ..rows("warpgroup", 128)
    }
    .full();
    let mut cases = fragment_both(&warps)?;
    cases.extend(fragment_both(&all)?);
    Ok(cases)
}

/// A sum of each lane's row, to be held by another lane.
fn of_other_threads() -> Record {
    Record {
        src_shape: vec![32, 4],
        dst_shape: vec![32],
        axes: vec![1],
        src_layout: Some(layout(json!([[32, 1, "laneid"], [4, 1, "m"]]), json!([]))),
        dst_layout: Some(layout(json!([[32, 1, "m"]]), json!([]))),
        ..rows("warp", 32)
    }
    .full()
}

/// Values do not travel further than the threads that combine them.
fn other_threads() -> Result<Vec<Case>, String> {
    let program = fragment_case(&of_other_threads())?.program;
    one(Case::refused(
        program,
        "tile.reduce",
        &[
            "no variant can lower this reduction",
            "local (priority 10): layout: ",
        ],
    ))
}

/// Every scope, in shared memory, compiles and is right.
fn every_scope() -> Result<Vec<Case>, String> {
    [
        rows("thread", 256).guarded("thread_id == 0"),
        rows("warp", 256).guarded("warp_id == 0"),
        rows("warpgroup", 256).guarded("wg_id == 0"),
        rows("cta", 256),
    ]
    .iter()
    .map(|record| Ok(tile_case(record, Storage::Shared)?.with_ptx("sm_90", |_| Ok(()))))
    .collect()
}

// ---------------------------------------------------------------------------------------------
// Memory, shapes and sizes
// ---------------------------------------------------------------------------------------------

const SHARED: &str = "#gpu.address_space<workgroup>";
const PRIVATE: &str = "#gpu.address_space<private>";

/// Row sums of a matrix of f32, part by part.
fn row_sums(shape: [usize; 2], inputs: &[f64]) -> Result<Vec<f64>, String> {
    let mut sums = vec![0.0; shape[0]];
    Reference {
        op: "sum",
        accumulate: false,
        element: Element::F32,
        source: &View::whole(&shape),
        reduced: &[false, true],
        destination: &View::whole(&shape[..1]),
    }
    .apply(inputs, &mut sums)?;
    Ok(sums)
}

/// A program that sums the rows of its first argument into its second.
fn summing(program: String, shape: [usize; 2], rtol: f64) -> Result<Case, String> {
    let inputs = Mt19937::new(0).fill(Element::F32, shape.iter().product(), 1.0);
    let sums = row_sums(shape, &inputs)?;
    Ok(Case::runs(
        program,
        vec![
            Argument::new(Element::F32, &shape, &inputs),
            Argument::new(Element::F32, &shape[..1], &vec![0.0; shape[0]]),
        ],
        vec![Output::exact(1, Element::F32, &shape[..1], &sums).within(0.0, rtol)],
    ))
}

/// How much of a tile in shared memory is used is known when it runs.
fn dynamic_extents() -> Result<Vec<Case>, String> {
    let tile = format!("memref<?x?xf32, strided<[40, 1]>, {SHARED}>");
    let sums = format!("memref<?xf32, strided<[1]>, {SHARED}>");
    let program = kernel(
        "(%A: memref<?x?xf32>, %B: memref<?xf32>)",
        &format!(" workgroup(%As: memref<16x40xf32, {SHARED}>, %Bs: memref<16xf32, {SHARED}>)"),
        [64, 1, 1],
        &[format!(
            "%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%n = memref.dim %A, %zero : memref<?x?xf32>
%m = memref.dim %A, %one : memref<?x?xf32>
%tile = memref.subview %As[0, 0] [%n, %m] [1, 1] : memref<16x40xf32, {SHARED}> to {tile}
%sums = memref.subview %Bs[0] [%n] [1] : memref<16xf32, {SHARED}> to {sums}
tile.copy %A to %tile scope(cta) : memref<?x?xf32> to {tile}
tile.reduce sum %tile into %sums axes [1] scope(cta) : {tile} into {sums}
tile.copy %sums to %B scope(cta) : {sums} to memref<?xf32>"
        )],
    );
    [[13, 37], [16, 40], [1, 1]]
        .into_iter()
        .map(|shape| summing(program.clone(), shape, 1e-6))
        .collect()
}

/// Where a region of shared memory begins is known when it runs.
fn dynamic_start() -> Result<Vec<Case>, String> {
    let tile = format!("memref<4x8xf32, strided<[8, 1], offset: ?>, {SHARED}>");
    let program = kernel(
        "(%A: memref<16x8xf32>, %B: memref<4xf32>, %start: index)",
        &format!(" workgroup(%As: memref<16x8xf32, {SHARED}>, %Bs: memref<4xf32, {SHARED}>)"),
        [32, 1, 1],
        &[format!(
            "tile.copy %A to %As scope(cta) : memref<16x8xf32> to memref<16x8xf32, {SHARED}>
%tile = memref.subview %As[%start, 0] [4, 8] [1, 1] : memref<16x8xf32, {SHARED}> to {tile}
tile.reduce sum %tile into %Bs axes [1] scope(cta) : {tile} into memref<4xf32, {SHARED}>
tile.copy %Bs to %B scope(cta) : memref<4xf32, {SHARED}> to memref<4xf32>"
        )],
    );
    let inputs = Mt19937::new(0).fill(Element::F32, 128, 1.0);
    let sums = row_sums([16, 8], &inputs)?;
    Ok([0, 5, 12]
        .into_iter()
        .map(|start| {
            Case::runs(
                program.clone(),
                vec![
                    Argument::new(Element::F32, &[16, 8], &inputs),
                    Argument::new(Element::F32, &[4], &[0.0; 4]),
                    Argument::Index(start),
                ],
                vec![
                    Output::exact(1, Element::F32, &[4], &sums[start..start + 4]).within(0.0, 1e-6),
                ],
            )
        })
        .collect())
}

/// Every thread sums the rows of a shared tile for itself.
fn shared_into_private() -> Result<Vec<Case>, String> {
    let own = "memref<4xf32, strided<[1], offset: ?>>";
    let program = kernel(
        "(%A: memref<4x8xf32>, %B: memref<32x4xf32>)",
        &format!(
            " workgroup(%As: memref<4x8xf32, {SHARED}>) private(%p: memref<4xf32, {PRIVATE}>)"
        ),
        [32, 1, 1],
        &[format!(
            "%thread = gpu.thread_id x
tile.copy %A to %As scope(cta) : memref<4x8xf32> to memref<4x8xf32, {SHARED}>
tile.reduce sum %As into %p axes [1] scope(thread)
    : memref<4x8xf32, {SHARED}> into memref<4xf32, {PRIVATE}>
%to = memref.subview %B[%thread, 0] [1, 4] [1, 1] : memref<32x4xf32> to {own}
tile.copy %p to %to scope(thread) : memref<4xf32, {PRIVATE}> to {own}"
        )],
    );
    let inputs = Mt19937::new(0).fill(Element::F32, 32, 1.0);
    let sums = row_sums([4, 8], &inputs)?;
    one(Case::runs(
        program,
        vec![
            Argument::new(Element::F32, &[4, 8], &inputs),
            Argument::new(Element::F32, &[32, 4], &[0.0; 128]),
        ],
        vec![Output::exact(1, Element::F32, &[32, 4], &sums.repeat(32)).within(0.0, 1e-6)],
    ))
}

/// Global memory needs no way through shared memory.
fn global_tiles() -> Result<Vec<Case>, String> {
    let program = kernel(
        "(%A: memref<24x40xf32>, %B: memref<24xf32>)",
        "",
        [128, 1, 1],
        &[
            "tile.reduce sum %A into %B axes [1] scope(cta) : memref<24x40xf32> into memref<24xf32>"
                .to_owned(),
        ],
    );
    one(summing(program, [24, 40], 1e-6)?)
}

/// Blocks of a cluster do not reduce together yet, and the op is told so.
fn cluster() -> Result<Vec<Case>, String> {
    one(Case::refused(
        kernel(
            "(%A: memref<24x40xf32>, %B: memref<24xf32>)",
            "",
            [128, 1, 1],
            &[
                "tile.reduce sum %A into %B axes [1] scope(cluster) : memref<24x40xf32> into \
                 memref<24xf32>"
                    .to_owned(),
            ],
        ),
        "tile.reduce",
        &["`tile.reduce` at scope `cluster` is not implemented"],
    ))
}

/// A sum of f32 is not narrowed on the way out.
fn narrower_destination() -> Result<Vec<Case>, String> {
    one(Case::refused(
        kernel(
            "(%A: memref<4x8xf32>, %B: memref<4xf16>)",
            "",
            [32, 1, 1],
            &[
                "tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf16>"
                    .to_owned(),
            ],
        ),
        "tile.reduce",
        &["the destination's elements must be `f32` or a wider float, found `f16`"],
    ))
}

fn maximum_of_bits() -> Result<Vec<Case>, String> {
    one(Case::refused(
        kernel(
            "(%A: memref<4x8xi1>, %B: memref<4xi1>)",
            "",
            [32, 1, 1],
            &[
                "tile.reduce max %A into %B axes [1] scope(cta) : memref<4x8xi1> into memref<4xi1>"
                    .to_owned(),
            ],
        ),
        "tile.reduce",
        &["`max` of `i1` elements is not defined"],
    ))
}

/// Reductions that are fused with something else are not ops here.
fn other_operations() -> Result<Vec<Case>, String> {
    Ok(["unary_reduce", "binary_reduce", "reduce_negate"]
        .into_iter()
        .map(|name| {
            Case::refused(
                kernel(
                    "(%A: memref<4x8xf32>, %B: memref<4xf32>)",
                    "",
                    [32, 1, 1],
                    &[format!(
                        "tile.{name} sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into \
                         memref<4xf32>"
                    )],
                ),
                "tile.",
                &[&format!("custom op 'tile.{name}' is unknown")],
            )
        })
        .collect())
}

/// Sixteen partial results a row, in shared memory, of rows whose length is no multiple of it.
fn partial_results() -> Result<Vec<Case>, String> {
    let full = "memref<128x96xf32, strided<[100, 1]>>";
    let split = "memref<128x6x16xf32, strided<[100, 16, 1]>>";
    let tail = "memref<128x4xf32, strided<[100, 1], offset: 96>>";
    let first = format!("memref<128x4xf32, strided<[16, 1]>, {SHARED}>");
    let program = kernel(
        "(%A: memref<128x100xf32>, %B: memref<128xf32>)",
        &format!(" workgroup(%parts: memref<128x16xf32, {SHARED}>)"),
        [512, 1, 1],
        &[format!(
            "%full = memref.subview %A[0, 0] [128, 96] [1, 1] : memref<128x100xf32> to {full}
%split = memref.expand_shape %full [[0], [1, 2]] output_shape [128, 6, 16] : {full} into {split}
tile.reduce sum %split into %parts axes [1] scope(cta)
    : {split} into memref<128x16xf32, {SHARED}>
%tail = memref.subview %A[0, 96] [128, 4] [1, 1] : memref<128x100xf32> to {tail}
%first = memref.subview %parts[0, 0] [128, 4] [1, 1] : memref<128x16xf32, {SHARED}> to {first}
tile.reduce sum %tail into %first axes [] scope(cta) accumulate : {tail} into {first}
tile.reduce sum %parts into %B axes [1] scope(cta)
    : memref<128x16xf32, {SHARED}> into memref<128xf32>"
        )],
    );
    one(summing(program, [128, 100], 1e-5)?)
}

/// Each block takes up to 32 rows of a matrix of any size. Arrays are as large as they have to be,
/// so that an element too many is a fault.
fn dynamic_rows() -> Result<Vec<Case>, String> {
    let from = "memref<?x?xf32, strided<[?, 1], offset: ?>>";
    let to = "memref<?xf32, strided<[1], offset: ?>>";
    let program = kernel(
        "(%A: memref<?x?xf32>, %B: memref<?xf32>)",
        "",
        [16, 32, 1],
        &[format!(
            "%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%rows = arith.constant 32 : index
%n = memref.dim %A, %zero : memref<?x?xf32>
%m = memref.dim %A, %one : memref<?x?xf32>
%block = gpu.block_id x
%row = arith.muli %block, %rows : index
%left = arith.subi %n, %row : index
%here = arith.minsi %left, %rows : index
%from = memref.subview %A[%row, 0] [%here, %m] [1, 1] : memref<?x?xf32> to {from}
%to = memref.subview %B[%row] [%here] [1] : memref<?xf32> to {to}
tile.reduce sum %from into %to axes [1] scope(cta) : {from} into {to}"
        )],
    );
    [[1, 1], [33, 100], [64, 16], [45, 7], [95, 129]]
        .into_iter()
        .map(|shape: [usize; 2]| {
            let blocks = shape[0].div_ceil(32);
            let program = program.replace(
                "known_grid_size = array<i32: 1, 1, 1>",
                &format!("known_grid_size = array<i32: {blocks}, 1, 1>"),
            );
            summing(program, shape, 1e-5)
        })
        .collect()
}

/// Rows of length 0 give the identity, or leave what is there.
fn nothing_to_reduce() -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for op in ["sum", "max", "min"] {
        cases.extend(shared_both(&Record {
            op: op.to_owned(),
            src_region: vec![[0, 4], [0, 0]],
            ..rows("cta", 32)
        })?);
    }
    Ok(cases)
}

// ---------------------------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------------------------

/// One op on global tiles.
fn global_case(
    threads: usize,
    op: &str,
    (source_element, source, inputs): (Element, &[usize], &[f64]),
    results: &[(Element, &[usize], Vec<f64>)],
) -> Case {
    let view = |element: Element, shape: &[usize]| View::whole(shape).mlir_type(element, "");
    let a = view(source_element, source);
    let types: Vec<String> = results
        .iter()
        .map(|(element, shape, _)| view(*element, shape))
        .collect();
    let names: Vec<String> = (0..results.len()).map(|n| format!("%B{n}")).collect();
    let declared: String = names
        .iter()
        .zip(&types)
        .map(|(name, ty)| format!(", {name}: {ty}"))
        .collect();
    let (head, tail) = op.split_once("INTO").unwrap_or((op, ""));
    let body = format!(
        "tile.reduce {head}%A into {}{tail} : {a} into {}",
        names.join(", "),
        types.join(", ")
    );
    let mut arguments = vec![Argument::new(source_element, source, inputs)];
    let mut outputs = Vec::new();
    for (number, (element, shape, values)) in results.iter().enumerate() {
        // What must be written, so that it is seen when it is not.
        arguments.push(Argument::new(*element, shape, &vec![77.0; values.len()]));
        outputs.push(Output::exact(number + 1, *element, shape, values));
    }
    Case::runs(
        kernel(
            &format!("(%A: {a}{declared})"),
            "",
            [threads, 1, 1],
            &[body],
        ),
        arguments,
        outputs,
    )
}

/// A reduction among the threads of a block beside one among those of a warp.
fn warp_and_block() -> Result<Vec<Case>, String> {
    let threads = 128;
    let program = kernel(
        "(%A: memref<128xf32>, %W: memref<128xf32>, %C: memref<128xf32>)",
        "",
        [threads, 1, 1],
        &["%thread = gpu.thread_id x
%x = memref.load %A[%thread] : memref<128xf32>
%w = tile.all_reduce sum %x scope(warp) : f32 -> f32
%c = tile.all_reduce sum %x scope(cta) : f32 -> f32
memref.store %w, %W[%thread] : memref<128xf32>
memref.store %c, %C[%thread] : memref<128xf32>"
            .to_owned()],
    );
    let inputs: Vec<f64> = (0..threads).map(|thread| (thread % 7) as f64).collect();
    let sums = |group: usize| -> Vec<f64> {
        inputs
            .chunks(group)
            .flat_map(|members| vec![members.iter().sum(); group])
            .collect()
    };
    let zeros = vec![0.0; threads];
    one(Case::runs(
        program,
        vec![
            Argument::new(Element::F32, &[threads], &inputs),
            Argument::new(Element::F32, &[threads], &zeros),
            Argument::new(Element::F32, &[threads], &zeros),
        ],
        vec![
            Output::exact(1, Element::F32, &[threads], &sums(32)),
            Output::exact(2, Element::F32, &[threads], &sums(threads)),
        ],
    )
    .with_ptx("sm_90", |_| Ok(())))
}

/// Integers beyond 2^24, which f32 cannot tell apart.
fn large_integers() -> Result<Vec<Case>, String> {
    let threads = 128;
    let inputs: Vec<f64> = (0..threads).map(|t| f64::from((1 << 24) + t)).collect();
    let largest = inputs[inputs.len() - 1];
    let program = kernel(
        "(%A: memref<128xi32>, %B: memref<128xi32>)",
        "",
        [128, 1, 1],
        &["%thread = gpu.thread_id x
%x = memref.load %A[%thread] : memref<128xi32>
%m = tile.all_reduce max %x scope(cta) : i32 -> i32
memref.store %m, %B[%thread] : memref<128xi32>"
            .to_owned()],
    );
    Ok(vec![
        Case::runs(
            program,
            vec![
                Argument::new(Element::I32, &[128], &inputs),
                Argument::new(Element::I32, &[128], &[0.0; 128]),
            ],
            vec![Output::exact(1, Element::I32, &[128], &[largest; 128])],
        ),
        global_case(
            128,
            "max INTO axes [1] scope(cta)",
            (Element::I32, &[1, 128], &inputs),
            &[(Element::I32, &[1], vec![largest])],
        ),
    ])
}

fn infinities() -> Result<Vec<Case>, String> {
    let infinity = f64::INFINITY;
    Ok([("max", -infinity), ("min", infinity)]
        .into_iter()
        .flat_map(|(op, value)| {
            [Element::F32, Element::F16].map(|element| {
                global_case(
                    32,
                    &format!("{op} INTO axes [1] scope(cta)"),
                    (element, &[4, 8], &[value; 32]),
                    &[(element, &[4], vec![value; 4])],
                )
            })
        })
        .collect())
}

/// Of rows whose elements all are the least that there is, the first element is the largest.
fn index_of_infinities() -> Result<Vec<Case>, String> {
    let least = [-f64::INFINITY, -f64::from(f32::MAX)];
    let mut cases = Vec::new();
    for (op, sign) in [("argmax", 1.0), ("argmin", -1.0)] {
        let values: Vec<f64> = least.iter().map(|value| value * sign).collect();
        let inputs: Vec<f64> = values.iter().flat_map(|value| vec![*value; 40]).collect();
        for index in [Element::I32, Element::I64] {
            cases.push(global_case(
                32,
                &format!("{op} INTO axes [1] scope(cta)"),
                (Element::F32, &[2, 40], &inputs),
                &[
                    (Element::F32, &[2], values.clone()),
                    (index, &[2], vec![0.0; 2]),
                ],
            ));
        }
    }
    Ok(cases)
}

/// More than f16 can count one by one.
fn many_halves() -> Result<Vec<Case>, String> {
    one(global_case(
        128,
        "sum INTO axes [1] scope(cta)",
        (Element::F16, &[1, 20_000], &vec![1.0; 20_000]),
        &[(Element::F16, &[1], vec![20_000.0])],
    ))
}

/// Combiners that no named kind is, between the threads of a block.
fn custom_combiners() -> Result<Vec<Case>, String> {
    let bits: Vec<f64> = (0..4 * 40)
        .map(|n| f64::from(n * 2_654_435 % 65_521))
        .collect();
    let xor = bits
        .chunks(40)
        .map(|row| row.iter().fold(0, |all, one| all ^ *one as i64) as f64)
        .collect();
    let signed: Vec<f64> = Mt19937::new(0)
        .fill(Element::F32, 4 * 40, 1.0)
        .iter()
        .map(|value| Element::F32.round(value - 0.6))
        .collect();
    let absolute = signed
        .chunks(40)
        .map(|row| row.iter().fold(0.0, |all: f64, one| all.max(one.abs())))
        .collect();
    Ok(vec![
        global_case(
            64,
            "custom INTO axes [1] scope(cta) identity [0 : i32] combiner {
^bb0(%l: i32, %r: i32):
  %x = arith.xori %l, %r : i32
  tile.yield %x : i32
}",
            (Element::I32, &[4, 40], &bits),
            &[(Element::I32, &[4], xor)],
        ),
        global_case(
            64,
            "custom INTO axes [1] scope(cta) identity [0.0 : f32] combiner {
^bb0(%l: f32, %r: f32):
  %a = math.absf %l : f32
  %b = math.absf %r : f32
  %m = arith.maximumf %a, %b : f32
  tile.yield %m : f32
}",
            (Element::F32, &[4, 40], &signed),
            &[(Element::F32, &[4], absolute)],
        ),
    ])
}

/// Elements that are narrower than a register are exchanged by shuffles, too.
fn narrow_elements() -> Result<Vec<Case>, String> {
    [Element::BF16, Element::I8]
        .into_iter()
        .map(|element| {
            let ty = element.mlir();
            let program = kernel(
                &format!("(%A: memref<32x{ty}>, %B: memref<32x{ty}>)"),
                "",
                [32, 1, 1],
                &[format!(
                    "%thread = gpu.thread_id x
%x = memref.load %A[%thread] : memref<32x{ty}>
%s = tile.all_reduce sum %x scope(cta) : {ty} -> {ty}
memref.store %s, %B[%thread] : memref<32x{ty}>"
                )],
            );
            let inputs: Vec<f64> = (0..32).map(|thread| f64::from(thread % 5)).collect();
            let sum: f64 = inputs.iter().sum();
            Ok(Case::runs(
                program,
                vec![
                    Argument::new(element, &[32], &inputs),
                    Argument::new(element, &[32], &[0.0; 32]),
                ],
                vec![Output::exact(1, element, &[32], &[sum; 32])],
            )
            .with_ptx("sm_90", |ptx| {
                let waits = ptx.count("bar.sync") + ptx.count("barrier");
                match ptx.count("shfl.sync") + ptx.count("redux.sync") {
                    0 => Err("no lane asks another".to_owned()),
                    _ if ptx.has_shared() || waits > 0 => {
                        Err("a warp goes through shared memory".to_owned())
                    }
                    _ => Ok(()),
                }
            }))
        })
        .collect()
}
