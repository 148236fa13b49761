//! `cargo xtask tidy`: checks the rules of the repository that no compiler checks.
//!
//! Each rule is a function that returns one sentence per violation. The lit harness (`tx-lit`)
//! checks that each test contains a RUN line, a CHECK line and a sentence of prose.
//!
//! Prose follows a dictionary: `words.rs` contains phrases that pages and comments must not use,
//! and a replacement for each phrase. The doc comment of a function is a complete sentence.

mod circles;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::codegen::{self, Entry};
use crate::sh::Style;
use crate::workspace::{LLVM_MAJOR, Workspace};
use crate::{book, changelog, links};

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

/// Maximum number of C++ lines in the repository, headers excluded. C++ is only permitted for
/// functions that the C APIs of MLIR and LLVM do not provide.
const CXX_LINES: usize = 654;

/// Maximum number of columns in a line of code.
const COLUMNS: usize = 110;

/// Permitted workspace dependencies of each package. A package that is not in this list is a tool,
/// and a tool may depend on any package.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("tx-target", &[]),
    ("tx-plan", &[]),
    ("tx-llvm", &[]),
    ("tx-mlir", &["tx-llvm"]),
    ("tx-scalar", &[]),
    ("tx-dialect-tile", &["tx-llvm", "tx-mlir"]),
    (
        "tx-passes",
        &[
            "tx-dialect-tile",
            "tx-mlir",
            "tx-plan",
            "tx-scalar",
            "tx-target",
        ],
    ),
    (
        "tx-compiler",
        &[
            "tx-dialect-tile",
            "tx-mlir",
            "tx-passes",
            "tx-plan",
            "tx-target",
        ],
    ),
    ("tx-exec", &["tx-mlir", "tx-plan"]),
    (
        "tx-interp",
        &["tx-dialect-tile", "tx-exec", "tx-mlir", "tx-scalar"],
    ),
    (
        "tx-fuzz",
        &["tx-compiler", "tx-plan", "tx-runtime", "tx-validate"],
    ),
    ("tx-lit", &["tx-ptx", "tx-target"]),
    ("tx-examples", &["tx-compiler", "tx-plan", "tx-runtime"]),
    ("tx-ptx", &[]),
    ("tx-report", &["tx-plan", "tx-target"]),
    ("tx-runtime", &["tx-exec", "tx-plan"]),
    (
        "tx-validate",
        &[
            "tx-compiler",
            "tx-interp",
            "tx-mlir",
            "tx-plan",
            "tx-ptx",
            "tx-runtime",
            "tx-scalar",
            "tx-target",
        ],
    ),
];

/// Layers of `crates/`, lowest first; the folder of a package is `crates/LAYER/PACKAGE`. A crate
/// may depend on crates of the same layer and of lower layers.
const LAYERS: &[&str] = &["compile", "run", "check", "show"];

/// Libraries whose name differs from the name of their package.
const LIBRARY_NAMES: &[(&str, &str)] = &[("tx-compiler", "tx")];

/// Packages that must build without MLIR. Some of them build without MLIR only if their optional
/// dependencies are disabled.
const WITHOUT_MLIR: &[&str] = &[
    "tx-lit",
    "tx-target",
    "tx-plan",
    "tx-ptx",
    "tx-report",
    "tx-runtime",
    "tx-examples",
    "xtask",
];
const MLIR_PACKAGES: &[&str] = &["melior", "mlir-sys"];

/// Home directories of development machines, which no file may contain. This file contains only
/// their parts, which `concat!` joins.
const MACHINE_PATHS: &[&str] = &[
    concat!("/", "home/"),
    concat!("/", "Users/"),
    concat!("/", "root/"),
];

