//! Descriptions of random programs as plain data.
//!
//! The description of a program contains only the independent parameters of the program, such as
//! shapes and block sizes. The printer derives destination sizes, view types and result layouts
//! from the description of a program, so most shrunk descriptions still yield valid programs.

use crate::combine::Combine;
use crate::element::Element;
use serde::{Deserialize, Serialize};

/// Test case: a program, its target chip, and the seed of its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Target chip.
    pub chip: String,
    /// Seed of the inputs.
    pub seed: u64,
    /// Program.
    pub program: Program,
}

/// Generated program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Program {
    /// Kernel as a `gpu.func`.
    Kernel(Kernel),
    /// `func.func` with grid-level ops.
    Host(Host),
    /// `func.func` with several ops on the rows of matrices; the compiler fuses these ops into one
    /// kernel.
    Rows(Rows),
}

/// Kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Number of threads per block along x, y and z.
    pub block: [usize; 3],
    /// Number of blocks of the grid along x, y and z. Each block accesses a separate part of every
    /// argument.
    #[serde(default = "one_block")]
    pub grid: [usize; 3],
    /// Operations of the kernel, in program order.
    pub work: Vec<Work>,
}

/// Scope of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// One thread.
    Thread,
    /// Warp of 32 lanes.
    Warp,
    /// Warpgroup of four warps.
    Warpgroup,
    /// Thread block.
    Cta,
}

/// Thread groups that execute an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Groups {
    /// Every thread group executes the op and writes its own results.
    Each,
    /// Only the thread group with the given index executes the op, inside an `scf.if`.
    Only(usize),
}

/// Operation of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Scope of the ops.
    pub scope: Scope,
    /// Thread groups that execute the op.
    pub groups: Groups,
    /// Trip count of the loop around the op; `None` if no loop surrounds the op. Each loop
    /// iteration writes a separate tile of the result. If the source is an argument, each loop
    /// iteration also reads a separate tile of the source.
    pub turns: Option<usize>,
    /// Operation.
    pub op: KernelOp,
}

/// Operation with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelOp {
    /// `tile.reduce` in memory.
    Reduce(Reduce),
    /// `tile.load`, `tile.reduce` and `tile.store` of a fragment in registers.
    Fragment(Fragment),
    /// `tile.all_reduce` of one value per thread.
    Lanes(Lanes),
    /// `tile.copy`.
    Copy(Copy),
    /// `gpu.barrier`.
    Barrier,
}

/// Reduction in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduce {
    /// Combiner.
    pub combine: Combine,
    /// Source.
    pub source: Source,
    /// Reduced dimensions.
    pub axes: Vec<usize>,
    /// Set if the axes are printed as negative numbers.
    pub negative: bool,
    /// Set if the result keeps each reduced dimension with size 1.
    pub keep: bool,
    /// Destination.
    pub to: Destination,
}

/// Reduction of a fragment in registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragment {
    /// Combiner.
    pub combine: Combine,
    /// Layout of the source fragment, which also determines the shape of the fragment.
    pub layout: Layout,
    /// Reduced dimensions.
    pub axes: Vec<usize>,
    /// Set if the result keeps each reduced dimension with size 1.
    pub keep: bool,
    /// Layout of the result.
    pub result: ResultLayout,
    /// Set if each thread group loads a separate tile; not set if all thread groups load the same
    /// tile.
    pub each: bool,
    /// Memory space of the source.
    pub space: Space,
    /// View of the source.
    pub view: View,
    /// Destination.
    pub to: Destination,
}

/// Reduction of one value per thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lanes {
    /// Combiner. For a `tile.all_reduce`, `accumulate` must not be set, and the destination types
    /// must not be wider than the accumulator types.
    pub combine: Combine,
    /// Attributes `width` and `stride` of the op: number of threads per group, and difference
    /// between the indices of consecutive threads of a group.
    pub groups: Option<(usize, usize)>,
}

/// Copy of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// Element type.
    pub element: Element,
    /// Source.
    pub source: Source,
    /// Destination.
    pub to: Destination,
}

/// Memory that an op reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// Argument in global memory, or a copy of an argument in shared or private memory.
    Fresh(Tile),
    /// Result of a preceding op of the kernel.
    Result {
        /// Index of the preceding op in [`Kernel::work`].
        work: usize,
        /// For an op with one source: index of the source among the results of the preceding op. An
        /// op with N > 1 sources ignores `part`, and reads the first N results of the preceding op.
        part: usize,
    },
}

/// Tile in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tile {
    /// Shape.
    pub shape: Vec<usize>,
    /// Memory space.
    pub space: Space,
    /// View.
    pub view: View,
    /// Set if each thread group reads a separate tile.
    pub each: bool,
}

/// Memory that an op writes. If a result is not in global memory, the kernel finally copies the
/// result to an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// Memory space.
    pub space: Space,
    /// View.
    pub view: View,
}

/// Memory space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Space {
    /// Global memory.
    Global,
    /// Shared memory of a block.
    Shared,
    /// Private memory of a thread.
    Private,
}

