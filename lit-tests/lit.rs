//! Runs the lit tests: every `.mlir` file below this folder is one test. `README.md` next to this
//! file is the manual of the lit tests, and the crate `tx-lit` is the harness. This file contains
//! the paths of the programs and folders of the lit tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use tx_lit::libtest_mimic::{Arguments, Failed, Trial};
use tx_lit::{Suite, Tool};

fn main() -> ExitCode {
    let tx = Tool::found_by(tx);
    let with_tx = tx.clone();
    let race = Trial::test("harness: a race is found", move || race(&suite(with_tx)));
    suite(tx).run_with(&Arguments::from_args(), vec![race])
}

fn suite(tx: Tool) -> Suite {
    tx_lit::suite!("lit-tests")
        .root(root())
        .tool("tx-opt", tx_opt())
        .tool("tx", tx)
        .tool("ptxas", Tool::found_by(ptxas))
        .file_check(Tool::found_by(file_check))
        .round_trip("tx-opt")
        // `tools/tx/tests/programs.rs` runs these, and `cargo xtask codegen` shows them.
        .read_elsewhere("COMPARE", ["tutorial", "programs", "cases"])
        .read_elsewhere("SIZES", ["tutorial", "programs", "cases"])
        .read_elsewhere("SHOW", ["tutorial"])
        .bless_hint("cargo xtask bless {test}")
}

/// Checks that `RACE-FREE` and `VALIDATE` recognise the races that `tx validate` prints. The check
/// is part of the lit tests, because the tests of the crate `tx-lit` do not run `tx`.
fn race(suite: &Suite) -> Result<(), Failed> {
    let program = fs::read_to_string(root().join("lit-tests/tools/run-race.mlir"))?;
    let kernel = program
        .find("gpu.module")
        .ok_or("run-race.mlir has no kernel")?;
    for (directive, reason) in [
        ("RACE-FREE", "@race has a race after `tile-insert-sync`"),
        (
            "RACE-FREE: --synchronized",
            "@race has a race in the input program",
        ),
        ("VALIDATE", "the program is not valid"),
    ] {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("race.mlir");
        let comment = format!("// {directive}\n// All threads write one element.\n");
        fs::write(&path, comment + &program[kernel..])?;
        match suite.check(&path) {
            Ok(()) => return Err(format!("`{directive}` accepts a race").into()),
            Err(failure) if failure.contains(reason) => {}
            Err(failure) => return Err(format!("expected `{reason}`, found\n{failure}").into()),
        }
    }
    Ok(())
}

/// Returns the root folder of the workspace, two levels above the package of this test.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .ancestors()
        .nth(2)
        .map_or_else(|| package.to_owned(), Path::to_owned)
}

fn tx_opt() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tx-opt"))
}

/// Returns the path of `tx`, next to `tx-opt`, and builds `tx` if the binary is missing or older
/// than one of its sources. `tx` and this test belong to different packages, so cargo does not
/// build `tx` if only this test is requested.
fn tx() -> Result<PathBuf, String> {
    let folder = tx_opt().parent().ok_or("tx-opt stands in no folder")?;
    let binary = folder.join("tx");
    if is_fresh(&binary) {
        return Ok(binary);
    }
    eprintln!("lit: building tx, which some of the tests run");
    // Cargo's folder for the profile `dev` is `debug`; for others it has their name.
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => "dev",
        Some(other) => other,
    };
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "build",
            "--package",
            "tx-cli",
            "--bin",
            "tx",
            "--profile",
            profile,
        ])
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start cargo to build `tx`: {error}"))?;
    if !output.status.success() || !binary.is_file() {
        return Err(format!(
            "`tx` is not built, and `cargo build --package tx-cli` failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(binary)
}

/// Returns whether a binary is newer than all its sources. Cargo writes no list of sources (`.d`
/// file) for programs that it builds for tests; for these programs, the function compares the
/// modification time of the binary with the modification times of `Cargo.lock`, of `Cargo.toml`,
/// and of all files in the source folders of `tx`.
fn is_fresh(binary: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let Some(built) = modified(binary) else {
        return false;
    };
    let older = |path: &Path| modified(path).is_none_or(|time| time <= built);
    match fs::read_to_string(binary.with_extension("d")) {
        Ok(listing) => listing
            .split_once(": ")
            .map_or("", |(_, sources)| sources)
            .split_whitespace()
            .all(|source| older(Path::new(source))),
        Err(_) => [
            "Cargo.lock",
            "Cargo.toml",
            "crates",
            "dialects",
            "passes",
            "tools/tx",
        ]
        .iter()
        .all(|path| all_files(&root().join(path), &older)),
    }
}

/// Returns whether `holds` returns true for the file `path`, or for every file below the folder
/// `path`. The function skips entries with the name `tests`.
fn all_files(path: &Path, holds: &impl Fn(&Path) -> bool) -> bool {
    let Ok(entries) = fs::read_dir(path) else {
        return holds(path);
    };
    entries
        .flatten()
        .filter(|entry| entry.file_name() != "tests")
        .all(|entry| all_files(&entry.path(), holds))
}

/// LLVM's FileCheck.
fn file_check() -> Result<PathBuf, String> {
    // `.cargo/config.toml` sets the variable; the default serves a test binary started by hand.
    let prefix = std::env::var_os("MLIR_SYS_220_PREFIX")
        .map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    let path = prefix.join("bin").join("FileCheck");
    match path.is_file() {
        true => Ok(path),
        false => Err(format!(
            "there is no {}: FileCheck comes with LLVM's tools (Debian: llvm-22-tools); `cargo \
             xtask setup` installs it",
            path.display()
        )),
    }
}

/// Returns the path of NVIDIA's assembler: `$TX_PTXAS`, else the `ptxas` that `cargo xtask setup`
/// installed, else a `ptxas` in PATH.
fn ptxas() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("TX_PTXAS") {
        return Ok(PathBuf::from(path));
    }
    // target/debug/tx-opt, or target/TRIPLE/debug/tx-opt.
    let fetched = tx_opt()
        .ancestors()
        .skip(2)
        .take(2)
        .map(|folder| folder.join("tools/ptxas"));
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = std::env::split_paths(&in_path)
        .map(|folder| folder.join("ptxas"))
        .collect();
    fetched
        .chain(in_path)
        .find(|path| path.is_file())
        .ok_or_else(|| {
            "this test assembles PTX and there is no ptxas: `cargo xtask setup` fetches it into \
             target/tools; or put one in PATH, or name it in TX_PTXAS"
                .to_owned()
        })
}
