//! Generates the dialect's C++ from `Tile.td` and compiles it.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    let prefix = PathBuf::from(std::env::var_os("DEP_TX_LLVM_PREFIX").expect("tx-llvm found it"));
    let include = prefix.join("include");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for file in ["Tile.td", "tile.cpp"] {
        println!("cargo:rerun-if-changed={file}");
    }
    // Where `melior::dialect!` finds the same file.
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

    let decls = std::fs::read_to_string(out.join("Ops.h.inc")).expect("mlir-tblgen wrote it");
    std::fs::write(out.join("attributes.rs"), attributes(&decls)).expect("OUT_DIR is writable");
    let decls = std::fs::read_to_string(out.join("Attrs.h.inc")).expect("mlir-tblgen wrote it");
    std::fs::write(out.join("words.rs"), words(&decls)).expect("OUT_DIR is writable");

    cc::Build::new()
        .cpp(true)
        .file("tile.cpp")
        .include(&out)
        .flag("-isystem")
        .flag(&include)
        // Generated code has parameters that it does not use.
        .flag("-Wno-unused-parameter")
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .define("NDEBUG", None)
        .opt_level(1)
        .compile("tx_dialect_tile");
}

/// What `Tile.td` declares of each op, as a Rust slice: its name and the names of its attributes, which stand in its class in
/// this order. C++ has no more of it that Rust could ask for.
fn attributes(decls: &str) -> String {
    let quoted = |text: &str| -> Vec<String> {
        text.split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    let mut ops = Vec::new();
    let mut names = Vec::new();
    for line in decls.lines() {
        if line.contains("StringRef attrNames[]") {
            names = quoted(line);
        } else if line.contains("return ::llvm::StringLiteral(") {
            let op = quoted(line);
            assert_eq!(op.len(), 1, "an op has one name: {line}");
            ops.push((op[0].clone(), std::mem::take(&mut names)));
        }
    }
    assert!(ops.iter().any(|(_, names)| names.len() > 9), "{ops:?}");
    let ops = ops
        .iter()
        .map(|(op, names)| format!("({op:?}, &{names:?})"));
    format!("&[{}]", ops.collect::<Vec<_>>().join(", "))
}

/// The mnemonics of attributes, as a Rust slice.
fn words(decls: &str) -> String {
    let mut lines = decls.lines();
    let mut words = Vec::new();
    while let Some(line) = lines.next() {
        if line.contains("StringLiteral getMnemonic()") {
            words.extend(quoted(lines.next().unwrap_or_default()));
        }
    }
    assert!(words.len() > 9, "{words:?}");
    format!("&{words:?}")
}

/// What stands between quotation marks.
fn quoted(text: &str) -> Vec<String> {
    text.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}
