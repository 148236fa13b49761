//! Detection of block, cluster and grid size attributes with an unexpected type. MLIR's parser
//! silently drops a size attribute with an unexpected type, so the kernel would have no known
//! block, cluster or grid size.

const NAMES: [&str; 3] = ["known_block_size", "known_cluster_size", "known_grid_size"];

/// Block, cluster or grid size attribute that MLIR's parser drops, because the attribute has an
/// unexpected type.
pub(crate) struct DroppedSize<'t> {
    pub(crate) line: usize,
    /// Column of the size attribute in the source line, in bytes, from 1.
    pub(crate) column: usize,
    pub(crate) name: &'static str,
    pub(crate) value: &'t str,
}

/// Returns the first size attribute in `text` whose value is a number, a string, or a list other
/// than `array<i32: ...>`.
pub(crate) fn dropped(text: &str) -> Option<DroppedSize<'_>> {
    (1..).zip(text.lines()).find_map(|(line, written)| {
        let code = written.split_once("//").map_or(written, |(code, _)| code);
        NAMES.into_iter().find_map(|name| {
            let mut places = code.match_indices(name);
            places.find_map(|(at, _)| {
                let column = at + 1;
                let before = code[..at].chars().next_back();
                // The matched text is part of a longer name or of a string.
                if before.is_some_and(|c| c.is_ascii_alphanumeric() || "._$\"".contains(c)) {
                    return None;
                }
                let rest = code[at + name.len()..].trim_start().strip_prefix('=')?;
                let value = of_other_numbers(rest.trim_start())?;
                Some(DroppedSize {
                    line,
                    column,
                    name,
                    value,
                })
            })
        })
    })
}

/// Returns the text of the attribute value at the start of `rest`; `None` for an `array<i32: ...>`,
/// which MLIR's parser accepts, and for an attribute alias.
fn of_other_numbers(rest: &str) -> Option<&str> {
    let to = |close: char| Some(&rest[..=rest.find(close)?]);
    match rest {
        _ if rest.starts_with("array<i32") => None,
        _ if rest.starts_with("array<") || rest.starts_with("dense<") => to('>'),
        _ if rest.starts_with('[') => to(']'),
        _ if rest.starts_with(|c: char| c.is_ascii_digit() || "-\"".contains(c)) => {
            let value = &rest[..rest.find([',', '}']).unwrap_or(rest.len())];
            Some(value.trim_end())
        }
        _ => None,
    }
}

/// Returns the sizes that `value` contains, in the form `array<i32: ...>`; `None` if `value`
/// contains no list of sizes, or more than three sizes.
pub(crate) fn rewritten(value: &str) -> Option<String> {
    let numbers = value.split([':', '<', '>', '[', ']', '"']);
    let list = numbers.map(str::trim).find(|part| {
        let mut sizes = part.split(',').map(str::trim);
        sizes.all(|size| size.parse::<u32>().is_ok())
    })?;
    let mut sizes: Vec<&str> = list.split(',').map(str::trim).collect();
    if sizes.len() > 3 {
        return None;
    }
    sizes.resize(3, "1");
    Some(format!("array<i32: {}>", sizes.join(", ")))
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
        for value in [
            "array<i64: 32, 1, 1>",
            "[32, 1, 1]",
            "dense<32>",
            "32",
            "32 : i32",
            "\"32\"",
        ] {
            let expected = (2, 15, "known_block_size", value.to_owned());
            assert_eq!(found(&text(value)), Some(expected));
            assert_eq!(
                rewritten(value).as_deref(),
                Some("array<i32: 32, 1, 1>"),
                "{value}"
            );
        }
        assert_eq!(rewritten("[1.5]"), None);
        assert_eq!(rewritten("[1, 2, 3, 4]"), None);
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
