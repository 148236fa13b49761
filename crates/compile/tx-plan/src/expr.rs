//! Integer expressions over argument properties at launch time.

use std::fmt;

/// Property of an argument. Arguments and dimensions are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// `arg0.dim1`: size of a dimension of a memref argument, in elements.
    Dim {
        /// Index of the argument.
        argument: usize,
        /// Dimension of the memref.
        dim: usize,
    },
    /// `arg0.stride1`: stride of a dimension of a memref argument, in elements.
    Stride {
        /// Index of the argument.
        argument: usize,
        /// Dimension of the memref.
        dim: usize,
    },
    /// `arg0.offset`: offset of a memref argument, in elements.
    Offset {
        /// Index of the argument.
        argument: usize,
    },
    /// `arg0.address`: value of the aligned pointer of a memref argument, in bytes; the offset of
    /// the memref is not added. Only [conditions](crate::Condition) may contain the address of an
    /// argument.
    Address {
        /// Index of the argument.
        argument: usize,
    },
    /// `arg0`: value of an integer scalar argument.
    Value {
        /// Index of the argument.
        argument: usize,
    },
}

impl Symbol {
    /// Returns the index of the argument to which the symbol refers.
    pub const fn argument(self) -> usize {
        match self {
            Self::Dim { argument, .. }
            | Self::Stride { argument, .. }
            | Self::Offset { argument }
            | Self::Address { argument }
            | Self::Value { argument } => argument,
        }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dim { argument, dim } => write!(f, "arg{argument}.dim{dim}"),
            Self::Stride { argument, dim } => write!(f, "arg{argument}.stride{dim}"),
            Self::Offset { argument } => write!(f, "arg{argument}.offset"),
            Self::Address { argument } => write!(f, "arg{argument}.address"),
            Self::Value { argument } => write!(f, "arg{argument}"),
        }
    }
}

/// 64-bit integer expression over argument dimensions, such as `ceildiv(arg0.dim0, 32)`.
///
/// The text form may contain `+`, `-`, `*`, parentheses, and the following functions:
/// `floordiv(a, b)`, `ceildiv(a, b)`, `mod(a, b)` (with the sign of `b`), `min(a, b)`, `max(a, b)`,
/// and `nonnegative(a)`. The value of `nonnegative(a)` is `a`; the evaluation fails if `a` is
/// negative. [`str::parse`] reads the text form, and `Display` writes it. The JSON form of a
/// constant is a number; the JSON form of every other expression is a string.
///
/// Methods that combine expressions fold constants, so an expression over static dimensions becomes
/// a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Constant.
    Const(i64),
    /// Property of an argument.
    Symbol(Symbol),
    /// `a + b`
    Add(Box<Expr>, Box<Expr>),
    /// `a - b`
    Sub(Box<Expr>, Box<Expr>),
    /// `a * b`
    Mul(Box<Expr>, Box<Expr>),
    /// Quotient, rounded down.
    FloorDiv(Box<Expr>, Box<Expr>),
    /// Quotient, rounded up.
    CeilDiv(Box<Expr>, Box<Expr>),
    /// Remainder of [`Expr::FloorDiv`].
    Mod(Box<Expr>, Box<Expr>),
    /// Minimum.
    Min(Box<Expr>, Box<Expr>),
    /// Maximum.
    Max(Box<Expr>, Box<Expr>),
    /// Value of the operand. If the operand of `nonnegative` is negative, the evaluation of the
    /// expression fails.
    NonNegative(Box<Expr>),
}

