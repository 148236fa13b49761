//! `cargo xtask tidy`: checks the rules of the repository that no compiler checks.
//!
//! Each rule is a function that returns one sentence per violation. The lit harness (`tx-lit`)
//! checks that each test contains a RUN line, a CHECK line and a sentence of prose.
//!
//! Prose follows a dictionary: `words.rs` contains phrases that pages and comments must not use,
//! and a replacement for each phrase. The doc comment of a function is a complete sentence.

mod circles;
mod packages;
mod test_files;
mod texts;
mod versions;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::sh::Style;
use crate::workspace::Workspace;
use crate::{book, changelog, codegen, links};
use packages::{dependencies, layers, names};
use test_files::{forgotten_tests, lit_folders, named_tests, orphaned_snapshots};
use texts::{cxx_budget, long_lines, texts};
use versions::{llvm_version, rust_version};

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
    let summary = workspace.read(Path::new("docs/SUMMARY.md"))?;
    wrong.extend(book::check_summary(&summary, &files));
    let changes = workspace.read(Path::new("CHANGELOG.md"))?;
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

fn markdown(workspace: &Workspace, files: &[PathBuf]) -> Result<BTreeMap<PathBuf, String>> {
    files
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .map(|file| Ok((file.clone(), workspace.read(file)?)))
        .collect()
}
