//! Parser of NumPy-like formulas.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// Literal number; without a point it is an integer.
    Number(String),
    Name(String),
    /// List of axes, extents, or dimensions.
    List(Vec<Expression>),
    Call(String, Vec<Expression>),
    Negate(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    Equal,
}

use Operator::{
    Add, Divide, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Multiply, Subtract,
};

/// Operators by precedence, the lowest first. Longer operators precede their prefixes.
const LEVELS: [&[(&str, Operator)]; 3] = [
    &[
        ("<=", LessOrEqual),
        (">=", GreaterOrEqual),
        ("==", Equal),
        ("<", Less),
        (">", Greater),
    ],
    &[("+", Add), ("-", Subtract)],
    &[("*", Multiply), ("/", Divide)],
];

/// Reader of text.
pub(crate) struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            rest: text.trim_start(),
        }
    }

    pub(crate) fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Skips `text` if it comes next.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(text) else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    pub(crate) fn expect(&mut self, text: &str) -> Result<(), String> {
        if self.take(text) {
            return Ok(());
        }
        Err(format!("expected `{text}` before `{}`", self.rest))
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    pub(crate) fn name(&mut self) -> Result<String, String> {
        if !self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(format!("expected a name before `{}`", self.rest));
        }
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        Ok(name.to_owned())
    }

    /// Returns the text up to one of several characters, or to the end.
    pub(crate) fn until(&mut self, ends: &[char]) -> &'t str {
        self.take_while(|c| !ends.contains(&c)).trim_end()
    }

    pub(crate) fn expression(&mut self) -> Result<Expression, String> {
        self.level(0)
    }

    fn level(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.factor();
        };
        let mut left = self.level(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(text, _)| self.take(text)) {
            let right = self.level(level + 1)?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expression, String> {
        if self.take("-") {
            return Ok(Expression::Negate(Box::new(self.factor()?)));
        }
        if self.take("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.take("[") {
            return Ok(Expression::List(self.list("]")?));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let number = self.take_while(|c| c.is_ascii_digit() || matches!(c, '.' | 'e'));
            return Ok(Expression::Number(number.to_owned()));
        }
        let name = self.name()?;
        if self.take("(") {
            return Ok(Expression::Call(name, self.list(")")?));
        }
        Ok(Expression::Name(name))
    }

    fn list(&mut self, end: &str) -> Result<Vec<Expression>, String> {
        let mut items = Vec::new();
        while !self.take(end) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.expression()?);
        }
        Ok(items)
    }
}

/// Parses a complete text.
pub(crate) fn parse(text: &str) -> Result<Expression, String> {
    let mut reader = Reader::new(text);
    let expression = reader.expression()?;
    if reader.at_end() {
        return Ok(expression);
    }
    Err(format!("`{}` is left of `{text}`", reader.rest))
}

impl Expression {
    /// Returns the variable names in the expression.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name) => vec![name],
            Self::List(items) | Self::Call(_, items) => {
                items.iter().flat_map(Self::names).collect()
            }
            Self::Negate(inner) => inner.names(),
            Self::Binary(_, left, right) => [left.names(), right.names()].concat(),
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = LEVELS
            .iter()
            .flat_map(|level| level.iter())
            .find(|(_, operator)| operator == self)
            .map_or("?", |(text, _)| text);
        f.write_str(text)
    }
}
