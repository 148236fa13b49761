//! Generates constants of the crate: the table of diagnostics pages, the version of the linked LLVM
//! (for `tx doctor`), and the path of the tools directory.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let llvm_config = std::env::var("MLIR_SYS_220_PREFIX").map_or_else(
        |_| "llvm-config".to_owned(),
        |prefix| format!("{prefix}/bin/llvm-config"),
    );
    let version = Command::new(llvm_config)
        .arg("--version")
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(
            || "of unknown version".to_owned(),
            |version| version.trim().to_owned(),
        );
    println!("cargo::rustc-env=TX_LLVM_VERSION={version}");
    println!("cargo::rustc-env=TX_TOOLS={}", tools().display());
    if let Err(error) = pages() {
        println!("cargo::error=docs/diagnostics: {error}");
    }
}

fn folder(variable: &str) -> PathBuf {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .unwrap_or_default()
}

/// Writes `pages.rs`, which contains the name and text of each diagnostics page.
fn pages() -> std::io::Result<()> {
    let pages = folder("CARGO_MANIFEST_DIR").join("../../docs/diagnostics");
    println!("cargo::rerun-if-changed={}", pages.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(pages)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().display();
        let path = file.display().to_string();
        table.push_str(&format!(
            "({:?}, include_str!({path:?})),\n",
            name.to_string()
        ));
    }
    table.push_str("]\n");
    std::fs::write(folder("OUT_DIR").join("pages.rs"), table)
}

/// Returns the directory in which `cargo xtask setup` installs tools. If the target directory is
/// inside the repository, the function returns an empty path. With an empty path, the program
/// contains no path of the build machine, and looks for tools relative to its own location.
fn tools() -> PathBuf {
    let package = folder("CARGO_MANIFEST_DIR");
    let clone = package.ancestors().nth(2).unwrap_or(Path::new(""));
    match folder("OUT_DIR").starts_with(clone) {
        true => PathBuf::new(),
        false => clone.join("target/tools"),
    }
}
