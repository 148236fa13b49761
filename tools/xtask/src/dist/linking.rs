//! Static linking of the program, and the libraries that the program requires of a host.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::sh;

/// Shared libraries that every Linux system with glibc provides.
const HOST_LIBRARIES: &[&str] = &[
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];

/// Newest version of glibc that the program may require: the version of glibc in Debian 12.
pub(super) const NEWEST_GLIBC: (u32, u32) = (2, 36);

/// Libraries that the program links statically (`lib*.a`), although mlir-sys requests the shared
/// libraries.
const STATIC_LIBRARIES: &[&str] = &["stdc++", "z", "zstd"];

/// Returns the name of the environment variable that specifies the linker of cargo.
pub(super) fn linker_variable() -> String {
    format!(
        "CARGO_TARGET_{}_UNKNOWN_LINUX_GNU_LINKER",
        std::env::consts::ARCH.to_uppercase()
    )
}

/// Creates a linker wrapper that prefers static versions of [`STATIC_LIBRARIES`].
///
/// mlir-sys requests `-lstdc++`, `-lz` and `-lzstd`. The C compiler driver, which links Rust
/// programs, ignores `-static-libstdc++`. A linker takes a library from the first search directory
/// that contains the library. The wrapper therefore inserts a directory of static libraries before
/// all other search directories.
pub(super) fn static_linker(folder: &Path) -> Result<PathBuf> {
    let archives = folder.join("static-libraries");
    fs::create_dir_all(&archives)?;
    for library in STATIC_LIBRARIES {
        let name = format!("lib{library}.a");
        let output = sh::capture(Command::new("c++").arg(format!("-print-file-name={name}")))?;
        let path = Path::new(output.stdout.trim());
        // If the compiler does not find the library, it prints the file name without a path.
        if !path.is_absolute() {
            bail!(
                "there is no {name} to link into tx: install the development package that has it"
            );
        }
        symlink(path, &archives.join(&name))?;
    }
    let linker = folder.join("linker");
    fs::write(
        &linker,
        format!(
            "#!/bin/sh\n# Written by `cargo xtask dist`.\nexec cc -L'{}' \"$@\"\n",
            archives.display()
        ),
    )?;
    make_executable(&linker)?;
    Ok(linker)
}

#[cfg(unix)]
fn symlink(original: &Path, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(original, link)?;
    Ok(())
}

#[cfg(unix)]
pub(super) fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

#[cfg(not(unix))]
fn symlink(_original: &Path, _link: &Path) -> Result<()> {
    bail!("dist needs symbolic links")
}

#[cfg(not(unix))]
pub(super) fn make_executable(_path: &Path) -> Result<()> {
    bail!("dist needs executable files")
}

/// Fails if the program requires a shared library that is not in [`HOST_LIBRARIES`], or a glibc
/// version newer than [`NEWEST_GLIBC`].
pub(super) fn check_host_requirements(program: &Path) -> Result<()> {
    let dynamic = sh::capture(
        Command::new("readelf")
            .args(["--dynamic", "--wide"])
            .arg(program),
    )?;
    let foreign: Vec<&str> = needed_libraries(&dynamic.stdout)
        .into_iter()
        .filter(|library| !HOST_LIBRARIES.contains(library))
        .collect();
    if !foreign.is_empty() {
        bail!(
            "{} would need {} on the other machine: link it statically (STATIC_LIBRARIES in \
             tools/xtask/src/dist/linking.rs), or not at all",
            program.display(),
            foreign.join(", ")
        );
    }
    let symbols = sh::capture(
        Command::new("readelf")
            .args(["--version-info", "--wide"])
            .arg(program),
    )?;
    if let Some(newest) = glibc_versions(&symbols.stdout).last()
        && *newest > NEWEST_GLIBC
    {
        bail!(
            "{} needs glibc {}.{}, newer than Debian 12's {}.{}: build it on Debian 12",
            program.display(),
            newest.0,
            newest.1,
            NEWEST_GLIBC.0,
            NEWEST_GLIBC.1
        );
    }
    Ok(())
}

fn needed_libraries(readelf: &str) -> Vec<&str> {
    readelf
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| {
            line.split_once('[')?
                .1
                .split_once(']')
                .map(|(name, _)| name)
        })
        .collect()
}

fn glibc_versions(readelf: &str) -> BTreeSet<(u32, u32)> {
    readelf
        .split("GLIBC_")
        .skip(1)
        .filter_map(|text| {
            let version = text
                .split(|c: char| !c.is_ascii_digit() && c != '.')
                .next()?;
            let mut parts = version.split('.').map(str::parse);
            Some((parts.next()?.ok()?, parts.next()?.ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_libraries_are_read_from_the_dynamic_section() {
        let listing = "\
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libstdc++.so.6]
 0x000000000000000c (INIT)               0x1000
";
        assert_eq!(needed_libraries(listing), ["libc.so.6", "libstdc++.so.6"]);
    }

    #[test]
    fn glibc_versions_compare_as_numbers() {
        let listing =
            "GLIBC_2.9 (4)  GLIBC_2.2.5 (2)\n Name: GLIBC_2.34  Flags: none GLIBC_PRIVATE";
        let versions = glibc_versions(listing);
        assert_eq!(versions.last(), Some(&(2, 34)));
        assert_eq!(versions.len(), 3);
    }
}
