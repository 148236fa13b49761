//! Files that are not there: what was to be read, where it was looked for, and which name may be meant.

use crate::reword::nearest;
use std::path::{Path, PathBuf};

/// Why a file that was to be read as `what`, such as `a program`, cannot be; `None` where it is there, and no folder.
pub fn missing(path: &Path, what: &str) -> Option<String> {
    let name = path.display();
    if path.is_dir() {
        return Some(format!(
            "`{name}` is a folder, expected {what}: name a file in it"
        ));
    }
    let there = path.try_exists().unwrap_or(true);
    (!there).then(|| {
        let place = match std::env::current_dir() {
            Ok(folder) if path.is_relative() => {
                format!("; the working directory is `{}`", folder.display())
            }
            _ => String::new(),
        };
        let meant = meant(path).map(|meant| format!("; did you mean `{}`?", meant.display()));
        format!(
            "no such file, expected {what}{place}{}",
            meant.unwrap_or_default()
        )
    })
}

/// The path with what is first not there replaced by a name that is near, if the rest is there then.
fn meant(path: &Path) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    let mut parts = path.components();
    for part in parts.by_ref() {
        let next = folder.join(part);
        if next.try_exists().unwrap_or(false) {
            folder = next;
            continue;
        }
        let rest = parts.as_path();
        let wants_file = rest.as_os_str().is_empty();
        let near = folder.join(near(&folder, part.as_os_str().to_str()?, wants_file)?);
        return match wants_file {
            true => Some(near),
            false => Some(near.join(rest)).filter(|whole| whole.is_file()),
        };
    }
    None
}

/// A name in a folder that is near `found`: of a file, one of its extension, and of none whatever extension it has.
fn near(folder: &Path, found: &str, is_file: bool) -> Option<String> {
    let here = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let extension = Path::new(found).extension();
    let mut names: Vec<String> = std::fs::read_dir(here)
        .ok()?
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.path().is_file() == is_file)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !is_file || extension.is_none() || Path::new(name).extension() == extension)
        .collect();
    // Folders have no order.
    names.sort_unstable();
    let stem = |name: &str| Some(Path::new(name).file_stem()?.to_str()?.to_owned());
    let stems: Vec<(String, &String)> = names
        .iter()
        .filter_map(|name| Some((stem(name)?, name)))
        .collect();
    // An extension that both have makes any two names near.
    let meant = nearest(&stem(found)?, stems.iter().map(|(stem, _)| &**stem))?;
    stems
        .iter()
        .find(|(stem, _)| stem == meant)
        .map(|(_, name)| (*name).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_files_are_found() -> std::io::Result<()> {
        let root = std::env::temp_dir().join(format!("tx-missing-{}", std::process::id()));
        let inner = root.join("programs");
        std::fs::create_dir_all(&inner)?;
        for name in ["softmax.mlir", "softmax.npy", "rows.mlir"] {
            std::fs::write(inner.join(name), "")?;
        }
        let meant = |path: &str| meant(&root.join(path)).map(|p| p.display().to_string());
        let is = |path: &str| Some(root.join(path).display().to_string());
        for (found, expected) in [
            ("programs/sofmax.mlir", is("programs/softmax.mlir")),
            ("programs/sofmax.npy", is("programs/softmax.npy")),
            ("programs/rows", is("programs/rows.mlir")),
            ("program/rows.mlir", is("programs/rows.mlir")),
            ("program/row.mlir", None),
            ("programs/x.mlir", None),
            ("programs/rows.txt", None),
            ("elsewhere/rows.mlir", None),
        ] {
            assert_eq!(meant(found), expected, "{found}");
        }
        let told = missing(&root.join("programs/x.mlir"), "a program");
        assert_eq!(told.as_deref(), Some("no such file, expected a program"));
        let told = missing(&inner, "a program").unwrap_or_default();
        assert!(told.contains("is a folder, expected a program"), "{told}");
        assert_eq!(missing(&root.join("programs/rows.mlir"), "a program"), None);
        let told = missing(Path::new("absent.mlir"), "a program").unwrap_or_default();
        assert!(told.contains("; the working directory is `/"), "{told}");
        std::fs::remove_dir_all(&root)
    }
}
