//! Programs to edit: programs of the lit tests, and some handwritten programs.

use std::fs;
use std::path::Path;
use tx::{Compiler, Source, Target};

/// Directories of `lit-tests` whose programs are edited.
pub(crate) const FOLDERS: [&str; 4] = ["lower-reduction", "programs", "ptx", "tutorial"];

/// Function or kernel of a file.
#[derive(Clone)]
pub(crate) struct Program {
    /// Name: `FOLDER/FILE@ENTRY`.
    pub(crate) name: String,
    pub(crate) target: Target,
    pub(crate) source: Source,
}

/// Returns all programs, sorted by name.
pub(crate) fn all() -> Result<Vec<Program>, String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(3).unwrap_or(package);
    let lit = FOLDERS.map(|folder| (folder, root.join("lit-tests").join(folder)));
    let own = ("mutations", package.join("tests/mutations/programs"));
    let mut programs = Vec::new();
    for (folder, home) in lit.into_iter().chain([own]) {
        let trouble = |error| format!("cannot read {}: {error}", home.display());
        for entry in fs::read_dir(&home).map_err(trouble)? {
            let path = entry.map_err(trouble)?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "mlir")
            {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let text = fs::read_to_string(&path).map_err(trouble)?;
                programs.extend(entries(&format!("{folder}/{stem}"), &text)?);
            }
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    // If several modules of one file have equal names, keep only the first module.
    programs.dedup_by(|a, b| a.name == b.name);
    Ok(programs)
}

/// Returns the programs of a file. If the compiler must reject the file, the list is empty.
fn entries(file: &str, text: &str) -> Result<Vec<Program>, String> {
    let run = text.lines().find(|line| line.starts_with("// RUN"));
    let chip = run
        .and_then(|line| line.split_once("--chip "))
        .and_then(|(_, rest)| rest.split_whitespace().next())
        .unwrap_or("sm_80");
    let target = Target::parse(chip).map_err(|error| format!("{file}: {error}"))?;
    let source = Source {
        name: format!("{file}.mlir"),
        text: text.as_bytes().to_vec(),
        entry: None,
        keep_stages: false,
    };
    let compiler = Compiler::new(target).map_err(|error| error.to_string())?;
    let Ok(entries) = compiler.entries(&source) else {
        return Ok(Vec::new());
    };
    Ok(entries
        .into_iter()
        .map(|entry| Program {
            name: format!("{file}@{entry}"),
            target,
            source: Source {
                entry: Some(entry),
                ..source.clone()
            },
        })
        .collect())
}
