//! Asks the LLVM that is linked for its version, for `tx doctor`.

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
}
