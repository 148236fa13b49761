//! Ops of `arith` and `math`, applied to each number of a scalar or vector.

use crate::build::{Build, scalars_of};
use crate::code::OpClosure;
use crate::machine::Exec;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, NO_BOUND, Slot, Value};
use tx_dialect_tile::{MATH, Math};
use tx_mlir::melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use tx_mlir::melior::ir::{Attribute, ValueLike};
use tx_mlir::{Op, Val, attribute, integer_attribute, name, operands, results};
use tx_scalar::Bound;
use tx_scalar::calc::{Operation, operation};
use tx_scalar::number::{Scalar, truncated};

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    match name(op) {
        "arith.constant" => return constant(op, build).map(Some),
        "arith.select" => return select(op, build).map(Some),
        "ub.poison" => {
            let to = build.results(op);
            let (_, width) = scalars_of(op, results(op)[0])?;
            return Ok(Some(Box::new(move |exec| {
                exec.slots[to[0]] = Value::Numbers(Lanes::same(vec![0; width]));
                Ok(())
            })));
        }
        _ => {}
    }
    let values = operands(op);
    let [result] = results(op)[..] else {
        return sincos(op, build);
    };
    if values.is_empty() || values.len() > 3 {
        return Ok(None);
    }
    let from = values
        .iter()
        .map(|v| scalars_of(op, *v).map(|(scalar, _)| scalar))
        .collect::<Result<Vec<_>, _>>()?;
    let (to, width) = scalars_of(op, result)?;
    let predicate = integer_attribute(op, "predicate");
    let Some(operation) = operation(name(op), predicate, &from, to) else {
        return Ok(None);
    };
    let operation = match to {
        Scalar::Float(float) if may_be_approximate(op) => operation.approximate(name(op), float),
        _ => operation,
    };
    let slots = build.operands(op);
    let result = build.slot(result);
    Ok(Some(elementwise(
        op, slots, from, result, to, width, operation,
    )))
}

/// Compiles `math.sincos`, which computes the sine and the cosine of a number.
fn sincos<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<Option<OpClosure<'c>>, Trouble> {
    let (true, [x], [sine, cosine]) = (
        name(op) == "math.sincos",
        &operands(op)[..],
        &results(op)[..],
    ) else {
        return Ok(None);
    };
    let (from, width) = scalars_of(op, *x)?;
    let slots = build.operands(op);
    let mut step = |name: &str, result: Val<'c>| {
        let operation = operation(name, None, &[from], from)?;
        let (slots, result) = (slots.clone(), build.slot(result));
        Some(elementwise(
            op,
            slots,
            vec![from],
            result,
            from,
            width,
            operation,
        ))
    };
    let both = step("math.sin", *sine).zip(step("math.cos", *cosine));
    Ok(both.map(|(sine, cosine)| -> OpClosure<'c> {
        Box::new(move |exec| {
            sine(exec)?;
            cosine(exec)
        })
    }))
}

/// Returns the value of a float, or 0 for an integer. The interpreter uses the returned float only
/// to compute error bounds.
pub(crate) fn float_of(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::Float(float) => float.value(bits),
        Scalar::Int(_) => 0.0,
    }
}

/// Returns the error bound of a number. The function computes the error bound of an exact number,
/// because the interpreter does not store this bound.
pub(crate) fn bound_of(lanes: &Lanes, scalar: Scalar, lane: usize, i: usize) -> Bound {
    lanes
        .bound(lane, i)
        .filter(|b| *b != NO_BOUND)
        .unwrap_or_else(|| Bound::exact(float_of(scalar, lanes.get(lane, i))))
}

