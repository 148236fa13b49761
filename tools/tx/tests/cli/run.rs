//! Tests of `tx run` and `tx batch`: arguments, devices and faults.

use super::{BLOCKS, Case, RACE, ROWS, SUM, fails, status, stderr, stdout};
use std::fs;

#[test]
fn runs() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let run = [
        "run",
        "sum.mlir",
        "--device",
        "cpu",
        "--arg",
        "full:0.5:128xf32",
        "--arg",
        "zeros:f32",
    ];
    let output = case.tx(&run);
    assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
    assert_eq!(stdout(&output), "argument 1: f32\n64.0\n");
    let output = case.tx(&[&run[..], &["--out", "1=sum.npy", "--out", "0=x.npy"]].concat());
    assert_eq!((status(&output), stdout(&output).as_str()), (0, ""));
    let read = |name: &str| tx_runtime::read_npy(&case.folder.path().join(name), None).expect(name);
    assert_eq!(read("sum.npy").to_string(), "64.0");
    assert_eq!(read("x.npy").describe(), "128xf32");
    // `tx run` executes the PTX of `tx compile`.
    let chip = ["--chip", "sm_90"];
    let output = case.tx(&[&run[..], &chip, &["--ptx", "run.ptx"]].concat());
    assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
    let output = case.tx(&[&["compile", "sum.mlir", "-o", "-"][..], &chip].concat());
    let ptx = fs::read_to_string(case.folder.path().join("run.ptx")).expect("run.ptx");
    assert_eq!(stdout(&output), ptx);
    // A written file can be read again.
    let output = case.tx(&[
        "run", "sum.mlir", "--device", "cpu", "--arg", "x.npy", "--arg", "sum.npy",
    ]);
    assert_eq!(stdout(&output), "argument 1: f32\n64.0\n");
    // The file name `-` also denotes standard output in `--out`.
    let output = case.tx(&[&run[..], &["--out", "1=-"]].concat());
    let sum = fs::read(case.folder.path().join("sum.npy")).expect("sum.npy");
    assert_eq!((status(&output), output.stdout), (0, sum));
    assert!(!case.folder.path().join("-").exists());
}

#[test]
fn batches_say_once_where_they_run() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let run = r#"["sum.mlir", "--arg", "zeros:128xf32", "--arg", "zeros:f32"]"#;
    case.file("runs.jsonl", format!("{run}\n{run}\n{run}\n"));
    let output = case.tx(&["batch", "runs.jsonl"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("tx: running on ").count(), 1);
    assert_eq!(stdout(&output).matches("\"status\":0").count(), 3);
}

