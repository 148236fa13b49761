//! Runs every example and checks its output. The GPU examples also run on the CPU.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Returns the command of an example that cargo has built.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().expect("a path");
    let folder = test.ancestors().nth(2).expect("target/PROFILE");
    let program: PathBuf = folder
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.is_file(),
        "{} is not built: `cargo test -p tx-examples` builds examples, `--test` alone does not",
        program.display()
    );
    Command::new(program)
}

/// Runs an example and returns its standard output. Fails on a non-zero exit status or output on
/// standard error.
fn run(name: &str, arguments: &[&str]) -> String {
    let output = example(name).args(arguments).output().expect("it starts");
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    assert_eq!(err, "", "{out}");
    out
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Checks that `text` contains all `expected` strings in this order.
fn says(text: &str, expected: &[&str]) {
    let mut rest = text;
    for each in expected {
        let at = rest
            .find(each)
            .unwrap_or_else(|| panic!("no `{each}` from here on:\n{rest}\n-- all of it:\n{text}"));
        rest = &rest[at + each.len()..];
    }
}

#[test]
fn e01_compiles() {
    says(
        &run("01-compile", &[]),
        &[
            "-- stages",
            "parse ",
            "tile-schedule ",
            "convert-tile-to-gpu ",
            "-- after tile-schedule",
            "tile.all_reduce sum",
            "-- PTX",
            ".target sm_90",
            ".visible .entry",
            "-- plan",
            "\"entry\": \"sums\"",
            "-- a mistake",
            "<input>:3:3: error: ",
            "axis 2 is out of range",
        ],
    );
}

#[test]
fn e02_runs() {
    let text = run("02-run", &[]);
    says(
        &text,
        &[
            "device: ",
            ", since ",
            "3x5: 3 rows right",
            "40x700: 40 rows right",
        ],
    );
}

#[test]
fn e03_adds_a_variant() {
    says(
        &run("03-variant", &[]),
        &[
            "remark: variant `pairwise` computes this reduction",
            "pairwise (priority 10): accepted, cost ",
            ", chosen",
            "shared (priority 10): accepted, cost ",
            "sum: 64 rows by `pairwise`",
            "max: 64 rows by `pairwise`",
            "-- refused",
            "variant `pairwise` cannot lower this reduction",
            "pairwise (priority 10): length: length 100, expected 2 to 64",
        ],
    );
}

#[test]
fn e04_adds_a_pass() {
    says(
        &run("04-pass", &[]),
        &[
            "serving-set-determinism: Give reductions a determinism",
            "option to=batch_invariant: ",
            "pipeline: convert-linalg-to-tile,tile-form-kernels{chip=sm_90},linalg-collapse-loops,\
             serving-set-determinism,tile-schedule",
            "-- after serving-set-determinism",
            "tile.reduce sum",
            "determinism = #tile.determinism<batch_invariant>",
            "tile.reduce max",
            "determinism = #tile.determinism<any>",
            "-- refused",
            "option `to` is `maybe`, expected one of any, run_to_run, batch_invariant",
            "`lower-reduction` has no pass `schedule`; its passes: convert-linalg-to-tile, ",
        ],
    );
}

#[test]
fn e05_compiles_tensor_expressions() {
    says(
        &run("05-tensors", &[]),
        &[
            "func.func @program(%in: memref<37x300xf32>, %out: memref<37x300xf32>)",
            "arith.maximumf %old",
            "math.exp",
            "softmax: ",
            "mean: ",
            "variance: ",
            "peak: ",
        ],
    );
}

/// The GPU examples compute correct sums on the CPU.
#[test]
fn e06_to_e08_compute_the_same_without_a_gpu() {
    says(
        &run("gpu", &["06", "--device", "cpu"]),
        &[
            "06 custom operation on cpu",
            "64x1000: 64 row sums and their total right",
            "3x70000: 3 row sums",
        ],
    );
    says(
        &run("gpu", &["07", "--device", "cpu"]),
        &["07 CUDA graph on cpu", "replay 0: right", "replay 4: right"],
    );
    says(
        &run("gpu", &["08", "--device", "cpu", "--gpus", "3"]),
        &[
            "08 several GPUs on cpu",
            "3 shards",
            "cpu: 64 row sums of 3 x 5000 columns right",
        ],
    );
}

/// The examples succeed on a GPU. Without a GPU, the examples report that the machine has no GPU,
/// and return status 1.
#[test]
fn e06_and_e07_say_where_there_is_no_gpu() {
    let gpu = tx_runtime::CudaDriver::load().is_ok_and(|driver| !driver.devices.is_empty());
    for number in ["06", "07"] {
        let output = example("gpu").arg(number).output().expect("it starts");
        let (out, err) = texts(&output);
        if gpu {
            assert!(output.status.success(), "{out}\n{err}");
            says(&out, &[" on cuda:0 (", "right, off by "]);
        } else {
            assert_eq!(output.status.code(), Some(1), "{out}\n{err}");
            let start = format!("gpu {number}: no GPU: ");
            assert!(err.starts_with(&start), "{err}");
            assert!(err.contains("`--device cpu`"), "{err}");
        }
    }
}

#[test]
fn e06_to_e08_refuse_wrong_usage() {
    for (arguments, message) in [
        (&[][..], "which example?"),
        (&["09"], "there is no example `09` here"),
        (&["06", "--device", "tpu"], "`tpu` is no device"),
        (
            &["06", "--ptx", "x.ptx"],
            "`--ptx` and `--plan` go together",
        ),
        (&["08", "--gpus", "0"], "`--gpus` is at least 1"),
        (&["08", "--rank", "1"], "`--rank` needs `--gpus` and `--id`"),
        (&["07", "--fast"], "`--fast` is unknown"),
    ] {
        let output = example("gpu").args(arguments).output().expect("it starts");
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(2), "{out}\n{err}");
        assert!(err.contains(message) && err.contains("usage: "), "{err}");
    }
    // A missing file is a failure, not wrong usage.
    let files = [
        "06", "--device", "cpu", "--ptx", "no.ptx", "--plan", "no.json",
    ];
    let output = example("gpu").args(files).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
}