pub(crate) fn tidy(workspace: &Workspace) -> Result<()> {
    let registry = codegen::registry(workspace)?;
    let files = workspace.files()?;
    let mut wrong = Vec::new();
    wrong.extend(lit_folders(&registry, &files));
    wrong.extend(orphaned_snapshots(&files));
    wrong.extend(forgotten_tests(workspace, &files)?);
    wrong.extend(cxx_budget(workspace, &files)?);
    wrong.extend(long_lines(workspace, &files)?);
    wrong.extend(dependencies(workspace.packages()));
    wrong.extend(names(workspace.packages(), &workspace.root));
    wrong.extend(layers(workspace.packages(), &workspace.root));
    wrong.extend(circles::circles(workspace.packages())?);
    wrong.extend(llvm_version(workspace)?);
    wrong.extend(rust_version(workspace)?);
    wrong.extend(texts(workspace, &files)?);
    let pages = markdown(workspace, &files)?;
    wrong.extend(links::check(&files, &pages));
    wrong.extend(named_tests(&files, &pages));
    let summary = read(workspace, Path::new("docs/SUMMARY.md"))?;
    wrong.extend(book::check_summary(&summary, &files));
    let changes = read(workspace, Path::new("CHANGELOG.md"))?;
    wrong.extend(changelog::check(&changes, &workspace.version));
    if !wrong.is_empty() {
        for each in &wrong {
            eprintln!("tidy: {each}");
        }
        bail!("tidy: {} to put right", wrong.len());
    }
    println!("{}", Style::stdout().green("tidy: clean"));
    Ok(())
}

/// Requires a test directory for every pass, with `invalid.mlir` and another test. Every directory
/// must be named after a pass or pipeline, or be listed in [`OTHER_LIT_FOLDERS`].
fn lit_folders(registry: &[Entry], files: &[PathBuf]) -> Vec<String> {
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
                 OTHER_LIT_FOLDERS (tools/xtask/src/tidy.rs): rename or remove it"
            ));
        }
    }
    wrong
}

