//! `cargo xtask dist`: builds a self-contained archive of `tx` for Linux machines with a CUDA
//! driver.
//!
//! The program `tx` in the archive contains MLIR, LLVM and the C++ runtime. Like the CUDA driver,
//! the program uses the C library of the host. The task checks which shared libraries and which
//! glibc version the program requires. The archive also contains test programs, their inputs and
//! expected outputs, and a script that runs the test programs without Rust.

mod licenses;
mod linking;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::npy::Array;
use crate::sh::{self, Style};
use crate::workspace::Workspace;
use crate::{changelog, demo, setup};
use licenses::add_licenses;
use linking::{
    NEWEST_GLIBC, check_host_requirements, linker_variable, make_executable, static_linker,
};

/// Maximum size of the archive, in bytes.
const SIZE_LIMIT: u64 = 52_500_000;

const SCRIPT: &str = include_str!("gpu-test.py");
pub(crate) const SCRIPT_NAME: &str = "gpu-test.py";

/// Folder of the GPU examples in the archive. The folder contains one program with the examples 06
/// to 08, the MLIR source of the examples, and a script that runs the program.
const EXAMPLES: &str = "examples";
const EXAMPLES_SCRIPT: &str = include_str!("gpu-examples.sh");
const EXAMPLES_SOURCE: &str = "crates/show/tx-examples/examples/gpu/row_sums.mlir";
/// Path of the examples script, relative to the root of the archive.
pub(crate) const EXAMPLES_SCRIPT_NAME: &str = "examples/gpu-examples.sh";

/// Files of the benchmarks of block-level and grid-level reductions. On the GPU machine, the
/// benchmarks generate and compile programs, and measure the run times of these programs.
const BENCHMARK: [(&str, &str); 10] = [
    (
        "bench-grid.py",
        include_str!("../../bench-grid/bench-grid.py"),
    ),
    (
        "check-large.py",
        include_str!("../../bench-grid/check-large.py"),
    ),
    (
        "elementwise.py",
        include_str!("../../bench-grid/elementwise.py"),
    ),
    ("launch.py", include_str!("../../bench-grid/launch.py")),
    ("peers.cu", include_str!("../../bench-grid/peers.cu")),
    ("plot.py", include_str!("../../bench-grid/plot.py")),
    ("rows.py", include_str!("../../bench-grid/rows.py")),
    (
        "triton_rows.py",
        include_str!("../../bench-grid/triton_rows.py"),
    ),
    (
        "bench-tile.py",
        include_str!("../../bench-tile/bench-tile.py"),
    ),
    ("bench.cu", include_str!("../../bench-tile/bench.cu")),
];

pub(crate) fn archive_path(workspace: &Workspace) -> PathBuf {
    let name = format!("{}.tar.xz", archive_name(workspace));
    workspace.target.join("dist").join(name)
}

fn archive_name(workspace: &Workspace) -> String {
    format!("tx-{}-{}-linux", workspace.version, std::env::consts::ARCH)
}

