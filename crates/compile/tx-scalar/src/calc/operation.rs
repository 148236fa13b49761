//! Scalar operation: one function computes the result, and another function computes the error
//! bound of the result.

use super::functions::approximation;
use crate::bound::Bound;
use crate::number::Float;

/// Function from the bits of the operands to the bits of the result. An error is a text that states
/// why the result is undefined.
pub type Calc = Box<dyn Fn(&[u64; 3]) -> Result<u64, &'static str>>;

/// Function that computes the error bound ([`Bound`]) of the result of an operation. The arguments
/// of the function are the operands, the error bounds of the operands, and the result.
pub type BoundOf = Box<dyn Fn(&[f64; 3], &[Bound; 3], f64) -> Bound>;

/// Scalar operation with up to three operands.
pub struct Operation {
    /// Function that computes the result of the operation.
    pub calc: Calc,
    /// Function that computes the error bound ([`Bound`]) of the result. If the field `bound` is
    /// `None`, the error bound of the result is 0 for exact operands, and infinite for all other
    /// operands.
    pub bound: Option<BoundOf>,
}

impl Operation {
    /// Creates an operation without a function that computes the error bound of the result.
    pub(super) fn of(calc: Calc) -> Self {
        Self { calc, bound: None }
    }

    /// Adds the error of an approximate PTX instruction to the error bound of the result. The
    /// attribute `fastmath<afn>` permits the approximate PTX instruction for the op `name`. Returns
    /// the operation unchanged if PTX has no approximate instruction for the op, or if the result
    /// type `float` is f64.
    #[must_use]
    pub fn approximate(self, name: &str, float: Float) -> Self {
        let (Some(error), true) = (approximation(name), float.bits() <= 32) else {
            return self;
        };
        Self::bounded(self.calc, move |x, b, r| {
            let exact = |bound: Bound| bound.is_exact();
            let bound = match &self.bound {
                Some(bound) => bound(x, b, r),
                None if b.iter().copied().all(exact) => Bound::exact(r),
                None => Bound::anything(),
            };
            let error = error(x, r);
            if error == 0.0 || r.is_nan() {
                return bound;
            }
            if !error.is_finite() || !r.is_finite() || r.abs() > float.largest() * 0.99 {
                return Bound::anything();
            }
            // For a type narrower than f32, the result of the instruction is rounded again.
            let once_more = Bound::rounded_once(r, float);
            let bound = if exact(bound) { once_more } else { bound };
            bound.with_error(bound.error + error + 2.0 * once_more.error)
        })
    }

    /// Creates an operation in which the function `bound` computes the error bound of the result.
    pub(super) fn bounded(
        calc: Calc,
        bound: impl Fn(&[f64; 3], &[Bound; 3], f64) -> Bound + 'static,
    ) -> Self {
        Self {
            calc,
            bound: Some(Box::new(bound)),
        }
    }
}
