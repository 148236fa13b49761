//! Locates the LLVM installation, or fails the build with installation instructions.

use std::path::PathBuf;
use std::process::Command;

/// Environment variables read by the build scripts of the crates `mlir-sys` and `tblgen`.
const VARIABLES: [&str; 2] = ["MLIR_SYS_220_PREFIX", "TABLEGEN_220_PREFIX"];
const LLVM: &str = "22";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let prefix = llvm_prefix();
    println!("cargo:rustc-env=TX_LLVM_PREFIX={}", prefix.display());
    println!("cargo:prefix={}", prefix.display());
}

/// Returns the installation prefix of LLVM. The build fails with installation instructions if an
/// environment variable of `VARIABLES` is not set and `PATH` contains no `llvm-config` of LLVM 22.
fn llvm_prefix() -> PathBuf {
    for variable in VARIABLES {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    // If the environment variables are not set, the build scripts of the MLIR bindings also call
    // `llvm-config`.
    let ask = |what: &str| {
        let output = Command::new("llvm-config").arg(what).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let missing: Vec<&str> = VARIABLES
        .into_iter()
        .filter(|variable| std::env::var_os(variable).is_none_or(|value| value.is_empty()))
        .collect();
    let version = ask("--version");
    let on_path = version
        .as_deref()
        .is_some_and(|version| version.split('.').next() == Some(LLVM));
    if !missing.is_empty() && !on_path {
        let found = version.map_or("there is no `llvm-config` on PATH".to_owned(), |version| {
            format!("`llvm-config` on PATH is of LLVM {version}")
        });
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../.cargo/config.toml");
        let own = std::fs::canonicalize(own).unwrap_or_else(|_| own.into());
        eprintln!(
            "error: LLVM and MLIR {LLVM} were not found: {} not set, and {found}\n\
             \n\
             Inside the repository of tx, .cargo/config.toml says where LLVM is. From elsewhere, \
             put this into a\n\
             .cargo/config.toml of your own, with the folder that has bin/llvm-config:\n\
             \n\
             [env]\n\
             MLIR_SYS_220_PREFIX = \"/usr/lib/llvm-{LLVM}\"\n\
             TABLEGEN_220_PREFIX = \"/usr/lib/llvm-{LLVM}\"\n\
             \n\
             or build with `cargo --config {} build`. `cargo xtask setup`, in the repository, installs LLVM.",
            missing.join(" and "),
            own.display()
        );
        std::process::exit(1);
    }
    std::env::var_os(VARIABLES[0])
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| ask("--prefix").map(PathBuf::from))
        .unwrap_or_default()
}
