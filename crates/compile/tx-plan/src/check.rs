//! Checks of the arguments of a program.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::expr::{Expr, ExprError, Symbol};

/// Requirement on the arguments of a program, such as two dimensions of equal size. A check
/// expresses a requirement that the argument types cannot express.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Left operand of the relation that the check requires.
    pub left: Expr,
    /// Relation that must be true for the left and the right operand of the check. The relation
    /// compares the two operands as signed numbers.
    pub relation: Relation,
    /// Right operand of the relation that the check requires.
    pub right: Expr,
    /// Error message for arguments that violate the check.
    pub message: String,
    /// Source position of the `cf.assert`, or of the op that requires the check. The JSON form of a
    /// check omits an unknown source position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<LineColumn>,
}

/// Position in the source text of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

/// Relation between two numbers. A check uses neither `>` nor `>=`: the check `b < a` expresses `a
/// > b`.
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

/// Error of a [`Check`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The relation between the two operands of the check is false.
    #[error("{}", failed(check, *left, *right))]
    Failed {
        /// Violated check.
        check: Box<Check>,
        /// Value of the left operand of the violated relation.
        left: i64,
        /// Value of the right operand of the violated relation.
        right: i64,
    },
    /// An operand of the relation cannot be evaluated.
    #[error("{error}: {}", check.message)]
    NoValue {
        /// Check that was evaluated.
        check: Box<Check>,
        /// Reason.
        error: ExprError,
    },
}

/// Returns the error message of a violated check. The error message begins with the values of the
/// non-constant operands. If the field `message` of the check begins with the text of both
/// operands, the word `they` replaces this text.
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

/// Returns a text with the values of the non-constant operands, such as `arg0.dim0 is 5, arg1.dim0
/// is 6: `.
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
    /// Returns the diagnostic code, such as `TX0809`.
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Failed { .. } => Some("TX0809"),
            Self::NoValue { .. } => None,
        }
    }

    /// Returns the source position of the check.
    pub const fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Failed { check, .. } | Self::NoValue { check, .. } => check.place,
        }
    }
}

impl Check {
    /// Returns true if the check succeeds for all arguments, and false if the check fails for all
    /// arguments. Returns `None` if the result can depend on the arguments.
    pub fn as_const(&self) -> Option<bool> {
        match (&self.left, &self.right) {
            (Expr::Const(left), Expr::Const(right)) => Some(self.relation.holds(*left, *right)),
            (left, right) if left == right => Some(self.relation.holds(0, 0)),
            _ => None,
        }
    }

    /// Evaluates the check. The closure `lookup` returns the value of a symbol, such as
    /// `arg0.dim1`.
    ///
    /// # Errors
    /// Fails if the relation is false, or an operand [cannot be evaluated](Expr::evaluate).
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

/// Prints the relation without the message: `arg0.dim0 == arg1.dim0`.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.relation, self.right)
    }
}

impl Relation {
    /// Returns whether the relation is true for `left` and `right`.
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

    /// Returns the complementary relation.
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

    /// Returns the relation with its operands swapped.
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
