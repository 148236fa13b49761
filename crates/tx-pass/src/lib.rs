//! The pass framework: what a pass is, how it is described, and the list it is entered in.
//!
//! A pass is one file with one [`pass!`] block, whose doc comment is its documentation, and one
//! `impl` of [`Pass`]. A crate of passes has one [`registry!`], which is its table of contents.
//! No pass lives here.
#![forbid(unsafe_code)]

use tx_mlir::melior::ir::Location;
use tx_mlir::registration::{OptionDesc, PassDesc, PipelineDesc, RunPass, StatisticDesc};
use tx_mlir::{ErrorSeverity, Failed, Op, Report, codes, context};

#[doc(hidden)]
pub use mlir_sys;

/// Getter of a dialect's handle, as MLIR's C API has them.
pub type DialectGetter = unsafe extern "C" fn() -> mlir_sys::MlirDialectHandle;

/// Work on one op (a `builtin.module`, unless the pass says otherwise).
///
/// A pass talks to others through the IR alone. It checks everything before it changes anything:
/// when it fails, the IR is as it was.
pub trait Pass: Sized {
    /// Does the work.
    ///
    /// # Errors
    /// When the program cannot be handled; the diagnostic was emitted.
    fn run<'c>(&self, op: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed>;
}

/// The counters of a running pass, reported by `--mlir-pass-statistics`.
pub struct Counts<'a> {
    names: &'static [(&'static str, &'static str)],
    values: &'a mut [i64],
}

impl Counts<'_> {
    /// Adds to a counter that the pass declared.
    ///
    /// # Panics
    /// If it did not: a bug of the pass.
    pub fn add(&mut self, name: &str, n: i64) {
        let i = self.names.iter().position(|(s, _)| *s == name);
        self.values[i.expect("the pass declares its counters")] += n;
    }
}

/// A type that options can have: `u32`, `bool` and `String` are, and so is any other that reads
/// itself from text.
pub trait OptionValue: Sized {
    /// What to write, for help: `string`, `number`, `true|false`.
    const TYPE: &'static str;

    /// Reads a value.
    ///
    /// # Errors
    /// Says what was expected.
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
            // An option that is named without a value is switched on.
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

/// Starts an error about the value of an option. It stands in no file: its place is in the text of
/// the option, as in `tile-schedule{chip=sm_1}:1:15`.
pub fn option_error<'c>(
    op: Op<'c>,
    pass: &PassInfo,
    option: &str,
    value: &str,
    message: impl Into<String>,
) -> Report<'c, ErrorSeverity> {
    let text = format!("{}{{{option}={value}}}", pass.argument);
    // Behind the brace.
    let column = pass.argument.len() + 2;
    tx_mlir::error(Location::new(context(op), &text, 1, column), message).code(codes::TX0323)
}

/// An option of a pass or of a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// What values look like.
    pub ty: &'static str,
    /// Default.
    pub init: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Everything about a pass that is known without running it.
#[derive(Clone, Copy)]
pub struct PassInfo {
    /// Name on the command line.
    pub argument: &'static str,
    /// Documentation, Markdown; the first line is the summary.
    pub doc: &'static str,
    /// Name of the op it runs on.
    pub anchor: &'static str,
    /// Options.
    pub options: &'static [OptionInfo],
    /// Names and meanings of counters.
    pub counts: &'static [(&'static str, &'static str)],
    /// Dialects whose ops it creates.
    pub dialects: &'static [DialectGetter],
    /// Checks option values.
    pub check: fn(&[&str]) -> Result<(), String>,
    /// Runs it with option values.
    pub run: RunPass,
}

/// A named sequence of passes.
#[derive(Clone, Copy)]
pub struct PipelineInfo {
    /// Name on the command line.
    pub argument: &'static str,
    /// Documentation, Markdown; the first line is the summary.
    pub doc: &'static str,
    /// Options.
    pub options: &'static [OptionInfo],
    /// From option values to the pipeline's text.
    pub expand: fn(&[&str]) -> Result<String, String>,
}

