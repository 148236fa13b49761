//! Which memory an op touches, and which part of it each thread may touch.

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

/// Whether an op reads and writes memory at once.
pub(crate) fn is_atomic(op: Op<'_>) -> bool {
    Operation::memory_of(name(op)) == tx_target::Memory::Atomic
}

/// What an op without regions does to memory; `None` when that is not known.
pub(crate) fn effects<'c>(op: Op<'c>) -> Option<Vec<Effect<'c>>> {
    // An assertion ends the program or does nothing.
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

/// Whether one of the views between `value` and its root is made by `op`.
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

/// The part of a memref that one thread may touch: indices for each dimension of the root, or
/// anything.
pub(crate) type Box = Option<Vec<Span>>;

/// Neighbours along one dimension, which one thread touches.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// Where the first of them may be.
    first: Range,
    /// What else is known of that.
    class: Class,
    /// How many come after it, at most.
    more: i64,
}

impl Span {
    /// The first index.
    const START: Self = Self {
        first: (0, 0),
        class: Class::exactly(0),
        more: 0,
    };

    /// All indices that may be touched.
    fn range(self) -> Range {
        (self.first.0, self.first.1.saturating_add(self.more))
    }

    /// The same where they are told by what a divisor of the classes' moduli leaves: what is beyond
    /// it stands at the beginning again.
    fn ranges_modulo(self, divisor: i64) -> [Option<Range>; 2] {
        let first = self.class.residue(divisor);
        let end = first.saturating_add(self.more);
        let again = (end >= divisor).then_some((0, end - divisor));
        [Some((first, end.min(divisor - 1))), again]
    }

    /// The indices of what these are views of, which begins at `offset` and has every `stride`-th
    /// element; `None` when it may go backwards.
    fn moved(self, offset: Place, stride: Place) -> Option<Self> {
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

/// Memory, as far as it can be told apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Memory {
    /// A memref of its own: an argument, an attribution, an allocation.
    Value(usize),
    /// A global of the module.
    Symbol(String),
    /// Any memory that is not private to a thread.
    Any,
}

/// That an op touches memory which several threads see: what is known without asking which thread
/// touches what.
#[derive(Clone)]
pub(crate) struct Touch<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) write: bool,
    /// Atomic accesses do not get in each other's way.
    atomic: bool,
    pub(crate) memory: Memory,
    /// Whether other blocks of the cluster may touch it so.
    pub(crate) of_cluster: bool,
    /// What it is touched through, where that is known.
    through: Option<Val<'c>>,
    /// Number of the expansion that assigns each element to one thread ([`OWNED`]), and the memref of
    /// the op.
    pub(crate) owner: Option<(i64, Option<Val<'c>>)>,
}

/// What tells one access from another: op, whether it writes, the memory, and what it is touched through.
pub(crate) type TouchKey = (usize, bool, Memory, Option<usize>);

/// One access of an op.
#[derive(Clone)]
pub(crate) struct Access<'c> {
    pub(crate) touch: Touch<'c>,
    /// The threads that may make it.
    pub(crate) by: Rc<ThreadSet>,
    /// For each thread of the block the part it may touch.
    boxes: Rc<[Box]>,
}

/// Which threads of two accesses get in each other's way.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    /// Threads of different warpgroups.
    pub(crate) between_warpgroups: bool,
    /// Threads of different warps of one warpgroup.
    pub(crate) between_warps: bool,
    /// Different lanes of one warp.
    pub(crate) within_warp: bool,
}

impl Conflict {
    /// Any threads.
    const BETWEEN_ALL: Self = Self {
        between_warpgroups: true,
        between_warps: true,
        within_warp: true,
    };

    /// Whether any threads do.
    pub(crate) fn is_there(self) -> bool {
        self.between_warpgroups || self.between_warps || self.within_warp
    }

