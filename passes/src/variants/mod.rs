//! The ways a reduction can be computed, and the choice among them.
//!
//! A variant is one file here and one line in [`BUILTIN`]. It says when it applies (named
//! predicates, each of which accepts or gives a reason), what it costs, and how it expands. It
//! knows nothing of what is combined: that is [`Combiner`]'s part.

pub(crate) mod local;
pub(crate) mod shared;

use crate::analysis::kernel::{Kernel, SHARED_ALIGNMENT};
use crate::combiner::Combiner;
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{PoisonError, RwLock};
use tx_dialect_tile::{Fragment, Reduce, Scope};
use tx_mlir::memref::Space;
use tx_mlir::{Builder, Failed, Index, MemRef, Op, Val, byte_width};
use tx_target::Chip;

/// The variants of this crate.
pub(crate) const BUILTIN: [&dyn Variant; 2] = [&local::Local, &shared::Shared];

/// Parameters of a variant, recorded on the op as `params`.
pub type Params = BTreeMap<&'static str, i64>;

/// A named condition of a variant: accepts, or gives a reason.
#[derive(Clone, Copy)]
pub struct Predicate {
    /// Name, as messages print it.
    pub name: &'static str,
    /// The condition.
    pub check: fn(&Reduction<'_>) -> Result<(), String>,
}

/// A way to compute a reduction.
pub trait Variant: Sync {
    /// Name, as `variant = "NAME"` spells it.
    fn name(&self) -> &'static str;

    /// Higher wins.
    fn priority(&self) -> i32;

    /// All must accept. Every one is asked, so that a refusal names every reason.
    fn predicates(&self) -> &'static [Predicate];

    /// An estimate in cycles of one thread; among equals in priority the lowest wins. Asked only
    /// when all predicates accept, as everything below.
    fn cost(&self, reduction: &Reduction<'_>) -> u64;

    /// Parameters, recorded on the op for [`Self::expand`].
    fn params(&self, reduction: &Reduction<'_>) -> Params;

    /// Checks parameters that may have been written by hand.
    ///
    /// # Errors
    /// Says what is wrong with them.
    fn check_params(
        &self,
        _reduction: &Reduction<'_>,
        _params: &dyn Fn(&str) -> i64,
    ) -> Result<(), String> {
        Ok(())
    }

    /// Writes the reduction as loops, loads, `tile.all_reduce` and stores.
    fn expand<'c>(&self, reduction: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>);
}

static REGISTERED: RwLock<Vec<&'static dyn Variant>> = RwLock::new(Vec::new());

/// Adds a variant for the rest of the process.
///
/// # Errors
/// When there is a variant of that name.
pub fn register_variant(variant: &'static dyn Variant) -> Result<(), String> {
    if variant_named(variant.name()).is_some() {
        return Err(format!("there is a variant named `{}`", variant.name()));
    }
    REGISTERED
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .push(variant);
    Ok(())
}

/// Every variant, by name.
pub fn variants() -> Vec<&'static dyn Variant> {
    let mut all: Vec<&'static dyn Variant> = BUILTIN.to_vec();
    all.extend(
        REGISTERED
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter(),
    );
    all.sort_by_key(|v| v.name());
    all
}

/// The variant of this name.
pub(crate) fn variant_named(name: &str) -> Option<&'static dyn Variant> {
    variants().into_iter().find(|v| v.name() == name)
}

/// What to say of a name that no variant has.
pub(crate) fn unknown_variant(name: &str) -> String {
    let known: Vec<&str> = variants().iter().map(|v| v.name()).collect();
    format!(
        "no variant named `{name}`; known variants: {}",
        known.join(", ")
    )
}

/// A `tile.reduce` in its kernel, with everything that variants ask about it.
#[derive(Clone)]
pub struct Reduction<'c> {
    /// The op.
    pub view: Reduce<'c>,
    /// Chip that the kernel is compiled for.
    pub chip: Chip,
    /// Source, when it is one tile of memory.
    pub source: Option<MemRef<'c>>,
    /// Destination, when it is one tile of memory.
    pub destination: Option<MemRef<'c>>,
    /// Kept dimensions of the source, outermost first.
    pub kept: Vec<usize>,
    /// Reduced dimensions of the source, those with the largest stride first.
    pub reduced: Vec<usize>,
    /// Type of partial results.
    pub acc: Type<'c>,
    /// Threads that execute the op together.
    pub threads: i64,
    /// Positions in the scope: at least [`Self::threads`], and more when some groups of the scope
    /// are narrower than others, as the last warp of a block may be.
    pub span: i64,
    /// Bytes to which the first element of the source is known to be aligned.
    pub alignment: u64,
    /// Number of the op in its module.
    pub serial: i64,
    pub(crate) kernel: Kernel<'c>,
}

