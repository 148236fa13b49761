//! Bodies that update an output value in several steps by one kind of op, or under a condition.
//! Examples are `(old + x) + y` and `if p { old + x } else { old }`. A body that updates the output
//! value in several steps is equivalent to a body that combines the old output value with one
//! element: the result of the original body when the old output value is the identity. The
//! conversion to one element changes the order of the additions of a float sum.

use super::combining_ops::{COMBINING_OPS, CombiningOp};
use tx_mlir::{Op, Val, defining_op, first_block, is, key, operands, ops, results};

const MOST: usize = 1000;

/// Traversal of the ops of a body, from a result to the old output value.
pub(crate) struct Steps<'a, 'c> {
    pub(crate) is_old: &'a dyn Fn(Val<'c>) -> bool,
    /// Returns whether a value in the body depends on the old output value.
    pub(crate) depends: &'a dyn Fn(Val<'c>) -> bool,
    pub(crate) left: usize,
}

impl<'a, 'c> Steps<'a, 'c> {
    pub(crate) fn new(
        is_old: &'a dyn Fn(Val<'c>) -> bool,
        depends: &'a dyn Fn(Val<'c>) -> bool,
    ) -> Self {
        Self {
            is_old,
            depends,
            left: MOST,
        }
    }

    /// Returns the reduction kind of the ops that compute `value` from the old output value.
    /// Returns `None` if the ops that compute `value` have different reduction kinds. The function
    /// does not recognise bodies that consist only of subtractions, because the error message for
    /// these bodies suggests a sum of negated elements.
    pub(crate) fn to(mut self, value: Val<'c>) -> Option<CombiningOp> {
        let mut found = Found::default();
        self.follow(value, &mut found)?;
        found.op.filter(|_| found.combines)
    }

    fn follow(&mut self, value: Val<'c>, found: &mut Found) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if (self.is_old)(value) {
            return Some(());
        }
        let op = defining_op(value)?;
        let given = operands(op);
        if is(op, "arith.select") || is(op, "scf.if") {
            if (self.depends)(*given.first()?) {
                return None;
            }
            for choice in choices(op, value)? {
                self.follow(choice, found)?;
            }
            return Some(());
        }
        let depend: Vec<bool> = given.iter().map(|v| (self.depends)(*v)).collect();
        let (before, name, combines) = match depend[..] {
            [false, false, true] if is(op, "math.fma") => (given[2], "arith.addf", true),
            [true, false] if is(op, "arith.subf") => (given[0], "arith.addf", false),
            [true, false] if is(op, "arith.subi") => (given[0], "arith.addi", false),
            [true, false] => (given[0], tx_mlir::name(op), true),
            [false, true] => (given[1], tx_mlir::name(op), true),
            _ => return None,
        };
        let named = COMBINING_OPS.into_iter().find(|(n, ..)| *n == name)?;
        if found.op.get_or_insert(named).0 != named.0 {
            return None;
        }
        found.combines |= combines;
        self.follow(before, found)
    }
}

#[derive(Default)]
struct Found {
    op: Option<CombiningOp>,
    combines: bool,
}

/// Returns the two values from which `op` selects `value`.
fn choices<'c>(op: Op<'c>, value: Val<'c>) -> Option<[Val<'c>; 2]> {
    if is(op, "arith.select") {
        let [_, yes, no] = operands(op)[..] else {
            return None;
        };
        return Some([yes, no]);
    }
    let place = results(op).into_iter().position(|r| r == value)?;
    let yielded = |region| {
        let end = ops(first_block(op, region)?).pop()?;
        operands(end).get(place).copied()
    };
    Some([yielded(0)?, yielded(1)?])
}

/// Returns whether `value` is a selection between the old output value and another value, by a
/// condition that does not depend on old output values.
pub(crate) fn is_conditional<'c>(
    value: Val<'c>,
    old: Val<'c>,
    depends: &dyn Fn(Val<'c>) -> bool,
) -> bool {
    let Some(op) = defining_op(value).filter(|op| is(*op, "arith.select") || is(*op, "scf.if"))
    else {
        return false;
    };
    let apart = operands(op).first().is_some_and(|c| !depends(*c));
    apart && choices(op, value).is_some_and(|choices| choices.iter().any(|v| key(*v) == key(old)))
}
