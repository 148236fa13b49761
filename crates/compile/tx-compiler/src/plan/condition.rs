//! Conditions of a host function: their conjuncts, their comparisons, and the integer expressions
//! (distances) that represent conditions in a launch plan.

use super::limits::check_size;
use super::types::width;
use super::unsupported::{HOST_CODE, unsupported_op};
use super::values::{Value, Values};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_mlir::{
    Failed, Op, Val, codes, defining_op, error, integer_attribute, is, key, name, operands, results,
};
use tx_plan::{ElementType, Expr, Relation};

/// One conjunct of the condition of a `cf.assert` or an `scf.if`.
#[derive(Clone, Copy)]
pub(super) enum Conjunct<'c> {
    /// The conjunct is the result of the given `arith.cmpi` or `arith.cmpf`.
    Comparison(Op<'c>),
    /// The conjunct is the result of the given `arith.ori`.
    Either(Op<'c>),
    /// The conjunct is a constant with the given value.
    Known(bool),
    /// The conjunct is the given SSA value. The SSA value is neither a constant nor the result of
    /// an `arith.cmpi`, `arith.cmpf` or `arith.ori`.
    Other(Val<'c>),
}

impl<'c> Conjunct<'c> {
    /// Returns the `arith.cmpi` and `arith.cmpf` ops whose results the conjunct uses.
    pub(super) fn comparisons(self) -> Vec<Op<'c>> {
        let mut found = Vec::new();
        let mut pending = match self {
            Self::Comparison(op) | Self::Either(op) => vec![op],
            Self::Known(_) | Self::Other(_) => Vec::new(),
        };
        let mut seen = BTreeSet::new();
        while let Some(op) = pending.pop() {
            if is_comparison(op) {
                found.push(op);
            } else if is(op, "arith.andi") || is(op, "arith.ori") {
                let new = operands(op)
                    .into_iter()
                    .filter(|value| seen.insert(key(*value)));
                pending.extend(new.filter_map(defining_op));
            }
        }
        found
    }
}

/// Maximum nesting depth of `arith.ori` and `arith.andi` in an assertion.
const MAX_DEPTH: usize = 12;

/// Returns the conjuncts of the condition of a `cf.assert` or an `scf.if`, from left to right.
pub(super) fn conjuncts(op: Op<'_>) -> Vec<Conjunct<'_>> {
    let mut conjuncts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<Val<'_>> = operands(op);
    while let Some(value) = pending.pop() {
        if !seen.insert(key(value)) {
            continue;
        }
        match defining_op(value) {
            Some(op) if is(op, "arith.andi") => pending.extend(operands(op).into_iter().rev()),
            Some(op) if is_comparison(op) => conjuncts.push(Conjunct::Comparison(op)),
            Some(op) if is(op, "arith.ori") => conjuncts.push(Conjunct::Either(op)),
            op => conjuncts.push(
                op.filter(|op| is(*op, "arith.constant"))
                    .and_then(|op| integer_attribute(op, "value"))
                    .map_or(Conjunct::Other(value), |value| Conjunct::Known(value != 0)),
            ),
        }
    }
    conjuncts
}

/// Returns the value of an operand of an `arith.cmpi`; the operand can have any integer type except
/// `i1`.
fn compared<'c>(values: &Values<'c>, op: Op<'c>, value: Val<'c>) -> Result<Expr, Failed> {
    match values.integer(op, value)? {
        (ty, expr) if ty != ElementType::I1 && width(ty) < 64 && values.fits(ty, &expr) => Ok(expr),
        _ => values.index(op, value),
    }
}

/// Returns the operands and the relation of an `arith.cmpi`.
pub(super) fn integer_comparison<'c>(
    values: &Values<'c>,
    op: Op<'c>,
) -> Result<(Expr, Relation, Expr), Failed> {
    let [left_value, right] = operands(op)[..] else {
        return Err(unsupported_op(op));
    };
    let (mut left, mut right) = (
        compared(values, op, left_value)?,
        compared(values, op, right)?,
    );
    // MLIR's encoding of `arith.cmpi` predicates lists the signed predicates before the unsigned
    // predicates.
    let predicate = integer_attribute(op, "predicate").unwrap_or(-1);
    let relation = match predicate {
        0 => Relation::Equal,
        1 => Relation::NotEqual,
        2 | 6 => Relation::Less,
        3 | 7 => Relation::LessOrEqual,
        4 | 8 => Relation::Greater,
        5 | 9 => Relation::GreaterOrEqual,
        _ => return Err(unsupported_op(op)),
    };
    if predicate > 5 {
        // An unsigned comparison treats a negative number as larger than every size.
        (left, right) = (left.non_negative(), right.non_negative());
    }
    // `x remsi n == 0` is equivalent to `x mod n == 0`, although `remsi` rounds the quotient toward
    // zero and `mod` rounds the quotient down.
    let is_equality = matches!(relation, Relation::Equal | Relation::NotEqual);
    if is_equality
        && right == Expr::Const(0)
        && let Some(remainder) = defining_op(left_value).filter(|op| is(*op, "arith.remsi"))
        && let [value, by] = operands(remainder)[..]
        && let by @ Expr::Const(1..) = values.index(remainder, by)?
    {
        left = values.index(remainder, value)?.modulo(by);
    }
    check_size(op, [&left, &right])?;
    Ok((left, relation, right))
}

