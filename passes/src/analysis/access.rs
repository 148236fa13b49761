//! Memory accesses of ops, and the elements that each thread may access.

use crate::analysis::classes::{Class, common_divisor};
use crate::analysis::kernel::{WARP_SIZE, WARPGROUP};
use crate::analysis::threads::{Range, ThreadSet, Threads};
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_dialect_tile::{OWNED, Scope};
use tx_mlir::memref::{Space, is_view};
use tx_mlir::{
    AsyncStore, Effect, EffectKind, MemRef, Op, Val, argument_of, attribute, blocks, defining_op,
    integer_attribute, integers, key, memory_effects, name, operands,
};
use tx_target::Operation;

pub(crate) fn is_atomic(op: Op<'_>) -> bool {
    Operation::memory_of(name(op)) == tx_target::Memory::Atomic
}

/// Returns the memory effects of an op without regions; `None` if the effects are unknown.
pub(crate) fn effects<'c>(op: Op<'c>) -> Option<Vec<Effect<'c>>> {
    // A `cf.assert` either stops the program or has no effect.
    if Operation::memory_of(name(op)) == tx_target::Memory::Untouched || name(op) == "cf.assert" {
        return Some(Vec::new());
    }
    if let Some(store) = AsyncStore::of(op) {
        let kind = EffectKind::Write;
        let value = Some(store.slot);
        return Some(vec![Effect { kind, value }]);
    }
    memory_effects(op)
}

pub(crate) use tx_mlir::memref::root;

/// Returns whether one of the views between `value` and its root memref is the result of an op
/// named `op`.
pub(crate) fn is_seen_through(value: Val<'_>, op: &str) -> bool {
    let mut value = value;
    while let Some(def) = defining_op(value).filter(|d| is_view(*d)) {
        match (name(def) == op, operands(def).first()) {
            (false, Some(source)) => value = *source,
            (seen, _) => return seen,
        }
    }
    false
}

/// Indices that one thread may access: one span for each dimension of the root memref. `None` means
/// that the thread may access any index.
pub(crate) type Box = Option<Vec<Span>>;

/// Consecutive indices along one dimension that one thread accesses.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// Range of the first index.
    first: Range,
    /// Congruence class of the first index.
    class: Class,
    /// Maximum number of further indices of the span after the first index.
    more: i64,
}

impl Span {
    /// Index 0 of a dimension.
    const START: Self = Self {
        first: (0, 0),
        class: Class::exactly(0),
        more: 0,
    };

    fn range(self) -> Range {
        (self.first.0, self.first.1.saturating_add(self.more))
    }

    /// Returns the residues of the indices modulo `divisor`: one range, or two ranges if the
    /// residues wrap around. `divisor` must divide the modulus of the class.
    fn ranges_modulo(self, divisor: i64) -> [Option<Range>; 2] {
        let first = self.class.residue(divisor);
        let end = first.saturating_add(self.more);
        let again = (end >= divisor).then_some((0, end - divisor));
        [Some((first, end.min(divisor - 1))), again]
    }

    /// Converts indices in a view to indices in the source of the view; `None` if the stride may be
    /// negative.
    fn moved(self, offset: IndexRange, stride: IndexRange) -> Option<Self> {
        let ((offset, at), (stride, step)) = (offset, stride);
        let ends = |index: i64| [stride.0, stride.1].map(|stride| index.saturating_mul(stride));
        let ([a, b], [c, d]) = (ends(self.first.0), ends(self.first.1));
        (stride.0 >= 0).then(|| Self {
            first: (
                offset.0.saturating_add(a.min(b)),
                offset.1.saturating_add(c.max(d)),
            ),
            class: at.plus(self.class.times(step)),
            more: self.more.saturating_mul(stride.1),
        })
    }

    fn meets(self, other: Self) -> bool {
        let (own, others) = (self.range(), other.range());
        own.0 <= others.1
            && others.0 <= own.1
            && self.class.meets(self.more, other.class, other.more)
    }
}

