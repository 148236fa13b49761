//! Pass framework: the trait [`Pass`], and the declaration and registry of passes.
//!
//! The source file of a pass contains one [`pass!`] block and one `impl` of [`Pass`]. The doc
//! comment in the [`pass!`] block is the documentation of the pass. A crate lists its passes in one
//! [`registry!`] block.
#![forbid(unsafe_code)]

use crate::registration::{OptionDesc, PassDesc, PipelineDesc, RunPass, StatisticDesc};
use crate::{ErrorSeverity, Failed, Op, Report, codes, context};
use melior::ir::Location;

#[doc(hidden)]
pub use mlir_sys;

/// Getter of a dialect handle, as in MLIR's C API.
pub type DialectGetter = unsafe extern "C" fn() -> mlir_sys::MlirDialectHandle;

/// Pass over a `builtin.module` op.
///
/// Passes exchange data only through the IR. A pass validates the IR before it changes the IR, so a
/// failed pass leaves the IR unchanged.
pub trait Pass: Sized {
    /// Runs the pass.
    ///
    /// # Errors
    /// Fails if the pass cannot process the program. The pass must emit an error diagnostic before
    /// it fails.
    fn run<'c>(&self, op: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed>;
}

/// Counters of a running pass, which `--mlir-pass-statistics` reports.
pub struct Counts<'a> {
    names: &'static [(&'static str, &'static str)],
    values: &'a mut [i64],
}

impl Counts<'_> {
    /// Adds `n` to the declared counter `name`.
    ///
    /// # Panics
    /// Panics if the pass does not declare the counter, which is a bug of the pass.
    pub fn add(&mut self, name: &str, n: i64) {
        let i = self.names.iter().position(|(s, _)| *s == name);
        self.values[i.expect("the pass declares its counters")] += n;
    }
}

/// Type of an option value. This crate implements the trait `OptionValue` for `u32`, `bool` and
/// `String`; other crates can implement `OptionValue` for their own types.
pub trait OptionValue: Sized {
    /// Kind of the option value in help texts: `string`, `number` or `true|false`.
    const TYPE: &'static str;

    /// Parses a value.
    ///
    /// # Errors
    /// Returns a message with the expected and the found text if `text` is not a valid option
    /// value.
    fn parse(text: &str) -> Result<Self, String>;
}

impl OptionValue for String {
    const TYPE: &'static str = "string";
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

impl OptionValue for bool {
    const TYPE: &'static str = "true|false";
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            // A boolean option without a value is true.
            "true" | "1" | "" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(format!("expected `true` or `false`, found `{text}`")),
        }
    }
}

impl OptionValue for u32 {
    const TYPE: &'static str = "number";
    fn parse(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| format!("expected a number from 0 to {}, found `{text}`", Self::MAX))
    }
}

/// Starts an error about the value of a pass option. The file name in the error location is the
/// text of the pass with the option, such as `tile-schedule{chip=sm_1}`; the column is the start of
/// the option in this text.
pub fn option_error<'c>(
    op: Op<'c>,
    pass: &PassInfo,
    option: &str,
    value: &str,
    message: impl Into<String>,
) -> Report<'c, ErrorSeverity> {
    let text = format!("{}{{{option}={value}}}", pass.argument);
    // Columns count from 1, and the first option follows the pass name and a brace.
    let column = pass.argument.len() + 2;
    crate::error(Location::new(context(op), &text, 1, column), message).code(codes::TX0323)
}

/// Option of a pass or a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Name of the option on the command line.
    pub name: &'static str,
    /// Kind of value.
    pub ty: &'static str,
    /// Default value.
    pub init: &'static str,
    /// Help text.
    pub help: &'static str,
}

