//! `cargo xtask setup`: installs missing dependencies, and reports each step.
//!
//! If all dependencies are installed, the task runs for less than a second and prints one line. The
//! tasks `demo` and `test` run `setup` first.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::sh::{self, Style};
use crate::workspace::{LLVM_MAJOR, Workspace, default_llvm_prefix, llvm_prefix};

/// LLVM packages, and the purpose of each package. `FileCheck` is in a package on which
/// `llvm-22-dev` depends.
const LLVM_PACKAGES: &[(&str, &str)] = &[
    ("libmlir-22-dev", "MLIR's libraries and headers"),
    ("mlir-22-tools", "mlir-tblgen, which compiles the dialect"),
    ("llvm-22-dev", "LLVM's libraries, llvm-config, FileCheck"),
    (
        "libpolly-22-dev",
        "a library that llvm-config lists among LLVM's own",
    ),
    ("libclang1-22", "libclang, which reads MLIR's C headers"),
    ("libclang-common-22-dev", "the headers libclang needs"),
];

/// Packages with tools and libraries that compile and link LLVM code.
const TOOLCHAIN_PACKAGES: &[(&str, &str)] = &[
    ("g++", "the C++ compiler"),
    ("zlib1g-dev", "zlib, which LLVM uses"),
    ("libzstd-dev", "zstd, which LLVM uses"),
];

/// Packages of programs with which the tests check completion scripts and manual pages.
const SHELL_PACKAGES: &[(&str, &str)] = &[
    ("zsh", "a shell with a completion script"),
    ("fish", "another"),
    ("mandoc", "checks manual pages"),
];

/// PyPI wheel that contains NVIDIA's PTX assembler `ptxas`. Tests assemble PTX with `ptxas`; `tx`
/// itself does not need `ptxas`.
const PTXAS_PACKAGE: &str = "nvidia-cuda-nvcc";
const PTXAS_VERSION: &str = "13.0.88";
const PTXAS_IN_WHEEL: &str = "nvidia/cu13/bin/ptxas";
/// SHA-256 sums of the `ptxas` wheels of the installed version, for x86-64 and for 64-bit Arm.
const PTXAS_HASHES: &[&str] = &[
    "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
    "c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f",
];

/// Packages with the browser for tests of HTML pages, and with fixed fonts for screenshots.
const BROWSER_PACKAGES: &[(&str, &str)] = &[
    ("chromium", "the browser in which pages are tested"),
    ("fonts-dejavu-core", "the fonts of its screenshots"),
];
const NODE_PACKAGES: &[(&str, &str)] = &[
    ("nodejs", "Node.js, which drives the browser"),
    ("npm", "npm, which fetches Playwright"),
];
/// Names of the npm files that specify the version of Playwright. The npm files are in the
/// directory [`DRIVER_SOURCE`] of the repository, and in the directory [`DRIVER`] of
/// `target/tools`.
const DRIVER_FILES: &[&str] = &["package.json", "package-lock.json"];
const DRIVER_SOURCE: &str = "tools/tx/tests/browser";
const DRIVER: &str = "browser";
const NODE_MAJOR: u32 = 18;

pub(crate) fn setup(workspace: &Workspace) -> Result<()> {
    let style = Style::stderr();
    let tools = workspace.target.join("tools");
    install_packages()?;
    let ptxas = install_ptxas(&tools)?;
    let browser = install_browser(&workspace.root, &tools)?;
    eprintln!(
        "{} LLVM {LLVM_MAJOR} in {}, ptxas in {}, {}",
        style.green("setup: all there,"),
        llvm_prefix().display(),
        ptxas.display(),
        browser.display(),
    );
    Ok(())
}

pub(crate) fn setup_tests() -> Result<()> {
    if is_debian() {
        return apt_install(SHELL_PACKAGES);
    }
    let missing: Vec<&str> = SHELL_PACKAGES
        .iter()
        .map(|(program, _)| *program)
        // Some shells do not support `--version`, so the check runs a script.
        .filter(|program| !sh::starts(Command::new(program).args(["-n", "/dev/null"])))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "the tests of completions and manual pages need {}: install them",
        missing.join(", ")
    );
}

fn install_packages() -> Result<()> {
    let prefix = llvm_prefix();
    let own_llvm = prefix != default_llvm_prefix();
    if own_llvm {
        check_prefix(&prefix)?;
    }
    if !is_debian() {
        // On other systems, the task only checks that the prefix contains a complete LLVM.
        return check_prefix(&prefix);
    }
    let mut wanted = TOOLCHAIN_PACKAGES.to_vec();
    if !own_llvm {
        wanted.extend_from_slice(LLVM_PACKAGES);
    }
    apt_install(&wanted)
}

fn is_debian() -> bool {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let family = release.lines().any(|line| {
        (line.starts_with("ID=") || line.starts_with("ID_LIKE="))
            && (line.contains("debian") || line.contains("ubuntu"))
    });
    family && sh::succeeds(Command::new("apt-get").arg("--version"))
}

