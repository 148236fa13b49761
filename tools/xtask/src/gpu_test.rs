//! `cargo xtask gpu-test`: unpacks and tests the archive of `cargo xtask dist`, as on a machine
//! without Rust.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::dist::{self, EXAMPLES_SCRIPT_NAME, SCRIPT_NAME};
use crate::sh;
use crate::workspace::Workspace;

pub(crate) fn gpu_test(
    workspace: &Workspace,
    archive: Option<PathBuf>,
    device: &str,
    print: bool,
) -> Result<()> {
    let name = archive
        .clone()
        .unwrap_or_else(|| dist::archive_path(workspace));
    if print {
        println!(
            "On the machine with the GPU (Linux, NVIDIA's driver, Python 3 with NumPy):\n\n\
             \x20   tar -xf {0}\n\
             \x20   cd {1}\n\
             \x20   ./tx doctor\n\
             \x20   python3 {SCRIPT_NAME} --device {device}\n\
             \x20   sh {EXAMPLES_SCRIPT_NAME}                # examples 06 to 08, on all GPUs; \
             needs no Python\n\n\
             Carry {0} there; `cargo xtask dist` builds it.\n\
             Without xz there, `python3 -m tarfile -e {0}` unpacks it too.",
            file_name(&name),
            file_name(&name).trim_end_matches(".tar.xz"),
        );
        return Ok(());
    }
    let archive = match archive {
        Some(archive) => archive,
        None => dist::dist(workspace, None)?,
    };
    let folder = workspace.target.join("gpu-test");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    sh::run(
        Command::new("tar")
            .arg("-xf")
            .arg(&archive)
            .arg("-C")
            .arg(&folder),
    )?;
    let script = fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path().join(SCRIPT_NAME)))
        .find(|script| script.is_file())
        .with_context(|| format!("{} is not an archive of dist", archive.display()))?;
    let mut status = sh::run(
        Command::new("python3")
            .arg(&script)
            .args(["--device", device]),
    );
    // The examples require a GPU.
    if status.is_ok() && device.starts_with("cuda") {
        status = sh::run(Command::new("sh").arg(script.with_file_name(EXAMPLES_SCRIPT_NAME)));
    }
    if let Err(error) = status {
        bail!(
            "{error:#}\nWithout a GPU here, `cargo xtask gpu-test --device cpu` tries the archive \
             on the CPU, and `cargo xtask gpu-test --print` says how to run it elsewhere"
        );
    }
    Ok(())
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