impl<'c> Reduction<'c> {
    pub(crate) fn of(
        view: Reduce<'c>,
        kernel: Kernel<'c>,
        threads: i64,
        serial: i64,
    ) -> Result<Self, Failed> {
        use melior::ir::operation::OperationLike as _;
        let internal = |what: &str| {
            tx_mlir::error(
                view.op.location(),
                format!("{what}: the op was not verified"),
            )
            .emit()
        };
        let first = *view.sources.first().ok_or_else(|| internal("no source"))?;
        let source = MemRef::of(first);
        let rank = source.as_ref().map_or_else(
            || Fragment::from_type(first.r#type()).map_or(0, |f| f.shape.len()),
            MemRef::rank,
        );
        let mut reduced = view
            .reduced_axes(rank)
            .ok_or_else(|| internal("bad axes"))?;
        let mut kept: Vec<usize> = (0..rank).filter(|d| !reduced.contains(d)).collect();
        if let Some(memref) = &source {
            sort_by_stride(&mut reduced, memref);
            sort_by_stride(&mut kept, memref);
        }
        Ok(Self {
            acc: view
                .accumulator(0)
                .ok_or_else(|| internal("no accumulator"))?,
            chip: kernel.chip(),
            destination: view.destinations.first().and_then(|d| MemRef::of(*d)),
            alignment: source.as_ref().map_or(1, |m| alignment(first, m)),
            source,
            kept,
            reduced,
            serial,
            threads,
            span: kernel.threads_of(view.scope).min(kernel.threads),
            kernel,
            view,
        })
    }

    /// Number of results, when it is static.
    pub fn results(&self) -> Option<u64> {
        self.extent_of(&self.kept)
    }

    /// Number of elements that one result combines, when it is static.
    pub fn length(&self) -> Option<u64> {
        self.extent_of(&self.reduced)
    }

    fn extent_of(&self, dimensions: &[usize]) -> Option<u64> {
        let source = self.source.as_ref()?;
        dimensions
            .iter()
            .try_fold(1u64, |n, d| n.checked_mul(source.shape[*d]?))
    }

    /// The dimension of the source whose elements are closest together.
    pub fn contiguous(&self) -> Option<usize> {
        let source = self.source.as_ref()?;
        (0..source.rank())
            .filter(|d| source.shape[*d] != Some(1))
            // The last of those with the smallest stride; an unknown stride counts as large.
            .min_by_key(|d| (source.strides[*d].unwrap_or(i64::MAX), std::cmp::Reverse(*d)))
    }

    /// The combiner, when the kind and type have one.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn combiner(&self) -> Result<Combiner<'c>, String> {
        Combiner::new(self.view.kind, self.view.nan, self.acc)
    }
}

/// Orders dimensions as they lie in memory, when all their strides are known.
fn sort_by_stride(dimensions: &mut [usize], memref: &MemRef<'_>) {
    if dimensions.iter().all(|d| memref.strides[*d].is_some()) {
        dimensions.sort_by_key(|d| std::cmp::Reverse(memref.strides[*d]));
    }
}

