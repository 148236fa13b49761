//! Rules for the lines of files: columns, C++, home directories, ignored tests, and phrases of the
//! dictionary.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::words;
use crate::workspace::Workspace;

/// Maximum number of C++ lines in the repository, headers excluded. C++ is only permitted for
/// functions that the C APIs of MLIR and LLVM do not provide.
const CXX_LINES: usize = 654;

/// Maximum number of columns in a line of code.
const COLUMNS: usize = 110;

/// Home directories of development machines. No file may contain the home directory of a
/// development machine. This file itself contains only parts of the forbidden paths, and `concat!`
/// joins the parts.
const MACHINE_PATHS: &[&str] = &[
    concat!("/", "home/"),
    concat!("/", "Users/"),
    concat!("/", "root/"),
];

/// Limits the number of lines of C++ to [`CXX_LINES`].
pub(super) fn cxx_budget(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut lines = 0;
    for file in files {
        let cxx = file
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| matches!(extension, "cpp" | "cc" | "cxx"));
        if cxx {
            lines += workspace.read(file)?.lines().count();
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

/// Limits lines of code to [`COLUMNS`] columns. The limit on columns does not apply to comments,
/// because comments may contain tables.
pub(super) fn long_lines(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for file in files {
        let extension = file.extension().and_then(OsStr::to_str);
        if !matches!(extension, Some("rs" | "cpp" | "h" | "td")) {
            continue;
        }
        for (number, line) in (1..).zip(workspace.read(file)?.lines()) {
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

/// Reports paths of development machines, ignored tests, and phrases of the dictionary in all text
/// files. Reports a doc comment of a function if the comment is not a complete sentence.
pub(super) fn texts(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found_at_their_start_only() {
        let path = MACHINE_PATHS[0];
        assert!(holds_path(&format!("cd {path}me"), path));
        assert!(!holds_path(&format!("see docs{path}page"), path));
    }
}
