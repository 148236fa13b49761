//! Translation of the assertions of a host function into checks of its arguments.

use super::check_size;
use super::host::{HOST_CODE, Host, Value};
use crate::position::line_column;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_mlir::{
    Failed, Op, Val, codes, defining_op, error, integer_attribute, is, key, name, operands,
    results, string_attribute,
};
use tx_plan::{Check, ElementType, Expr, Relation};

/// One conjunct of the condition of a `cf.assert` or an `scf.if`.
#[derive(Clone, Copy)]
pub(super) enum Condition<'c> {
    /// The conjunct is the result of this `arith.cmpi` or `arith.cmpf`.
    Comparison(Op<'c>),
    /// The conjunct is the result of this `arith.ori`.
    Either(Op<'c>),
    Known(bool),
    Other(Val<'c>),
}

impl<'c> Condition<'c> {
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
pub(super) fn conditions(op: Op<'_>) -> Vec<Condition<'_>> {
    let mut conditions = Vec::new();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<Val<'_>> = operands(op);
    while let Some(value) = pending.pop() {
        if !seen.insert(key(value)) {
            continue;
        }
        match defining_op(value) {
            Some(op) if is(op, "arith.andi") => pending.extend(operands(op).into_iter().rev()),
            Some(op) if is_comparison(op) => conditions.push(Condition::Comparison(op)),
            Some(op) if is(op, "arith.ori") => conditions.push(Condition::Either(op)),
            op => conditions.push(
                op.filter(|op| is(*op, "arith.constant"))
                    .and_then(|op| integer_attribute(op, "value"))
                    .map_or(Condition::Other(value), |value| {
                        Condition::Known(value != 0)
                    }),
            ),
        }
    }
    conditions
}

impl<'c> Host<'c> {
    pub(super) fn assert(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let message = string_attribute(op, "msg").unwrap_or_default();
        if self.is_in_branch() {
            return Err(error(
                op.location(),
                "`cf.assert` is in a branch, and a launch plan checks arguments before all launches",
            )
            .code(codes::TX0610)
            .note("put it before the `scf.if`")
            .emit());
        }
        for condition in conditions(op) {
            let check = match condition {
                Condition::Known(true) => continue,
                Condition::Known(false) => return Err(never_holds(op, &message, None)),
                Condition::Comparison(comparison) => self.check(op, comparison, &message)?,
                Condition::Either(either) => Check {
                    left: self.distance(op, results(either)[0], 0)?,
                    relation: Relation::LessOrEqual,
                    right: Expr::Const(0),
                    message: message.clone(),
                    place: line_column(op),
                },
                Condition::Other(value) => return Err(unsupported(op, value)),
            };
            match check.as_const() {
                Some(true) => {}
                Some(false) => return Err(never_holds(op, &message, Some(&check))),
                None if self.checks.iter().any(|known| same(known, &check)) => {}
                None => self.checks.push(check),
            }
        }
        Ok(())
    }

    fn check(&self, assert: Op<'c>, comparison: Op<'c>, message: &str) -> Result<Check, Failed> {
        let (left, relation, right) = match is(comparison, "arith.cmpf") {
            true => self.compared_floats(assert, comparison)?,
            false => self.comparison(comparison)?,
        };
        let (left, relation, right) = match relation {
            Relation::Greater | Relation::GreaterOrEqual => (right, relation.swapped(), left),
            _ => (left, relation, right),
        };
        Ok(Check {
            left,
            relation,
            right,
            message: message.to_owned(),
            place: line_column(assert),
        })
    }
}

impl<'c> Host<'c> {
    /// Returns the operands and the relation of an `arith.cmpf` whose operands are integer-valued
    /// floats or constants.
    fn compared_floats(
        &self,
        assert: Op<'c>,
        comparison: Op<'c>,
    ) -> Result<(Expr, Relation, Expr), Failed> {
        let refuse = || unsupported(assert, results(comparison)[0]);
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
        let numbers = self.float(left).zip(self.float(right));
        let is_unordered = numbers.is_some_and(|(left, right)| left.is_nan() || right.is_nan());
        // Encoding of the predicates of `arith.cmpf`: ordered predicates precede unordered ones.
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
        let whole = |value| self.whole_number(value).ok_or_else(refuse);
        Ok((whole(left)?, relation, whole(right)?))
    }

    /// Adds the check `left <= right` to the launch plan.
    pub(super) fn require(
        &mut self,
        op: Op<'c>,
        left: Expr,
        right: Expr,
        message: String,
    ) -> Result<(), Failed> {
        check_size(op, [&left, &right])?;
        let place = line_column(op);
        let check = Check {
            left,
            relation: Relation::LessOrEqual,
            right,
            message,
            place,
        };
        match check.as_const() {
            Some(true) => Ok(()),
            Some(false) => Err(never_holds(op, &check.message, Some(&check))),
            None => {
                if !self.checks.iter().any(|known| same(known, &check)) {
                    self.checks.push(check);
                }
                Ok(())
            }
        }
    }

    /// Returns the distance of a condition: an integer expression that is at most 0 if and only if
    /// the condition is true. The distance of a disjunction is the minimum of the operands'
    /// distances; the distance of a conjunction is their maximum.
    pub(super) fn distance(
        &self,
        assert: Op<'c>,
        condition: Val<'c>,
        depth: usize,
    ) -> Result<Expr, Failed> {
        let known = || match self.known(condition) {
            Some(Value::Integer(ElementType::I1, expr)) => Ok(Expr::Const(1).minus(expr.clone())),
            _ => Err(unsupported(assert, condition)),
        };
        let Some(op) = defining_op(condition).filter(|_| depth < MAX_DEPTH) else {
            return known();
        };
        if is(op, "arith.cmpi") {
            let (left, relation, right) = self.comparison(op)?;
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
            return Ok(Expr::Const(1).minus(self.distance(assert, value, depth + 1)?));
        }
        let join = match name(op) {
            "arith.ori" => Expr::min,
            "arith.andi" => Expr::max,
            _ => return known(),
        };
        let [left, right] = operands(op)[..] else {
            return Err(unsupported(assert, condition));
        };
        let distance = |value| self.distance(assert, value, depth + 1);
        let joined = join(distance(left)?, distance(right)?);
        check_size(op, [&joined])?;
        Ok(joined)
    }
}

fn is_comparison(op: Op<'_>) -> bool {
    is(op, "arith.cmpi") || is(op, "arith.cmpf")
}

/// Returns whether two checks fail for the same argument values. The comparison ignores the
/// messages of the checks.
fn same(a: &Check, b: &Check) -> bool {
    let as_they_are = (&a.left, &a.right) == (&b.left, &b.right);
    let swapped = || {
        matches!(a.relation, Relation::Equal | Relation::NotEqual)
            && (&a.left, &a.right) == (&b.right, &b.left)
    };
    a.relation == b.relation && (as_they_are || swapped())
}

fn never_holds(op: Op<'_>, message: &str, check: Option<&Check>) -> Failed {
    let refusal = error(
        op.location(),
        format!("what is asserted here never holds: {message}"),
    )
    .code(codes::TX0610);
    match check {
        Some(check) => refusal.note(format!("found `{check}`")),
        None => refusal,
    }
    .emit()
}

fn unsupported<'c>(op: Op<'c>, condition: Val<'c>) -> Failed {
    let what = match defining_op(condition) {
        Some(producer) => format!("the result of `{}`", name(producer)),
        None => format!("an argument of type `{}`", condition.r#type()),
    };
    let refusal = match is(op, "cf.assert") {
        true => error(
            op.location(),
            format!("`cf.assert` checks {what}, and a launch plan checks comparisons of `index`"),
        )
        .code(codes::TX0610),
        false => error(
            op.location(),
            format!(
                "`{}` depends on {what}, and a launch plan compares integers",
                name(op)
            ),
        )
        .code(codes::TX0602),
    };
    match defining_op(condition) {
        Some(producer) => refusal.note_at(producer.location(), "it is computed here"),
        None => refusal,
    }
    .note(format!(
        "use `arith.cmpi`, or several joined by `arith.andi` and `arith.ori`; {HOST_CODE}"
    ))
    .emit()
}