/// The first line of a documentation text, without its full stop.
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
    /// Enters the pass in MLIR's registry; false, and nothing is done, when there is a pass or a
    /// pipeline of its name.
    pub fn register(&self) -> bool {
        tx_mlir::registration::register_pass(PassDesc {
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
    /// Enters the pipeline in MLIR's registry; false, and nothing is done, when there is a pass or
    /// a pipeline of its name.
    pub fn register(&self) -> bool {
        tx_mlir::registration::register_pipeline(PipelineDesc {
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
    use tx_mlir::melior::ir::operation::OperationLike as _;
    let pass =
        parse(options).map_err(|e| tx_mlir::error(op.location(), e).code(codes::TX0323).emit())?;
    pass.run(
        op,
        &mut Counts {
            names,
            values: counts,
        },
    )
}

/// Describes a pass: its documentation, its argument, the dialects it creates ops of, its options
/// and its counters.
///
/// A dialect that is neither MLIR's own nor `tile` is written with the getter of its handle: `mine
/// = my_dialect::handle`.
///
/// An option is `NAME: TYPE = DEFAULT`, where the type is an [`OptionValue`] (`u32`, `bool`,
/// `String`), and the default a string whatever the type: what one would write in a pipeline, as in
/// `tile-count-things{limit=8}`. A pass that creates no ops needs no `creates [...]`, and one that
/// counts nothing no `counts {...}`.
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
                    $($option: $crate::OptionValue::parse(values.next().copied().unwrap_or($init))
                        .map_err(|e| format!("option `{}`: {e}", stringify!($option)))?),*
                })
            }

            /// What is known of the pass without running it.
            pub const INFO: $crate::PassInfo = $crate::PassInfo {
                argument: $argument,
                doc: concat!($($doc, "\n"),*),
                anchor: "builtin.module",
                options: &[$($crate::OptionInfo {
                    name: stringify!($option),
                    ty: <$ty as $crate::OptionValue>::TYPE,
                    init: $init,
                    help: concat!($($help),*).trim_ascii(),
                }),*],
                counts: Self::COUNTS,
                dialects: &[$($($crate::dialect_getter!($dialect $(= $getter)?; $tile)),*)?],
                check: |values| Self::from_options(values).map(|_| ()),
                run: |op, options, counts| {
                    $crate::run_pass(Self::from_options, Self::COUNTS, op, options, counts)
                },
            };
        }
    };
    // It would be taken for a description once more, and so on.
    (@tile($tile:path) $($description:tt)*) => {
        ::core::compile_error!(
            "expected `/// DOC pub struct NAME as \"argument\" creates [dialect, ...] { /// HELP \
             option: TYPE = \"default\", ... } \
             counts { /// MEANING counter, ... }`, of which `creates [...]` and `counts {...}` \
             may be left out"
        );
    };
    // The handle of the `tile` dialect comes from a crate that this one does not know.
    ($($description:tt)*) => {
        $crate::pass! { @tile(::tx_dialect_tile::handle) $($description)* }
    };
}

/// The C API's getter of an upstream dialect's handle.
#[doc(hidden)]
#[macro_export]
macro_rules! dialect_getter {
    (arith; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__arith__
    };
    (cf; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__cf__
    };
    (gpu; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__gpu__
    };
    (linalg; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__linalg__
    };
    (llvm; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__llvm__
    };
    (math; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__math__
    };
    (memref; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__memref__
    };
    (nvvm; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__nvvm__
    };
    (scf; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__scf__
    };
    (tensor; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__tensor__
    };
    (vector; $tile:path) => {
        $crate::mlir_sys::mlirGetDialectHandle__vector__
    };
    (tile; $tile:path) => {
        $tile
    };
    ($dialect:ident = $getter:path; $tile:path) => {
        $getter
    };
}

/// Lists the passes of a crate, each with the module that it is in, and makes `PASSES`. The modules
/// are declared by plain `mod` lines.
#[macro_export]
macro_rules! registry {
    ($($module:ident :: $pass:ident),* $(,)?) => {
        $(pub use $module::$pass;)*

        /// Every pass of this crate, in pipeline order.
        pub const PASSES: &[$crate::PassInfo] = &[$($pass::INFO),*];
    };
}
