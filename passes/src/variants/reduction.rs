//! Properties of a reduction that variants use.

use crate::analysis::kernel::Kernel;
use crate::analysis::shared_memory::SHARED_ALIGNMENT;
use crate::combiner::Combiner;
use melior::ir::ValueLike;
use tx_dialect_tile::{Determinism, Fragment, Reduce};
use tx_mlir::memref::Space;
use tx_mlir::{Failed, MemRef, Op, Val, byte_width};
use tx_target::Chip;

/// A `tile.reduce` in a kernel, with the properties that variants use.
#[derive(Clone)]
pub struct Reduction<'c> {
    /// The op.
    pub view: Reduce<'c>,
    /// Chip for which the kernel is compiled.
    pub chip: Chip,
    /// Sources in memory, which all have the same shape; empty if the sources are fragments.
    pub sources: Vec<MemRef<'c>>,
    /// Destinations in memory; empty if the results are fragments.
    pub destinations: Vec<MemRef<'c>>,
    /// Sizes of the sources; `None` for a dynamic size.
    pub shape: Vec<Option<u64>>,
    /// Parallel dimensions of the source, outermost first.
    pub kept: Vec<usize>,
    /// Reduced dimensions of the source: in order of the dimension number for fragments and for
    /// batch-invariant reductions, and in order of descending stride for all other reductions.
    pub reduced: Vec<usize>,
    /// Number of threads that execute the op together.
    pub threads: i64,
    /// Number of thread positions in the scope, including positions without a thread; at least
    /// [`Self::threads`]. A position may lack a thread: for example, the last warp of a block may
    /// have fewer than 32 threads.
    pub span: i64,
    /// Known alignment in bytes of the first element of every source.
    pub alignment: u64,
    /// Position of this op in the list of all reductions of its module.
    pub serial: i64,
    /// True if the same threads are active in every execution of the op: the condition of each
    /// `scf.if` around the op is defined at the top level of the kernel, outside of all loops.
    pub steady: bool,
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
        let sources: Vec<MemRef<'c>> = view.sources.iter().filter_map(|s| MemRef::of(*s)).collect();
        let shape = match (sources.first(), Fragment::from_type(first.r#type())) {
            (Some(memref), _) => memref.shape.clone(),
            (None, Some(fragment)) => fragment.shape.into_iter().map(Some).collect(),
            (None, None) => return Err(internal("the source is no tile")),
        };
        let mut reduced = view
            .reduced_axes(shape.len())
            .ok_or_else(|| internal("bad axes"))?;
        let mut kept: Vec<usize> = (0..shape.len()).filter(|d| !reduced.contains(d)).collect();
        if let Some(memref) = sources.first() {
            // In a batch-invariant reduction, the order of combinations must not depend on strides.
            if !batch_invariant(view.op) {
                sort_by_stride(&mut reduced, memref);
            }
            sort_by_stride(&mut kept, memref);
        }
        Ok(Self {
            chip: kernel.chip(),
            destinations: view
                .destinations
                .iter()
                .filter_map(|d| MemRef::of(*d))
                .collect(),
            alignment: view
                .sources
                .iter()
                .zip(&sources)
                .map(|(v, m)| alignment(*v, m))
                .min()
                .unwrap_or(1),
            sources,
            shape,
            kept,
            reduced,
            serial,
            steady: is_steady(view.op),
            threads,
            span: kernel.threads_of(view.scope).min(kernel.threads),
            kernel,
            view,
        })
    }

    /// Returns the first source, if it is in memory.
    pub fn source(&self) -> Option<&MemRef<'c>> {
        self.sources.first()
    }

    /// Returns the number of results, if it is static.
    pub fn results(&self) -> Option<u64> {
        self.extent_of(&self.kept)
    }

    /// Returns the number of elements that one result combines, if it is static.
    pub fn length(&self) -> Option<u64> {
        self.extent_of(&self.reduced)
    }

    fn extent_of(&self, dimensions: &[usize]) -> Option<u64> {
        dimensions
            .iter()
            .try_fold(1u64, |n, d| n.checked_mul(self.shape[*d]?))
    }

    /// Returns the contiguous dimension of the source: the dimension with the smallest stride.
    pub fn contiguous(&self) -> Option<usize> {
        let source = self.source()?;
        (0..source.rank())
            .filter(|d| source.shape[*d] != Some(1))
            // If several dimensions have the smallest stride, the last of them is chosen. A dynamic
            // stride counts as greater than any static stride.
            .min_by_key(|d| (source.strides[*d].unwrap_or(i64::MAX), std::cmp::Reverse(*d)))
    }

    /// Returns the size of the widest source element type in bytes.
    pub fn element_bytes(&self) -> Option<u64> {
        self.sources
            .iter()
            .filter_map(|s| byte_width(s.element))
            .max()
    }

    /// Emits the index of the first element that the current thread combines: the position of the
    /// thread in the scope. Each thread combines every [`Self::threads`]-th element of the `length`
    /// elements. For a thread whose position is at least [`Self::threads`], the emitted index is
    /// `length`, so the thread combines no elements.
    pub fn first_of(
        &self,
        b: &tx_mlir::Builder<'c>,
        length: tx_mlir::Index<'c>,
    ) -> tx_mlir::Index<'c> {
        let position = self.position(b);
        if self.span == self.threads {
            return position;
        }
        let takes = b.less(position, tx_mlir::Index::Const(self.threads));
        b.select_index(takes, position, length)
    }

    /// Emits the position of the current thread among the threads of the scope, from 0 to
    /// [`Self::span`] - 1.
    pub fn position(&self, b: &tx_mlir::Builder<'c>) -> tx_mlir::Index<'c> {
        let thread = self.kernel.thread(b);
        self.kernel.position(b, thread, self.view.scope)
    }

    /// Returns whether the op has `determinism = #tile.determinism<batch_invariant>`: the bits of a
    /// result must not depend on the number of results.
    pub fn batch_invariant(&self) -> bool {
        batch_invariant(self.view.op)
    }

    /// Returns the combiner of the reduction.
    ///
    /// # Errors
    /// Returns the reason why the reduction kind and the element type have no combiner.
    pub fn combiner(&self) -> Result<Combiner<'c>, String> {
        Combiner::of_reduce(&self.view)
    }
}

