//! Sizes of blocks, clusters and grids that are written as MLIR does not take them: it drops them without a word, and the kernel has
//! none.

const NAMES: [&str; 3] = ["known_block_size", "known_cluster_size", "known_grid_size"];

/// A size that would be dropped.
pub(crate) struct Dropped<'t> {
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in bytes.
    pub(crate) column: usize,
    pub(crate) name: &'static str,
    pub(crate) value: &'t str,
}

/// The first size that is a list of anything but `i32`, in braces of an op.
pub(crate) fn dropped(text: &str) -> Option<Dropped<'_>> {
    (1..).zip(text.lines()).find_map(|(line, written)| {
        let code = written.split_once("//").map_or(written, |(code, _)| code);
        NAMES.into_iter().find_map(|name| {
            let mut places = code.match_indices(name);
            places.find_map(|(at, _)| {
                let column = at + 1;
                let before = code[..at].chars().next_back();
                // Part of another name, or of a string.
                if before.is_some_and(|c| c.is_ascii_alphanumeric() || "._$\"".contains(c)) {
                    return None;
                }
                let rest = code[at + name.len()..].trim_start().strip_prefix('=')?;
                let value = of_other_numbers(rest.trim_start())?;
                Some(Dropped {
                    line,
                    column,
                    name,
                    value,
                })
            })
        })
    })
}

/// What a value is, unless it is `array<i32: ...>`, or no list that is written here.
fn of_other_numbers(rest: &str) -> Option<&str> {
    let to = |close: char| Some(&rest[..=rest.find(close)?]);
    match rest {
        _ if rest.starts_with("array<i32") => None,
        _ if rest.starts_with("array<") || rest.starts_with("dense<") => to('>'),
        _ if rest.starts_with('[') => to(']'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_other_numbers_are_found() {
        let found =
            |text: &str| dropped(text).map(|d| (d.line, d.column, d.name, d.value.to_owned()));
        let text = |value: &str| {
            format!("gpu.func @k() kernel\n  attributes {{known_block_size = {value}}} {{")
        };
        for value in ["array<i64: 32, 1, 1>", "[32, 1, 1]", "dense<32>"] {
            let expected = (2, 15, "known_block_size", value.to_owned());
            assert_eq!(found(&text(value)), Some(expected));
        }
        for value in ["array<i32: 32, 1, 1>", "#block", "array<i32>"] {
            assert_eq!(found(&text(value)), None, "{value}");
        }
        for text in [
            "// known_block_size = array<i64: 1>",
            "\"gpu.known_block_size = array<i64: 1>\"",
            "my_known_block_size = [1]",
            "known_block_size = array<i64",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
