//! Operations between integers and floats: conversions, float comparisons, and tests of the float
//! class such as `math.isnan`.

use super::operation::Operation;
use super::rounding::int_to_float;
use crate::bound::Bound;
use crate::number::{Float, signed, truncated};

/// Returns the operation that evaluates the op `name` with an integer operand of `bits` bits and a
/// float result.
pub(super) fn to_float(name: &str, bits: u32, float: Float) -> Option<Operation> {
    let exact = |bits: &[Bound; 3], result: f64| match bits[0].is_exact() {
        true => Bound::exact(result),
        false => Bound::anything(),
    };
    Some(match name {
        "arith.sitofp" => Operation::bounded(
            Box::new(move |x| Ok(int_to_float(i128::from(signed(x[0], bits)), float))),
            move |_, b, r| exact(b, r),
        ),
        "arith.uitofp" => Operation::bounded(
            Box::new(move |x| Ok(int_to_float(i128::from(x[0]), float))),
            move |_, b, r| exact(b, r),
        ),
        "arith.bitcast" => Operation::bounded(Box::new(|x| Ok(x[0])), move |_, b, r| exact(b, r)),
        _ => return None,
    })
}

/// Returns the operation that evaluates the op `name` with float operands and an integer result of
/// `bits` bits.
pub(super) fn from_float(
    name: &str,
    predicate: Option<i64>,
    float: Float,
    bits: u32,
) -> Option<Operation> {
    let test = |f: fn(f64) -> bool| -> Operation {
        Operation::of(Box::new(move |x| Ok(u64::from(f(float.value(x[0]))))))
    };
    Some(match name {
        "arith.cmpf" => {
            let predicate = predicate?;
            Operation::bounded(
                Box::new(move |x| {
                    let holds = compare_floats(predicate, float.value(x[0]), float.value(x[1]));
                    Ok(u64::from(holds))
                }),
                |x, b, _| {
                    let near = b[0].error + b[1].error;
                    let sure = near == 0.0 || (x[0] - x[1]).abs() > 2.0 * near;
                    match sure {
                        true => Bound::exact(0.0),
                        false => Bound::anything(),
                    }
                },
            )
        }
        "arith.fptosi" => Operation::of(Box::new(move |x| {
            let value = float.value(x[0]).trunc();
            let limit = 2_f64.powi(bits as i32 - 1);
            if value >= -limit && value < limit {
                Ok(truncated(value as i64, bits))
            } else {
                Err("the number does not fit the integer")
            }
        })),
        "arith.fptoui" => Operation::of(Box::new(move |x| {
            let value = float.value(x[0]).trunc();
            if value >= 0.0 && value < 2_f64.powi(bits as i32) {
                Ok(value as u64)
            } else {
                Err("the number does not fit the integer")
            }
        })),
        "arith.bitcast" => Operation::of(Box::new(|x| Ok(x[0]))),
        "math.isnan" => test(f64::is_nan),
        "math.isinf" => test(f64::is_infinite),
        "math.isfinite" => test(f64::is_finite),
        "math.isnormal" => {
            // A normal double can be subnormal in a narrower type such as f16.
            let least = 2_f64.powi(float.least_exponent());
            Operation::of(Box::new(move |x| {
                let value = float.value(x[0]);
                Ok(u64::from(value.is_normal() && value.abs() >= least))
            }))
        }
        _ => return None,
    })
}

/// Evaluates an `arith.cmpf` of two scalars. `predicate` is MLIR's integer encoding of the
/// comparison predicate.
pub fn compare_floats(predicate: i64, a: f64, b: f64) -> bool {
    let relation = match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Equal) => 0,
        Some(std::cmp::Ordering::Greater) => 1,
        Some(std::cmp::Ordering::Less) => 2,
        None => 3,
    };
    // For each predicate, a bit mask of the relations for which the predicate is true: 1 equal, 2
    // greater, 4 less, 8 unordered.
    const HOLDS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15];
    usize::try_from(predicate)
        .ok()
        .and_then(|p| HOLDS.get(p))
        .is_some_and(|holds| holds >> relation & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::compare_floats;

    #[test]
    fn predicates_are_those_of_arith() {
        let holds = |p| {
            [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (f64::NAN, 1.0)]
                .map(|(a, b)| compare_floats(p, a, b))
        };
        assert_eq!(holds(2), [false, true, false, false], "ogt");
        assert_eq!(holds(11), [false, false, true, true], "ult");
        assert_eq!(holds(13), [false, true, true, true], "une");
        assert_eq!(holds(14), [false, false, false, true], "uno");
    }
}
