//! Analysis of the values that each thread of a block computes.
//!
//! The block size is static, so a value that depends only on thread ids and constants is known for
//! every thread. Conditions on thread ids become exact sets of threads, and indices become ranges.
//! For values that depend on unknown data, the analysis determines the widest scope whose threads
//! have equal values.

use crate::analysis::arithmetic::{fits, is_i1, result_classes, result_ranges, width};
use crate::analysis::classes::Class;
use crate::analysis::facts::{Fact, Range, either};
use crate::analysis::kernel::{Kernel, WARP_SIZE};
use crate::analysis::loops::{arguments, is_loop, is_structured, last_operands, same_trips, wraps};
use melior::ir::block::BlockLike;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_dialect_tile::Scope;
use tx_mlir::memref::Space;
use tx_mlir::{
    MemRef, Op, Val, argument_of, attribute, blocks, defining_op, is, key, name, only_computes,
    operands,
};

/// Analysis of the values of one kernel in each thread of a block.
pub(crate) struct Threads<'c> {
    pub(super) kernel: Kernel<'c>,
    pub(super) count: usize,
    /// Values that are assumed to be constant, paired with the constants.
    pub(super) assumed: Vec<(Val<'c>, i64)>,
    /// Known properties (facts) of analysed values; `None` while the analysis of a value is in
    /// progress.
    pub(super) facts: RefCell<BTreeMap<usize, Option<Fact>>>,
    /// Known properties (facts) of loop-carried values, with the loop as key. While the analysis of
    /// an outer loop iterates, the facts of an inner loop may become weaker but not stronger. The
    /// analysis of an inner loop therefore starts from its previous result.
    pub(super) carried: RefCell<BTreeMap<usize, CarriedFacts>>,
    pub(super) depth: Cell<u32>,
}

/// Facts (known properties) of the block arguments of a loop.
pub(super) type CarriedFacts = BTreeMap<usize, Fact>;

/// Maximum number of blocks along one dimension of a grid.
const MOST_BLOCKS: i64 = i32::MAX as i64;

/// Maximum recursion depth of the analysis. The limit on the recursion depth prevents a stack
/// overflow.
const DEEPEST: u32 = 400;

