//! Choices of the compiler for an op, with their reasons. `tx explain` prints the choices of the
//! compiler, `tx report` draws the choices, and passes emit the choices as remarks.

mod text;

pub use text::{BY_RULES, FIRST_CASE, NO_LANES, steps_text};

use serde::Serialize;

/// Choice of the compiler for one op.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Name of the op, such as `tile.reduce`.
    pub op: String,
    /// Source position of the op; `None` if unknown.
    pub place: Option<SourcePlace>,
    /// Choice and its alternatives.
    pub choice: Choice,
}

/// Position in a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcePlace {
    /// File name, as given to the parser.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

/// Choice of the compiler: a schedule, the assignment of ops to a kernel, the variant of a
/// reduction, or an exchange method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Schedule of a grid-level op.
    Schedule(ScheduleChoice),
    /// Choice to compute several ops with one kernel.
    Group(GroupChoice),
    /// Reason why the compiler does not compute the op in the kernel of the preceding ops.
    Apart(ApartChoice),
    /// Lowering variant that the compiler chose for a reduction in a kernel.
    Variant(VariantChoice),
    /// Method by which threads exchange values to combine their partial results.
    Exchange(ExchangeChoice),
}

/// Chosen schedule of an op, and the alternative schedules.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleChoice {
    /// Name of the rule that chose the schedule; `None` if the program specifies the schedule.
    pub mapping: Option<String>,
    /// Schedule cases, in order; each case is a schedule for a range of row lengths. A launch uses
    /// the first schedule case whose maximum row length is at least the actual row length.
    pub cases: Vec<ScheduleCase>,
    /// Estimated times of the chosen schedule and of the alternative schedules; `None` for an op
    /// without a reduction dimension.
    pub estimates: Option<Estimates>,
}

/// Kernel of several ops.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupChoice {
    /// Name of the rule that chose the schedule; `None` if the program specifies the schedule.
    pub mapping: Option<String>,
    /// Name of the kernel; `None` before the kernel exists.
    pub kernel: Option<String>,
    /// Range of row lengths for which the kernel is launched, as text; `None` for all lengths.
    pub lengths: Option<String>,
    /// Number of threads per block.
    pub threads: i64,
    /// Number of blocks per cluster; all blocks of a cluster process the same rows.
    pub blocks: i64,
    /// Ops of the kernel, in order.
    pub ops: Vec<GroupedOp>,
    /// Arrays that the ops of the kernel access.
    pub arrays: Vec<GroupedArray>,
    /// Number of bytes that the kernel reads and writes; `None` if the size of an array is dynamic.
    pub traffic: Option<Traffic>,
    /// Steps of the schedule.
    pub steps: Vec<ScheduleStep>,
}

/// Op of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupedOp {
    /// Name of the op, such as `tile.reduce`.
    pub op: String,
    /// Source position of the op; `None` if unknown.
    pub place: Option<SourcePlace>,
}

/// Array that the ops of one kernel access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupedArray {
    /// Name of the array in schedules: `in0`, `tmp0`, `out0`.
    pub name: String,
    /// Index of the corresponding function argument; `None` for a temporary.
    pub argument: Option<usize>,
    /// Whether the kernel keeps the elements of the array in registers between the ops of the
    /// kernel.
    pub is_held: bool,
    /// Whether the kernel stores the elements of the array to memory.
    pub is_stored: bool,
}

/// Number of bytes that a kernel reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Number of bytes that all ops of the kernel read and write. The size of an array that is not
    /// in registers counts once for each op that accesses the array.
    pub bytes: u64,
    /// Lower bound of `bytes`: the sum of the sizes of all input and result arrays, in bytes.
    pub fewest: u64,
}

/// Reason why the compiler does not compute the op in the kernel of the preceding ops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApartChoice {
    /// Reason, in words.
    pub reason: String,
}

/// Schedule for a range of row lengths.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleCase {
    /// Lengths that the schedule case covers; `None` if the case covers all lengths that no earlier
    /// case covers.
    pub up_to: Option<UpTo>,
    /// Whether the schedule case needs only one kernel.
    pub is_one_kernel: bool,
    /// Names of the kernels of the schedule case; empty before the kernels exist.
    pub kernels: Vec<String>,
    /// Number of threads per block.
    pub threads: i64,
    /// Estimated time of the schedule case; `None` if the schedule has only one case, and for an op
    /// without a reduction dimension.
    pub estimate: Option<CaseEstimate>,
    /// Steps of the schedule.
    pub steps: Vec<ScheduleStep>,
}