#[test]
fn says_which_device() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let output = case.tx(&[
        "run",
        "sum.mlir",
        "--arg",
        "full:1:128xf32",
        "--arg",
        "zeros:f32",
    ]);
    assert_eq!(stdout(&output), "argument 1: f32\n128.0\n");
    let said = stderr(&output);
    assert!(
        said.starts_with("tx: running on c") && said.contains(": ") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn passes_scalars_and_a_grid() {
    let case = Case::new();
    case.file("blocks.mlir", BLOCKS);
    let run = [
        "run",
        "blocks.mlir",
        "--device",
        "cpu",
        "--arg",
        "full:9:4xi64",
        "--arg",
        "-2",
    ];
    assert_eq!(stdout(&case.tx(&run)), "argument 0: 4xindex\n[0 9 9 9]\n");
    let output = case.tx(&[&run[..], &["--grid", "3,1,1"]].concat());
    assert_eq!(stdout(&output), "argument 0: 4xindex\n[ 0 -2 -4  9]\n");
}

/// A kernel that reads block ids without a known grid runs with one block and a warning. A kernel
/// without block ids has no warning.
#[test]
fn a_grid_that_is_left_out_is_warned_of() {
    let case = Case::new();
    case.file("blocks.mlir", BLOCKS);
    let args = ["--arg", "full:9:4xi64", "--arg", "2"];
    let warning = "\
blocks.mlir:4:10: warning: `gpu.block_id` depends on the grid, but the number of blocks of \
`blocks` is not known: one block is launched
    %b = gpu.block_id x
         ^
blocks.mlir:4:10: note: set the number of blocks with `--grid N`, or with `known_grid_size = \
array<i32: N, 1, 1>` next to the block size of `blocks`
";
    let with = |command: &[&str], file: &str, more: &[&str]| {
        case.tx(&[command, &[file], &args[..], more].concat())
    };
    let run = ["run", "--device", "cpu"];
    for command in [
        &run[..],
        &["bench", "--device", "cpu", "--progress", "never"],
        &["validate"],
        &["report", "-o", "page.html"],
    ] {
        let output = with(command, "blocks.mlir", &[]);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).starts_with(warning), "{}", stderr(&output));
        for more in [&["--grid", "1"][..], &["--quiet"]] {
            let output = with(command, "blocks.mlir", more);
            let said = stderr(&output);
            assert!(status(&output) == 0 && !said.contains("warning"), "{said}");
        }
    }
    let output = with(&run, "blocks.mlir", &["--message-format", "json"]);
    let said: serde_json::Value = serde_json::from_str(&stderr(&output)).expect("a line of JSON");
    assert_eq!(
        (&said["severity"], &said["line"]),
        (&"warning".into(), &4.into())
    );
    // `tx compile` prints no warning, because another program launches the kernel.
    assert_eq!(stderr(&case.tx(&["compile", "blocks.mlir"])), "");
    let silent = |name: &str, program: &str, is_silent: bool| {
        case.file(name, program);
        let output = with(&run, name, &[]);
        assert_eq!(
            (status(&output), stderr(&output).is_empty()),
            (0, is_silent),
            "{name}"
        );
    };
    let block = "known_block_size = array<i32: 1, 1, 1>";
    silent(
        "known.mlir",
        &BLOCKS.replace(
            block,
            &format!("{block}, known_grid_size = array<i32: 1, 1, 1>"),
        ),
        true,
    );
    silent(
        "thread.mlir",
        &BLOCKS.replace("gpu.block_id", "gpu.thread_id"),
        true,
    );
    silent(
        "global.mlir",
        &BLOCKS.replace("gpu.block_id", "gpu.global_id"),
        false,
    );
    let asked = "%n = nvvm.read.ptx.sreg.nctaid.x : i32\n    %b = ";
    let nvvm = BLOCKS.replace(
        "%b = gpu.block_id x",
        &format!("{asked}arith.index_cast %n : i32 to index"),
    );
    silent("nvvm.mlir", &nvvm, false);
    // An unused block id has no warning.
    let unused = BLOCKS.replace(
        "%b = gpu.block_id x",
        &format!("{asked}arith.constant 0 : index"),
    );
    silent("unused.mlir", &unused, true);
    let called = BLOCKS.replace("%b = gpu.block_id x", "%b = func.call @number() : () -> index").replace(
        "module @m {\n",
        "module @m {\n  func.func @number() -> index {\n    %b = gpu.block_id x\n    return %b : \
         index\n  }\n",
    );
    silent("called.mlir", &called, false);
}

#[test]
fn unsigned_integers_of_files_stay_unsigned() {
    let case = Case::new();
    let program = BLOCKS.replace("index", "i32").replace(
        "%b = gpu.block_id x\n",
        "%n = gpu.block_id x\n    %b = arith.index_cast %n : index to i32\n",
    );
    case.file("blocks.mlir", program.replace("%B[%b]", "%B[%n]"));
    let path = |name: &str| case.folder.path().join(name);
    let bytes = u32::MAX.to_le_bytes().repeat(4);
    let array = tx_runtime::Array::new(tx_plan::ElementType::I32, vec![4], bytes)
        .expect("an array")
        .with_unsigned(true);
    tx_runtime::write_npy(&path("x.npy"), &array).expect("x.npy");
    let run = |spec: &str, more: &[&str]| {
        let command = ["run", "blocks.mlir", "--device", "cpu", "--arg", spec];
        case.tx(&[&command[..], &["--arg", "7", "--grid", "2"], more].concat())
    };
    for (spec, printed) in [
        (
            "x.npy",
            "4xui32\n[         0          7 4294967295 4294967295]\n",
        ),
        ("x.npy:i32", "4xi32\n[ 0  7 -1 -1]\n"),
    ] {
        let output = run(spec, &[]);
        assert_eq!(
            (stderr(&output), stdout(&output)),
            (String::new(), format!("argument 0: {printed}"))
        );
    }
    assert_eq!(status(&run("x.npy", &["--out", "0=y.npy"])), 0);
    let written = tx_runtime::read_npy(&path("y.npy"), None).expect("y.npy");
    assert_eq!(written.describe(), "4xui32");
    case.file("sum.mlir", SUM);
    let args = ["--arg", "x.npy", "--arg", "zeros:f32"];
    let output = case.tx(&[&["run", "sum.mlir", "--device", "cpu"], &args[..]].concat());
    fails(
        &output,
        1,
        "tx: error: argument 0: found an array 4xui32, expected memref<128xf32>\n\
         tx: note: argument 0 is x.npy; NumPy converts it with `.astype(\"float32\")`\n",
    );
}