/// Position of a tile within a larger array. A missing entry of the list `before` or `after` stands
/// for 0, a missing entry of `step` for 1, and a missing entry of `loose` for false.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Number of elements of the array before the tile, along each dimension.
    pub before: Vec<usize>,
    /// Number of elements of the array after the tile, along each dimension.
    pub after: Vec<usize>,
    /// Stride of the view along each dimension; stride 0 maps all indices to one element.
    pub step: Vec<usize>,
    /// Tile dimension that corresponds to each memory dimension; the outermost memory dimension is
    /// first.
    pub order: Vec<usize>,
    /// For each dimension, whether the size is dynamic in the type of the view.
    pub loose: Vec<bool>,
    /// Set if all sizes in the type of the argument are dynamic.
    pub open: bool,
}

/// Iterator of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iter {
    /// Number of coordinates.
    pub extent: usize,
    /// Stride of the coordinates.
    pub stride: usize,
    /// Hardware axis.
    pub axis: Axis,
}

/// Hardware axis of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Axis {
    /// Register of a thread.
    Reg,
    /// Lane of a warp.
    Lane,
    /// Warp of the block.
    Warp,
    /// Warp of a warpgroup.
    WarpInGroup,
    /// Thread of a warpgroup.
    ThreadInGroup,
    /// Warpgroup of the block.
    Warpgroup,
    /// Thread of the block.
    Thread,
}

/// Layout of a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Layout iterators of each fragment dimension; the last iterator of a dimension is the
    /// innermost.
    pub dims: Vec<Vec<Iter>>,
    /// Replication iterators, which place copies of each element in additional threads and
    /// registers.
    pub replica: Vec<Iter>,
    /// Offset of the layout along each hardware axis.
    pub offset: Vec<(usize, Axis)>,
}

/// Rule that derives the layout of a result from the layout of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultLayout {
    /// The layout iterators of the non-reduced dimensions are unchanged; every thread that
    /// contributes elements to a result holds a copy of this result.
    Everyone,
    /// The layout iterators of the non-reduced dimensions are unchanged; only the first thread that
    /// contributes elements to a result holds this result.
    First,
    /// Every thread of the group that executes the op holds all results in registers.
    Registers,
    /// The first thread of the group that executes the op holds all results in registers.
    OneThread,
    /// Consecutive threads of the group that executes the op hold one result each.
    Lanes,
}

/// Host function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Grid-level ops, in program order.
    #[serde(rename = "jobs")]
    pub ops: Vec<GridOp>,
    /// Set if the function deallocates its temporaries.
    pub free: bool,
}

/// Grid-level op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridOp {
    /// Combiner.
    pub combine: Combine,
    /// Source.
    pub source: HostSource,
    /// Reduced dimensions.
    pub axes: Vec<usize>,
    /// Set if the result keeps each reduced dimension with size 1.
    pub keep: bool,
    /// Op with which the program expresses the grid-level computation.
    pub form: Form,
    /// Computation on each element before reduction.
    pub element: Option<ElementWork>,
    /// Computation on each result before the store.
    pub epilogue: Option<EpilogueWork>,
    /// If the op has indexing maps: for each loop, the dimension of the source over which the loop
    /// iterates.
    pub order: Vec<usize>,
    /// Set if the destination is a temporary.
    pub temporary: bool,
    /// View of the destination.
    pub view: View,
    /// Schedule, if specified.
    pub schedule: Option<Vec<StepDescription>>,
}

/// Source of a grid-level op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostSource {
    /// Argument with a shape and a view.
    Fresh(Vec<usize>, View),
    /// First destination array of a preceding op, by the index of this op in [`Host::ops`].
    Result(usize),
}

/// Op with which a program expresses a grid-level computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `tile.reduce … scope(grid)`.
    Tile,
    /// `tile.reduce … scope(grid)` with the attribute `maps`.
    Mapped,
    /// `linalg.reduce`.
    LinalgReduce,
    /// `linalg.generic` with reduction iterators.
    Generic,
    /// Element-wise `linalg.generic`.
    Map,
    /// `memref.copy`.
    Copy,
    /// `Window(true)` is a convolution as a `linalg.generic`; `Window(false)` is a convolution as a
    /// `tile.reduce`. For a convolution, the shape in [`HostSource::Fresh`] contains the two sizes
    /// of the result, followed by the two sizes of the filter; the printer derives the image sizes
    /// from these four sizes.
    Window(bool),
    /// Computation of the mean and the variance of an f32 source with Welford's combiner.
    Welford,
}

/// Computation on each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementWork {
    /// Square.
    Square,
    /// Product of the source element and the corresponding element of a second array.
    Product,
    /// Yields the source element if its index along the last dimension is odd, and yields 1 if this
    /// index is even.
    Odd,
}

/// Computation on each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EpilogueWork {
    /// Twice the result.
    Twice,
    /// Sum of the reduction result and the corresponding element of a second array.
    Add,
}

