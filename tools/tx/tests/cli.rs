//! The `tx` program as scripts see it: what it prints where, and with which status it exits.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Sums 128 numbers.
const SUM: &str = "\
gpu.module @m {
  gpu.func @sum(%A: memref<128xf32>, %B: memref<f32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) : memref<128xf32> into memref<f32>
    gpu.return
  }
}
";

/// All threads write one place.
const RACE: &str = "\
gpu.module @m {
  gpu.func @race(%B: memref<1xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %t, %B[%c0] : memref<1xindex>
    gpu.return
  }
}
";

/// Every CTA stores its number times a scalar.
const BLOCKS: &str = "\
gpu.module @m {
  gpu.func @blocks(%B: memref<4xindex>, %k: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %b = gpu.block_id x
    %v = arith.muli %b, %k : index
    memref.store %v, %B[%b] : memref<4xindex>
    gpu.return
  }
}
";

struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, contents).expect("a temporary file");
        path
    }

    fn tx(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("tx starts")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
        // Folders are named relative to the temporary one, so that messages are the same on every machine.
        command
            .current_dir(self.folder.path())
            .args(args)
            .env_remove("TX_LOG")
            .env("TX_CACHE", "off")
            .stdin(Stdio::null());
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn stdout(output: &Output) -> String {
    text(&output.stdout)
}

fn stderr(output: &Output) -> String {
    text(&output.stderr)
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("it exits")
}

#[track_caller]
fn fails(output: &Output, expected: i32, message: &str) {
    assert_eq!(status(output), expected, "{}", stderr(output));
    assert_eq!(stderr(output), message);
    assert_eq!(stdout(output), "");
}

/// Wrong usage is status 2, with a message that names the option and says what was expected.
#[test]
fn wrong_usage_is_status_2() {
    let case = Case::new();
    for (args, message) in [
        (&[][..], "Usage: tx"),
        (&["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (&["run"], "<FILE.mlir>"),
        // What the environment says is no part of the usage.
        (&["run", "x.mlir", "--frob"], "Usage: tx run <FILE.mlir>\n"),
        (
            &["run", "x.mlir", "rand:4x8xf32"],
            "to pass an argument of the program, use '--arg rand:4x8xf32'\n",
        ),
        (
            &["run", "x.mlir", "-arg", "rand:4x8xf32"],
            "options have two dashes: '--arg'\n",
        ),
        (
            &["run", "x.mlir", "--arg", "ones:4xf32"],
            "`ones:4xf32` is not an argument: expected FILE.npy",
        ),
        (
            &["run", "x.mlir", "--arg", "zeros:4x8"],
            "`4x8` ends without an element type",
        ),
        (
            &["run", "x.mlir", "--out", "sums.npy"],
            "expected the index of an argument and a file, as in `1=sums.npy`",
        ),
        (
            &["run", "x.mlir", "--out", "x=sums.npy"],
            "expected the index of an argument and a file, as in `1=sums.npy`",
        ),
        (
            &["run", "x.mlir", "--grid", "0"],
            "expected one to three numbers from 1 on, as in `16,4,1`",
        ),
        (
            &["run", "x.mlir", "--grid", "1,2,3,4"],
            "expected one to three numbers from 1 on, as in `16,4,1`",
        ),
        (
            &["completions", "tcsh"],
            "[possible values: bash, zsh, fish]",
        ),
        // What belongs to a command that is not named, and what belongs to none.
        (
            &["fuzz", "--seconds", "3"],
            "'--seconds' is an option of `tx fuzz modules`, `tx fuzz text`, `tx fuzz show`\n",
        ),
        (
            &["fuzz", "--frob"],
            "the commands are `tx fuzz modules`, `tx fuzz text`, `tx fuzz replay`, `tx fuzz show`\n",
        ),
        (
            &["fuzz", "modules", "--seconds"],
            "Usage: tx fuzz modules [OPTIONS]\n",
        ),
        (
            &["run", "x.mlir", "--arg"],
            "Usage: tx run [OPTIONS] <FILE.mlir>\n",
        ),
        (
            &["--log", "tx=loud", "doctor"],
            "`tx=loud` is not a log filter",
        ),
        (
            &["--log", "tx_runtime=debug,inof", "doctor"],
            "`inof` is no level of log messages: did you mean `info`?",
        ),
        (
            &["explain", "0001"],
            "`0001` is no code, and there is no such file",
        ),
    ] {
        let output = case.tx(args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(
            stderr(&output).contains(message),
            "{args:?}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "", "{args:?}");
    }
    case.file("sum.mlir", SUM);
    fails(
        &case.tx(&["run", "sum.mlir", "--device", "gpu"]),
        2,
        "tx: error: unknown device `gpu`; expected `auto`, `cpu`, `cuda` or `cuda:N`\n",
    );
}

/// Help goes to standard output, shows examples, and lists only what there is.
#[test]
fn help_shows_examples() {
    let case = Case::new();
    let help = stdout(&case.tx(&["--help"]));
    for command in ["run", "compile", "doctor", "completions"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
        let output = case.tx(&[command, "--help"]);
        assert_eq!(status(&output), 0);
        assert!(
            stdout(&output).contains(&format!("Examples:\n  tx {command}")),
            "{}",
            stdout(&output)
        );
    }
    assert_eq!(
        stdout(&case.tx(&["--version"])),
        format!("tx {}\n", env!("CARGO_PKG_VERSION"))
    );
}

/// A program of another compiler says its own name, not that of this one, wherever it names itself.
#[cfg(unix)]
#[test]
fn a_program_is_called_as_it_was_started() {
    let case = Case::new();
    let own = case.folder.path().join("my-tx");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tx"), &own).expect("a link");
    let run = |args: &[&str]| {
        let mut command = Command::new(&own);
        command
            .current_dir(case.folder.path())
            .args(args)
            .env("TX_CACHE", "off");
        command.output().expect("it starts")
    };
    // What is left of `tx` once its own name, which shells write in their way, and those of others are taken out.
    let strangers = |text: &str| {
        let text = [
            "my-tx",
            "my__tx",
            "my_tx",
            "tx-opt",
            "tx_runtime",
            "tx-theme",
        ]
        .iter()
        .fold(text.replace("\\-", "-"), |text, name| {
            text.replace(name, "")
        });
        let word = |text: &str, at: usize| {
            let is_letter = |c: char| c.is_alphanumeric();
            !text[..at].ends_with(is_letter) && !text[at + 2..].starts_with(is_letter)
        };
        let found = text.match_indices("tx").find(|(at, _)| word(&text, *at));
        found.map(|(at, _)| text[at..].chars().take(60).collect::<String>())
    };
    case.file("sum.mlir", SUM);
    case.file("bad.mlir", SUM.replace("axes [0]", "axes [7]"));
    case.file("runs.jsonl", "[\"--frob\"]\n");
    for args in [
        &["--help"][..],
        &["--version"],
        &["frobnicate"],
        &["run", "sum.mlir", "--frob"],
        &["run", "--help"],
        &["fuzz", "--help"],
        &["fuzz", "text", "--help"],
        &["report", "--help"],
        &["completions", "--help"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
        &["man"],
        &["man", "--dir", "pages"],
        &["compile", "none.mlir"],
        &["compile", "bad.mlir"],
        &["compile", "bad.mlir", "--message-format", "json"],
        &["explain", "TX0001"],
        &["explain", "TX9999"],
        &["batch", "runs.jsonl"],
        &["explain", "sum.mlir"],
        &["report", "bad.mlir", "-o", "-", "--no-validate"],
        &[
            "run",
            "sum.mlir",
            "--device",
            "cpu",
            "--arg",
            "zeros:128xf32",
            "--arg",
            "zeros:f32",
        ],
        &["fuzz", "modules", "--cases", "2", "--progress", "always"],
        &["fuzz", "replay", "none.json"],
    ] {
        let output = run(args);
        for text in [stdout(&output), stderr(&output)] {
            assert_eq!(strangers(&text), None, "{args:?}: {text}");
        }
    }
    // Completions find the options of a command, also where the name has a hyphen.
    fs::write(
        case.folder.path().join("own.bash"),
        run(&["completions", "bash"]).stdout,
    )
    .expect("written");
    let bash = "source own.bash; COMP_WORDS=(my-tx run --dev); COMP_CWORD=2; _my__tx my-tx --dev run; echo ${COMPREPLY[@]}";
    if let Ok(output) = Command::new("bash")
        .args(["-c", bash])
        .current_dir(case.folder.path())
        .output()
    {
        assert_eq!(stdout(&output), "--device\n", "{}", stderr(&output));
    }
    for page in fs::read_dir(case.folder.path().join("pages")).expect("pages") {
        let path = page.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(name.starts_with("my-tx"), "{name}");
        let text = fs::read_to_string(&path).expect("a page");
        assert_eq!(strangers(&text), None, "{text}");
    }
}

/// How often each variant is chosen for the programs of a run, also those that never are.
#[test]
fn fuzzing_counts_variants() {
    let case = Case::new();
    let run = |jobs: &str| stdout(&case.tx(&["fuzz", "modules", "--cases", "12", "--jobs", jobs]));
    let text = run("1");
    let counts: Vec<u64> = text
        .lines()
        .filter_map(|line| {
            line.strip_prefix("chosen ")?
                .split('x')
                .next()?
                .parse()
                .ok()
        })
        .collect();
    assert!(counts.len() >= 8 && counts[0] > 0, "{text}");
    assert!(counts.is_sorted_by(|a, b| a >= b), "{text}");
    assert_eq!(run("2"), text);
}

/// How to get an assembler is said once, however many programs there are.
#[test]
fn validation_says_once_how_to_get_ptxas() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    // It is looked for where the program was built, too.
    let away = case.folder.path().join("tx");
    fs::copy(env!("CARGO_BIN_EXE_tx"), &away).expect("a copy");
    let output = Command::new(&away)
        .current_dir(case.folder.path())
        .args(["validate", "sum.mlir", "sum.mlir"])
        .args(["--arg", "zeros:128xf32", "--arg", "zeros:f32"])
        .env("PATH", "")
        .output()
        .expect("tx starts");
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let said = stdout(&output);
    assert_eq!(
        said.matches("; not assembled: there is no ptxas\n").count(),
        2,
        "{said}"
    );
    assert_eq!(said.matches("cargo xtask setup").count(), 1, "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("There is no ptxas, and no PTX was assembled: `cargo xtask setup`"),
        "{said}"
    );
}

/// A kernel that says what each thread does chooses nothing, and what is in it is told.
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
        "kernel `tree`: 1 loop, 0 barriers as it came and 2 in the end, 0 exchanges in a warp, 0 atomics, 1 array in shared memory\n"
    );
    let said = stderr(&output);
    for part in ["nothing to explain", "`tx report` draws", "`tx validate`"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Which device is used is said once, however many runs there are.
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

/// The command that was meant is the one that takes the fewest changes, of those that stand at this place.
#[test]
fn misspelt_commands_are_known() {
    let case = Case::new();
    for (args, tip) in [
        (
            &["cmpile"][..],
            Some("a similar subcommand exists: 'compile'"),
        ),
        (&["exlpain"], Some("a similar subcommand exists: 'explain'")),
        (&["rnu"], Some("a similar subcommand exists: 'run'")),
        (
            &["--quiet", "fuzz", "modle"],
            Some("a similar subcommand exists: 'modules'"),
        ),
        (&["worker"], None),
        (&["fuzz", "workr"], None),
    ] {
        let output = case.tx(args);
        assert_eq!(status(&output), 2);
        let said = stderr(&output);
        let found = said.lines().find_map(|line| line.strip_prefix("  tip: "));
        assert_eq!(found, tip, "{said}");
    }
}

/// Whatever is said, programs that ask for JSON read nothing else.
#[test]
fn all_messages_are_json() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let json = ["--message-format", "json"];
    for (args, part) in [
        (
            &["validate", "sum.mlir", "--progress", "always"][..],
            "validate: 0 of 1",
        ),
        (
            &["compile", "sum.mlir", "--log", "debug"],
            "tile-select-variant",
        ),
        (
            &[
                "compile",
                "sum.mlir",
                "--log",
                "debug",
                "--progress",
                "always",
                "--time",
            ],
            "total",
        ),
        (
            &[
                "run",
                "sum.mlir",
                "--arg",
                "zeros:128xf32",
                "--arg",
                "zeros:f32",
            ],
            "running on",
        ),
    ] {
        let output = case.tx(&[args, &json].concat());
        assert_eq!(status(&output), 0, "{args:?}");
        let said = stderr(&output);
        let has_part = said.lines().any(|line| {
            let value: serde_json::Value = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{args:?}: {error}: {line}"));
            assert_eq!(value["severity"], "remark", "{line}");
            let message = value["message"].as_str().expect("a message");
            // Who speaks is no part of what is said.
            assert!(!message.starts_with("tx: "), "{line}");
            message.contains(part)
        });
        assert!(has_part, "{args:?}: {said}");
        assert!(!said.contains("\\u001b"), "{said}");
    }
}

/// A text that is nested deeper than the stack holds is refused where it is, and as deep as allowed it compiles.
#[test]
fn texts_may_be_nested_so_deep() {
    let case = Case::new();
    let nested = |levels: usize| {
        let [open, close] = ["scf.if %c {\n", "}\n"].map(|text| text.repeat(levels));
        format!(
            "gpu.module @m {{\ngpu.func @k(%B: memref<f32>, %c: i1) kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{\n\
             %x = arith.constant 1.0 : f32\n{open}memref.store %x, %B[] : memref<f32>\n{close}gpu.return\n}}\n}}\n"
        )
    };
    case.file("deep.mlir", nested(253));
    let output = case.tx(&["compile", "deep.mlir"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    for levels in [255, 100_000] {
        case.file("deeper.mlir", nested(levels));
        fails(
            &case.tx(&["compile", "deeper.mlir"]),
            1,
            "deeper.mlir:258:11: error: nested more than 256 levels deep\nscf.if %c {\n          ^\n",
        );
    }
}

/// Without programs of anybody's, random ones are damaged.
#[test]
fn text_is_fuzzed_anywhere() {
    let case = Case::new();
    let output = case.tx(&["fuzz", "text", "--cases", "8", "--seconds", "60"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("8 cases: "), "{}", stdout(&output));
}

/// Arguments that memory does not hold are refused before they are made: a system that promises more than it has would end the
/// process. No machine has 2^46 bytes, and none refuses them where it is asked for.
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
        let wanted = "tx: error: not enough memory for the arguments: they take 65536.0 GiB, 2 times where they run, and ";
        assert!(said.contains(wanted), "{command:?}: {said}");
        assert!(
            said.ends_with(" GiB are available\n"),
            "{command:?}: {said}"
        );
    }
}

/// Help that nobody gets is no success.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let case = Case::new();
    for args in [
        &["--help"][..],
        &["run", "-h"],
        &["--version"],
        &["help", "fuzz"],
    ] {
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("a device");
        let output = case.command(args).stdout(full).output().expect("tx starts");
        assert_eq!(status(&output), 1, "{args:?}");
        assert!(
            stderr(&output).starts_with("tx: error: cannot write standard output: "),
            "{args:?}"
        );
    }
}

/// A page has everything, and without times it is the same every time.
#[test]
fn reports_are_pages() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let page = |name: &str, more: &[&str]| {
        let output = case.tx(&[&["report", "sum.mlir", "-o", name], more].concat());
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        fs::read_to_string(case.folder.path().join(name)).expect("a page")
    };
    let first = page("a.html", &["--no-times"]);
    assert_eq!(first, page("b.html", &["--no-times"]));
    for part in [
        "<!DOCTYPE html>",
        "Entry <code>@sum</code>",
        "</span> Valid: after every pass",
        "</span> equal within order</span>",
        "Shuffle: each lane with the one at distance 16 (xor), then arith.addf",
        "Barrier of the block (gpu.barrier)",
        "✓ chosen",
        "id=line-4",
        "<a href=\"#ptx-",
    ] {
        assert!(first.contains(part), "{part}");
    }
    assert!(!first.contains("id=times"));
    let timed = page("c.html", &["--no-validate", "--chip", "sm_90"]);
    assert!(timed.contains("id=times") && !timed.contains("id=check"));
    assert!(timed.contains("Chip <code>sm_90</code>"));
    // What takes little time is run with all inputs, what takes long with some, and that is said.
    let few = "These inputs are the first of many: <code>--all-inputs</code>";
    let all = page("d.html", &["--no-times", "--all-inputs"]);
    assert!(first == all && !first.contains(few));
    case.file("rows.mlir", ROWS);
    let output = case.tx(&["report", "rows.mlir", "-o", "-", "--no-times"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains(few));
    // Given inputs, and standard output.
    let args = ["--arg", "rand:128xf32", "--arg", "zeros:f32"];
    let output = case.tx(&[&["report", "sum.mlir", "-o", "-"], &args[..]].concat());
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("the arguments given"));
}

/// Instructions know their line in reports alone.
#[test]
fn ptx_has_no_locations_elsewhere() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let ptx = stdout(&case.tx(&["compile", "sum.mlir"]));
    assert!(ptx.contains("ret;"), "{ptx}");
    assert!(!ptx.contains(".loc") && !ptx.contains("debug"), "{ptx}");
    let page = stdout(&case.tx(&["report", "sum.mlir", "--no-validate", "-o", "-"]));
    assert!(
        page.contains("Beside each instruction stands the line of the program that it comes from.")
    );
    assert!(
        !page.contains("This is PTX with locations"),
        "it is other PTX than that of `tx compile`"
    );
}

/// A program that is refused gets a page that says so; one that does what it must not, too.
#[test]
fn reports_of_bad_programs_say_what_is_wrong() {
    let case = Case::new();
    let read = |name: &str| fs::read_to_string(case.folder.path().join(name)).expect("a page");
    case.file(
        "refused.mlir",
        SUM.replace("scope(cta)", "scope(cta) {variant = \"local\"}"),
    );
    let output = case.tx(&["report", "refused.mlir", "-o", "refused.html"]);
    assert_eq!(status(&output), 1);
    assert!(
        stderr(&output)
            .starts_with("refused.mlir:4:5: error: variant `local` cannot lower this reduction"),
        "{}",
        stderr(&output)
    );
    let page = read("refused.html");
    assert!(page.contains("id=refused") && page.contains("id=stage-0"));
    assert!(page.contains("variant <code>local</code> cannot lower this reduction"));

    case.file("broken.mlir", "gpu.module @m {");
    let output = case.tx(&["report", "broken.mlir", "-o", "broken.html"]);
    assert_eq!(status(&output), 1);
    assert!(
        stderr(&output).starts_with("broken.mlir:1:"),
        "{}",
        stderr(&output)
    );
    assert!(read("broken.html").contains("The program cannot be read."));

    case.file("race.mlir", RACE);
    let output = case.tx(&["report", "race.mlir", "-o", "race.html"]);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("RACE"), "{}", stderr(&output));
    assert!(read("race.html").contains("Not valid: see"));
}

/// What is asked for in the wrong way, and where a page cannot be.
#[test]
fn reports_that_cannot_be_made() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let quick = ["report", "sum.mlir", "--no-validate"];
    fails(
        &case.tx(&[&quick[..], &["-o", "absent/sum.html"]].concat()),
        1,
        "tx: error: absent/sum.html: there is no folder `absent`: create it, as with `mkdir -p absent`\n",
    );
    fails(
        &case.tx(&["report", "absent.mlir", "-o", "sum.html"]),
        1,
        "tx: error: absent.mlir: No such file or directory (os error 2)\n",
    );
    fails(
        &case.tx(&["report", "sum.mlir", "-o", "a.html", "--arg", "zeros:3xf32"]),
        1,
        "tx: error: sum.mlir: found 1 argument, expected 2: @sum(memref<128xf32>, memref<f32>)\n",
    );
    assert!(!case.folder.path().join("a.html").exists());
    for (args, message) in [
        (&["report", "sum.mlir"][..], "--output <FILE.html>"),
        (
            &[
                "report",
                "sum.mlir",
                "-o",
                "-",
                "--no-validate",
                "--arg",
                "1",
            ],
            "cannot be used with",
        ),
    ] {
        let output = case.tx(args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

/// Files that cannot be read are status 1, and named.
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
            "tx: error: absent.mlir: No such file or directory (os error 2)\n",
        );
        fails(
            &case.tx(&[command, "."]),
            1,
            "tx: error: .: Is a directory (os error 21)\n",
        );
    }
    for (arg, message) in [
        (
            "absent.npy",
            "absent.npy: No such file or directory (os error 2)",
        ),
        ("folder.npy", "folder.npy: Is a directory (os error 21)"),
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

/// Programs that are no MLIR, or break a rule, are status 1 with a location and the line.
#[test]
fn refused_programs_are_diagnosed() {
    let case = Case::new();
    case.file("bad.mlir", SUM.replace("axes [0]", "axes [3]"));
    case.file(
        "garbage.mlir",
        (0..=255).cycle().take(5000).collect::<Vec<u8>>(),
    );
    case.file("empty.mlir", "");
    case.file("array.npy", &b"\x93NUMPY\x01\x00\x06\x00{}"[..]);
    for command in ["run", "compile", "explain", "validate"] {
        fails(
            &case.tx(&[command, "array.npy"]),
            1,
            "array.npy: error: this is a NumPy array, not a program\n",
        );
    }
    for command in ["run", "compile"] {
        fails(
            &case.tx(&[command, "bad.mlir"]),
            1,
            "bad.mlir:4:5: error: 'tile.reduce' op axis 3 is out of range for rank 1\n    \
             tile.reduce sum %A into %B axes [3] scope(cta) : memref<128xf32> into memref<f32>\n    ^\n\
             bad.mlir:4:5: note: a tile of rank 1 has the axis 0, which is also -1\n  = TX0001: tx explain TX0001\n",
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

/// A chip or an entry that is not there is status 1, with what there is.
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

/// Compiling writes PTX and a plan, to standard output or to files, and times on request.
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
    // `-` is standard output, which holds one of the two.
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
        "tx: error: absent/sum.ptx: there is no folder `absent`: create it, as with `mkdir -p absent`\n",
    );
}

/// A CUDA toolkit that the environment names is left alone: what is compiled is told by the program and the options.
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

/// A program can come through a pipe.
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

/// A run prints what was written, or writes it to files and prints nothing.
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
    // What is run is what `tx compile` compiles.
    let chip = ["--chip", "sm_90"];
    let output = case.tx(&[&run[..], &chip, &["--ptx", "run.ptx"]].concat());
    assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
    let output = case.tx(&[&["compile", "sum.mlir", "-o", "-"][..], &chip].concat());
    let ptx = fs::read_to_string(case.folder.path().join("run.ptx")).expect("run.ptx");
    assert_eq!(stdout(&output), ptx);
    // What was written can be read again.
    let output = case.tx(&[
        "run", "sum.mlir", "--device", "cpu", "--arg", "x.npy", "--arg", "sum.npy",
    ]);
    assert_eq!(stdout(&output), "argument 1: f32\n64.0\n");
    // `-` is standard output here too.
    let output = case.tx(&[&run[..], &["--out", "1=-"]].concat());
    let sum = fs::read(case.folder.path().join("sum.npy")).expect("sum.npy");
    assert_eq!((status(&output), output.stdout), (0, sum));
    assert!(!case.folder.path().join("-").exists());
}

/// No result takes the place of the program, by whatever path, or of another result.
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
    let program = "it is the program, which would be lost";
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
            "it is a file of this command, which would be lost",
        ),
        (
            &["compile", "sum.mlir", "-o", "x.ptx", "--plan", "x.ptx"],
            "two results go there, of which one would be lost",
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

/// Where results cannot be written is said before they are computed, whichever option names the file. A folder that is named itself
/// is made.
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
                "tx: error: {file}: there is no folder `absent`: create it, as with `mkdir -p absent`\n"
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

/// `auto` says on standard error which device it took, and why.
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

/// Scalars, negative ones too, and a grid reach the kernel.
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

/// Unsigned integers of a file are called and shown as such, and are so in the file that is written.
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

/// Arguments that do not fit are status 1, and said to by index, with what was found and expected.
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
             tx: note: there is one `--arg` for each, in order",
        ),
        (
            &["zeros:128xf32", "zeros:f32", "1"],
            "found 3 arguments, expected 2: @sum(memref<128xf32>, memref<f32>)\n\
             tx: note: there is one `--arg` for each, in order",
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
            "argument 1: found the number 7, expected memref<f32>; an array of rank 0 is written `full:7:f32`",
        ),
    ] {
        fails(&run(args), 1, &format!("tx: error: {message}\n"));
    }
    // A file is named, with how to make one that fits.
    let array = tx_runtime::Array::zeros(tx_plan::ElementType::F64, vec![128]).expect("an array");
    tx_runtime::write_npy(&case.folder.path().join("x.npy"), &array).expect("x.npy");
    fails(
        &run(&["x.npy", "zeros:f32"]),
        1,
        "tx: error: argument 0: found an array 128xf64, expected memref<128xf32>\n\
         tx: note: argument 0 is x.npy; NumPy converts it with `.astype(\"float32\")`\n",
    );
    // So they are by `tx validate`: no pass is to blame, and neither is the program, whose line is shown.
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
            "rows.mlir:2:3: error: arg0.dim0 is 4, arg1.dim0 is 7: dimension 0 of operand 0 and dimension 0 of operand 1 \
             are one dimension of the reduction (expected arg0.dim0 == arg1.dim0)\n  \
             tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>\n  ^\n",
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
        "tx: error: --out 2=x.npy: there is no argument 2: `sum` takes 2, expected the index of a memref argument\n",
    );
}

