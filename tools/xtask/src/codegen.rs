//! Generated pages of `docs/`.
//!
//! `cargo xtask codegen` generates `passes.md` from the doc comments of passes in the pass registry
//! (`tx-opt --tx-dump-registry`). The source of `variants.md` is the variant registry (`tx-opt
//! --tx-dump-variants`). `mlir-tblgen` generates `tile-dialect.md` from `Tile.td`. The sources of
//! `tutorial.md` are the tests in `lit-tests/tutorial` and their snapshots.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::sh::{self, Style};
use crate::workspace::{Workspace, llvm_prefix};

mod tutorial;

pub(crate) fn codegen(workspace: &Workspace, check: bool) -> Result<()> {
    let pages = [
        ("docs/passes.md", passes_page(&registry(workspace)?)?),
        ("docs/variants.md", variants_page(&variants(workspace)?)?),
        ("docs/tile-dialect.md", dialect_page(workspace)?),
        ("docs/tutorial.md", tutorial_page(workspace)?),
    ];
    let mut stale = Vec::new();
    for (name, text) in &pages {
        let path = workspace.root.join(name);
        if fs::read_to_string(&path).is_ok_and(|old| old == *text) {
            continue;
        }
        if check {
            stale.push(*name);
        } else {
            fs::write(&path, text).with_context(|| format!("cannot write {name}"))?;
            println!("codegen: wrote {name}");
        }
    }
    if !stale.is_empty() {
        bail!(
            "stale: {}. Run `cargo xtask codegen` and commit what it writes",
            stale.join(", ")
        );
    }
    println!("{}", Style::stdout().green("codegen: up to date"));
    Ok(())
}

/// Entry for a pass or a pipeline in the pass registry.
pub(crate) struct Entry {
    /// Command-line argument, without leading hyphens.
    pub(crate) argument: String,
    pub(crate) pipeline: bool,
    pub(crate) summary: String,
    doc: String,
    /// Name, type, default value and help text of each option.
    options: Vec<[String; 4]>,
    /// Name and description of each counter.
    statistics: Vec<[String; 2]>,
    /// Passes of a named pipeline, in the textual syntax of pass pipelines.
    expansion: Option<String>,
}

pub(crate) fn registry(workspace: &Workspace) -> Result<Vec<Entry>> {
    let tx_opt = workspace.build("tx-opt", "dev")?;
    let output = sh::capture(Command::new(tx_opt).arg("--tx-dump-registry"))?;
    parse_registry(&output.stdout)
}

pub(crate) fn parse_registry(text: &str) -> Result<Vec<Entry>> {
    let entries: Value =
        serde_json::from_str(text).context("`tx-opt --tx-dump-registry` did not print JSON")?;
    let string = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    entries
        .as_array()
        .context("`tx-opt --tx-dump-registry` did not print a list")?
        .iter()
        .map(|entry| {
            let rows = |key: &str| entry[key].as_array().cloned().unwrap_or_default();
            let kind = string(entry, "kind");
            if kind != "pass" && kind != "pipeline" {
                bail!("unknown kind `{kind}` in the registry: expected `pass` or `pipeline`");
            }
            Ok(Entry {
                argument: string(entry, "argument"),
                pipeline: kind == "pipeline",
                summary: string(entry, "summary"),
                doc: string(entry, "doc"),
                options: rows("options")
                    .iter()
                    .map(|row| ["name", "type", "default", "help"].map(|key| string(row, key)))
                    .collect(),
                statistics: rows("statistics")
                    .iter()
                    .map(|row| ["name", "description"].map(|key| string(row, key)))
                    .collect(),
                expansion: entry["expansion"].as_str().map(str::to_owned),
            })
        })
        .collect()
}

fn variants(workspace: &Workspace) -> Result<Vec<Value>> {
    let tx_opt = workspace.build("tx-opt", "dev")?;
    let output = sh::capture(Command::new(tx_opt).arg("--tx-dump-variants"))?;
    let variants: Value = serde_json::from_str(&output.stdout)
        .context("`tx-opt --tx-dump-variants` did not print JSON")?;
    variants
        .as_array()
        .cloned()
        .context("`tx-opt --tx-dump-variants` did not print a list")
}

const GENERATED: &str = "<!-- Written by `cargo xtask codegen`. Do not edit: change the source named \
     below and run it again. -->\n";

fn passes_page(entries: &[Entry]) -> Result<String> {
    let mut page = String::from(GENERATED);
    page.push_str(
        "\n# Passes and pipelines\n\n\
         The passes that `tx-opt` adds to MLIR's own, in the order in which pipelines run them.\nEach \
         section is the doc comment of the pass, in `passes/src`.\n",
    );
    for (title, pipeline) in [("Passes", false), ("Pipelines", true)] {
        let members: Vec<&Entry> = entries
            .iter()
            .filter(|entry| entry.pipeline == pipeline)
            .collect();
        if members.is_empty() {
            continue;
        }
        write!(page, "\n## {title}\n\n")?;
        for entry in &members {
            writeln!(
                page,
                "* [`--{0}`](#--{0}): {1}",
                entry.argument, entry.summary
            )?;
        }
        for entry in members {
            entry_section(&mut page, entry)?;
        }
    }
    Ok(page)
}

