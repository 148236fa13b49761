//! Tests of `tx compile`: programs, output files, and the cache.

use super::{Case, RACE, SUM, fails, status, stderr, stdout};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

#[test]
fn compiles() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let output = case.tx(&["compile", "sum.mlir"]);
    assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
    assert!(stdout(&output).contains(".target sm_80") && stdout(&output).contains(".entry sum("));
    let args = [
        "compile", "sum.mlir", "--chip", "sm_90", "-o", "sum.ptx", "--plan", "sum.json", "--time",
    ];
    let output = case.tx(&args);
    assert_eq!((status(&output), stdout(&output).as_str()), (0, ""));
    let times = stderr(&output);
    let total = times
        .lines()
        .last()
        .and_then(|line| line.strip_prefix("total"))
        .expect(&times);
    assert!(
        total
            .trim()
            .strip_suffix(" ms")
            .is_some_and(|millis| millis.parse::<f64>().is_ok()),
        "{times}"
    );
    assert!(
        times.lines().count() > 3 && times.lines().all(|line| line.ends_with(" ms")),
        "{times}"
    );
    // If two pipelines contain the same pass, the pass runs only in the pipeline that needs it.
    let attached = times.matches("tile-attach-target").count();
    assert_eq!(attached, 1, "{times}");
    let read = |name| fs::read_to_string(case.folder.path().join(name)).expect(name);
    assert!(read("sum.ptx").contains(".target sm_90"));
    let plan = tx_plan::Plan::from_json(&read("sum.json")).expect("a plan");
    assert_eq!(
        (
            plan.chip.as_str(),
            plan.entry.as_str(),
            plan.arguments.len()
        ),
        ("sm_90", "sum", 2)
    );
    // The file name `-` denotes standard output, and only one of the two outputs may have this
    // name.
    let output = case.tx(&["compile", "sum.mlir", "--plan", "-"]);
    let plan = tx_plan::Plan::from_json(&stdout(&output)).expect("a plan and nothing else");
    assert_eq!(plan.entry, "sum");
    let output = case.tx(&["compile", "sum.mlir", "-o", "-", "--plan", "sum.json"]);
    assert!(stdout(&output).contains(".entry sum("));
    fails(
        &case.tx(&["compile", "sum.mlir", "-o", "-", "--plan", "-"]),
        2,
        "tx: error: found `-` for both the PTX and the launch plan, expected a file for one of them\n",
    );
    fails(
        &case.tx(&["compile", "sum.mlir", "--plan", "sum.mlir/plan.json"]),
        1,
        "tx: error: sum.mlir/plan.json: `sum.mlir` is a file, expected a folder: name another\n",
    );
    fails(
        &case.tx(&["compile", "sum.mlir", "-o", "absent/sum.ptx"]),
        1,
        "tx: error: absent/sum.ptx: the folder `absent` does not exist: create it with `mkdir -p \
         absent`\n",
    );
}

#[test]
fn compiles_without_the_toolkit_of_the_environment() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let alone = case.tx(&["compile", "sum.mlir"]);
    let library = case.folder.path().join("nvvm/libdevice");
    fs::create_dir_all(&library).expect("a temporary folder");
    fs::write(library.join("libdevice.10.bc"), "no bitcode").expect("a temporary file");
    let mut command = case.command(&["compile", "sum.mlir"]);
    for name in ["CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"] {
        command.env(name, case.folder.path());
    }
    let beside = command.output().expect("tx starts");
    assert_eq!((status(&beside), stderr(&beside).as_str()), (0, ""));
    assert_eq!(stdout(&beside), stdout(&alone));
}

