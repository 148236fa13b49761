//! Arguments that are bound to a plan, and the values of the plan's expressions for these
//! arguments.

use tx_plan::{Condition, ElementType, Expr, ExprError, Symbol};

use crate::error::Error;
use crate::number::Number;
use crate::placement::Placement;

/// Argument or temporary of a plan: a memref with its shape, or a scalar with its value.
#[derive(Debug)]
pub(super) enum BoundArgument {
    Memref {
        element: ElementType,
        shape: Vec<usize>,
        placement: Placement,
        buffer: usize,
        written: bool,
        unsigned: bool,
    },
    Scalar {
        element: ElementType,
        bits: u64,
    },
}

/// Arguments of a plan in order. During the binding of a plan, the temporaries of the plan follow
/// the arguments in the list.
#[derive(Debug, Default)]
pub(super) struct BoundArguments(pub(super) Vec<BoundArgument>);

impl BoundArguments {
    /// Returns whether a condition of the plan is true. `address` returns the address of the buffer
    /// with a given index.
    pub(super) fn holds(
        &self,
        condition: &Condition,
        place: &str,
        address: impl Fn(usize) -> Option<u64>,
    ) -> Result<bool, Error> {
        let lookup = |symbol| match symbol {
            Symbol::Address { argument } => match self.0.get(argument)? {
                BoundArgument::Memref { buffer, .. } => i64::try_from(address(*buffer)?).ok(),
                BoundArgument::Scalar { .. } => None,
            },
            symbol => self.lookup(symbol),
        };
        condition
            .holds(|expr| expr.evaluate(lookup))
            .map_err(|error| Error::Launch {
                place: format!("{place}, `{condition}`"),
                error,
            })
    }

    /// Evaluates an expression. Error messages contain `place`, the position of the expression in
    /// the plan.
    pub(super) fn evaluate(&self, expr: &Expr, place: &str) -> Result<i64, Error> {
        expr.evaluate(|symbol| self.lookup(symbol))
            .map_err(|error: ExprError| Error::Launch {
                place: place.to_owned(),
                error,
            })
    }

    /// Evaluates an expression whose value is a size.
    pub(super) fn size(&self, expr: &Expr, place: &str) -> Result<usize, Error> {
        let value = self.evaluate(expr, place)?;
        usize::try_from(value).map_err(|_| Error::LaunchSize {
            place: place.to_owned(),
            found: self.explain(value, expr),
            expected: "0 or more".to_owned(),
        })
    }

    /// Returns the text of a value, its expression, and the values of its symbols, such as ``8 for
    /// `arg0.dim0 * 2`, where arg0.dim0 is 4``.
    pub(super) fn explain(&self, value: i64, expr: &Expr) -> String {
        let mut symbols = Vec::new();
        expr.for_each_symbol(&mut |symbol| {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        });
        let mut text = match expr {
            Expr::Const(_) => value.to_string(),
            _ => format!("{value} for `{expr}`"),
        };
        // If the expression is a single symbol, the text already contains the value of the symbol.
        if !matches!(expr, Expr::Symbol(_)) {
            for (i, symbol) in symbols.into_iter().enumerate() {
                if let Some(value) = self.lookup(symbol) {
                    let joint = if i == 0 { ", where" } else { " and" };
                    text.push_str(&format!("{joint} {symbol} is {value}"));
                }
            }
        }
        text
    }

    /// Returns the integer value of a symbol of a plan expression; `None` for a symbol without an
    /// integer value, such as a buffer address.
    pub(super) fn lookup(&self, symbol: Symbol) -> Option<i64> {
        match (symbol, self.0.get(symbol.argument())?) {
            (Symbol::Dim { dim, .. }, BoundArgument::Memref { shape, .. }) => {
                i64::try_from(*shape.get(dim)?).ok()
            }
            (Symbol::Stride { dim, .. }, BoundArgument::Memref { placement, .. }) => {
                placement.strides.get(dim).copied()
            }
            (Symbol::Offset { .. }, BoundArgument::Memref { placement, .. }) => {
                Some(placement.offset)
            }
            (Symbol::Value { .. }, BoundArgument::Scalar { element, bits }) => {
                match Number::from_bits(*bits, *element) {
                    Number::Int(value) => i64::try_from(value).ok(),
                    Number::Float(_) => None,
                }
            }
            _ => None,
        }
    }
}