/// Schedule step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepDescription {
    /// Splits a loop by a factor.
    Split(String, usize),
    /// Fuses several loops.
    Fuse(Vec<String>, String),
    /// Reorders loops.
    Reorder(Vec<String>),
    /// Binds a loop to a hardware dimension, such as the blocks of the grid.
    Bind(String, String),
    /// Computes a separate partial result for each iteration of a loop (rfactor).
    RFactor(String),
    /// Unrolls a loop.
    Unroll(String),
    /// Vectorizes a loop.
    Vectorize(String),
}

/// Host function with several ops that the compiler fuses into one kernel. The ops operate on the
/// rows of equal-sized matrices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Set if the sizes of the matrices are dynamic.
    pub open: bool,
    /// Set if the program permits approximate functions and divisions.
    #[serde(default)]
    pub approximate: bool,
    /// Element type of the matrices. The elements of arrays with one element per row have the
    /// accumulator type of `element`.
    pub element: Element,
    /// Ops, in program order.
    pub ops: Vec<RowOp>,
    /// Mapping of the rows to threads; `None` if the program specifies no mapping.
    pub mapping: Option<Mapping>,
}

/// Op on the rows of matrices, in a [`Rows`] function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowOp {
    /// Kind of result.
    pub makes: Makes,
    /// Operands of the op. The op combines the operands from left to right. The binary op of an
    /// operand combines the operand with the preceding operands; the binary op of the first operand
    /// has no effect.
    pub of: Vec<(Operand, Binary)>,
    /// Unary function that is applied to the combined operands.
    pub unary: Option<Unary>,
    /// Set if the result is a temporary. The result of the last op is always an argument.
    pub temporary: bool,
    /// Set if the op overwrites the first matrix argument.
    pub in_place: bool,
}

/// Result that an op on the rows of matrices computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Makes {
    /// Sum of each row.
    Sum,
    /// Maximum of each row.
    Max,
    /// Minimum of each row.
    Min,
    /// Matrix, computed element by element.
    Matrix,
    /// Array with one element per row, computed from arrays with one element per row.
    Row,
}

/// Operand of an op on rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operand {
    /// Matrix argument, by its index among the matrix arguments.
    Matrix(usize),
    /// Argument with one element per row.
    Row,
    /// Argument with one element per column.
    Column,
    /// Result of a preceding op, by the index of this op in [`Rows::ops`].
    Result(usize),
}

/// Binary op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Binary {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Maximum.
    Larger,
}

/// Unary function of an element. A program with integer matrices applies no unary function except
/// the square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unary {
    /// Square.
    Square,
    /// Absolute value.
    Absolute,
    /// exp(-|x|).
    Exponential,
    /// Softsign: x / (|x| + 1).
    Share,
}

/// Mapping of rows to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// Number of rows per block.
    pub rows: usize,
    /// Number of threads per row in one block.
    pub threads: usize,
    /// Number of blocks per row (cluster size).
    pub blocks: usize,
    /// Unroll factor of the loads of a thread. The unroll factor has no effect if registers hold
    /// the matrix rows between the fused ops.
    pub loads: usize,
    /// Number of elements of a vector load.
    pub vector: usize,
    /// Set if matrix rows are kept in registers between the fused ops.
    pub holds: bool,
    /// Set if registers hold arrays with one element per row, but no matrix rows, between the fused
    /// ops.
    #[serde(default)]
    pub holds_totals: bool,
}

fn one_block() -> [usize; 3] {
    [1; 3]
}

impl Scope {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Warp => "warp",
            Self::Warpgroup => "warpgroup",
            Self::Cta => "cta",
        }
    }

    /// Returns the number of threads per thread group of a scope, such as 32 threads for a warp.
    pub(crate) fn threads(self, block: usize) -> usize {
        match self {
            Self::Thread => 1,
            Self::Warp => 32,
            Self::Warpgroup => 128,
            Self::Cta => block,
        }
    }

    /// Returns the number of thread groups per block; the last group can have fewer threads.
    pub(crate) fn groups(self, block: usize) -> usize {
        block.div_ceil(self.threads(block))
    }
}

impl Space {
    /// Returns the memory space in the syntax of a memref type.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Global => "",
            Self::Shared => ", #gpu.address_space<workgroup>",
            Self::Private => ", #gpu.address_space<private>",
        }
    }
}

impl Axis {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reg => "reg",
            Self::Lane => "lane",
            Self::Warp => "warp",
            Self::WarpInGroup => "warp_in_group",
            Self::ThreadInGroup => "thread_in_group",
            Self::Warpgroup => "warpgroup",
            Self::Thread => "thread",
        }
    }
}

impl Kernel {
    pub(crate) fn threads(&self) -> usize {
        self.block.iter().product()
    }

    pub(crate) fn blocks(&self) -> usize {
        self.grid.iter().product()
    }
}

impl Layout {
    pub(crate) fn shape(&self) -> Vec<usize> {
        let size = |dim: &Vec<Iter>| dim.iter().map(|iter| iter.extent).product();
        self.dims.iter().map(size).collect()
    }
}