fn elementwise<'c>(
    op: Op<'c>,
    slots: Vec<Slot>,
    from: Vec<Scalar>,
    result: Slot,
    to: Scalar,
    width: usize,
    operation: Operation,
) -> OpClosure<'c> {
    let site = Site::of(op);
    let orders = compares_order(op);
    let extreme = matches!(name(op), "arith.maxnumf" | "arith.minnumf");
    let carried = [0, 1].map(|operand| may_be_carried(op, operand));
    let no_nan = promises_no_nan(op);
    let combines = is_in_combiner(op);
    let rounds = match (name(op), to) {
        ("arith.divf" | "arith.truncf" | "math.sqrt", Scalar::Float(float)) => Some(float),
        _ => None,
    };
    let narrows = match (name(op), to) {
        ("arith.truncf", Scalar::Float(float)) => Some(float),
        _ => None,
    };
    Box::new(move |exec| {
        let bounded = exec.world.bounds;
        let undefined = |exec: &Exec<'_>, lane: u32, bits: [u64; 3], why: &str| {
            let shown: Vec<String> = from.iter().zip(bits).map(|(s, b)| s.show(b)).collect();
            let message = format!("{why}: operands {}", shown.join(" and "));
            exec.with_thread(Trouble::fault(FaultKind::NoResult, &site, message), lane)
        };
        if !bounded && !no_nan {
            return exec.compute_bits(&slots, result, width, |exec, lane, bits| {
                (operation.calc)(&bits).map_err(|why| undefined(exec, lane, bits, why))
            });
        }
        let folds = bounded && exec.unordered;
        // If the combination order is unspecified, either of two equal elements may be first.
        let ties = folds && orders;
        let extreme = folds && extreme;
        exec.compute(&slots, result, width, |exec, lane, i| {
            let mut bits = [0; 3];
            for (word, slot) in bits.iter_mut().zip(&slots) {
                *word = exec.numbers(*slot).get(lane as usize, i);
            }
            let out = (operation.calc)(&bits).map_err(|why| undefined(exec, lane, bits, why))?;
            let is_nan = |scalar: Scalar, bits: u64| float_of(scalar, bits).is_nan();
            if no_nan && (is_nan(to, out) || from.iter().zip(bits).any(|(s, b)| is_nan(*s, b))) {
                let message = "found NaN, but the flag `nnan` excludes NaN".to_owned();
                let fault = Trouble::fault(FaultKind::Undefined, &site, message);
                return Err(exec.with_thread(fault, lane));
            }
            if ties && is_tie(from[0], bits[0], bits[1], carried) {
                return Ok((out, Some(Bound::anything())));
            }
            if extreme {
                let own = [0, 1].map(|o| {
                    let bound = bound_of(exec.numbers(slots[o]), from[o], lane as usize, i);
                    (float_of(from[o], bits[o]), bound)
                });
                if let Some(bound) = beside_the_start(own) {
                    return Ok((out, Some(bound)));
                }
            }
            // The addition rounds the accumulator in any order of the elements.
            let reorders = folds || bounded && combines;
            if let Some(float) = narrows.filter(|_| reorders) {
                let own = bound_of(exec.numbers(slots[0]), from[0], lane as usize, i);
                if own.additions > 0.0 {
                    return Ok((out, Some(own.rounded_each(float))));
                }
            }
            let bound = bounded
                .then(|| {
                    bound(
                        exec,
                        &slots,
                        &from,
                        (lane as usize, i),
                        &operation,
                        to,
                        bits,
                        out,
                    )
                })
                .flatten();
            // In another combination order, the operands can be other exact numbers, and the result
            // of these numbers may need rounding.
            let exact = bound.is_none_or(Bound::is_exact);
            if let Some(float) = rounds.filter(|_| reorders && exact) {
                return Ok((out, Some(Bound::rounded_once(float_of(to, out), float))));
            }
            Ok((out, bound))
        })
    })
}

/// Returns whether an op is in the combiner region of a reduction.
fn is_in_combiner(op: Op<'_>) -> bool {
    tx_mlir::parent(op)
        .filter(|parent| matches!(name(*parent), "tile.reduce" | "tile.all_reduce"))
        .and_then(|parent| tx_mlir::first_block(parent, 0))
        .is_some_and(|block| tx_mlir::ops(block).contains(&op))
}

/// Returns whether the flag `afn` of an op, or the attribute `tile.math` of its function, permits
/// approximate instructions.
fn may_be_approximate(op: Op<'_>) -> bool {
    let of_function = || {
        let function = tx_mlir::enclosing(op, "func.func")?;
        attribute(function, MATH).and_then(Math::of)
    };
    tx_mlir::has_flag(op, "fastmath", "afn") || of_function() == Some(Math::Approx)
}

/// Returns whether an op has the flag `nnan`, which asserts that neither an operand nor the result
/// is NaN.
fn promises_no_nan(op: Op<'_>) -> bool {
    tx_mlir::has_flag(op, "fastmath", "nnan")
}

/// Returns whether an op is an ordering comparison, such as less-than.
fn compares_order(op: Op<'_>) -> bool {
    let predicate = integer_attribute(op, "predicate");
    match (name(op), predicate) {
        // oeq, one, ord, ueq, une and uno do not compare the order.
        ("arith.cmpf", Some(p)) => matches!(p, 2..=5 | 9..=12),
        ("arith.cmpi", Some(p)) => p >= 2,
        _ => false,
    }
}

/// Returns whether an operand may be a loop-carried value: true unless the operand is an input
/// element of the enclosing op.
fn may_be_carried(op: Op<'_>, operand: usize) -> bool {
    let element = || {
        let (_, number) = tx_mlir::argument_of(*operands(op).get(operand)?)?;
        let groups = tx_mlir::operand_groups(tx_mlir::parent(op)?)?;
        Some(number < groups.first()?.len())
    };
    element() != Some(true)
}

/// Returns whether the result of a comparison depends on the order of the elements. The result of a
/// comparison depends on the order of the elements if both operands are equal, or if the
/// loop-carried operand is NaN.
fn is_tie(scalar: Scalar, a: u64, b: u64, carried: [bool; 2]) -> bool {
    match scalar {
        Scalar::Float(float) => {
            let values = [float.value(a), float.value(b)];
            let nan = values
                .iter()
                .zip(carried)
                .any(|(v, carried)| carried && v.is_nan());
            nan || values[0] == values[1]
        }
        Scalar::Int(_) => a == b,
    }
}

