//! Rules for test files: lit folders, snapshots, test targets, and names of tests on pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::codegen::Entry;
use crate::workspace::Workspace;

/// Directories of `lit-tests` that are not named after a pass or pipeline.
const OTHER_LIT_FOLDERS: &[&str] = &[
    // Tests of syntax, round trips and verifiers of the tile dialect.
    "dialect-tile",
    // Tests that lower complete programs to PTX.
    "ptx",
    // Tests of the command-line tools: help, usage errors, and invalid input.
    "tools",
    // Chapters of docs/tutorial.md.
    "tutorial",
    // Typical user programs, whose results are compared with a reference.
    "programs",
    // Kernels and schedules, whose results are compared with a reference.
    "cases",
];

/// Requires a test directory for every pass and pipeline, with at least one test other than
/// `invalid.mlir`. The directory of a pass must also contain `invalid.mlir`. Every directory must
/// be named after a pass or pipeline, or be listed in [`OTHER_LIT_FOLDERS`].
pub(super) fn lit_folders(registry: &[Entry], files: &[PathBuf]) -> Vec<String> {
    let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        if let Ok(rest) = file.strip_prefix("lit-tests")
            && rest
                .extension()
                .is_some_and(|extension| extension == "mlir")
            && let (Some(folder), Some(name)) = (rest.parent(), rest.file_name())
        {
            folders
                .entry(folder.display().to_string())
                .or_default()
                .insert(name.to_string_lossy().into_owned());
        }
    }
    let mut wrong = Vec::new();
    for entry in registry {
        let argument = &entry.argument;
        let tests = folders.remove(argument).unwrap_or_default();
        if !tests.iter().any(|name| name != "invalid.mlir") {
            wrong.push(format!(
                "`{argument}` is registered and has no test: add lit-tests/{argument}/"
            ));
        } else if !entry.pipeline && !tests.contains("invalid.mlir") {
            wrong.push(format!(
                "nothing tests what `{argument}` refuses: add lit-tests/{argument}/invalid.mlir"
            ));
        }
    }
    for folder in folders.keys() {
        if !OTHER_LIT_FOLDERS.contains(&folder.as_str()) {
            wrong.push(format!(
                "lit-tests/{folder} is neither a registered pass or pipeline nor in \
                 OTHER_LIT_FOLDERS (tools/xtask/src/tidy/test_files.rs): rename or remove it"
            ));
        }
    }
    wrong
}

/// Requires that the test `x.mlir` exists for each snapshot `x.snap` or `x.PREFIX.snap`.
pub(super) fn orphaned_snapshots(files: &[PathBuf]) -> Vec<String> {
    let known: BTreeSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    files
        .iter()
        .filter(|file| {
            file.starts_with("lit-tests")
                && file
                    .extension()
                    .is_some_and(|extension| extension == "snap")
        })
        .filter(|file| {
            let test = file.with_extension("mlir");
            let prefixed = file.with_extension("").with_extension("mlir");
            !known.contains(test.as_path()) && !known.contains(prefixed.as_path())
        })
        .map(|file| format!("{} belongs to no test: remove it", file.display()))
        .collect()
}

/// Requires that every file in the directory of `tests/integration.rs` is either a module of the
/// test `integration` or a separate test target. In a package with `tests/integration.rs`, cargo
/// does not discover test targets automatically.
pub(super) fn forgotten_tests(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let programs = files
        .iter()
        .filter(|file| file.ends_with("tests/integration.rs"));
    for program in programs {
        let folder = program.parent().unwrap_or(Path::new(""));
        let modules = workspace.read(program)?;
        let manifest = workspace.read(&folder.with_file_name("Cargo.toml"))?;
        let beside = files.iter().filter(|file| {
            file.parent() == Some(folder) && file.extension().is_some_and(|e| e == "rs")
        });
        for file in beside.filter(|file| *file != program) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let is_module = modules.lines().any(|line| line == format!("mod {name};"));
            let is_target = manifest
                .lines()
                .any(|line| line == format!("name = \"{name}\""));
            if !is_module && !is_target {
                wrong.push(format!(
                    "{} is not compiled: add `mod {name};` to {}",
                    file.display(),
                    program.display()
                ));
            }
        }
    }
    Ok(wrong)
}

/// Requires that each test named in a page exists. A page names a test as `FOLDER/x.mlir` or by the
/// whole path of the test. Without a check of the test names, a command with a misspelt test name
/// would run no test and would succeed.
pub(super) fn named_tests(files: &[PathBuf], pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let known: BTreeSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let folders: BTreeSet<&Path> = files
        .iter()
        .filter_map(|file| file.strip_prefix("lit-tests").ok()?.parent())
        .filter(|folder| !folder.as_os_str().is_empty())
        .collect();
    let mut wrong = Vec::new();
    for (page, text) in pages {
        for (number, line) in text.lines().enumerate() {
            let names = line
                .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '.' | '-' | '_'))
                .filter(|word| word.ends_with(".mlir"));
            for name in names {
                let path = Path::new(name.strip_prefix("lit-tests/").unwrap_or(name));
                let is_test = path.parent().is_some_and(|folder| folders.contains(folder));
                if is_test && !known.contains(Path::new("lit-tests").join(path).as_path()) {
                    wrong.push(format!(
                        "{}:{}: there is no test `{name}`",
                        page.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen;

    fn entries() -> Vec<Entry> {
        codegen::parse_registry(
            r#"[{"argument": "tile-insert-sync", "kind": "pass"},
                {"argument": "lower-reduction", "kind": "pipeline"}]"#,
        )
        .unwrap()
    }

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn folders_and_registry_agree() {
        let good = paths(&[
            "lit-tests/tile-insert-sync/basic.mlir",
            "lit-tests/tile-insert-sync/invalid.mlir",
            "lit-tests/lower-reduction/demo.mlir",
            "lit-tests/ptx/demo.mlir",
            "lit-tests/lit.rs",
        ]);
        assert_eq!(lit_folders(&entries(), &good), [""; 0]);

        let bad = paths(&[
            "lit-tests/tile-insert-sync/invalid.mlir",
            "lit-tests/lower-reduction/demo.mlir",
            "lit-tests/tile-insert-snyc/basic.mlir",
        ]);
        let wrong = lit_folders(&entries(), &bad);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].contains("has no test"), "{wrong:?}");
        assert!(wrong[1].contains("tile-insert-snyc"), "{wrong:?}");
    }

    #[test]
    fn snapshots_need_their_test() {
        let files = paths(&[
            "lit-tests/ptx/a.mlir",
            "lit-tests/ptx/a.snap",
            "lit-tests/ptx/a.SM90.snap",
            "lit-tests/ptx/b.snap",
        ]);
        let wrong = orphaned_snapshots(&files);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].contains("b.snap"), "{wrong:?}");
    }

    #[test]
    fn pages_name_tests_that_are_there() {
        let files = paths(&["lit-tests/ptx/a.mlir", "lit-tests/README.md"]);
        let text = "lit -- --exact ptx/a.mlir     # one\n`ptx/b.mlir`, \
                    lit-tests/ptx/c.mlir\ntests/d.mlir e.mlir\n";
        let pages = BTreeMap::from([(PathBuf::from("docs/x.md"), text.to_owned())]);
        assert_eq!(
            named_tests(&files, &pages),
            [
                "docs/x.md:2: there is no test `ptx/b.mlir`",
                "docs/x.md:2: there is no test `lit-tests/ptx/c.mlir`"
            ]
        );
    }
}