    /// Those of both.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            between_warpgroups: self.between_warpgroups || other.between_warpgroups,
            between_warps: self.between_warps || other.between_warps,
            within_warp: self.within_warp || other.within_warp,
        }
    }
}

impl Access<'_> {
    /// Finds the threads that may touch one place, one by each access.
    pub(crate) fn conflict(&self, other: &Self) -> Conflict {
        let steps = &mut Steps::unlimited();
        Compared::new(self).conflict(&Compared::new(other), steps)
    }

    /// The same where each thread may touch any part.
    pub(crate) fn anywhere(&self) -> Self {
        Self {
            boxes: self.boxes.iter().map(|_| None).collect(),
            ..self.clone()
        }
    }

    /// What each thread that makes the access may touch, by the order.
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

    /// What one thread may touch; `None` when that is anything.
    fn place(&self, thread: i64) -> Option<&[Span]> {
        self.boxes.get(usize::try_from(thread).ok()?)?.as_deref()
    }

    /// Whether one thread is known to make both in one place.
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

/// An access that is compared with others, with what is found out of it alone.
///
/// Threads are sorted by what tells most of them apart, so that threads which keep to themselves
/// are compared with few others.
pub(crate) struct Compared<'a, 'c> {
    access: &'a Access<'c>,
    /// For each dimension what divides the moduli of all classes.
    divisors: Vec<i64>,
    /// What threads touch, by the orders that were asked for.
    sorted: RefCell<BTreeMap<Option<Order>, Rc<Sorted<'a>>>>,
}

/// What threads touch by some order, and how many groups of them it tells apart.
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

    /// Finds the threads that may touch one place, one by each access: all of them when there are
    /// no steps left.
    pub(crate) fn conflict(&self, other: &Self, steps: &mut Steps) -> Conflict {
        let by = self.telling(other);
        find_conflict(&self.sorted(by).parts, &other.sorted(by).parts, steps)
    }

    /// The order in which the threads of both differ most.
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
        // Of orders that tell as many apart, it is the last: that of ranges.
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

/// How many more threads are compared.
pub(crate) struct Steps(Option<usize>);

impl Steps {
    pub(crate) fn new(most: usize) -> Self {
        Self(Some(most))
    }

    fn unlimited() -> Self {
        Self(None)
    }

    /// Whether there are none left.
    pub(crate) fn are_gone(&self) -> bool {
        self.0 == Some(0)
    }

    fn take(&mut self) {
        self.0 = self.0.map(|left| left.saturating_sub(1));
    }
}

/// A range that holds every index, and whose length is a number.
const ANYWHERE: Range = (-(1 << 61), 1 << 61);

/// What threads are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// What indices along one dimension leave when they are divided by a number.
    Class { dimension: usize, divisor: i64 },
    /// All indices, the last of which may be a range.
    All,
    /// The range of indices along one dimension.
    Range { dimension: usize },
}

impl Order {
    /// Where a place stands: one range, or two of which one begins where the other ends.
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

/// One number for all indices of a place, those along the last dimension next to each other; `None`
/// where the others are not known, or too large.
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

/// What one thread may touch.
struct Part<'a> {
    thread: i64,
    along: Range,
    place: Option<&'a [Span]>,
}

/// Both lists are sorted along the same dimension.
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

/// What `op` itself does to memory that several threads see. What is not known of an op with
/// regions, the ops in them do.
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
            // Effects on memory that is not named belong to barriers and the like.
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