/// Returns a page with a table of all variants, and with one section per variant.
fn variants_page(variants: &[Value]) -> Result<String> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let predicates = |variant: &Value| -> Vec<String> {
        let list = variant["predicates"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        list.iter()
            .filter_map(|name| Some(format!("`{}`", name.as_str()?)))
            .collect()
    };
    let mut page = String::from(GENERATED);
    page.push_str(
        "<!-- Source: `doc` and `predicates` of each variant, in passes/src/variants. -->\n\n\
         # Variants\n\n\
         A variant is an implementation of `tile.reduce` within a kernel. The pass\n\
         [`--tile-select-variant`](passes.md#--tile-select-variant) chooses a variant whose \
         conditions all accept\nthe op. Among several accepted variants, the pass chooses the \
         variant with the highest priority, then\nwith the lowest cost in cycles, then with the \
         first name in alphabetical order. The attribute\n`variant = \"NAME\"` on the op forces a \
         variant whose conditions accept the op. For each variant, `tx\nexplain FILE.mlir` prints \
         the cost, or the reason of each condition that rejects the op.\n\n\
         | variant | priority | what it does |\n|---|--:|---|\n",
    );
    for variant in variants {
        let name = text(variant, "name");
        let doc = text(variant, "doc");
        let Some(summary) = doc.lines().next().filter(|line| !line.is_empty()) else {
            bail!("the variant `{name}` does not say what it does: give it a `doc`");
        };
        writeln!(
            page,
            "| [`{name}`](#{}) | {} | {} |",
            name,
            variant["priority"],
            cell(summary)
        )?;
    }
    for variant in variants {
        let name = text(variant, "name");
        write!(
            page,
            "\n## `{name}`\n\n{}\n\nIn its output, `tx explain` names the conditions of `{name}` as \
             follows: {}.\n",
            text(variant, "doc"),
            predicates(variant).join(", ")
        )?;
    }
    Ok(page)
}

fn entry_section(page: &mut String, entry: &Entry) -> Result<()> {
    write!(page, "\n### `--{}`\n\n", entry.argument)?;
    let doc = demote_headings(entry.doc.trim());
    if doc.is_empty() {
        writeln!(page, "{}", entry.summary)?;
    } else {
        writeln!(page, "{doc}")?;
    }
    if let Some(expansion) = &entry.expansion {
        write!(
            page,
            "\n#### Stands for\n\n```\n{}\n```\n",
            expansion.trim()
        )?;
    }
    if !entry.options.is_empty() {
        page.push_str(
            "\n#### Options\n\n| option | type | default | meaning |\n|---|---|---|---|\n",
        );
        for [name, kind, default, help] in &entry.options {
            let default = if default.is_empty() {
                "—".to_owned()
            } else {
                format!("`{}`", cell(default))
            };
            writeln!(
                page,
                "| `{}` | {} | {default} | {} |",
                cell(name),
                cell(kind),
                cell(help)
            )?;
        }
    }
    if !entry.statistics.is_empty() {
        page.push_str(
            "\n#### Statistics (`--mlir-pass-statistics`)\n\n| name | counts |\n|---|---|\n",
        );
        for [name, description] in &entry.statistics {
            writeln!(page, "| `{}` | {} |", cell(name), cell(description))?;
        }
    }
    write!(
        page,
        "\nTests: [`lit-tests/{0}/`](../lit-tests/{0}/)\n",
        entry.argument
    )?;
    Ok(())
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Changes all headings of a doc comment to level 4, and removes the leading blank of each line.
/// Code blocks are unchanged, because `#` starts an attribute alias in MLIR, not a heading.
fn demote_headings(doc: &str) -> String {
    let margin = doc
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .all(|line| line.starts_with(' '));
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in doc.lines() {
        let line = line.trim_end();
        let mut line = match line.strip_prefix(' ') {
            Some(text) if margin => text.to_owned(),
            _ => line.to_owned(),
        };
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            let text = line.trim_start_matches('#');
            if text.starts_with(' ') {
                line = format!("####{text}");
            }
        }
        lines.push(line);
    }
    lines.join("\n")
}

