//! Launch plans and compiled artifacts.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::check::{Check, LineColumn};
use crate::condition::{Condition, exactly_one};
use crate::element::ElementType;
use crate::expr::{Expr, Symbol};
use crate::types::{ArgumentType, Extent, Layout, MemorySpace, MemrefType};

/// Version of the JSON form. A change of the JSON form increases the version if a reader of the
/// previous form would misinterpret the new form.
pub const VERSION: u32 = 2;

/// Result of a compilation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// PTX text of the kernels.
    pub ptx: String,
    /// Launch plan.
    pub plan: Plan,
    /// Separate PTX module of each kernel. The list is empty unless the caller of the compiler
    /// requests separate modules.
    #[serde(default)]
    pub modules: Vec<KernelModule>,
    /// MLIR module of the kernels in the LLVM and NVVM dialects, as input of the CPU executor. The
    /// text is empty if the compiler omits the device IR.
    pub device_ir: String,
    /// Stages of the compilation, in order.
    pub stages: Vec<Stage>,
    /// Warnings about the program, in program order.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// Kernel as a separate PTX module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelModule {
    /// Name of the module, as in [`Step::module`].
    pub name: String,
    /// PTX text of the kernel, with the globals and functions that it uses.
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

impl Artifact {
    /// Returns the IR after a stage (a pass, or `parse`) as MLIR text. If several stages have this
    /// name, the function returns the IR after the last of these stages. Returns `None` if no stage
    /// has this name, or if the artifact does not contain the IR of the stage.
    pub fn ir_after(&self, stage: &str) -> Option<&str> {
        let last = self.stages.iter().rfind(|each| each.name == stage)?;
        last.ir.as_deref()
    }

    /// Returns the separate PTX module of each kernel, in the order of the steps; empty unless
    /// requested. [`Artifact::ptx`] is one module with all kernels.
    pub fn modules(&self) -> &[KernelModule] {
        &self.modules
    }
}

/// Stage of a compilation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name of the stage, such as a pass or `parse`.
    pub name: String,
    /// IR after the stage, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ir: Option<String>,
    /// Duration in milliseconds.
    pub millis: f64,
}

/// Launch plan of a compiled program.
///
/// A launcher first evaluates the checks. If a check fails, the launcher launches no kernel,
/// because kernels could access memory out of bounds. The launcher allocates the temporaries and
/// launches the steps in order, each after the previous step has finished. A memref operand is
/// passed as MLIR's expanded descriptor: allocated pointer, aligned pointer, offset, sizes, strides
/// (64 bits each; offset and strides in elements). A scalar operand is passed by value.
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
    /// Arguments of the entry, in order.
    pub arguments: Vec<Argument>,
    /// Checks in program order. The launcher evaluates the checks before it allocates memory or
    /// launches a kernel. The JSON form omits an empty list of checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Device memory that the launcher allocates. Unless the launcher zeroes a temporary, the
    /// contents of the temporary are undefined until a step writes them.
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
    /// Kernel `gpu.func`, launched once; the launcher may override its grid.
    Kernel,
}

/// Argument of the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Type of the argument.
    pub ty: ArgumentType,
    /// Whether a step may write the argument. The caller must then copy the argument back to the
    /// host.
    pub written: bool,
}

/// Temporary device memory of the steps: row-major, aligned to at least 256 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// Element type.
    pub element: ElementType,
    /// Size of each dimension; empty for rank 0.
    pub shape: Vec<Expr>,
    /// Whether the launcher zeroes the temporary before the first run of the plan. At the end of
    /// each run, the kernels have reset the temporary to zeros.
    pub cleared: bool,
}

/// Kernel launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Name of the kernel in the PTX and in the device IR.
    pub kernel: String,
    /// Name of the kernel's PTX module; [`Artifact::modules`] contains the module with this name.
    pub module: String,
    /// Index of the choice that contains the step. A choice consists of consecutive steps; steps
    /// with equal conditions form one alternative of the choice. For any arguments, the conditions
    /// of exactly one alternative are true, so a launcher launches exactly one alternative of each
    /// choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<usize>,
    /// Conditions of the step. The launcher skips the step if a condition is false.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// Number of CTAs along x, y and z. The launcher skips a step if one of these three sizes is 0.
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
    /// Memref argument with the given index.
    Argument(usize),
    /// Temporary with the given index.
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
        /// Expression that computes the value. The value must fit in the type.
        value: Expr,
    },
    /// Operand that is a compile-time constant of any type.
    Constant {
        /// Type of the constant.
        #[serde(rename = "type")]
        ty: ElementType,
        /// Bits of the value, zero-extended; hexadecimal in JSON, such as `"0xff800000"`.
        #[serde(with = "hex")]
        bits: u64,
    },
}

