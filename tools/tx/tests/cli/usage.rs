//! Tests of command lines, help, completions and manual pages.

use super::{Case, SUM, fails, status, stderr, stdout, text};
use std::fs;
use std::process::{Command, Output, Stdio};

#[test]
fn wrong_usage_is_status_2() {
    let case = Case::new();
    for (args, message) in [
        (&[][..], "Usage: tx"),
        (&["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (&["run"], "<FILE.mlir>"),
        // Environment variables are not part of the usage.
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
            "invalid value '0' for '--grid <X,Y,Z>': expected a whole number from 1 to 2147483647 \
             along x, as in `16,4,1`",
        ),
        (
            &["run", "x.mlir", "--grid", "1,2,3,4"],
            "expected one to three numbers from 1 on, as in `16,4,1`",
        ),
        (
            &["completions", "tcsh"],
            "[possible values: bash, zsh, fish]",
        ),
        // Options of another command, and options of no command.
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
            "`inof` is not a log level: did you mean `info`?",
        ),
        (
            &["explain", "X0001"],
            "`X0001` is neither a diagnostic code, such as `TX0001`, nor a file",
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
    // A number is a diagnostic code, unless it is a file.
    let explained = |what: &str| stdout(&case.tx(&["explain", what]));
    assert!(explained("801").starts_with("# TX0801: "));
    assert_eq!(explained("801"), explained("TX0801"));
    case.file("sum.mlir", SUM);
    fails(
        &case.tx(&["run", "sum.mlir", "--device", "gpu"]),
        2,
        "tx: error: unknown device `gpu`; expected `auto`, `cpu`, `cuda` or `cuda:N`\n",
    );
}

#[test]
fn numbers_have_a_range() {
    let case = Case::new();
    let whole = "from 0 to 18446744073709551615";
    let counted = "from 1 to 4294967295";
    for (command, option, range) in [
        (&["run", "x.mlir"][..], "--steps", whole),
        (&["validate", "x.mlir"], "--steps", whole),
        (&["validate", "x.mlir"], "--seed", whole),
        (&["bench", "x.mlir"], "--times", counted),
        (&["tune", "x.mlir"], "--times", counted),
        (&["compile", "x.mlir"], "--times", counted),
        (&["fuzz", "modules"], "--seconds", "from 0 to 315360000"),
        (&["fuzz", "modules"], "--cases", whole),
        (&["fuzz", "modules"], "--seed", whole),
        (&["fuzz", "show"], "--first", whole),
        (&["fuzz", "text"], "--jobs", "from 1 to 1024"),
    ] {
        let wrong = ["abc", "-1", "1.5", "99999999999999999999"];
        let zero = range.starts_with("from 1").then_some("0");
        for found in wrong.into_iter().chain(zero) {
            let output = case.tx(&[command, &[option, found]].concat());
            assert_eq!(status(&output), 2, "{command:?} {option} {found}");
            let said = stderr(&output);
            let start = format!(
                "tx: error: invalid value '{found}' for '{option} <N>': expected a whole number {range}\n"
            );
            assert!(said.starts_with(&start), "{said}");
        }
    }
    for (found, place) in [
        ("99999999999", "2147483647 along x"),
        ("-1", "2147483647 along x"),
        ("1,x", "65535 along y"),
        ("1,1,0", "65535 along z"),
    ] {
        for command in ["run", "validate", "report"] {
            let said = stderr(&case.tx(&[command, "x.mlir", "--grid", found]));
            let start = format!(
                "tx: error: invalid value '{found}' for '--grid <X,Y,Z>': expected a whole number \
                 from 1 to {place}, as in `16,4,1`\n"
            );
            assert!(said.starts_with(&start), "{said}");
        }
    }
}

#[test]
fn misspelt_values_are_known() {
    let case = Case::new();
    for (shell, tip) in [
        ("tcsh", None),
        ("powershell", None),
        ("bsh", Some("a similar value exists: 'bash'")),
        ("fihs", Some("a similar value exists: 'fish'")),
        // `zsh` has the same edit distance to the misspelt word, but begins with another letter.
        ("fsh", Some("a similar value exists: 'fish'")),
    ] {
        let output = case.tx(&["completions", shell]);
        assert_eq!(status(&output), 2);
        let said = stderr(&output);
        assert!(
            said.contains("[possible values: bash, zsh, fish]"),
            "{said}"
        );
        let found = said.lines().find_map(|line| line.strip_prefix("  tip: "));
        assert_eq!(found, tip, "{said}");
    }
}

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

/// A program of another compiler uses its own name in all messages.
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
    // Remaining occurrences of `tx`, after removal of the program's own name and of other crates'
    // names.
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
    // Completions work for a program name with a hyphen.
    fs::write(
        case.folder.path().join("own.bash"),
        run(&["completions", "bash"]).stdout,
    )
    .expect("written");
    let bash = "source own.bash; COMP_WORDS=(my-tx run --dev); COMP_CWORD=2; _my__tx my-tx --dev \
                run; echo ${COMPREPLY[@]}";
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
        // The hidden worker command is not completed.
        assert!(!stdout(&output).contains("worker"), "{shell}");
        // Known chips and devices are completed; other values are accepted by the parser.
        let script = stdout(&output).replace('\\', "");
        for offered in ["sm_90a", "cuda:1"] {
            assert!(script.contains(offered), "{shell}: {offered}");
        }
    }
}

