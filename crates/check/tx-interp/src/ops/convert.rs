//! Conversion of numbers between the types of a reduction.

use crate::ops::scalar::float_of;
use crate::value::{Lanes, NO_BOUND};
use tx_scalar::{Bound, Operation, Scalar, operation};

/// Conversion of numbers from the type `from` to the type `to`. The conversion rounds each number
/// at most once.
pub(crate) struct Convert {
    from: Scalar,
    to: Scalar,
    operation: Option<Operation>,
}

impl Convert {
    /// Creates a conversion. Integers are zero-extended if `unsigned` is set, and sign-extended if
    /// `unsigned` is not set.
    pub(crate) fn new(from: Scalar, to: Scalar, unsigned: bool) -> Self {
        let name = match (from, to) {
            (Scalar::Float(a), Scalar::Float(b)) if a.bits() < b.bits() => "arith.extf",
            (Scalar::Float(_), Scalar::Float(_)) => "arith.truncf",
            (Scalar::Int(a), Scalar::Int(b)) if a >= b => "arith.trunci",
            (Scalar::Int(_), Scalar::Int(_)) if unsigned => "arith.extui",
            (Scalar::Int(_), Scalar::Int(_)) => "arith.extsi",
            (Scalar::Int(_), Scalar::Float(_)) => "arith.sitofp",
            (Scalar::Float(_), Scalar::Int(_)) => "arith.fptosi",
        };
        let operation = (from != to)
            .then(|| operation(name, None, &[from], to))
            .flatten();
        Self {
            from,
            to,
            operation,
        }
    }

    pub(crate) fn one(&self, bits: u64, bound: Option<Bound>) -> (u64, Option<Bound>) {
        let Some(operation) = &self.operation else {
            return (bits, bound);
        };
        let result = (operation.calc)(&[bits, 0, 0]).unwrap_or(0);
        let bound = bound.filter(|b| *b != NO_BOUND).and_then(|bound| {
            let (value, out) = (float_of(self.from, bits), float_of(self.to, result));
            match &operation.bound {
                Some(rule) => {
                    let exact = Bound::exact(0.0);
                    Some(rule(&[value, 0.0, 0.0], &[bound, exact, exact], out))
                }
                None if bound.is_exact() => None,
                None => Some(Bound::anything()),
            }
        });
        (result, bound)
    }
}

pub(crate) fn converted(values: &Lanes, convert: &Convert, lanes: usize) -> Lanes {
    let mut out = Lanes::new(1, lanes);
    for lane in 0..lanes {
        let (bits, bound) = convert.one(values.get(lane, 0), values.bound(lane, 0));
        out.set(lane, 0, bits, bound);
    }
    out
}