/// Error of reading a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text of the plan is not JSON, or has a missing or an unknown field.
    #[error("not a launch plan: {0}")]
    Json(#[from] serde_json::Error),
    /// The plan was written by another version of tx.
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
        /// Part of the plan, such as `step 1 (`sum_kernel`), operand 0`.
        place: String,
        /// Found and expected values.
        reason: String,
    },
}

impl Plan {
    /// Returns the plan as indented JSON with a final newline.
    pub fn to_json(&self) -> String {
        // Serialization to a string cannot fail: all map keys are strings.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Parses and validates a plan.
    ///
    /// # Errors
    /// Fails if the text is not a plan of this version, or if [`Plan::validate`] finds the plan
    /// inconsistent.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u64,
        }
        // The version determines the format of the other fields, so it is parsed first.
        let Versioned { version } = serde_json::from_str(text)?;
        if version != u64::from(VERSION) {
            return Err(PlanError::Version { found: version });
        }
        let plan: Self = serde_json::from_str(text)?;
        plan.validate()?;
        Ok(plan)
    }

    /// Returns the view that a memref operand passes to the kernel. For a whole argument or
    /// temporary, the view covers all elements. Returns `None` for a scalar.
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

    /// Checks the consistency of the plan. Every index and symbol must refer to an existing object,
    /// and each view must have as many strides as sizes. For any arguments, the conditions of
    /// exactly one alternative of each choice must be true.
    ///
    /// # Errors
    /// Returns the first inconsistency.
    pub fn validate(&self) -> Result<(), PlanError> {
        if self.version != VERSION {
            return Err(PlanError::Version {
                found: u64::from(self.version),
            });
        }
        for (i, argument) in self.arguments.iter().enumerate() {
            self.validate_argument(argument)
                .map_err(|reason| PlanError::Invalid {
                    place: format!("argument {i}"),
                    reason,
                })?;
        }
        for (i, check) in self.checks.iter().enumerate() {
            self.check_symbols([&check.left, &check.right])
                .map_err(|reason| PlanError::Invalid {
                    place: format!("check {i}"),
                    reason,
                })?;
        }
        for (i, temporary) in self.temporaries.iter().enumerate() {
            self.check_symbols(&temporary.shape)
                .map_err(|reason| PlanError::Invalid {
                    place: format!("temporary {i}"),
                    reason,
                })?;
        }
        if self.entry_kind == EntryKind::Kernel && self.steps.len() != 1 {
            return Err(PlanError::Invalid {
                place: "steps".to_owned(),
                reason: format!(
                    "found {} launches of a kernel entry, expected 1",
                    self.steps.len()
                ),
            });
        }
        self.check_choices()?;
        for (i, step) in self.steps.iter().enumerate() {
            let place = || format!("step {i} (`{}`)", step.kernel);
            for condition in &step.when {
                condition
                    .check()
                    .and_then(|()| self.check_condition(condition))
                    .map_err(|reason| PlanError::Invalid {
                        place: place(),
                        reason,
                    })?;
            }
            let sizes = step
                .grid
                .iter()
                .chain(&step.block)
                .chain(step.cluster.iter().flatten());
            self.check_symbols(sizes.chain([&step.dynamic_shared_bytes]))
                .map_err(|reason| PlanError::Invalid {
                    place: place(),
                    reason,
                })?;
            for (j, operand) in step.operands.iter().enumerate() {
                self.validate_operand(operand)
                    .map_err(|reason| PlanError::Invalid {
                        place: format!("{}, operand {j}", place()),
                        reason,
                    })?;
            }
        }
        Ok(())
    }

    /// Checks that choices are numbered in order, and that the conditions of exactly one
    /// alternative of each choice are true.
    fn check_choices(&self) -> Result<(), PlanError> {
        let mut expected = 0;
        for steps in self.steps.chunk_by(|a, b| a.choice == b.choice) {
            let Some(choice) = steps.first().and_then(|step| step.choice) else {
                continue;
            };
            let checked = if choice == expected {
                exactly_one(alternatives(steps)).map_err(|error| error.to_string())
            } else {
                Err(format!(
                    "found its steps in another place, expected choice {expected}"
                ))
            };
            checked.map_err(|reason| PlanError::Invalid {
                place: format!("choice {choice}"),
                reason,
            })?;
            expected += 1;
        }
        Ok(())
    }

    fn validate_argument(&self, argument: &Argument) -> Result<(), String> {
        let ArgumentType::Memref(memref) = &argument.ty else {
            return if argument.written {
                Err("a scalar cannot be written".to_owned())
            } else {
                Ok(())
            };
        };
        if let Some(size) = memref
            .shape
            .iter()
            .filter_map(|size| size.known())
            .find(|size| *size < 0)
        {
            return Err(format!(
                "found a dimension of {size} in `{memref}`, expected 0 or more"
            ));
        }
        if memref.strides().len() != memref.rank() {
            return Err(format!(
                "found {} strides for the {} dimensions of `{memref}`",
                memref.strides().len(),
                memref.rank()
            ));
        }
        if memref.space != MemorySpace::Global {
            return Err(format!(
                "`{memref}` is not in global memory, which is all a launch can pass"
            ));
        }
        Ok(())
    }

    fn validate_operand(&self, operand: &Operand) -> Result<(), String> {
        match operand {
            Operand::Argument(index) => self.check_argument(*index).map(|_| ()),
            Operand::Temporary(index) => self.check_base(Base::Temporary(*index)),
            Operand::View(View {
                base,
                offset,
                sizes,
                strides,
            }) => {
                self.check_base(*base)?;
                if sizes.len() != strides.len() {
                    return Err(format!(
                        "found {} strides for {} sizes",
                        strides.len(),
                        sizes.len()
                    ));
                }
                self.check_symbols(sizes.iter().chain(strides).chain([offset]))
            }
            Operand::Scalar { ty, value } => {
                if ty.is_float() {
                    return Err(format!(
                        "found a computed scalar of type {ty}, expected an integer type or index"
                    ));
                }
                self.check_symbols([value])
            }
            Operand::Constant { ty, bits } => {
                let width = 8 * ty.size() as u32;
                if bits.checked_shr(width).unwrap_or(0) != 0 {
                    return Err(format!(
                        "constant {bits:#x} does not fit the {width} bits of {ty}"
                    ));
                }
                Ok(())
            }
        }
    }

    fn check_argument(&self, index: usize) -> Result<&Argument, String> {
        self.arguments.get(index).ok_or_else(|| {
            format!(
                "found argument {index}, expected one of the {} arguments",
                self.arguments.len()
            )
        })
    }

    fn check_base(&self, base: Base) -> Result<(), String> {
        match base {
            Base::Argument(index) => match &self.check_argument(index)?.ty {
                ArgumentType::Memref(_) => Ok(()),
                ArgumentType::Scalar(ty) => {
                    Err(format!("argument {index} has type {ty}, expected a memref"))
                }
            },
            Base::Temporary(index) if index < self.temporaries.len() => Ok(()),
            Base::Temporary(index) => Err(format!(
                "found temporary {index}, expected one of the {} temporaries",
                self.temporaries.len()
            )),
        }
    }

    fn check_symbols<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Result<(), String> {
        first_error(exprs, |symbol| match symbol {
            Symbol::Address { .. } => Err("an address is for conditions alone".to_owned()),
            _ => self.check_symbol(symbol),
        })
    }

    fn check_condition(&self, condition: &Condition) -> Result<(), String> {
        first_error(condition.exprs(), |symbol| self.check_symbol(symbol))
    }

    fn check_symbol(&self, symbol: Symbol) -> Result<(), String> {
        let ty = &self.check_argument(symbol.argument())?.ty;
        let fits = match (symbol, ty) {
            (
                Symbol::Dim { dim, .. } | Symbol::Stride { dim, .. },
                ArgumentType::Memref(memref),
            ) => dim < memref.rank(),
            (Symbol::Offset { .. } | Symbol::Address { .. }, ArgumentType::Memref(_)) => true,
            (Symbol::Value { .. }, ArgumentType::Scalar(element)) => !element.is_float(),
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err(format!(
                "`{symbol}` asks for what an argument of type `{ty}` does not have"
            ))
        }
    }
}

