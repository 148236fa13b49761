//! Plans and artifacts.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::check::{Check, Place};
use crate::condition::{Condition, exactly_one};
use crate::element::ElementType;
use crate::expr::{Expr, Symbol};
use crate::types::{ArgumentType, Extent, Layout, MemorySpace, MemrefType};

/// The version of the JSON form. It changes when a reader of the old form would misread the new one.
pub const VERSION: u32 = 2;

/// What a program was compiled to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// The kernels as PTX text, for a CUDA driver.
    pub ptx: String,
    /// How to launch them.
    pub plan: Plan,
    /// A PTX module for each kernel; empty where they were not asked for.
    #[serde(default)]
    pub modules: Vec<KernelModule>,
    /// The same kernels as an MLIR module in the LLVM and NVVM dialects, for the CPU executor;
    /// empty where it was not wanted.
    pub device_ir: String,
    /// What the compiler went through, in order.
    pub stages: Vec<Stage>,
    /// What the program says and hardly means, in the order of the program.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// A kernel as a PTX module of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelModule {
    /// The name that [`Step::module`] refers to.
    pub name: String,
    /// The PTX text of the kernel, with the globals and functions that it uses.
    pub ptx: String,
}

/// What is accepted, and hardly ever meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What it is.
    pub message: String,
    /// Where it stands, if that is known.
    pub place: Option<Place>,
    /// What follows, and what to change.
    pub notes: Vec<String>,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Place { line, column }) = self.place {
            write!(f, "{line}:{column}: ")?;
        }
        write!(f, "warning: {}", self.message)?;
        self.notes
            .iter()
            .try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}

impl Artifact {
    /// The module after a stage (a pass, or `parse`), as MLIR text; after the last of that name
    /// where there are several. `None` when there is none, or its IR was not kept.
    pub fn ir_after(&self, stage: &str) -> Option<&str> {
        let last = self.stages.iter().rfind(|each| each.name == stage)?;
        last.ir.as_deref()
    }

    /// A PTX module for each kernel, in the order of the steps; empty where the compiler was not
    /// asked for them. [`Artifact::ptx`] is one module with all kernels.
    pub fn modules(&self) -> &[KernelModule] {
        &self.modules
    }
}

/// One stage of a compilation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// The name of the stage: a pass, or `parse`, or the like.
    pub name: String,
    /// The module after it, when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ir: Option<String>,
    /// How long it took, in milliseconds.
    pub millis: f64,
}

/// How to launch a compiled program: enough to do it without guessing.
///
/// A launcher evaluates the checks, and goes no further when one does not hold: kernels may access
/// memory out of bounds then. It allocates the temporaries and launches the steps in order, each
/// after the one before it has finished. A memref operand is passed as MLIR's expanded descriptor:
/// allocated pointer, aligned pointer, offset, sizes, strides (64 bits each; offset and strides in
/// elements). A scalar is passed as it is.
///
/// Deserialising checks the form alone; [`Plan::from_json`] also checks the version and that the
/// parts fit together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version of the form: [`VERSION`].
    pub version: u32,
    /// The chip the kernels were compiled for, such as `sm_90`.
    pub chip: String,
    /// The function or kernel that is launched.
    pub entry: String,
    /// What the entry is.
    pub entry_kind: EntryKind,
    /// The arguments of the entry, in order.
    pub arguments: Vec<Argument>,
    /// What must hold before anything is allocated or launched, in the order of the program. In
    /// JSON it is left out when there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Device memory the launcher allocates. Its contents are undefined until a step writes them,
    /// unless it is cleared.
    pub temporaries: Vec<Temporary>,
    /// The kernels to launch, in order.
    pub steps: Vec<Step>,
}

/// What an entry is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A `func.func`, which launches kernels.
    Function,
    /// A kernel `gpu.func`, launched once. Its grid may be overridden.
    Kernel,
}

/// One argument of the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its type.
    pub ty: ArgumentType,
    /// Whether a step may write it. One that is not written need not be copied back.
    pub written: bool,
}

/// Device memory for the steps, row-major, at least as aligned as 256 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// The type of each element.
    pub element: ElementType,
    /// One for each dimension; empty for rank 0.
    pub shape: Vec<Expr>,
    /// Whether the launcher fills it with zeros before the first run. Each run leaves it so.
    pub cleared: bool,
}