/// Error of parsing or evaluating an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExprError {
    /// The text violates the grammar of expressions.
    #[error(
        "`{text}` is not an expression: at column {column}, found {found}, expected {expected}"
    )]
    Syntax {
        /// Whole text.
        text: String,
        /// Column in bytes, from 1.
        column: usize,
        /// Unexpected text at the column `column`.
        found: String,
        /// Expected text.
        expected: &'static str,
    },
    /// The expression has more terms than the limit permits. Without a limit on the number of
    /// terms, hostile input could overflow the stack of the parser.
    #[error("expression has more than {limit} terms")]
    TooLarge {
        /// Maximum number of terms.
        limit: usize,
    },
    /// A symbol of the expression, such as `arg0.dim1`, has no value.
    #[error("`{0}` has no value here")]
    Unbound(Symbol),
    /// The result of an operation does not fit in 64 bits.
    #[error("`{expr}` overflows 64 bits: {left} and {right}")]
    Overflow {
        /// Operation that overflows.
        expr: String,
        /// Left operand.
        left: i64,
        /// Right operand.
        right: i64,
    },
    /// Division by zero.
    #[error("`{expr}` divides {left} by zero")]
    DivisionByZero {
        /// Text of the division.
        expr: String,
        /// Dividend.
        left: i64,
    },
    /// The operand of `nonnegative` is negative.
    #[error("`{expr}` is {value}, expected 0 or more")]
    Negative {
        /// Text of the expression.
        expr: String,
        /// Negative value.
        value: i64,
    },
    /// A launch size (a number of CTAs, threads or bytes) does not fit in 32 bits.
    #[error("`{expr}` is {value}, expected 0 to {}", u32::MAX)]
    Size {
        /// Text of the expression.
        expr: String,
        /// Value out of range.
        value: i64,
    },
}

impl Expr {
    /// Maximum number of [terms](Expr::terms) of an expression in text form. The expressions of
    /// launch plans have far fewer terms than `MAX_TERMS`. The maximum number of terms also limits
    /// the recursion depth of functions that walk an expression.
    pub const MAX_TERMS: usize = 256;

    /// Returns `arg{argument}.dim{dim}`.
    pub const fn dim(argument: usize, dim: usize) -> Self {
        Self::Symbol(Symbol::Dim { argument, dim })
    }

