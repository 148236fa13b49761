//! Programs as plain data, from which their text follows.
//!
//! A description holds choices and nothing that follows from them: sizes of destinations, types of
//! views and layouts of results are worked out when it is printed. So a smaller description is a
//! program again, most of the time.

use crate::combine::Combine;
use crate::element::Element;
use serde::{Deserialize, Serialize};

/// A program, and what it is validated with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The chip it is compiled for.
    pub chip: String,
    /// What inputs depend on.
    pub seed: u64,
    /// The program.
    pub program: Program,
}

/// A kernel written by hand, or a host function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Program {
    /// A `gpu.func`.
    Kernel(Kernel),
    /// A `func.func` on whole arrays.
    Host(Host),
    /// A `func.func` whose ops share rows.
    Rows(Rows),
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Threads along x, y and z.
    pub block: [usize; 3],
    /// Blocks along x, y and z, each with parts of all arguments.
    #[serde(default = "one_block")]
    pub grid: [usize; 3],
    /// What it does, one after the other.
    pub work: Vec<Work>,
}

/// Who executes an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// One thread.
    Thread,
    /// 32 lanes.
    Warp,
    /// Four warps.
    Warpgroup,
    /// The block.
    Cta,
}

/// Which groups of the scope execute an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Groups {
    /// All of them, each with results of its own.
    Each,
    /// This one, under a condition.
    Only(usize),
}

/// Something that a kernel does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The scope of its ops.
    pub scope: Scope,
    /// Who of them.
    pub groups: Groups,
    /// The iterations of a loop around it, each with a part of the source and results of its own.
    pub turns: Option<usize>,
    /// The op.
    pub op: KernelOp,
}

/// An op with what it takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelOp {
    /// `tile.reduce` of memory.
    Reduce(Reduce),
    /// `tile.load`, `tile.reduce`, `tile.store`.
    Fragment(Fragment),
    /// `tile.all_reduce` of a value a thread.
    Lanes(Lanes),
    /// `tile.copy`.
    Copy(Copy),
    /// `gpu.barrier`.
    Barrier,
}

/// A reduction of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduce {
    /// What is computed.
    pub combine: Combine,
    /// What from.
    pub source: Source,
    /// The reduced dimensions.
    pub axes: Vec<usize>,
    /// Whether these are written as negative numbers.
    pub negative: bool,
    /// Whether reduced dimensions are kept as 1.
    pub keep: bool,
    /// Where to.
    pub to: Destination,
}

/// A reduction of a tile in registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragment {
    /// What is computed.
    pub combine: Combine,
    /// Where the elements of the source live, and which entries make up each dimension.
    pub layout: Layout,
    /// The reduced dimensions.
    pub axes: Vec<usize>,
    /// Whether reduced dimensions are kept as 1.
    pub keep: bool,
    /// Where the elements of the result live.
    pub result: ResultLayout,
    /// Whether each group loads a tile of its own.
    pub each: bool,
    /// The memory it is loaded from.
    pub space: Space,
    /// How that is seen.
    pub view: View,
    /// Where to.
    pub to: Destination,
}

/// A reduction of one value a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lanes {
    /// What is computed; `accumulate` and wider destinations are left out.
    pub combine: Combine,
    /// Threads of a group, and how far apart they are.
    pub groups: Option<(usize, usize)>,
}

/// A copy of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// What its elements are.
    pub element: Element,
    /// What from.
    pub source: Source,
    /// Where to.
    pub to: Destination,
}

/// Memory that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// An argument, or a copy of it in other memory.
    Fresh(Tile),
    /// What an earlier op wrote.
    Result {
        /// Which op.
        work: usize,
        /// Which of its destinations, for ops of one source; the others take the first ones.
        part: usize,
    },
}

/// A tile of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tile {
    /// Its sizes.
    pub shape: Vec<usize>,
    /// Where it is.
    pub space: Space,
    /// How it is seen.
    pub view: View,
    /// Whether each group has one of its own.
    pub each: bool,
}