impl<'c> Threads<'c> {
    pub(crate) fn new(kernel: Kernel<'c>) -> Self {
        let count = usize::try_from(kernel.threads).unwrap_or(1);
        Self {
            kernel,
            count,
            assumed: Vec::new(),
            facts: RefCell::default(),
            carried: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// Returns an analysis under the additional assumption that `values` have the given constants
    /// in all threads.
    pub(crate) fn given(&self, values: &[(Val<'c>, i64)]) -> Self {
        let mut given = Self::new(self.kernel);
        given.assumed = [&self.assumed, values].concat();
        let known = given.assumed.iter();
        let facts = known
            .map(|(value, n)| (key(*value), Some(given.constant(*n))))
            .collect();
        given.facts = RefCell::new(facts);
        given
    }

    /// Returns the constant that `value` equals in all threads.
    pub(crate) fn number(&self, value: Val<'c>) -> Option<i64> {
        let ranges = self.fact(value).ranges?;
        let first = ranges.first()?.0;
        ranges
            .iter()
            .all(|range| *range == (first, first))
            .then_some(first)
    }

    pub(crate) fn kernel(&self) -> Kernel<'c> {
        self.kernel
    }

    pub(crate) fn fact(&self, value: Val<'c>) -> Fact {
        if let Some(known) = self.facts.borrow().get(&key(value)) {
            return known.clone().unwrap_or(Fact::unknown(Scope::Thread));
        }
        self.facts.borrow_mut().insert(key(value), None);
        self.depth.set(self.depth.get() + 1);
        let fact = match defining_op(value) {
            _ if self.depth.get() > DEEPEST => Fact::unknown(Scope::Thread),
            Some(op) => self.result(op, value),
            None => self.argument(value),
        };
        self.depth.set(self.depth.get() - 1);
        self.facts
            .borrow_mut()
            .insert(key(value), Some(fact.clone()));
        fact
    }

    /// Creates a fact (the known properties of a value) from the value's ranges in all threads. If
    /// the ranges prove that the values are equal in a scope wider than the argument `same`, the
    /// fact records the wider scope.
    pub(super) fn ranged(&self, ranges: Rc<[Range]>, same: Scope) -> Fact {
        let mut fact = Fact {
            same,
            ranges: Some(ranges),
            classes: None,
        };
        let Some(exact) = fact.exact() else {
            return fact;
        };
        for scope in [Scope::Warp, Scope::Warpgroup, Scope::Cta] {
            let size = usize::try_from(self.kernel.threads_of(scope)).unwrap_or(1);
            if scope > fact.same && exact.chunks(size).all(|g| g.iter().all(|v| *v == g[0])) {
                fact.same = scope;
            }
        }
        // The fact depends only on the code of the kernel, so the fact is true in every block.
        if fact.same == Scope::Cta {
            fact.same = Scope::Cluster;
        }
        fact
    }

    pub(super) fn per_thread(&self, value: impl Fn(i64) -> i64) -> Fact {
        let ranges = (0i64..)
            .take(self.count)
            .map(|t| (value(t), value(t)))
            .collect();
        self.ranged(ranges, Scope::Thread)
    }

    pub(super) fn anywhere_in(&self, range: Range, same: Scope) -> Fact {
        self.ranged(std::iter::repeat_n(range, self.count).collect(), same)
    }

    pub(super) fn constant(&self, value: i64) -> Fact {
        self.per_thread(|_| value)
    }

    /// Returns the widest scope in which each operand of an op has equal values in all threads;
    /// `facts` contains the known properties of the operands.
    pub(super) fn common(facts: &[Fact]) -> Scope {
        facts.iter().map(|f| f.same).min().unwrap_or(Scope::Cluster)
    }

    pub(super) fn argument(&self, value: Val<'c>) -> Fact {
        let Some((block, index)) = argument_of(value) else {
            return Fact::unknown(Scope::Thread);
        };
        let Some(owner) = block.parent_operation() else {
            return Fact::unknown(Scope::Thread);
        };
        if is(owner, "gpu.func") {
            // Kernel arguments are equal in all threads. Pointers to shared memory are equal within
            // a block.
            let entry = blocks(owner)
                .first()
                .is_some_and(|b| b.to_raw().ptr == block.to_raw().ptr);
            let shared = MemRef::of(value).is_some_and(|m| m.space != Space::Global);
            return Fact::unknown(match (entry, shared) {
                (true, false) => Scope::Cluster,
                (true, true) => Scope::Cta,
                (false, _) => Scope::Thread,
            });
        }
        if is(owner, "scf.for") && index == 0 {
            let bounds: Vec<Fact> = operands(owner)
                .into_iter()
                .take(3)
                .map(|v| self.fact(v))
                .collect();
            let same = Self::common(&bounds);
            let classes = self.counted(owner, value, &bounds);
            if wraps(owner, &bounds) {
                return Fact::unknown(same).with_classes(classes);
            }
            return match [&bounds[0].ranges, &bounds[1].ranges] {
                [Some(from), Some(to)] => {
                    let ranges = from.iter().zip(to.iter());
                    let ranges = ranges
                        .map(|(f, t)| (f.0, t.1.saturating_sub(1).max(f.0)))
                        .collect();
                    Fact {
                        same,
                        ranges: Some(ranges),
                        classes,
                    }
                }
                _ => Fact::unknown(same).with_classes(classes),
            };
        }
        let is_counted = is(owner, "scf.parallel") || is(owner, "affine.for") && index == 0;
        if is_counted {
            return Fact::unknown(self.together(owner));
        }
        if is_loop(owner) {
            self.carry(owner);
        }
        let known = self.facts.borrow().get(&key(value)).cloned();
        known
            .flatten()
            .unwrap_or_else(|| Fact::unknown(Scope::Thread))
    }

    /// Returns the known properties of a loop result. A loop result is the initial value, or the
    /// value that the last iteration yields. Threads whose trip counts are equal leave the loop
    /// after the same iteration.
    pub(super) fn outcome(&self, op: Op<'c>, result: usize) -> Fact {
        let bodies = blocks(op);
        let all: Vec<Val<'c>> = bodies.iter().flat_map(|body| arguments(*body)).collect();
        // Facts of one iteration do not hold for the last iteration.
        if all.iter().any(|value| self.is_given(*value)) {
            return Fact::unknown(Scope::Thread);
        }
        for carried in all {
            self.fact(carried);
        }
        let last: Vec<Vec<Val<'c>>> = bodies.iter().map(|body| last_operands(*body)).collect();
        let from: Vec<Val<'c>> = match last.as_slice() {
            [yielded] => {
                let begun = operands(op).get(3 + result).copied();
                begun
                    .into_iter()
                    .chain(yielded.get(result).copied())
                    .collect()
            }
            [condition, _] => condition.get(1 + result).copied().into_iter().collect(),
            _ => Vec::new(),
        };
        let facts: Vec<Fact> = from.into_iter().map(|value| self.fact(value)).collect();
        let Some((first, more)) = facts.split_first() else {
            return Fact::unknown(Scope::Thread);
        };
        let join = |one: Fact, other: &Fact| {
            let classes = either(&one, other);
            Fact::unknown(one.same.min(other.same)).with_classes(classes)
        };
        let mut fact = more.iter().fold(first.clone(), join);
        fact.same = fact.same.min(self.together(op));
        fact
    }

    /// Returns the widest scope whose threads execute equally many iterations of the loop `op`.
    pub(super) fn together(&self, op: Op<'c>) -> Scope {
        match name(op) {
            "scf.for" => {
                let bounds: Vec<Fact> = operands(op)
                    .into_iter()
                    .take(3)
                    .map(|v| self.fact(v))
                    .collect();
                if same_trips(&bounds) && !wraps(op, &bounds) {
                    Scope::Cluster
                } else {
                    Self::common(&bounds)
                }
            }
            "scf.while" => {
                let condition = tx_mlir::first_block(op, 0)
                    .map(last_operands)
                    .unwrap_or_default();
                condition
                    .first()
                    .map_or(Scope::Thread, |v| self.fact(*v).same)
            }
            // The trip count depends on all operands except the initial values, which are the last
            // operand group.
            "scf.parallel" | "affine.for" => {
                let groups = tx_mlir::operand_groups(op).unwrap_or_default();
                let counted = groups.split_last().map_or(&[][..], |(_, counted)| counted);
                let facts: Vec<Fact> = counted.iter().flatten().map(|v| self.fact(*v)).collect();
                if groups.is_empty() {
                    Scope::Thread
                } else {
                    Self::common(&facts)
                }
            }
            _ => Scope::Thread,
        }
    }

    pub(super) fn result(&self, op: Op<'c>, value: Val<'c>) -> Fact {
        let [bx, by, bz] = self.kernel.block;
        let dimension = || {
            tx_mlir::enumerator_of(op, "dimension")
                .and_then(|keyword| keyword.chars().next())
                .unwrap_or('x')
        };
        let position = || {
            tx_mlir::results(op)
                .iter()
                .position(|r| *r == value)
                .unwrap_or(0)
        };
        match name(op) {
            "arith.constant" => attribute(op, "value")
                .and_then(tx_mlir::integer_value)
                // `true` is 1 in this analysis, but -1 as a signed `i1`.
                .map(|n| if width(value) == 1 { n & 1 } else { n })
                .map_or_else(|| Fact::unknown(Scope::Cluster), |n| self.constant(n)),
            "gpu.thread_id" => self.thread_id(dimension()),
            "nvvm.read.ptx.sreg.tid.x" => self.thread_id('x'),
            "nvvm.read.ptx.sreg.tid.y" => self.thread_id('y'),
            "nvvm.read.ptx.sreg.tid.z" => self.thread_id('z'),
            "gpu.lane_id" | "nvvm.read.ptx.sreg.laneid" => self.per_thread(|t| t % WARP_SIZE),
            "gpu.subgroup_id" => self.per_thread(|t| t / WARP_SIZE),
            "gpu.subgroup_size" => self.constant(WARP_SIZE),
            "gpu.num_subgroups" => self.constant((self.kernel.threads + 31) / WARP_SIZE),
            "gpu.block_dim" => self.constant(match dimension() {
                'x' => bx,
                'y' => by,
                _ => bz,
            }),
            "gpu.grid_dim" => self.anywhere_in((1, MOST_BLOCKS), Scope::Cluster),
            "gpu.block_id" => self.anywhere_in((0, MOST_BLOCKS - 1), Scope::Cta),
            "gpu.cluster_id" | "gpu.cluster_dim" | "gpu.cluster_dim_blocks" => {
                Fact::unknown(Scope::Cluster)
            }
            "gpu.cluster_block_id" | "gpu.dynamic_shared_memory" | "memref.get_global" => {
                Fact::unknown(Scope::Cta)
            }
            _ if [
                "nctaid",
                "clusterid",
                "nclusterid",
                "cluster.nctaid",
                "cluster.nctarank",
            ]
            .iter()
            .any(|of_all| is_register(op, of_all)) =>
            {
                Fact::unknown(Scope::Cluster)
            }
            _ if ["ctaid", "cluster.ctaid", "cluster.ctarank"]
                .iter()
                .any(|of_block| is_register(op, of_block)) =>
            {
                Fact::unknown(Scope::Cta)
            }
            // A barrier reduction returns the same value to all threads of the block.
            "nvvm.barrier" if operands(op).len() == 1 => Fact::unknown(Scope::Cta),
            "arith.select" => self.select(op),
            // A conversion does not change a number that both types can represent. The sign
            // extension of `true` is an exception: `true` is 1 in this analysis, but sign extension
            // yields -1.
            "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui"
            | "arith.trunci" => {
                let source = operands(op)[0];
                let fact = self.fact(source);
                let signed = matches!(name(op), "arith.index_cast" | "arith.extsi");
                let (bits, misread) = (width(value), signed && is_i1(source));
                let kept =
                    |range: &Range| fits(*range, bits) && (range.0 >= 0 || signed) && !misread;
                match &fact.ranges {
                    Some(ranges) if ranges.iter().all(kept) => fact,
                    _ if misread => Fact::unknown(fact.same),
                    _ => {
                        let narrowest = bits.min(width(source));
                        let widened = signed && width(source) == narrowest;
                        let convert = |class: &Class| {
                            if widened {
                                *class
                            } else {
                                class.wrapped(narrowest)
                            }
                        };
                        let classes = fact.classes().map(|all| all.iter().map(convert).collect());
                        Fact::unknown(fact.same).with_classes(classes)
                    }
                }
            }
            // Threads that load from the same address get the same value if the loads and stores
            // happen in program order, which barriers guarantee. Private memory differs between
            // threads.
            "memref.load" => {
                let inputs = operands(op);
                let space = MemRef::of(inputs[0]).map_or(Space::Private, |m| m.space);
                let facts: Vec<Fact> = inputs.into_iter().map(|v| self.fact(v)).collect();
                // Blocks of a cluster may see writes of other blocks at different times.
                let most = match space {
                    Space::Private => Scope::Thread,
                    _ => Scope::Cta,
                };
                Fact::unknown(Self::common(&facts).min(most))
            }
            "memref.dim" => Fact::unknown(self.size(operands(op)[0])),
            "scf.for" | "scf.while" => self.outcome(op, position()),
            "scf.if" | "scf.index_switch" | "scf.execute_region" if is_structured(op) => {
                let mut facts: Vec<Fact> = blocks(op)
                    .into_iter()
                    .filter_map(|b| last_operands(b).get(position()).copied())
                    .map(|v| self.fact(v))
                    .collect();
                facts.extend(operands(op).into_iter().map(|v| self.fact(v)));
                Fact::unknown(Self::common(&facts))
            }
            // The second result of a shuffle, the validity flag, depends on the lane, even if the
            // shuffled value does not.
            "gpu.shuffle" | "gpu.rotate" if tx_mlir::results(op).get(1) == Some(&value) => {
                Fact::unknown(Scope::Thread)
            }
            "nvvm.shfl.sync" if attribute(op, "return_value_and_is_valid").is_some() => {
                Fact::unknown(Scope::Thread)
            }
            _ => self.arithmetic(op),
        }
    }

    /// Returns the widest scope in which a memref has equal sizes in all threads. The function
    /// ignores the offsets of a subview, because its sizes do not depend on its offsets.
    pub(super) fn size(&self, memref: Val<'c>) -> Scope {
        let Some(op) = defining_op(memref) else {
            return self.fact(memref).same;
        };
        let sizes = match name(op) {
            "memref.cast" => return self.size(operands(op)[0]),
            "memref.subview" => attribute(op, "operandSegmentSizes").and_then(tx_mlir::integers),
            _ => None,
        };
        let Some([one, offsets, count, _]) = sizes.as_deref() else {
            return self.fact(memref).same;
        };
        let (from, count) = (usize::try_from(one + offsets), usize::try_from(*count));
        let facts: Vec<Fact> = operands(op)
            .into_iter()
            .skip(from.unwrap_or(0))
            .take(count.unwrap_or(0))
            .map(|v| self.fact(v))
            .collect();
        Self::common(&facts)
    }

    pub(super) fn thread_id(&self, dimension: char) -> Fact {
        let [bx, by, _] = self.kernel.block;
        match dimension {
            'x' => self.per_thread(|t| t % bx),
            'y' => self.per_thread(|t| t / bx % by),
            _ => self.per_thread(|t| t / (bx * by)),
        }
    }

    pub(super) fn select(&self, op: Op<'c>) -> Fact {
        let facts: Vec<Fact> = operands(op).into_iter().map(|v| self.fact(v)).collect();
        let same = Self::common(&facts);
        let condition = facts[0].exact();
        let classes = either(&facts[1], &facts[2]);
        let (Some(yes), Some(no)) = (&facts[1].ranges, &facts[2].ranges) else {
            return Fact::unknown(same).with_classes(classes);
        };
        let pick = |t: usize| match condition.as_ref().map(|c| c[t]) {
            Some(0) => no[t],
            Some(_) => yes[t],
            None => (yes[t].0.min(no[t].0), yes[t].1.max(no[t].1)),
        };
        self.ranged((0..self.count).map(pick).collect(), same)
            .with_classes(classes)
    }

    /// Computes the fact (known properties) of the result of a binary integer op from the ranges of
    /// its operands. An op without side effects returns equal results for equal operands. The
    /// result of an op without operands has no known properties, because the op may read a special
    /// register whose value differs between threads.
    pub(super) fn arithmetic(&self, op: Op<'c>) -> Fact {
        let facts: Vec<Fact> = operands(op).into_iter().map(|v| self.fact(v)).collect();
        // A division that traps or is undefined also has equal results if its operands are equal.
        if facts.is_empty() || !only_computes(op) || !blocks(op).is_empty() {
            return Fact::unknown(Scope::Thread);
        }
        let same = Self::common(&facts);
        let ranges = result_ranges(op, &facts);
        let classes = result_classes(op, &facts, ranges.is_some());
        let fact = match ranges {
            Some(ranges) => self.ranged(ranges, same),
            None => Fact::unknown(same),
        };
        fact.with_classes(classes)
    }
}

/// Returns whether an op reads the special register `register`, or one dimension of this register.
fn is_register(op: Op<'_>, register: &str) -> bool {
    let rest = name(op).strip_prefix("nvvm.read.ptx.sreg.");
    let rest = rest.and_then(|rest| rest.strip_prefix(register));
    rest.is_some_and(|rest| rest.is_empty() || [".x", ".y", ".z"].contains(&rest))
}