    /// Returns the value of a constant expression.
    pub const fn as_const(&self) -> Option<i64> {
        match self {
            Self::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns `self + other`, folded if both operands are constant, or if one operand is 0.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Const(0), _) => other,
            (_, Self::Const(0)) => self,
            _ => Self::fold(Self::Add(Box::new(self), Box::new(other))),
        }
    }

    /// Returns `self - other`, folded if both operands are constant, or if `other` is 0.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        match &other {
            Self::Const(0) => self,
            _ => Self::fold(Self::Sub(Box::new(self), Box::new(other))),
        }
    }

    /// Returns `self * other`, folded if both operands are constant, or if one operand is 0 or 1.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Const(1), _) | (_, Self::Const(0)) => other,
            (_, Self::Const(1)) | (Self::Const(0), _) => self,
            _ => Self::fold(Self::Mul(Box::new(self), Box::new(other))),
        }
    }

    /// Returns `floordiv(self, other)`, folded if both operands are constant, or if `other` is 1.
    #[must_use]
    pub fn floor_div(self, other: Self) -> Self {
        match &other {
            Self::Const(1) => self,
            _ => Self::fold(Self::FloorDiv(Box::new(self), Box::new(other))),
        }
    }

    /// Returns `ceildiv(self, other)`, folded if both operands are constant, or if `other` is 1.
    #[must_use]
    pub fn ceil_div(self, other: Self) -> Self {
        match &other {
            Self::Const(1) => self,
            _ => Self::fold(Self::CeilDiv(Box::new(self), Box::new(other))),
        }
    }

    /// Returns `mod(self, other)`, folded if both operands are constant.
    #[must_use]
    pub fn modulo(self, other: Self) -> Self {
        Self::fold(Self::Mod(Box::new(self), Box::new(other)))
    }

    /// Returns the quotient rounded towards zero: `floordiv(a, b)` for non-negative operands,
    /// otherwise `max(floordiv(a, b), 0) + min(ceildiv(a, b), 0)`.
    #[must_use]
    pub fn trunc_div(self, other: Self) -> Self {
        if self.is_non_negative() && other.is_non_negative() {
            return self.floor_div(other);
        }
        let floor = self.clone().floor_div(other.clone());
        let ceil = self.ceil_div(other);
        floor.max(Self::Const(0)).plus(ceil.min(Self::Const(0)))
    }

    /// Returns the remainder of a division that rounds the quotient towards zero, as
    /// [`Expr::trunc_div`] does. The remainder has the sign of `self`.
    #[must_use]
    pub fn trunc_rem(self, other: Self) -> Self {
        if self.is_non_negative() && other.is_non_negative() {
            return self.modulo(other);
        }
        let quotient = self.clone().trunc_div(other.clone());
        self.minus(quotient.times(other))
    }

    /// Returns `min(self, other)`, folded if both operands are constant or equal.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if self == other {
            self
        } else {
            Self::fold(Self::Min(Box::new(self), Box::new(other)))
        }
    }

    /// Returns `max(self, other)`, folded if both operands are constant or equal.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if self == other {
            self
        } else {
            Self::fold(Self::Max(Box::new(self), Box::new(other)))
        }
    }

    /// Returns `self` if [`Expr::is_non_negative`] returns true for `self`, otherwise
    /// `nonnegative(self)`.
    #[must_use]
    pub fn non_negative(self) -> Self {
        if self.is_non_negative() {
            self
        } else {
            Self::NonNegative(Box::new(self))
        }
    }

    /// Returns whether the constants, symbols and operators of the expression imply that its value
    /// is non-negative for all arguments.
    pub fn is_non_negative(&self) -> bool {
        match self {
            Self::Const(value) => *value >= 0,
            Self::Symbol(symbol) => matches!(symbol, Symbol::Dim { .. } | Symbol::Address { .. }),
            Self::Add(a, b)
            | Self::Mul(a, b)
            | Self::FloorDiv(a, b)
            | Self::CeilDiv(a, b)
            | Self::Min(a, b) => a.is_non_negative() && b.is_non_negative(),
            Self::Mod(_, b) => b.is_non_negative(),
            Self::Max(a, b) => a.is_non_negative() || b.is_non_negative(),
            Self::Sub(..) => false,
            Self::NonNegative(_) => true,
        }
    }

    /// Returns the number of constants, symbols and operations in the expression.
    pub fn terms(&self) -> usize {
        match (self, self.operands()) {
            (Self::NonNegative(a), _) => a.terms() + 1,
            (_, Some((a, b))) => a.terms() + b.terms() + 1,
            (_, None) => 1,
        }
    }

    /// Folds an operation on two constants. An operation that overflows or divides by zero is not
    /// folded. The evaluation of the expression reports the overflow or the division by zero.
    fn fold(expr: Self) -> Self {
        match expr.operands() {
            Some((Self::Const(_), Self::Const(_))) => {
                expr.evaluate(|_| None).map_or(expr, Self::Const)
            }
            _ => expr,
        }
    }

    fn operands(&self) -> Option<(&Self, &Self)> {
        match self {
            Self::Const(_) | Self::Symbol(_) | Self::NonNegative(_) => None,
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::FloorDiv(a, b)
            | Self::CeilDiv(a, b)
            | Self::Mod(a, b)
            | Self::Min(a, b)
            | Self::Max(a, b) => Some((a, b)),
        }
    }

    /// Evaluates the expression. The closure `lookup` returns the value of a symbol, such as
    /// `arg0.dim1`.
    ///
    /// # Errors
    /// Fails if a symbol has no value, if a divisor is 0, if a result does not fit in 64 bits, or
    /// if the operand of `nonnegative` is negative.
    pub fn evaluate(
        &self,
        mut lookup: impl FnMut(Symbol) -> Option<i64>,
    ) -> Result<i64, ExprError> {
        self.evaluate_with(&mut lookup)
    }

    fn evaluate_with(
        &self,
        lookup: &mut impl FnMut(Symbol) -> Option<i64>,
    ) -> Result<i64, ExprError> {
        let (left, right) = match self {
            Self::Const(value) => return Ok(*value),
            Self::Symbol(symbol) => return lookup(*symbol).ok_or(ExprError::Unbound(*symbol)),
            Self::NonNegative(a) => {
                let value = a.evaluate_with(lookup)?;
                return if value >= 0 {
                    Ok(value)
                } else {
                    Err(ExprError::Negative {
                        expr: a.to_string(),
                        value,
                    })
                };
            }
            _ => match self.operands() {
                Some((a, b)) => (a.evaluate_with(lookup)?, b.evaluate_with(lookup)?),
                None => return Ok(0),
            },
        };
        if matches!(self, Self::FloorDiv(..) | Self::CeilDiv(..) | Self::Mod(..)) && right == 0 {
            return Err(ExprError::DivisionByZero {
                expr: self.to_string(),
                left,
            });
        }
        let value = match self {
            Self::Const(_) | Self::Symbol(_) | Self::NonNegative(_) => None,
            Self::Add(..) => left.checked_add(right),
            Self::Sub(..) => left.checked_sub(right),
            Self::Mul(..) => left.checked_mul(right),
            Self::FloorDiv(..) => floor_div(left, right),
            Self::CeilDiv(..) => ceil_div(left, right),
            // `i64::MIN mod -1` is 0, although the quotient overflows.
            Self::Mod(..) => Some(left.checked_rem(right).map_or(0, |rest| {
                if rest != 0 && (rest < 0) != (right < 0) {
                    rest + right
                } else {
                    rest
                }
            })),
            Self::Min(..) => Some(left.min(right)),
            Self::Max(..) => Some(left.max(right)),
        };
        value.ok_or_else(|| ExprError::Overflow {
            expr: self.to_string(),
            left,
            right,
        })
    }

    /// Calls `visit` for every symbol in the expression, from left to right.
    pub fn for_each_symbol(&self, visit: &mut impl FnMut(Symbol)) {
        self.for_each(&mut |expr| {
            if let Self::Symbol(symbol) = expr {
                visit(*symbol);
            }
        });
    }

    /// Calls `visit` for the expression and for each expression in it.
    pub fn for_each(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        if let Self::NonNegative(a) = self {
            a.for_each(visit);
        }
        if let Some((a, b)) = self.operands() {
            a.for_each(visit);
            b.for_each(visit);
        }
    }

    /// Returns the operator precedence of the printed expression: 0 for sums, 1 for products, 2 for
    /// atoms.
    fn precedence(&self) -> u8 {
        match self {
            Self::Add(..) | Self::Sub(..) => 0,
            Self::Mul(..) => 1,
            _ => 2,
        }
    }
}

