//! NVIDIA's PTX assembler, which must accept all generated PTX.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Assembles the PTX in `file` for `chip`.
pub(crate) fn assemble(file: &Path, chip: &str) -> Result<(), String> {
    let program = ptxas()?;
    let done = Command::new(&program)
        .arg(format!("-arch={chip}"))
        // The tests only check that `ptxas` accepts the PTX, and reduced optimization halves the
        // run time of `ptxas`.
        .arg("-O1")
        .arg(file)
        .arg("-o")
        .arg(file.with_extension("cubin"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!(
        "ptxas refuses it: {}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    ))
}

/// Returns the path in `TX_PTXAS`, if set. Otherwise, returns the `ptxas` that `cargo xtask setup`
/// installed, or else the `ptxas` in PATH.
fn ptxas() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("TX_PTXAS") {
        return Ok(PathBuf::from(path));
    }
    // The directory is target/debug/tx or target/TRIPLE/debug/tx.
    let fetched = Path::new(env!("CARGO_BIN_EXE_tx"))
        .ancestors()
        .skip(2)
        .take(2)
        .map(|folder| folder.join("tools/ptxas"));
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = std::env::split_paths(&in_path)
        .map(|folder| folder.join("ptxas"))
        .collect();
    fetched
        .chain(in_path)
        .find(|path| path.is_file())
        .ok_or_else(|| {
            "this test assembles PTX and there is no ptxas: `cargo xtask setup` fetches it into \
             target/tools; or put one in PATH, or name it in TX_PTXAS"
                .to_owned()
        })
}