/// Bytes to which the first element of `value` is known to be aligned: that of an element, or
/// more for shared memory of this kernel, whose alignment is ours to choose.
fn alignment(value: Val<'_>, memref: &MemRef<'_>) -> u64 {
    let element = byte_width(memref.element).unwrap_or(1);
    // `memref.view` shifts by bytes, which its type does not show.
    let shifted = crate::analysis::access::is_seen_through(value, "memref.view");
    let (Some(offset), Some(_), false) = (memref.offset, shared_root(value), shifted) else {
        return element;
    };
    let bytes = offset.unsigned_abs().saturating_mul(element);
    if bytes == 0 {
        SHARED_ALIGNMENT
    } else {
        SHARED_ALIGNMENT.min(1 << bytes.trailing_zeros())
    }
}

/// The workgroup attribution that `value` is or is a view of: its kernel and its number among the
/// attributions.
pub(crate) fn shared_root(value: Val<'_>) -> Option<(Op<'_>, usize)> {
    use melior::ir::block::BlockLike as _;
    let root = crate::analysis::access::root(value);
    let (block, index) = tx_mlir::argument_of(root)?;
    let kernel = block.parent_operation()?;
    if !tx_mlir::is(kernel, "gpu.func") || MemRef::of(root)?.space != Space::Shared {
        return None;
    }
    let ty = tx_mlir::attribute(kernel, "function_type").and_then(tx_mlir::type_value)?;
    let inputs = melior::ir::r#type::FunctionType::try_from(ty)
        .ok()?
        .input_count();
    index.checked_sub(inputs).map(|i| (kernel, i))
}

/// Checks that several variants make.
pub(crate) mod checks {
    use super::{Reduction, Scope, Space, TypeLike};

    /// One source and one destination in memory that all threads of the scope see.
    pub(crate) fn destination(r: &Reduction<'_>) -> Result<(), String> {
        match (&r.destination, r.view.destinations.len()) {
            (Some(_), 1) => Ok(()),
            (_, 0) => Err("the result is a fragment, expected memory".to_owned()),
            (_, n) => Err(format!("{n} destinations, expected 1")),
        }
    }

    /// A kind that has a scalar combine.
    pub(crate) fn kind(r: &Reduction<'_>) -> Result<(), String> {
        r.combiner().map(|_| ())
    }

    /// Elements that can be loaded and widened.
    pub(crate) fn element(r: &Reduction<'_>) -> Result<(), String> {
        let Some(source) = &r.source else {
            return Ok(());
        };
        let text = source.element.to_string();
        if text.starts_with("f8") || (source.element.is_integer() && text == "i1") {
            return Err(format!("sources of `{text}` are not implemented"));
        }
        Ok(())
    }

    /// A scope inside a CTA.
    pub(crate) fn scope(r: &Reduction<'_>) -> Result<(), String> {
        if r.view.scope > Scope::Cta {
            return Err(format!(
                "scope `{}` is not implemented, expected `cta` or narrower",
                r.view.scope
            ));
        }
        Ok(())
    }

    /// The source is in one of `spaces`.
    pub(crate) fn source_in(
        r: &Reduction<'_>,
        spaces: &[Space],
        expected: &str,
    ) -> Result<(), String> {
        match &r.source {
            Some(m) if spaces.contains(&m.space) => Ok(()),
            Some(m) => Err(format!(
                "source is in {}, expected {expected}",
                m.space.name()
            )),
            None => Err("source is a fragment, whose reduction is not implemented".to_owned()),
        }
    }
}

/// What became of a variant.
pub(crate) struct Candidate {
    pub(crate) variant: &'static dyn Variant,
    /// Cost, or every reason against it.
    pub(crate) verdict: Result<u64, Vec<String>>,
}

impl Candidate {
    /// A line of the table that `explain` and refusals print.
    pub(crate) fn line(&self, chosen: bool) -> String {
        let mut line = format!(
            "{} (priority {}): ",
            self.variant.name(),
            self.variant.priority()
        );
        match &self.verdict {
            Ok(cost) => {
                let _ = write!(line, "accepted, cost {cost}");
            }
            Err(reasons) => line.push_str(&reasons.join("; ")),
        }
        if chosen {
            line.push_str(", chosen");
        }
        line
    }
}