fn floor_div(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    Some(if left % right != 0 && (left < 0) != (right < 0) {
        quotient - 1
    } else {
        quotient
    })
}

fn ceil_div(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    Some(if left % right != 0 && (left < 0) == (right < 0) {
        quotient + 1
    } else {
        quotient
    })
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Self::Const(value)
    }
}

impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Self {
        Self::Symbol(symbol)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let child = |f: &mut fmt::Formatter<'_>, child: &Self, needed: u8| {
            if child.precedence() < needed {
                write!(f, "({child})")
            } else {
                write!(f, "{child}")
            }
        };
        // The operators are left-associative, so a right operand of equal precedence needs
        // parentheses.
        let infix = |f: &mut fmt::Formatter<'_>, a, operator, b| {
            child(f, a, self.precedence())?;
            f.write_str(operator)?;
            child(f, b, self.precedence() + 1)
        };
        match self {
            Self::Const(value) => write!(f, "{value}"),
            Self::Symbol(symbol) => write!(f, "{symbol}"),
            Self::Add(a, b) => infix(f, a, " + ", b),
            Self::Sub(a, b) => infix(f, a, " - ", b),
            Self::Mul(a, b) => infix(f, a, " * ", b),
            Self::FloorDiv(a, b) => write!(f, "floordiv({a}, {b})"),
            Self::CeilDiv(a, b) => write!(f, "ceildiv({a}, {b})"),
            Self::Mod(a, b) => write!(f, "mod({a}, {b})"),
            Self::Min(a, b) => write!(f, "min({a}, {b})"),
            Self::Max(a, b) => write!(f, "max({a}, {b})"),
            Self::NonNegative(a) => write!(f, "nonnegative({a})"),
        }
    }
}
