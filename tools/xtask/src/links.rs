//! Link checker for Markdown. Every file and every heading to which a page links must exist.
//!
//! GitHub and mdBook generate the anchor of a heading by the same rules. The anchor is the heading
//! in lower case; hyphens replace the blanks, and punctuation other than hyphens and underscores is
//! removed. If a heading occurs several times on a page, the anchors of the second and later
//! occurrences end with a number. External links are not checked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Line number (from 1) and target of each link.
    pub(crate) links: Vec<(usize, String)>,
    /// Anchors of the page. A link to a heading contains an anchor after `#`.
    anchors: BTreeSet<String>,
    /// Line number and label of each reference link without a definition.
    undefined: Vec<(usize, String)>,
}

impl Page {
    pub(crate) fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut undefined = Vec::new();
        let mut callback = |broken: pulldown_cmark::BrokenLink<'_>| {
            // A text such as `[0, 1)` is not a link.
            if matches!(broken.link_type, LinkType::Reference | LinkType::Collapsed) {
                undefined.push((line_of(text, &broken.span), broken.reference.to_string()));
            }
            None
        };
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
        let parser = Parser::new_with_broken_link_callback(text, options, Some(&mut callback));
        let mut heading: Option<String> = None;
        for (event, range) in parser.into_offset_iter() {
            let line = line_of(text, &range);
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((line, dest_url.to_string()));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some(text) = heading.take() {
                        page.add_anchor(&text);
                    }
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => page.read_html(line, &html),
                _ => {}
            }
        }
        page.undefined = undefined;
        page
    }

    pub(crate) fn of_html(html: &str) -> Self {
        let mut page = Self::default();
        page.read_html(1, html);
        page
    }

    pub(crate) fn has_anchor(&self, anchor: &str) -> bool {
        self.anchors.contains(anchor)
    }

    fn add_anchor(&mut self, heading: &str) {
        let anchor = slug(heading);
        if self.anchors.insert(anchor.clone()) {
            return;
        }
        let mut number = 1;
        while !self.anchors.insert(format!("{anchor}-{number}")) {
            number += 1;
        }
    }

    fn read_html(&mut self, line: usize, html: &str) {
        for (name, is_link) in [
            ("href", true),
            ("src", true),
            ("srcset", true),
            ("id", false),
            ("name", false),
        ] {
            for (at, _) in html.match_indices(&format!(" {name}=\"")) {
                let value = &html[at + name.len() + 3..];
                let Some((value, _)) = value.split_once('"') else {
                    continue;
                };
                if is_link {
                    self.links.push((line, value.to_owned()));
                } else {
                    self.anchors.insert(value.to_owned());
                }
            }
        }
    }
}

fn line_of(text: &str, range: &Range<usize>) -> usize {
    1 + text[..range.start].matches('\n').count()
}

/// Returns the anchor that GitHub generates for a heading.
fn slug(heading: &str) -> String {
    heading
        .trim()
        .chars()
        .flat_map(char::to_lowercase)
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || matches!(c, '_' | '-') => Some(c),
            _ => None,
        })
        .collect()
}

pub(crate) fn is_elsewhere(link: &str) -> bool {
    link.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

/// Returns the target of a link: the path relative to the repository root, and the anchor. Returns
/// `None` if the path is outside of the repository.
pub(crate) fn target(page: &Path, link: &str) -> Option<(PathBuf, Option<String>)> {
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (link, None),
    };
    if path.is_empty() {
        return Some((page.to_owned(), anchor));
    }
    let mut full = page.parent().unwrap_or(Path::new("")).to_owned();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => full.push(name),
            Component::CurDir => {}
            Component::ParentDir if full.pop() => {}
            _ => return None,
        }
    }
    Some((full, anchor))
}

/// Returns an error for each broken link. `files` contains the paths of all files in the
/// repository, and `texts` contains the texts of the Markdown pages.
pub(crate) fn check(files: &[PathBuf], texts: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let pages: BTreeMap<&Path, Page> = texts
        .iter()
        .map(|(file, text)| (file.as_path(), Page::read(text)))
        .collect();
    let known: BTreeSet<&Path> = files
        .iter()
        .flat_map(|file| file.ancestors())
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    let mut wrong = Vec::new();
    for (file, page) in &pages {
        for (line, label) in &page.undefined {
            wrong.push(format!(
                "{}:{line}: a link to `[{label}]`, which the page does not define",
                file.display()
            ));
        }
        for (line, link) in &page.links {
            if let Some(problem) = problem(file, link, &pages, &known) {
                wrong.push(format!("{}:{line}: {problem}", file.display()));
            }
        }
    }
    wrong
}