#[test]
fn arguments_that_do_not_fit_are_status_1() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let run = |args: &[&str]| {
        let args: Vec<&str> = args.iter().flat_map(|arg| ["--arg", arg]).collect();
        case.tx(&[&["run", "sum.mlir", "--device", "cpu"], &args[..]].concat())
    };
    for (args, message) in [
        (
            &["zeros:128xf32"][..],
            "found 1 argument, expected 2: @sum(memref<128xf32>, memref<f32>)\n\
             tx: note: pass one `--arg` for each argument, in order",
        ),
        (
            &["zeros:128xf32", "zeros:f32", "1"],
            "found 3 arguments, expected 2: @sum(memref<128xf32>, memref<f32>)\n\
             tx: note: pass one `--arg` for each argument, in order",
        ),
        (
            &["zeros:127xf32", "zeros:f32"],
            "argument 0: found an array 127xf32, expected memref<128xf32>; dimension 0 is 127, not 128",
        ),
        (
            &["zeros:128xf64", "zeros:f32"],
            "argument 0: found an array 128xf64, expected memref<128xf32>",
        ),
        (
            &["zeros:128xf32", "7"],
            "argument 1: found the number 7, expected memref<f32>; an array of rank 0 is written \
             `full:7:f32`",
        ),
    ] {
        fails(&run(args), 1, &format!("tx: error: {message}\n"));
    }
    // If the type of a file is wrong, the message contains the file name and the NumPy call that
    // converts the array.
    let array = tx_runtime::Array::zeros(tx_plan::ElementType::F64, vec![128]).expect("an array");
    tx_runtime::write_npy(&case.folder.path().join("x.npy"), &array).expect("x.npy");
    fails(
        &run(&["x.npy", "zeros:f32"]),
        1,
        "tx: error: argument 0: found an array 128xf64, expected memref<128xf32>\n\
         tx: note: argument 0 is x.npy; NumPy converts it with `.astype(\"float32\")`\n",
    );
    // `tx validate` also reports the argument with the source line, and does not report an error of
    // a pass.
    case.file("rows.mlir", ROWS);
    for program in [&["run", "--device", "cpu"][..], &["validate"]] {
        let args = [
            "rows.mlir",
            "--arg",
            "zeros:4x5xf32",
            "--arg",
            "zeros:7xf32",
        ];
        fails(
            &case.tx(&[program, &args[..]].concat()),
            1,
            "rows.mlir:2:3: error: %A.dim0 is 4, %B.dim0 is 7: they are one dimension of the reduction, \
             and must be equal\n  \
             tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>\n  ^\n  \
             = TX0809: tx explain TX0809\n",
        );
    }
    let args = [
        "run",
        "sum.mlir",
        "--device",
        "cpu",
        "--arg",
        "zeros:128xf32",
        "--arg",
        "zeros:f32",
        "--out",
        "2=x.npy",
    ];
    fails(
        &case.tx(&args),
        1,
        "tx: error: --out 2=x.npy: there is no argument 2: `sum` takes 2, expected the index of a \
         memref argument\n",
    );
}