fn dialect_page(workspace: &Workspace) -> Result<String> {
    let prefix = llvm_prefix();
    let output = sh::capture(
        Command::new(prefix.join("bin/mlir-tblgen"))
            .arg("-gen-dialect-doc")
            .arg("-dialect=tile")
            .arg("-I")
            .arg(prefix.join("include"))
            .arg("-I")
            .arg("dialects/tile")
            .arg("dialects/tile/Tile.td")
            .current_dir(&workspace.root),
    )?;
    let mut page = String::from(GENERATED);
    page.push_str("<!-- Source: dialects/tile/Tile.td, by way of mlir-tblgen. -->\n\n");
    for line in output.stdout.lines() {
        // The page begins with another header, so this code omits the header of mlir-tblgen.
        if line.starts_with("<!-- Autogenerated by mlir-tblgen") {
            continue;
        }
        // This code removes repeated blank lines and the tag `[TOC]`, which only some Markdown
        // renderers support.
        let line = line.trim_end();
        if line == "[TOC]" || (line.is_empty() && page.ends_with("\n\n")) {
            continue;
        }
        page.push_str(&html_row(line));
        page.push('\n');
    }
    Ok(page.trim_end().to_owned() + "\n")
}

/// Escapes the cells of an HTML table row from mlir-tblgen, because `<WORD>` in a summary would be
/// an HTML tag. A text in backticks becomes a `<code>` element.
fn html_row(line: &str) -> String {
    let Some(cells) = line
        .strip_prefix("<tr><td>")
        .and_then(|rest| rest.strip_suffix("</td></tr>"))
    else {
        return line.to_owned();
    };
    let cells: Vec<String> = cells.split("</td><td>").map(html_cell).collect();
    format!("<tr><td>{}</td></tr>", cells.join("</td><td>"))
}

fn html_cell(text: &str) -> String {
    let inside = text
        .strip_prefix("<code>")
        .and_then(|rest| rest.strip_suffix("</code>"));
    if let Some(code) = inside {
        return format!("<code>{}</code>", html_text(code));
    }
    let parts: Vec<String> = text.split('`').map(html_text).collect();
    // A backtick without a second backtick stays unchanged.
    if parts.len().is_multiple_of(2) {
        return parts.join("`");
    }
    let mut cell = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 1 {
            cell.push_str(&format!("<code>{part}</code>"));
        } else {
            cell.push_str(part);
        }
    }
    cell
}

fn html_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn tutorial_page(workspace: &Workspace) -> Result<String> {
    let source =
        "<!-- Source: lit-tests/tutorial, the introduction, the tests and their snapshots. -->";
    Ok(format!(
        "{GENERATED}{source}\n\n{}",
        tutorial::page(workspace)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_demote_headings_outside_code_only() {
        let doc = "Sums.\n\n## Before\n```mlir\n#acc = #tile.layout<[]>\n```\n# Fails when\n#row";
        assert_eq!(
            demote_headings(doc),
            "Sums.\n\n#### Before\n```mlir\n#acc = #tile.layout<[]>\n```\n#### Fails when\n#row"
        );
    }

    #[test]
    fn pages_drop_the_blank_after_the_comment_mark() {
        let doc = "Sums.\n\n ## Before\n ```mlir\n module {\n   #x\n ```";
        assert_eq!(
            demote_headings(doc),
            "Sums.\n\n#### Before\n```mlir\nmodule {\n  #x\n```"
        );
    }

    #[test]
    fn pages_list_options_with_bars_escaped() {
        let entries = parse_registry(
            r#"[{"argument": "tile-select-variant", "summary": "Choose.", "doc": "", "kind": "pass",
                 "options": [{"name": "explain", "type": "bool", "default": "", "help": "a|b"}],
                 "statistics": []}]"#,
        )
        .unwrap();
        let page = passes_page(&entries).unwrap();
        assert!(page.contains("| `explain` | bool | — | a\\|b |"), "{page}");
        assert!(!page.contains("## Pipelines"), "{page}");
    }

    #[test]
    fn variants_say_what_they_do() {
        let mut variants = serde_json::json!([{
            "name": "3input", "priority": 20, "doc": "Sums a|b.\n\nMore.", "predicates": ["kind", "chip"],
        }]);
        let page = variants_page(variants.as_array().unwrap()).unwrap();
        assert!(
            page.contains("| [`3input`](#3input) | 20 | Sums a\\|b. |"),
            "{page}"
        );
        assert!(page.contains(" follows: `kind`, `chip`.\n"), "{page}");
        variants[0]["doc"] = "".into();
        let error = variants_page(variants.as_array().unwrap()).unwrap_err();
        assert!(error.to_string().contains("`3input`"));
    }

    #[test]
    fn cells_of_html_hold_text() {
        let row = |cells: &str| html_row(&format!("<tr><td>{cells}</td></tr>"));
        assert_eq!(
            row("<code>k</code></td><td>X&Y<T></td><td>one: `#k<WORD>`, where"),
            "<tr><td><code>k</code></td><td>X&amp;Y&lt;T&gt;</td><td>one: \
             <code>#k&lt;WORD&gt;</code>, where</td></tr>"
        );
        assert_eq!(row("a `b"), "<tr><td>a `b</td></tr>");
        let other = "| `x<T>` | <br> |";
        assert_eq!(html_row(other), other);
    }

    #[test]
    fn registry_of_unknown_kind_is_refused() {
        assert!(parse_registry(r#"[{"argument": "x", "kind": "pas"}]"#).is_err());
    }
}