/// Calls `check` for every symbol of the expressions, and returns its first error.
fn first_error<'e>(
    exprs: impl IntoIterator<Item = &'e Expr>,
    check: impl Fn(Symbol) -> Result<(), String>,
) -> Result<(), String> {
    let mut result = Ok(());
    for expr in exprs {
        expr.for_each_symbol(&mut |symbol| {
            if result.is_ok() {
                result = check(symbol).map_err(|reason| format!("`{expr}`: {reason}"));
            }
        });
    }
    result
}

/// Returns the distinct condition lists of the steps of a choice, one per alternative.
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

impl Temporary {
    /// Returns the size of the temporary in bytes.
    pub fn bytes(&self) -> Expr {
        let elements = self.shape.iter().cloned().fold(Expr::Const(1), Expr::times);
        elements.times(Expr::Const(self.element.size() as i64))
    }
}

/// JSON form of an [`Argument`]. The field `type` repeats the other fields for human readers.
/// Deserialization checks that `type` matches these fields.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum ArgumentRepr {
    Memref {
        #[serde(rename = "type")]
        text: String,
        element: ElementType,
        shape: Vec<Extent>,
        strides: Vec<Extent>,
        offset: Extent,
        /// If set, the caller must pass a contiguous row-major array, even if a stride is `?`.
        contiguous: bool,
        space: MemorySpace,
        written: bool,
    },
    Scalar {
        #[serde(rename = "type")]
        element: ElementType,
    },
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.ty {
            ArgumentType::Scalar(element) => ArgumentRepr::Scalar { element: *element },
            ArgumentType::Memref(memref) => ArgumentRepr::Memref {
                text: memref.to_string(),
                element: memref.element,
                shape: memref.shape.clone(),
                strides: memref.strides(),
                offset: memref.offset(),
                contiguous: memref.layout == Layout::Identity,
                space: memref.space,
                written: self.written,
            },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match ArgumentRepr::deserialize(deserializer)? {
            ArgumentRepr::Scalar { element } => Ok(Self {
                ty: ArgumentType::Scalar(element),
                written: false,
            }),
            ArgumentRepr::Memref {
                text,
                element,
                shape,
                strides,
                offset,
                contiguous,
                space,
                written,
            } => {
                let layout = if contiguous {
                    Layout::Identity
                } else {
                    Layout::Strided {
                        strides: strides.clone(),
                        offset,
                    }
                };
                let memref = MemrefType {
                    element,
                    shape,
                    layout,
                    space,
                };
                if memref.to_string() != text
                    || memref.strides() != strides
                    || memref.offset() != offset
                {
                    return Err(de::Error::custom(format!(
                        "argument of type `{text}`, but its other fields say `{memref}` with strides {}",
                        memref
                            .strides()
                            .iter()
                            .map(ToString::to_string)
                            .collect::<Vec<_>>()
                            .join(", ")
                    )));
                }
                Ok(Self {
                    ty: ArgumentType::Memref(memref),
                    written,
                })
            }
        }
    }
}

/// JSON form of a [`Temporary`]. The field `bytes` repeats the size of the temporary for launchers
/// that do not need the shape.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemporaryRepr {
    element: ElementType,
    shape: Vec<Expr>,
    bytes: Expr,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cleared: bool,
}

impl Serialize for Temporary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TemporaryRepr {
            element: self.element,
            shape: self.shape.clone(),
            bytes: self.bytes(),
            cleared: self.cleared,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Temporary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let TemporaryRepr {
            element,
            shape,
            bytes,
            cleared,
        } = TemporaryRepr::deserialize(deserializer)?;
        let temporary = Self {
            element,
            shape,
            cleared,
        };
        let expected = temporary.bytes();
        if bytes == expected {
            Ok(temporary)
        } else {
            Err(de::Error::custom(format!(
                "temporary of `{bytes}` bytes, but its shape and element type say `{expected}`"
            )))
        }
    }
}

/// Hexadecimal text form of 64-bit patterns. The form is not a JSON number, because JSON numbers
/// cannot represent infinities or all 64-bit integers.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(bits: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{bits:#x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.strip_prefix("0x")
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .ok_or_else(|| {
                de::Error::custom(format!(
                    "found `{text}`, expected bits such as `0xff800000`"
                ))
            })
    }
}