/// A loop without an end is ended after so many steps, on every machine after as many, and told with its place.
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
            &["run", "--device", "cpu"][..],
            "after 268470272 steps of all threads (kernel `spin`)",
            "tx: note: if it does end, `--steps` allows it more steps\n",
        ),
        (
            &["run", "--device", "cpu", "--steps", "5000"],
            "after 5000 steps of all threads (kernel `spin`)",
            "tx: note: if it does end, `--steps` allows it more steps\n",
        ),
        (
            &["validate"],
            "the program does what it must not",
            "note: if it does end, `tx validate --steps` allows it more steps\n",
        ),
    ] {
        let output = case.tx(&[&command[..1], &["spin.mlir"], &arg, &command[1..]].concat());
        let said = stderr(&output);
        assert_eq!(status(&output), 3, "{said}");
        for part in [after, note, "= TX0806"] {
            assert!(said.contains(part), "{command:?}: {said}");
        }
        let all = said + &stdout(&output);
        // Device code has where it goes back.
        let place = if command[0] == "run" {
            "at spin.mlir:8:7"
        } else {
            "`scf.while` at spin.mlir:4:5"
        };
        assert!(
            all.contains(&format!("no end in sight: the loop {place} ")),
            "{all}"
        );
    }
    // What ends has as many steps as it asks for.
    let ends = endless
        .replace("scf.while : () -> () {", "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%n = arith.constant 1000 : index\nscf.for %i = %c0 to %n step %c1 {")
        .replace("      %true = arith.constant true\n", "")
        .replace("      scf.condition(%true)\n    } do {\n      scf.yield\n", "");
    case.file("ends.mlir", ends);
    let run = [&["run", "ends.mlir", "--device", "cpu"][..], &arg].concat();
    for (steps, expected) in [("10000", 3), ("1000000", 0)] {
        let output = case.tx(&[&run[..], &["--steps", steps]].concat());
        assert_eq!(status(&output), expected, "{}", stderr(&output));
    }
}