/// Returns whether the condition of each `scf.if` around `op` is defined at the top level of the
/// kernel.
fn is_steady(op: Op<'_>) -> bool {
    let mut branches = tx_mlir::ancestors(op).filter(|o| tx_mlir::is(*o, "scf.if"));
    branches.all(|branch| {
        let condition = tx_mlir::operands(branch)[0];
        tx_mlir::ancestors(branch)
            .take_while(|o| !tx_mlir::is(*o, "gpu.func"))
            .all(|around| !tx_mlir::is_defined_in(condition, around))
    })
}

fn batch_invariant(op: Op<'_>) -> bool {
    tx_mlir::attribute(op, "determinism")
        .and_then(Determinism::of)
        .is_some_and(|d| d == Determinism::BatchInvariant)
}

fn sort_by_stride(dimensions: &mut [usize], memref: &MemRef<'_>) {
    if dimensions.iter().all(|d| memref.strides[*d].is_some()) {
        dimensions.sort_by_key(|d| std::cmp::Reverse(memref.strides[*d]));
    }
}

/// Returns the known alignment of the first element of `value`, in bytes. The known alignment is
/// the alignment of the element type, or a greater alignment that the compiler chooses for shared
/// memory of this kernel.
fn alignment(value: Val<'_>, memref: &MemRef<'_>) -> u64 {
    let element = byte_width(memref.element).unwrap_or(1);
    // The result type of `memref.view` does not contain the byte offset of the view.
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

/// Returns the kernel and the number of a workgroup attribution, if `value` is the attribution or a
/// view of the attribution.
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
