//! `cargo xtask book`: builds the pages of `docs/` as an mdBook.
//!
//! mdBook reads a single directory, but the pages of `docs/` link to files in the whole repository.
//! The task copies the pages and all linked files to a staging directory with the directory
//! structure of the repository. After the build, the task checks every link of the book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::links::{self, Page};
use crate::sh::{self, Style};
use crate::workspace::Workspace;

const SUMMARY: &str = "docs/SUMMARY.md";

/// Version of mdBook, which the task installs from crates.io into `target/tools`. The installation
/// of mdBook takes about three minutes.
const MDBOOK_VERSION: &str = "0.5.4";

pub(crate) fn book(workspace: &Workspace) -> Result<PathBuf> {
    let mdbook = install(workspace)?;
    let stage = workspace.target.join("book-files");
    let book = workspace.target.join("book");
    let _ = fs::remove_dir_all(&stage);
    collect(workspace, &stage)?;
    build(&mdbook, &stage, &book)?;
    // mdBook copies the first chapter to `index.html`, but does not adapt the relative links of the
    // copy. The task therefore replaces `index.html` by a redirection.
    let first = chapters(&fs::read_to_string(workspace.root.join(SUMMARY))?)
        .first()
        .context("docs/SUMMARY.md names no page")?
        .with_extension("html");
    fs::write(
        book.join("index.html"),
        format!(
            "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>tx</title>\n\
             <meta http-equiv=\"refresh\" content=\"0; url={0}\">\n<a href=\"{0}\">tx</a>\n",
            first.display()
        ),
    )?;
    let wrong = check(&book)?;
    if !wrong.is_empty() {
        for each in &wrong {
            eprintln!("book: {each}");
        }
        bail!("book: {} links lead nowhere", wrong.len());
    }
    println!(
        "{} {}",
        Style::stdout().green("book: wrote"),
        book.join("index.html").display()
    );
    Ok(book)
}

/// Runs mdBook. The function returns an error if mdBook prints a warning, because mdBook exits
/// successfully even if pages are broken.
fn build(mdbook: &Path, stage: &Path, book: &Path) -> Result<()> {
    let mut command = Command::new(mdbook);
    command
        .arg("build")
        .arg(stage)
        .arg("--dest-dir")
        .arg(book)
        // If set, these environment variables could suppress the warnings of mdBook.
        .env_remove("MDBOOK_LOG")
        .env_remove("RUST_LOG");
    let shown = format!("$ {}", sh::display(&command));
    eprintln!("{}", Style::stderr().dim(&shown));
    let said = sh::capture(&mut command)?;
    eprint!("{}{}", said.stdout, said.stderr);
    let count = warnings(&said.stdout) + warnings(&said.stderr);
    if count > 0 {
        bail!("book: mdBook warns {count} times, see above");
    }
    Ok(())
}

fn warnings(log: &str) -> usize {
    log.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|level| matches!(*level, "WARN" | "ERROR"))
        .count()
}

fn install(workspace: &Workspace) -> Result<PathBuf> {
    let root = workspace.target.join("tools/mdbook");
    let mdbook = root.join("bin/mdbook");
    let found = sh::capture(Command::new(&mdbook).arg("--version"));
    if found.is_ok_and(|found| found.stdout.trim().ends_with(MDBOOK_VERSION)) {
        return Ok(mdbook);
    }
    eprintln!(
        "book: installing mdBook {MDBOOK_VERSION} into {}",
        root.display()
    );
    sh::run(
        workspace
            .cargo()
            .args(["install", "mdbook", "--locked", "--version", MDBOOK_VERSION])
            .args(["--no-default-features", "--features", "search", "--root"])
            .arg(&root)
            // The installation of mdBook uses a separate target directory, so that cargo need not
            // rebuild the workspace afterwards.
            .arg("--target-dir")
            .arg(workspace.target.join("mdbook")),
    )?;
    Ok(mdbook)
}

pub(crate) fn chapters(summary: &str) -> Vec<PathBuf> {
    Page::read(summary)
        .links
        .iter()
        .filter(|(_, link)| !links::is_elsewhere(link))
        .filter_map(|(_, link)| Some(links::target(Path::new(SUMMARY), link)?.0))
        .collect()
}

/// Returns an error for each page of `docs` that the summary omits or lists twice.
pub(crate) fn check_summary(summary: &str, files: &[PathBuf]) -> Vec<String> {
    let chapters = chapters(summary);
    let mut wrong: Vec<String> = files
        .iter()
        .filter(|file| {
            file.starts_with("docs")
                && file.extension().is_some_and(|extension| extension == "md")
                && file.as_path() != Path::new(SUMMARY)
                && !chapters.contains(file)
        })
        .map(|file| format!("{SUMMARY} leaves out {}", file.display()))
        .collect();
    let mut seen = BTreeSet::new();
    wrong.extend(
        chapters
            .iter()
            .filter(|chapter| !seen.insert(*chapter))
            .map(|chapter| format!("{SUMMARY} names {} twice", chapter.display())),
    );
    wrong
}