/// Accessed memory; only the variant `Any` may alias other memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Memory {
    /// Kernel argument, attribution or allocation, identified by the key of its SSA value.
    Value(usize),
    /// Global variable of the module, identified by its symbol.
    Symbol(String),
    /// Any memory that is not private to a thread.
    Any,
}

/// An access to memory that several threads share; the threads and indices of the access are not
/// recorded.
#[derive(Clone)]
pub(crate) struct Touch<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) write: bool,
    /// Set for an atomic access: two atomic accesses do not conflict.
    atomic: bool,
    pub(crate) memory: Memory,
    /// Set if the accessed memory may belong to another block of the cluster.
    pub(crate) of_cluster: bool,
    /// Accessed memref, if known.
    through: Option<Val<'c>>,
    /// Number of the access set in the attribute [`OWNED`], and the first memref operand of the op.
    pub(crate) owner: Option<(i64, Option<Val<'c>>)>,
}

/// Key of a [`Touch`]: the op, whether the op writes, the memory, and the accessed memref.
pub(crate) type TouchKey = (usize, bool, Memory, Option<usize>);

/// A memory access of an op, with its threads and indices.
#[derive(Clone)]
pub(crate) struct Access<'c> {
    pub(crate) touch: Touch<'c>,
    /// Threads that may perform the access.
    pub(crate) by: Rc<ThreadSet>,
    /// Indices that each thread of the block may access.
    boxes: Rc<[Box]>,
}

/// Kinds of thread pairs in which the two threads may access the same element.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub(crate) between_warpgroups: bool,
    pub(crate) between_warps: bool,
    pub(crate) within_warp: bool,
}

impl Conflict {
    const BETWEEN_ALL: Self = Self {
        between_warpgroups: true,
        between_warps: true,
        within_warp: true,
    };

    pub(crate) fn is_there(self) -> bool {
        self.between_warpgroups || self.between_warps || self.within_warp
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            between_warpgroups: self.between_warpgroups || other.between_warpgroups,
            between_warps: self.between_warps || other.between_warps,
            within_warp: self.within_warp || other.within_warp,
        }
    }
}

impl Access<'_> {
    /// Returns the kinds of thread pairs in which the access `self` of one thread and the access
    /// `other` of the other thread may be to the same element.
    pub(crate) fn conflict(&self, other: &Self) -> Conflict {
        let steps = &mut Steps::unlimited();
        Compared::new(self).conflict(&Compared::new(other), steps)
    }

    /// Returns the access with unknown indices: each thread may access any element.
    pub(crate) fn anywhere(&self) -> Self {
        Self {
            boxes: self.boxes.iter().map(|_| None).collect(),
            ..self.clone()
        }
    }

    /// Returns the indices that each thread may access, sorted by the key `by`.
    fn parts(&self, by: Option<Order>) -> Vec<Part<'_>> {
        let mut parts: Vec<Part<'_>> = Vec::new();
        for thread in self.by.iter() {
            let place = self.place(thread);
            let along = |by: Order| Some(by.along(place?));
            let all = by.and_then(along).unwrap_or([Some(ANYWHERE), None]);
            parts.extend(all.into_iter().flatten().map(|along| Part {
                thread,
                along,
                place,
            }));
        }
        parts.sort_by_key(|p| (p.along, p.thread));
        parts
    }

    /// Returns the indices that one thread may access; `None` if the indices are unknown.
    fn place(&self, thread: i64) -> Option<&[Span]> {
        self.boxes.get(usize::try_from(thread).ok()?)?.as_deref()
    }

    /// Returns whether the known indices of both accesses overlap in at least one thread.
    pub(crate) fn is_over(&self, other: &Self) -> bool {
        self.touch.memory == other.touch.memory
            && self.by.iter().any(|thread| {
                let at = |access: &Self| {
                    let thread = usize::try_from(thread).ok()?;
                    access.boxes.get(thread)?.clone()
                };
                matches!((at(self), at(other)), (Some(a), Some(b)) if overlap(Some(&a), Some(&b)))
            })
    }
}