/// Arguments that exceed the memory are rejected before allocation. No machine has 2^46 bytes.
#[test]
fn arguments_that_do_not_fit_into_memory() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    for command in [
        &["run", "sum.mlir", "--device", "cpu"][..],
        &["bench", "sum.mlir", "--device", "cpu"],
        &["validate", "sum.mlir"],
    ] {
        let args = ["--arg", "rand:1048576x16777216xf32", "--arg", "zeros:f32"];
        let output = case.tx(&[command, &args].concat());
        assert_eq!(status(&output), 1, "{command:?}");
        let said = stderr(&output);
        let wanted = "tx: error: not enough memory: the arguments take 65536.0 GiB, twice that in \
                      a run on the CPU, and ";
        assert!(said.contains(wanted), "{command:?}: {said}");
        assert!(
            said.ends_with(" GiB are available\n"),
            "{command:?}: {said}"
        );
    }
}

/// An endless loop is stopped after a machine-independent number of steps, with its location.
#[test]
fn loops_without_an_end_are_faults() {
    let case = Case::new();
    let endless = "\
gpu.module @m {
  gpu.func @spin(%A: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    scf.while : () -> () {
      %v = memref.load %A[%t] : memref<32xf32>
      %true = arith.constant true
      memref.store %v, %A[%t] : memref<32xf32>
      scf.condition(%true)
    } do {
      scf.yield
    }
    gpu.return
  }
}
";
    case.file("spin.mlir", endless);
    let arg = ["--arg", "zeros:32xf32"];
    for (command, after, note) in [
        (
            &["run", "--device", "cpu", "--steps", "5000"][..],
            "within 5000 steps of all threads (kernel `spin`)",
            "tx: note: if the program terminates, raise the step limit with `--steps`\n",
        ),
        (
            &["validate", "--steps", "5000"],
            "the input program has a fault",
            "note: if the program terminates, raise the step limit with `tx validate --steps`\n",
        ),
    ] {
        let output = case.tx(&[&command[..1], &["spin.mlir"], &arg, &command[1..]].concat());
        let said = stderr(&output);
        assert_eq!(status(&output), 3, "{said}");
        for part in [after, note, "= TX0806"] {
            assert!(said.contains(part), "{command:?}: {said}");
        }
        let all = said + &stdout(&output);
        // For device code, the location in the message is the back edge of the loop.
        let place = if command[0] == "run" {
            "of thread (0, 0, 0)"
        } else {
            "`scf.while` at spin.mlir:4:5"
        };
        assert!(
            all.contains(&format!("step limit exceeded: the loop {place} ")),
            "{all}"
        );
    }
    // A loop that ends runs to its end with a sufficient step limit.
    let ends = endless
        .replace(
            "scf.while : () -> () {",
            "%c0 = arith.constant 0 : index\n%c1 = arith.constant \
                  1 : index\n%n = arith.constant 1000 : index\nscf.for %i = %c0 to %n step %c1 {",
        )
        .replace("      %true = arith.constant true\n", "")
        .replace(
            "      scf.condition(%true)\n    } do {\n      scf.yield\n",
            "",
        );
    case.file("ends.mlir", ends);
    let run = [&["run", "ends.mlir", "--device", "cpu"][..], &arg].concat();
    for (steps, expected) in [("10000", 3), ("1000000", 0)] {
        let output = case.tx(&[&run[..], &["--steps", steps]].concat());
        assert_eq!(status(&output), expected, "{}", stderr(&output));
    }
}

#[test]
fn faults_are_status_3() {
    let case = Case::new();
    case.file("race.mlir", RACE);
    let output = case.tx(&[
        "run",
        "race.mlir",
        "--device",
        "cpu",
        "--arg",
        "zeros:1xi64",
    ]);
    assert_eq!((status(&output), stdout(&output).as_str()), (3, ""));
    assert!(
        stderr(&output).starts_with("race.mlir:5:5: error: race on global memory"),
        "{}",
        stderr(&output)
    );
    // The message of a data race quotes the source line. The message quotes the line of the second
    // access only if the second access belongs to another op.
    assert!(
        stderr(&output).contains(
            "\n    memref.store %t, %B[%c0] : memref<1xindex>\n    ^\nrace.mlir:5:5: note: \
             several threads access one byte"
        ),
        "{}",
        stderr(&output)
    );
}