/// Returns the error bound of `maxnumf` or `minnumf` if one operand is infinite, such as the
/// initial value of the accumulator. A `maxnumf` or `minnumf` reduction of a row of NaNs yields NaN
/// or an infinity, depending on the position of the identity in the combination order. If a row
/// contains at least one number, its reduction result does not depend on the position of the
/// identity.
fn beside_the_start(numbers: [(f64, Bound); 2]) -> Option<Bound> {
    let began = |number: (f64, Bound)| number.0.is_infinite();
    let (other, bound) = match numbers {
        [a, b] if began(a) => b,
        [a, b] if began(b) => a,
        _ => return None,
    };
    Some(match other.is_nan() {
        true => Bound::anything(),
        false => bound,
    })
}

#[expect(clippy::too_many_arguments, reason = "one place, called once")]
fn bound(
    exec: &Exec<'_>,
    slots: &[Slot],
    from: &[Scalar],
    (lane, i): (usize, usize),
    operation: &Operation,
    to: Scalar,
    bits: [u64; 3],
    out: u64,
) -> Option<Bound> {
    let mut bounds = [Bound::exact(0.0); 3];
    let mut exact = true;
    for ((bound, slot), scalar) in bounds.iter_mut().zip(slots).zip(from) {
        *bound = bound_of(exec.numbers(*slot), *scalar, lane, i);
        exact &= bound.is_exact();
    }
    match &operation.bound {
        Some(rule) => {
            let mut values = [0.0; 3];
            for ((value, bits), scalar) in values.iter_mut().zip(bits).zip(from) {
                *value = float_of(*scalar, bits);
            }
            let bound = rule(&values, &bounds, float_of(to, out));
            let keep = match to {
                Scalar::Float(_) => true,
                Scalar::Int(_) => !bound.is_exact(),
            };
            keep.then_some(bound)
        }
        None if exact => None,
        None => Some(Bound::anything()),
    }
}

fn select<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let slots = build.operands(op);
    let value = operands(op)[1];
    let to = build.results(op)[0];
    if tx_mlir::MemRef::of(value).is_some() {
        return Ok(Box::new(move |exec| {
            exec.compute_views(&slots, to, |exec, lane| {
                let which = if exec.int(slots[0], lane) & 1 == 1 {
                    1
                } else {
                    2
                };
                Ok((*exec.view(slots[which], lane)).clone())
            })
        }));
    }
    let (scalar, width) = scalars_of(op, value)?;
    let (_, conditions) = scalars_of(op, operands(op)[0])?;
    Ok(Box::new(move |exec| {
        let bounded = exec.world.bounds;
        exec.compute(&slots, to, width, |exec, lane, i| {
            let lane = lane as usize;
            let condition = exec.numbers(slots[0]);
            let at = if conditions == 1 { 0 } else { i };
            let holds = condition.get(lane, at) & 1 == 1;
            let taken = exec.numbers(slots[if holds { 1 } else { 2 }]);
            let bits = taken.get(lane, i);
            let sure = condition
                .bound(lane, at)
                .is_none_or(|b| b == NO_BOUND || b.is_exact());
            if sure || !bounded {
                return Ok((bits, taken.bound(lane, i)));
            }
            let [yes, no] = [slots[1], slots[2]].map(|slot| exec.numbers(slot));
            if yes.get(lane, i) == no.get(lane, i) {
                return Ok((bits, taken.bound(lane, i)));
            }
            let [a, b] = [yes, no].map(|v| bound_of(v, scalar, lane, i));
            Ok((
                bits,
                Some(match scalar {
                    Scalar::Float(float) => {
                        let [x, y] = [yes, no].map(|v| float.value(v.get(lane, i)));
                        a.either(b, (x - y).abs())
                    }
                    Scalar::Int(_) => Bound::anything(),
                }),
            ))
        })
    }))
}

fn constant<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let result = results(op)[0];
    let (scalar, width) = scalars_of(op, result)?;
    let bits = attribute(op, "value")
        .and_then(|value| bits_of(value, scalar, width))
        .ok_or_else(|| Trouble::unsupported(op, format!("of type {}", result.r#type())))?;
    let to = build.slot(result);
    Ok(Box::new(move |exec| {
        exec.slots[to] = Value::Numbers(Lanes::same(bits.clone()));
        Ok(())
    }))
}

/// Returns the bits of each number in an integer, float or dense attribute; a dense attribute must
/// contain `width` numbers.
pub(crate) fn bits_of(value: Attribute<'_>, scalar: Scalar, width: usize) -> Option<Vec<u64>> {
    if let Ok(int) = IntegerAttribute::try_from(value) {
        let Scalar::Int(bits) = scalar else {
            return None;
        };
        return Some(vec![truncated(int.value(), bits)]);
    }
    if FloatAttribute::try_from(value).is_ok() {
        return Some(vec![tx_mlir::float_bits(value)?]);
    }
    tx_mlir::dense_bits(value).filter(|all| all.len() == width)
}
