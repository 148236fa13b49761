//! Rules for packages: permitted dependencies, layers and names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Permitted workspace dependencies of each package. A package without an entry in this list counts
/// as a tool, and may depend on any package.
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
/// may depend on crates of its own layer and of lower layers.
const LAYERS: &[&str] = &["compile", "run", "check", "show"];

/// Libraries whose name differs from the name of their package.
const LIBRARY_NAMES: &[(&str, &str)] = &[("tx-compiler", "tx")];

/// Packages that must build without MLIR. Some packages of this list build without MLIR only if
/// their optional dependencies are disabled.
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

/// Checks that packages depend only on permitted packages. Dev-dependencies are exempt.
pub(super) fn dependencies(packages: &[Value]) -> Vec<String> {
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
                    "`{name}` is new: say in MAY_DEPEND_ON (tools/xtask/src/tidy/packages.rs) what it may \
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
/// package name is `tx-`, followed by the path of the folder with hyphens instead of slashes. The
/// rule for library names does not apply to the libraries in [`LIBRARY_NAMES`].
pub(super) fn names(packages: &[Value], root: &Path) -> Vec<String> {
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
pub(super) fn layers(packages: &[Value], root: &Path) -> Vec<String> {
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

/// Returns the last package before `to` on a dependency path from `from` to `to`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
}