/// Requires that the test `x.mlir` exists for each snapshot `x.snap` or `x.PREFIX.snap`.
fn orphaned_snapshots(files: &[PathBuf]) -> Vec<String> {
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

/// Requires that every file in the directory of `tests/integration.rs` is a module of this test or
/// a test target. In such a package, cargo does not discover test targets automatically.
fn forgotten_tests(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let programs = files
        .iter()
        .filter(|file| file.ends_with("tests/integration.rs"));
    for program in programs {
        let folder = program.parent().unwrap_or(Path::new(""));
        let modules = read(workspace, program)?;
        let manifest = read(workspace, &folder.with_file_name("Cargo.toml"))?;
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

/// Requires that each test named in a page exists. A page names a test as `FOLDER/x.mlir` or by its
/// whole path. Without this check, a command with a misspelt test name would run no test and would
/// succeed.
fn named_tests(files: &[PathBuf], pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
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

fn cxx_budget(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut lines = 0;
    for file in files {
        let cxx = file
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| matches!(extension, "cpp" | "cc" | "cxx"));
        if cxx {
            lines += read(workspace, file)?.lines().count();
        }
    }
    Ok(if lines > CXX_LINES {
        vec![format!(
            "{lines} lines of C++, and the budget is {CXX_LINES}: move decisions to Rust"
        )]
    } else {
        Vec::new()
    })
}

/// Limits lines of code to [`COLUMNS`] columns. Comments are exempt, because they may contain
/// tables.
fn long_lines(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for file in files {
        let extension = file.extension().and_then(OsStr::to_str);
        if !matches!(extension, Some("rs" | "cpp" | "h" | "td")) {
            continue;
        }
        for (number, line) in (1..).zip(read(workspace, file)?.lines()) {
            let is_comment = line.trim_start().starts_with("//");
            if line.chars().count() > COLUMNS && !is_comment {
                wrong.push(format!(
                    "{}:{number}: more than {COLUMNS} columns",
                    file.display()
                ));
            }
        }
    }
    Ok(wrong)
}

/// Checks that packages depend only on permitted packages. Dev-dependencies are exempt.
fn dependencies(packages: &[Value]) -> Vec<String> {
    let graph = dependency_graph(packages, true);
    let required = dependency_graph(packages, false);
    let tools: Vec<&str> = packages
        .iter()
        .filter(|package| {
            package["manifest_path"]
                .as_str()
                .is_some_and(|path| path.contains("/tools/"))
        })
        .filter_map(|package| package["name"].as_str())
        .collect();

    let mut wrong = Vec::new();
    for (name, needed) in &graph {
        let is_tool = tools.contains(name);
        for tool in needed
            .iter()
            .filter(|each| tools.contains(each) && !is_tool)
        {
            wrong.push(format!("`{name}` depends on the tool `{tool}`"));
        }
        let Some((_, allowed)) = MAY_DEPEND_ON.iter().find(|(package, _)| package == name) else {
            if !tools.contains(name) {
                wrong.push(format!(
                    "`{name}` is new: say in MAY_DEPEND_ON (tools/xtask/src/tidy.rs) what it may \
                     depend on"
                ));
            }
            continue;
        };
        for other in needed {
            if graph.contains_key(other) && !allowed.contains(other) && !tools.contains(other) {
                wrong.push(format!(
                    "`{name}` depends on `{other}`, against the direction in ARCHITECTURE.md"
                ));
            }
        }
    }
    for name in WITHOUT_MLIR {
        for mlir in MLIR_PACKAGES {
            if let Some(through) = reaches(&required, name, mlir) {
                wrong.push(format!(
                    "`{name}` must build without MLIR, and `{through}` brings in `{mlir}`"
                ));
            }
        }
    }
    wrong
}

/// Requires that a package and its library have the name of their folder, which is
/// `crates/LAYER/PACKAGE` or `tools/PROGRAM`. In folders outside of `crates` and `tools`, the
/// package name is `tx-` followed by the path. Libraries in [`LIBRARY_NAMES`] are exempt.
fn names(packages: &[Value], root: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let folder = folder(package, root);
        let parts: Vec<_> = folder.iter().filter_map(OsStr::to_str).collect();
        let shown = folder.display();
        match parts[..] {
            ["crates", layer, last] => {
                if !LAYERS.contains(&layer) {
                    wrong.push(format!(
                        "{shown}: expected the layer {}, found `{layer}`",
                        LAYERS.join(", ")
                    ));
                }
                if last != name {
                    wrong.push(format!("{shown}: the folder of `{name}` has another name"));
                }
            }
            ["tools", last] => {
                if !targets(package, "bin").any(|program| program == last) {
                    wrong.push(format!("{shown}: `{name}` builds no program `{last}`"));
                }
            }
            _ => {
                let expected = format!("tx-{}", parts.join("-")).replace("dialects", "dialect");
                if name != expected {
                    wrong.push(format!(
                        "{shown}: expected the package `{expected}`, found `{name}`"
                    ));
                }
            }
        }
        let library = LIBRARY_NAMES.iter().find(|(package, _)| *package == name);
        let expected = library.map_or(name.replace('-', "_"), |(_, library)| (*library).to_owned());
        for found in targets(package, "lib").filter(|found| *found != expected) {
            wrong.push(format!(
                "{shown}: expected a library `{expected}`, found `{found}`"
            ));
        }
    }
    wrong
}

/// Requires that no crate depends on a crate of a higher layer. Dev-dependencies are exempt.
fn layers(packages: &[Value], root: &Path) -> Vec<String> {
    let layer_of: BTreeMap<&str, usize> = packages
        .iter()
        .filter_map(|package| {
            let folder = folder(package, root);
            let layer = folder.strip_prefix("crates").ok()?.iter().next()?;
            let layer = LAYERS.iter().position(|name| layer == *name)?;
            Some((package["name"].as_str()?, layer))
        })
        .collect();
    let mut wrong = Vec::new();
    for (name, needed) in dependency_graph(packages, true) {
        let Some(own) = layer_of.get(name) else {
            continue;
        };
        for other in needed {
            if let Some(layer) = layer_of.get(other).filter(|layer| *layer > own) {
                wrong.push(format!(
                    "`{name}` of crates/{} depends on `{other}` of the higher layer crates/{}",
                    LAYERS[*own], LAYERS[*layer]
                ));
            }
        }
    }
    wrong
}

fn folder(package: &Value, root: &Path) -> PathBuf {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(manifest);
    folder.strip_prefix(root).unwrap_or(folder).to_owned()
}

fn targets<'a>(package: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a str> {
    let all = package["targets"].as_array().into_iter().flatten();
    all.filter(move |target| target["kind"][0] == kind)
        .filter_map(|target| target["name"].as_str())
}

fn dependency_graph(packages: &[Value], optional: bool) -> BTreeMap<&str, BTreeSet<&str>> {
    packages
        .iter()
        .filter_map(|package| {
            let needed = package["dependencies"]
                .as_array()?
                .iter()
                .filter(|dependency| dependency["kind"] != "dev")
                .filter(|dependency| optional || dependency["optional"] != true)
                .filter_map(|dependency| dependency["name"].as_str())
                .collect();
            Some((package["name"].as_str()?, needed))
        })
        .collect()
}

/// Returns the package through which `from` depends on `to`, directly or transitively.
fn reaches<'a>(
    graph: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    from: &'a str,
    to: &str,
) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        let Some(needed) = graph.get(name) else {
            continue;
        };
        if needed.contains(to) {
            return Some(name);
        }
        open.extend(needed);
    }
    None
}

