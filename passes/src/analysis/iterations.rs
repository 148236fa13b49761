//! Loops whose iterations are told one by one.
//!
//! A range for each thread says what a thread may touch in any iteration. In a tree written as a
//! loop, `S[t] += S[t + d]` for `t < d`, some iteration has another thread touch almost every
//! place, and yet no iteration has two threads touch one. As block sizes are known, so mostly are
//! the numbers that such loops carry, all of them: an access of one iteration is compared with
//! another access of the same one under each of its numbers in turn.

use crate::analysis::threads::{Threads, arguments, counts_unsigned, last_operands};
use melior::ir::operation::OperationLike;
use tx_mlir::{Blk, Op, Val, first_block, is, name, operands};

/// More iterations are not told apart, those of loops in loops counted together.
const MOST: usize = 256;

/// Values that are one number for all threads in one iteration.
pub(crate) type Iteration<'c> = Vec<(Val<'c>, i64)>;

/// Analyses of the kernel, one for each iteration of these loops, of which each is within the one
/// before. A loop whose iterations are not known stays one case, and so do those within it.
pub(crate) fn cases<'c>(threads: &Threads<'c>, loops: &[Op<'c>]) -> Vec<Threads<'c>> {
    let mut cases = vec![threads.given(&[])];
    for op in loops {
        let mut next = Vec::new();
        for case in &cases {
            match iterations(case, *op) {
                Some(all) => next.extend(all.iter().map(|iteration| case.given(iteration))),
                None => return cases,
            }
            if next.len() > MOST {
                return cases;
            }
        }
        cases = next;
    }
    cases
}

/// What a loop carries in each of its iterations, as far as that is one number; `None` where their
/// count is not known, or too large.
fn iterations<'c>(threads: &Threads<'c>, op: Op<'c>) -> Option<Vec<Iteration<'c>>> {
    match name(op) {
        "scf.for" => counted(threads, op),
        "scf.while" => conditional(threads, op),
        _ => None,
    }
}

/// An `scf.for`.
fn counted<'c>(threads: &Threads<'c>, op: Op<'c>) -> Option<Vec<Iteration<'c>>> {
    let [from, to, step, inits @ ..] = &operands(op)[..] else {
        return None;
    };
    let [from, to, step] = [from, to, step].map(|bound| threads.number(*bound));
    let (from, to, step) = (from?, to?, usize::try_from(step?).ok()?);
    if counts_unsigned(op) && from.min(to) < 0 {
        return None;
    }
    let body = first_block(op, 0)?;
    let (index, carried) = arguments(body)
        .split_first()
        .map(|(i, c)| (*i, c.to_vec()))?;
    let mut now = numbers(threads, &carried, inits);
    let mut all = Vec::new();
    for n in (from..to).step_by(step.max(1)) {
        if all.len() == MOST {
            return None;
        }
        now.push((index, n));
        let next = match carried.is_empty() {
            true => Iteration::new(),
            false => numbers(&threads.given(&now), &carried, &last_operands(body)),
        };
        all.push(std::mem::replace(&mut now, next));
    }
    Some(all)
}

/// An `scf.while`, in whose body both what its condition sees and what that hands on are known.
fn conditional<'c>(threads: &Threads<'c>, op: Op<'c>) -> Option<Vec<Iteration<'c>>> {
    let (condition, body) = (first_block(op, 0)?, first_block(op, 1)?);
    let (tested, handed_on) = (arguments(condition), arguments(body));
    let mut now = numbers(threads, &tested, &operands(op));
    let mut all = Vec::new();
    loop {
        let case = threads.given(&now);
        let outcome = last_operands(condition);
        if case.number(*outcome.first()?)? == 0 {
            return Some(all);
        }
        if all.len() == MOST {
            return None;
        }
        now.extend(numbers(&case, &handed_on, &outcome[1..]));
        let next = numbers(&threads.given(&now), &tested, &last_operands(body));
        all.push(std::mem::replace(&mut now, next));
    }
}

/// Those of `values` that are one number, as `arguments`.
fn numbers<'c>(threads: &Threads<'c>, arguments: &[Val<'c>], values: &[Val<'c>]) -> Iteration<'c> {
    let number =
        |(argument, value): (&Val<'c>, &Val<'c>)| Some((*argument, threads.number(*value)?));
    arguments.iter().zip(values).filter_map(number).collect()
}

/// The loops around both of two ops, the outermost first, in whose one iteration both are: those
/// around `round`, which has gone round in between, or all.
pub(crate) fn common<'c>(first: Op<'c>, second: Op<'c>, round: Option<Op<'c>>) -> Vec<Op<'c>> {
    let around: Vec<Op<'c>> = tx_mlir::ancestors(first).collect();
    let both = tx_mlir::ancestors(second).filter(|op| around.contains(op));
    let mut both: Vec<Op<'c>> = both.collect();
    both.reverse();
    let whole = both.iter().take_while(|op| Some(**op) != round);
    let is_loop = |op: &&Op<'c>| is(**op, "scf.for") || is(**op, "scf.while");
    let loops = whole.filter(is_loop);
    // The condition of a loop is computed once more than its body.
    let in_body = |op: &&Op<'c>| {
        let condition = first_block(**op, 0).filter(|_| is(**op, "scf.while"));
        let inside = |op: Op<'c>| condition.is_some_and(|c| is_within(op, c));
        !inside(first) && !inside(second)
    };
    loops.take_while(in_body).copied().collect()
}

/// Whether an op is in a block, or in a region of an op that is.
fn is_within(op: Op<'_>, block: Blk<'_>) -> bool {
    let own = |op: Op<'_>| op.block().map(|b| b.to_raw().ptr) == Some(block.to_raw().ptr);
    own(op) || tx_mlir::ancestors(op).any(own)
}
