//! Files that are not there.

use std::path::Path;

/// Returns why a file that was to be read as `what`, such as `a program`, cannot be read; `None`
/// for a file that is there.
pub fn missing(path: &Path, what: &str) -> Option<String> {
    if path.is_dir() {
        return Some(format!("this is a folder, expected {what}"));
    }
    let there = path.try_exists().unwrap_or(true);
    (!there).then(|| format!("no such file, expected {what}"))
}
