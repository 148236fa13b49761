//! The reduction compiler: translates MLIR text to PTX and a launch plan.
//!
//! ```
//! let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?;
//! let artifact = compiler.compile(
//!     "gpu.module @m {
//!        gpu.func @sum(%A: memref<128xf32>, %B: memref<f32>) kernel
//!            attributes {known_block_size = array<i32: 128, 1, 1>} {
//!          tile.reduce sum %A into %B axes [0] scope(cta) : memref<128xf32> into memref<f32>
//!          gpu.return
//!        }
//!      }",
//! )?;
//! assert!(artifact.ptx.contains(".target sm_90"));
//! assert_eq!(artifact.plan.steps[0].kernel, "sum");
//! # Ok::<(), tx::Error>(())
//! ```
//!
//! The entry of a program is a kernel, or a `func.func` that `lower-reduction` lowers to kernel
//! launches, temporaries, views and index arithmetic.
//!
//! A [`Compiler`] can compile many programs, in one or several threads. [`Compiler::with_stages`]
//! keeps the IR after each stage, and [`Compiler::with_cache`] caches artifacts.
//!
//! The library prints nothing. [`Error::diagnostics`] contains the diagnostics with their
//! locations.
//!
//! The package `tx-examples` contains programs that embed the compiler. The page
//! `docs/embedding.md` explains the programs of the package `tx-examples`.
//!
//! # In a host compiler's own context
//! [`register`] registers the passes with MLIR, and [`register_dialects`] adds the dialects to a
//! `DialectRegistry`. Textual pass pipelines of the host compiler can then contain
//! `lower-reduction` and each of its passes:
//!
//! ```
//! use tx::melior::{Context, dialect::DialectRegistry, ir::Module, pass::PassManager, utility::parse_pass_pipeline};
//!
//! tx::register();
//! let registry = DialectRegistry::new();
//! tx::register_dialects(&registry);
//! let context = Context::new();                    // the host's own
//! context.append_dialect_registry(&registry);
//! context.load_all_available_dialects();
//! let mut module = Module::parse(
//!     &context,
//!     "func.func @sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
//!        tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
//!        return
//!      }",
//! )
//! .expect("a module");
//! let manager = PassManager::new(&context);
//! parse_pass_pipeline(manager.as_operation_pass_manager(), "builtin.module(lower-reduction{chip=sm_90})")?;
//! manager.run(&mut module)?;
//! assert!(module.as_operation().to_string().contains("gpu.launch_func"));
//! # Ok::<(), tx::melior::Error>(())
//! ```
//!
//! A host that has a module and needs PTX calls [`Compiler::compile_module`].
//!
//! # Custom variants and passes
//! [`register_variant`] adds an algorithm for reductions. [`register_pass`] adds a pass, which
//! [`Compiler::with_pass_after`] inserts into `lower-reduction`. A crate with variants and passes
//! needs only this crate as a dependency. [`pass!`] and [`mod@pass`] describe passes, [`mlir`]
//! inspects and rewrites IR, [`tile`] reads the ops of the dialect, and [`parts`] contains building
//! blocks for variants.
//!
//! ```
//! use tx::mlir::{Failed, Op, is, walk};
//! use tx::pass::{Counts, Pass};
//!
//! tx::pass! {
//!     /// Count reductions.
//!     ///
//!     /// ## Fails when
//!     /// Never.
//!     pub struct CountReductions as "mine-count-reductions" creates [] {
//!     } counts {
//!         /// reductions found
//!         reductions,
//!     }
//! }
//!
//! impl Pass for CountReductions {
//!     fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
//!         let reductions = walk(module).into_iter().filter(|op| is(*op, "tile.reduce"));
//!         counts.add("reductions", reductions.count() as i64);
//!         Ok(())
//!     }
//! }
//!
//! tx::register_pass(&CountReductions::INFO)?;
//! let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?
//!     .with_pass_before("tile-expand-reduce", "mine-count-reductions")?;
//! # let artifact = compiler.compile("gpu.module @m {
//! #   gpu.func @sum(%A: memref<128xf32>, %B: memref<f32>) kernel
//! #       attributes {known_block_size = array<i32: 128, 1, 1>} {
//! #     tile.reduce sum %A into %B axes [0] scope(cta) : memref<128xf32> into memref<f32>
//! #     gpu.return
//! #   }
//! # }")?;
//! # assert!(artifact.stages.iter().any(|stage| stage.name == "mine-count-reductions"));
//! # Ok::<(), tx::Error>(())
//! ```
#![warn(missing_docs)]