/// Static description of a pass.
#[derive(Clone, Copy)]
pub struct PassInfo {
    /// Name of the pass on the command line.
    pub argument: &'static str,
    /// Documentation of the pass in Markdown; the first line is the summary.
    pub doc: &'static str,
    /// Name of the op on which the pass runs.
    pub anchor: &'static str,
    /// Options, in order.
    pub options: &'static [OptionInfo],
    /// Name and description of each statistics counter of the pass.
    pub counts: &'static [(&'static str, &'static str)],
    /// Dialects whose ops the pass creates.
    pub dialects: &'static [DialectGetter],
    /// Checks the option values.
    pub check: fn(&[&str]) -> Result<(), String>,
    /// Runs the pass with the given option values.
    pub run: RunPass,
}

/// Named sequence of passes.
#[derive(Clone, Copy)]
pub struct PipelineInfo {
    /// Name of the pipeline on the command line.
    pub argument: &'static str,
    /// Documentation of the pipeline in Markdown; the first line is the summary.
    pub doc: &'static str,
    /// Options, in order.
    pub options: &'static [OptionInfo],
    /// Returns the text of the pass pipeline for the given option values.
    pub expand: fn(&[&str]) -> Result<String, String>,
}

/// Returns the first line of a documentation text, without its full stop.
pub fn summary(doc: &str) -> &str {
    doc.trim()
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .trim_end_matches('.')
}

fn options(infos: &[OptionInfo]) -> Vec<OptionDesc> {
    infos
        .iter()
        .map(|o| OptionDesc {
            name: o.name,
            help: o.help,
            ty: o.ty,
            init: o.init,
        })
        .collect()
}

impl PassInfo {
    /// Registers the pass with MLIR. Returns false, and changes nothing, if MLIR's registry already
    /// contains a pass or a pipeline with the same name.
    pub fn register(&self) -> bool {
        crate::registration::register_pass(PassDesc {
            argument: self.argument,
            summary: summary(self.doc),
            anchor: self.anchor,
            options: options(self.options),
            statistics: self
                .counts
                .iter()
                .map(|(name, help)| StatisticDesc {
                    name,
                    help: help.trim(),
                })
                .collect(),
            dialects: self.dialects,
            check: self.check,
            run: self.run,
        })
    }
}

impl PipelineInfo {
    /// Registers the pipeline with MLIR. Returns false, and changes nothing, if MLIR's registry
    /// already contains a pass or a pipeline with the same name.
    pub fn register(&self) -> bool {
        crate::registration::register_pipeline(PipelineDesc {
            argument: self.argument,
            summary: summary(self.doc),
            options: options(self.options),
            expand: self.expand,
        })
    }
}

#[doc(hidden)]
pub fn run_pass<'c, P: Pass>(
    parse: fn(&[&str]) -> Result<P, String>,
    names: &'static [(&'static str, &'static str)],
    op: Op<'c>,
    options: &[&str],
    counts: &mut [i64],
) -> Result<(), Failed> {
    use melior::ir::operation::OperationLike as _;
    let pass =
        parse(options).map_err(|e| crate::error(op.location(), e).code(codes::TX0323).emit())?;
    pass.run(
        op,
        &mut Counts {
            names,
            values: counts,
        },
    )
}

