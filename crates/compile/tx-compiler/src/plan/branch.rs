//! Translation of branches of a host function into conditions of launch steps.

use super::check_size;
use super::host::Host;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_mlir::{
    Failed, Op, Val, codes, defining_op, error, first_block, integer_attribute, is, name, operands,
    results,
};
use tx_plan::{Condition, Expr, Relation, alternatives, exactly_one};

/// Maximum number of branches of one host function. If the condition of an `scf.if` is an
/// `arith.andi`, its else branch counts once per operand of the `arith.andi`.
const MAX_BRANCHES: usize = 1024;
/// Maximum nesting depth of `arith.andi`.
const MAX_DEPTH: usize = 64;

const CONDITIONS: &str = "a condition is `arith.cmpi` of sizes, strides, addresses and integer arguments, a \
                          remainder compared with 0, or several of these joined by `arith.andi`";

#[derive(Default)]
pub(super) struct Branches {
    pub(super) path: Vec<Condition>,
    depth: usize,
    count: usize,
    choices: usize,
}

impl<'c> Host<'c> {
    /// Translates an `scf.if`. Each launch in a branch becomes a launch step, which runs only if
    /// the conditions of the branch are true.
    pub(super) fn branch(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let [condition] = operands(op)[..] else {
            return Err(self.unknown(op));
        };
        if !results(op).is_empty() {
            return Err(error(
                op.location(),
                "`scf.if` yields values, and a launch plan selects launches alone",
            )
            .code(codes::TX0602)
            .note("launch in both branches, each with its own values")
            .emit());
        }
        let first = self.steps.len();
        let mut freed = self.freed.clone();
        for (region, wanted) in [true, false].into_iter().enumerate() {
            let Some(block) = first_block(op, region) else {
                continue;
            };
            for conditions in self.paths(op, condition, wanted, 0)? {
                self.branches.count += 1;
                if self.branches.count > MAX_BRANCHES {
                    return Err(too_many(op));
                }
                let before = (self.branches.path.len(), self.freed.clone());
                self.branches.path.extend(conditions);
                self.branches.depth += 1;
                self.block(block)?;
                self.branches.depth -= 1;
                self.branches.path.truncate(before.0);
                freed.append(&mut std::mem::replace(&mut self.freed, before.1));
            }
        }
        self.freed = freed;
        if self.branches.depth == 0 {
            self.choose(first);
        }
        Ok(())
    }

    pub(super) fn is_in_branch(&self) -> bool {
        self.branches.depth > 0
    }

    /// Marks the steps from index `first` on as one choice, if exactly one alternative among these
    /// steps runs for any arguments. An `scf.if` with launches in only one branch does not form a
    /// choice, because no step runs if the other branch is taken.
    fn choose(&mut self, first: usize) {
        let steps = &mut self.steps[first..];
        let is_choice = steps.iter().any(|step| !step.when.is_empty())
            && exactly_one(alternatives(steps)).is_ok();
        if is_choice {
            for step in steps {
                step.choice = Some(self.branches.choices);
            }
            self.branches.choices += 1;
        }
    }

    /// Returns disjoint conjunctions (lists of conditions) whose disjunction is `condition ==
    /// wanted`.
    fn paths(
        &self,
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
                    return Err(self.unknown(op));
                };
                let of = |value, wanted| self.paths(branch, value, wanted, depth + 1);
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
                let (left, relation, right) = self.comparison(op)?;
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
                    None => Err(unsupported(branch, condition)),
                }
            }
        }
    }

    pub(super) fn comparison(&self, op: Op<'c>) -> Result<(Expr, Relation, Expr), Failed> {
        let [left_value, right] = operands(op)[..] else {
            return Err(self.unknown(op));
        };
        let (mut left, mut right) = (self.compared(op, left_value)?, self.compared(op, right)?);
        // Encoding of the predicates of `arith.cmpi`; unsigned predicates follow the signed ones.
        let predicate = integer_attribute(op, "predicate").unwrap_or(-1);
        let relation = match predicate {
            0 => Relation::Equal,
            1 => Relation::NotEqual,
            2 | 6 => Relation::Less,
            3 | 7 => Relation::LessOrEqual,
            4 | 8 => Relation::Greater,
            5 | 9 => Relation::GreaterOrEqual,
            _ => return Err(self.unknown(op)),
        };
        if predicate > 5 {
            // An unsigned comparison treats a negative number as larger than every size.
            (left, right) = (left.non_negative(), right.non_negative());
        }
        // `x remsi n == 0` is equivalent to `x mod n == 0`, although the two quotients are rounded
        // differently.
        let is_equality = matches!(relation, Relation::Equal | Relation::NotEqual);
        if is_equality
            && right == Expr::Const(0)
            && let Some(remainder) = defining_op(left_value).filter(|op| is(*op, "arith.remsi"))
            && let [value, by] = operands(remainder)[..]
            && let by @ Expr::Const(1..) = self.index(remainder, by)?
        {
            left = self.index(remainder, value)?.modulo(by);
        }
        check_size(op, [&left, &right])?;
        Ok((left, relation, right))
    }
}

fn too_many(op: Op<'_>) -> Failed {
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

fn unsupported<'c>(op: Op<'c>, condition: Val<'c>) -> Failed {
    let what = match defining_op(condition) {
        Some(producer) => format!("the result of `{}`", name(producer)),
        None => format!("a value of type `{}`", condition.r#type()),
    };
    let message = format!(
        "`scf.if` branches on {what}, and a launch plan branches on comparisons of integers"
    );
    let refusal = error(op.location(), message).code(codes::TX0602);
    match defining_op(condition) {
        Some(producer) => refusal.note_at(producer.location(), "it is computed here"),
        None => refusal,
    }
    .note(CONDITIONS)
    .emit()
}