/// Builds the archive. `tag`, if present, must denote the version of the workspace, and the
/// changelog must contain a section for this version.
pub(crate) fn dist(workspace: &Workspace, tag: Option<&str>) -> Result<PathBuf> {
    if !cfg!(target_os = "linux") {
        bail!("dist makes a Linux program and has to run on Linux");
    }
    if let Some(tag) = tag {
        let changes = fs::read_to_string(workspace.root.join("CHANGELOG.md"))?;
        if let Some(why) = changelog::refuse_tag(&changes, &workspace.version, tag) {
            bail!("{why}");
        }
    }
    setup::setup(workspace)?;
    let folder = workspace.target.join("dist-files");
    let name = archive_name(workspace);
    let staging = folder.join(&name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&staging)?;

    let linker = static_linker(&folder)?;
    let cargo = || {
        let mut command = workspace.cargo();
        command.env(linker_variable(), &linker);
        command
    };
    sh::run(cargo().args([
        "build",
        "--profile",
        "dist",
        "--package",
        "tx-cli",
        "--bin",
        "tx",
    ]))?;
    let tx = workspace.target.join("dist").join("tx");
    check_host_requirements(&tx)?;

    fs::copy(&tx, staging.join("tx"))?;
    fs::write(staging.join(SCRIPT_NAME), SCRIPT)?;
    for (name, text) in BENCHMARK {
        fs::write(staging.join(name), text)?;
    }
    // The examples are built without the compiler, for machines on which only a GPU driver is
    // installed.
    sh::run(cargo().args([
        "build",
        "--profile",
        "dist",
        "--package",
        "tx-examples",
        "--no-default-features",
        "--features",
        "nccl",
        "--example",
        "gpu",
    ]))?;
    let gpu = workspace.target.join("dist").join(EXAMPLES).join("gpu");
    check_host_requirements(&gpu)?;
    add_examples(workspace, &tx, &gpu, &staging)?;
    fs::write(staging.join("README.txt"), readme(&name))?;
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        fs::copy(workspace.root.join(file), staging.join(file))?;
    }
    add_manual(&tx, &staging)?;
    add_licenses(workspace, &staging.join("licenses"))?;
    for (test, folder) in [
        ("conformance", staging.join("conformance")),
        ("programs", staging.join("programs")),
    ] {
        sh::run(
            cargo()
                .args(["test", "--profile", "dist", "--package", "tx-cli"])
                .args(["--test", test, "--", "--dump"])
                .arg(folder),
        )?;
    }
    add_demonstrations(workspace, &staging.join("cases"))?;

    let archive = archive_path(workspace);
    if let Some(parent) = archive.parent() {
        fs::create_dir_all(parent)?;
    }
    let _ = fs::remove_file(&archive);
    sh::run(
        Command::new("tar")
            // The archive must be reproducible, so its entries have no owners and the same date,
            // and are sorted by name.
            .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
            .args(["--mtime=2000-01-01 00:00Z", "-C"])
            .arg(&folder)
            .arg("-cJf")
            .arg(&archive)
            .arg(&name)
            .env("XZ_OPT", "-6 -T0"),
    )
    .context("the archive needs tar and xz (Debian: xz-utils)")?;
    write_checksum(&archive)?;
    let size = fs::metadata(&archive)?.len();
    if size > SIZE_LIMIT {
        bail!(
            "{} has {size} bytes, and the limit is {SIZE_LIMIT}: look for what grew in `tx`",
            archive.display()
        );
    }
    println!(
        "{} {} ({}.{} MB; tx itself {} MB)",
        Style::stdout().green("dist: wrote"),
        archive.display(),
        size / 1_000_000,
        size / 100_000 % 10,
        fs::metadata(&tx)?.len() / 1_000_000
    );
    Ok(archive)
}

/// Writes manual pages and completion scripts to the standard locations below an installation
/// prefix.
fn add_manual(tx: &Path, staging: &Path) -> Result<()> {
    sh::capture(
        Command::new(tx)
            .args(["man", "--dir"])
            .arg(staging.join("share/man/man1")),
    )?;
    for (shell, path) in [
        ("bash", "share/bash-completion/completions/tx"),
        ("zsh", "share/zsh/site-functions/_tx"),
        ("fish", "share/fish/vendor_completions.d/tx.fish"),
    ] {
        let script = sh::capture(Command::new(tx).args(["completions", shell]))?;
        let path = staging.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, script.stdout)?;
    }
    Ok(())
}

fn write_checksum(file: &Path) -> Result<()> {
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .context("a file without a name")?;
    let digest = Sha256::digest(fs::read(file)?);
    let hexadecimal: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(
        file.with_file_name(format!("{name}.sha256")),
        format!("{hexadecimal}  {name}\n"),
    )?;
    Ok(())
}

/// Adds the GPU examples to the archive: the program, its PTX, and the script. The PTX is for
/// sm_80, and also runs on newer chips.
fn add_examples(workspace: &Workspace, tx: &Path, gpu: &Path, staging: &Path) -> Result<()> {
    let folder = staging.join(EXAMPLES);
    fs::create_dir_all(&folder)?;
    fs::copy(gpu, folder.join("gpu"))?;
    let source = folder.join("row_sums.mlir");
    fs::copy(workspace.root.join(EXAMPLES_SOURCE), &source)?;
    sh::run(
        Command::new(tx)
            .arg("compile")
            .arg(&source)
            .args(["--chip", "sm_80", "--cache", "off", "-o"])
            .arg(folder.join("row_sums.ptx"))
            .arg("--plan")
            .arg(folder.join("row_sums.json")),
    )?;
    let script = staging.join(EXAMPLES_SCRIPT_NAME);
    fs::write(&script, EXAMPLES_SCRIPT)?;
    make_executable(&script)
}