/// Returns an error with instructions if the installation prefix does not contain LLVM with MLIR.
fn check_prefix(prefix: &Path) -> Result<()> {
    let needed = [
        "bin/llvm-config",
        "bin/mlir-tblgen",
        "bin/mlir-opt",
        "bin/FileCheck",
        "include/mlir-c/IR.h",
        "lib/libMLIRIR.a",
    ];
    let missing: Vec<&str> = needed
        .into_iter()
        .filter(|file| !prefix.join(file).exists())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "no complete LLVM {LLVM_MAJOR} in {}: {} missing\n\
         Install LLVM and MLIR {LLVM_MAJOR} with static libraries, headers, mlir-tblgen and \
         FileCheck,\nand libclang, a C++ compiler and the headers of zlib and zstd. If LLVM is \
         not in {},\nset MLIR_SYS_220_PREFIX and TABLEGEN_220_PREFIX to where it is, and run this \
         again.",
        prefix.display(),
        missing.join(", "),
        default_llvm_prefix().display(),
    );
}

fn apt_install(wanted: &[(&str, &str)]) -> Result<()> {
    let missing: Vec<(&str, &str)> = wanted
        .iter()
        .copied()
        .filter(|(package, _)| !is_installed(package))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("setup: installing {} packages with apt-get", missing.len());
    for (package, why) in &missing {
        eprintln!("setup:   {package:24} {why}");
    }
    let names: Vec<&str> = missing.iter().map(|(package, _)| *package).collect();

    // A fresh image has no package lists, and old lists may name removed versions. The task updates
    // the package lists only if the lists lack a package or the download of a package fails,
    // because the update is the slowest step.
    let mut fresh = false;
    if !names.iter().all(|package| has_candidate(package)) {
        apt_get(&["update"])?;
        fresh = true;
        let unknown: Vec<&str> = names
            .iter()
            .copied()
            .filter(|package| !has_candidate(package))
            .collect();
        if !unknown.is_empty() {
            bail!(
                "this system's package lists have no {}\n\
                 Debian 12 carries LLVM {LLVM_MAJOR} in its `bookworm-security` suite, which \
                 /etc/apt/sources.list should name. On other\nreleases add the LLVM project's \
                 own repository (https://apt.llvm.org), or install LLVM and MLIR {LLVM_MAJOR} by \
                 hand and set\nMLIR_SYS_220_PREFIX and TABLEGEN_220_PREFIX to where it is.",
                unknown.join(", ")
            );
        }
    }
    let install = [&["install", "--yes", "--no-install-recommends"], &names[..]].concat();
    if let Err(error) = apt_get(&install) {
        if fresh {
            return Err(error);
        }
        eprintln!("setup: trying again with fresh package lists");
        apt_get(&["update"])?;
        apt_get(&install)?;
    }
    Ok(())
}

fn is_installed(package: &str) -> bool {
    sh::capture(Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}\n", package]))
        .is_ok_and(|output| output.stdout.lines().any(|line| line == "installed"))
}

fn has_candidate(package: &str) -> bool {
    sh::capture(Command::new("apt-cache").args(["policy", package])).is_ok_and(|output| {
        output
            .stdout
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Candidate:"))
            .any(|version| version.trim() != "(none)")
    })
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let root = sh::capture(Command::new("id").arg("-u"))?.stdout.trim() == "0";
    let mut command = if root {
        Command::new("env")
    } else if sh::succeeds(Command::new("sudo").arg("--version")) {
        let mut command = Command::new("sudo");
        command.arg("env");
        command
    } else {
        bail!(
            "not root, and there is no sudo. Run this as root, then try again:\n    apt-get {}",
            arguments.join(" ")
        );
    };
    command
        .args(["DEBIAN_FRONTEND=noninteractive", "apt-get"])
        // The command waits for another apt process, for example during the first boot.
        .args(["-o", "DPkg::Lock::Timeout=180", "-q"])
        .args(arguments);
    sh::run(&mut command)
}

