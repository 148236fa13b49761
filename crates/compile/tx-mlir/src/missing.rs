//! Error messages for missing input files.

use std::path::Path;

/// Returns the error message for an input path that does not exist or is a folder. Returns `None`
/// if the path is an existing file. `what` describes the expected file, such as `a program`.
pub fn missing(path: &Path, what: &str) -> Option<String> {
    if path.is_dir() {
        return Some(format!("this is a folder, expected {what}"));
    }
    let there = path.try_exists().unwrap_or(true);
    (!there).then(|| format!("no such file, expected {what}"))
}