/// A race is status 3, at its source location.
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
    // The line is shown, and the op at the other end of the race only where it is another one.
    assert!(
        stderr(&output).contains(
            "\n    memref.store %t, %B[%c0] : memref<1xindex>\n    ^\nrace.mlir:5:5: note: several threads access one byte"
        ),
        "{}",
        stderr(&output)
    );
}

/// A program that reads messages is told what a check has found, and where.
#[test]
fn findings_have_a_place() {
    let case = Case::new();
    case.file("race.mlir", RACE);
    let output = case.tx(&["validate", "race.mlir", "--message-format", "json"]);
    assert_eq!(status(&output), 3);
    let said = stderr(&output);
    let finding: serde_json::Value =
        serde_json::from_str(said.lines().next().unwrap_or_default()).expect(&said);
    let text = "@race: `tile-insert-sync` leaves accesses unordered";
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["message"], text);
    assert_eq!(finding["file"], "race.mlir");
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&5.into(), &5.into())
    );
    let verdict = finding["notes"][0]["message"].as_str().unwrap_or_default();
    assert!(
        verdict.starts_with("tile-insert-sync: RACE: race on global memory"),
        "{said}"
    );
    // People have the verdict in the table.
    let output = case.tx(&["validate", "race.mlir"]);
    assert!(
        stderr(&output).starts_with(&format!(
            "race.mlir:5:5: error: {text}\nnote: barriers between two ops"
        )),
        "{}",
        stderr(&output)
    );
}

