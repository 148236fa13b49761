//! Compiled artifacts: PTX, launch plan, stages and warnings.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::check::LineColumn;
use crate::plan::Plan;

/// Result of a compilation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// PTX text of the kernels.
    pub ptx: String,
    /// Launch plan.
    pub plan: Plan,
    /// Separate PTX module of each kernel; empty if the caller of the compiler does not request
    /// separate modules.
    #[serde(default)]
    pub modules: Vec<KernelModule>,
    /// MLIR text of the kernels in the LLVM and NVVM dialects. The CPU executor compiles and runs
    /// the MLIR text of the kernels. The field `device_ir` is an empty text if the compiler omits
    /// the device IR.
    pub device_ir: String,
    /// Stages of the compilation, in order.
    pub stages: Vec<Stage>,
    /// Warnings about the program, in program order.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

impl Artifact {
    /// Returns the IR after a stage (a pass, or `parse`) as MLIR text. If several stages have the
    /// given name, the function returns the IR after the last of these stages. Returns `None` if no
    /// stage has the given name, or if the artifact does not contain the IR of the stage.
    pub fn ir_after(&self, stage: &str) -> Option<&str> {
        let last = self.stages.iter().rfind(|each| each.name == stage)?;
        last.ir.as_deref()
    }

    /// Returns the separate PTX module of each kernel, in the order of the launch steps; an empty
    /// list if the caller of the compiler did not request separate modules. [`Artifact::ptx`] is
    /// one PTX module with all kernels.
    pub fn modules(&self) -> &[KernelModule] {
        &self.modules
    }
}

/// Kernel as a separate PTX module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelModule {
    /// Name of the module, as in [`Step::module`](crate::Step::module).
    pub name: String,
    /// PTX text of the kernel, and of the globals and functions that the kernel uses.
    pub ptx: String,
}

/// Warning: a construct that is legal but probably a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Message text.
    pub message: String,
    /// Source position, if known.
    pub place: Option<LineColumn>,
    /// Consequences and suggestions.
    pub notes: Vec<String>,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(LineColumn { line, column }) = self.place {
            write!(f, "{line}:{column}: ")?;
        }
        write!(f, "warning: {}", self.message)?;
        self.notes
            .iter()
            .try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}

/// Stage of a compilation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name of the stage: `parse`, or the name of a pass.
    pub name: String,
    /// IR after the stage; `None` if the caller did not request the IR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ir: Option<String>,
    /// Duration in milliseconds.
    pub millis: f64,
}
