//! Indices: the elements of a memref that each thread accesses in an op.

use crate::analysis::classes::Class;
use crate::analysis::facts::Range;
use crate::analysis::threads::Threads;
use melior::ir::ValueLike;
use std::rc::Rc;
use tx_mlir::memref::is_view;
use tx_mlir::{MemRef, Op, Val, attribute, defining_op, integers, name, operands};

/// Indices that one thread may access: one span for each dimension of the root memref. `None` means
/// that the thread may access any index.
pub(crate) type Indices = Option<Vec<Span>>;

/// Consecutive indices along one dimension that one thread accesses.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// Range of the first index of the span.
    pub(super) first: Range,
    /// Congruence class of the first index of the span.
    pub(super) class: Class,
    /// Maximum number of indices that follow the first index of the span.
    pub(super) more: i64,
}

impl Span {
    /// Span that contains only index 0 of a dimension.
    pub(super) const START: Self = Self {
        first: (0, 0),
        class: Class::exactly(0),
        more: 0,
    };

    pub(super) fn range(self) -> Range {
        (self.first.0, self.first.1.saturating_add(self.more))
    }

    /// Returns the residues of the indices modulo `divisor`: one range, or two ranges if the
    /// residues wrap around. `divisor` must divide the modulus of the congruence class of the first
    /// index.
    pub(super) fn ranges_modulo(self, divisor: i64) -> [Option<Range>; 2] {
        let first = self.class.residue(divisor);
        let end = first.saturating_add(self.more);
        let again = (end >= divisor).then_some((0, end - divisor));
        [Some((first, end.min(divisor - 1))), again]
    }

    /// Converts indices of a view to indices of the source of the view. Returns `None` if a stride
    /// of the view may be negative.
    pub(super) fn moved(self, offset: IndexRange, stride: IndexRange) -> Option<Self> {
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

    pub(super) fn meets(self, other: Self) -> bool {
        let (own, others) = (self.range(), other.range());
        own.0 <= others.1
            && others.0 <= own.1
            && self.class.meets(self.more, other.class, other.more)
    }
}

/// Range of an unknown index; the length of the range fits in an `i64`.
pub(super) const ANYWHERE: Range = (-(1 << 61), 1 << 61);

/// Returns unknown indices for each thread: any thread may access any element.
pub(super) fn everywhere(threads: &Threads<'_>) -> Rc<[Indices]> {
    let count = usize::try_from(threads.kernel().threads).unwrap_or(1);
    std::iter::repeat_n(None, count).collect()
}

/// Returns the indices of the root memref that `op` may access through `value`, for each thread.
pub(super) fn indices<'c>(
    threads: &Threads<'c>,
    op: Op<'c>,
    value: Val<'c>,
) -> Option<Vec<Indices>> {
    let memref = MemRef::of(value)?;
    let count = usize::try_from(threads.kernel().threads).ok()?;
    let all = operands(op);
    // Operand number of the first index, and number of consecutive elements.
    let (first, width) = match name(op) {
        "memref.load" => (1, 1),
        "memref.store" => (2, 1),
        "vector.load" => (1, lanes(tx_mlir::results(op)[0])?),
        "vector.store" => (2, lanes(all[0])?),
        _ => return in_root(threads, value, whole(&memref, count)?),
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
    in_root(threads, value, result)
}

fn lanes(value: Val<'_>) -> Option<i64> {
    tx_mlir::vector_parts(value.r#type()).map(|(n, _)| n.cast_signed())
}

/// Returns indices that cover all elements of a static memref, one entry for each thread.
fn whole(memref: &MemRef<'_>, count: usize) -> Option<Vec<Indices>> {
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
fn in_root<'c>(
    threads: &Threads<'c>,
    value: Val<'c>,
    mut indices: Vec<Indices>,
) -> Option<Vec<Indices>> {
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
                for (t, b) in indices.iter_mut().enumerate() {
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
    Some(indices)
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

/// Returns the offsets, sizes or strides of a subview. The function reads the dynamic offsets,
/// sizes or strides from operand segment number `segment` (see `operandSegmentSizes`).
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

/// Returns, for each source dimension of a subview, the number of the result dimension that
/// corresponds to the source dimension. The subview may have fewer dimensions than its source (a
/// rank-reducing subview). The result contains `None` for a source dimension of size 1, because its
/// only index is 0; the other source dimensions keep their order.
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