/// One kernel launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The name of the kernel in the PTX and in the device IR.
    pub kernel: String,
    /// The PTX module of the kernel among [`Artifact::modules`].
    pub module: String,
    /// The choice of which this step is a part, counted from 0. Steps of one choice follow each
    /// other. Those with equal conditions are one alternative, and for any arguments exactly one
    /// alternative of a choice holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<usize>,
    /// Conditions that must all hold: otherwise the step is skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// CTAs along x, y and z. A step with a 0 here has nothing to do and is skipped.
    pub grid: [Expr; 3],
    /// Threads of a CTA along x, y and z.
    pub block: [Expr; 3],
    /// CTAs of a cluster along x, y and z, when the kernel is launched in clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[Expr; 3]>,
    /// Shared memory beyond what the kernel declares, in bytes.
    pub dynamic_shared_bytes: Expr,
    /// What the kernel is given, in order.
    pub operands: Vec<Operand>,
}

/// What a view looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// The memref argument of this index.
    Argument(usize),
    /// The temporary of this index.
    Temporary(usize),
}

/// Elements of an argument or a temporary: some of them, or all of them in some shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Whose memory it is.
    pub base: Base,
    /// From the aligned pointer of the base to the first element, in elements.
    pub offset: Expr,
    /// One for each dimension, in elements.
    pub sizes: Vec<Expr>,
    /// One for each dimension, in elements.
    pub strides: Vec<Expr>,
}

/// One operand of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Operand {
    /// An argument as it came: the whole memref, or the scalar.
    Argument(usize),
    /// A whole temporary.
    Temporary(usize),
    /// Part of an argument or temporary, or the whole of it in another shape.
    View(View),
    /// An integer computed at launch time.
    Scalar {
        /// An integer type, or `index`.
        #[serde(rename = "type")]
        ty: ElementType,
        /// Its value; must fit the type.
        value: Expr,
    },
    /// A value known when compiling, of any type.
    Constant {
        /// The type.
        #[serde(rename = "type")]
        ty: ElementType,
        /// The bits of the value, in the low bytes; hexadecimal in JSON, such as `"0xff800000"`.
        #[serde(with = "hex")]
        bits: u64,
    },
}

/// What is wrong with a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text is no JSON, or lacks a field, or has one too many.
    #[error("not a launch plan: {0}")]
    Json(#[from] serde_json::Error),
    /// The plan was written by another version of tx.
    #[error(
        "launch plan of version {found}, expected {VERSION}; compile the program again with this \
         version of tx"
    )]
    Version {
        /// The version that was found.
        found: u64,
    },
    /// The plan contradicts itself.
    #[error("invalid launch plan: {place}: {reason}")]
    Invalid {
        /// Which part, such as `step 1 (`sum_kernel`), operand 0`.
        place: String,
        /// What was found and what was expected.
        reason: String,
    },
}

impl Plan {
    /// The plan as JSON, indented, with a newline at the end.
    pub fn to_json(&self) -> String {
        // Serialising cannot fail: every map key is a string and nothing is read or written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads and checks a plan.
    ///
    /// # Errors
    /// When the text is no plan of this version, or the plan [contradicts itself](Plan::validate).
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u64,
        }
        // The version decides how the rest reads, so it is looked at alone.
        let Versioned { version } = serde_json::from_str(text)?;
        if version != u64::from(VERSION) {
            return Err(PlanError::Version { found: version });
        }
        let plan: Self = serde_json::from_str(text)?;
        plan.validate()?;
        Ok(plan)
    }

    /// What a memref operand of a step looks at, an argument or a temporary as a whole too; `None`
    /// for a scalar.
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

    /// Checks that the parts fit together: every index and symbol names something that is there,
    /// types have sizes, a view has as many strides as sizes, and exactly one alternative of each
    /// choice holds.
    ///
    /// # Errors
    /// The first contradiction found.
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

    /// Checks that choices are in order, and that exactly one alternative of each holds.
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

/// The first error about a symbol of some expressions.
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

/// The conditions of each alternative of a choice: the lists of its steps, each once.
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
    /// All of a memref argument, as the caller lays it out.
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

    /// All of a temporary.
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

/// Strides without gaps, the last dimension fastest.
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
    /// Its size in bytes.
    pub fn bytes(&self) -> Expr {
        let elements = self.shape.iter().cloned().fold(Expr::Const(1), Expr::times);
        elements.times(Expr::Const(self.element.size() as i64))
    }
}

/// The JSON form of an [`Argument`]. `type` is for people and follows from the rest, but says
/// nothing else: reading checks that the two agree.
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
        /// Whether the caller must pass it row-major without gaps, even where `strides` says `?`.
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

/// The JSON form of a [`Temporary`]: `bytes` follows from the rest, for launchers that need nothing else.
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

/// `0x` and hexadecimal digits: JSON numbers hold neither infinities nor all 64-bit patterns.
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
