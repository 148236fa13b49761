//! Partitions of the body of a reduction into elements and a combiner.

use super::body::{dependents, free_values, is_constant, loop_index, slice};
use super::combiner::Part;
use super::program::Program;
use super::read::Loops;
use super::scalar::{Sort, sort_of};
use melior::ir::ValueLike;
use std::collections::BTreeSet;
use tx_mlir::{Blk, Op, Val, argument_of, defining_op, is, key, operands, results};

/// Maximum number of tested assignments of element values to outputs of the op.
const MAX_PAIRINGS: usize = 4096;

/// A partition of the body into elements and combiner. The partition lists the value that the
/// combiner receives for each output.
pub(super) struct Pairing<'c> {
    pub(super) values: Vec<Val<'c>>,
    pub(super) parts: Vec<Part<'c>>,
    /// The combiner as a [`Program`]; `None` if [`Program`] does not support an op of the combiner.
    pub(super) program: Option<Program>,
}

/// The body of a reduction, and the values in the body that depend on old output values.
pub(super) struct Partition<'a, 'c> {
    pub(super) loops: &'a Loops<'c>,
    pub(super) body: Blk<'c>,
    pub(super) olds: Vec<Val<'c>>,
    pub(super) yielded: Vec<Val<'c>>,
    pub(super) dependent: BTreeSet<usize>,
}

impl<'a, 'c> Partition<'a, 'c> {
    /// Creates the partition of a body into elements and combiner. If `changes(i)` is false, the
    /// partition treats the old value of output `i` as an element, not as the accumulator.
    pub(super) fn of(loops: &'a Loops<'c>, changes: impl Fn(usize) -> bool) -> Option<Self> {
        let body = loops.body?;
        let olds = (0..loops.outputs.len()).map(|i| loops.old_value(i));
        let olds: Vec<Val<'c>> = olds.collect::<Option<_>>()?;
        let changing = olds.iter().zip(0..).filter(|(_, i)| changes(*i));
        let changing: Vec<Val<'c>> = changing.map(|(old, _)| *old).collect();
        Some(Self {
            loops,
            body,
            dependent: dependents(body, &changing),
            olds,
            yielded: loops.yielded(),
        })
    }

    pub(super) fn independent(&self, value: Val<'c>) -> bool {
        !self.dependent.contains(&key(value))
    }