/// An access with cached sort keys, for comparison with other accesses.
///
/// Threads are sorted by the key with the most distinct values, so that each thread is compared
/// with few threads of the other access.
pub(crate) struct Compared<'a, 'c> {
    access: &'a Access<'c>,
    /// Common divisor of the moduli of all congruence classes, for each dimension.
    divisors: Vec<i64>,
    /// Cache of sorted indices, by sort key.
    sorted: RefCell<BTreeMap<Option<Order>, Rc<Sorted<'a>>>>,
}

/// Indices of all threads, sorted by one key, and the number of distinct key values.
struct Sorted<'a> {
    parts: Vec<Part<'a>>,
    distinct: usize,
}

impl<'a, 'c> Compared<'a, 'c> {
    pub(crate) fn new(access: &'a Access<'c>) -> Self {
        let places = || access.boxes.iter().flatten();
        let rank = places().next().map_or(0, Vec::len);
        let classes = |dimension: usize| {
            places().filter_map(move |place| place.get(dimension).map(|span| span.class))
        };
        let divisor =
            |dimension| classes(dimension).fold(0, |divisor, class| class.divisor(divisor));
        Self {
            access,
            divisors: (0..rank).map(divisor).collect(),
            sorted: RefCell::default(),
        }
    }

    /// Returns the kinds of thread pairs in which both threads may access one element. Returns all
    /// kinds if more than `steps` comparisons are necessary.
    pub(crate) fn conflict(&self, other: &Self, steps: &mut Steps) -> Conflict {
        let by = self.telling(other);
        find_conflict(&self.sorted(by).parts, &other.sorted(by).parts, steps)
    }

    /// Returns the sort key with the most distinct values in both accesses.
    fn telling(&self, other: &Self) -> Option<Order> {
        let rank = Some(self.divisors.len()).filter(|rank| *rank == other.divisors.len())?;
        let dimensions = || 0..rank;
        let classes = dimensions().filter_map(|dimension| {
            let [own, others] = [self, other].map(|compared| compared.divisors[dimension]);
            let divisor = common_divisor(own, others);
            (divisor > 1).then_some(Order::Class { dimension, divisor })
        });
        let all = (dimensions().len() > 1).then_some(Order::All);
        let ranges = dimensions().map(|dimension| Order::Range { dimension });
        let distinct = |order: &Order| {
            let [own, others] = [self, other].map(|all| all.sorted(Some(*order)).distinct);
            own.min(others)
        };
        // If several keys have the most distinct values, `max_by_key` returns the last key.
        classes.chain(all).chain(ranges).max_by_key(distinct)
    }

    fn sorted(&self, by: Option<Order>) -> Rc<Sorted<'a>> {
        let sort = || {
            let parts = self.access.parts(by);
            let mut distinct: Vec<Range> = parts.iter().map(|part| part.along).collect();
            distinct.dedup();
            let distinct = distinct.len();
            Sorted { parts, distinct }
        };
        let mut sorted = self.sorted.borrow_mut();
        Rc::clone(sorted.entry(by).or_insert_with(|| Rc::new(sort())))
    }
}

/// Remaining number of thread pairs to compare; `None` if unlimited.
pub(crate) struct Steps(Option<usize>);

impl Steps {
    pub(crate) fn new(most: usize) -> Self {
        Self(Some(most))
    }

    fn unlimited() -> Self {
        Self(None)
    }

    pub(crate) fn are_gone(&self) -> bool {
        self.0 == Some(0)
    }

    fn take(&mut self) {
        self.0 = self.0.map(|left| left.saturating_sub(1));
    }
}

/// Range of an unknown index; the length of the range fits in an `i64`.
const ANYWHERE: Range = (-(1 << 61), 1 << 61);

/// Sort key of the threads of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// Residue of the index along `dimension` modulo `divisor`.
    Class { dimension: usize, divisor: i64 },
    /// All indices packed into one number; the last index may be a range.
    All,
    /// Range of the index along `dimension`.
    Range { dimension: usize },
}

