//! Compiles the C++ sources in `bridge`, and links them with the installed MLIR.

use std::path::PathBuf;

fn main() {
    let prefix = PathBuf::from(std::env::var_os("DEP_TX_LLVM_PREFIX").expect("tx-llvm found it"));
    let include = prefix.join("include");
    assert!(
        include.join("mlir/Pass/Pass.h").is_file(),
        "MLIR 22 was not found under `{}`: run `cargo xtask setup`, or set MLIR_SYS_220_PREFIX",
        prefix.display()
    );
    let sources = [
        "bridge/attributes.cpp",
        "bridge/bridge.cpp",
        "bridge/lsp.cpp",
    ];
    for file in sources.into_iter().chain(["bridge/include/tx/bridge.h"]) {
        println!("cargo:rerun-if-changed={file}");
    }
    cc::Build::new()
        .cpp(true)
        .files(sources)
        .include("bridge/include")
        .flag("-isystem")
        .flag(&include)
        .flag("-Wno-unused-parameter")
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .define("NDEBUG", None)
        .opt_level(1)
        .compile("tx_mlir_bridge");
}