    /// Returns one list of crossing values for each possible partition of the body. A crossing
    /// value is a value of the `element` region that the combiner uses. In the first partition, the
    /// combiner contains only the ops that depend on old output values. In later partitions, the
    /// combiner also contains ops that do not depend on old output values. The second partition
    /// moves an op into the combiner if the op computes a crossing value whose type differs from
    /// the types of all old output values. Each later partition moves the last n ops that do not
    /// depend on old output values into the combiner, with n = 1, 2, and so on.
    pub(super) fn crossings(&self) -> Vec<Vec<Val<'c>>> {
        let computed = |op: &Op<'c>| {
            let results = results(*op).into_iter();
            let apart = |v: Val<'c>| self.independent(v) && loop_index(v).is_none();
            results.into_iter().all(apart) && !is(*op, "arith.constant")
        };
        let ops = slice(self.body, &self.yielded, |_| false);
        let ops: Vec<Op<'c>> = ops.into_iter().filter(computed).collect();
        let mut crossings = vec![self.crossing(&[])];
        let of_old_types = self.crossing(&self.of_other_types(&ops));
        let suffixes = (0..ops.len())
            .rev()
            .map(|first| self.crossing(&ops[first..]));
        for crossing in std::iter::once(of_old_types).chain(suffixes) {
            if crossing.len() <= self.olds.len() && !crossings.contains(&crossing) {
                crossings.push(crossing);
            }
        }
        crossings
    }

    /// Returns the ops that must be in the combiner although they do not depend on old output
    /// values: each op computes a crossing value whose type differs from the types of all old
    /// output values. Comparisons are an example.
    pub(super) fn of_other_types(&self, ops: &[Op<'c>]) -> Vec<Op<'c>> {
        let is_of_old_type = |v: &Val<'c>| self.olds.iter().any(|old| old.r#type() == v.r#type());
        let mut moved: Vec<Op<'c>> = Vec::new();
        loop {
            let crossing = self.crossing(&moved).into_iter();
            let mut others = crossing
                .filter(|v| !is_of_old_type(v))
                .filter_map(defining_op);
            match others.find(|op| ops.contains(op) && !moved.contains(op)) {
                Some(op) => moved.push(op),
                None => return moved,
            }
        }
    }

    /// Returns the crossing values in the order of the body: values of the element region that the
    /// combiner uses. The combiner contains the ops in `moved`, so their results are not crossing
    /// values. Constants are not crossing values.
    pub(super) fn crossing(&self, moved: &[Op<'c>]) -> Vec<Val<'c>> {
        let moved: Vec<usize> = moved.iter().flat_map(|op| results(*op)).map(key).collect();
        let is_element = |k| !self.dependent.contains(&k) && !moved.contains(&k);
        let ops = slice(self.body, &self.yielded, is_element);
        let used = ops.iter().flat_map(|op| free_values(*op));
        let mut found: Vec<Val<'c>> = Vec::new();
        for value in used.chain(self.yielded.iter().copied()) {
            if is_element(key(value)) && !is_constant(value) && !found.contains(&value) {
                found.push(value);
            }
        }
        let made: Vec<usize> = tx_mlir::ops(self.body)
            .into_iter()
            .flat_map(results)
            .map(key)
            .collect();
        found.sort_by_key(|v| match argument_of(*v) {
            Some((_, number)) => (0, number),
            None => (1, made.iter().position(|k| *k == key(*v)).unwrap_or(0)),
        });
        found
    }

    /// Returns the assignments of crossing values to outputs of equal type. A crossing value is a
    /// value of the `element` region that the combiner uses. Each assignment uses all crossing
    /// values. The assignments are sorted by the number of indices i for which output i receives
    /// crossing value i, greatest number first.
    pub(super) fn pairings(&self, crossing: &[Val<'c>]) -> Vec<Pairing<'c>> {
        let n = self.olds.len();
        let count = u32::try_from(n)
            .ok()
            .and_then(|n| crossing.len().checked_pow(n))
            .filter(|c| *c <= MAX_PAIRINGS);
        let mut codes: Vec<Vec<usize>> = match count {
            Some(count) => (0..count)
                .map(|code| {
                    let digit = |i: u32| code / crossing.len().pow(i) % crossing.len();
                    (0..).take(n).map(digit).collect()
                })
                .collect(),
            // If there are too many assignments, only the assignment that keeps the order is
            // tested.
            None => vec![(0..n).map(|i| i.min(crossing.len() - 1)).collect()],
        };
        codes.sort_by_key(|given| given.iter().zip(0..).filter(|(g, i)| **g != *i).count());
        codes
            .into_iter()
            .filter(|given| (0..crossing.len()).all(|c| given.contains(&c)))
            .filter(|given| {
                let pairs = given.iter().zip(&self.olds);
                pairs
                    .into_iter()
                    .all(|(c, old)| crossing[*c].r#type() == old.r#type())
            })
            .map(|given| self.pairing(crossing, &given))
            .collect()
    }

    pub(super) fn pairing(&self, crossing: &[Val<'c>], given: &[usize]) -> Pairing<'c> {
        let n = self.olds.len();
        let parts: Vec<Part<'c>> = (0..n)
            .map(|part| {
                let right = |c: usize| {
                    let first = given.iter().position(|g| *g == c).unwrap_or(0);
                    n + if given[part] == c { part } else { first }
                };
                let olds = self.olds.iter().copied().zip(0..);
                let crossing = crossing.iter().enumerate().map(|(c, v)| (*v, right(c)));
                Part::Body {
                    known: olds.chain(crossing).collect(),
                    root: self.yielded[part],
                }
            })
            .collect();
        Pairing {
            values: given.iter().map(|c| crossing[*c]).collect(),
            program: self.program(&parts),
            parts,
        }
    }

    pub(super) fn program(&self, parts: &[Part<'c>]) -> Option<Program> {
        let sorts: Vec<Sort> = self
            .olds
            .iter()
            .map(|v| sort_of(v.r#type()))
            .collect::<Option<_>>()?;
        let mut program = Program::new(&[&sorts[..], &sorts[..]].concat());
        for part in parts {
            if let Part::Body { known, root } = part {
                program.compute(self.body, known, *root)?;
            }
        }
        Some(program)
    }

    /// Returns the list of reduced loops if `value` is the index of the only reduced loop of the
    /// op.
    pub(super) fn counted(&self, value: Val<'c>) -> Option<&[usize]> {
        let mut value = value;
        while let Some(op) = defining_op(value).filter(|op| is_index_cast(*op)) {
            value = operands(op)[0];
        }
        let dim = loop_index(value)?;
        (self.loops.reduced == [dim]).then_some(&self.loops.reduced[..])
    }
}

fn is_index_cast(op: Op<'_>) -> bool {
    ["arith.index_cast", "arith.index_castui", "arith.trunci"]
        .into_iter()
        .any(|n| is(op, n))
}
