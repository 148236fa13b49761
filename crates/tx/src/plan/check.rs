//! What a host function asserts, as checks of its arguments.

use super::check_size;
use super::host::{HOST_CODE, Host};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_mlir::source_location;
use tx_mlir::{
    Failed, Op, Val, codes, defining_op, error, integer_attribute, is, key, name, operands,
    results, string_attribute,
};
use tx_plan::{Check, Expr, Place, Relation};

/// One part of a condition of `cf.assert` or `scf.if`; all parts must hold.
#[derive(Clone, Copy)]
pub(super) enum Condition<'c> {
    /// This `arith.cmpi` is true.
    Comparison(Op<'c>),
    /// One of the two of this `arith.ori` is true.
    Either(Op<'c>),
    /// It is known.
    Known(bool),
    /// Something else.
    Other(Val<'c>),
}

impl<'c> Condition<'c> {
    /// The comparisons that it is made of.
    pub(super) fn comparisons(self) -> Vec<Op<'c>> {
        let mut found = Vec::new();
        let mut pending = match self {
            Self::Comparison(op) | Self::Either(op) => vec![op],
            Self::Known(_) | Self::Other(_) => Vec::new(),
        };
        let mut seen = BTreeSet::new();
        while let Some(op) = pending.pop() {
            if is(op, "arith.cmpi") {
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

/// How deep `arith.ori` and `arith.andi` may be nested in what is asserted.
const MAX_DEPTH: usize = 12;

/// What the condition of `cf.assert` or `scf.if` is made of by `arith.andi`, from left to right.
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
            Some(op) if is(op, "arith.cmpi") => conditions.push(Condition::Comparison(op)),
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
    /// Follows `cf.assert`.
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
                    place: place(op),
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
        let (left, relation, right) = self.comparison(comparison)?;
        let (left, relation, right) = match relation {
            Relation::Greater | Relation::GreaterOrEqual => (right, relation.swapped(), left),
            _ => (left, relation, right),
        };
        Ok(Check {
            left,
            relation,
            right,
            message: message.to_owned(),
            place: place(assert),
        })
    }
}

impl<'c> Host<'c> {
    /// How far a condition is from being true: at most 0 where it is. So the smaller of two
    /// distances is that of one condition or the other, the larger that of both.
    fn distance(&self, assert: Op<'c>, condition: Val<'c>, depth: usize) -> Result<Expr, Failed> {
        let op = defining_op(condition).filter(|_| depth < MAX_DEPTH);
        let op = op.ok_or_else(|| unsupported(assert, condition))?;
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
        let join = match name(op) {
            "arith.ori" => Expr::min,
            "arith.andi" => Expr::max,
            _ => return Err(unsupported(assert, condition)),
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

/// Where an op is in the program's text.
fn place(op: Op<'_>) -> Option<Place> {
    super::place(&source_location(op.location())?)
}

/// Whether two checks refuse the same arguments, whatever they say then.
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
    let refusal = error(
        op.location(),
        format!("`cf.assert` checks {what}, and a launch plan checks comparisons of `index`"),
    )
    .code(codes::TX0610);
    match defining_op(condition) {
        Some(producer) => refusal.note_at(producer.location(), "it is computed here"),
        None => refusal,
    }
    .note(format!(
        "use `arith.cmpi`, or several joined by `arith.andi` and `arith.ori`; {HOST_CODE}"
    ))
    .emit()
}