/// What was compiled before is taken from the cache, wherever that is; not so what is timed. What is damaged there is compiled
/// again, and where nothing can be kept the program is compiled all the same.
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
    // With another program in its place, that one is taken.
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
    // Who wants none gets none, in any case of letters, and what may mean that or another thing is told.
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
                "tx: error: TX_CACHE: found `{unclear}`, expected `off` or a folder to keep compiled programs in; \
                 one of this name is `./{unclear}`\n"
            ),
        );
    }
    fails(
        &case.tx(&["compile", "sum.mlir", "--cache", ""]),
        2,
        "tx: error: --cache: found ``, expected `off` or a folder to keep compiled programs in\n",
    );
    // An empty variable is none: the user's folder.
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

/// A cache that cannot be written to is told of once, and by the doctor, and stops nobody.
#[test]
fn a_cache_that_cannot_be_written_is_told_of() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let run = r#"["sum.mlir", "--arg", "zeros:128xf32", "--arg", "zeros:f32", "--device", "cpu"]"#;
    case.file("runs.jsonl", format!("{run}\n{run}\n"));
    let told = "sum.mlir/cache: what is compiled cannot be kept here: Not a directory (os error 20); \
                `--cache` and TX_CACHE take another folder, or `off`";
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
        doctor.contains("not usable: sum.mlir/cache: Not a directory (os error 20); `--cache`"),
        "{doctor}"
    );
}