/// Runs another program, which must be installed.
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
        // Without user settings, and with a writable home.
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

/// An argument completes to prefixes and arrays; `tx explain` completes to codes and files.
#[test]
fn shells_complete_arguments_and_codes() {
    let case = Case::new();
    for file in ["row.npy", "row.mlir", "TX_notes.mlir"] {
        case.file(file, "");
    }
    fs::create_dir(case.folder.path().join("rows")).expect("a folder");
    // Returns the completions of the last word of a command line, in the order in which the shell
    // shows them.
    let bash = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [before, last] = words[words.len() - 2..] else {
            panic!("{line}")
        };
        format!(
            "source ./script; compopt() {{ :; }}; COMP_WORDS=({line}); COMP_CWORD={}; _tx tx \
             '{last}' {before}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.len() - 1
        )
    };
    // For zsh, returns the completions that the script passes to the display functions of zsh.
    let zsh = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let last = words[words.len() - 1];
        let word = match words[words.len() - 2] {
            "--arg" => "arguments",
            _ => "explained",
        };
        format!(
            "autoload() {{ :; }}; compdef() {{ :; }}; compadd() {{ print -l -- ${{(M)@:#{last}*}}; }}; \
             _files() {{ print -l -- {last}*${{2#\\*}}(N); }}; PREFIX={last}; source ./script; \
             functions _tx | grep -q _tx_{word} && _tx_{word}"
        )
    };
    let fish = |line: &str| {
        format!("source ./script; complete -C '{line}' | string replace -r '\\t.*' ''")
    };
    for (shell, use_it) in [
        ("bash", &bash as &dyn Fn(&str) -> String),
        ("zsh", &zsh),
        ("fish", &fish),
    ] {
        case.file("script", stdout(&case.tx(&["completions", shell])));
        for (line, offered, others) in [
            (
                "tx run a.mlir --arg r",
                &["rand:", "row.npy"][..],
                &["zeros:", "--entry"][..],
            ),
            (
                "tx validate a.mlir --arg ze",
                &["zeros:"],
                &["rand:", "row.npy"],
            ),
            (
                "tx explain TX000",
                &["TX0001", "TX0009"],
                &["TX0010", "--list"],
            ),
        ] {
            let plain = if shell == "zsh" { &["-f"][..] } else { &[] };
            let mut command = Command::new(shell);
            command
                .args(plain)
                .args(["-c", &use_it(line)])
                .current_dir(case.folder.path())
                .env("HOME", case.folder.path());
            let used = other(&mut command);
            let said = stdout(&used);
            assert_eq!(stderr(&used), "", "{shell}: {line}");
            let has = |word: &&&str| said.lines().any(|one| one == **word);
            let missing: Vec<_> = offered.iter().filter(|word| !has(word)).collect();
            let strange: Vec<_> = others.iter().filter(has).collect();
            assert!(
                missing.is_empty() && strange.is_empty(),
                "{shell}: {line}: {missing:?} {strange:?}: {said}"
            );
        }
    }
}

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
    // The test ignores two harmless warnings of `mandoc` about lists of possible values.
    let harmless = ["br before sp", "br after sp"];
    let harmful: Vec<&str> = said
        .lines()
        .filter(|line| !harmless.iter().any(|each| line.contains(each)))
        .collect();
    assert_eq!(harmful, [""; 0]);
    // Examples stay on separate lines.
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
    // Without a directory, the first page is printed to standard output.
    let page = fs::read(folder.join("tx.1")).expect("a page");
    assert_eq!(text(&page), stdout(&case.tx(&["man"])));
}
