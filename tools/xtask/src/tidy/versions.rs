//! Rules for the versions of LLVM and of Rust.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::workspace::{LLVM_MAJOR, Workspace};

/// Checks that `tx-llvm/build.rs`, `.cargo/config.toml` and the constant [`LLVM_MAJOR`] specify the
/// same LLVM version.
pub(super) fn llvm_version(workspace: &Workspace) -> Result<Vec<String>> {
    let build = Path::new("crates/compile/tx-llvm/build.rs");
    let constant = format!("const LLVM: &str = \"{LLVM_MAJOR}\";");
    let mut wrong = Vec::new();
    if !workspace.read(build)?.lines().any(|line| line == constant) {
        wrong.push(format!(
            "{} does not look for LLVM {LLVM_MAJOR}",
            build.display()
        ));
    }
    let file = Path::new(".cargo/config.toml");
    let config = workspace.read(file)?;
    let expected = format!("/llvm-{LLVM_MAJOR}\"");
    let unset = ["MLIR_SYS_220_PREFIX", "TABLEGEN_220_PREFIX"]
        .into_iter()
        .filter(|variable| {
            !config
                .lines()
                .any(|line| line.starts_with(variable) && line.contains(&expected))
        });
    wrong.extend(unset.map(|variable| {
        format!(
            "{} does not set {variable} to LLVM {LLVM_MAJOR}",
            file.display()
        )
    }));
    Ok(wrong)
}

/// Checks that all packages and continuous integration use the same minimum Rust version. Clippy
/// checks that the code uses no standard-library feature that is newer than the minimum Rust
/// version.
pub(super) fn rust_version(workspace: &Workspace) -> Result<Vec<String>> {
    let versions: BTreeSet<&str> = workspace
        .packages()
        .iter()
        .map(|package| package["rust_version"].as_str().unwrap_or("none"))
        .collect();
    let Some(version) = versions.first().filter(|_| versions.len() == 1) else {
        return Ok(vec![format!(
            "packages have the rust-versions {versions:?}: each takes that of the workspace"
        )]);
    };
    let file = Path::new(".github/workflows/ci.yml");
    let expected = format!("RUST: \"{version}\"");
    let found = workspace
        .read(file)?
        .lines()
        .any(|line| line.trim() == expected);
    Ok(if found {
        Vec::new()
    } else {
        vec![format!(
            "{} does not say `{expected}`, the rust-version of the workspace",
            file.display()
        )]
    })
}