impl Order {
    /// Returns the value of the sort key for the indices `place`: one range, or two ranges if
    /// residues wrap around.
    fn along(self, place: &[Span]) -> [Option<Range>; 2] {
        let along = match self {
            Self::Class { dimension, divisor } => {
                return place
                    .get(dimension)
                    .map_or([Some(ANYWHERE), None], |span| span.ranges_modulo(divisor));
            }
            Self::All => all_indices(place),
            Self::Range { dimension } => place.get(dimension).map(|span| span.range()),
        };
        [Some(along.unwrap_or(ANYWHERE)), None]
    }
}

/// Packs the indices `place` into one range of numbers. Returns `None` if an index is too large, or
/// if an index other than the last is not exact.
fn all_indices(place: &[Span]) -> Option<Range> {
    let bits = 60 / u32::try_from(place.len()).ok()?.max(1);
    let (last, others) = place.split_last()?;
    let is_small = |(least, most): Range| least >= 0 && most < 1 << bits;
    let mut before = 0;
    for span in others {
        let range = span.range();
        before =
            (before + Some(range.0).filter(|_| is_small(range) && range.0 == range.1)?) << bits;
    }
    let (least, most) = Some(last.range()).filter(|range| is_small(*range))?;
    Some((before + least, before + most))
}

/// Indices that one thread may access, with the value of the sort key.
struct Part<'a> {
    thread: i64,
    along: Range,
    place: Option<&'a [Span]>,
}

/// Finds the thread pairs with conflicting accesses in two lists; both lists must be sorted by the
/// same key.
fn find_conflict(mine: &[Part<'_>], theirs: &[Part<'_>], steps: &mut Steps) -> Conflict {
    let mut found = Conflict::default();
    let longest = theirs
        .iter()
        .map(|p| p.along.1.saturating_sub(p.along.0))
        .max()
        .unwrap_or(0);
    let mut from = 0;
    for a in mine {
        let begins_before = |b: &Part<'_>| b.along.0 < a.along.0.saturating_sub(longest);
        from += theirs[from..]
            .iter()
            .take_while(|b| begins_before(b))
            .count();
        for b in theirs[from..].iter().take_while(|b| b.along.0 <= a.along.1) {
            steps.take();
            if steps.are_gone() {
                return Conflict::BETWEEN_ALL;
            }
            if a.thread == b.thread {
                continue;
            }
            let together = |size: i64| a.thread / size == b.thread / size;
            let known = if together(WARP_SIZE) {
                &mut found.within_warp
            } else if together(WARPGROUP) {
                &mut found.between_warps
            } else {
                &mut found.between_warpgroups
            };
            if *known || !overlap(a.place, b.place) {
                continue;
            }
            *known = true;
            if found.within_warp && found.between_warps && found.between_warpgroups {
                return found;
            }
        }
    }
    found
}

fn overlap(a: Option<&[Span]>, b: Option<&[Span]>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) if a.len() == b.len() => a.iter().zip(b).all(|(a, b)| a.meets(*b)),
        _ => true,
    }
}

/// Returns the accesses of `op` itself to memory that several threads share. If an op without
/// regions has unknown effects, the op may write any memory. If an op has regions, its nested ops
/// report their own accesses.
pub(crate) fn touches(op: Op<'_>) -> Vec<Touch<'_>> {
    let atomic = is_atomic(op);
    let touch = |through, write| Touch {
        atomic,
        ..Touch::new(op, through, write)
    };
    let Some(effects) = effects(op) else {
        let unknown = || touch(None, true);
        return blocks(op).is_empty().then(unknown).into_iter().collect();
    };
    effects
        .into_iter()
        .filter(|e| matches!(e.kind, EffectKind::Read | EffectKind::Write))
        .filter_map(|effect| {
            let write = effect.kind == EffectKind::Write;
            // An effect without a value, such as the effect of a barrier, is not a memory access.
            let value = effect.value?;
            match MemRef::of(value) {
                Some(memref) if memref.space == Space::Private => None,
                Some(_) => Some(touch(Some(value), write)),
                None if tx_mlir::pointer_space(value.r#type()) == Some(CLUSTER_SPACE) => {
                    Some(Touch {
                        memory: pointed_to(value).map_or(Memory::Any, memory),
                        of_cluster: true,
                        ..touch(None, write)
                    })
                }
                None => Some(touch(None, write)),
            }
        })
        .collect()
}

pub(crate) fn access<'c>(
    threads: &Threads<'c>,
    op: Op<'c>,
    value: Val<'c>,
    write: bool,
) -> Access<'c> {
    Touch::new(op, Some(value), write).access(threads)
}

