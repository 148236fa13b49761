//! Builds the crate `another-compiler` outside the workspace. The crate registers a variant and a
//! pass, and tests them with its own `opt` and `tx` programs. Its tests must detect errors in the
//! variant.
//!
//! The crate is copied to a temporary folder, and built into the target folder of this workspace.
//! This folder already contains the registry dependencies, built with the same profile.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the `profile.dev` sections of the workspace manifest, without the overrides for packages
/// of the workspace.
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

/// Copy of the crate `another-compiler` in a temporary folder.
struct Crate {
    folder: tempfile::TempDir,
}

/// Path of the crate in the temporary folder and in this workspace.
const HOME: &str = "tools/another-compiler";
/// Example files with the variant and the pass that the crate uses.
const VARIANT: &str = "crates/show/tx-examples/examples/03-variant/pairwise.rs";
const PASS: &str = "crates/show/tx-examples/examples/04-pass/set_determinism.rs";
/// A test of the variant.
const TEST: &str = "tools/another-compiler/tests/lit/pairwise.mlir";

impl Crate {
    fn new() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.join("../../..").canonicalize().expect("the workspace");
        let made = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        for part in [HOME, VARIANT, PASS] {
            copy(&root.join(part), &made.folder.path().join(part));
        }
        // Files with the dependency versions and the path of MLIR, which `docs/how-to/embed.md`
        // tells users to copy.
        let home = made.folder.path().join(HOME);
        for part in ["Cargo.lock", ".cargo/config.toml"] {
            copy(&root.join(part), &home.join(part));
        }
        let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
        made.edit(&format!("{HOME}/Cargo.toml"), |manifest| {
            let crates = format!("path = \"{}/{HOME}/../", root.display());
            manifest.replace("path = \"../", &crates) + "\n[workspace]\n" + &profile(&workspace)
        });
        made
    }

    fn edit(&self, name: &str, edit: impl Fn(&str) -> String) {
        let path = self.folder.path().join(name);
        let text = fs::read_to_string(&path).expect("a file");
        let edited = edit(&text);
        assert_ne!(text, edited, "{name} is as it was");
        fs::write(&path, edited).expect("written");
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let test = std::env::current_exe().expect("a path");
        let target = test.ancestors().nth(3).expect("the target folder");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Command::new(cargo)
            .arg(arguments[0])
            // The build uses the versions of the copied lock file, although this file lists more
            // packages than the crate needs.
            .args(["--quiet", "--offline", "--target-dir"])
            .arg(target)
            .args(&arguments[1..])
            .current_dir(self.folder.path().join(HOME))
            .output()
            .expect("cargo starts")
    }
}

/// Copies a file, or a folder with its contents.
fn copy(from: &Path, to: &Path) {
    let copied = if from.is_dir() {
        fs::read_dir(from).map(|entries| {
            for entry in entries {
                let entry = entry.expect("an entry");
                copy(&entry.path(), &to.join(entry.file_name()));
            }
        })
    } else {
        fs::create_dir_all(to.parent().expect("a folder"))
            .and_then(|()| fs::copy(from, to))
            .map(drop)
    };
    copied.unwrap_or_else(|error| panic!("{}: {error}", from.display()));
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}\n{err}")
}

/// Rebuilds the packages of the workspace, because the copy has no profile overrides for them.
#[test]
fn another_compiler_has_all_it_needs() {
    let made = Crate::new();
    let output = made.cargo(&["run"]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.starts_with("another compiler: "), "{said}");

    let tests = made.cargo(&["test", "--test", "lit"]);
    assert!(tests.status.success(), "{}", text(&tests));

    // The test inserts two errors into the variant: the variant omits the last element, and the
    // variant panics for rows of five elements. The emitted code has one load less.
    made.edit(VARIANT, |variant| {
        variant.replace(
            "(0..length.cast_signed()).map",
            "(0..length.cast_signed() - 1 / i64::from(length != 5)).map",
        )
    });
    made.edit(TEST, |test| test.replace("loads = 4", "loads = 3"));
    let tests = made.cargo(&["test", "--test", "lit"]);
    let said = text(&tests);
    assert!(!tests.status.success(), "{said}");
    for part in [
        "pairwise.mlir:10: VALIDATE\nthe program is not valid",
        "`tile-expand-reduce` with the variant `pairwise` changes the results of the program",
        "3 passed; 1 failed",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }

    // Random programs detect the error if the command forces the variant for these programs.
    let fuzz = ["run", "--bin", "my-tx", "--", "fuzz", "modules"];
    // One random program is small, so the reduction of this program is fast.
    let forced = ["--variant", "pairwise", "--first", "8", "--cases", "4"];
    let output = made.cargo(&[&fuzz[..], &forced].concat());
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    for part in ["x pairwise\n", "findings ", "wrong in tile-expand-reduce: "] {
        assert!(said.contains(part), "{part}: {said}");
    }

    // The error for a panic names the variant, at the location of the op.
    made.edit(TEST, |test| {
        test.replace("8x4xf32", "8x5xf32")
            .replace("[1, 4]", "[1, 5]")
            .replace("memref<4xf32", "memref<5xf32")
    });
    let compile = ["run", "--bin", "my-tx", "--", "compile"];
    let output = made.cargo(&[&compile[..], &["tests/lit/pairwise.mlir"]].concat());
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let told = "pairwise.mlir:17:5: error: variant `pairwise` panicked: attempt to divide by zero";
    assert!(said.contains(told), "{said}");

    // Both programs reject a variant whose name is already registered.
    made.edit(VARIANT, |variant| {
        variant.replace("\"pairwise\"", "\"shared\"")
    });
    for program in ["my-opt", "my-tx"] {
        let output = made.cargo(&["run", "--bin", program, "--", "doctor"]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let taken = format!("{program}: error: a variant named `shared` is already registered");
        assert!(said.contains(&taken), "{said}");
        assert!(
            said.contains("return another name from `Variant::name`"),
            "{said}"
        );
    }
}
