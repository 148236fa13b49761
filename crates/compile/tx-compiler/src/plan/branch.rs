//! Translation of branches of a host function into conditions of launch steps.

use super::condition::integer_comparison;
use super::unsupported::unsupported_op;
use super::values::Values;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, Val, codes, defining_op, error, integer_attribute, is, name, operands};
use tx_plan::{Condition, Step, alternatives, exactly_one};

/// Maximum number of branches of one host function. If the condition of an `scf.if` is an
/// `arith.andi` of `a` and `b`, the else branch counts as two branches: one for `not a`, and one
/// for `a and not b`.
pub(super) const MAX_BRANCHES: usize = 1024;

/// Maximum nesting depth of `arith.andi` in the condition of a branch.
const MAX_DEPTH: usize = 64;

const CONDITIONS: &str = "a condition must be an `arith.cmpi` of sizes, strides, addresses and \
                          integer arguments, a remainder compared with 0, or several of these \
                          joined by `arith.andi`";

/// Returns whether the launch steps form a choice: a list of alternatives, exactly one of which
/// runs for any arguments. An `scf.if` with launches in only one branch does not form a choice,
/// because no launch step runs if the other branch is taken.
pub(super) fn is_choice(steps: &[Step]) -> bool {
    steps.iter().any(|step| !step.when.is_empty()) && exactly_one(alternatives(steps)).is_ok()
}

/// Returns lists of conditions. The conditions of exactly one returned list are all true if the
/// value of `condition` is `wanted`; otherwise, each returned list contains a false condition.
pub(super) fn paths<'c>(
    values: &Values<'c>,
    branch: Op<'c>,
    condition: Val<'c>,
    wanted: bool,
    depth: usize,
) -> Result<Vec<Vec<Condition>>, Failed> {
    if depth > MAX_DEPTH {
        return Err(too_many(branch));
    }
    match defining_op(condition) {
        Some(op) if is(op, "arith.andi") => {
            let [left, right] = operands(op)[..] else {
                return Err(unsupported_op(op));
            };
            let of = |value, wanted| paths(values, branch, value, wanted, depth + 1);
            let mut paths = Vec::new();
            if !wanted {
                paths.extend(of(left, false)?);
            }
            for first in of(left, true)? {
                for second in of(right, wanted)? {
                    paths.push([&first[..], &second].concat());
                }
                if paths.len() > MAX_BRANCHES {
                    return Err(too_many(branch));
                }
            }
            Ok(paths)
        }
        Some(op) if is(op, "arith.cmpi") => {
            let (left, relation, right) = integer_comparison(values, op)?;
            let relation = if wanted {
                relation
            } else {
                relation.negation()
            };
            let each = Condition::compare(left, relation, right).into_iter();
            let paths = each.filter_map(|condition| match condition.as_const() {
                Some(false) => None,
                Some(true) => Some(Vec::new()),
                None => Some(vec![condition]),
            });
            Ok(paths.collect())
        }
        op => {
            let known = op
                .filter(|op| is(*op, "arith.constant"))
                .and_then(|op| integer_attribute(op, "value"));
            match known {
                Some(known) if (known != 0) == wanted => Ok(vec![Vec::new()]),
                Some(_) => Ok(Vec::new()),
                None => Err(unsupported_condition(branch, condition)),
            }
        }
    }
}

pub(super) fn too_many(op: Op<'_>) -> Failed {
    error(
        op.location(),
        format!(
            "`scf.if` has more than {MAX_BRANCHES} branches, or a condition of more than \
             {MAX_DEPTH} parts"
        ),
    )
    .code(codes::TX0602)
    .note("the else branch of a condition of several parts counts once for each part")
    .emit()
}

fn unsupported_condition<'c>(op: Op<'c>, condition: Val<'c>) -> Failed {
    let what = match defining_op(condition) {
        Some(producer) => format!("the result of `{}`", name(producer)),
        None => format!("a value of type `{}`", condition.r#type()),
    };
    let message = format!("`scf.if` branches on {what}, expected a comparison of integers");
    let refusal = error(op.location(), message).code(codes::TX0602);
    match defining_op(condition) {
        Some(producer) => refusal.note_at(producer.location(), "the value is computed here"),
        None => refusal,
    }
    .note(CONDITIONS)
    .emit()
}