/// Memory that is written. Results in other memory than global are copied to an argument at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// Where it is.
    pub space: Space,
    /// How it is seen.
    pub view: View,
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Space {
    /// Every thread's.
    Global,
    /// A block's.
    Shared,
    /// A thread's.
    Private,
}

/// How a tile lies in its memory. Lists are for the first dimensions; the others are as if nothing was said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Elements before the first, along each dimension.
    pub before: Vec<usize>,
    /// Elements after the last.
    pub after: Vec<usize>,
    /// Distance of neighbours; 0 gives all of them one place.
    pub step: Vec<usize>,
    /// Which dimension of the tile each dimension of the memory is, outermost first.
    pub order: Vec<usize>,
    /// Dimensions whose sizes the type does not say.
    pub loose: Vec<bool>,
    /// Whether the type of the argument says nothing of sizes.
    pub open: bool,
}

/// One entry of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iter {
    /// Coordinates.
    pub extent: usize,
    /// Their distance.
    pub stride: usize,
    /// Where.
    pub axis: Axis,
}

/// A dimension of the machine.
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

/// A layout of a fragment with its dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// For each dimension its entries, innermost last.
    pub dims: Vec<Vec<Iter>>,
    /// Where else.
    pub replica: Vec<Iter>,
    /// How far everything is moved.
    pub offset: Vec<(usize, Axis)>,
}

/// How the layout of a result follows from that of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultLayout {
    /// Entries that are kept stay where they are; every thread that had a part gets the result.
    Everyone,
    /// Entries that are kept stay where they are, and the first thread that had a part gets the result.
    First,
    /// All results in the registers of every thread of the scope.
    Registers,
    /// All results in the registers of the first thread.
    OneThread,
    /// All results in registers of as many lanes as there are, one after the other.
    Lanes,
}

/// A host function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// What it does, one after the other.
    pub jobs: Vec<Job>,
    /// Whether temporaries are freed.
    pub free: bool,
}

/// Work on whole arrays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What is computed.
    pub combine: Combine,
    /// What from.
    pub source: HostSource,
    /// The reduced dimensions.
    pub axes: Vec<usize>,
    /// Whether reduced dimensions are kept as 1.
    pub keep: bool,
    /// How it is written.
    pub form: Form,
    /// What is computed of each element before it is combined.
    pub element: Option<ElementWork>,
    /// What is computed of each result before it is stored.
    pub epilogue: Option<EpilogueWork>,
    /// The order of the iteration space, where the form lets choose: dimension of the source for each loop.
    pub order: Vec<usize>,
    /// Whether the destination is a temporary.
    pub temporary: bool,
    /// How the destination is seen.
    pub view: View,
    /// How its iterations are cut and bound, if that is said.
    pub schedule: Option<Vec<Step>>,
}

/// What a job reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostSource {
    /// An argument of these sizes, seen in this way.
    Fresh(Vec<usize>, View),
    /// The first destination of an earlier job.
    Result(usize),
}

/// How a job is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `tile.reduce … scope(grid)`.
    Tile,
    /// The same with `maps`.
    Mapped,
    /// `linalg.reduce`.
    LinalgReduce,
    /// `linalg.generic` with reduction iterators.
    Generic,
    /// An element-wise `linalg.generic`.
    Map,
    /// `memref.copy`.
    Copy,
    /// A convolution, `linalg.generic` or `tile.reduce`: the sizes are those of the result and of the filter.
    Window(bool),
    /// Mean and variance by Welford's combiner, of one source of f32.
    Welford,
}

/// What is computed of each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementWork {
    /// Its square.
    Square,
    /// Its product with the element of another array of the same sizes.
    Product,
    /// The element where the index along the last dimension is odd, and 1 elsewhere.
    Odd,
}

/// What is computed of each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EpilogueWork {
    /// Twice the result.
    Twice,
    /// The result and an element of another array of the destination's sizes.
    Add,
}

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Cuts a loop.
    Split(String, usize),
    /// Makes one loop of several.
    Fuse(Vec<String>, String),
    /// Nests loops in this order.
    Reorder(Vec<String>),
    /// Runs a loop on a processor.
    Bind(String, String),
    /// Keeps partial results.
    RFactor(String),
    /// Writes a loop out.
    Unroll(String),
    /// Writes a loop out, and loads at once.
    Vectorize(String),
}

