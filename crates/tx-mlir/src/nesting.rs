//! How deep a text is nested. MLIR's parser, and what looks at IR after it, takes a piece of the stack for each level, and a process
//! that has no more is ended without a word.

/// Levels that a text may have: half of the 500 `scf.if` that were compiled on two megabytes, which threads have, by a debug build; 1000
/// were too many.
pub(crate) const MOST: usize = 256;

/// Line and column, from 1, of the bracket that opens one level too many.
pub(crate) fn too_deep(source: &[u8]) -> Option<(usize, usize)> {
    let mut open = Vec::new();
    let (mut line, mut start) = (1, 0);
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\n' => (line, start) = (line + 1, at + 1),
            b'/' if source.get(at + 1) == Some(&b'/') => {
                // What comes next is a text of its own, whatever is open.
                if source[at..].starts_with(b"// -----") {
                    open.clear();
                }
                let end = source[at..].iter().position(|byte| *byte == b'\n');
                at += end.unwrap_or(source.len() - at);
                continue;
            }
            b'"' => at = end_of_string(source, at),
            // Of `->`, and of comparisons in affine sets.
            b'-' if source.get(at + 1) == Some(&b'>') => at += 1,
            b'<' | b'>' if source.get(at + 1) == Some(&b'=') => at += 1,
            b'(' | b'[' | b'{' | b'<' => {
                open.push(byte);
                if open.len() > MOST {
                    return Some((line, at - start + 1));
                }
            }
            b'>' => {
                open.pop_if(|last| *last == b'<');
            }
            b')' | b']' | b'}' => {
                // What is left open within ends as well.
                while open.pop_if(|last| *last == b'<').is_some() {}
                open.pop();
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The quotation mark that ends the string, or the end of its line.
fn end_of_string(source: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    loop {
        match source.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at,
            // The end of the line is looked at again.
            Some(b'\n') | None => return at - 1,
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(open: &str, close: &str, times: usize) -> String {
        open.repeat(times) + &close.repeat(times)
    }

    /// Every kind of bracket counts, in any mixture, and one that is closed does not.
    #[test]
    fn levels_are_counted() {
        for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("<", ">")] {
            assert_eq!(too_deep(nested(open, close, MOST).as_bytes()), None);
            let deeper = nested(open, close, MOST + 1);
            assert_eq!(too_deep(deeper.as_bytes()), Some((1, MOST + 1)));
            let beside = nested(open, close, 3).repeat(MOST);
            assert_eq!(too_deep(beside.as_bytes()), None);
        }
        let mixed = nested("{\n(", ")}", MOST / 2)
            + &nested("[<", ">]", MOST / 2)
            + "\n"
            + &"(".repeat(MOST + 1);
        assert_eq!(too_deep(mixed.as_bytes()), Some((MOST / 2 + 2, MOST + 1)));
    }

    /// Brackets in strings and comments are none, nor are arrows and comparisons.
    #[test]
    fn what_is_no_bracket_does_not_count() {
        for text in [
            "// (((\n",
            "\"(((\\\"(((\"",
            "() -> f32\n",
            "affine_set<(d0) : (d0 >= 0, 7 <= d0)>\n",
            "\"a string without an end (((\n",
        ] {
            assert_eq!(too_deep(text.repeat(MOST).as_bytes()), None, "{text}");
        }
        // A `<` that nothing closes ends with what is around it.
        assert_eq!(too_deep("(<)".repeat(MOST + 1).as_bytes()), None);
        // What follows another text begins anew.
        assert_eq!(too_deep("(\n// -----\n".repeat(MOST + 1).as_bytes()), None);
        // Ends of texts.
        for text in ["\"", "\"\\", "/", "//", "-", "<"] {
            assert_eq!(too_deep(text.as_bytes()), None, "{text}");
        }
    }
}
