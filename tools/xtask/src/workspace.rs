//! Where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::sh;

/// The major version of LLVM. Its other home is `.cargo/config.toml`; `tidy` compares the two.
pub(crate) const LLVM_MAJOR: u32 = 22;

/// The checkout, as cargo sees it.
pub(crate) struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's target directory.
    pub(crate) target: PathBuf,
    /// The version of the packages.
    pub(crate) version: String,
    /// `cargo metadata --no-deps`.
    pub(crate) metadata: Value,
}

impl Workspace {
    pub(crate) fn load() -> Result<Self> {
        // Cargo sets the variable for `cargo xtask`; the fallback serves a binary started by hand.
        let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let output = sh::capture(
            Command::new(cargo_program())
                .args(["metadata", "--no-deps", "--format-version", "1"])
                .current_dir(manifest_dir),
        )?;
        let metadata: Value =
            serde_json::from_str(&output.stdout).context("cargo metadata is not JSON")?;
        let path = |key: &str| -> Result<PathBuf> {
            let text = metadata[key]
                .as_str()
                .with_context(|| format!("cargo metadata has no `{key}`"))?;
            Ok(PathBuf::from(text))
        };
        Ok(Self {
            root: path("workspace_root")?,
            target: path("target_directory")?,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            metadata,
        })
    }

    /// Cargo, to be run at the root.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(cargo_program());
        command.current_dir(&self.root);
        command
    }

    /// Builds one binary and returns where it is. `profile` is cargo's name for it.
    ///
    /// Features are those that all packages together ask for, as in tests: nothing that these were
    /// built with is built again.
    pub(crate) fn build(&self, binary: &str, profile: &str) -> Result<PathBuf> {
        sh::run(self.cargo().args([
            "build",
            "--profile",
            profile,
            "--workspace",
            "--bin",
            binary,
        ]))?;
        let folder = if profile == "dev" { "debug" } else { profile };
        Ok(self.target.join(folder).join(binary))
    }

    /// Every file git knows or would add, relative to the root.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let output = sh::capture(
            Command::new("git")
                .args([
                    "ls-files",
                    "-z",
                    "--cached",
                    "--others",
                    "--exclude-standard",
                ])
                .current_dir(&self.root),
        )
        .context("tidy reads the list of files from git: run it in a clone")?;
        let mut files: Vec<PathBuf> = output
            .stdout
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(PathBuf::from)
            // A file deleted but not yet committed is still listed.
            .filter(|file| self.root.join(file).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The packages of the workspace that have a target of this kind (`bench`, `test` ...).
    pub(crate) fn packages_with(&self, kind: &str) -> Vec<String> {
        self.packages()
            .iter()
            .filter(|package| {
                package["targets"].as_array().is_some_and(|targets| {
                    targets.iter().any(|target| {
                        target["kind"]
                            .as_array()
                            .is_some_and(|kinds| kinds.iter().any(|each| each == kind))
                    })
                })
            })
            .filter_map(|package| package["name"].as_str().map(str::to_owned))
            .collect()
    }

    /// The packages of the workspace, as `cargo metadata` describes them.
    pub(crate) fn packages(&self) -> &[Value] {
        self.metadata["packages"]
            .as_array()
            .map_or(&[], Vec::as_slice)
    }
}

fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Where LLVM is installed. `.cargo/config.toml` sets the variable unless the user did.
pub(crate) fn llvm_prefix() -> PathBuf {
    std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(default_llvm_prefix, PathBuf::from)
}

/// Where Debian's packages put it.
pub(crate) fn default_llvm_prefix() -> PathBuf {
    Path::new("/usr/lib").join(format!("llvm-{LLVM_MAJOR}"))
}
