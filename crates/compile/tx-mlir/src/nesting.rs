//! Limits on the nesting depth and expression length of MLIR text. MLIR's parser and passes recurse
//! on nested constructs and on long expressions. Without limits on depth and length, a stack
//! overflow could end the process without a message.

use std::collections::BTreeMap;

/// Maximum nesting depth of MLIR text. On a 2 MiB thread stack, a debug build compiled 500 nested
/// `scf.if` ops, but not 1000.
pub(crate) const MAX_LEVELS: usize = 256;

/// Returns the line and column, from 1, at which the nesting depth exceeds [`MAX_LEVELS`]. Each
/// open bracket, and each sign in a sequence of minus signs, adds one level to the nesting depth. A
/// use of an alias adds the nesting depth of the alias definition, plus 1.
pub(crate) fn too_deep(source: &[u8]) -> Option<(usize, usize)> {
    let mut open = Vec::new();
    let mut aliases = Aliases::default();
    let (mut line, mut start) = (1, 0);
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        let mut levels = 0;
        let mut next = at + 1;
        match byte {
            b'\n' => {
                (line, start) = (line + 1, at + 1);
                aliases.end_line(open.is_empty());
            }
            b'/' if source.get(at + 1) == Some(&b'/') => {
                // A `// -----` separator starts a new module, even inside open brackets.
                if source[at..].starts_with(b"// -----") {
                    open.clear();
                    aliases = Aliases::default();
                }
                let end = source[at..].iter().position(|byte| *byte == b'\n');
                next = at + end.unwrap_or(source.len() - at);
            }
            b'"' => next = end_of_string(source, at) + 1,
            // Skip the arrow `->` of a type, and the operators `<=` and `>=` of an affine set.
            b'-' if source.get(at + 1) == Some(&b'>') => next = at + 2,
            b'<' | b'>' if source.get(at + 1) == Some(&b'=') => next = at + 2,
            b'-' => {
                let signs = end_of_signs(source, at);
                levels = signs.count;
                next = signs.end;
            }
            b'#' | b'!' => {
                let name = name_at(source, at);
                next = at + name.len();
                match open.is_empty() && is_defined(source, next) {
                    true => aliases.begin(name),
                    false => levels = aliases.levels(name),
                }
            }
            b'(' | b'[' | b'{' | b'<' => open.push(byte),
            b'>' => {
                open.pop_if(|last| *last == b'<');
            }
            b')' | b']' | b'}' => {
                // A closing bracket also closes each unclosed `<` inside the pair of brackets.
                while open.pop_if(|last| *last == b'<').is_some() {}
                open.pop();
            }
            _ => {}
        }
        let levels = open.len() + levels;
        if levels > MAX_LEVELS {
            return Some((line, at - start + 1));
        }
        aliases.reach(levels);
        at = next;
    }
    None
}

/// Maximum number of terms and factors in an affine expression. MLIR's parser recurses once per
/// term of an affine expression. A thread stack of 2 MiB is sufficient for at least four times
/// `MAX_TERMS` recursive calls.
pub(crate) const MAX_TERMS: usize = 4096;

/// Returns the line and column, from 1, of the operator at which the number of terms of an
/// expression exceeds [`MAX_TERMS`].
pub(crate) fn too_long(source: &[u8]) -> Option<(usize, usize)> {
    // For each open bracket, the number of terms before this bracket.
    let mut around = Vec::new();
    let mut terms = 1;
    let (mut line, mut start) = (1, 0);
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        let mut next = at + 1;
        match byte {
            b'\n' => {
                (line, start) = (line + 1, at + 1);
                if around.is_empty() {
                    terms = 1;
                }
            }
            b'/' if source.get(at + 1) == Some(&b'/') => {
                let end = source[at..].iter().position(|byte| *byte == b'\n');
                next = at + end.unwrap_or(source.len() - at);
            }
            b'"' => next = end_of_string(source, at) + 1,
            b'-' if source.get(at + 1) == Some(&b'>') => next = at + 2,
            b'[' | b'{' => around.push(std::mem::replace(&mut terms, 1)),
            // The terms in parentheses count as terms of the enclosing expression.
            b'(' => around.push(terms),
            b')' => terms = terms.max(around.pop().unwrap_or(1)),
            b']' => terms = around.pop().unwrap_or(1),
            b'}' => {
                around.pop();
                terms = 1;
            }
            // Skips `*` in an unranked type, such as `memref<*xf32>`.
            b'*' if source[..at].last() == Some(&b'<') => {}
            b',' | b'=' | b':' => terms = 1,
            b'+' | b'-' | b'*' => terms += 1,
            b'%' | b'@' | b'#' | b'!' => next = at + name_at(source, at).len(),
            letter if letter.is_ascii_alphabetic() => {
                let word = name_at(source, at);
                terms += usize::from(matches!(word, b"floordiv" | b"ceildiv" | b"mod"));
                next = at + word.len();
            }
            _ => {}
        }
        if terms > MAX_TERMS {
            return Some((line, at - start + 1));
        }
        at = next;
    }
    None
}

