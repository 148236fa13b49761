//! Tasks `test`, `deep`, `lint`, `bless`, `bench` and `ci`. The task `ci` runs `.ci/run`.

use std::fs::File;
use std::process::Command;

use anyhow::{Result, bail};

use crate::sh::{self, Style};
use crate::workspace::Workspace;
use crate::{codegen, fuzz, setup, tidy};

/// Runs all tests, and then checks the generated pages and the rules of the repository.
pub(crate) fn test(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    setup::setup(workspace)?;
    setup::setup_tests()?;
    sh::run(
        workspace
            .cargo()
            .args(["test", "--workspace"])
            .args(arguments),
    )?;
    codegen::codegen(workspace, true)?;
    tidy::tidy(workspace)?;
    println!("{}", Style::stdout().green("test: all passed"));
    Ok(())
}

/// Runs the complete tests. Continuous integration runs only a subset of the tests, because the
/// complete run takes several hours. The task `deep` runs all conformance programs, validates every
/// pass with all inputs, assembles PTX for every chip, and tests a crate outside of the workspace.
/// The task `deep` runs all mutation tests, writes the results to `docs/mutations.md`, and then
/// fuzzes the compiler for `seconds` seconds.
pub(crate) fn deep(workspace: &Workspace, seconds: u64) -> Result<()> {
    setup::setup(workspace)?;
    setup::setup_tests()?;
    let test = |package: &str, name: &str| {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--package", package, "--test", name, "--"]);
        cargo
    };
    sh::run(test("tx-cli", "validate").arg("--every-input"))?;
    sh::run(test("tx-cli", "conformance").arg("--include-ignored"))?;
    sh::run(test("tx-cli", "programs").arg("--every-chip"))?;
    for test_of_programs in ["choices::", "compiler::", "idempotent::"] {
        sh::run(
            test("tx-compiler", "integration")
                .arg(test_of_programs)
                .env("TX_EVERY_PROGRAM", "1"),
        )?;
    }
    sh::run(&mut test("tx-examples", "outside"))?;
    sh::run(
        test("tx-validate", "integration")
            .arg("ptx::")
            .env("TX_EVERY_PROGRAM", "1"),
    )?;
    let edits = workspace.target.join("mutations.jsonl");
    sh::run(
        test("tx-validate", "mutations")
            .arg("--run")
            .stdout(File::create(&edits)?),
    )?;
    sh::run(test("tx-validate", "mutations").arg("--page").arg(&edits))?;
    fuzz::fuzz(workspace, seconds, 0, None)?;
    println!("{}", Style::stdout().green("deep: nothing found"));
    Ok(())
}

/// Runs rustfmt, clippy and rustdoc on all targets, with warnings as errors. In addition to the
/// default configuration, clippy checks three configurations: `tx` without `fuzz` and `report`, the
/// runtime without the executor, and the examples without the compiler and MLIR.
pub(crate) fn lint(workspace: &Workspace) -> Result<()> {
    sh::run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    setup::setup(workspace)?;
    sh::run(workspace.cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    sh::run(workspace.cargo().args([
        "clippy",
        "--package",
        "tx-cli",
        "--no-default-features",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    sh::run(workspace.cargo().args([
        "clippy",
        "--package",
        "tx-runtime",
        "--no-default-features",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    sh::run(workspace.cargo().args([
        "clippy",
        "--package",
        "tx-examples",
        "--no-default-features",
        "--features",
        "nccl",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    sh::run(
        workspace
            .cargo()
            .args(["doc", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    println!("{}", Style::stdout().green("lint: clean"));
    Ok(())
}

/// Runs `.ci/run`.
pub(crate) fn ci(workspace: &Workspace) -> Result<()> {
    sh::run(
        Command::new("bash")
            .arg(".ci/run")
            .current_dir(&workspace.root),
    )
}

/// Rewrites snapshots and generated pages. The task `bless` does not rewrite CHECK lines, so a test
/// with a failing CHECK line still fails.
pub(crate) fn bless(workspace: &Workspace, filter: Option<&str>) -> Result<()> {
    setup::setup(workspace)?;
    let mut command = workspace.cargo();
    command
        .args(["test", "--package", "tx-opt", "--test", "lit", "--"])
        .args(filter)
        .env("INSTA_UPDATE", "always");
    let tests = sh::run(&mut command);
    // The lit tests do not write the table of chosen schedules, so the task runs another test
    // target that writes the table.
    let table = match filter {
        None | Some("chosen") => sh::run(
            workspace
                .cargo()
                .args([
                    "test",
                    "--package",
                    "tx-compiler",
                    "--test",
                    "integration",
                    "chosen",
                ])
                .env("INSTA_UPDATE", "always"),
        ),
        Some(_) => Ok(()),
    };
    codegen::codegen(workspace, false)?;
    tests?;
    table?;
    println!(
        "{}",
        Style::stdout().green("bless: done; read the difference before you commit it (git diff)")
    );
    Ok(())
}

/// Runs all benchmark targets. The task `bench` excludes test binaries, because test binaries
/// contain no benchmarks.
pub(crate) fn bench(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let packages = workspace.packages_with("bench");
    if packages.is_empty() {
        bail!("no package of this workspace has a benchmark");
    }
    setup::setup(workspace)?;
    let mut command = workspace.cargo();
    command.arg("bench");
    for package in &packages {
        command.args(["--package", package]);
    }
    // `--bench *` excludes libraries and binaries, which reject the options of criterion.
    command.args(["--bench", "*"]);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    sh::run(&mut command)
}
