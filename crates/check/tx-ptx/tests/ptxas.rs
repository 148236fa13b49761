//! Tests with NVIDIA's assembler ptxas, which `cargo xtask setup` installs in the target directory.

use std::path::{Path, PathBuf};

use tx_ptx::{AssembleError, Module, PtxasNotFound, assemble, find_ptxas};

/// Returns the path `target/tools/ptxas` in the target directory of this test.
fn ptxas() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let tools = test
        .ancestors()
        .map(|folder| folder.join("tools"))
        .find(|tools| tools.join("ptxas").is_file())
        .expect("`cargo xtask setup` puts ptxas into target/tools");
    find_ptxas(Some(&tools)).expect("a folder that holds it")
}

/// Assembles a kernel, and parses its resource usage from the output of ptxas.
#[test]
fn usage() {
    let usage = assemble(include_str!("ptx/long_row.ptx"), &ptxas(), "sm_90")
        .unwrap_or_else(|error| panic!("{error}"));
    let kernel = usage.kernels["long_row"];
    assert_eq!(usage.kernels.len(), 1);
    assert_eq!(kernel.barriers, 1);
    // Size of two arrays and a scalar, rounded up to the alignment of 16 bytes.
    assert!((16420..=16432).contains(&kernel.shared_bytes), "{kernel:?}");
    assert!((8..=255).contains(&kernel.registers), "{kernel:?}");
    assert_eq!((kernel.spill_store_bytes, kernel.spill_load_bytes), (0, 0));
    assert_eq!(usage.warnings, [""; 0]);
}

/// NVIDIA's ptxas accepts the text of a formatted [`Module`].
#[test]
fn displayed_modules_assemble() {
    for text in [
        include_str!("ptx/calls.ptx"),
        include_str!("ptx/computed_mask.ptx"),
        include_str!("ptx/debug.ptx"),
        include_str!("ptx/exchange.ptx"),
        include_str!("ptx/long_row.ptx"),
        include_str!("ptx/softmax.ptx"),
        include_str!("ptx/unrolled.ptx"),
    ] {
        let module = Module::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let printed = module.to_string();
        if let Err(error) = assemble(&printed, &ptxas(), "sm_90") {
            panic!("{error}\n{printed}");
        }
    }
}

/// The error for rejected PTX contains the message of ptxas, without a path of the machine.
#[test]
fn refusals() {
    let text = include_str!("ptx/long_row.ptx").replace("ret;", "rett;");
    let error = assemble(&text, &ptxas(), "sm_90").expect_err("no instruction");
    assert!(matches!(&error, AssembleError::Refused { chip, .. } if chip == "sm_90"));
    let error = error.to_string();
    assert!(
        error.starts_with("ptxas refuses the PTX for `sm_90`: ptxas kernel.ptx, line 141; error"),
        "{error}"
    );
    assert!(error.contains("'rett'"), "{error}");
}

/// The error for a missing ptxas contains the searched path.
#[test]
fn not_found() {
    let path = Path::new("no/such/folder");
    let error = find_ptxas(Some(path)).expect_err("nothing there");
    assert_eq!(error, PtxasNotFound::AtPath(path.to_owned()));
    assert_eq!(
        error.to_string(),
        "there is no ptxas at `no/such/folder`, expected the program or a folder that holds it"
    );
    let error = assemble("", path, "sm_90").expect_err("nothing there");
    assert!(matches!(error, AssembleError::Start { .. }), "{error}");
    assert_eq!(find_ptxas(Some(&ptxas())).ok(), Some(ptxas()));
}
