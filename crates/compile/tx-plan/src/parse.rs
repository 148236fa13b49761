//! Parser of the text form of expressions, and conversion of expressions to and from JSON.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::expr::{Expr, ExprError, Symbol};

impl FromStr for Expr {
    type Err = ExprError;

    fn from_str(text: &str) -> Result<Self, ExprError> {
        let mut parser = Parser::new(text);
        let expr = parser.sum()?;
        match parser.peek() {
            None => Ok(expr),
            Some(_) => Err(parser.expected("an operator or the end")),
        }
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Const(value) => serializer.serialize_i64(*value),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Expr;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or an expression such as \"ceildiv(arg0.dim0, 32)\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Expr, E> {
                Ok(Expr::Const(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Expr, E> {
                i64::try_from(value)
                    .map(Expr::Const)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Expr, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// Recursive-descent parser. The parser counts each recursive call, and each operand of a chain
/// such as `a + b + c`, as a term. The parser returns an error if a text has more than
/// [`Expr::MAX_TERMS`] terms.
pub(crate) struct Parser<'t> {
    text: &'t str,
    at: usize,
    terms: usize,
}

impl<'t> Parser<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            terms: 0,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    pub(crate) fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    /// Consumes `expected` if the remaining text begins with `expected`. Returns whether `expected`
    /// was consumed.
    pub(crate) fn eat_text(&mut self, expected: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    pub(crate) fn expected(&mut self, expected: &'static str) -> ExprError {
        let found = self
            .peek()
            .map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
        ExprError::Syntax {
            text: self.text.to_owned(),
            column: self.at + 1,
            found,
            expected,
        }
    }

    fn count_term(&mut self) -> Result<(), ExprError> {
        self.terms += 1;
        if self.terms > Expr::MAX_TERMS {
            Err(ExprError::TooLarge {
                limit: Expr::MAX_TERMS,
            })
        } else {
            Ok(())
        }
    }

    pub(crate) fn sum(&mut self) -> Result<Expr, ExprError> {
        let mut left = self.product()?;
        loop {
            if self.eat('+') {
                left = Expr::Add(Box::new(left), Box::new(self.product()?));
            } else if self.eat('-') {
                left = Expr::Sub(Box::new(left), Box::new(self.product()?));
            } else {
                return Ok(left);
            }
        }
    }

    pub(crate) fn product(&mut self) -> Result<Expr, ExprError> {
        let mut left = self.atom()?;
        while self.eat('*') {
            left = Expr::Mul(Box::new(left), Box::new(self.atom()?));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr, ExprError> {
        self.count_term()?;
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.sum()?;
                if self.eat(')') {
                    Ok(inner)
                } else {
                    Err(self.expected("`)`"))
                }
            }
            Some('-') => {
                let start = self.at;
                self.at += 1;
                self.number(start)
            }
            Some(c) if c.is_ascii_digit() => self.number(self.at),
            Some(c) if c.is_ascii_alphabetic() => self.word(),
            _ => Err(self.expected("a number, a symbol such as `arg0.dim0`, a function or `(`")),
        }
    }

    /// Parses a number whose text begins at `start`; `self.at` is at the first digit, after an
    /// optional minus sign.
    fn number(&mut self, start: usize) -> Result<Expr, ExprError> {
        self.skip(|c| c.is_ascii_digit());
        self.text[start..self.at]
            .parse()
            .map(Expr::Const)
            .map_err(|_| {
                self.at = start;
                self.expected("a number of 64 bits")
            })
    }

    fn skip(&mut self, accept: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }

    fn word(&mut self) -> Result<Expr, ExprError> {
        let start = self.at;
        self.skip(|c| c.is_ascii_alphanumeric() || c == '.');
        let word = &self.text[start..self.at];
        let build: fn(Box<Expr>, Box<Expr>) -> Expr = match word {
            "floordiv" => Expr::FloorDiv,
            "ceildiv" => Expr::CeilDiv,
            "mod" => Expr::Mod,
            "min" => Expr::Min,
            "max" => Expr::Max,
            "nonnegative" => {
                if !self.eat('(') {
                    return Err(self.expected("`(`"));
                }
                let inner = self.sum()?;
                return if self.eat(')') {
                    Ok(Expr::NonNegative(Box::new(inner)))
                } else {
                    Err(self.expected("`)`"))
                };
            }
            _ => {
                return parse_symbol(word)
                    .map(Expr::Symbol)
                    .ok_or_else(|| ExprError::Syntax {
                        text: self.text.to_owned(),
                        column: start + 1,
                        found: format!("`{word}`"),
                        expected: "`argI.dimJ`, `argI.strideJ`, `argI.offset`, `argI.address`, \
                               `argI`, `floordiv`, `ceildiv`, `mod`, `min`, \
                               `max` or `nonnegative`",
                    });
            }
        };
        if !self.eat('(') {
            return Err(self.expected("`(`"));
        }
        let left = self.sum()?;
        if !self.eat(',') {
            return Err(self.expected("`,`"));
        }
        let right = self.sum()?;
        if !self.eat(')') {
            return Err(self.expected("`)`"));
        }
        Ok(build(Box::new(left), Box::new(right)))
    }
}

fn parse_symbol(word: &str) -> Option<Symbol> {
    /// Parses an index in the form that `Display` writes: without a sign and without leading zeros.
    fn index(digits: &str) -> Option<usize> {
        digits
            .parse()
            .ok()
            .filter(|index: &usize| index.to_string() == digits)
    }
    let rest = word.strip_prefix("arg")?;
    let Some((argument, field)) = rest.split_once('.') else {
        return Some(Symbol::Value {
            argument: index(rest)?,
        });
    };
    let argument = index(argument)?;
    if field == "offset" {
        Some(Symbol::Offset { argument })
    } else if field == "address" {
        Some(Symbol::Address { argument })
    } else if let Some(dim) = field.strip_prefix("dim") {
        Some(Symbol::Dim {
            argument,
            dim: index(dim)?,
        })
    } else {
        Some(Symbol::Stride {
            argument,
            dim: index(field.strip_prefix("stride")?)?,
        })
    }
}