/// The doctor never fails for what is missing, and says how to get it; a chip gets its table.
#[test]
fn the_doctor_reports() {
    let case = Case::new();
    let output = case.tx(&["doctor"]);
    assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
    for name in ["tx ", "LLVM ", "cpu ", "CUDA ", "ptxas ", "cache "] {
        assert!(
            stdout(&output).lines().any(|line| line.starts_with(name)),
            "{}",
            stdout(&output)
        );
    }
    let output = case
        .command(&["doctor"])
        .env("PATH", "")
        .output()
        .expect("tx starts");
    assert_eq!(status(&output), 0);
    let output = case.tx(&["doctor", "--chip", "nonsense"]);
    assert_eq!(status(&output), 1);
    let said = stderr(&output);
    assert!(
        said.starts_with("tx: error: unknown chip `nonsense`; known"),
        "{said}"
    );
    assert!(said.ends_with("  = TX0501: tx explain TX0501\n"), "{said}");
    let output = stdout(&case.tx(&["doctor", "--chip", "sm_90"]));
    assert!(
        output.contains("compute capability") && output.contains("9.0"),
        "{output}"
    );
}

/// The completion scripts are those of the shells.
#[test]
fn completes() {
    let case = Case::new();
    for (shell, sign) in [
        ("bash", "complete -F _tx"),
        ("zsh", "#compdef tx"),
        ("fish", "complete -c tx"),
    ] {
        let output = case.tx(&["completions", shell]);
        assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
        assert!(stdout(&output).contains(sign), "{shell}");
        // What programs start, users are not offered.
        assert!(!stdout(&output).contains("worker"), "{shell}");
        // Chips and devices are offered; others are taken, and refused by who knows them.
        let script = stdout(&output).replace('\\', "");
        for offered in ["sm_90a", "cuda:1"] {
            assert!(script.contains(offered), "{shell}: {offered}");
        }
    }
}

