//! Lexer. The lexer drops comments, except for the two markers that LLVM emits around inline
//! assembly.

use std::fmt;

use crate::position::{ParseError, Position};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A name, register or opcode, including the parts after dots: `%r1`, `%tid.x`,
    /// `ld.global.v4.b32`.
    Word(String),
    /// A word after a leading dot, without the dot: `reg`, `b32`, `shared::cluster`.
    Dot(String),
    Integer(u64),
    /// Text of a number with a decimal point or an exponent.
    Decimal(String),
    /// Bits of an f32 literal `0f…`.
    Single(u32),
    /// Bits of an f64 literal `0d…`.
    Double(u64),
    /// Text between quotes, with escapes unchanged.
    Str(String),
    Punct(char),
    AsmBegin,
    AsmEnd,
    End,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Word(text) | Kind::Decimal(text) => write!(f, "`{text}`"),
            Kind::Dot(text) => write!(f, "`.{text}`"),
            Kind::Integer(value) => write!(f, "`{value}`"),
            Kind::Single(bits) => write!(f, "`0f{bits:08X}`"),
            Kind::Double(bits) => write!(f, "`0d{bits:016X}`"),
            Kind::Str(text) => write!(f, "`\"{text}\"`"),
            Kind::Punct(c) => write!(f, "`{c}`"),
            Kind::AsmBegin => f.write_str("the beginning of inline assembly"),
            Kind::AsmEnd => f.write_str("the end of inline assembly"),
            Kind::End => f.write_str("the end of the text"),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: Position,
}

/// Text of the comment that begins inline assembly, without slashes.
pub(crate) const ASM_BEGIN: &str = "begin inline asm";
/// Text of the comment that ends inline assembly, without slashes.
pub(crate) const ASM_END: &str = "end inline asm";

/// Returns all tokens of `text`; the last token is [`Kind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer {
        rest: text,
        at: Position { line: 1, column: 1 },
    };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let end = token.kind == Kind::End;
        tokens.push(token);
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    at: Position,
}

fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%')
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

