//! Launch plans.

use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::condition::Condition;
use crate::element::ElementType;
use crate::expr::{Expr, Symbol};
use crate::types::{ArgumentType, Extent, Layout, MemrefType};

/// Version of the JSON form of launch plans. A change of the JSON form must increase the version if
/// readers of the previous form would misinterpret the new form.
pub const VERSION: u32 = 2;

/// Launch plan of a compiled program.
///
/// A launcher first evaluates the checks of the plan. If a check fails, the launcher launches no
/// kernel, because kernels could access memory out of bounds. The launcher allocates the
/// temporaries and launches the steps in order, each after the previous step has finished. A memref
/// operand is passed as MLIR's expanded descriptor: allocated pointer, aligned pointer, offset,
/// sizes, strides (64 bits each; offset and strides in elements). A scalar operand is passed by
/// value.
///
/// Deserialization with serde checks only the syntax of a plan; [`Plan::from_json`] also checks the
/// version and the consistency of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the JSON form: [`VERSION`].
    pub version: u32,
    /// Chip that the kernels were compiled for, such as `sm_90`.
    pub chip: String,
    /// Name of the launched function or kernel.
    pub entry: String,
    /// Kind of the entry.
    pub entry_kind: EntryKind,
    /// Arguments of the entry function or kernel, in order.
    pub arguments: Vec<Argument>,
    /// Checks in program order. The launcher evaluates the checks before it allocates memory or
    /// launches a kernel. The JSON form omits an empty list of checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Temporaries in device memory, which the launcher allocates. If the field `cleared` of a
    /// temporary is false, the contents of the temporary are undefined until a step writes the
    /// temporary.
    pub temporaries: Vec<Temporary>,
    /// Kernel launches, in order.
    pub steps: Vec<Step>,
}

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// Host function `func.func`, which launches kernels.
    Function,
    /// Kernel `gpu.func`, launched once. If the entry is a kernel, the caller of the launcher may
    /// choose a grid size that differs from the grid size in the plan.
    Kernel,
}

/// Argument of the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Type of the argument.
    pub ty: ArgumentType,
    /// Whether a step can write the argument. The caller must copy a written argument back to the
    /// host.
    pub written: bool,
}

/// Temporary device memory of the steps: row-major, aligned to at least 256 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// Element type.
    pub element: ElementType,
    /// Size of each dimension of the temporary, in elements; an empty list for rank 0.
    pub shape: Vec<Expr>,
    /// Whether the launcher zeroes the temporary before the first run of the plan. The kernels
    /// reset the temporary to zeros before the end of each run.
    pub cleared: bool,
}

impl Temporary {
    /// Returns the size of the temporary in bytes.
    pub fn bytes(&self) -> Expr {
        let elements = self.shape.iter().cloned().fold(Expr::Const(1), Expr::times);
        elements.times(Expr::Const(self.element.size() as i64))
    }
}

/// Kernel launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Name of the kernel in the PTX and in the device IR.
    pub kernel: String,
    /// Name of the PTX module of the kernel. [`Artifact::modules`](crate::Artifact::modules)
    /// contains the module with this name.
    pub module: String,
    /// Index of the choice to which the launch step belongs; `None` for a step that has no
    /// alternative. A choice is a sequence of consecutive launch steps that consists of several
    /// alternatives. Steps of a choice that have equal conditions form one alternative of the
    /// choice. For any arguments, the conditions of exactly one alternative of a choice are all
    /// true, so a launcher launches exactly one alternative of each choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<usize>,
    /// Conditions of the step. The launcher skips the launch step if one of its conditions is
    /// false.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// Number of CTAs along x, y and z. The launcher skips a launch step if the number of CTAs
    /// along x, y or z is 0.
    pub grid: [Expr; 3],
    /// Number of threads per CTA along x, y and z.
    pub block: [Expr; 3],
    /// Number of CTAs per cluster along x, y and z; `None` for a launch without clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[Expr; 3]>,
    /// Dynamic shared memory per CTA, in bytes.
    pub dynamic_shared_bytes: Expr,
    /// Operands of the kernel, in the order of its parameters.
    pub operands: Vec<Operand>,
}

/// Memory that a view refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// Memref argument of the plan with the given index.
    Argument(usize),
    /// Temporary of the plan with the given index.
    Temporary(usize),
}

/// View of an argument or a temporary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Memory of the view.
    pub base: Base,
    /// Offset of the first element from the aligned pointer of the base, in elements.
    pub offset: Expr,
    /// Size of each dimension, in elements.
    pub sizes: Vec<Expr>,
    /// Stride of each dimension, in elements.
    pub strides: Vec<Expr>,
}

