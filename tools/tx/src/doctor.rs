//! Command `tx doctor`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use tx_runtime::{CudaDriver, Device};

use crate::cli::{CacheOptions, Doctor};
use crate::compile;
use crate::failure::Failure;

pub(crate) const GET_PTXAS: &str = "`pip install nvidia-cuda-nvcc` and put its `bin` on PATH; \
                                    in a clone of tx, `cargo xtask setup` installs it as \
                                    `target/tools/ptxas`, which `--ptxas` may name";

/// Runs `tx doctor`. All checked components are optional, so a missing component is not an error.
pub(crate) fn run(options: &Doctor) -> Result<(), Failure> {
    let chip = options
        .chip
        .as_deref()
        .map(|chip| tx::Target::parse(chip).map(|target| target.chip()))
        .transpose()
        .map_err(|error| Failure::Diagnosed(compile::describe(&error, Path::new(""), b"")))?;
    let mut rows = vec![
        ("tx", env!("CARGO_PKG_VERSION").to_owned()),
        ("LLVM", format!("{}, built in", env!("TX_LLVM_VERSION"))),
        ("cpu", executor()),
    ];
    rows.extend(cuda());
    rows.push(("ptxas", ptxas()));
    rows.push(("cache", cache(&options.kept)?));
    let mut text = table(&rows);
    match chip {
        Some(chip) => text.push_str(&format!("\n{}", table(&chip.rows()))),
        None => {
            let known = tx_target::CHIPS.map(|chip| chip.name).join(", ");
            text.push_str(&format!(
                "\nChips: {known}. `tx doctor --chip {}` lists the features of a chip.\n",
                tx_target::DEFAULT_CHIP
            ));
        }
    }
    crate::stdout::print(crate::name::spoken(&text).as_bytes())
}

fn table<N: AsRef<str>>(rows: &[(N, String)]) -> String {
    let width = rows
        .iter()
        .map(|(name, _)| name.as_ref().chars().count())
        .max()
        .unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{:<width$}  {value}\n", name.as_ref()))
        .collect()
}

fn executor() -> String {
    match Device::cpu() {
        Ok(_) => "ready: the SIMT executor is built in".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn cuda() -> Vec<(&'static str, String)> {
    let driver = match CudaDriver::load() {
        Ok(driver) => driver,
        Err(tx_runtime::Error::NoDevice { reason, .. }) => {
            return vec![("CUDA", format!("not usable: {reason}"))];
        }
        Err(error) => return vec![("CUDA", format!("not usable: {error}"))],
    };
    let (major, minor) = driver.version;
    let mut rows = vec![("CUDA", format!("the driver supports CUDA {major}.{minor}"))];
    if driver.devices.is_empty() {
        rows.push((
            "GPU",
            "none; check `nvidia-smi` and CUDA_VISIBLE_DEVICES".to_owned(),
        ));
    }
    rows.extend(driver.devices.iter().map(|device| {
        let (major, minor) = device.compute_capability;
        let gib = device.memory as f64 / f64::from(1_u32 << 30);
        (
            "GPU",
            format!(
                "cuda:{}: {}, compute capability {major}.{minor}, {gib:.0} GiB",
                device.ordinal, device.name
            ),
        )
    }));
    rows
}

fn cache(kept: &CacheOptions) -> Result<String, Failure> {
    let Some(cache) = compile::cache(kept)? else {
        return Ok("off".to_owned());
    };
    let folder = cache.folder().display();
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    Ok(match cache.check().and_then(|()| cache.usage()) {
        Ok(usage) => format!(
            "{folder}: {} programs in {} of {} MiB",
            usage.results,
            mib(usage.bytes),
            mib(cache.limit())
        ),
        Err(error) => format!(
            "not usable: {folder}: {error}; set `--cache` or TX_CACHE to another folder, or to \
             `off`"
        ),
    })
}

fn ptxas() -> String {
    let Some(path) = find_ptxas() else {
        return format!("not found; only checks of the PTX need it: {GET_PTXAS}");
    };
    let version = Command::new(&path)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| {
            // The output of ptxas ends with `Cuda compilation tools, release 13.0, V13.0.88` and
            // the name of the build.
            let text = String::from_utf8(output.stdout).ok()?;
            text.split_once("release ")
                .and_then(|(_, rest)| rest.split([',', '\n']).next())
                .map(str::to_owned)
        });
    match version {
        Some(version) => format!("{version}, {}", path.display()),
        None => format!(
            "{} does not answer `--version`; install it again",
            path.display()
        ),
    }
}

/// Looks for `ptxas` in this order: on PATH, in the target directory of the program, in the target
/// directory of the current workspace, and in the target directory of the repository from which the
/// program was built. `cargo xtask setup` installs `ptxas` in the folder `tools` of a target
/// directory.
pub(crate) fn find_ptxas() -> Option<PathBuf> {
    SearchPaths {
        path: env::var_os("PATH").unwrap_or_default(),
        program: env::current_exe().ok(),
        started: env::current_dir().ok(),
        clone: PathBuf::from(env!("TX_TOOLS")),
    }
    .find("ptxas")
}

struct SearchPaths {
    path: OsString,
    program: Option<PathBuf>,
    started: Option<PathBuf>,
    /// Tools directory of the repository; empty if the program was built inside of the repository.
    clone: PathBuf,
}

impl SearchPaths {
    fn find(&self, tool: &str) -> Option<PathBuf> {
        let built_in = self.program.iter().flat_map(|exe| exe.ancestors());
        let built_in = built_in
            .filter(|folder| folder.ends_with("target"))
            .map(Path::to_owned);
        let started_in = self.started.iter().flat_map(|folder| folder.ancestors());
        let started_in = started_in.map(|folder| folder.join("target"));
        let targets = built_in.chain(started_in);
        let clone = Some(self.clone.clone()).filter(|folder| folder.is_absolute());
        env::split_paths(&self.path)
            .chain(targets.map(|target| target.join("tools")))
            .chain(clone)
            .map(|folder| folder.join(tool))
            .find(|tool| tool.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_crate_finds_the_tools_of_the_clone() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["tx/target/tools", "bin", "other/target/debug"] {
            std::fs::create_dir_all(at(name)).expect("a folder");
        }
        std::fs::write(at("tx/target/tools/ptxas"), "").expect("a file");
        let mut places = SearchPaths {
            path: at("bin").into_os_string(),
            program: Some(at("other/target/debug/my-tx")),
            started: Some(at("other")),
            clone: at("tx/target/tools"),
        };
        assert_eq!(places.find("ptxas"), Some(at("tx/target/tools/ptxas")));
        std::fs::write(at("bin/ptxas"), "").expect("a file");
        assert_eq!(places.find("ptxas"), Some(at("bin/ptxas")));
        places.path.clear();
        places.clone.clear();
        assert_eq!(places.find("ptxas"), None);
        places.started = Some(at("tx/crates"));
        assert_eq!(places.find("ptxas"), Some(at("tx/target/tools/ptxas")));
    }

    #[test]
    fn a_program_of_the_clone_names_no_folder() {
        let built = env::current_exe().expect("a path");
        let clone = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let clone = clone.canonicalize().expect("the clone");
        assert_eq!(env!("TX_TOOLS").is_empty(), built.starts_with(clone));
    }
}