/// Lengths of a dimension, up to a maximum length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UpTo {
    /// Index of the dimension in the iteration space, from 0.
    pub dimension: usize,
    /// Maximum length of the dimension, in elements.
    pub length: i64,
    /// Number that divides each length; 1 for all lengths up to the maximum length.
    pub multiple_of: i64,
}

/// Estimated time of one case of a schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseEstimate {
    /// Time in microseconds.
    pub microseconds: f64,
    /// Length of each dimension, in elements; the estimated time is valid for these lengths.
    pub lengths: Vec<f64>,
}

/// Step of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScheduleStep {
    /// Attribute text, such as `#tile.split<"d0" by 8>`.
    pub attribute: String,
    /// Attribute of the schedule step in words, such as `split d0 by 8`.
    pub words: String,
    /// Attribute of the schedule step in words, such as `split d0 by n`, with `n` in place of
    /// numbers. Two schedule steps have equal `sort` fields if their attributes differ only in
    /// numbers.
    pub sort: String,
}

/// Times estimated by a performance model of a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimates {
    /// Name of the GPU.
    pub board: String,
    /// Chip of the GPU, such as `sm_90`.
    pub chip: String,
    /// Length of each dimension, in elements; the estimated times are valid for these lengths.
    pub lengths: Vec<f64>,
    /// Whether any dimension is dynamic. The field `lengths` contains an assumed length for each
    /// dynamic dimension.
    pub is_assumed: bool,
    /// Estimate of the schedule.
    pub own: Cost,
    /// Alternative schedules, fastest first.
    pub others: Vec<Candidate>,
}

/// Estimated time, and the components from which the performance model computes this time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Time in microseconds.
    pub microseconds: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// Number of waves: the number of blocks of the grid divided by the number of blocks that are
    /// resident on the GPU at once.
    pub waves: f64,
    /// Resident threads per SM.
    pub resident: f64,
    /// Time in microseconds that the kernels would take if memory bandwidth were the only limit.
    pub memory: f64,
    /// Time in microseconds that the kernels would take if load latency were the only limit.
    pub latency: f64,
    /// Time in microseconds that the kernels would take if instruction issue were the only limit.
    pub instructions: f64,
}

/// Alternative schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Estimated cost.
    pub cost: Cost,
    /// Cases of the schedule: the covered lengths and the schedule steps of each case.
    pub cases: Vec<(Option<UpTo>, Vec<ScheduleStep>)>,
}

/// Chosen variant of a reduction, and the alternative variants.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantChoice {
    /// Name of the chosen variant.
    pub chosen: String,
    /// All variants, by name.
    pub variants: Vec<Variant>,
}

/// Lowering variant of a reduction. The compiler estimates the cost of each usable variant, and
/// states why it rejects each unusable variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variant {
    /// Name of the variant.
    pub name: String,
    /// Priority of the variant; `None` for an exchange method.
    pub priority: Option<i64>,
    /// Estimated cost of the variant; `None` for a rejected variant.
    pub cost: Option<u64>,
    /// Reasons of the rejection.
    pub reasons: Vec<Reason>,
}

/// Reason why a variant is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Name of the violated condition; `None` if the condition has no name.
    pub predicate: Option<String>,
    /// Expected and found values.
    pub text: String,
}

/// Method by which threads exchange values to combine their partial results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExchangeChoice {
    /// Name of the kernel that contains the exchange; `None` for an exchange outside of kernels.
    pub kernel: Option<String>,
    /// Range of row lengths for which the kernel is launched, as text; `None` for all lengths.
    pub lengths: Option<String>,
    /// Name of the chosen exchange method; `None` if all threads that combine their partial results
    /// are in different warps. Threads of different warps exchange values only through shared
    /// memory.
    pub chosen: Option<String>,
    /// All methods, by name.
    pub ways: Vec<Variant>,
}