/// Checks that three places in the repository specify the same LLVM version.
fn llvm_version(workspace: &Workspace) -> Result<Vec<String>> {
    let build = Path::new("crates/compile/tx-llvm/build.rs");
    let constant = format!("const LLVM: &str = \"{LLVM_MAJOR}\";");
    let mut wrong = Vec::new();
    if !read(workspace, build)?.lines().any(|line| line == constant) {
        wrong.push(format!(
            "{} does not look for LLVM {LLVM_MAJOR}",
            build.display()
        ));
    }
    let file = Path::new(".cargo/config.toml");
    let config = read(workspace, file)?;
    let expected = format!("/llvm-{LLVM_MAJOR}\"");
    let unset = ["MLIR_SYS_220_PREFIX", "TABLEGEN_220_PREFIX"]
        .into_iter()
        .filter(|variable| {
            !config
                .lines()
                .any(|line| line.starts_with(variable) && line.contains(&expected))
        });
    wrong.extend(unset.map(|variable| {
        format!(
            "{} does not set {variable} to LLVM {LLVM_MAJOR}",
            file.display()
        )
    }));
    Ok(wrong)
}

/// Checks that all packages and continuous integration use the same minimum Rust version. Clippy
/// checks that the code uses no features of later standard libraries.
fn rust_version(workspace: &Workspace) -> Result<Vec<String>> {
    let versions: BTreeSet<&str> = workspace
        .packages()
        .iter()
        .map(|package| package["rust_version"].as_str().unwrap_or("none"))
        .collect();
    let Some(version) = versions.first().filter(|_| versions.len() == 1) else {
        return Ok(vec![format!(
            "packages have the rust-versions {versions:?}: each takes that of the workspace"
        )]);
    };
    let file = Path::new(".github/workflows/ci.yml");
    let expected = format!("RUST: \"{version}\"");
    let found = read(workspace, file)?
        .lines()
        .any(|line| line.trim() == expected);
    Ok(if found {
        Vec::new()
    } else {
        vec![format!(
            "{} does not say `{expected}`, the rust-version of the workspace",
            file.display()
        )]
    })
}

/// Reports paths of development machines, ignored tests, and phrases of the dictionary in all text
/// files. Also reports doc comments of functions that are not complete sentences.
fn texts(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let root = workspace.root.display().to_string();
    let machine_paths: Vec<&str> = MACHINE_PATHS
        .iter()
        .copied()
        .chain([root.as_str()])
        .collect();
    for file in files {
        let Ok(text) = String::from_utf8(
            fs::read(workspace.root.join(file))
                .with_context(|| format!("cannot read {}", file.display()))?,
        ) else {
            continue;
        };
        let rust = file.extension().is_some_and(|extension| extension == "rs");
        wrong.extend(words::check(file, &text));
        if rust {
            wrong.extend(words::doc_comments(file, &text));
        }
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", file.display(), number + 1);
            if let Some(path) = machine_paths.iter().find(|path| holds_path(line, path)) {
                wrong.push(format!("{place}: a path of one machine (`{path}`)"));
            }
            if rust && line.trim_start().starts_with(concat!("#[", "ignore")) {
                wrong.push(format!(
                    "{place}: an ignored test; assert what happens today and say what should"
                ));
            }
        }
    }
    Ok(wrong)
}

/// Returns whether a line contains an absolute path that starts with `path`. Returns false for
/// relative paths such as `docs/home/`.
fn holds_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        !line[..at]
            .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '}'))
    })
}

fn markdown(workspace: &Workspace, files: &[PathBuf]) -> Result<BTreeMap<PathBuf, String>> {
    files
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .map(|file| Ok((file.clone(), read(workspace, file)?)))
        .collect()
}