/// Nesting depth of each alias definition that [`too_deep`] has read. While [`too_deep`] reads an
/// alias definition, the field `defined` contains the alias and the maximum nesting depth so far.
#[derive(Default)]
struct Aliases<'s> {
    levels: BTreeMap<&'s [u8], usize>,
    defined: Option<(&'s [u8], usize)>,
}

impl<'s> Aliases<'s> {
    fn begin(&mut self, name: &'s [u8]) {
        self.defined = Some((name, 0));
    }

    fn reach(&mut self, levels: usize) {
        if let Some((_, most)) = &mut self.defined {
            *most = levels.max(*most);
        }
    }

    /// Ends the current alias definition at the end of a line. The alias definition continues on
    /// the next line if a bracket is open at the end of the line.
    fn end_line(&mut self, closed: bool) {
        if let Some((name, levels)) = self.defined.take_if(|_| closed) {
            self.levels.insert(name, levels);
        }
    }

    /// Returns the nesting depth that a use of an alias adds: the depth of the alias definition
    /// plus 1.
    fn levels(&self, name: &[u8]) -> usize {
        self.levels.get(name).map_or(0, |levels| levels + 1)
    }
}

/// Returns the alias or symbol name that begins at `at`: a sigil such as `#` or `!`, and the name
/// characters after it.
fn name_at(source: &[u8], at: usize) -> &[u8] {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.-".contains(byte);
    let letters = source[at + 1..].iter().take_while(|byte| is_letter(byte));
    &source[at..=at + letters.count()]
}

/// Returns whether `=` follows the position `at`, as in the definition of an alias.
fn is_defined(source: &[u8], at: usize) -> bool {
    let mut rest = source[at..]
        .iter()
        .skip_while(|byte| byte.is_ascii_whitespace());
    rest.next() == Some(&b'=') && rest.next() != Some(&b'=')
}

/// Sequence of consecutive minus signs: the number of signs, and the position after the last sign.
struct Signs {
    count: usize,
    end: usize,
}

fn end_of_signs(source: &[u8], begin: usize) -> Signs {
    let (mut count, mut end) = (1, begin + 1);
    // The loop skips spaces between minus signs. The loop stops at a line end, because the caller
    // counts lines.
    while let Some(byte) = source.get(end) {
        match byte {
            b'-' if source.get(end + 1) != Some(&b'>') => count += 1,
            b' ' | b'\t' | b'\r' => {}
            _ => break,
        }
        end += 1;
    }
    Signs { count, end }
}

