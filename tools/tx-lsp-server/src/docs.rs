//! Documentation of ops, from the reference page of the tile dialect.

/// Reference page of the tile dialect, generated from `Tile.td` by `cargo xtask codegen`.
const PAGE: &str = include_str!("../../../docs/tile-dialect.md");

/// Returns the summary, syntax and description of an op of the tile dialect, as Markdown.
pub(crate) fn of(name: &str) -> Option<&'static str> {
    let heading = format!("\n### `{name}` (");
    let start = PAGE.find(&heading)? + heading.len();
    let (_, section) = PAGE[start..].split_once('\n')?;
    // The description of an op ends before its tables of attributes and operands, or before the
    // next op.
    let end = ["\n#### ", "\n### ", "\n## "]
        .into_iter()
        .filter_map(|next| section.find(next))
        .min()
        .unwrap_or(section.len());
    Some(section[..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tx_dialect_tile::TILE_OPS;

    #[test]
    fn every_op_is_documented() {
        for op in TILE_OPS.iter().chain(&["tile.yield"]) {
            let doc = of(op).unwrap_or_else(|| panic!("no documentation of `{op}`"));
            assert!(doc.starts_with('_'), "{op}: {doc}");
            assert!(
                doc.contains(&format!("operation ::= `{op}`")),
                "{op}: {doc}"
            );
            assert!(
                !doc.contains("####") && !doc.contains("<table>"),
                "{op}: {doc}"
            );
        }
    }

    #[test]
    fn what_is_no_op_of_the_dialect_is_not_documented() {
        for name in ["", "tile", "tile.", "tile.reduc", "scf.for", "ScopeAttr"] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