impl<'c> Touch<'c> {
    fn new(op: Op<'c>, through: Option<Val<'c>>, write: bool) -> Self {
        let memref = || operands(op).into_iter().find(|v| MemRef::of(*v).is_some());
        Self {
            op,
            write,
            atomic: false,
            memory: through.map_or(Memory::Any, memory),
            of_cluster: false,
            through,
            owner: integer_attribute(op, OWNED).map(|number| (number, memref())),
        }
    }

    pub(crate) fn key(&self) -> TouchKey {
        let op = self.op.to_raw().ptr as usize;
        (op, self.write, self.memory.clone(), self.through.map(key))
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.op.to_raw().ptr == other.op.to_raw().ptr
            && self.write == other.write
            && self.through == other.through
            && self.memory == other.memory
    }

    pub(crate) fn access(self, threads: &Threads<'c>) -> Access<'c> {
        // If a loop carries a memref or a condition selects a memref, the memref may differ between
        // threads.
        let is_one = |value: &Val<'c>| {
            self.memory != Memory::Any || threads.fact(root(*value)).same >= Scope::Cta
        };
        let is_apart = |value: &Val<'c>| !MemRef::of(root(*value)).is_some_and(|m| overlaps(&m));
        let boxes = self
            .through
            .filter(|value| is_one(value) && is_apart(value))
            .and_then(|value| boxes(threads, self.op, value));
        Access {
            by: Rc::new(threads.active(self.op).threads),
            boxes: boxes.map_or_else(|| everywhere(threads), Into::into),
            touch: self,
        }
    }

    /// Returns whether the indices of both accesses are relative to the same root memref. If a loop
    /// carries a memref or a condition selects a memref, the memref may alias any other memref, and
    /// may change when the loop `round` starts a new iteration.
    pub(crate) fn counts_from_one_place(&self, other: &Self, round: Option<Op<'c>>) -> bool {
        if self.memory != Memory::Any && other.memory != Memory::Any {
            return true;
        }
        let [own, others] = [self, other].map(|touch| touch.through.map(root));
        let stays = |root| round.is_none_or(|round| !tx_mlir::is_defined_in(root, round));
        own.is_some_and(|own| Some(own) == others && stays(own))
    }

    /// Returns whether two accesses may conflict: they may be to the same memory, at least one of
    /// them is a write, and at least one of them is not atomic.
    pub(crate) fn may_alias(&self, other: &Self) -> bool {
        (self.write || other.write)
            && !(self.atomic && other.atomic)
            && (self.memory == other.memory
                || self.memory == Memory::Any
                || other.memory == Memory::Any)
    }
}

/// Returns whether different indices of a memref may address the same element, because one stride
/// is smaller than the span of the dimensions with smaller strides.
fn overlaps(memref: &MemRef<'_>) -> bool {
    let dims = memref.strides.iter().zip(&memref.shape);
    let mut dims: Vec<(u64, u64)> = dims
        .filter_map(|(stride, size)| Some(((*stride)?.unsigned_abs(), size.unwrap_or(2))))
        .filter(|(_, size)| *size > 1)
        .collect();
    dims.sort_unstable();
    let mut reach: u64 = 1;
    dims.into_iter().any(|(stride, size)| {
        let overlaps = stride < reach;
        reach = reach.saturating_add(stride.saturating_mul(size - 1));
        overlaps
    })
}