/// A host function on matrices of one size, whose ops share the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Sizes of the matrices.
    pub rows: usize,
    /// Elements of a row.
    pub columns: usize,
    /// Whether no type says these.
    pub open: bool,
    /// Whether functions and quotients may be approximate.
    #[serde(default)]
    pub approximate: bool,
    /// The elements of matrices. One for each row has the type of its partial results.
    pub element: Element,
    /// What it does, one after the other.
    pub ops: Vec<RowOp>,
    /// How the ops share a kernel, if that is said.
    pub mapping: Option<Mapping>,
}

/// An op of a [`Rows`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowOp {
    /// What it makes.
    pub makes: Makes,
    /// What of, and how each but the first is combined with those before it.
    pub of: Vec<(Operand, Binary)>,
    /// What is computed of that.
    pub unary: Option<Unary>,
    /// Whether the result is a temporary; that of the last op is an argument.
    pub temporary: bool,
    /// Whether a matrix is written over the first one.
    pub in_place: bool,
}

/// What an op makes of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Makes {
    /// The sum of each row.
    Sum,
    /// Its largest element.
    Max,
    /// Its least.
    Min,
    /// A matrix, element by element.
    Matrix,
    /// One element for each row, of others.
    Row,
}

/// What an op reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operand {
    /// A matrix that is an argument, by its number.
    Matrix(usize),
    /// An argument with an element for each row.
    Row,
    /// An argument with an element for each column.
    Column,
    /// What an earlier op made.
    Result(usize),
}

/// How two values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Binary {
    /// Their sum.
    Add,
    /// Their difference.
    Subtract,
    /// Their product.
    Multiply,
    /// The larger one.
    Larger,
}

/// What is computed of one value; of integers the square alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unary {
    /// Its square.
    Square,
    /// Its distance from 0.
    Absolute,
    /// The exponential of the negative of that.
    Exponential,
    /// The value divided by its distance from 0 and 1 more.
    Share,
}

/// How the threads of a block share rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// Rows of a block.
    pub rows: usize,
    /// Threads of a row in one block.
    pub threads: usize,
    /// Blocks of a cluster that share a row.
    pub blocks: usize,
    /// Loads of a thread that are unrolled, where values are not held.
    pub loads: usize,
    /// Neighbours that one load takes.
    pub vector: usize,
    /// Whether values are held in registers.
    pub holds: bool,
    /// Whether values with one element a row are, where others are not.
    #[serde(default)]
    pub holds_totals: bool,
}

fn one_block() -> [usize; 3] {
    [1; 3]
}

impl Scope {
    /// The name in the dialect.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Warp => "warp",
            Self::Warpgroup => "warpgroup",
            Self::Cta => "cta",
        }
    }

    /// Threads of a group.
    pub(crate) fn threads(self, block: usize) -> usize {
        match self {
            Self::Thread => 1,
            Self::Warp => 32,
            Self::Warpgroup => 128,
            Self::Cta => block,
        }
    }

    /// Groups of a block; the last may have fewer threads.
    pub(crate) fn groups(self, block: usize) -> usize {
        block.div_ceil(self.threads(block))
    }
}

impl Space {
    /// What a memref type says of it.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Global => "",
            Self::Shared => ", #gpu.address_space<workgroup>",
            Self::Private => ", #gpu.address_space<private>",
        }
    }
}

impl Axis {
    /// The name in the dialect.
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
    /// Threads of the block.
    pub(crate) fn threads(&self) -> usize {
        self.block.iter().product()
    }

    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> usize {
        self.grid.iter().product()
    }
}

impl Layout {
    /// The sizes of the fragment.
    pub(crate) fn shape(&self) -> Vec<usize> {
        let size = |dim: &Vec<Iter>| dim.iter().map(|iter| iter.extent).product();
        self.dims.iter().map(size).collect()
    }
}