/// Returns the operands and the relation of an `arith.cmpf` whose operands are integer-valued
/// floats or constants.
pub(super) fn float_comparison<'c>(
    values: &Values<'c>,
    assert: Op<'c>,
    comparison: Op<'c>,
) -> Result<(Expr, Relation, Expr), Failed> {
    let refuse = || unsupported_condition(assert, results(comparison)[0]);
    let [left, right] = operands(comparison)[..] else {
        return Err(refuse());
    };
    let truth = |holds: bool| {
        (
            Expr::Const(i64::from(holds)),
            Relation::Equal,
            Expr::Const(1),
        )
    };
    let numbers = values.float(left).zip(values.float(right));
    let is_unordered = numbers.is_some_and(|(left, right)| left.is_nan() || right.is_nan());
    // MLIR's encoding of `arith.cmpf` predicates lists the ordered predicates before the unordered
    // predicates.
    let relation = match integer_attribute(comparison, "predicate") {
        Some(0) => return Ok(truth(false)),
        Some(7) => return Ok(truth(!is_unordered)),
        Some(14) => return Ok(truth(is_unordered)),
        Some(15) => return Ok(truth(true)),
        Some(predicate) if is_unordered => return Ok(truth(predicate > 7)),
        Some(1 | 8) => Relation::Equal,
        Some(2 | 9) => Relation::Greater,
        Some(3 | 10) => Relation::GreaterOrEqual,
        Some(4 | 11) => Relation::Less,
        Some(5 | 12) => Relation::LessOrEqual,
        Some(6 | 13) => Relation::NotEqual,
        _ => return Err(refuse()),
    };
    if let Some((left, right)) = numbers {
        let order = left.partial_cmp(&right).map_or(0, |order| order as i64);
        return Ok(truth(relation.holds(order, 0)));
    }
    let whole = |value| values.whole_number(value).ok_or_else(refuse);
    Ok((whole(left)?, relation, whole(right)?))
}

/// Returns the distance of a condition: an integer expression that is at most 0 if and only if the
/// condition is true. The distance of a disjunction is the minimum of the distances of the
/// operands, and the distance of a conjunction is the maximum of the distances of the operands.
pub(super) fn distance<'c>(
    values: &Values<'c>,
    assert: Op<'c>,
    condition: Val<'c>,
    depth: usize,
) -> Result<Expr, Failed> {
    let known = || match values.known(condition) {
        Some(Value::Integer(ElementType::I1, expr)) => Ok(Expr::Const(1).minus(expr.clone())),
        _ => Err(unsupported_condition(assert, condition)),
    };
    let Some(op) = defining_op(condition).filter(|_| depth < MAX_DEPTH) else {
        return known();
    };
    if is(op, "arith.cmpi") {
        let (left, relation, right) = integer_comparison(values, op)?;
        let (less, more) = (left.clone().minus(right.clone()), right.minus(left));
        let one = || Expr::Const(1);
        return Ok(match relation {
            Relation::Equal => less.max(more),
            Relation::NotEqual => one().minus(less.max(more)),
            Relation::Less => less.plus(one()),
            Relation::LessOrEqual => less,
            Relation::Greater => more.plus(one()),
            Relation::GreaterOrEqual => more,
        });
    }
    if let Some(known) = integer_attribute(op, "value").filter(|_| is(op, "arith.constant")) {
        return Ok(Expr::Const(i64::from(known == 0)));
    }
    if is(op, "arith.xori")
        && let [value, mask] = operands(op)[..]
        && defining_op(mask)
            .and_then(|mask| integer_attribute(mask, "value"))
            .is_some_and(|n| n & 1 == 1)
    {
        return Ok(Expr::Const(1).minus(distance(values, assert, value, depth + 1)?));
    }
    let join = match name(op) {
        "arith.ori" => Expr::min,
        "arith.andi" => Expr::max,
        _ => return known(),
    };
    let [left, right] = operands(op)[..] else {
        return Err(unsupported_condition(assert, condition));
    };
    let distance = |value| distance(values, assert, value, depth + 1);
    let joined = join(distance(left)?, distance(right)?);
    check_size(op, [&joined])?;
    Ok(joined)
}

fn is_comparison(op: Op<'_>) -> bool {
    is(op, "arith.cmpi") || is(op, "arith.cmpf")
}

/// Reports that a launch plan cannot express the condition of `op`.
pub(super) fn unsupported_condition<'c>(op: Op<'c>, condition: Val<'c>) -> Failed {
    let what = match defining_op(condition) {
        Some(producer) => format!("the result of `{}`", name(producer)),
        None => format!("an argument of type `{}`", condition.r#type()),
    };
    let refusal = match is(op, "cf.assert") {
        true => error(
            op.location(),
            format!("`cf.assert` checks {what}, expected a comparison of `index` values"),
        )
        .code(codes::TX0610),
        false => error(
            op.location(),
            format!(
                "`{}` depends on {what}, expected a comparison of integers",
                name(op)
            ),
        )
        .code(codes::TX0602),
    };
    match defining_op(condition) {
        Some(producer) => refusal.note_at(producer.location(), "the value is computed here"),
        None => refusal,
    }
    .note(format!(
        "use `arith.cmpi`, or several joined by `arith.andi` and `arith.ori`; {HOST_CODE}"
    ))
    .emit()
}
