//! Line tokenizer for MLIR and PTX, for syntax colours and line diffs.

use crate::html::{code_into, escape_into};

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Blanks, punctuation and unrecognized text.
    Plain,
    /// Comment up to the end of the line.
    Comment,
    /// String including its quotes.
    String,
    /// Number.
    Number,
    /// SSA value, such as `%0` or `%0#1`, or PTX register.
    Value,
    /// Symbol, such as `@rows`, or PTX label.
    Symbol,
    /// Block label, such as `^bb0`.
    Block,
    /// Type.
    Type,
    /// Attribute, such as `#tile.layout`, or attribute name.
    Attribute,
    /// Op name or PTX instruction.
    Op,
    /// PTX directive, or a word that matches no other token class.
    Keyword,
}

impl Kind {
    pub(crate) fn class(self) -> Option<&'static str> {
        Some(match self {
            Self::Plain => return None,
            Self::Comment => "c",
            Self::String => "s",
            Self::Number => "n",
            Self::Value => "v",
            Self::Symbol => "y",
            Self::Block => "b",
            Self::Type => "t",
            Self::Attribute => "a",
            Self::Op => "o",
            Self::Keyword => "k",
        })
    }
}

/// Token of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'t> {
    /// Kind.
    pub kind: Kind,
    /// Text.
    pub text: &'t str,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.')
}

/// Returns the length of the longest prefix in which every character satisfies `belongs`.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Returns the end position of a string literal at the start of the text.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the end position of a number at the start of the text.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.starts_with(b"0x") && bytes.get(2).is_some_and(u8::is_ascii_hexdigit) {
        let digits = run(&text[2..], |c| c.is_ascii_hexdigit());
        // `0xf32` in a shape is dimension 0 and element type f32, not a hexadecimal number.
        return if text[2..].starts_with(['f', 'b']) && digits < 4 {
            1
        } else {
            2 + digits
        };
    }
    let mut end = run(text, |c| c.is_ascii_digit());
    if text[end..].starts_with('.') {
        end += 1 + run(&text[end + 1..], |c| c.is_ascii_digit());
        let exponent = &text[end..];
        if exponent.starts_with(['e', 'E']) {
            let sign = usize::from(exponent[1..].starts_with(['+', '-']));
            let digits = run(&exponent[1 + sign..], |c| c.is_ascii_digit());
            if digits > 0 {
                end += 1 + sign + digits;
            }
        }
    }
    end
}

fn is_builtin_type(word: &str) -> bool {
    let width = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    match word {
        "index" | "none" | "memref" | "vector" | "tensor" | "tuple" | "complex" | "bf16"
        | "tf32" => true,
        _ => {
            ["i", "si", "ui", "f"]
                .iter()
                .any(|p| word.strip_prefix(p).is_some_and(width))
                || (word.starts_with("f8E") || word.starts_with("f4E") || word.starts_with("f6E"))
        }
    }
}