/// The access of `op` through the memref `value`.
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

    /// Returns whether both touches have the same key.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.op.to_raw().ptr == other.op.to_raw().ptr
            && self.write == other.write
            && self.through == other.through
            && self.memory == other.memory
    }

    /// Who touches what.
    pub(crate) fn access(self, threads: &Threads<'c>) -> Access<'c> {
        // What a loop carries, or a condition selects, may begin elsewhere for each thread.
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

    /// Whether indices of both count from one place. What a loop carries, or a condition selects,
    /// may begin anywhere in another memref, and elsewhere once `round` has gone round.
    pub(crate) fn counts_from_one_place(&self, other: &Self, round: Option<Op<'c>>) -> bool {
        if self.memory != Memory::Any && other.memory != Memory::Any {
            return true;
        }
        let [own, others] = [self, other].map(|touch| touch.through.map(root));
        let stays = |root| round.is_none_or(|round| !tx_mlir::is_defined_in(root, round));
        own.is_some_and(|own| Some(own) == others && stays(own))
    }

    /// Whether both are of one memory, at least one of them writing.
    pub(crate) fn may_alias(&self, other: &Self) -> bool {
        (self.write || other.write)
            && !(self.atomic && other.atomic)
            && (self.memory == other.memory
                || self.memory == Memory::Any
                || other.memory == Memory::Any)
    }
}

/// Whether elements of a memref with other indices are surely the same: its strides are smaller
/// than what lies between them.
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

/// The memory that a memref is in.
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
        // An argument or attribution of the kernel; any other block's argument may be whatever is
        // handed to it.
        None if is_kernel_argument(base) => Memory::Value(key(base)),
        // Loaded, selected or computed: it may be any of the others.
        _ => Memory::Any,
    }
}

/// The address space of shared memory of any block of the cluster.
const CLUSTER_SPACE: u32 = 7;

/// The memref from whose address a pointer is computed.
fn pointed_to(pointer: Val<'_>) -> Option<Val<'_>> {
    let op = defining_op(pointer)?;
    match name(op) {
        "memref.extract_aligned_pointer_as_index" => operands(op).first().copied(),
        "nvvm.mapa" | "llvm.inttoptr" | "arith.index_cast" => pointed_to(*operands(op).first()?),
        "arith.addi" => operands(op).into_iter().find_map(pointed_to),
        _ => None,
    }
}

/// Returns the named memory that a pointer is computed from.
pub(crate) fn target(pointer: Val<'_>) -> Option<Memory> {
    let memory = memory(pointed_to(pointer)?);
    (memory != Memory::Any).then_some(memory)
}

/// Any thread may touch any part.
fn everywhere(threads: &Threads<'_>) -> Rc<[Box]> {
    let count = usize::try_from(threads.kernel().threads).unwrap_or(1);
    std::iter::repeat_n(None, count).collect()
}

fn is_kernel_argument(value: Val<'_>) -> bool {
    argument_of(value)
        .and_then(|(block, _)| block.parent_operation())
        .is_some_and(|owner| name(owner) == "gpu.func")
}

/// For each thread the indices of the root that `op` may touch through `value`.
fn boxes<'c>(threads: &Threads<'c>, op: Op<'c>, value: Val<'c>) -> Option<Vec<Box>> {
    let memref = MemRef::of(value)?;
    let count = usize::try_from(threads.kernel().threads).ok()?;
    let all = operands(op);
    // Where the indices stand among the operands, and how many neighbours are touched.
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

/// Every thread may touch all of a static memref.
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

/// Indices of `value` as indices of its root.
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

/// What is known of an index in each thread.
enum Places {
    All(Place),
    Each {
        ranges: Option<Rc<[Range]>>,
        classes: Option<Rc<[Class]>>,
    },
}

/// What is known of an index in one thread.
type Place = (Range, Class);

impl Places {
    fn of<'c>(threads: &Threads<'c>, value: Val<'c>) -> Self {
        let fact = threads.fact(value);
        Self::Each {
            classes: fact.classes(),
            ranges: fact.ranges,
        }
    }

    fn at(&self, thread: usize) -> Place {
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

/// The offsets, sizes or strides of a subview: `segment` says which operands are the dynamic ones.
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

/// For each dimension of the source of a (perhaps rank-reducing) subview, the dimension of the
/// result that indexes it. Dimensions of size 1 are indexed by 0, whichever of them were dropped;
/// the others keep their order.
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
