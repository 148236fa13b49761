//! What must hold of the arguments of a program.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::expr::{Expr, ExprError, Symbol};

/// What a program expects of its arguments beyond their types, such as two dimensions of one size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What stands on the left of the relation.
    pub left: Expr,
    /// How the two sides must be related, as signed numbers.
    pub relation: Relation,
    /// What stands on the right.
    pub right: Expr,
    /// What to tell the caller when they are not.
    pub message: String,
    /// Where the program says so, or has the op that needs it. In JSON it is left out where that is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// A place in the text of a program; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in bytes.
    pub column: usize,
}

/// How two numbers are related. Checks have no `>` and `>=`: `a > b` is written `b < a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Relation {
    /// `==`
    #[serde(rename = "==")]
    Equal,
    /// `!=`
    #[serde(rename = "!=")]
    NotEqual,
    /// `<`
    #[serde(rename = "<")]
    Less,
    /// `<=`
    #[serde(rename = "<=")]
    LessOrEqual,
    /// `>`
    #[serde(rename = ">")]
    Greater,
    /// `>=`
    #[serde(rename = ">=")]
    GreaterOrEqual,
}

/// Why a [`Check`] refuses arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The relation does not hold.
    #[error("{}", failed(check, *left, *right))]
    Failed {
        /// What was expected.
        check: Box<Check>,
        /// The value of its left side.
        left: i64,
        /// The value of its right side.
        right: i64,
    },
    /// A side has no value.
    #[error("{error}: {}", check.message)]
    NoValue {
        /// What was expected.
        check: Box<Check>,
        /// Why there is no value.
        error: ExprError,
    },
}

/// Why the relation does not hold. A message that begins with the sides does not say them again.
fn failed(check: &Check, left: i64, right: i64) -> String {
    let sides = sides(check, left, right);
    let (l, r) = (check.left.to_string(), check.right.to_string());
    let after = |names: &str| check.message.strip_prefix(names)?.strip_prefix(' ');
    if let Some(rest) = after(&format!("{l} and {r}")) {
        let must = match check.relation {
            Relation::Equal => ", and must be equal".to_owned(),
            _ => format!(" (expected {check})"),
        };
        return format!("{sides}they {rest}{must}");
    }
    match after(&l).filter(|_| check.right.as_const().is_some()) {
        Some(rest) => format!("{sides}it {rest}"),
        None => format!("{sides}{} (expected {check})", check.message),
    }
}

/// `arg0.dim0 is 5, arg1.dim0 is 6: `, without what is a constant.
fn sides(check: &Check, left: i64, right: i64) -> String {
    let known: Vec<String> = [(&check.left, left), (&check.right, right)]
        .into_iter()
        .filter(|(expr, _)| expr.as_const().is_none())
        .map(|(expr, value)| format!("{expr} is {value}"))
        .collect();
    match &known[..] {
        [] => String::new(),
        known => format!("{}: ", known.join(", ")),
    }
}

impl CheckError {
    /// The code of the rule that arguments break.
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Failed { .. } => Some("TX0809"),
            Self::NoValue { .. } => None,
        }
    }

    /// Where the program needs what does not hold.
    pub const fn place(&self) -> Option<Place> {
        match self {
            Self::Failed { check, .. } | Self::NoValue { check, .. } => check.place,
        }
    }
}

impl Check {
    /// Whether it holds, when that is the same for all arguments.
    pub fn as_const(&self) -> Option<bool> {
        match (&self.left, &self.right) {
            (Expr::Const(left), Expr::Const(right)) => Some(self.relation.holds(*left, *right)),
            (left, right) if left == right => Some(self.relation.holds(0, 0)),
            _ => None,
        }
    }

    /// Compares the two sides, with `lookup` giving the value of each symbol.
    ///
    /// # Errors
    /// When the relation does not hold, or a side [has no value](Expr::evaluate).
    pub fn evaluate(
        &self,
        mut lookup: impl FnMut(Symbol) -> Option<i64>,
    ) -> Result<(), CheckError> {
        let mut value = |expr: &Expr| {
            expr.evaluate(&mut lookup)
                .map_err(|error| CheckError::NoValue {
                    check: Box::new(self.clone()),
                    error,
                })
        };
        let (left, right) = (value(&self.left)?, value(&self.right)?);
        if self.relation.holds(left, right) {
            Ok(())
        } else {
            Err(CheckError::Failed {
                check: Box::new(self.clone()),
                left,
                right,
            })
        }
    }
}

/// The relation alone, without the message: `arg0.dim0 == arg1.dim0`.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.relation, self.right)
    }
}

impl Relation {
    /// Whether `left` and `right` are so related.
    pub const fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }

    /// Returns the relation that holds where `self` does not.
    #[must_use]
    pub const fn negation(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }

    /// Returns the relation of the same two numbers in the other order.
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}