fn install_ptxas(tools: &Path) -> Result<PathBuf> {
    if let Some(own) = std::env::var_os("TX_PTXAS") {
        let own = PathBuf::from(own);
        if !own.is_file() {
            bail!(
                "TX_PTXAS names {}, which is no file: unset it, or correct it",
                own.display()
            );
        }
        return Ok(own);
    }
    let ptxas = tools.join("ptxas");
    let stamp = tools.join("ptxas.version");
    if ptxas.is_file()
        && fs::read_to_string(&stamp).is_ok_and(|version| version.trim() == PTXAS_VERSION)
    {
        return Ok(ptxas);
    }
    if !cfg!(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )) {
        bail!(
            "there is no ptxas of NVIDIA's for this machine: the tests that assemble PTX need a \
             Linux machine, x86-64 or 64-bit Arm"
        );
    }
    if !sh::succeeds(Command::new("python3").args(["-m", "pip", "--version"])) {
        if !is_debian() {
            bail!(
                "ptxas comes from PyPI, and `python3 -m pip` does not work: install Python 3 with \
                 pip, or set TX_PTXAS to a ptxas of CUDA 12.8 or later"
            );
        }
        apt_install(&[("python3-pip", "pip, which fetches ptxas")])?;
    }

    eprintln!(
        "setup: fetching ptxas {PTXAS_VERSION} (PyPI {PTXAS_PACKAGE}, about 40 MB) to {}",
        ptxas.display()
    );
    let download = tools.join("download");
    let _ = fs::remove_dir_all(&download);
    fs::create_dir_all(&download)
        .with_context(|| format!("cannot create {}", download.display()))?;
    let requirement = download.join("requirement.txt");
    let hashes: String = PTXAS_HASHES
        .iter()
        .map(|hash| format!(" --hash=sha256:{hash}"))
        .collect();
    fs::write(
        &requirement,
        format!("{PTXAS_PACKAGE}=={PTXAS_VERSION}{hashes}\n"),
    )?;
    sh::run(
        Command::new("python3")
            .args(["-m", "pip", "download", "--no-deps"])
            .args(["--only-binary=:all:", "--require-hashes", "--dest"])
            .arg(&download)
            .arg("--requirement")
            .arg(&requirement),
    )?;
    let wheel = fs::read_dir(&download)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("pip said it downloaded a wheel, and there is none")?;
    // The file is first written with a temporary name, so that an interrupted run leaves no partial
    // file.
    let partial = tools.join("ptxas.partial");
    unpack(&wheel, PTXAS_IN_WHEEL, &partial)?;
    make_executable(&partial)?;
    fs::rename(&partial, &ptxas)?;
    fs::write(&stamp, format!("{PTXAS_VERSION}\n"))?;
    let _ = fs::remove_dir_all(&download);

    sh::capture(Command::new(&ptxas).arg("--version")).context("the ptxas just fetched")?;
    Ok(ptxas)
}

/// Installs Playwright in `tools`, and on Debian also Chromium. Returns the path of the browser.
fn install_browser(root: &Path, tools: &Path) -> Result<PathBuf> {
    let own = std::env::var_os("TX_CHROMIUM").map(PathBuf::from);
    let browser = own
        .clone()
        .unwrap_or_else(|| PathBuf::from("/usr/bin/chromium"));
    if is_debian() {
        // If the user provides a browser, the task installs only the fonts. The user may have
        // installed Node.js without apt.
        let fonts = &BROWSER_PACKAGES[usize::from(own.is_some())..];
        let node = if has_node() { &[] } else { NODE_PACKAGES };
        apt_install(&[fonts, node].concat())?;
    }
    if !browser.is_file() {
        bail!(
            "pages are tested in Chromium, and there is no {}: install it, or set TX_CHROMIUM to it",
            browser.display()
        );
    }
    if !has_node() {
        bail!(
            "Node.js drives the browser in which pages are tested: install Node.js {NODE_MAJOR} \
             or later with npm"
        );
    }
    let (source, folder) = (root.join(DRIVER_SOURCE), tools.join(DRIVER));
    let is_there = folder
        .join("node_modules/playwright-core/package.json")
        .is_file()
        && DRIVER_FILES
            .iter()
            .all(|file| fs::read(source.join(file)).ok() == fs::read(folder.join(file)).ok());
    if is_there {
        return Ok(browser);
    }
    eprintln!(
        "setup: fetching playwright-core (npm, about 3 MB) to {}",
        folder.display()
    );
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for file in DRIVER_FILES.iter().rev() {
        fs::copy(source.join(file), folder.join(file))
            .with_context(|| format!("cannot copy {DRIVER_SOURCE}/{file}"))?;
    }
    sh::run(
        Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
            .current_dir(&folder),
    )?;
    Ok(browser)
}

fn has_node() -> bool {
    let version = sh::capture(Command::new("node").arg("--version"));
    let major = version.ok().and_then(|output| {
        let version = output.stdout.trim().strip_prefix('v')?.to_owned();
        version.split('.').next()?.parse::<u32>().ok()
    });
    major.is_some_and(|major| major >= NODE_MAJOR)
        && sh::succeeds(Command::new("npm").arg("--version"))
}

fn unpack(wheel: &Path, entry: &str, to: &Path) -> Result<()> {
    let file = fs::File::open(wheel)?;
    let mut archive = zip::ZipArchive::new(file)
        .with_context(|| format!("{} is not a wheel", wheel.display()))?;
    let mut source = archive
        .by_name(entry)
        .with_context(|| format!("{} holds no {entry}", wheel.display()))?;
    let mut target = fs::File::create(to)?;
    io::copy(&mut source, &mut target)?;
    Ok(())
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<()> {
    Ok(())
}