mod cache;
mod compilation;
mod compiler;
mod error;
mod explain;
mod gpu_modules;
mod insert;
mod kernel_modules;
mod load;
mod options;
mod pipeline;
mod plan;
mod position;
mod sessions;
mod source;
mod target;
mod tune;
mod unregistered;

pub use cache::{Cache, Usage};
pub use compilation::Watch;
pub use compiler::Compiler;
pub use error::{Error, ErrorKind};
pub use explain::Explained;
pub use gpu_modules::device_ir;
pub use plan::assumed_grid;
pub use source::Source;
pub use target::Target;
pub use tune::{Candidate, Tunable};
pub use tx_mlir::{Diagnostic, Severity, SourceLocation as Location, ignore_cuda_toolkit};
pub use tx_passes::{Combiner, Params, Predicate, Reduction, Variant};
pub use tx_plan::{Artifact, Plan, Stage, Warning};
pub use tx_target::Chip;

/// Safe helpers over melior that inspect and rewrite IR, for passes and variants.
pub use tx_mlir as mlir;
/// The crate melior, in the version that this crate uses. Functions of this crate accept only the
/// types of this melior version.
pub use tx_mlir::melior;

/// Typed views of the ops of the `tile` dialect.
pub use tx_dialect_tile as tile;
pub use tx_passes::parts;

/// Trait that passes implement, and types that describe passes and their options;
/// [`pass!`](crate::pass!) declares a pass.
pub mod pass {
    pub use tx_mlir::pass::{
        Counts, DialectGetter, OptionInfo, OptionValue, Pass, PassInfo, PipelineInfo,
    };
}

use melior::dialect::DialectRegistry;

/// Declares a pass: its documentation, argument, dependent dialects, options and counters. The
/// generated type has a constant `INFO` for [`register_pass`], and needs an `impl` of
/// [`pass::Pass`].
///
/// ```
/// tx::pass! {
///     /// Take apart what is too large.
///     pub struct Split as "mine-split" creates [arith, scf, tile] {
///         /// from how many elements on
///         limit: u32 = "1024",
///         /// whether to say which
///         tell: bool = "false",
///         /// what to call the parts
///         label: String = "part",
///     } counts {
///         /// reductions taken apart
///         split,
///     }
/// }
/// # impl tx::pass::Pass for Split {
/// #     fn run<'c>(&self, _: tx::mlir::Op<'c>, _: &mut tx::pass::Counts<'_>) -> Result<(), tx::mlir::Failed> { Ok(()) }
/// # }
/// assert_eq!(Split::INFO.options[0].init, "1024");
/// assert!((Split::INFO.check)(&["8", "true", "row"]).is_ok());
/// assert!((Split::INFO.check)(&["-8", "true", "row"]).is_err());
/// ```
///
/// `creates [...]` and `counts {...}` are optional:
///
/// ```
/// tx::pass! {
///     /// Look at what is there.
///     pub struct Look as "mine-look" {}
/// }
/// # impl tx::pass::Pass for Look {
/// #     fn run<'c>(&self, _: tx::mlir::Op<'c>, _: &mut tx::pass::Counts<'_>) -> Result<(), tx::mlir::Failed> { Ok(()) }
/// # }
/// assert!(Look::INFO.dialects.is_empty() && Look::INFO.counts.is_empty() && Look::INFO.options.is_empty());
/// ```
///
/// Dialects are `arith`, `cf`, `gpu`, `linalg`, `llvm`, `math`, `memref`, `nvvm`, `scf`, `tensor`,
/// `tile` and `vector`. A dialect without a predefined name is listed as `mine =
/// my_dialect::handle`: `mine` is the name of the dialect, and the function `my_dialect::handle`
/// returns the dialect handle.
///
/// The declaration of an option is a field, `NAME: TYPE = DEFAULT`. The type of an option is `u32`,
/// `bool`, `String`, or any type that implements [`pass::OptionValue`]. The default value of every
/// option is a string. The string has the syntax of an option value in pipeline text, such as `8`
/// in `mine-split{limit=8 tell label=row}`.
#[macro_export]
macro_rules! pass {
    ($($description:tt)*) => {
        $crate::__pass! { @tile($crate::tile::handle) $($description)* }
    };
}