/// Returns the position of the quotation mark that closes the string at `begin`. If the line has no
/// closing quotation mark, returns the position of the last byte of the line.
fn end_of_string(source: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    loop {
        match source.get(at) {
            // The caller counts the end of the line.
            Some(b'\n') | None => return at - 1,
            Some(b'\\') if source.get(at + 1) != Some(&b'\n') => at += 2,
            Some(b'"') => return at,
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

    #[test]
    fn levels_are_counted() {
        for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("<", ">")] {
            assert_eq!(too_deep(nested(open, close, MAX_LEVELS).as_bytes()), None);
            let deeper = nested(open, close, MAX_LEVELS + 1);
            assert_eq!(too_deep(deeper.as_bytes()), Some((1, MAX_LEVELS + 1)));
            let beside = nested(open, close, 3).repeat(MAX_LEVELS);
            assert_eq!(too_deep(beside.as_bytes()), None);
        }
        let mixed = nested("{\n(", ")}", MAX_LEVELS / 2)
            + &nested("[<", ">]", MAX_LEVELS / 2)
            + "\n"
            + &"(".repeat(MAX_LEVELS + 1);
        assert_eq!(
            too_deep(mixed.as_bytes()),
            Some((MAX_LEVELS / 2 + 2, MAX_LEVELS + 1))
        );
    }

    #[test]
    fn signs_and_aliases_are_counted() {
        let signs = |times: usize| format!("affine_map<(d0) -> ({}d0)>", "- -".repeat(times));
        assert_eq!(too_deep(signs(MAX_LEVELS / 2 - 1).as_bytes()), None);
        assert_eq!(too_deep(signs(MAX_LEVELS / 2).as_bytes()), Some((1, 21)));
        let chain = |times: usize| {
            let one = |i: usize| format!("#a{i} = [#a{}]\n", i - 1);
            "#a0 = 1 : i32\n".to_owned() + &(1..=times).map(one).collect::<String>()
        };
        assert_eq!(too_deep(chain(MAX_LEVELS / 2).as_bytes()), None);
        assert_eq!(
            too_deep(chain(MAX_LEVELS).as_bytes()),
            Some((MAX_LEVELS / 2 + 2, 10))
        );
        let types = "!t = tuple<i32>\n".to_owned() + &"tuple<!t,\n".repeat(MAX_LEVELS - 1);
        assert_eq!(too_deep(types.as_bytes()), Some((MAX_LEVELS, 7)));
        // Aliases in a list do not nest, and an alias of an earlier module is unknown.
        let beside = chain(9) + &"func.func @f() attributes {a = #a9}\n".repeat(MAX_LEVELS);
        assert_eq!(too_deep(beside.as_bytes()), None);
        let next = (chain(MAX_LEVELS / 2) + "// -----\n").repeat(3);
        assert_eq!(too_deep(next.as_bytes()), None);
        // An alias definition ends at the end of its line.
        let ops =
            "#a = 1 : i32\n".to_owned() + &nested("{", "}", MAX_LEVELS) + "\n#b = [#a]\n{{#b}}";
        assert_eq!(too_deep(ops.as_bytes()), None);
    }

    #[test]
    fn terms_are_counted() {
        let map = |joined: &str, times: usize| {
            format!("affine_map<(d0) -> (\nd0{}, d0)>", joined.repeat(times))
        };
        for (joined, column) in [(" + d0", 1), (" * 2", 1), (" mod 7", 1), ("\n- 1", 0)] {
            assert_eq!(too_long(map(joined, MAX_TERMS - 1).as_bytes()), None);
            let found = too_long(map(joined, MAX_TERMS).as_bytes());
            let place = match column {
                0 => (2 + MAX_TERMS, 1),
                _ => (2, 4 + joined.len() * (MAX_TERMS - 1)),
            };
            assert_eq!(found, Some(place), "{joined}");
        }
        // A parenthesized expression counts as part of the enclosing expression.
        let nested = format!("{}d0{}", "(d0 + ".repeat(MAX_TERMS), ")".repeat(MAX_TERMS));
        assert!(too_long(nested.as_bytes()).is_some());
        let twice = format!("(d0{}) + d0", " + d0".repeat(MAX_TERMS - 1));
        assert!(too_long(twice.as_bytes()).is_some());
        for text in [
            "() -> tensor<*xf32> ",
            "case -1 {\n}\n",
            "(d0 + d0)\n",
            "[-1, ",
            "a + b\n",
            "\"+ + +\" ",
            "// + +\n",
            "%a-b ",
            "() -> f32 ",
        ] {
            assert_eq!(too_long(text.repeat(MAX_TERMS).as_bytes()), None, "{text}");
        }
    }

    /// Checks that an unterminated string ends at the end of its line, even if the last character
    /// of the line is a backslash.
    #[test]
    fn a_backslash_takes_no_line() {
        let text = "\"\\\n".to_owned() + &"(".repeat(MAX_LEVELS + 1);
        assert_eq!(too_deep(text.as_bytes()), Some((2, MAX_LEVELS + 1)));
    }

    #[test]
    fn what_is_no_bracket_does_not_count() {
        for text in [
            "// (((\n",
            "\"(((\\\"(((\"",
            "() -> f32\n",
            "affine_set<(d0) : (d0 >= 0, 7 <= d0)>\n",
            "\"a string without an end (((\n",
        ] {
            assert_eq!(too_deep(text.repeat(MAX_LEVELS).as_bytes()), None, "{text}");
        }
        // An unclosed `<` ends with its enclosing bracket.
        assert_eq!(too_deep("(<)".repeat(MAX_LEVELS + 1).as_bytes()), None);
        // A separator starts a new module.
        assert_eq!(
            too_deep("(\n// -----\n".repeat(MAX_LEVELS + 1).as_bytes()),
            None
        );
        // Unterminated texts.
        for text in ["\"", "\"\\", "/", "//", "-", "<"] {
            assert_eq!(too_deep(text.as_bytes()), None, "{text}");
        }
    }
}