fn problem(
    file: &Path,
    link: &str,
    pages: &BTreeMap<&Path, Page>,
    known: &BTreeSet<&Path>,
) -> Option<String> {
    if link.is_empty() {
        return Some("a link that leads nowhere".to_owned());
    }
    if is_elsewhere(link) {
        return None;
    }
    let Some((path, anchor)) = target(file, link) else {
        return Some(format!(
            "the link `{link}` leaves the repository: expected a path from the page's own folder"
        ));
    };
    // An empty path denotes the root of the repository.
    if !path.as_os_str().is_empty() && !known.contains(path.as_path()) {
        return Some(format!(
            "the link `{link}` leads to {}, which is not there",
            path.display()
        ));
    }
    let anchor = anchor?;
    let Some(page) = pages.get(path.as_path()) else {
        return Some(format!(
            "the link `{link}` names a heading of {}, which is no Markdown",
            path.display()
        ));
    };
    if page.anchors.contains(&anchor) {
        return None;
    }
    let near: Vec<&str> = page
        .anchors
        .iter()
        .filter(|known| known.contains(&anchor) || anchor.contains(known.as_str()))
        .map(String::as_str)
        .collect();
    let hint = if near.is_empty() {
        String::new()
    } else {
        format!(": there is {}", near.join(", "))
    };
    Some(format!(
        "the link `{link}` names no heading of {}{hint}",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(pages: &[(&str, &str)], others: &[&str]) -> Vec<String> {
        let texts: BTreeMap<PathBuf, String> = pages
            .iter()
            .map(|(name, text)| (PathBuf::from(name), (*text).to_owned()))
            .collect();
        let files: Vec<PathBuf> = texts
            .keys()
            .cloned()
            .chain(others.iter().map(PathBuf::from))
            .collect();
        check(&files, &texts)
    }

    #[test]
    fn links_to_what_is_there_are_right() {
        let index = "\
# One
[a](docs/a.md#two-words) [same](#one) [again](#one-1) [folder](docs) [other](src/x.rs), ![p](docs/p.svg)
# One
[site](https://example.org/x#y) [mail](mailto:me@example.org) `[no](link)` [0, 1)
<picture><source srcset=\"docs/p.svg\"><img src=\"docs/p.svg\"></picture>
[label][]

[label]: docs/a.md

```md
[no](link.md)
```
";
        let a = "\
## Two words!
[up](../README.md#one) [code](#--pass-with_options) <a id=\"own\"></a> [own](#own) [root](..)
### `--pass-with_options`
";
        assert_eq!(
            wrong(
                &[("README.md", index), ("docs/a.md", a)],
                &["docs/p.svg", "src/x.rs"]
            ),
            [""; 0]
        );
    }

    #[test]
    fn links_to_nothing_are_found_where_they_stand() {
        let text = "\
# Here

[a](gone.md) and
[b](#her) [c](../../out.md) [d](src/x.rs#L3) [e]()
[f][nowhere] <img alt=\"x\" src=\"p.svg\">
[g](/README.md)
";
        let found = wrong(&[("README.md", text)], &["src/x.rs"]);
        let expected = [
            "README.md:5: a link to `[nowhere]`, which the page does not define",
            "README.md:3: the link `gone.md` leads to gone.md, which is not there",
            "README.md:4: the link `#her` names no heading of README.md: there is here",
            "README.md:4: the link `../../out.md` leaves the repository: expected a path from the \
             page's own folder",
            "README.md:4: the link `src/x.rs#L3` names a heading of src/x.rs, which is no Markdown",
            "README.md:4: a link that leads nowhere",
            "README.md:5: the link `p.svg` leads to p.svg, which is not there",
            "README.md:6: the link `/README.md` leaves the repository: expected a path from the \
             page's own folder",
        ];
        assert_eq!(found, expected);
    }
}