/// Asks every variant, by name.
pub(crate) fn candidates(reduction: &Reduction<'_>) -> Vec<Candidate> {
    variants()
        .into_iter()
        .map(|variant| {
            let reasons: Vec<String> = variant
                .predicates()
                .iter()
                .filter_map(|p| {
                    (p.check)(reduction)
                        .err()
                        .map(|e| format!("{}: {e}", p.name))
                })
                .collect();
            let verdict = if reasons.is_empty() {
                Ok(variant.cost(reduction))
            } else {
                Err(reasons)
            };
            Candidate { variant, verdict }
        })
        .collect()
}

/// The best of those that accept: highest priority, then lowest cost, then name.
pub(crate) fn best(candidates: &[Candidate]) -> Option<&Candidate> {
    candidates
        .iter()
        .filter_map(|c| c.verdict.as_ref().ok().map(|cost| (c, *cost)))
        .min_by_key(|(c, cost)| {
            (
                std::cmp::Reverse(c.variant.priority()),
                *cost,
                c.variant.name(),
            )
        })
        .map(|(c, _)| c)
}

//===----------------------------------------------------------------------===//
// Parts of expansions
//===----------------------------------------------------------------------===//

/// Sizes of some dimensions of a memref, static or read at run time.
pub(crate) fn extents<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    memref: &MemRef<'c>,
    dimensions: &[usize],
) -> Vec<Index<'c>> {
    dimensions
        .iter()
        .map(|d| match memref.shape[*d] {
            Some(n) => Index::Const(n.cast_signed()),
            None => {
                let d = b.int(i64::try_from(*d).unwrap_or(0), b.index_type());
                Index::Val(
                    b.create("memref.dim")
                        .operands(&[value, d])
                        .result(b.index_type())
                        .value(),
                )
            }
        })
        .collect()
}

/// The product of sizes.
pub(crate) fn product<'c>(b: &Builder<'c>, sizes: &[Index<'c>]) -> Index<'c> {
    sizes.iter().fold(Index::Const(1), |n, s| b.mul(n, *s))
}

/// A linear index below the product of `sizes` as one index a dimension, without dividing by what
/// is known to be 1.
pub(crate) fn delinearize<'c>(
    b: &Builder<'c>,
    linear: Index<'c>,
    sizes: &[Index<'c>],
) -> Vec<Index<'c>> {
    let outermost = sizes.iter().position(|s| s.known() != Some(1));
    let mut rest = linear;
    let mut indices = vec![Index::Const(0); sizes.len()];
    for (i, size) in sizes.iter().enumerate().rev() {
        if Some(i) == outermost {
            indices[i] = rest;
        } else if size.known() != Some(1) {
            indices[i] = b.rem(rest, *size);
            rest = b.div(rest, *size);
        }
    }
    indices
}

/// The index of a source element: kept and reduced indices put where their dimensions are.
pub(crate) fn source_index<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    kept: &[Index<'c>],
    reduced: &[Index<'c>],
) -> Vec<Val<'c>> {
    let mut index = vec![Index::Const(0); r.kept.len() + r.reduced.len()];
    for (d, i) in r.kept.iter().zip(kept).chain(r.reduced.iter().zip(reduced)) {
        index[*d] = *i;
    }
    index.into_iter().map(|i| b.value(i)).collect()
}

