//! `cargo xtask fuzz`: checks random modules after every pass, and runs the tools on malformed
//! input.
//!
//! The task writes each failure that it finds to `target/fuzz`. For each failure, the task writes a
//! shrunk program with a comment that describes the failure, and a file for `tx fuzz replay`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::sh::{self, Style};
use crate::workspace::{Workspace, llvm_prefix};

pub(crate) fn fuzz(
    workspace: &Workspace,
    seconds: u64,
    seed: u64,
    jobs: Option<usize>,
) -> Result<()> {
    let tx = workspace.build("tx", "dev")?;
    let opt = workspace.build("tx-opt", "dev")?;
    let jobs = match jobs {
        Some(jobs) => jobs,
        None => std::thread::available_parallelism()
            .context("how many processors there are is not known")?
            .get(),
    };
    let folder = workspace.target.join("fuzz");
    let run = |target: &str, seconds: u64| {
        let mut command = Command::new(&tx);
        command
            .current_dir(&workspace.root)
            .args(["fuzz", target])
            .args(["--seconds", &seconds.to_string()])
            .args(["--seed", &seed.to_string()])
            .args(["--jobs", &jobs.to_string()])
            .arg("--out")
            .arg(folder.join(target));
        command
    };
    // The check of random modules takes two thirds of the fuzzing time, because each module is
    // compiled and run about 30 times.
    let modules = sh::run(&mut run("modules", seconds - seconds / 3));
    let mut text = run("text", seconds / 3);
    text.args(["--corpus", "lit-tests"]).arg("--opt").arg(&opt);
    let upstream: PathBuf = llvm_prefix().join("bin").join("mlir-opt");
    if upstream.is_file() {
        text.arg("--upstream").arg(upstream);
    }
    let text = sh::run(&mut text);
    if modules.is_err() || text.is_err() {
        bail!("what was found is in {}", folder.display());
    }
    println!("{}", Style::stdout().green("fuzz: nothing found"));
    Ok(())
}
