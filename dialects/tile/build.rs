//! Generates C++ classes and Rust attributes from `Tile.td`, and compiles the C++ code.

mod generate;

use std::path::PathBuf;
use std::process::Command;

fn main() {
    let prefix = PathBuf::from(std::env::var_os("DEP_TX_LLVM_PREFIX").expect("tx-llvm found it"));
    let include = prefix.join("include");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for file in ["Tile.td", "tile.cpp", "generate.rs"] {
        println!("cargo:rerun-if-changed={file}");
    }
    // `melior::dialect!` reads `Tile.td` from this folder.
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    println!("cargo:rustc-env=TX_TILE_TD_DIR={here}");

    let tblgen = prefix.join("bin/mlir-tblgen");
    for (file, generators) in [
        ("Dialect", ["-gen-dialect-decls", "-gen-dialect-defs"]),
        ("Enums", ["-gen-enum-decls", "-gen-enum-defs"]),
        ("Attrs", ["-gen-attrdef-decls", "-gen-attrdef-defs"]),
        ("Types", ["-gen-typedef-decls", "-gen-typedef-defs"]),
        ("Ops", ["-gen-op-decls", "-gen-op-defs"]),
    ] {
        for (generator, extension) in generators.into_iter().zip(["h", "cpp"]) {
            let status = Command::new(&tblgen)
                .args([generator, "Tile.td", "-I"])
                .arg(&include)
                .arg("-o")
                .arg(out.join(format!("{file}.{extension}.inc")))
                .status()
                .unwrap_or_else(|e| {
                    panic!(
                        "cannot run `{}`: {e}; run `cargo xtask setup`",
                        tblgen.display()
                    )
                });
            assert!(status.success(), "mlir-tblgen {generator} refused Tile.td");
        }
    }

    let tblgen = prefix.join("bin/llvm-tblgen");
    let dumped = Command::new(&tblgen)
        .args(["--dump-json", "Tile.td", "-I"])
        .arg(&include)
        .output()
        .unwrap_or_else(|e| {
            panic!(
                "cannot run `{}`: {e}; run `cargo xtask setup`",
                tblgen.display()
            )
        });
    assert!(dumped.status.success(), "llvm-tblgen refused Tile.td");
    let json = serde_json::from_slice(&dumped.stdout).expect("llvm-tblgen writes JSON");
    let generated = generate::generate(&json);
    std::fs::write(out.join("attributes.rs"), generated.rust).expect("OUT_DIR is writable");
    std::fs::write(out.join("Accessors.cpp.inc"), generated.cpp).expect("OUT_DIR is writable");

    cc::Build::new()
        .cpp(true)
        .file("tile.cpp")
        .include(&out)
        .flag("-isystem")
        .flag(&include)
        // The generated code has unused parameters.
        .flag("-Wno-unused-parameter")
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .define("NDEBUG", None)
        .opt_level(1)
        .compile("tx_dialect_tile");
}
