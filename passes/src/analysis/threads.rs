//! What each thread of a block computes.
//!
//! The block size is known, so a value that is computed from thread ids and constants is known
//! for every thread: conditions on ids become exact sets of threads, and indices become ranges.
//! What comes from elsewhere is at least known to be the same for all threads of a block, or not.

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
    Blk, MemRef, Op, Val, argument_of, attribute, blocks, defining_op, is, is_pure, key, name,
    operands, ops, parent,
};

/// Smallest and largest value that one thread may see.
pub(crate) type Range = (i64, i64);

/// What is known of a value.
#[derive(Clone)]
pub(crate) struct Fact {
    /// The widest scope whose threads see one value whenever they get there together.
    pub(crate) same: Scope,
    /// For each thread the range of values; `None` when nothing is known.
    pub(crate) ranges: Option<Rc<[Range]>>,
}

impl Fact {
    fn unknown(same: Scope) -> Self {
        Self { same, ranges: None }
    }

    /// The exact value of each thread.
    pub(crate) fn exact(&self) -> Option<Vec<i64>> {
        self.ranges
            .as_ref()?
            .iter()
            .map(|(lo, hi)| (lo == hi).then_some(*lo))
            .collect()
    }
}

/// The threads that execute an op.
#[derive(Clone)]
pub(crate) struct Active<'c> {
    /// Exactly these or none of them; with `split`, some of these.
    pub(crate) threads: ThreadSet,
    /// What lets through threads by data that is not known.
    pub(crate) split: Option<Split<'c>>,
}

/// A branch or a loop that threads may take differently.
#[derive(Clone, Copy)]
pub(crate) struct Split<'c> {
    /// The op.
    pub(crate) op: Op<'c>,
    /// Threads of this scope take it together.
    pub(crate) together: Scope,
}

impl<'c> Active<'c> {
    /// What splits threads of one group of `scope`.
    pub(crate) fn splits(&self, scope: Scope) -> Option<Op<'c>> {
        self.split.filter(|s| s.together < scope).map(|s| s.op)
    }
}

/// A set of threads of one block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ThreadSet(Vec<bool>);

impl ThreadSet {
    /// All threads of a block.
    pub(crate) fn all(threads: i64) -> Self {
        Self(vec![true; usize::try_from(threads).unwrap_or(0)])
    }

    /// The members, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> {
        (0i64..).zip(&self.0).filter(|(_, m)| **m).map(|(t, _)| t)
    }

    fn intersect(&mut self, keep: impl Fn(usize) -> bool) {
        for (t, member) in self.0.iter_mut().enumerate() {
            *member &= keep(t);
        }
    }

    /// The groups of `size` consecutive threads that have members, and whether each is complete
    /// (as far as its threads exist).
    pub(crate) fn groups(&self, size: i64) -> Vec<(i64, bool)> {
        let size = usize::try_from(size).unwrap_or(1).max(1);
        (0i64..)
            .zip(self.0.chunks(size))
            .filter(|(_, c)| c.iter().any(|m| *m))
            .map(|(g, c)| (g, c.iter().all(|m| *m)))
            .collect()
    }

    /// The set as ascending half-open ranges.
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

/// The analysis of one kernel.
pub(crate) struct Threads<'c> {
    kernel: Kernel<'c>,
    count: usize,
    /// Values that are taken to be one number.
    assumed: Vec<(Val<'c>, i64)>,
    /// What is known; nothing yet where a question is being answered.
    facts: RefCell<BTreeMap<usize, Option<Fact>>>,
    /// How deep the question being answered is nested in others.
    depth: Cell<u32>,
}

/// Chains of ops longer than this are not followed: the stack is finite.
const DEEPEST: u32 = 400;