/// Splits a line of MLIR into tokens. The concatenated tokens equal the line.
pub fn mlir(line: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let named = |at: &str| first.len_utf8() + run(at, |c| is_word(c) || c == '-');
        let in_shape = tokens.last().is_some_and(|t: &Token<'_>| {
            t.kind == Kind::Number || t.text.ends_with(['?', '*', ']'])
        });
        let (kind, end) = match first {
            '/' if rest.starts_with("//") => (Kind::Comment, rest.len()),
            '"' => (Kind::String, string_end(rest)),
            '%' => {
                let end = 1 + run(after, |c| is_word(c) || c == '-');
                let part = &rest[end..];
                let number = part
                    .strip_prefix('#')
                    .map_or(0, |n| run(n, |c| c.is_ascii_digit()));
                (Kind::Value, if number > 0 { end + 1 + number } else { end })
            }
            '@' if after.starts_with('"') => (Kind::Symbol, 1 + string_end(after)),
            '@' => (Kind::Symbol, named(after)),
            '^' => (Kind::Block, named(after)),
            '!' if after.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                (Kind::Type, named(after))
            }
            '#' if after.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                (Kind::Attribute, named(after))
            }
            'x' if in_shape => (Kind::Plain, 1),
            '0'..='9' => (Kind::Number, number_end(rest)),
            '-' if after.starts_with(|c: char| c.is_ascii_digit()) => {
                (Kind::Number, 1 + number_end(after))
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = run(rest, is_word);
                // A trailing full stop is not part of the word.
                let end = rest[..end].trim_end_matches('.').len().max(1);
                let word = &rest[..end];
                let is_name = rest[end..].trim_start().starts_with('=')
                    && !rest[end..].trim_start().starts_with("==");
                let kind = if is_builtin_type(word) {
                    Kind::Type
                } else if is_name {
                    Kind::Attribute
                } else if word.contains('.') || matches!(word, "module" | "return") {
                    Kind::Op
                } else {
                    Kind::Keyword
                };
                (kind, end)
            }
            c if c.is_whitespace() => (Kind::Plain, run(rest, char::is_whitespace)),
            c => (Kind::Plain, c.len_utf8()),
        };
        let (text, next) = rest.split_at(end);
        tokens.push(Token { kind, text });
        rest = next;
    }
    tokens
}

/// Splits a line of PTX into tokens. The concatenated tokens equal the line.
pub fn ptx(line: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut rest = line;
    let mut is_first = true;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let (kind, end) = match first {
            '/' if rest.starts_with("//") => (Kind::Comment, rest.len()),
            '"' => (Kind::String, string_end(rest)),
            '%' => (Kind::Value, 1 + run(after, is_word)),
            '$' => (Kind::Symbol, 1 + run(after, is_name)),
            '.' if after.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                let end = 1 + run(after, is_name);
                let word = &rest[1..end];
                let sized = ["b", "s", "u", "f"].iter().any(|p| {
                    word.strip_prefix(p)
                        .is_some_and(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit()))
                });
                let is_type = sized || matches!(word, "pred" | "bf16" | "f16x2" | "bf16x2");
                (if is_type { Kind::Type } else { Kind::Keyword }, end)
            }
            '0'..='9' => (
                Kind::Number,
                run(rest, |c| c.is_ascii_alphanumeric() || c == '.'),
            ),
            '-' if after.starts_with(|c: char| c.is_ascii_digit()) => (
                Kind::Number,
                1 + run(after, |c| c.is_ascii_alphanumeric() || c == '.'),
            ),
            'a'..='z' | 'A'..='Z' | '_' => {
                // An instruction includes its modifiers.
                let end = if is_first {
                    run(rest, is_word)
                } else {
                    run(rest, is_name)
                };
                let kind = if rest[end..].starts_with(':') {
                    Kind::Symbol
                } else if is_first {
                    Kind::Op
                } else {
                    Kind::Symbol
                };
                (kind, end.max(1))
            }
            c if c.is_whitespace() => (Kind::Plain, run(rest, char::is_whitespace)),
            c => (Kind::Plain, c.len_utf8()),
        };
        let (text, next) = rest.split_at(end);
        // A predicate precedes its instruction.
        let predicate = matches!(text, "@" | "!") || (kind == Kind::Value && is_first);
        is_first &= text.trim().is_empty() || predicate || matches!(text, "{" | "}");
        tokens.push(Token { kind, text });
        rest = next;
    }
    tokens
}

