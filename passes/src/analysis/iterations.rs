//! Analysis of loops one iteration at a time.
//!
//! The analysis in the module `threads` computes one index range per thread for all iterations of a
//! loop together. In a tree reduction such as `S[t] += S[t + d]` for `t < d`, two threads access
//! the same element only in different iterations. Block sizes are static, so the loop-carried
//! values of a tree reduction are usually known constants in each iteration. For each iteration,
//! the analysis replaces the loop-carried values by their constants in this iteration, and compares
//! the accesses of this iteration with each other.

use crate::analysis::loops::{arguments, counts_unsigned, last_operands};
use crate::analysis::threads::Threads;
use melior::ir::operation::OperationLike;
use tx_mlir::{Blk, Op, Val, first_block, is, name, operands};

/// Maximum number of iterations of a loop nest that the analysis examines separately.
const MOST: usize = 256;

/// Values that are constant and equal in all threads during an iteration, each with its constant.
pub(crate) type Iteration<'c> = Vec<(Val<'c>, i64)>;

/// Returns one analysis of the kernel per iteration of the nested `loops`, which begin with the
/// outermost loop. If the trip count of a loop is unknown, the function analyses all iterations of
/// this loop and of its inner loops together.
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

/// Returns the constant loop-carried values of each iteration of a loop; `None` if the trip count
/// is unknown or too large.
fn iterations<'c>(threads: &Threads<'c>, op: Op<'c>) -> Option<Vec<Iteration<'c>>> {
    match name(op) {
        "scf.for" => counted(threads, op),
        "scf.while" => conditional(threads, op),
        _ => None,
    }
}

/// Returns, for each iteration of an `scf.for`, the induction variable and the constant
/// loop-carried values, each paired with its constant.
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

/// Returns, for each iteration of an `scf.while`, the constant arguments of both regions, each
/// paired with its constant.
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

/// Returns each of `arguments` whose value is a constant that is equal in all threads, with this
/// constant.
fn numbers<'c>(threads: &Threads<'c>, arguments: &[Val<'c>], values: &[Val<'c>]) -> Iteration<'c> {
    let number =
        |(argument, value): (&Val<'c>, &Val<'c>)| Some((*argument, threads.number(*value)?));
    arguments.iter().zip(values).filter_map(number).collect()
}

/// Returns the loops in which two ops execute in the same iteration, outermost loop first. If the
/// loop `round` starts a new iteration between the two ops, the result contains only the loops
/// around `round`.
pub(crate) fn common<'c>(first: Op<'c>, second: Op<'c>, round: Option<Op<'c>>) -> Vec<Op<'c>> {
    let around: Vec<Op<'c>> = tx_mlir::ancestors(first).collect();
    let both = tx_mlir::ancestors(second).filter(|op| around.contains(op));
    let mut both: Vec<Op<'c>> = both.collect();
    both.reverse();
    let whole = both.iter().take_while(|op| Some(**op) != round);
    let is_loop = |op: &&Op<'c>| is(**op, "scf.for") || is(**op, "scf.while");
    let loops = whole.filter(is_loop);
    // The condition of an `scf.while` executes once more than its body.
    let in_body = |op: &&Op<'c>| {
        let condition = first_block(**op, 0).filter(|_| is(**op, "scf.while"));
        let inside = |op: Op<'c>| condition.is_some_and(|c| is_within(op, c));
        !inside(first) && !inside(second)
    };
    loops.take_while(in_body).copied().collect()
}

fn is_within(op: Op<'_>, block: Blk<'_>) -> bool {
    let own = |op: Op<'_>| op.block().map(|b| b.to_raw().ptr) == Some(block.to_raw().ptr);
    own(op) || tx_mlir::ancestors(op).any(own)
}
