//! A crate outside of the workspace that depends on `tx-compiler` alone registers a variant and a pass, and compiles.
//!
//! It is made in a folder of its own, and built into this workspace's target folder: what comes from registries is there
//! already, under the same profile.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The profile under which packages of registries are built here, without what is said of packages of the workspace: elsewhere
/// these are others, and what they compile is small.
fn profile(manifest: &str) -> String {
    let mut kept = String::new();
    let mut keeps = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            keeps = section.starts_with("profile.dev") && !section.contains(".tx-");
        }
        if keeps {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[test]
fn another_compiler_needs_one_package() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..");
    let read = |file: &Path| {
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    let folder = tempfile::tempdir().expect("a folder");
    let to = |name: &str| folder.path().join(name);
    fs::create_dir_all(to("src")).expect("a folder");
    // Where MLIR is: the lines that `docs/embedding.md` tells to copy.
    fs::create_dir_all(to(".cargo")).expect("a folder");

    let compiler = here.join("../tx").canonicalize().expect("the package");
    let manifest = read(&here.join("tests/outside/Cargo.toml"));
    let manifest = manifest.replace("TX_COMPILER", &compiler.display().to_string());
    let manifest = manifest + "\n" + &profile(&read(&root.join("Cargo.toml")));
    fs::write(to("Cargo.toml"), manifest).expect("written");
    for (from, name) in [
        (root.join("Cargo.lock"), "Cargo.lock"),
        (root.join(".cargo/config.toml"), ".cargo/config.toml"),
        (here.join("tests/outside/outside.rs"), "src/main.rs"),
        (
            here.join("examples/03-variant/pairwise.rs"),
            "src/pairwise.rs",
        ),
        (
            here.join("examples/04-pass/set_determinism.rs"),
            "src/set_determinism.rs",
        ),
    ] {
        fs::copy(&from, to(name)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }

    let test = std::env::current_exe().expect("a path");
    let target = test.ancestors().nth(3).expect("the target folder");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        // The versions of the lock file, which also has packages that this needs not.
        .args(["run", "--quiet", "--offline", "--target-dir"])
        .arg(target)
        .current_dir(folder.path())
        .output()
        .expect("cargo starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.starts_with("another compiler: "), "{out}\n{err}");
}