fn memory(value: Val<'_>) -> Memory {
    let base = root(value);
    match defining_op(base) {
        Some(def) if name(def) == "memref.get_global" => Memory::Symbol(
            attribute(def, "name")
                .and_then(tx_mlir::symbol_path)
                .and_then(|mut path| path.pop())
                .unwrap_or_default(),
        ),
        Some(def) if matches!(name(def), "memref.alloc" | "memref.alloca") => {
            Memory::Value(key(base))
        }
        // If a block is not the entry block, a branch or a loop may pass any memref as its
        // argument.
        None if is_kernel_argument(base) => Memory::Value(key(base)),
        // A loaded, selected or computed memref may be any memref.
        _ => Memory::Any,
    }
}

/// Address space of distributed shared memory, the shared memory of all blocks of a cluster.
const CLUSTER_SPACE: u32 = 7;

/// Returns the memref from whose address a pointer is computed.
fn pointed_to(pointer: Val<'_>) -> Option<Val<'_>> {
    let op = defining_op(pointer)?;
    match name(op) {
        "memref.extract_aligned_pointer_as_index" => operands(op).first().copied(),
        "nvvm.mapa" | "llvm.inttoptr" | "arith.index_cast" => pointed_to(*operands(op).first()?),
        "arith.addi" => operands(op).into_iter().find_map(pointed_to),
        _ => None,
    }
}

/// Returns the memory that a pointer points to, if known.
pub(crate) fn target(pointer: Val<'_>) -> Option<Memory> {
    let memory = memory(pointed_to(pointer)?);
    (memory != Memory::Any).then_some(memory)
}

/// Returns unknown indices for each thread: any thread may access any element.
fn everywhere(threads: &Threads<'_>) -> Rc<[Box]> {
    let count = usize::try_from(threads.kernel().threads).unwrap_or(1);
    std::iter::repeat_n(None, count).collect()
}

fn is_kernel_argument(value: Val<'_>) -> bool {
    argument_of(value)
        .and_then(|(block, _)| block.parent_operation())
        .is_some_and(|owner| name(owner) == "gpu.func")
}

/// Returns the indices of the root memref that `op` may access through `value`, for each thread.
fn boxes<'c>(threads: &Threads<'c>, op: Op<'c>, value: Val<'c>) -> Option<Vec<Box>> {
    let memref = MemRef::of(value)?;
    let count = usize::try_from(threads.kernel().threads).ok()?;
    let all = operands(op);
    // Operand number of the first index, and number of consecutive elements.
    let (first, width) = match name(op) {
        "memref.load" => (1, 1),
        "memref.store" => (2, 1),
        "vector.load" => (1, lanes(tx_mlir::results(op)[0])?),
        "vector.store" => (2, lanes(all[0])?),
        _ => return view_boxes(threads, value, whole(&memref, count)?),
    };
    let indices = all.get(first..first + memref.rank())?;
    let mut result = vec![Some(Vec::with_capacity(memref.rank())); count];
    for (d, index) in indices.iter().enumerate() {
        let more = if d + 1 == memref.rank() { width - 1 } else { 0 };
        let index = Places::of(threads, *index);
        for (t, thread) in result.iter_mut().enumerate() {
            if let Some(b) = thread {
                let (first, class) = index.at(t);
                b.push(Span { first, class, more });
            }
        }
    }
    view_boxes(threads, value, result)
}