#[doc(hidden)]
pub use tx_mlir::pass::pass as __pass;

/// Compiles the code blocks of `docs/embedding.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/embedding.md")]
mod embedding {}

/// Compiles the code blocks of `docs/how-to/add-a-variant.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/how-to/add-a-variant.md")]
mod variant {}

/// Registers every pass and pipeline of tx with MLIR. Repeated calls of this function have no
/// effect.
pub fn register() {
    tx_passes::register();
}

/// Adds to `registry` the `tile` dialect, the dialects of MLIR, and the translation interfaces that
/// PTX emission needs.
///
/// MLIR loads a dialect when a parsed text or a pass uses the dialect. A program that builds ops
/// with melior must call `context.load_all_available_dialects()` first, because MLIR aborts if the
/// dialect of a created op is not loaded.
pub fn register_dialects(registry: &DialectRegistry) {
    tx_mlir::registration::register_upstream_dialects(registry);
    tx_dialect_tile::register(registry);
}

/// Registers a pass with MLIR for the rest of the process. After the registration, textual
/// pipelines can contain the pass, and [`Compiler::with_pass_after`] can insert the pass into
/// `lower-reduction`. While the function runs, other threads may compile, but must not parse
/// pipelines in their own MLIR contexts.
///
/// # Errors
/// Returns [`ErrorKind::Taken`] if a pass or a pipeline with the name of the pass is already
/// registered.
pub fn register_pass(info: &pass::PassInfo) -> Result<(), Error> {
    register();
    match info.register() {
        true => Ok(()),
        false => {
            let message = format!(
                "a pass or pipeline named `{}` is already registered: change the name after `as` \
                 in `tx::pass!` (`PassInfo::argument`)",
                info.argument
            );
            Err(Error::plain(ErrorKind::Taken, message))
        }
    }
}

/// Returns the names of all variants (built-in and registered), in alphabetical order.
pub fn variant_names() -> Vec<&'static str> {
    tx_passes::variants()
        .iter()
        .map(|variant| variant.name())
        .collect()
}

/// Returns the error message for an unknown variant name. The message lists all variant names, and
/// suggests a name that is similar to the unknown name. Returns `None` for a registered variant
/// name.
pub fn unknown_variant(name: &str) -> Option<String> {
    (!variant_names().contains(&name)).then(|| tx_passes::unknown_variant(name))
}

/// Registers a variant for the rest of the process. Every compilation that starts after the call
/// considers the registered variant, in any MLIR context.
///
/// The key of an artifact in a [cache](Compiler::with_cache) identifies a variant by the name of
/// the variant and by the file of the compiler's binary. A variant in a file other than the
/// compiler's binary (such as a plugin) needs a new name after each change of its code.
///
/// # Errors
/// Returns [`ErrorKind::Taken`] if a variant with the same name is already registered.
pub fn register_variant(variant: &'static dyn Variant) -> Result<(), Error> {
    tx_passes::register_variant(variant).map_err(|message| Error::plain(ErrorKind::Taken, message))
}