/// Operand of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Operand {
    /// Whole memref argument, or scalar argument.
    Argument(usize),
    /// Whole temporary.
    Temporary(usize),
    /// View of an argument or a temporary.
    View(View),
    /// Integer operand whose value is computed at launch time.
    Scalar {
        /// Integer type, or `index`.
        #[serde(rename = "type")]
        ty: ElementType,
        /// Expression that computes the operand. The value of the expression must fit in the type
        /// of the operand.
        value: Expr,
    },
    /// Operand that is a compile-time constant of any type.
    Constant {
        /// Type of the constant.
        #[serde(rename = "type")]
        ty: ElementType,
        /// Bits of the constant, zero-extended; hexadecimal in JSON, such as `"0xff800000"`.
        #[serde(with = "crate::hex")]
        bits: u64,
    },
}

/// Error of reading a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text of the plan is not JSON, lacks a field, or has an unknown field.
    #[error("not a launch plan: {0}")]
    Json(#[from] serde_json::Error),
    /// The version of the plan is not [`VERSION`].
    #[error(
        "launch plan of version {found}, expected {VERSION}; compile the program again with this \
         version of tx"
    )]
    Version {
        /// Version found in the plan.
        found: u64,
    },
    /// The plan is inconsistent.
    #[error("invalid launch plan: {place}: {reason}")]
    Invalid {
        /// Part of the plan that is inconsistent, such as `step 1 (`sum_kernel`), operand 0`.
        place: String,
        /// Found and expected values.
        reason: String,
    },
}

impl Plan {
    /// Returns the view that a memref operand passes to the kernel. If the operand is a whole
    /// argument or temporary, the view contains all elements of the operand. Returns `None` for a
    /// scalar operand.
    pub fn view(&self, operand: &Operand) -> Option<View> {
        match operand {
            Operand::View(view) => Some(view.clone()),
            Operand::Argument(index) => match &self.arguments.get(*index)?.ty {
                ArgumentType::Memref(ty) => Some(View::of_argument(*index, ty)),
                ArgumentType::Scalar(_) => None,
            },
            Operand::Temporary(index) => {
                let temporary = self.temporaries.get(*index)?;
                Some(View::of_temporary(*index, temporary))
            }
            Operand::Scalar { .. } | Operand::Constant { .. } => None,
        }
    }
}

/// Returns one condition list per alternative of a choice. Steps with equal condition lists form
/// one alternative.
pub fn alternatives(steps: &[Step]) -> Vec<&[Condition]> {
    let mut found: Vec<&[Condition]> = Vec::new();
    for step in steps {
        if !found.contains(&&step.when[..]) {
            found.push(&step.when);
        }
    }
    found
}

impl View {
    /// Returns a view of a whole memref argument, with the sizes, strides and offset of the
    /// caller's array.
    pub fn of_argument(argument: usize, ty: &MemrefType) -> Self {
        let sizes: Vec<Expr> = ty
            .shape
            .iter()
            .enumerate()
            .map(|(dim, size)| known_or(*size, Symbol::Dim { argument, dim }))
            .collect();
        let strides = match &ty.layout {
            Layout::Identity => row_major(&sizes),
            Layout::Strided { strides, .. } => strides
                .iter()
                .enumerate()
                .map(|(dim, stride)| known_or(*stride, Symbol::Stride { argument, dim }))
                .collect(),
        };
        Self {
            base: Base::Argument(argument),
            offset: known_or(ty.offset(), Symbol::Offset { argument }),
            sizes,
            strides,
        }
    }

    /// Returns a view of a whole temporary.
    pub fn of_temporary(index: usize, temporary: &Temporary) -> Self {
        Self {
            base: Base::Temporary(index),
            offset: Expr::Const(0),
            sizes: temporary.shape.clone(),
            strides: row_major(&temporary.shape),
        }
    }
}

fn known_or(extent: Extent, symbol: Symbol) -> Expr {
    extent.known().map_or(Expr::Symbol(symbol), Expr::Const)
}

fn row_major(sizes: &[Expr]) -> Vec<Expr> {
    let mut stride = Expr::Const(1);
    let mut strides: Vec<Expr> = sizes
        .iter()
        .rev()
        .map(|size| {
            let this = stride.clone();
            stride = size.clone().times(stride.clone());
            this
        })
        .collect();
    strides.reverse();
    strides
}