fn lanes(value: Val<'_>) -> Option<i64> {
    tx_mlir::vector_parts(value.r#type()).map(|(n, _)| n.cast_signed())
}

/// Returns the indices of all elements of a static memref, for each thread.
fn whole(memref: &MemRef<'_>, count: usize) -> Option<Vec<Box>> {
    let span = |n: u64| Span {
        more: n.cast_signed() - 1,
        ..Span::START
    };
    let all: Vec<Span> = memref
        .shape
        .iter()
        .map(|d| d.map(span))
        .collect::<Option<_>>()?;
    Some(vec![Some(all); count])
}

/// Converts indices in the view `value` to indices in its root memref.
fn view_boxes<'c>(threads: &Threads<'c>, value: Val<'c>, mut boxes: Vec<Box>) -> Option<Vec<Box>> {
    let mut value = value;
    while let Some(op) = defining_op(value) {
        match name(op) {
            "memref.cast" | "memref.memory_space_cast" => {}
            "memref.subview" => {
                let offsets = mixed(op, "static_offsets", 1)?;
                let strides = mixed(op, "static_strides", 3)?;
                let sizes = integers(attribute(op, "static_sizes")?)?;
                let indexed_by = result_dimensions(op, &sizes)?;
                let places = |all: &[Mixed<'c>]| -> Vec<Places> {
                    all.iter().map(|m| m.places(threads)).collect()
                };
                let (offsets, strides) = (places(&offsets), places(&strides));
                for (t, b) in boxes.iter_mut().enumerate() {
                    let Some(inner) = b.take() else { continue };
                    let mut outer = Vec::with_capacity(sizes.len());
                    for d in 0..sizes.len() {
                        let (offset, stride) = (offsets[d].at(t), strides[d].at(t));
                        let index = indexed_by[d]
                            .and_then(|i| inner.get(i).copied())
                            .unwrap_or(Span::START);
                        outer.push(index.moved(offset, stride)?);
                    }
                    *b = Some(outer);
                }
            }
            _ if is_view(op) => return None,
            _ => break,
        }
        value = *operands(op).first()?;
    }
    Some(boxes)
}

/// Known properties of an index in each thread.
enum Places {
    All(IndexRange),
    Each {
        ranges: Option<Rc<[Range]>>,
        classes: Option<Rc<[Class]>>,
    },
}

/// Range and congruence class of an index in one thread.
type IndexRange = (Range, Class);

impl Places {
    fn of<'c>(threads: &Threads<'c>, value: Val<'c>) -> Self {
        let fact = threads.fact(value);
        Self::Each {
            classes: fact.classes(),
            ranges: fact.ranges,
        }
    }

    fn at(&self, thread: usize) -> IndexRange {
        match self {
            Self::All(place) => *place,
            Self::Each { ranges, classes } => (
                ranges.as_ref().map_or(ANYWHERE, |all| all[thread]),
                classes.as_ref().map_or(Class::ANY, |all| all[thread]),
            ),
        }
    }
}

enum Mixed<'c> {
    Static(i64),
    Value(Val<'c>),
}

impl<'c> Mixed<'c> {
    fn places(&self, threads: &Threads<'c>) -> Places {
        match self {
            Self::Static(n) => Places::All(((*n, *n), Class::exactly(*n))),
            Self::Value(value) => Places::of(threads, *value),
        }
    }
}

/// Returns the offsets, sizes or strides of a subview; `segment` is the number of the operand group
/// with the dynamic values.
fn mixed<'c>(op: Op<'c>, statics: &str, segment: usize) -> Option<Vec<Mixed<'c>>> {
    let sizes = integers(attribute(op, "operandSegmentSizes")?)?;
    let start: i64 = sizes.get(..segment)?.iter().sum();
    let all = operands(op);
    let mut dynamic = all.get(usize::try_from(start).ok()?..)?.iter();
    integers(attribute(op, statics)?)?
        .into_iter()
        .map(|n| {
            if n == i64::MIN {
                dynamic.next().map(|v| Mixed::Value(*v))
            } else {
                Some(Mixed::Static(n))
            }
        })
        .collect()
}

/// Returns the number of the result dimension that indexes each source dimension of a subview. The
/// subview may have fewer dimensions than its source (a rank-reducing subview). A source dimension
/// of size 1 is indexed by 0, not by a result dimension; all other dimensions keep their order.
fn result_dimensions(op: Op<'_>, sizes: &[i64]) -> Option<Vec<Option<usize>>> {
    let result = MemRef::of(tx_mlir::results(op)[0])?;
    let mut others = (0..result.rank()).filter(|d| result.shape[*d] != Some(1));
    Some(
        sizes
            .iter()
            .map(|size| if *size == 1 { None } else { others.next() })
            .collect(),
    )
}
