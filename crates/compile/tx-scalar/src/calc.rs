//! Evaluation of `arith` and `math` ops, selected by op name.
//!
//! The crate computes each float op in f64, and rounds the f64 result once to the result type. For
//! types with at most 25 significant bits, the results of additions, subtractions, multiplications,
//! divisions and square roots are correctly rounded. A fused multiply-add of a type narrower than
//! f32 first rounds to odd in f64, and then rounds to the narrow type.

mod conversion;
mod float;
mod functions;
mod integer;
mod operation;
mod rounding;

pub use conversion::compare_floats;
pub use float::{maximum, maximum_number};
pub use operation::{BoundOf, Calc, Operation};

use crate::bound::Bound;
use crate::number::{Scalar, signed};
use conversion::{from_float, to_float};
use float::float_operation;
use functions::ULPS;
use integer::integer_operation;

/// Returns the operation that evaluates the op `name` for operand types `from` and result type
/// `to`; `None` if the op is not supported. `predicate` is the integer with which MLIR encodes the
/// predicate of a comparison op.
pub fn operation(
    name: &str,
    predicate: Option<i64>,
    from: &[Scalar],
    to: Scalar,
) -> Option<Operation> {
    match (from.first().copied()?, to) {
        (Scalar::Float(float), Scalar::Float(result))
            if name == "arith.extf" || name == "arith.truncf" =>
        {
            Some(Operation::bounded(
                Box::new(move |x| Ok(result.to_bits(float.value(x[0])))),
                move |_, b, _| match result.digits() < float.digits() {
                    // The rounding of an exact value has the same result in every order of
                    // combination.
                    true if b[0].is_exact() => Bound {
                        grain: b[0].grain,
                        ..b[0]
                    },
                    true => b[0].rounded(result),
                    false => b[0],
                },
            ))
        }
        (Scalar::Float(float), Scalar::Float(_)) if name == "math.fpowi" => {
            let Some(Scalar::Int(bits)) = from.get(1).copied() else {
                return None;
            };
            Some(Operation::bounded(
                Box::new(move |x| {
                    // For an odd integer exponent, `powf` keeps the sign of the base, like repeated
                    // multiplication.
                    let power = signed(x[1], bits) as f64;
                    Ok(float.to_bits(float.value(x[0]).powf(power)))
                }),
                move |_, b, r| match b[0].is_exact() && b[1].is_exact() {
                    true => b[0].mapped(r, 0.0, 16.0 * ULPS, float),
                    false => Bound::anything(),
                },
            ))
        }
        (Scalar::Float(float), Scalar::Float(_)) => float_operation(name, float),
        (Scalar::Float(float), Scalar::Int(bits)) => from_float(name, predicate, float, bits),
        (Scalar::Int(bits), Scalar::Float(float)) => to_float(name, bits, float),
        (Scalar::Int(bits), Scalar::Int(result)) => {
            integer_operation(name, predicate, bits, result)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::operation;
    use crate::bound::Bound;
    use crate::number::{Float, Scalar, truncated};

    #[test]
    fn quotients_that_do_not_fit_are_not_defined() {
        for bits in [8, 32, 64] {
            let least = truncated(i64::MIN >> (64 - bits), bits);
            let minus_one = truncated(-1, bits);
            let int = Scalar::Int(bits);
            for name in ["arith.divsi", "arith.floordivsi", "arith.ceildivsi"] {
                let divide = operation(name, None, &[int; 2], int).unwrap().calc;
                assert!(divide(&[least, minus_one, 0]).is_err(), "{name} i{bits}");
                assert_eq!(divide(&[least, 1, 0]), Ok(least), "{name} i{bits}");
                assert!(divide(&[1, 0, 0]).is_err(), "{name} i{bits}");
            }
        }
    }

    #[test]
    fn integers_wrap() {
        let int = Scalar::Int(8);
        let add = operation("arith.addi", None, &[int; 2], int).unwrap().calc;
        assert_eq!(add(&[127, 1, 0]), Ok(128));
        let bool = Scalar::Int(1);
        for (predicate, holds) in [(2, 0), (6, 1)] {
            let less = operation("arith.cmpi", Some(predicate), &[int; 2], bool).unwrap();
            assert_eq!(
                (less.calc)(&[1, 255, 0]),
                Ok(holds),
                "1 and 255 by {predicate}"
            );
        }
    }

    #[test]
    fn powers_and_classes_are_those_of_the_type() {
        let (half, bool) = (Scalar::Float(Float::F16), Scalar::Int(1));
        let normal = operation("math.isnormal", None, &[half], bool)
            .unwrap()
            .calc;
        assert_eq!(normal(&[0x0400, 0, 0]), Ok(1));
        assert_eq!(normal(&[0x03ff, 0, 0]), Ok(0));
        let power = operation("math.fpowi", None, &[half, Scalar::Int(32)], half).unwrap();
        let bits = |x: f64| Float::F16.to_bits(x);
        let three = truncated(-3, 32);
        assert_eq!((power.calc)(&[bits(-2.0), three, 0]), Ok(bits(-0.125)));
    }

    /// Checks the error bound of the result of an op if an operand is NaN or has an infinite error
    /// bound. If an operand is NaN in every order of combination, the error bound of the result
    /// allows only NaN. If the error bound of an operand is infinite, the error bound of the result
    /// is infinite.
    #[test]
    fn nan_is_no_number_within_a_bound() {
        let float = Float::F32;
        let of =
            |name: &str| operation(name, None, &[Scalar::Float(float); 3], Scalar::Float(float));
        let near = |value: f64| Bound::exact(value).with_error(1e-6);
        for name in [
            "arith.addf",
            "arith.mulf",
            "arith.divf",
            "math.fma",
            "math.exp",
            "math.sqrt",
        ] {
            let bound = of(name).unwrap().bound.unwrap();
            for x in [[f64::NAN, 2.0, 3.0], [f64::NAN; 3]] {
                let found = bound(&x, &x.map(near), f64::NAN);
                assert!(!found.allows(f64::NAN, 0.0), "{name} of {x:?}: {found:?}");
                assert!(found.allows(f64::NAN, f64::NAN), "{name} of {x:?}");
            }
            let x = [f64::NAN; 3];
            let anything = bound(&x, &[Bound::anything(); 3], f64::NAN);
            assert!(anything.allows(f64::NAN, 0.0), "{name}: {anything:?}");
        }
    }

    #[test]
    fn roots_of_numbers_near_zero_are_open() {
        let float = [Scalar::Float(Float::F32)];
        let root = operation("math.sqrt", None, &float, float[0]);
        let bound = root.unwrap().bound.unwrap();
        let near = |x: f64| [Bound::exact(x).with_error(1e-3); 3];
        for (x, open) in [
            (1e-3, true),
            (-1e-3, true),
            (0.0, true),
            (0.5, false),
            (-0.5, false),
        ] {
            let root = f64::sqrt(x);
            let found = bound(&[x; 3], &near(x), root);
            assert_eq!(found.allows(root, 7.0), open, "{x}: {found:?}");
            assert_eq!(
                found.allows(root, f64::NAN),
                open || x < 0.0,
                "{x}: {found:?}"
            );
        }
    }
}
