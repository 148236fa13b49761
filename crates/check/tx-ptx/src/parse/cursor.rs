//! Token cursor of the parser.

use crate::lexer::{Kind, Token, tokens};
use crate::position::{ParseError, Position};

/// Maximum nesting depth of scopes, lists and initialisers. Compilers emit PTX with at most two
/// nesting levels of scopes, lists and initialisers. Without a limit on the nesting depth, a text
/// that consists of opening braces would overflow the stack.
const DEPTH: usize = 64;

pub(super) struct Cursor {
    /// All tokens of the text. The last token is [`Kind::End`]; the field `index` never exceeds the
    /// index of the last token.
    tokens: Vec<Token>,
    index: usize,
    depth: usize,
}

/// A comment that LLVM emits around inline assembly.
pub(super) enum Marker {
    Begin,
    End,
}

impl Cursor {
    pub(super) fn new(text: &str) -> Result<Cursor, ParseError> {
        let tokens = tokens(text)?;
        Ok(Cursor {
            tokens,
            index: 0,
            depth: 0,
        })
    }

    /// Returns the index of the next token that is not a marker of inline assembly. The parser
    /// reads the markers of inline assembly between statements, and nowhere else. The parser calls
    /// [`marker`](Cursor::marker) before each statement.
    fn next_index(&self) -> usize {
        let mut index = self.index;
        while matches!(self.tokens[index].kind, Kind::AsmBegin | Kind::AsmEnd) {
            index += 1;
        }
        index
    }

    pub(super) fn peek(&self) -> &Kind {
        &self.tokens[self.next_index()].kind
    }

    /// Returns the second token after the cursor. The function skips the markers of inline
    /// assembly.
    pub(super) fn peek_second(&self) -> &Kind {
        let next = self.next_index();
        self.tokens[next + 1..]
            .iter()
            .map(|token| &token.kind)
            .find(|kind| !matches!(kind, Kind::AsmBegin | Kind::AsmEnd))
            .unwrap_or(&Kind::End)
    }

    pub(super) fn at(&self) -> Position {
        self.tokens[self.next_index()].at
    }

    pub(super) fn advance(&mut self) {
        self.index = self.next_index();
        if self.tokens[self.index].kind != Kind::End {
            self.index += 1;
        }
    }

    pub(super) fn back(&mut self) {
        self.index = self.index.saturating_sub(1);
    }

    pub(super) fn marker(&mut self) -> Option<Marker> {
        let marker = match self.tokens[self.index].kind {
            Kind::AsmBegin => Marker::Begin,
            Kind::AsmEnd => Marker::End,
            _ => return None,
        };
        self.index += 1;
        Some(marker)
    }

    pub(super) fn unexpected(&self, expected: impl Into<String>) -> ParseError {
        ParseError::new(self.at(), self.peek().to_string(), expected)
    }

    pub(super) fn is(&self, punct: char) -> bool {
        *self.peek() == Kind::Punct(punct)
    }

    pub(super) fn eat(&mut self, punct: char) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn punct(&mut self, punct: char, expected: &str) -> Result<(), ParseError> {
        if self.eat(punct) {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// Consumes the next token if the token is the word `name` with a leading dot.
    pub(super) fn dot(&mut self, name: &str) -> bool {
        let found = matches!(self.peek(), Kind::Dot(found) if found == name);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes any word with a leading dot. The returned word does not contain the leading dot.
    pub(super) fn dotted(&mut self, expected: &str) -> Result<String, ParseError> {
        let Kind::Dot(name) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    /// Consumes a word, with or without dots inside.
    pub(super) fn word(&mut self, expected: &str) -> Result<String, ParseError> {
        let Kind::Word(word) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        let word = word.clone();
        self.advance();
        Ok(word)
    }

    /// Consumes a word without dots inside.
    pub(super) fn name(&mut self, expected: &str) -> Result<String, ParseError> {
        match self.peek() {
            Kind::Word(word) if !word.contains(['.', ':']) => self.word(expected),
            _ => Err(self.unexpected(expected)),
        }
    }

    pub(super) fn integer(&mut self, expected: &str) -> Result<u64, ParseError> {
        let &Kind::Integer(value) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        self.advance();
        Ok(value)
    }

    pub(super) fn string(&mut self, expected: &str) -> Result<String, ParseError> {
        let Kind::Str(text) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    /// Consumes an offset `+ 4`, `- 4` or `+ -4`. LLVM emits all three forms of an offset. Returns
    /// 0 if the next token does not begin an offset.
    pub(super) fn offset(&mut self) -> Result<i64, ParseError> {
        let mut negative = false;
        if self.eat('+') {
            if self.eat('-') {
                negative = true;
            }
        } else if self.eat('-') {
            negative = true;
        } else {
            return Ok(0);
        }
        let expected = "an offset of 64 bits";
        let at = self.at();
        let value = i128::from(self.integer(expected)?);
        let value = if negative { -value } else { value };
        i64::try_from(value).map_err(|_| ParseError::new(at, format!("`{value}`"), expected))
    }

    /// Consumes one or more elements separated by commas.
    pub(super) fn separated<T>(
        &mut self,
        mut each: impl FnMut(&mut Cursor) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut all = vec![each(self)?];
        while self.eat(',') {
            all.push(each(self)?);
        }
        Ok(all)
    }

    /// Consumes zero or more elements separated by commas, and the closing delimiter. The caller
    /// has already consumed the opening delimiter.
    pub(super) fn closed<T>(
        &mut self,
        close: char,
        mut each: impl FnMut(&mut Cursor) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let all = self.separated(&mut each)?;
        self.punct(close, &format!("`,` or `{close}`"))?;
        Ok(all)
    }

    /// Runs a recursive parser function. Returns an error if the parsed text has more than `DEPTH`
    /// nesting levels.
    pub(super) fn nested<T>(
        &mut self,
        run: impl FnOnce(&mut Cursor) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth == DEPTH {
            return Err(self.unexpected(format!("at most {DEPTH} levels of nesting")));
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }
}
