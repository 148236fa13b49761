//! Paths and packages of the cargo workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::sh;

/// Major version of LLVM. `cargo xtask tidy` checks that the file `.cargo/config.toml` specifies
/// this LLVM version.
pub(crate) const LLVM_MAJOR: u32 = 22;

pub(crate) struct Workspace {
    /// Directory of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) version: String,
    /// Output of `cargo metadata --no-deps`.
    pub(crate) metadata: Value,
}

impl Workspace {
    pub(crate) fn load() -> Result<Self> {
        // Cargo sets this environment variable for `cargo xtask`. If the user starts the binary
        // directly, the task uses the path from the build of the binary.
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

    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(cargo_program());
        command.current_dir(&self.root);
        command
    }

    /// Builds a binary with a cargo profile, and returns the path of the binary.
    ///
    /// The build enables the cargo features of the whole workspace, so that tests after this build
    /// need not rebuild dependencies.
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

    /// Returns the path of every file that git tracks or would add, relative to the root of the
    /// repository.
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
            // `git ls-files` also lists deleted files.
            .filter(|file| self.root.join(file).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Returns the text of a file. The path of the file is relative to the root of the repository.
    pub(crate) fn read(&self, file: &Path) -> Result<String> {
        std::fs::read_to_string(self.root.join(file))
            .with_context(|| format!("cannot read {}", file.display()))
    }

    /// Returns the workspace packages that have a cargo target of the kind `kind`, such as `bench`
    /// or `test`.
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

    pub(crate) fn packages(&self) -> &[Value] {
        self.metadata["packages"]
            .as_array()
            .map_or(&[], Vec::as_slice)
    }
}

fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Returns the installation prefix of LLVM. The environment variable `MLIR_SYS_220_PREFIX` contains
/// the installation prefix. If the user has not set the environment variable `MLIR_SYS_220_PREFIX`,
/// `.cargo/config.toml` sets the variable.
pub(crate) fn llvm_prefix() -> PathBuf {
    std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(default_llvm_prefix, PathBuf::from)
}

/// Returns the installation prefix of Debian's LLVM packages.
pub(crate) fn default_llvm_prefix() -> PathBuf {
    Path::new("/usr/lib").join(format!("llvm-{LLVM_MAJOR}"))
}