pub(crate) fn write(page: &mut String, tokens: &[Token<'_>]) {
    let mut plain = String::new();
    for token in tokens {
        match token.kind.class() {
            None => plain.push_str(token.text),
            Some(class) => {
                code_into(page, &std::mem::take(&mut plain));
                page.push_str("<i class=");
                page.push_str(class);
                page.push('>');
                escape_into(page, token.text);
                page.push_str("</i>");
            }
        }
    }
    code_into(page, &plain);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(tokens: &[Token<'_>]) -> Vec<(Kind, String)> {
        tokens
            .iter()
            .filter(|t| t.kind != Kind::Plain)
            .map(|t| (t.kind, t.text.to_owned()))
            .collect()
    }

    #[track_caller]
    fn expect(tokens: &[Token<'_>], expected: &[(Kind, &str)]) {
        let expected: Vec<(Kind, String)> = expected
            .iter()
            .map(|(k, t)| (*k, (*t).to_owned()))
            .collect();
        assert_eq!(kinds(tokens), expected);
    }

    #[test]
    fn an_op_with_values_and_a_type() {
        use Kind::*;
        expect(
            &mlir(
                "  %7:2 = arith.addf %6#0, %arg2 {fast = true} : vector<4x?xf32> loc(\"a\") // done",
            ),
            &[
                (Value, "%7"),
                (Number, "2"),
                (Op, "arith.addf"),
                (Value, "%6#0"),
                (Value, "%arg2"),
                (Attribute, "fast"),
                (Keyword, "true"),
                (Type, "vector"),
                (Number, "4"),
                (Type, "f32"),
                (Keyword, "loc"),
                (String, "\"a\""),
                (Comment, "// done"),
            ],
        );
    }

    #[test]
    fn attributes_types_symbols_and_blocks() {
        use Kind::*;
        expect(
            &mlir(
                "^bb0(%l: f32): gpu.func @rows(%A: !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>]>>)",
            ),
            &[
                (Block, "^bb0"),
                (Value, "%l"),
                (Type, "f32"),
                (Op, "gpu.func"),
                (Symbol, "@rows"),
                (Value, "%A"),
                (Type, "!tile.fragment"),
                (Number, "16"),
                (Type, "f32"),
                (Attribute, "#tile.layout"),
                (Number, "2"),
                (Number, "1"),
                (Keyword, "reg"),
            ],
        );
        expect(
            &mlir("@\"</script>\" dense<0x7FC00000> -1.5e-05 memref<0xf32>"),
            &[
                (Symbol, "@\"</script>\""),
                (Keyword, "dense"),
                (Number, "0x7FC00000"),
                (Number, "-1.5e-05"),
                (Type, "memref"),
                (Number, "0"),
                (Type, "f32"),
            ],
        );
    }

    #[test]
    fn instructions_of_ptx() {
        use Kind::*;
        expect(
            &ptx("\t@%p1 bra \t$L__BB0_2;"),
            &[(Value, "%p1"), (Op, "bra"), (Symbol, "$L__BB0_2")],
        );
        expect(
            &ptx("\tshfl.sync.bfly.b32 \t%r5, %r4, 1, 31, -1; // xor"),
            &[
                (Op, "shfl.sync.bfly.b32"),
                (Value, "%r5"),
                (Value, "%r4"),
                (Number, "1"),
                (Number, "31"),
                (Number, "-1"),
                (Comment, "// xor"),
            ],
        );
        expect(
            &ptx(".reg .b32 \t%r<3>;"),
            &[
                (Keyword, ".reg"),
                (Type, ".b32"),
                (Value, "%r"),
                (Number, "3"),
            ],
        );
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut page = String::new();
        write(
            &mut page,
            &mlir("@\"</script><img src=x onerror=alert(1)>\""),
        );
        assert!(
            !page.contains("</script>") && !page.contains("<img"),
            "{page}"
        );
    }

    proptest! {
        #[test]
        fn tokens_are_the_line(line in any::<String>()) {
            for tokens in [mlir(&line), ptx(&line)] {
                let together: std::string::String = tokens.iter().map(|t| t.text).collect();
                prop_assert_eq!(&together, &line);
            }
        }

        #[test]
        fn tokens_of_what_looks_like_mlir_are_the_line(line in "[%@#!^\"x0-9a-f.:=<> ?*{}()-]{0,60}") {
            for tokens in [mlir(&line), ptx(&line)] {
                let together: std::string::String = tokens.iter().map(|t| t.text).collect();
                prop_assert_eq!(&together, &line);
                prop_assert!(tokens.iter().all(|t| !t.text.is_empty()));
            }
        }
    }
}