fn read(workspace: &Workspace, file: &Path) -> Result<String> {
    fs::read_to_string(workspace.root.join(file))
        .with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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

    #[test]
    fn dependencies_go_one_way() {
        let package = |name: &str, folder: &str, needed: &[(&str, Option<&str>)]| {
            let dependencies: Vec<Value> = needed
                .iter()
                .map(|(name, kind)| json!({"name": name, "kind": kind}))
                .collect();
            json!({
                "name": name,
                "manifest_path": format!("/x/{folder}/Cargo.toml"),
                "dependencies": dependencies,
            })
        };
        let good = [
            package("tx-mlir", "crates/compile/tx-mlir", &[("melior", None)]),
            package("tx-plan", "crates/compile/tx-plan", &[]),
            package(
                "tx-runtime",
                "crates/run/tx-runtime",
                &[("tx-plan", None), ("tx-mlir", Some("dev"))],
            ),
            package(
                "tx-cli",
                "tools/tx",
                &[("tx-runtime", None), ("tx-mlir", None)],
            ),
        ];
        assert_eq!(dependencies(&good), [""; 0]);

        let bad = [
            package("tx-mlir", "crates/compile/tx-mlir", &[("melior", None)]),
            package("tx-plan", "crates/compile/tx-plan", &[("tx-mlir", None)]),
            package("tx-runtime", "crates/run/tx-runtime", &[("tx-plan", None)]),
            package("tx-new", "crates/show/tx-new", &[("xtask", None)]),
            package("xtask", "tools/xtask", &[]),
        ];
        let wrong = dependencies(&bad);
        for expected in [
            "`tx-plan` depends on `tx-mlir`",
            "`tx-runtime` must build without MLIR, and `tx-mlir` brings in `melior`",
            "`tx-new` depends on the tool `xtask`",
            "`tx-new` is new",
        ] {
            assert!(
                wrong.iter().any(|each| each.contains(expected)),
                "{expected} not in {wrong:?}"
            );
        }
    }

    #[test]
    fn folders_packages_and_libraries_agree() {
        let package = |name: &str, folder: &str, kind: &str, target: &str, needed: &[&str]| {
            let needed: Vec<Value> = needed.iter().map(|name| json!({"name": name})).collect();
            json!({
                "name": name,
                "manifest_path": format!("/x/{folder}/Cargo.toml"),
                "targets": [{"kind": [kind], "name": target}],
                "dependencies": needed,
            })
        };
        let root = Path::new("/x");
        let good = [
            package(
                "tx-compiler",
                "crates/compile/tx-compiler",
                "lib",
                "tx",
                &[],
            ),
            package(
                "tx-ptx",
                "crates/check/tx-ptx",
                "lib",
                "tx_ptx",
                &["tx-compiler"],
            ),
            package(
                "tx-dialect-tile",
                "dialects/tile",
                "lib",
                "tx_dialect_tile",
                &[],
            ),
            package("tx-passes", "passes", "lib", "tx_passes", &[]),
            package("tx-cli", "tools/tx", "bin", "tx", &["tx-ptx"]),
        ];
        assert_eq!(names(&good, root), [""; 0]);
        assert_eq!(layers(&good, root), [""; 0]);

        let bad = [
            package(
                "tx-plan",
                "crates/compile/plan",
                "lib",
                "tx_plan",
                &["tx-ptx"],
            ),
            package("tx-ptx", "crates/check/tx-ptx", "lib", "ptx", &[]),
            package("tx-new", "crates/new/tx-new", "lib", "tx_new", &[]),
            package("tx-old", "passes", "lib", "tx_old", &[]),
            package("tx-cli", "tools/cli", "bin", "tx", &[]),
        ];
        assert_eq!(
            names(&bad, root),
            [
                "crates/compile/plan: the folder of `tx-plan` has another name",
                "crates/check/tx-ptx: expected a library `tx_ptx`, found `ptx`",
                "crates/new/tx-new: expected the layer compile, run, check, show, found `new`",
                "passes: expected the package `tx-passes`, found `tx-old`",
                "tools/cli: `tx-cli` builds no program `cli`",
            ]
        );
        assert_eq!(
            layers(&bad, root),
            ["`tx-plan` of crates/compile depends on `tx-ptx` of the higher layer crates/check"]
        );
    }

    #[test]
    fn machine_paths_are_found_at_their_start_only() {
        let path = MACHINE_PATHS[0];
        assert!(holds_path(&format!("cd {path}me"), path));
        assert!(!holds_path(&format!("see docs{path}page"), path));
    }
}