/// A reader that goes away early is no failure, and a full disk is one with a message.
#[test]
fn survives_standard_output() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    for args in [
        &["completions", "bash"][..],
        &["doctor"],
        &["compile", "sum.mlir"],
        &["--help"],
    ] {
        let mut child = case
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tx starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(
            (status(&output), stderr(&output).as_str()),
            (0, ""),
            "{args:?}"
        );
    }
    if Path::new("/dev/full").exists() {
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("it opens");
        let output = case
            .command(&["doctor"])
            .stdout(full)
            .output()
            .expect("tx starts");
        assert_eq!(status(&output), 1);
        assert!(
            stderr(&output).starts_with("tx: error: cannot write standard output: "),
            "{}",
            stderr(&output)
        );
    }
}

/// Logs are quiet until asked for, and then go to standard error.
#[test]
fn logs_on_request() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let run = [
        "run",
        "sum.mlir",
        "--device",
        "cpu",
        "--arg",
        "zeros:128xf32",
        "--arg",
        "zeros:f32",
    ];
    let by_option = case.tx(&[&run[..], &["--log", "debug"]].concat());
    let by_variable = case
        .command(&run)
        .env("TX_LOG", "debug")
        .output()
        .expect("tx starts");
    for output in [by_option, by_variable] {
        assert_eq!(stdout(&output), "argument 1: f32\n0.0\n");
        for part in ["compiling", "tile-insert-sync", "time.busy"] {
            assert!(stderr(&output).contains(part), "{}", stderr(&output));
        }
    }
}

