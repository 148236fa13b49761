//! Analysis of the values that each thread of a block computes.
//!
//! The block size is static, so a value that depends only on thread ids and constants is known for
//! every thread. Conditions on thread ids become exact sets of threads, and indices become ranges.
//! For values that depend on unknown data, the analysis determines the widest scope whose threads
//! have equal values.

use crate::analysis::classes::Class;
use crate::analysis::kernel::{Kernel, WARP_SIZE};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_dialect_tile::Scope;
use tx_mlir::memref::Space;
use tx_mlir::{
    Blk, MemRef, Op, Val, argument_of, attribute, blocks, defining_op, integers, is, key, name,
    only_computes, operands, ops, parent,
};

/// Minimum and maximum of a value in one thread.
pub(crate) type Range = (i64, i64);

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Widest scope whose threads have equal values when they reach the op together.
    pub(crate) same: Scope,
    /// Range of the value in each thread; `None` if unknown.
    pub(crate) ranges: Option<Rc<[Range]>>,
    /// Congruence class of the value in each thread; `None` if only the ranges are known.
    classes: Classes,
}

type Classes = Option<Rc<[Class]>>;

impl Fact {
    fn unknown(same: Scope) -> Self {
        Self {
            same,
            ranges: None,
            classes: None,
        }
    }

    fn with_classes(mut self, classes: Classes) -> Self {
        self.classes = classes;
        self
    }

    /// Returns the congruence class of each thread's value; `None` if every class contains all
    /// integers.
    pub(crate) fn classes(&self) -> Classes {
        let exact = || Some(self.exact()?.into_iter().map(Class::exactly).collect());
        self.classes.clone().or_else(exact)
    }

    /// Returns the exact value in each thread; `None` if a value is not exact.
    pub(crate) fn exact(&self) -> Option<Vec<i64>> {
        self.ranges
            .as_ref()?
            .iter()
            .map(|(lo, hi)| (lo == hi).then_some(*lo))
            .collect()
    }
}

#[derive(Clone)]
pub(crate) struct Active<'c> {
    /// Threads that may execute the op. Either all of these threads execute the op, or none does;
    /// if `split` is set, possibly only some of these threads execute the op.
    pub(crate) threads: ThreadSet,
    /// Branch or loop in which threads diverge, depending on unknown data.
    pub(crate) split: Option<Split<'c>>,
}

/// A branch or a loop in which threads may diverge.
#[derive(Clone, Copy)]
pub(crate) struct Split<'c> {
    pub(crate) op: Op<'c>,
    /// Widest scope whose threads always take the same path.
    pub(crate) together: Scope,
}

impl<'c> Active<'c> {
    pub(crate) fn splits(&self, scope: Scope) -> Option<Op<'c>> {
        self.split.filter(|s| s.together < scope).map(|s| s.op)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ThreadSet(Vec<bool>);

impl ThreadSet {
    pub(crate) fn all(threads: i64) -> Self {
        Self(vec![true; usize::try_from(threads).unwrap_or(0)])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> {
        (0i64..).zip(&self.0).filter(|(_, m)| **m).map(|(t, _)| t)
    }

    fn intersect(&mut self, keep: impl Fn(usize) -> bool) {
        for (t, member) in self.0.iter_mut().enumerate() {
            *member &= keep(t);
        }
    }

    /// Returns the nonempty groups of `size` consecutive threads, and whether each group is
    /// complete. The last group of the block is complete if it contains all remaining threads.
    pub(crate) fn groups(&self, size: i64) -> Vec<(i64, bool)> {
        let size = usize::try_from(size).unwrap_or(1).max(1);
        (0i64..)
            .zip(self.0.chunks(size))
            .filter(|(_, c)| c.iter().any(|m| *m))
            .map(|(g, c)| (g, c.iter().all(|m| *m)))
            .collect()
    }

    /// Returns the thread set as ascending half-open ranges.
    pub(crate) fn ranges(&self) -> Vec<(i64, i64)> {
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for t in self.iter() {
            match ranges.last_mut() {
                Some((_, end)) if *end == t => *end += 1,
                _ => ranges.push((t, t + 1)),
            }
        }
        ranges
    }
}

pub(crate) struct Threads<'c> {
    kernel: Kernel<'c>,
    count: usize,
    /// Values that are assumed to be constant, paired with the constants.
    assumed: Vec<(Val<'c>, i64)>,
    /// Known properties (facts) of analysed values; `None` while the analysis of a value is in
    /// progress.
    facts: RefCell<BTreeMap<usize, Option<Fact>>>,
    /// Known properties (facts) of loop-carried values, with the loop as key. Facts only become
    /// weaker while the analysis of an outer loop iterates, so the analysis of an inner loop starts
    /// from its previous result.
    carried: RefCell<BTreeMap<usize, Carried>>,
    depth: Cell<u32>,
}

/// Facts (known properties) of the block arguments of a loop.
type Carried = BTreeMap<usize, Fact>;

/// Maximum number of blocks along one dimension of a grid.
const MOST_BLOCKS: i64 = i32::MAX as i64;

/// Maximum depth of recursion, which bounds stack use.
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

