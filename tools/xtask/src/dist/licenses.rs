//! Licence texts of the packages that are linked into the program `tx`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::sh;
use crate::workspace::Workspace;

/// Statically linked Debian libraries, and the package that contains the licence text of each
/// library.
const DEBIAN_LIBRARIES: &[(&str, &str)] = &[
    ("llvm-and-mlir", "llvm-22-dev"),
    ("libstdc++", "libstdc++6"),
    ("zlib", "zlib1g-dev"),
    ("zstd", "libzstd-dev"),
];

/// Writes the licence texts of all linked packages, and a list of the packages.
pub(super) fn add_licenses(workspace: &Workspace, folder: &Path) -> Result<()> {
    let output = sh::capture(workspace.cargo().args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        &format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
    ]))?;
    let metadata: Value = serde_json::from_str(&output.stdout)?;
    let mut list = String::from(
        "What is linked into tx, and under which licence. Folders beside this file hold the texts.\n\n",
    );
    for package in linked_packages(&metadata, "tx-cli") {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let (name, version) = (field("name"), field("version"));
        let license = field("license");
        let license = if license.is_empty() {
            "see its folder"
        } else {
            license
        };
        list.push_str(&format!("{name} {version}: {license}\n"));
        let source = Path::new(field("manifest_path"))
            .parent()
            .context("a package without a folder")?;
        let target = folder.join(format!("{name}-{version}"));
        for file in fs::read_dir(source)?.collect::<Result<Vec<_>, _>>()? {
            if is_license(&file.file_name().to_string_lossy()) && file.path().is_file() {
                fs::create_dir_all(&target)?;
                fs::copy(file.path(), target.join(file.file_name()))?;
            }
        }
    }
    for (library, package) in DEBIAN_LIBRARIES {
        let text = Path::new("/usr/share/doc").join(package).join("copyright");
        // If this system does not contain the licence text, the distributor of the archive must add
        // it.
        if text.is_file() {
            let target = folder.join(library);
            fs::create_dir_all(&target)?;
            fs::copy(text, target.join("copyright"))?;
        }
        list.push_str(&format!("{library}: see its folder\n"));
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("README.txt"), list)?;
    Ok(())
}

fn is_license(file: &str) -> bool {
    let name = file.to_ascii_uppercase();
    [
        "LICENSE",
        "LICENCE",
        "COPYING",
        "COPYRIGHT",
        "NOTICE",
        "UNLICENSE",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

/// Returns the third-party cargo packages that a workspace package links. The returned list is
/// sorted by name and version.
fn linked_packages<'m>(metadata: &'m Value, package: &str) -> Vec<&'m Value> {
    let list = |value: &'m Value| value.as_array().map_or(&[][..], Vec::as_slice);
    let packages: BTreeMap<&str, &Value> = list(&metadata["packages"])
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let mut open: Vec<&str> = packages
        .iter()
        .filter(|(_, found)| found["name"] == package)
        .map(|(id, _)| *id)
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(node) = nodes.get(id) else { continue };
        for dependency in list(&node["deps"]) {
            // The kind `null` denotes a normal dependency. Dependencies of tests and build scripts
            // have other kinds.
            let is_linked = list(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null());
            if let (true, Some(id)) = (is_linked, dependency["pkg"].as_str()) {
                open.push(id);
            }
        }
    }
    let mut linked: Vec<&Value> = seen
        .iter()
        .filter_map(|id| packages.get(id).copied())
        .filter(|package| !package["source"].is_null())
        .collect();
    linked.sort_by_key(|package| {
        ["name", "version"].map(|key| package[key].as_str().unwrap_or_default())
    });
    linked
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn linked_packages_are_found_through_those_of_the_workspace() {
        let node = |id: &str, deps: Value| json!({ "id": id, "deps": deps });
        let dependency =
            |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let package = |id: &str, source: Value| json!({ "id": id, "name": id, "source": source });
        let metadata = json!({
            "packages": [
                package("tx-cli", Value::Null), package("tx-plan", Value::Null),
                package("serde", json!("registry")),
                package("cc", json!("registry")), package("other", json!("registry")),
            ],
            "resolve": { "nodes": [
                node("tx-cli", json!([dependency("tx-plan", Value::Null), dependency("cc", json!("build"))])),
                node("tx-plan", json!([dependency("serde", Value::Null)])),
                node("serde", json!([])), node("cc", json!([])), node("other", json!([])),
            ]},
        });
        let names: Vec<&Value> = linked_packages(&metadata, "tx-cli")
            .iter()
            .map(|package| &package["name"])
            .collect();
        assert_eq!(names, ["serde"]);
    }
}