#[test]
fn compiles_standard_input() {
    let case = Case::new();
    let mut child = case
        .command(&["compile", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("tx starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(SUM.as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(status(&output), 0);
    assert!(stdout(&output).contains(".entry sum("));
}

/// For a handwritten kernel, `tx explain` counts its ops instead of choices.
#[test]
fn kernels_without_a_choice_are_told() {
    let case = Case::new();
    let tree = "\
gpu.module @m {
  gpu.func @tree(%A: memref<64xf32>, %B: memref<f32>)
      workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<64xf32>
    memref.store %v, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    %last = scf.for %i = %c0 to %c6 step %c1 iter_args(%half = %c32) -> (index) {
      %on = arith.cmpi ult, %t, %half : index
      scf.if %on {
        %o = arith.addi %t, %half : index
        %a = memref.load %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
        %b = memref.load %S[%o] : memref<64xf32, #gpu.address_space<workgroup>>
        %s = arith.addf %a, %b : f32
        memref.store %s, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      }
      %next = arith.divui %half, %c2 : index
      scf.yield %next : index
    }
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %r = memref.load %S[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %r, %B[] : memref<f32>
    }
    gpu.return
  }
}
";
    case.file("tree.mlir", tree);
    let output = case.tx(&["explain", "tree.mlir"]);
    assert_eq!(
        stdout(&output),
        "kernel `tree`: 1 loop, 0 barriers in the input program and 2 after lowering, 0 exchanges \
         in a warp, 0 atomics, 1 array in shared memory\n"
    );
    let said = stderr(&output);
    for part in [
        "nothing to explain",
        "`tx report` shows the data exchange",
        "`tx validate`",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Explanations fit the terminal width, except for attributes, which are meant to be copied.
#[test]
fn explanations_have_lines_that_fit() {
    let case = Case::new();
    let rows = "func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
";
    case.file("rows.mlir", rows);
    case.file("sum.mlir", SUM);
    for args in [
        &["rows.mlir"][..],
        &["rows.mlir", "--candidates", "short"],
        &["sum.mlir"],
    ] {
        let said = stdout(&case.tx(&[&["explain"], args].concat()));
        assert!(said.lines().count() > 10, "{said}");
        for line in said.lines().filter(|line| !SUM.contains(line.trim())) {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn unreadable_files_are_status_1() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    case.file("text.npy", "1 2 3\n");
    fs::create_dir(case.folder.path().join("folder.npy")).expect("a folder");
    for command in ["run", "compile"] {
        fails(
            &case.tx(&[command, "absent.mlir"]),
            1,
            "tx: error: absent.mlir: no such file, expected a program\n",
        );
        fails(
            &case.tx(&[command, "."]),
            1,
            "tx: error: .: this is a folder, expected a program\n",
        );
    }
    // Every command that reads a program reports a missing file.
    let absent = "tx: error: sun.mlir: no such file, expected a program\n";
    for command in ["run", "compile", "validate", "explain", "bench", "tune"] {
        let output: &[&str] = match command {
            "tune" => &[
                "-o",
                "tuned.mlir",
                "--arg",
                "zeros:1xf32",
                "--device",
                "cpu",
            ],
            "bench" => &["--device", "cpu"],
            _ => &[],
        };
        fails(
            &case.tx(&[&[command, "sun.mlir", "--quiet"], output].concat()),
            1,
            absent,
        );
    }
    fails(
        &case.tx(&["report", "sun.mlir", "-o", "sum.html"]),
        1,
        absent,
    );
    fails(
        &case.tx(&["fuzz", "replay", "absent.json"]),
        1,
        "tx: error: absent.json: no such file, expected the description of a case, as JSON that \
         `tx fuzz` wrote\n",
    );
    for (arg, message) in [
        (
            "absent.npy",
            "absent.npy: no such file, expected an array to pass to the program",
        ),
        (
            "folder.npy",
            "folder.npy: this is a folder, expected an array to pass to the program",
        ),
        (
            "text.npy",
            "text.npy: not a .npy file: it starts with `1 2 3\\n`, expected the bytes `\\x93NUMPY`",
        ),
    ] {
        fails(
            &case.tx(&["run", "sum.mlir", "--device", "cpu", "--arg", arg]),
            1,
            &format!("tx: error: {message}\n"),
        );
    }
}

/// For an invalid program, the exit status is 1, and the message contains the source location and
/// the source line.
#[test]
fn refused_programs_are_diagnosed() {
    let case = Case::new();
    case.file("bad.mlir", SUM.replace("axes [0]", "axes [3]"));
    case.file(
        "garbage.mlir",
        (0..=255).cycle().take(5000).collect::<Vec<u8>>(),
    );
    case.file("empty.mlir", "");
    for command in ["run", "compile"] {
        fails(
            &case.tx(&[command, "bad.mlir"]),
            1,
            "bad.mlir:4:5: error: 'tile.reduce' op axis 3 is out of range for rank 1\n    \
             tile.reduce sum %A into %B axes [3] scope(cta) : memref<128xf32> into memref<f32>\n    ^\n\
             bad.mlir:4:5: note: a tile of rank 1 has the axis 0, which is also -1\n  = TX0001: \
             tx explain TX0001\n",
        );
        for file in ["garbage.mlir", "empty.mlir"] {
            let output = case.tx(&[command, file]);
            assert_eq!(status(&output), 1, "{file}");
            assert!(
                stderr(&output).starts_with(file) && stderr(&output).contains(": error: "),
                "{}",
                stderr(&output)
            );
        }
    }
}

/// For a file of another kind, every command names the kind and the command that accepts it.
#[test]
fn files_that_are_no_programs_are_told_by_their_kind() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let args = [
        "compile",
        "sum.mlir",
        "-o",
        "sum.ptx",
        "--plan",
        "plan.json",
    ];
    assert_eq!(status(&case.tx(&args)), 0);
    let args = [
        "report",
        "sum.mlir",
        "--no-validate",
        "-o",
        "sum.html",
        "--trace",
        "trace.json",
    ];
    assert_eq!(status(&case.tx(&args)), 0);
    case.file("array.npy", &b"\x93NUMPY\x01\x00\x06\x00{}"[..]);
    case.file("runs.jsonl", "[\"sum.mlir\", \"--arg\", \"zeros:f32\"]\n");
    case.file("binary", b"\x01\x00\x02\x00");
    case.file("elf", b"\x7fELF\x02\x01\x01");
    case.file("empty.mlir", "");
    for file in [
        "sum.ptx",
        "plan.json",
        "sum.html",
        "trace.json",
        "array.npy",
        "runs.jsonl",
        "binary",
        "elf",
        "empty.mlir",
    ] {
        for command in [
            &["run"][..],
            &["bench", "--device", "cpu"],
            &["compile"],
            &["explain"],
            &["validate"],
            &["report", "-o", "page.html"],
        ] {
            let output = case.tx(&[command, &[file]].concat());
            assert_eq!(status(&output), 1, "{command:?} {file}");
            let said = stderr(&output);
            assert!(
                said.starts_with(&format!("{file}:")) && said.contains("error: "),
                "{command:?}: {}",
                stderr(&output)
            );
        }
    }
}

#[test]
fn unknown_names_list_the_known_ones() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    for args in [
        &["compile", "sum.mlir", "--chip", "sm_1"][..],
        &["doctor", "--chip", "sm_1"],
    ] {
        let output = case.tx(args);
        assert_eq!(status(&output), 1);
        assert!(
            stderr(&output).starts_with("tx: error: ")
                && stderr(&output).contains("unknown chip `sm_1`; known chips: sm_80")
        );
    }
    let output = case.tx(&["compile", "sum.mlir", "--entry", "other"]);
    assert_eq!(status(&output), 1);
    assert!(
        stderr(&output).contains("no entry named `other`") && stderr(&output).contains("`sum`"),
        "{}",
        stderr(&output)
    );
}

/// Text that is nested too deeply is rejected at its location. The maximum depth compiles.
#[test]
fn texts_may_be_nested_so_deep() {
    let case = Case::new();
    let nested = |levels: usize| {
        let [open, close] = ["scf.if %c {\n", "}\n"].map(|text| text.repeat(levels));
        format!(
            "gpu.module @m {{\ngpu.func @k(%B: memref<f32>, %c: i1) kernel attributes \
             {{known_block_size = array<i32: 32, 1, 1>}} {{\n\
             %x = arith.constant 1.0 : f32\n{open}memref.store %x, %B[] : \
             memref<f32>\n{close}gpu.return\n}}\n}}\n"
        )
    };
    case.file("deep.mlir", nested(253));
    let output = case.tx(&["compile", "deep.mlir"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let refused_at = |place: &str| {
        let refused = case.tx(&["compile", "deeper.mlir"]);
        assert_eq!(status(&refused), 1);
        let said = stderr(&refused);
        let told = format!("deeper.mlir:{place}: error: nested more than 256 levels deep");
        let advised = said.contains("note: move the inner part into a function");
        let is_told = said.contains(&told) && advised && said.contains("TX0038");
        assert!(is_told, "{said:.999}");
    };
    for levels in [255, 100_000] {
        case.file("deeper.mlir", nested(levels));
        refused_at("258:11");
    }
    // The nesting limit also applies to minus signs and aliases, because MLIR parses them
    // recursively although they have no brackets.
    let signs = format!(
        "#m = affine_map<(d0) -> ({}d0)>\n{}",
        "-".repeat(80_000),
        nested(1)
    );
    let chain = (1..80_000).map(|i| format!("#a{i} = [#a{}]\n", i - 1));
    let aliases = format!("#a0 = 1\n{}{}", chain.collect::<String>(), nested(1));
    for (text, place) in [(signs, "1:26"), (aliases, "130:10")] {
        case.file("deeper.mlir", text);
        refused_at(place);
    }
}

/// An output must not overwrite the program or another output, even if the two paths differ.
#[test]
fn results_take_no_file_that_is_needed() {
    let case = Case::new();
    let file = case.file("sum.mlir", SUM);
    let run = [
        "run",
        "sum.mlir",
        "--arg",
        "zeros:1x1xf32",
        "--arg",
        "zeros:1xf32",
    ];
    let program = "the output file is the input program, which would be overwritten";
    for (args, said) in [
        (&["compile", "sum.mlir", "-o", "sum.mlir"][..], program),
        (
            &["compile", "sum.mlir", "-o", "x.ptx", "--plan", "./sum.mlir"],
            program,
        ),
        (&["report", "sum.mlir", "-o", "sum.mlir"], program),
        (&[&run[..], &["--ptx", "sum.mlir"]].concat(), program),
        (
            &["--trace", "sum.mlir", "compile", "sum.mlir"],
            "the trace file is another file of this command, which would be overwritten",
        ),
        (
            &["compile", "sum.mlir", "-o", "x.ptx", "--plan", "x.ptx"],
            "two outputs have this path, so one output would be overwritten",
        ),
    ] {
        let output = case.tx(args);
        assert_eq!(status(&output), 1, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(said),
            "{args:?}: {}",
            stderr(&output)
        );
    }
    let kept = fs::read_to_string(file).expect("the program");
    assert_eq!(kept, SUM);
}

/// An unwritable output is reported before any work. A directory given by an option is created.
#[test]
fn files_need_a_folder() {
    let case = Case::new();
    case.file("race.mlir", RACE);
    let arg = ["--arg", "zeros:1xi64"];
    let run = [&["--device", "cpu"], &arg[..]].concat();
    for (command, option, file, more) in [
        ("run", "--out", "0=absent/x.npy", &run[..]),
        ("run", "--ptx", "absent/x.ptx", &run),
        ("tune", "-o", "absent/x.mlir", &run),
        ("compile", "-o", "absent/x.ptx", &[]),
        ("compile", "--plan", "absent/x.json", &[]),
        ("report", "-o", "absent/x.html", &arg),
        ("compile", "--trace", "absent/x.json", &[]),
    ] {
        let output = case.tx(&[&[command, "race.mlir", option, file][..], more].concat());
        let file = file.trim_start_matches("0=");
        fails(
            &output,
            1,
            &format!(
                "tx: error: {file}: the folder `absent` does not exist: create it with `mkdir -p \
                 absent`\n"
            ),
        );
    }
    for args in [
        &["man", "--dir", "new/man/man1"][..],
        &[
            "compile",
            "race.mlir",
            "-o",
            "x.ptx",
            "--cache",
            "new/kept/here",
        ],
    ] {
        let output = case.tx(args);
        assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    }
    for made in ["new/man/man1/tx.1", "new/kept/here"] {
        assert!(case.folder.path().join(made).exists(), "{made}");
    }
}

/// A compiled program is read from the cache, except for timing. A damaged cache entry is compiled
/// again, and an unusable cache does not prevent compilation.
#[test]
fn takes_what_it_compiled_before() {
    let case = Case::new();
    let other = SUM.replace("reduce sum", "reduce max");
    let [sum, max] = [("sum.mlir", SUM), ("max.mlir", &other)].map(|(name, program)| {
        case.file(name, program);
        stdout(&case.tx(&["compile", name]))
    });
    let kept = |folder: &str| -> Vec<PathBuf> {
        let shares = fs::read_dir(case.folder.path().join(folder))
            .into_iter()
            .flatten();
        let files = shares.flat_map(|share| fs::read_dir(share.expect("a folder").path()));
        files
            .flatten()
            .map(|file| file.expect("a file").path())
            .collect()
    };
    let cached = |name: &str| stdout(&case.tx(&["compile", name, "--cache", "kept"]));
    assert_eq!(cached("sum.mlir"), sum);
    let [file] = &kept("kept")[..] else {
        panic!("{:?}", kept("kept"));
    };
    let [first, doctor] = [&["compile", "max.mlir"][..], &["doctor"]].map(|command| {
        let output = case.command(command).env("TX_CACHE", "other").output();
        stdout(&output.expect("tx starts"))
    });
    assert_eq!(first, max);
    assert!(
        doctor.contains("other: 1 programs in 1 of 512 MiB"),
        "{doctor}"
    );
    // The cache trusts its entries: a copied entry is used.
    fs::copy(&kept("other")[0], file).expect("a copy");
    assert_eq!(cached("sum.mlir"), max);
    let timed = ["compile", "sum.mlir", "--cache", "kept", "--time"];
    assert_eq!(stdout(&case.tx(&timed)), sum);
    fs::write(file, "damaged").expect("a file");
    assert_eq!(cached("sum.mlir"), sum);
    assert_eq!(cached("sum.mlir"), sum);
    assert_eq!(kept("kept").len(), 1);
    let output = case.tx(&["compile", "sum.mlir", "--cache", "sum.mlir"]);
    assert_eq!((status(&output), stdout(&output)), (0, sum.clone()));
    // `off` disables the cache, in upper or lower case. `tx` prints an error for ambiguous names
    // such as `none`.
    let given = |value: &str| {
        let mut command = case.command(&["compile", "sum.mlir"]);
        command.env("TX_CACHE", value).output().expect("tx starts")
    };
    for off in ["OFF", "Off", " off"] {
        assert_eq!(stdout(&given(off)), sum);
        assert!(!case.folder.path().join(off).exists());
    }
    for unclear in ["0", "False", "none", "on"] {
        fails(
            &given(unclear),
            2,
            &format!(
                "tx: error: TX_CACHE: found `{unclear}`, expected `off` or a folder to keep \
                 compiled programs in; write `./{unclear}` for a folder of this name\n"
            ),
        );
    }
    fails(
        &case.tx(&["compile", "sum.mlir", "--cache", ""]),
        2,
        "tx: error: --cache: found ``, expected `off` or a folder to keep compiled programs in\n",
    );
    // If the environment variable `TX_CACHE` is empty, `tx` uses the user's cache directory.
    let home = case.folder.path().join("home");
    let output = case
        .command(&["compile", "sum.mlir"])
        .env("TX_CACHE", "")
        .env("XDG_CACHE_HOME", &home)
        .output();
    let output = output.expect("tx starts");
    assert_eq!(status(&output), 0);
    assert!(
        stderr(&output).starts_with("tx: TX_CACHE is empty"),
        "{}",
        stderr(&output)
    );
    assert_eq!(kept("home/tx").len(), 1);
}

#[test]
fn a_cache_that_cannot_be_written_is_told_of() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let run = r#"["sum.mlir", "--arg", "zeros:128xf32", "--arg", "zeros:f32", "--device", "cpu"]"#;
    case.file("runs.jsonl", format!("{run}\n{run}\n"));
    let told = "sum.mlir/cache: compiled programs cannot be cached in this folder: Not a directory \
                (os error 20); set `--cache` or TX_CACHE to another folder, or to `off`";
    let with = |args: &[&str]| {
        let mut command = case.command(args);
        let output = command.env("TX_CACHE", "sum.mlir/cache").output();
        let output = output.expect("tx starts");
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        output
    };
    let compile = ["compile", "sum.mlir", "-o", "sum.ptx"];
    for args in [&compile[..], &["batch", "runs.jsonl"]] {
        assert_eq!(stderr(&with(args)), format!("tx: warning: {told}\n"));
        assert_eq!(stderr(&with(&[args, &["--quiet"]].concat())), "");
    }
    let json = stderr(&with(
        &[&compile[..], &["--message-format", "json"]].concat(),
    ));
    let said: serde_json::Value = serde_json::from_str(&json).expect("a line of JSON");
    assert_eq!(
        (&said["severity"], &said["message"]),
        (&"warning".into(), &told.into())
    );
    let doctor = stdout(&with(&["doctor"]));
    assert!(
        doctor.contains("not usable: sum.mlir/cache: Not a directory (os error 20); set `--cache`"),
        "{doctor}"
    );
}
