//! Checks of the arguments of a host function, which precede the launches of the function.

use super::condition::{
    Conjunct, conjuncts, distance, float_comparison, integer_comparison, unsupported_condition,
};
use super::limits::check_size;
use super::values::Values;
use crate::position::line_column;
use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, codes, error, is, results, string_attribute};
use tx_plan::{Check, Expr, Relation};

/// Checks of a launch plan. An op in a branch of the host function must not add a check, because a
/// launcher evaluates all checks, even if the branch is not taken.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) checks: Vec<Check>,
    /// Number of `scf.if` ops that enclose the op that is being translated.
    pub(super) branch_depth: usize,
}

impl Checks {
    /// Returns whether the op that is being translated is in a branch of an `scf.if`.
    pub(super) fn is_in_branch(&self) -> bool {
        self.branch_depth > 0
    }

    /// Adds the checks of a `cf.assert` to the launch plan.
    pub(super) fn assert<'c>(&mut self, values: &Values<'c>, op: Op<'c>) -> Result<(), Failed> {
        let message = string_attribute(op, "msg").unwrap_or_default();
        if self.is_in_branch() {
            return Err(error(
                op.location(),
                "`cf.assert` is in a branch, and a launch plan checks arguments before all launches",
            )
            .code(codes::TX0610)
            .note("move the `cf.assert` before the `scf.if`")
            .emit());
        }
        for conjunct in conjuncts(op) {
            let check = match conjunct {
                Conjunct::Known(true) => continue,
                Conjunct::Known(false) => return Err(never_holds(op, &message, None)),
                Conjunct::Comparison(comparison) => check(values, op, comparison, &message)?,
                Conjunct::Either(either) => Check {
                    left: distance(values, op, results(either)[0], 0)?,
                    relation: Relation::LessOrEqual,
                    right: Expr::Const(0),
                    message: message.clone(),
                    place: line_column(op),
                },
                Conjunct::Other(value) => return Err(unsupported_condition(op, value)),
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

    /// Adds the check `left <= right` to the launch plan.
    pub(super) fn require(
        &mut self,
        op: Op<'_>,
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
}

/// Returns a check of the comparison that a `cf.assert` asserts; the check fails if the comparison
/// is false.
fn check<'c>(
    values: &Values<'c>,
    assert: Op<'c>,
    comparison: Op<'c>,
    message: &str,
) -> Result<Check, Failed> {
    let (left, relation, right) = match is(comparison, "arith.cmpf") {
        true => float_comparison(values, assert, comparison)?,
        false => integer_comparison(values, comparison)?,
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

/// Returns whether two checks have equal relations and equal operands; the operands of `==` and
/// `!=` may have either order. The function ignores the messages of the checks.
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
        format!("this assertion is always false: {message}"),
    )
    .code(codes::TX0610);
    match check {
        Some(check) => refusal.note(format!("found `{check}`")),
        None => refusal,
    }
    .emit()
}
