//! Facts (known properties) of loop-carried values and of induction variables.

use crate::analysis::arithmetic::{fits, width};
use crate::analysis::classes::Class;
use crate::analysis::facts::{Classes, Fact, Range, combined, either};
use crate::analysis::loops::{arguments, counts_unsigned, is_loop, last_operands};
use crate::analysis::threads::{CarriedFacts, Threads};
use std::rc::Rc;
use tx_dialect_tile::Scope;
use tx_mlir::{Op, Val, blocks, is, key, operands};

impl<'c> Threads<'c> {
    /// Returns the congruence classes of the induction variable of an `scf.for`: the lower bound
    /// plus a multiple of the step.
    pub(super) fn counted(&self, op: Op<'c>, index: Val<'c>, bounds: &[Fact]) -> Classes {
        let [from, to, step] = bounds else {
            return None;
        };
        let bits = width(index);
        // The last step may exceed the largest integer of the type. After wraparound, only residues
        // modulo powers of two hold. A 64-bit induction variable does not wrap around, because no
        // memory has so many elements.
        let ends =
            |range: &Range, step: &Range| fits((range.1, range.1.saturating_add(step.1)), bits);
        let forward = |steps: &Rc<[Range]>| steps.iter().all(|step| step.0 > 0);
        let stays = step.ranges.as_ref().is_some_and(|steps| {
            let to = to.ranges.as_ref();
            forward(steps)
                && (bits >= 64
                    || to.is_some_and(|to| {
                        to.iter().zip(steps.iter()).all(|(to, step)| ends(to, step))
                    }))
        });
        let exact = stays && !counts_unsigned(op);
        combined(from, step, |from, step| {
            let class = from.plus(Class::ANY.times(step));
            if exact { class } else { class.wrapped(bits) }
        })
    }

    /// Computes facts (known properties) of the loop-carried values of a loop by fixed-point
    /// iteration. The fixed-point iteration starts with the facts of the initial values. Each step
    /// of the fixed-point iteration weakens the facts, until the facts are also true for the
    /// yielded values.
    pub(super) fn carry(&self, op: Op<'c>) {
        let bodies = blocks(op);
        let arguments: Vec<Vec<Val<'c>>> = bodies.iter().map(|body| arguments(*body)).collect();
        let is_known =
            |value: &Val<'c>| matches!(self.facts.borrow().get(&key(*value)), Some(Some(_)));
        // Values before the loop and values carried by outer loops are analysed once, before the
        // iteration starts.
        let mut around: Vec<Op<'c>> = tx_mlir::ancestors(op).filter(|op| is_loop(*op)).collect();
        around.reverse();
        let around = around
            .into_iter()
            .flat_map(blocks)
            .flat_map(self::arguments);
        for outside in around.chain(operands(op)) {
            self.fact(outside);
        }
        let is_counted = |value: &Val<'c>| is(op, "scf.for") && arguments[0].first() == Some(value);
        if arguments
            .iter()
            .flatten()
            .filter(|value| !is_counted(value))
            .all(is_known)
        {
            return;
        }
        // The facts of one iteration may be false in the previous iterations, which produced the
        // carried values.
        if arguments
            .iter()
            .flatten()
            .any(|value| self.is_given(*value))
        {
            let unknown = arguments.iter().flatten().filter(|v| !self.is_given(**v));
            let unknown = unknown.map(|v| (key(*v), Some(Fact::unknown(Scope::Thread))));
            self.facts.borrow_mut().extend(unknown);
            return;
        }
        // Analyses in progress may depend on the carried values, so their results are discarded.
        let mut before = self.facts.borrow().clone();
        before.retain(|_, fact| fact.is_some());
        let last: Vec<Vec<Val<'c>>> = bodies.iter().map(|body| last_operands(*body)).collect();
        // Pairs of block arguments and the values that they receive, in the first and in later
        // iterations.
        let skip =
            |values: &[Val<'c>], n: usize| values.iter().skip(n).copied().collect::<Vec<_>>();
        let (first, later) = match (arguments.as_slice(), last.as_slice()) {
            ([own], [yielded]) => (
                vec![(skip(own, 1), skip(&operands(op), 3))],
                (skip(own, 1), yielded.clone()),
            ),
            ([tested, handed_on], [condition, yielded]) => (
                vec![
                    (tested.clone(), operands(op)),
                    (handed_on.clone(), skip(condition, 1)),
                ],
                (tested.clone(), yielded.clone()),
            ),
            _ => return,
        };
        let edges = |all: Vec<(Vec<Val<'c>>, Vec<Val<'c>>)>| -> Vec<(Val<'c>, Val<'c>)> {
            let all = all
                .into_iter()
                .flat_map(|(to, from)| to.into_iter().zip(from));
            all.filter(|(to, _)| !self.is_given(*to)).collect()
        };
        let (first, later) = (edges(first), edges(vec![later]));
        let found = self.carried.borrow().get(&key_of(op)).cloned();
        let mut common = found.unwrap_or_else(|| self.begun(&first));
        let edges = [first, later].concat();
        loop {
            let assumed = common
                .iter()
                .map(|(value, fact)| (*value, Some(fact.clone())));
            *self.facts.borrow_mut() = before.clone().into_iter().chain(assumed).collect();
            let together = self.together(op);
            let mut next = common.clone();
            for (to, from) in &edges {
                let given = self.fact(*from);
                next.entry(key(*to)).and_modify(|fact| {
                    fact.same = fact.same.min(given.same).min(together);
                    fact.classes = either(fact, &given);
                });
            }
            if next == common {
                self.carried.borrow_mut().insert(key_of(op), common);
                return;
            }
            common = next;
        }
    }

    /// Returns the initial facts of loop-carried values, under the assumption that all threads have
    /// equal values.
    pub(super) fn begun(&self, edges: &[(Val<'c>, Val<'c>)]) -> CarriedFacts {
        let mut begun = CarriedFacts::new();
        for (to, from) in edges {
            let classes = self.fact(*from).classes();
            let fact = Fact::unknown(Scope::Cluster).with_classes(classes);
            // The condition region of an `scf.while` may forward its arguments.
            self.facts.borrow_mut().insert(key(*to), Some(fact.clone()));
            begun.insert(key(*to), fact);
        }
        begun
    }

    pub(super) fn is_given(&self, value: Val<'c>) -> bool {
        self.assumed.iter().any(|(given, _)| *given == value)
    }
}

fn key_of(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}