/// Combines with the old value if asked to, converts, and stores one result.
///
/// `kept` are the indices of the kept dimensions in the order of [`Reduction::kept`].
pub(crate) fn store_result<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    combiner: &Combiner<'c>,
    value: Val<'c>,
    length: Index<'c>,
    kept: &[Index<'c>],
) {
    let (Some(destination), Some(memref)) = (r.view.destinations.first(), &r.destination) else {
        return;
    };
    // A reduction of nothing gives the identity.
    let value = if combiner.starts_with_nan() {
        let empty = b.equal(length, Index::Const(0));
        match empty {
            tx_mlir::build::Cond::Const(false) => value,
            _ => b.select(empty, combiner.identity(b), value),
        }
    } else {
        value
    };
    let rank = r.kept.len() + r.reduced.len();
    // With all dimensions kept, the reduced ones have size 1.
    let index: Vec<Val<'c>> = (0..rank)
        .filter_map(|d| match r.kept.iter().position(|k| *k == d) {
            Some(i) => Some(kept[i]),
            None => (memref.rank() == rank).then_some(Index::Const(0)),
        })
        .map(|i| b.value(i))
        .collect();
    // Each element of the destination is one thread's, whichever way it is computed.
    let owned = tx_mlir::i64_attribute(b.context(), r.serial);
    let value = if r.view.accumulate {
        let mut all = vec![*destination];
        all.extend(&index);
        let old = b
            .create("memref.load")
            .attr(OWNED, owned)
            .operands(&all)
            .result(memref.element)
            .value();
        // The old value keeps its bits: the wider of the two types combines.
        let wider = byte_width(memref.element) > byte_width(combiner.ty());
        let last = if wider {
            combiner.with_type(memref.element)
        } else {
            *combiner
        };
        let (old, value) = (last.widen(b, old), last.widen(b, value));
        last.combine(b, old, value)
    } else {
        value
    };
    let value = combiner.narrow(b, value, memref.element);
    let mut all = vec![value, *destination];
    all.extend(index);
    b.create("memref.store")
        .attr(OWNED, owned)
        .operands(&all)
        .build();
}

/// Attribute of accesses that an expansion makes such that each element is accessed by one thread
/// only, the same whenever the code runs on the same memref. Accesses with one number belong
/// together. `tile-insert-sync` reads and removes it.
pub(crate) const OWNED: &str = "tile.owned";

/// `memref.load`.
pub(crate) fn load<'c>(
    b: &Builder<'c>,
    memref: Val<'c>,
    element: Type<'c>,
    index: &[Val<'c>],
) -> Val<'c> {
    let mut all = vec![memref];
    all.extend(index);
    b.create("memref.load")
        .operands(&all)
        .result(element)
        .value()
}

/// One thread reduces everything, in order: loops over kept dimensions around loops over reduced
/// ones.
pub(crate) fn expand_sequential<'c>(b: &Builder<'c>, r: &Reduction<'c>) {
    let (Some(source), Ok(combiner)) = (&r.source, r.combiner()) else {
        return;
    };
    let value = r.view.sources[0];
    let kept = extents(b, value, source, &r.kept);
    let reduced = extents(b, value, source, &r.reduced);
    let length = product(b, &reduced);
    nest(b, &kept, &mut Vec::new(), &[], &mut |b, kept_index, _| {
        let start = combiner.start(b);
        let done = nest(
            b,
            &reduced,
            &mut Vec::new(),
            &[start],
            &mut |b, index, carried| {
                let at = source_index(b, r, kept_index, index);
                let element = load(b, value, source.element, &at);
                let element = combiner.widen(b, element);
                vec![combiner.combine(b, carried[0], element)]
            },
        );
        store_result(b, r, &combiner, done[0], length, kept_index);
        Vec::new()
    });
}

type Body<'b, 'c> = dyn FnMut(&Builder<'c>, &[Index<'c>], &[Val<'c>]) -> Vec<Val<'c>> + 'b;

/// Nested loops from 0 to each size, the first outermost.
pub(crate) fn nest<'c>(
    b: &Builder<'c>,
    sizes: &[Index<'c>],
    index: &mut Vec<Index<'c>>,
    carried: &[Val<'c>],
    body: &mut Body<'_, 'c>,
) -> Vec<Val<'c>> {
    match sizes.get(index.len()) {
        None => body(b, index, carried),
        Some(size) => b.for_loop(
            Index::Const(0),
            *size,
            Index::Const(1),
            carried,
            |b, i, carried| {
                index.push(i);
                let left = nest(b, sizes, index, carried, body);
                index.pop();
                left
            },
        ),
    }
}