/// Declares a pass: its documentation, argument, dependent dialects, options and counters.
///
/// `creates [...]` lists the dialects of the ops that the pass creates. For an upstream dialect or
/// `tile`, the list `creates` contains the dialect name. For any other dialect, `creates` contains
/// the dialect name and the getter of the dialect handle, as in `mine = my_dialect::handle`.
///
/// An option has the form `NAME: TYPE = DEFAULT`. `TYPE` implements [`OptionValue`]. `DEFAULT` is a
/// string literal for every type, such as `"8"` for `tile-count-things{limit=8}`. `creates [...]`
/// and `counts {...}` are optional.
///
/// ```text
/// pass! {
///     /// Count things.
///     pub struct CountThings as "tile-count-things" creates [arith, scf] {
///         /// How many are too many.
///         limit: u32 = "8",
///     } counts {
///         /// Things found.
///         things,
///     }
/// }
/// ```
#[macro_export]
macro_rules! pass {
    (@tile($tile:path)
        $(#[doc = $doc:literal])*
        pub struct $name:ident as $argument:literal
        $(creates [$($dialect:ident $(= $getter:path)?),* $(,)?])? {
            $($(#[doc = $help:literal])* $option:ident : $ty:ty = $init:literal),* $(,)?
        } $(counts {
            $($(#[doc = $meaning:literal])* $count:ident),* $(,)?
        })?
    ) => {
        $(#[doc = $doc])*
        pub struct $name {
            $($(#[doc = $help])* #[allow(dead_code, reason = "a pass may only declare it")] $option: $ty),*
        }

        impl $name {
            const COUNTS: &'static [(&'static str, &'static str)] =
                &[$($((stringify!($count), concat!($($meaning),*))),*)?];

            fn from_options(values: &[&str]) -> Result<Self, String> {
                #[allow(unused_mut, unused_variables, reason = "passes without options")]
                let mut values = values.iter();
                Ok(Self {
                    $($option: $crate::pass::OptionValue::parse(values.next().copied().unwrap_or($init))
                        .map_err(|e| format!("option `{}`: {e}", stringify!($option)))?),*
                })
            }

            /// Static description of the pass.
            pub const INFO: $crate::pass::PassInfo = $crate::pass::PassInfo {
                argument: $argument,
                doc: concat!($($doc, "\n"),*),
                anchor: "builtin.module",
                options: &[$($crate::pass::OptionInfo {
                    name: stringify!($option),
                    ty: <$ty as $crate::pass::OptionValue>::TYPE,
                    init: $init,
                    help: concat!($($help),*).trim_ascii(),
                }),*],
                counts: Self::COUNTS,
                dialects: &[$($($crate::dialect_getter!($dialect $(= $getter)?; $tile)),*)?],
                check: |values| Self::from_options(values).map(|_| ()),
                run: |op, options, counts| {
                    $crate::pass::run_pass(Self::from_options, Self::COUNTS, op, options, counts)
                },
            };
        }
    };
    // Without this rule, a malformed description would match the last rule again, and the macro
    // would expand without end.
    (@tile($tile:path) $($description:tt)*) => {
        ::core::compile_error!(
            "expected `/// DOC pub struct NAME as \"argument\" creates [dialect, ...] { /// HELP \
             option: TYPE = \"default\", ... } \
             counts { /// MEANING counter, ... }`, of which `creates [...]` and `counts {...}` \
             may be left out"
        );
    };
    // The crate of the `tile` dialect depends on this crate, so the macro receives the dialect
    // handle as an argument.
    ($($description:tt)*) => {
        $crate::pass! { @tile(::tx_dialect_tile::handle) $($description)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! dialect_getter {
    (arith; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__arith__
    };
    (cf; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__cf__
    };
    (gpu; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__gpu__
    };
    (linalg; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__linalg__
    };
    (llvm; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__llvm__
    };
    (math; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__math__
    };
    (memref; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__memref__
    };
    (nvvm; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__nvvm__
    };
    (scf; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__scf__
    };
    (tensor; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__tensor__
    };
    (vector; $tile:path) => {
        $crate::pass::mlir_sys::mlirGetDialectHandle__vector__
    };
    (tile; $tile:path) => {
        $tile
    };
    ($dialect:ident = $getter:path; $tile:path) => {
        $getter
    };
}

/// Defines `PASSES`, the list of the passes of a crate. A call of the macro lists each pass
/// together with the module that defines the pass. The crate must also declare each listed module
/// with a `mod` item.
#[macro_export]
macro_rules! registry {
    ($($module:ident :: $pass:ident),* $(,)?) => {
        $(pub use $module::$pass;)*

        /// All passes of this crate, in pipeline order.
        pub const PASSES: &[$crate::pass::PassInfo] = &[$($pass::INFO),*];
    };
}

// With these re-exports, the line `use tx_mlir::pass::{Pass, pass}` imports both the trait and the
// macro.
pub use {pass, registry};