impl<'c> Threads<'c> {
    pub(crate) fn new(kernel: Kernel<'c>) -> Self {
        let count = usize::try_from(kernel.threads).unwrap_or(1);
        Self {
            kernel,
            count,
            assumed: Vec::new(),
            facts: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// The same where these values are one number for all threads, beside those that are taken to be so here.
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

    /// What `value` is for all threads, where that is one number.
    pub(crate) fn number(&self, value: Val<'c>) -> Option<i64> {
        let ranges = self.fact(value).ranges?;
        let first = ranges.first()?.0;
        ranges
            .iter()
            .all(|range| *range == (first, first))
            .then_some(first)
    }

    /// The kernel.
    pub(crate) fn kernel(&self) -> Kernel<'c> {
        self.kernel
    }

    /// What is known of `value`.
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

    /// A fact with ranges; `same` is what is known beside them.
    fn ranged(&self, ranges: Rc<[Range]>, same: Scope) -> Fact {
        let mut fact = Fact {
            same,
            ranges: Some(ranges),
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
        // It follows from what is known here alone, which is the same in every block.
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

    fn constant(&self, value: i64) -> Fact {
        self.per_thread(|_| value)
    }

    /// What threads have in common when they compute something from values alone.
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
            // Kernel arguments are the same for everybody; pointers to shared memory for a block.
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
            if wraps(owner, &bounds) {
                return Fact::unknown(same);
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
                    }
                }
                _ => Fact::unknown(same),
            };
        }
        if matches!(name(owner), "scf.for" | "scf.while") {
            self.carry(owner);
        }
        let known = self.facts.borrow().get(&key(value)).cloned();
        known
            .flatten()
            .unwrap_or_else(|| Fact::unknown(Scope::Thread))
    }

    /// Finds out what threads have in common of all that a loop carries: as much as where it begins, as long as nothing that it hands on has less.
    fn carry(&self, op: Op<'c>) {
        // What stands before the loop is found out once, and not anew for each thing that is tried of it.
        for outside in operands(op) {
            self.fact(outside);
        }
        // What is being asked may depend on what the loop carries: it is asked again.
        let mut before = self.facts.borrow().clone();
        before.retain(|_, fact| fact.is_some());
        let bodies = blocks(op);
        let arguments: Vec<Vec<Val<'c>>> = bodies.iter().map(|body| arguments(*body)).collect();
        let last: Vec<Vec<Val<'c>>> = bodies.iter().map(|body| last_operands(*body)).collect();
        // Each argument with what it is given at first, and in later rounds.
        let skip =
            |values: &[Val<'c>], n: usize| values.iter().skip(n).copied().collect::<Vec<_>>();
        let edges: Vec<(Vec<Val<'c>>, Vec<Val<'c>>)> = match (arguments.as_slice(), last.as_slice())
        {
            ([own], [yielded]) => vec![
                (skip(own, 1), skip(&operands(op), 3)),
                (skip(own, 1), yielded.clone()),
            ],
            ([tested, handed_on], [condition, yielded]) => vec![
                (tested.clone(), operands(op)),
                (handed_on.clone(), skip(condition, 1)),
                (tested.clone(), yielded.clone()),
            ],
            _ => return,
        };
        let edges: Vec<(Val<'c>, Val<'c>)> = edges
            .into_iter()
            .flat_map(|(to, from)| to.into_iter().zip(from))
            .collect();
        let is_given = |value: &Val<'c>| self.assumed.iter().any(|(given, _)| given == value);
        let edges: Vec<_> = edges.into_iter().filter(|(to, _)| !is_given(to)).collect();
        let mut common: BTreeMap<usize, Scope> = edges
            .iter()
            .map(|(to, _)| (key(*to), Scope::Cluster))
            .collect();
        loop {
            let assumed = common
                .iter()
                .map(|(value, same)| (*value, Some(Fact::unknown(*same))));
            *self.facts.borrow_mut() = before.clone().into_iter().chain(assumed).collect();
            let together = self.together(op);
            let mut next = common.clone();
            for (to, from) in &edges {
                let least = self.fact(*from).same.min(together);
                next.entry(key(*to))
                    .and_modify(|same| *same = (*same).min(least));
            }
            if next == common {
                return;
            }
            common = next;
        }
    }

    /// Threads of this scope run a loop equally often.
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
            _ => Scope::Thread,
        }
    }

    fn result(&self, op: Op<'c>, value: Val<'c>) -> Fact {
        let [bx, by, bz] = self.kernel.block;
        let dimension = || {
            attribute(op, "dimension")
                .map(|a| a.to_string())
                .and_then(|t| t.trim_end_matches('>').chars().last())
                .unwrap_or('x')
        };
        match name(op) {
            "arith.constant" => attribute(op, "value")
                .and_then(|a| {
                    let text = a.to_string();
                    match text.as_str() {
                        "true" => Some(1),
                        "false" => Some(0),
                        _ => IntegerAttribute::try_from(a).ok().map(|i| i.value()),
                    }
                })
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
            "gpu.grid_dim" | "gpu.cluster_id" | "gpu.cluster_dim" | "gpu.cluster_dim_blocks" => {
                Fact::unknown(Scope::Cluster)
            }
            "gpu.block_id"
            | "gpu.cluster_block_id"
            | "gpu.dynamic_shared_memory"
            | "memref.get_global" => Fact::unknown(Scope::Cta),
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
            // What a barrier combines of its threads, all of them are given.
            "nvvm.barrier" if operands(op).len() == 1 => Fact::unknown(Scope::Cta),
            "arith.select" => self.select(op),
            // Conversions keep a number that is in range of both types; `true` is 1 here, and
            // sign extension would make it -1.
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
                    _ => Fact::unknown(fact.same),
                }
            }
            // The same address is read by all: the same value, as long as program order holds,
            // which is what synchronisation is for. Private memory is another for each thread.
            "memref.load" => {
                let inputs = operands(op);
                let space = MemRef::of(inputs[0]).map_or(Space::Private, |m| m.space);
                let facts: Vec<Fact> = inputs.into_iter().map(|v| self.fact(v)).collect();
                // What blocks of a cluster wrote, others of it may see late.
                let most = match space {
                    Space::Private => Scope::Thread,
                    _ => Scope::Cta,
                };
                Fact::unknown(Self::common(&facts).min(most))
            }
            "memref.dim" => Fact::unknown(self.size(operands(op)[0])),
            "scf.if" => {
                let position = tx_mlir::results(op)
                    .iter()
                    .position(|r| *r == value)
                    .unwrap_or(0);
                let mut facts: Vec<Fact> = blocks(op)
                    .into_iter()
                    .filter_map(|b| operands(*tx_mlir::ops(b).last()?).get(position).copied())
                    .map(|v| self.fact(v))
                    .collect();
                facts.push(self.fact(operands(op)[0]));
                Fact::unknown(Self::common(&facts))
            }
            // Whether a lane got another's value depends on the lane, whatever the value.
            "gpu.shuffle" | "gpu.rotate" if tx_mlir::results(op).get(1) == Some(&value) => {
                Fact::unknown(Scope::Thread)
            }
            "nvvm.shfl.sync" if attribute(op, "return_value_and_is_valid").is_some() => {
                Fact::unknown(Scope::Thread)
            }
            _ => self.arithmetic(op),
        }
    }

    /// What threads have in common of the sizes of a memref, which do not depend on where a view
    /// begins.
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
        let (Some(yes), Some(no)) = (&facts[1].ranges, &facts[2].ranges) else {
            return Fact::unknown(same);
        };
        let condition = facts[0].exact();
        let pick = |t: usize| match condition.as_ref().map(|c| c[t]) {
            Some(0) => no[t],
            Some(_) => yes[t],
            None => (yes[t].0.min(no[t].0), yes[t].1.max(no[t].1)),
        };
        self.ranged((0..self.count).map(pick).collect(), same)
    }

    /// Two-operand integer arithmetic on ranges. Anything else that is computed from values alone
    /// is the same where they are; what has no operands may ask the hardware who it is.
    fn arithmetic(&self, op: Op<'c>) -> Fact {
        let facts: Vec<Fact> = operands(op).into_iter().map(|v| self.fact(v)).collect();
        if facts.is_empty() || !is_pure(op) || !blocks(op).is_empty() {
            return Fact::unknown(Scope::Thread);
        }
        let same = Self::common(&facts);
        let [
            Fact {
                ranges: Some(left), ..
            },
            Fact {
                ranges: Some(right),
                ..
            },
        ] = facts.as_slice()
        else {
            return Fact::unknown(same);
        };
        let result = tx_mlir::results(op)[0];
        let predicate = attribute(op, "predicate")
            .and_then(|a| IntegerAttribute::try_from(a).ok())
            .map_or(-1, |a| a.value());
        // `true` is 1 here, and -1 as a signed number.
        let signed =
            (2..=5).contains(&predicate) || matches!(name(op), "arith.minsi" | "arith.maxsi");
        if signed && operands(op).first().is_some_and(|v| is_i1(*v)) {
            return Fact::unknown(same);
        }
        let bits = width(result);
        let combine = combination(name(op), predicate);
        let ranges: Option<Rc<[Range]>> = left
            .iter()
            .zip(right.iter())
            .map(|(l, r)| {
                // Arithmetic of narrow integers wraps around.
                combine(*l, *r).filter(|range| fits(*range, bits))
            })
            .collect();
        match ranges {
            Some(ranges) => self.ranged(ranges, same),
            None => Fact::unknown(same),
        }
    }

    /// The threads that execute `op`.
    pub(crate) fn active(&self, op: Op<'c>) -> Active<'c> {
        let mut threads = ThreadSet::all(self.kernel.threads);
        let mut split: Option<Split<'c>> = None;
        let mut inner = op;
        while let Some(outer) = parent(inner) {
            if outer == self.kernel.op {
                break;
            }
            // Threads of this scope go one way.
            let together = match name(outer) {
                "scf.if" => {
                    let condition = self.fact(operands(outer)[0]);
                    let in_then = inner.block().map(|b| b.to_raw().ptr)
                        == blocks(outer).first().map(|b| b.to_raw().ptr);
                    if let Some(ranges) = &condition.ranges {
                        let other = i64::from(!in_then);
                        threads.intersect(|t| ranges[t] != (other, other));
                    }
                    if condition.exact().is_some() {
                        Scope::Cluster
                    } else {
                        condition.same
                    }
                }
                "scf.for" | "scf.while" => self.together(outer),
                // Combiners.
                "tile.reduce" | "tile.all_reduce" => Scope::Cluster,
                _ => Scope::Thread,
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
}

/// Whether an `scf.for` compares its bounds as unsigned numbers, of which a negative one is huge.
pub(crate) fn counts_unsigned(op: Op<'_>) -> bool {
    attribute(op, "unsignedCmp").is_some()
}

/// Whether a loop may count past the largest signed number, which ranges do not know of.
fn wraps(op: Op<'_>, bounds: &[Fact]) -> bool {
    let mut all = bounds.iter().filter_map(|fact| fact.ranges.as_ref());
    counts_unsigned(op) && all.any(|ranges| ranges.iter().any(|range| range.0 < 0))
}

/// The arguments of a block.
pub(crate) fn arguments(block: Blk<'_>) -> Vec<Val<'_>> {
    let all = (0..block.argument_count()).filter_map(|n| block.argument(n).ok());
    all.map(Into::into).collect()
}

/// What the last op of a block hands on.
pub(crate) fn last_operands(block: Blk<'_>) -> Vec<Val<'_>> {
    ops(block)
        .last()
        .map(|op| operands(*op))
        .unwrap_or_default()
}

/// Whether an op reads a special register of this name, or one dimension of it.
fn is_register(op: Op<'_>, register: &str) -> bool {
    let rest = name(op).strip_prefix("nvvm.read.ptx.sreg.");
    let rest = rest.and_then(|rest| rest.strip_prefix(register));
    rest.is_some_and(|rest| rest.is_empty() || [".x", ".y", ".z"].contains(&rest))
}

/// Bits of an integer; of an index, 64.
fn width(value: Val<'_>) -> u32 {
    use melior::ir::ValueLike as _;
    tx_mlir::integer_width(value.r#type()).unwrap_or(64)
}

/// Whether all numbers of a range can be written in so many bits.
fn fits(range: Range, bits: u32) -> bool {
    match bits {
        1 => range.0 >= 0 && range.1 <= 1,
        64.. => true,
        bits => range.0 >= -(1 << (bits - 1)) && range.1 < (1 << (bits - 1)),
    }
}

fn is_i1(value: Val<'_>) -> bool {
    use melior::ir::ValueLike as _;
    value.r#type().to_string() == "i1"
}

/// Whether all threads run the loop equally often although its bounds differ.
fn same_trips(bounds: &[Fact]) -> bool {
    let exact: Option<Vec<Vec<i64>>> = bounds.iter().map(Fact::exact).collect();
    let Some(exact) = exact else { return false };
    let trips = |t: usize| {
        // Bounds may be as far apart as numbers of 64 bits are.
        let [from, to, step] = [0, 1, 2].map(|bound| i128::from(exact[bound][t]));
        ((to - from).max(0) + step.max(1) - 1) / step.max(1)
    };
    (0..exact[0].len()).all(|t| trips(t) == trips(0))
}

/// The least and the greatest of what `f` makes of the ends of two ranges.
fn corners(l: Range, r: Range, f: fn(i64, i64) -> Option<i64>) -> Option<Range> {
    let all = [f(l.0, r.0)?, f(l.0, r.1)?, f(l.1, r.0)?, f(l.1, r.1)?];
    Some((*all.iter().min()?, *all.iter().max()?))
}

/// Gives the range of `op` on values from two ranges; `None` when it is not known.
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

/// The truth of a comparison as a range of 0 and 1.
fn compare(predicate: i64, l: Range, r: Range) -> Option<Range> {
    let unsigned = predicate >= 6;
    if unsigned && (l.0 < 0 || r.0 < 0) {
        return None;
    }
    // (always, never) of `l < r` and of `l <= r`.
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