fn collect(workspace: &Workspace, stage: &Path) -> Result<()> {
    let files = workspace.files()?;
    let source = stage.join("src");
    let read = |file: &Path| {
        fs::read_to_string(workspace.root.join(file))
            .with_context(|| format!("cannot read {}", file.display()))
    };
    let copy = |file: &Path| -> Result<()> {
        let target = source.join(file);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(workspace.root.join(file), &target)
            .with_context(|| format!("cannot copy {}", file.display()))?;
        Ok(())
    };
    let summary = read(Path::new(SUMMARY))?;
    let chapters = chapters(&summary);
    fs::create_dir_all(&source)?;
    fs::copy(
        workspace.root.join("docs/book.toml"),
        stage.join("book.toml"),
    )
    .context("cannot copy docs/book.toml")?;
    // The copy of the summary is in the root directory instead of `docs/`, so its relative links
    // change.
    let moved = summary
        .replace("](../", "](\u{0}")
        .replace("](", "](docs/")
        .replace("](docs/\u{0}", "](");
    fs::write(source.join("SUMMARY.md"), moved)?;
    let mut folders = BTreeSet::new();
    for chapter in &chapters {
        copy(chapter)?;
        let text = read(chapter)?;
        // mdBook renames README.md to index.html, but does not change the links to README.md.
        let linked = text
            .replace("README.md)", "index.md)")
            .replace("README.md#", "index.md#");
        fs::write(source.join(chapter), linked)?;
        for (_, link) in Page::read(&text).links {
            if links::is_elsewhere(&link) {
                continue;
            }
            let Some((path, _)) = links::target(chapter, &link) else {
                continue;
            };
            if files.contains(&path) {
                if path.extension().is_some_and(|extension| extension == "md")
                    && !chapters.contains(&path)
                {
                    bail!(
                        "{} leads to {}, which is no chapter of the book: name it in {SUMMARY}",
                        chapter.display(),
                        path.display()
                    );
                }
                copy(&path)?;
            } else {
                folders.insert(path);
            }
        }
    }
    for folder in folders {
        // If the `README.md` of a directory is a chapter, mdBook generates the index page of the
        // directory from it.
        if chapters.contains(&folder.join("README.md")) {
            continue;
        }
        let inside: Vec<&PathBuf> = files
            .iter()
            .filter(|file| file.parent() == Some(folder.as_path()))
            // mdBook omits pages that are not chapters.
            .filter(|file| file.extension().is_none_or(|extension| extension != "md"))
            .collect();
        let mut list = format!(
            "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<h1>{0}</h1>\n<ul>\n",
            folder.display()
        );
        for file in inside {
            copy(file)?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            list.push_str(&format!("<li><a href=\"{name}\">{name}</a></li>\n"));
        }
        list.push_str("</ul>\n");
        let target = source.join(&folder);
        fs::create_dir_all(&target)?;
        fs::write(target.join("index.html"), list)?;
    }
    Ok(())
}

fn check(book: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    walk(book, &mut files)?;
    let mut pages = BTreeMap::new();
    for file in &files {
        if file
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let text = fs::read_to_string(file)?;
            let place = file.strip_prefix(book)?.to_owned();
            pages.insert(place, Page::of_html(&text));
        }
    }
    let mut wrong = Vec::new();
    for (place, page) in &pages {
        // The links of `404.html` are absolute paths on the web server.
        if place == Path::new("404.html") {
            continue;
        }
        for (_, link) in &page.links {
            if links::is_elsewhere(link) {
                continue;
            }
            let found = links::target(place, link).filter(|(path, _)| book.join(path).exists());
            let Some((path, anchor)) = found else {
                wrong.push(format!("{}: `{link}` is not there", place.display()));
                continue;
            };
            let path = match book.join(&path).is_dir() {
                true => path.join("index.html"),
                false => path,
            };
            let there = match (&anchor, pages.get(&path)) {
                (Some(anchor), Some(page)) => page.has_anchor(anchor),
                _ => book.join(&path).exists(),
            };
            if !there {
                wrong.push(format!("{}: `{link}` is not there", place.display()));
            }
        }
    }
    Ok(wrong)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_told_from_the_rest() {
        let log = " INFO Book building has started\n WARN unclosed HTML tag `<word>` found in `docs/a.md`\n\
                   Check that the HTML tags are properly balanced.\nERROR no page\n";
        assert_eq!(warnings(log), 2);
        assert_eq!(warnings(" INFO WARN is a word\n"), 0);
    }

    #[test]
    fn summaries_name_every_page_once() {
        let files: Vec<PathBuf> = ["docs/SUMMARY.md", "docs/a.md", "docs/x/b.md", "README.md"]
            .iter()
            .map(PathBuf::from)
            .collect();
        let good = "# Summary\n\n[A](a.md)\n\n- [B](x/b.md)\n- [Up](../ARCHITECTURE.md)\n";
        assert_eq!(check_summary(good, &files), [""; 0]);
        assert_eq!(
            check_summary("- [A](a.md)\n- [A](a.md)\n", &files),
            [
                "docs/SUMMARY.md leaves out docs/x/b.md",
                "docs/SUMMARY.md names docs/a.md twice"
            ]
        );
    }
}