/// A reduction of whole arrays.
const ROWS: &str = "\
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
";

/// The events of a trace, each of which has what viewers need.
fn events(case: &Case, name: &str) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(case.folder.path().join(name)).expect("a trace");
    let events: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list in JSON");
    let mut open: Vec<(u64, String)> = Vec::new();
    let mut last = 0.0;
    for event in &events {
        let time = event["ts"].as_f64().expect("a time");
        assert!(time >= last, "{event}");
        last = time;
        let name = event["name"].as_str().expect("a name").to_owned();
        let thread = event["tid"].as_u64().expect("a thread");
        match event["ph"].as_str() {
            Some("B") => open.push((thread, name)),
            Some("E") => {
                let at = open.iter().rposition(|(other, _)| *other == thread);
                let (_, begun) = open.remove(at.expect("what ends has begun"));
                assert_eq!(begun, name);
            }
            Some("i") => {}
            _ => panic!("{event}"),
        }
    }
    assert_eq!(open, [], "what begins ends");
    events
}

fn begun(events: &[serde_json::Value]) -> Vec<String> {
    let begun = events.iter().filter(|event| event["ph"] == "B");
    begun
        .map(|event| event["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// A trace names the stages, and every pass in its order; nothing else is said for it.
#[test]
fn traces_have_every_pass_and_stage() {
    let case = Case::new();
    case.file("rows.mlir", ROWS);
    let output = case.tx(&[
        "run",
        "rows.mlir",
        "--device",
        "cpu",
        "--arg",
        "rand:4x8xf32",
        "--arg",
        "zeros:4xf32",
        "--trace",
        "run.json",
    ]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    let names = begun(&events(&case, "run.json"));
    let stages = [
        "compile",
        "parse",
        "convert-linalg-to-tile",
        "tile-schedule",
        "tile-insert-sync",
        "gpu-module-to-binary",
        "load",
        "copy to device",
        "launch",
        "wait",
        "read back",
    ];
    let mut rest = names.iter();
    for stage in stages {
        assert!(
            rest.any(|name| name.starts_with(stage)),
            "{stage} is not in its place: {names:?}"
        );
    }
    // As many passes as `--time` lists stages of the compiler.
    let timed = case.tx(&[
        "compile",
        "rows.mlir",
        "--time",
        "-o",
        "rows.ptx",
        "--trace",
        "compile.json",
    ]);
    let events = events(&case, "compile.json");
    let passes = events
        .iter()
        .filter(|event| event["ph"] == "B" && event["cat"] == "pass")
        .count();
    // Neither `context`, `parse` nor `total` is a pass.
    assert_eq!(
        passes + 3,
        stderr(&timed).lines().count(),
        "{}",
        stderr(&timed)
    );
}

/// A trace is whole when the program is refused, when it fails, and when nothing was compiled.
#[test]
fn traces_end_when_programs_fail() {
    let case = Case::new();
    case.file(
        "wrong.mlir",
        "func.func @f() { %0 = \"no.op\"() : () -> () }",
    );
    case.file("race.mlir", RACE);
    let output = case.tx(&["compile", "wrong.mlir", "--trace", "wrong.json"]);
    assert_eq!(status(&output), 1);
    assert!(begun(&events(&case, "wrong.json")).contains(&"parse".to_owned()));
    let output = case.tx(&[
        "run",
        "race.mlir",
        "--device",
        "cpu",
        "--arg",
        "zeros:1xi64",
        "--trace",
        "race.json",
    ]);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(begun(&events(&case, "race.json")).contains(&"launch".to_owned()));
    case.tx(&["compile", "missing.mlir", "--trace", "missing.json"]);
    assert_eq!(begun(&events(&case, "missing.json")), [""; 0]);
}

/// A trace that cannot be written is said, with the file.
#[test]
fn traces_need_a_file() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let output = case.tx(&["compile", "sum.mlir", "--trace", "no/folder.json"]);
    fails(
        &output,
        1,
        "tx: error: no/folder.json: there is no folder `no`: create it, as with `mkdir -p no`\n",
    );
}

/// Compiling says nothing on standard error, and running no more than where; `--quiet` not even that.
#[test]
fn success_is_quiet() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let output = case.tx(&["compile", "sum.mlir", "-o", "sum.ptx"]);
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let run = [
        "run",
        "sum.mlir",
        "--arg",
        "zeros:128xf32",
        "--arg",
        "zeros:f32",
    ];
    let output = case.tx(&run);
    assert!(
        stderr(&output).starts_with("tx: running on "),
        "{}",
        stderr(&output)
    );
    let output = case.tx(&[&run[..], &["--quiet"]].concat());
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
}

/// Work of several steps tells how far it is when it is asked to, and only then where nobody watches.
#[test]
fn progress_is_for_those_who_watch() {
    let case = Case::new();
    case.file("a.mlir", SUM);
    case.file("b.mlir", SUM);
    let validate = ["validate", "a.mlir", "b.mlir"];
    let output = case.tx(&validate);
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let output = case.tx(&[&validate[..], &["--progress", "always"]].concat());
    assert_eq!(status(&output), 0);
    assert!(
        stderr(&output).starts_with("tx: validate: 0 of 2: a.mlir\n"),
        "{}",
        stderr(&output)
    );
    let output = case.tx(&[&validate[..], &["--progress", "always", "--quiet"]].concat());
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let report = ["report", "a.mlir", "-o", "page.html"];
    let output = case.tx(&report);
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let output = case.tx(&[&report[..], &["--progress", "always"]].concat());
    assert!(
        stderr(&output).starts_with("tx: report: 0 of 4: compile: parse\n"),
        "{}",
        stderr(&output)
    );
    let output = case.tx(&["fuzz", "modules", "--cases", "1", "--progress", "sometimes"]);
    assert_eq!(status(&output), 2);
    // Where nothing is found nothing is left behind.
    let output = case.tx(&["fuzz", "modules", "--cases", "1"]);
    assert_eq!(status(&output), 0, "{}", stdout(&output));
    assert!(!case.folder.path().join("fuzz-findings").exists());
}

/// On a terminal there is a bar, and when the work is done there is none.
#[test]
#[cfg(target_os = "linux")]
fn progress_on_a_terminal_vanishes() {
    let case = Case::new();
    case.file("a.mlir", SUM);
    case.file("b.mlir", SUM);
    let on_terminal = |command: &str| {
        // The program `script` gives it a terminal, and writes what would be seen.
        let line = format!("{} {command} > verdicts", env!("CARGO_BIN_EXE_tx"));
        let output = Command::new("script")
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .current_dir(case.folder.path())
            .env("TERM", "xterm")
            .stdin(Stdio::null())
            .output()
            .expect("`script`, of util-linux, starts");
        assert!(output.status.success(), "{}", stdout(&output));
        stdout(&output)
    };
    for (command, parts) in [
        (
            "validate a.mlir b.mlir",
            ["validate [", "0/2", " a.mlir: @sum"],
        ),
        (
            "report a.mlir -o page.html",
            ["report [", "/4", " compile: "],
        ),
    ] {
        let seen = on_terminal(command);
        for part in parts {
            assert!(seen.contains(part), "{part:?}: {seen:?}");
        }
        // The last thing is that its line is cleared.
        let cleared = seen.trim_end().ends_with("\u{1b}[2K");
        assert!(cleared, "{seen:?}");
    }
    assert_eq!(on_terminal("validate a.mlir b.mlir --progress never"), "");
    let verdicts = fs::read_to_string(case.folder.path().join("verdicts")).expect("verdicts");
    assert!(verdicts.contains("b.mlir: @sum"), "{verdicts}");
}

/// Runs another program, which has to be there.
fn other(command: &mut Command) -> Output {
    let name = command.get_program().to_owned();
    let output = command.stdin(Stdio::null()).output();
    output.unwrap_or_else(|error| {
        panic!(
            "{}: {error}: `cargo xtask test` installs it",
            name.display()
        )
    })
}

/// Every shell reads its completion script without a word, and then completes commands.
#[test]
fn shells_read_their_completions() {
    let case = Case::new();
    for (shell, file, use_it) in [
        (
            "bash",
            "tx.bash",
            "source tx.bash; COMP_WORDS=(tx va); COMP_CWORD=1; _tx tx va tx; echo ${COMPREPLY[@]}",
        ),
        (
            "zsh",
            "_tx",
            "autoload -Uz compinit; compinit -D -u; source ./_tx; (( $+functions[_tx] )) && functions _tx",
        ),
        ("fish", "tx.fish", "source tx.fish; complete -C 'tx va'"),
    ] {
        case.file(file, stdout(&case.tx(&["completions", shell])));
        let parsed = other(
            Command::new(shell)
                .args(["-n", file])
                .current_dir(case.folder.path()),
        );
        assert_eq!(
            (status(&parsed), stderr(&parsed)),
            (0, String::new()),
            "{shell}"
        );
        let mut command = Command::new(shell);
        // Without the user's own settings, and with a home that can be written.
        let plain = if shell == "zsh" { &["-f"][..] } else { &[] };
        command
            .args(plain)
            .args(["-c", use_it])
            .current_dir(case.folder.path())
            .env("HOME", case.folder.path());
        let used = other(&mut command);
        assert_eq!(
            (status(&used), stderr(&used)),
            (0, String::new()),
            "{shell}"
        );
        assert!(
            stdout(&used).contains("validate"),
            "{shell}: {}",
            stdout(&used)
        );
    }
}

/// There is a page for every command, and `mandoc` has nothing to say against any.
#[test]
fn manual_pages_are_well_formed() {
    let case = Case::new();
    let output = case.tx(&["man", "--dir", "man/man1"]);
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let folder = case.folder.path().join("man/man1");
    let mut pages: Vec<String> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("a page")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    pages.sort();
    for page in ["tx.1", "tx-run.1", "tx-fuzz-modules.1"] {
        assert!(
            pages.iter().any(|each| each == page),
            "{page} not in {pages:?}"
        );
    }
    assert!(
        !pages.iter().any(|page| page.contains("worker")),
        "{pages:?}"
    );
    let output = other(
        Command::new("mandoc")
            .args(["-T", "lint", "-W", "warning"])
            .args(&pages)
            .current_dir(&folder),
    );
    let said = stdout(&output);
    // Pages have no date on purpose; the others are of lists of values, and shown as they should be.
    let harmless = ["parse date", "missing date", "br before sp", "br after sp"];
    let harmful: Vec<&str> = said
        .lines()
        .filter(|line| !harmless.iter().any(|each| line.contains(each)))
        .collect();
    assert_eq!(harmful, [""; 0]);
    // Examples stay lines of their own.
    let read = other(
        Command::new("mandoc")
            .args(["-T", "utf8", "tx-doctor.1"])
            .current_dir(&folder),
    );
    let lines: Vec<String> = stdout(&read)
        .lines()
        .map(|line| line.trim().to_owned())
        .collect();
    assert!(
        lines.contains(&"tx doctor --chip sm_100".to_owned()),
        "{lines:?}"
    );
    // To standard output goes the first of them.
    let page = fs::read(folder.join("tx.1")).expect("a page");
    assert_eq!(text(&page), stdout(&case.tx(&["man"])));
}