impl<'a> Lexer<'a> {
    /// Consumes the first `bytes` bytes of the remaining text. The consumed bytes must end at a
    /// character boundary.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            if c == '\n' {
                self.at.line = self.at.line.saturating_add(1);
                self.at.column = 1;
            } else {
                self.at.column = self.at.column.saturating_add(1);
            }
        }
        self.rest = rest;
        taken
    }

    fn next(&mut self) -> Result<Token, ParseError> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            let at = self.at;
            if self.rest.starts_with("//") {
                let line = self.rest.find('\n').unwrap_or(self.rest.len());
                let kind = match self.take(line)[2..].trim() {
                    ASM_BEGIN => Kind::AsmBegin,
                    ASM_END => Kind::AsmEnd,
                    _ => continue,
                };
                return Ok(Token { kind, at });
            }
            if self.rest.starts_with("/*") {
                let Some(end) = self.rest[2..].find("*/") else {
                    return Err(ParseError::new(
                        at,
                        "a comment without an end",
                        "`*/` after it",
                    ));
                };
                self.take(end + 4);
                continue;
            }
            let kind = self.token()?;
            return Ok(Token { kind, at });
        }
    }

    fn token(&mut self) -> Result<Kind, ParseError> {
        let at = self.at;
        let mut characters = self.rest.chars();
        let Some(first) = characters.next() else {
            return Ok(Kind::End);
        };
        let second = characters.next();
        match first {
            '"' => self.string(),
            '0'..='9' => self.number(),
            '.' if second.is_some_and(in_word) => {
                let length = self.dotted(1);
                Ok(Kind::Dot(self.take(length)[1..].to_owned()))
            }
            '%' if !second.is_some_and(in_word) => Err(ParseError::new(
                at,
                "`%`",
                "the name of a register after it",
            )),
            c if starts_word(c) => {
                let length = self.dotted(c.len_utf8());
                Ok(Kind::Word(self.take(length).to_owned()))
            }
            ',' | ';' | ':' | '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | '@' | '!' | '|'
            | '+' | '-' | '=' => {
                self.take(first.len_utf8());
                Ok(Kind::Punct(first))
            }
            other => Err(ParseError::new(
                at,
                format!("`{}`", other.escape_debug()),
                "a name, a number or punctuation",
            )),
        }
    }

    /// Returns the length in bytes of the word at the start of the remaining text, including the
    /// parts of the word after `.` and `::`. The caller guarantees that the first `taken` bytes of
    /// the remaining text are part of the word.
    fn dotted(&self, taken: usize) -> usize {
        let bytes = self.rest.as_bytes();
        let word = |at: usize| bytes.get(at).is_some_and(|&byte| in_word(char::from(byte)));
        let mut at = taken;
        loop {
            while word(at) {
                at += 1;
            }
            if bytes.get(at) == Some(&b'.') && word(at + 1) {
                at += 1;
            } else if bytes[at..].starts_with(b"::") && word(at + 2) {
                at += 2;
            } else {
                return at;
            }
        }
    }

    fn string(&mut self) -> Result<Kind, ParseError> {
        let at = self.at;
        let mut escaped = false;
        for (index, c) in self.rest.char_indices().skip(1) {
            match c {
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    let text = self.take(index + 1);
                    return Ok(Kind::Str(text[1..index].to_owned()));
                }
                _ => {}
            }
        }
        Err(ParseError::new(
            at,
            "a string without an end",
            "`\"` on the same line",
        ))
    }

    fn number(&mut self) -> Result<Kind, ParseError> {
        let at = self.at;
        let bytes = self.rest.as_bytes();
        let mut length = bytes
            .iter()
            .take_while(|&&byte| in_word(char::from(byte)))
            .count();
        let decimal = bytes[..length].iter().all(u8::is_ascii_digit);
        if decimal && bytes.get(length) == Some(&b'.') {
            length += 1;
            length += bytes[length..]
                .iter()
                .take_while(|&&byte| in_word(char::from(byte)))
                .count();
        }
        // The exponent can have a sign.
        if matches!(bytes[length - 1], b'e' | b'E')
            && bytes[..length - 1]
                .iter()
                .all(|&byte| byte.is_ascii_digit() || byte == b'.')
            && matches!(bytes.get(length), Some(b'+' | b'-'))
        {
            length += 1;
            length += bytes[length..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
        }
        let text = self.take(length);
        number(text).ok_or_else(|| {
            ParseError::new(
                at,
                format!("`{text}`"),
                "a number: an integer of 64 bits, `0f` with 8 or `0d` with 16 hexadecimal digits, \
                 or a decimal fraction",
            )
        })
    }
}

fn number(text: &str) -> Option<Kind> {
    let digits = |digits: &str, radix: u32| {
        let digits = digits.strip_suffix('U').unwrap_or(digits);
        // `from_str_radix` accepts a sign, which is not allowed here.
        digits
            .chars()
            .all(|c| c.is_digit(radix))
            .then(|| u64::from_str_radix(digits, radix).ok())?
            .map(Kind::Integer)
    };
    match text.get(..2) {
        Some("0x" | "0X") => return digits(&text[2..], 16),
        Some("0b" | "0B") => return digits(&text[2..], 2),
        Some("0f" | "0F") => {
            let bits = exactly(&text[2..], 8)?;
            return Some(Kind::Single(u32::try_from(bits).ok()?));
        }
        Some("0d" | "0D") => return Some(Kind::Double(exactly(&text[2..], 16)?)),
        _ => {}
    }
    if text.contains(['.', 'e', 'E']) {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
        let value: f64 = text.parse().ok()?;
        return (plain && value.is_finite()).then(|| Kind::Decimal(text.to_owned()));
    }
    match text.strip_prefix('0') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => digits(rest, 8),
        _ => digits(text, 10),
    }
}

fn exactly(digits: &str, count: usize) -> Option<u64> {
    (digits.len() == count && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| u64::from_str_radix(digits, 16).ok())?
}