    /// Creates a fact (known properties) with ranges. If the exact values are equal within a scope
    /// wider than `same`, the fact contains this wider scope instead of `same`.
    fn ranged(&self, ranges: Rc<[Range]>, same: Scope) -> Fact {
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

    fn per_thread(&self, value: impl Fn(i64) -> i64) -> Fact {
        let ranges = (0i64..)
            .take(self.count)
            .map(|t| (value(t), value(t)))
            .collect();
        self.ranged(ranges, Scope::Thread)
    }

    fn anywhere_in(&self, range: Range, same: Scope) -> Fact {
        self.ranged(std::iter::repeat_n(range, self.count).collect(), same)
    }

    fn constant(&self, value: i64) -> Fact {
        self.per_thread(|_| value)
    }

    /// Returns the widest scope whose threads have equal values of all operands.
    fn common(facts: &[Fact]) -> Scope {
        facts.iter().map(|f| f.same).min().unwrap_or(Scope::Cluster)
    }

    fn argument(&self, value: Val<'c>) -> Fact {
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

    /// Returns the congruence classes of the induction variable of an `scf.for`: the lower bound
    /// plus a multiple of the step.
    fn counted(&self, op: Op<'c>, index: Val<'c>, bounds: &[Fact]) -> Classes {
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

    /// Computes facts of the loop-carried values of a loop by fixed-point iteration. The
    /// fixed-point iteration starts with the facts of the initial values, and weakens these facts
    /// until the yielded values satisfy them.
    fn carry(&self, op: Op<'c>) {
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
        // Facts of one iteration do not hold for the previous iterations that produced the carried
        // values.
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
    fn begun(&self, edges: &[(Val<'c>, Val<'c>)]) -> Carried {
        let mut begun = Carried::new();
        for (to, from) in edges {
            let classes = self.fact(*from).classes();
            let fact = Fact::unknown(Scope::Cluster).with_classes(classes);
            // The condition region of an `scf.while` may forward its arguments.
            self.facts.borrow_mut().insert(key(*to), Some(fact.clone()));
            begun.insert(key(*to), fact);
        }
        begun
    }

    fn is_given(&self, value: Val<'c>) -> bool {
        self.assumed.iter().any(|(given, _)| *given == value)
    }

    /// Returns the known properties of a loop result, which is the initial value or the value that
    /// the last iteration yields. Threads with equal trip counts leave the loop in the same
    /// iteration.
    fn outcome(&self, op: Op<'c>, result: usize) -> Fact {
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

    /// Returns the widest scope whose threads execute a loop equally often.
    fn together(&self, op: Op<'c>) -> Scope {
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

    fn result(&self, op: Op<'c>, value: Val<'c>) -> Fact {
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
            // Conversions keep a number that both types can represent. `true` is 1 in this
            // analysis, but sign extension yields -1.
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

    /// Returns the widest scope in which a memref has equal sizes in all threads. Sizes do not
    /// depend on the offset of a view.
    fn size(&self, memref: Val<'c>) -> Scope {
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

    fn thread_id(&self, dimension: char) -> Fact {
        let [bx, by, _] = self.kernel.block;
        match dimension {
            'x' => self.per_thread(|t| t % bx),
            'y' => self.per_thread(|t| t / bx % by),
            _ => self.per_thread(|t| t / (bx * by)),
        }
    }

    fn select(&self, op: Op<'c>) -> Fact {
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

    /// Computes the fact of a binary integer op from ranges. If an op has no side effects, equal
    /// operands give equal results. An op without operands may read a thread-dependent register.
    fn arithmetic(&self, op: Op<'c>) -> Fact {
        let facts: Vec<Fact> = operands(op).into_iter().map(|v| self.fact(v)).collect();
        // A division that traps or is undefined also has equal results if its operands are equal.
        if facts.is_empty() || !only_computes(op) || !blocks(op).is_empty() {
            return Fact::unknown(Scope::Thread);
        }
        let same = Self::common(&facts);
        let ranges = Self::computed(op, &facts);
        let classes = computed_classes(op, &facts, ranges.is_some());
        let fact = match ranges {
            Some(ranges) => self.ranged(ranges, same),
            None => Fact::unknown(same),
        };
        fact.with_classes(classes)
    }

    /// Returns the result ranges of a binary integer op; `None` if the result may wrap around.
    fn computed(op: Op<'c>, facts: &[Fact]) -> Option<Rc<[Range]>> {
        let [left, right] = facts else {
            return None;
        };
        let (left, right) = (left.ranges.as_ref()?, right.ranges.as_ref()?);
        let result = tx_mlir::results(op)[0];
        let predicate = attribute(op, "predicate")
            .and_then(|a| IntegerAttribute::try_from(a).ok())
            .map_or(-1, |a| a.value());
        // `true` is 1 in this analysis, but -1 as a signed `i1`.
        let signed =
            (2..=5).contains(&predicate) || matches!(name(op), "arith.minsi" | "arith.maxsi");
        if signed && operands(op).first().is_some_and(|v| is_i1(*v)) {
            return None;
        }
        let bits = width(result);
        let combine = combination(name(op), predicate);
        left.iter()
            .zip(right.iter())
            .map(|(l, r)| {
                // Narrow integers may wrap around.
                combine(*l, *r).filter(|range| fits(*range, bits))
            })
            .collect()
    }

    pub(crate) fn active(&self, op: Op<'c>) -> Active<'c> {
        let mut threads = ThreadSet::all(self.kernel.threads);
        let mut split: Option<Split<'c>> = None;
        let mut inner = op;
        while let Some(outer) = parent(inner) {
            if outer == self.kernel.op {
                break;
            }
            // Returns the widest scope whose threads take the same path through `outer`.
            let together = match name(outer) {
                "scf.if" | "scf.index_switch" => self.narrow(&mut threads, outer, inner),
                "scf.execute_region" if is_structured(outer) => Scope::Cluster,
                // Regions of a reduction execute in all threads.
                "tile.reduce" | "tile.all_reduce" => Scope::Cluster,
                _ => self.together(outer),
            };
            if together < split.map_or(Scope::Cluster, |s| s.together) {
                split = Some(Split {
                    op: outer,
                    together,
                });
            }
            inner = outer;
        }
        if blocks(self.kernel.op).len() > 1 {
            split = Some(Split {
                op: self.kernel.op,
                together: Scope::Thread,
            });
        }
        Active { threads, split }
    }

    /// Removes the threads that cannot execute the branch arm that contains an op. Returns the
    /// widest scope in which either all remaining threads execute the arm, or none of them does.
    fn narrow(&self, threads: &mut ThreadSet, branch: Op<'c>, inside: Op<'c>) -> Scope {
        let condition = self.fact(operands(branch)[0]);
        let own = inside.block().map(|b| b.to_raw().ptr);
        let arm = blocks(branch)
            .iter()
            .position(|arm| Some(arm.to_raw().ptr) == own)
            .unwrap_or(0);
        if let Some(ranges) = &condition.ranges {
            let cases = match is(branch, "scf.if") {
                true => vec![1],
                false => attribute(branch, "cases")
                    .and_then(integers)
                    .unwrap_or_default(),
            };
            // An `scf.if` executes its first region if the condition is 1. The first region of an
            // `scf.index_switch` is the region of the default case.
            let own = match is(branch, "scf.if") {
                true => cases.get(arm),
                false => arm.checked_sub(1).and_then(|arm| cases.get(arm)),
            };
            threads.intersect(|t| match (own, ranges[t]) {
                (Some(own), (least, most)) => least <= *own && *own <= most,
                (None, (least, most)) => least != most || !cases.contains(&least),
            });
        }
        if condition.exact().is_some() {
            Scope::Cluster
        } else {
            condition.same
        }
    }
}

/// Combines the congruence classes of two values in each thread; `None` if every resulting class
/// contains all integers.
fn combined(left: &Fact, right: &Fact, combine: impl Fn(Class, Class) -> Class) -> Classes {
    let (left, right) = (left.classes(), right.classes());
    let count = left.as_ref().or(right.as_ref())?.len();
    let of = |classes: &Classes, t: usize| classes.as_ref().map_or(Class::ANY, |all| all[t]);
    let all: Rc<[Class]> = (0..count)
        .map(|t| combine(of(&left, t), of(&right, t)))
        .collect();
    Some(all).filter(|all| all.iter().any(|class| *class != Class::ANY))
}

/// Returns the congruence classes of a value that equals one of two given values.
fn either(left: &Fact, right: &Fact) -> Classes {
    combined(left, right, Class::join)
}

/// `stays` is set if the op does not wrap around.
fn computed_classes(op: Op<'_>, facts: &[Fact], stays: bool) -> Classes {
    let combine = match name(op) {
        "arith.addi" => Class::plus,
        "arith.subi" => Class::minus,
        "arith.muli" => Class::times,
        "arith.shli" => Class::shifted,
        _ => return None,
    };
    let [left, right] = facts else {
        return None;
    };
    let bits = width(tx_mlir::results(op)[0]);
    let stays = stays || tx_mlir::has_flag(op, "overflowFlags", "nsw");
    combined(left, right, |left, right| {
        let class = combine(left, right);
        if stays { class } else { class.wrapped(bits) }
    })
}

/// Returns whether an `scf.for` compares its bounds as unsigned integers.
pub(crate) fn counts_unsigned(op: Op<'_>) -> bool {
    attribute(op, "unsignedCmp").is_some()
}

/// Returns whether an unsigned loop may count past the largest signed integer; ranges cannot
/// represent larger integers.
fn wraps(op: Op<'_>, bounds: &[Fact]) -> bool {
    let mut all = bounds.iter().filter_map(|fact| fact.ranges.as_ref());
    counts_unsigned(op) && all.any(|ranges| ranges.iter().any(|range| range.0 < 0))
}

/// Returns whether an op has structured control flow, unlike an `scf.execute_region` with several
/// blocks.
fn is_structured(op: Op<'_>) -> bool {
    !is(op, "scf.execute_region") || blocks(op).len() == 1
}

/// Returns whether an op is a loop whose carried values are analysed.
fn is_loop(op: Op<'_>) -> bool {
    matches!(name(op), "scf.for" | "scf.while")
}

fn key_of(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}

pub(crate) fn arguments(block: Blk<'_>) -> Vec<Val<'_>> {
    let all = (0..block.argument_count()).filter_map(|n| block.argument(n).ok());
    all.map(Into::into).collect()
}

pub(crate) fn last_operands(block: Blk<'_>) -> Vec<Val<'_>> {
    ops(block)
        .last()
        .map(|op| operands(*op))
        .unwrap_or_default()
}

/// Returns whether an op reads the special register `register`, or one dimension of it.
fn is_register(op: Op<'_>, register: &str) -> bool {
    let rest = name(op).strip_prefix("nvvm.read.ptx.sreg.");
    let rest = rest.and_then(|rest| rest.strip_prefix(register));
    rest.is_some_and(|rest| rest.is_empty() || [".x", ".y", ".z"].contains(&rest))
}

/// Returns the number of bits of an integer type, or 64 for `index`.
fn width(value: Val<'_>) -> u32 {
    use melior::ir::ValueLike as _;
    tx_mlir::integer_width(value.r#type()).unwrap_or(64)
}

/// Returns whether a signed integer of `bits` bits can represent all numbers of a range.
fn fits(range: Range, bits: u32) -> bool {
    match bits {
        1 => range.0 >= 0 && range.1 <= 1,
        64.. => true,
        bits => range.0 >= -(1 << (bits - 1)) && range.1 < (1 << (bits - 1)),
    }
}

fn is_i1(value: Val<'_>) -> bool {
    use melior::ir::ValueLike as _;
    tx_mlir::integer_width(value.r#type()) == Some(1)
}

/// Returns whether all threads have equal trip counts although the bounds differ.
fn same_trips(bounds: &[Fact]) -> bool {
    let exact: Option<Vec<Vec<i64>>> = bounds.iter().map(Fact::exact).collect();
    let Some(exact) = exact else { return false };
    let trips = |t: usize| {
        // The difference of 64-bit bounds may need more than 64 bits.
        let [from, to, step] = [0, 1, 2].map(|bound| i128::from(exact[bound][t]));
        ((to - from).max(0) + step.max(1) - 1) / step.max(1)
    };
    (0..exact[0].len()).all(|t| trips(t) == trips(0))
}

/// Returns the minimum and maximum of `f` at the corners of two ranges.
fn corners(l: Range, r: Range, f: fn(i64, i64) -> Option<i64>) -> Option<Range> {
    let all = [f(l.0, r.0)?, f(l.0, r.1)?, f(l.1, r.0)?, f(l.1, r.1)?];
    Some((*all.iter().min()?, *all.iter().max()?))
}

/// Returns the function that computes the result range of `op` from two operand ranges. The
/// returned function returns `None` if the result range is unknown.
fn combination(op: &str, predicate: i64) -> Box<dyn Fn(Range, Range) -> Option<Range>> {
    fn exactly(f: fn(i64, i64) -> i64) -> impl Fn(Range, Range) -> Option<Range> {
        move |l, r| (l.0 == l.1 && r.0 == r.1).then(|| (f(l.0, r.0), f(l.0, r.0)))
    }
    fn of_naturals(
        f: impl Fn(Range, Range) -> Option<Range>,
    ) -> impl Fn(Range, Range) -> Option<Range> {
        move |l, r| (l.0 >= 0 && r.0 >= 0).then(|| f(l, r)).flatten()
    }
    match op {
        "arith.addi" => Box::new(|l, r| corners(l, r, i64::checked_add)),
        "arith.subi" => Box::new(|l, r| corners(l, r, i64::checked_sub)),
        "arith.muli" => Box::new(|l, r| corners(l, r, i64::checked_mul)),
        "arith.divui" | "arith.divsi" | "arith.floordivsi" => Box::new(of_naturals(|l, r| {
            (r.0 > 0).then(|| corners(l, r, i64::checked_div)).flatten()
        })),
        "arith.ceildivui" | "arith.ceildivsi" => Box::new(of_naturals(|l, r| {
            let divide = |a: i64, b: i64| Some(a.checked_add(b - 1)? / b);
            (r.0 > 0).then(|| corners(l, r, divide)).flatten()
        })),
        "arith.remui" | "arith.remsi" => Box::new(of_naturals(|l, r| match r.0 > 0 {
            true if r.0 == r.1 && l.0 / r.0 == l.1 / r.0 => Some((l.0 % r.0, l.1 % r.0)),
            true => Some((0, (r.1 - 1).min(l.1))),
            false => None,
        })),
        "arith.minui" | "arith.minsi" => {
            Box::new(of_naturals(|l, r| Some((l.0.min(r.0), l.1.min(r.1)))))
        }
        "arith.maxui" | "arith.maxsi" => {
            Box::new(of_naturals(|l, r| Some((l.0.max(r.0), l.1.max(r.1)))))
        }
        "arith.andi" => {
            let same = exactly(|l, r| l & r);
            let any = of_naturals(|l, r| Some((0, l.1.min(r.1))));
            Box::new(move |l, r| same(l, r).or_else(|| any(l, r)))
        }
        "arith.ori" => Box::new(exactly(|l, r| l | r)),
        "arith.xori" => Box::new(exactly(|l, r| l ^ r)),
        "arith.shli" => Box::new(of_naturals(|l, r| {
            (r.1 < 32 && l.1 < (1 << 31)).then(|| (l.0 << r.0, l.1 << r.1))
        })),
        "arith.shrui" | "arith.shrsi" => Box::new(of_naturals(|l, r| {
            (r.1 < 63).then(|| (l.0 >> r.1, l.1 >> r.0))
        })),
        "arith.cmpi" => Box::new(move |l, r| compare(predicate, l, r)),
        _ => Box::new(|_, _| None),
    }
}

/// Returns the range of a comparison result: 0, 1 or both.
fn compare(predicate: i64, l: Range, r: Range) -> Option<Range> {
    let unsigned = predicate >= 6;
    if unsigned && (l.0 < 0 || r.0 < 0) {
        return None;
    }
    // Two pairs of flags, for `l < r` and for `l <= r`: whether the comparison is always true, and
    // whether the comparison is always false.
    let less = (l.1 < r.0, l.0 >= r.1);
    let less_equal = (l.1 <= r.0, l.0 > r.1);
    let equal = (l.0 == l.1 && l == r, l.1 < r.0 || r.1 < l.0);
    let (always, never) = match predicate {
        0 => equal,
        1 => (equal.1, equal.0),
        2 | 6 => less,
        3 | 7 => less_equal,
        4 | 8 => (less_equal.1, less_equal.0),
        5 | 9 => (less.1, less.0),
        _ => return None,
    };
    Some(match (always, never) {
        (true, _) => (1, 1),
        (_, true) => (0, 0),
        _ => (0, 1),
    })
}