fn add_demonstrations(workspace: &Workspace, cases: &Path) -> Result<()> {
    let mut list = Vec::new();
    for program in [demo::SHARED, demo::LOCAL] {
        let file = Path::new(program.file);
        let id = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .context("a demonstration without a name")?;
        let folder = cases.join(id);
        fs::create_dir_all(&folder)?;
        fs::copy(workspace.root.join(file), folder.join("program.mlir"))
            .with_context(|| format!("cannot copy the demonstration {}", file.display()))?;
        let expected: Vec<f32> = program.reference().iter().map(|sum| *sum as f32).collect();
        let zeros = vec![0.0; expected.len()];
        for (name, array) in [
            ("arg0.npy", program.input()),
            ("arg1.npy", Array::f32(program.destination, &zeros)),
            ("expected.npy", Array::f32(program.destination, &expected)),
        ] {
            array
                .write(&folder.join(name))
                .map_err(|error| anyhow!(error))?;
        }
        let region: Vec<[usize; 2]> = program.destination.iter().map(|e| [0, *e]).collect();
        list.push(json!({
            "id": id,
            "folder": id,
            "args": ["arg0.npy", "arg1.npy"],
            "outputs": [{
                "argument": 1,
                "expected": "expected.npy",
                "type": "f32",
                "region": region,
                "atol": 0.0,
                "rtol": 0.0,
            }],
        }));
    }
    fs::write(
        cases.join("manifest.json"),
        serde_json::to_string_pretty(&json!({ "cases": list }))? + "\n",
    )?;
    Ok(())
}

fn readme(name: &str) -> String {
    format!(
        "{name}\n\n\
         tx compiles reductions written in MLIR to PTX and runs them. This is the program alone:\n\
         it needs a Linux machine with the GNU C library {}.{} or later and, to run on a GPU,\n\
         NVIDIA's driver. No CUDA toolkit.\n\n\
         \x20   ./tx doctor                         what this machine has\n\
         \x20   ./tx --help                         what tx can do\n\
         \x20   python3 {SCRIPT_NAME}                  run every case on the GPU, compare     \n\
         \x20   python3 {SCRIPT_NAME} --device cpu     the same on the CPU\n\
         \x20   sh {EXAMPLES_SCRIPT_NAME}         programs with buffers, streams and GPUs of \
         their own; NCCL\n\
         \x20   python3 bench-tile.py               time reductions in a block beside CUB (needs nvcc)\n\
         \x20   python3 bench-grid.py               time those of whole arrays beside CUB, \
         PyTorch and Triton\n\
         \x20   python3 elementwise.py              time element-wise programs beside PyTorch\n\
         \x20   python3 rows.py                     time programs over rows beside PyTorch and others\n\
         \x20   python3 check-large.py              compare those of half a gibibyte and more \
         with PyTorch\n\n\
         The Python scripts need Python 3 with NumPy; tx and the examples do not.\n\n\
         share/ has manual pages and completions for bash, zsh and fish: copy it to a prefix such as\n\
         ~/.local. CHANGELOG.md says what is new, licenses/ what is linked into tx.\n",
        NEWEST_GLIBC.0, NEWEST_GLIBC.1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_read_by_the_usual_program() {
        let folder = std::env::temp_dir().join(format!("tx-checksum-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.tar.xz"), "abc").unwrap();
        write_checksum(&folder.join("a.tar.xz")).unwrap();
        let text = fs::read_to_string(folder.join("a.tar.xz.sha256")).unwrap();
        let check = sh::capture(
            Command::new("sha256sum")
                .args(["--check", "a.tar.xz.sha256"])
                .current_dir(&folder),
        );
        fs::remove_dir_all(&folder).unwrap();
        assert!(
            text.starts_with("ba7816bf8f01cfea414140de5dae2223"),
            "{text}"
        );
        assert_eq!(check.unwrap().stdout, "a.tar.xz: OK\n");
    }
}
