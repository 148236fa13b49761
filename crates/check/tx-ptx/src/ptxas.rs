//! Invocation of ptxas, NVIDIA's assembler, which validates the PTX.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Resource usage of each kernel of a module, by the name of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The kernels.
    pub kernels: BTreeMap<String, KernelUsage>,
    /// Warnings of ptxas, one line each.
    pub warnings: Vec<String>,
}

/// Resource usage of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelUsage {
    /// Registers per thread.
    pub registers: u64,
    /// Named barriers per block.
    pub barriers: u64,
    /// Static shared memory per block, in bytes.
    pub shared_bytes: u64,
    /// Constant memory in all banks, in bytes.
    pub constant_bytes: u64,
    /// Stack frame per thread in local memory, in bytes.
    pub stack_bytes: u64,
    /// Bytes of spill stores.
    pub spill_store_bytes: u64,
    /// Bytes of spill loads.
    pub spill_load_bytes: u64,
}

/// Failure to assemble PTX.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// ptxas cannot be started.
    #[error("cannot start `{}`: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The PTX cannot be written to a temporary file.
    #[error("cannot write the PTX to a temporary file: {0}")]
    Write(io::Error),
    /// ptxas rejects the PTX.
    #[error("ptxas refuses the PTX for `{chip}`: {messages}")]
    Refused {
        /// The chip.
        chip: String,
        /// Output of ptxas, in which the PTX file is named `kernel.ptx`.
        messages: String,
    },
}

/// ptxas was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PtxasNotFound {
    /// The given path is neither the ptxas program nor a folder that contains ptxas.
    #[error("there is no ptxas at `{}`, expected the program or a folder that holds it", .0.display())]
    AtPath(PathBuf),
    /// No ptxas on `PATH`.
    #[error(
        "there is no ptxas on PATH: `cargo xtask setup` fetches one into target/tools of a clone \
         of tx, the CUDA toolkit contains one, and `--ptxas` names another path"
    )]
    OnPath,
}

const PROGRAM: &str = if cfg!(windows) { "ptxas.exe" } else { "ptxas" };
const TEXT: &str = "kernel.ptx";

/// Returns the path of ptxas. `explicit` is the path of ptxas, or of a folder that contains ptxas.
/// If `explicit` is `None`, the function searches `PATH`.
pub fn find_ptxas(explicit: Option<&Path>) -> Result<PathBuf, PtxasNotFound> {
    match explicit {
        Some(path) => [path.to_owned(), path.join(PROGRAM)]
            .into_iter()
            .find(|path| path.is_file())
            .ok_or_else(|| PtxasNotFound::AtPath(path.to_owned())),
        None => on_path(env::var_os("PATH").as_deref()).ok_or(PtxasNotFound::OnPath),
    }
}

fn on_path(path: Option<&OsStr>) -> Option<PathBuf> {
    env::split_paths(path?)
        .map(|folder| folder.join(PROGRAM))
        .find(|program| program.is_file())
}

/// Assembles a module for a chip such as `sm_90` and returns the resource usage of its kernels. The
/// binary is discarded.
pub fn assemble(ptx: &str, ptxas: &Path, chip: &str) -> Result<Usage, AssembleError> {
    let start = |source| AssembleError::Start {
        program: ptxas.to_owned(),
        source,
    };
    let folder = tempfile::tempdir().map_err(AssembleError::Write)?;
    std::fs::write(folder.path().join(TEXT), ptx).map_err(AssembleError::Write)?;
    // ptxas runs in the temporary folder, so that its messages contain a file name without a path.
    // The function therefore converts a relative path of ptxas to an absolute path first.
    let program = if ptxas.components().count() > 1 {
        std::path::absolute(ptxas).map_err(start)?
    } else {
        ptxas.to_owned()
    };
    let done = Command::new(program)
        .arg("-v")
        .arg(format!("-arch={chip}"))
        .args([TEXT, "-o", "kernel.cubin"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .map_err(start)?;
    let mut messages = String::from_utf8_lossy(&done.stdout).into_owned();
    messages.push_str(&String::from_utf8_lossy(&done.stderr));
    if done.status.success() {
        return Ok(usage(&messages));
    }
    let messages = match messages.trim() {
        "" => done.status.to_string(),
        messages => messages.to_owned(),
    };
    Err(AssembleError::Refused {
        chip: chip.to_owned(),
        messages,
    })
}

/// Parses the output of `ptxas -v`:
///
/// ```text
/// ptxas info    : Compiling entry function 'f' for 'sm_90'
/// ptxas info    : Function properties for f
///     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
/// ptxas info    : Used 24 registers, used 1 barriers, 16 bytes smem, 400 bytes cmem[0]
/// ```
fn usage(messages: &str) -> Usage {
    let mut usage = Usage::default();
    let mut kernel = "";
    // ptxas also prints the properties of functions that are not inlined, between the properties of
    // kernels.
    let mut function = "";
    for line in messages.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().unwrap_or_default();
            usage.kernels.entry(kernel.to_owned()).or_default();
        } else if let Some((_, rest)) = line.split_once("Function properties for ") {
            function = rest.trim();
        } else if line.trim_start().starts_with("ptxas warning") {
            usage.warnings.push(line.trim().to_owned());
        } else if let Some(used) = usage.kernels.get_mut(kernel) {
            if let Some((_, rest)) = line.split_once(": Used ") {
                used.registers = amount(rest, "registers");
                used.barriers = amount(rest, "barriers");
                used.shared_bytes = amount(rest, "bytes smem");
                used.constant_bytes = amount(rest, "bytes cmem");
            } else if function == kernel && line.contains("bytes stack frame") {
                used.stack_bytes = amount(line, "bytes stack frame");
                used.spill_store_bytes = amount(line, "bytes spill stores");
                used.spill_load_bytes = amount(line, "bytes spill loads");
            }
        }
    }
    usage
}

/// Returns the sum of all numbers with the unit `unit` in a list separated by commas.
fn amount(line: &str, unit: &str) -> u64 {
    line.split(',')
        .filter_map(|part| {
            let part = part.trim();
            let part = part.strip_prefix("used ").unwrap_or(part);
            let (number, rest) = part.split_once(' ')?;
            let number: u64 = number.parse().ok()?;
            rest.starts_with(unit).then_some(number)
        })
        .fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::{KernelUsage, usage};

    /// Checks that the parser of the `ptxas` output reads all resource counts of a kernel. The
    /// resource counts of a called function are not added to the counts of the calling kernel.
    #[test]
    fn reads_what_ptxas_says() {
        let read = usage(
            "ptxas info    : 0 bytes gmem\n\
             ptxas warning : something is odd\n\
             ptxas info    : Compiling entry function 'f' for 'sm_90'\n\
             ptxas info    : Function properties for f\n\
             \x20   8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
             ptxas info    : Used 24 registers, used 1 barriers, 8 bytes cumulative stack size, \
             16 bytes smem, 400 bytes cmem[0], 8 bytes cmem[2]\n\
             ptxas info    : Function properties for helper\n\
             \x20   64 bytes stack frame, 1 bytes spill stores, 1 bytes spill loads\n",
        );
        assert_eq!(read.warnings, ["ptxas warning : something is odd"]);
        assert_eq!(
            read.kernels["f"],
            KernelUsage {
                registers: 24,
                barriers: 1,
                shared_bytes: 16,
                constant_bytes: 408,
                stack_bytes: 8,
                spill_store_bytes: 4,
                spill_load_bytes: 12,
            }
        );
    }
}
