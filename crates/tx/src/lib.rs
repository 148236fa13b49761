//! The reduction compiler: MLIR text in, PTX and a launch plan out.
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
//! The entry is a kernel, or a `func.func` whose ops are, after `lower-reduction`, launches of
//! kernels, temporaries, views and arithmetic on indices.
//!
//! A [`Compiler`] is kept and used for many programs, from as many threads as there are. It can
//! keep the IR after each stage ([`Compiler::with_stages`]), and what it compiled
//! ([`Compiler::with_cache`]).
//!
//! Nothing is printed: what MLIR reports comes back in [`Error::diagnostics`], with locations.
//!
//! The package `tx-examples` has numbered examples of all that follows; `docs/embedding.md` goes
//! through them.
//!
//! # In a host compiler's own context
//! [`register`] makes the passes known to MLIR's registry and [`register_dialects`] the dialect to
//! a `DialectRegistry`. Then `lower-reduction` and every single pass can be named in a textual
//! pipeline over the host's own module:
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
//! A host that has a module and wants PTX calls [`Compiler::compile_module`].
//!
//! # Variants and passes of one's own
//! [`register_variant`] adds ways to compute reductions, [`register_pass`] passes, which
//! [`Compiler::with_pass_after`] puts among those of `lower-reduction`. A crate that does so
//! depends on this one alone: [`pass!`] and [`mod@pass`] describe passes, [`mlir`] inspects and
//! rewrites IR, [`tile`] reads the ops of the dialect, and [`parts`] is what variants are made of.
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
mod compile;
mod error;
mod explain;
mod insert;
mod modules;
mod plan;
mod sessions;
mod unregistered;

pub use compile::{Candidate, Compiler, Explained, Source, Target, Tunable, Watch, device_ir};
pub use error::{Error, ErrorKind};
pub use plan::assumed_grid;
pub use tx_cache::Cache;
pub use tx_mlir::{Diagnostic, Severity, SourceLocation as Location, ignore_cuda_toolkit};
pub use tx_passes::{Combiner, Params, Predicate, Reduction, Variant};
pub use tx_plan::{Artifact, Plan, Stage, Warning};
pub use tx_target::Chip;

/// Safe helpers over melior, to inspect and rewrite IR: what passes and variants work with.
pub use tx_mlir as mlir;
/// melior, at the version that this crate is built with: contexts, modules and pass managers of
/// another version are other types.
pub use tx_mlir::melior;

/// The `tile` dialect from Rust: typed views of its ops.
pub use tx_dialect_tile as tile;
pub use tx_passes::parts;

/// What a pass is; [`pass!`](crate::pass!) describes one.
pub mod pass {
    pub use tx_pass::{
        Counts, DialectGetter, OptionInfo, OptionValue, Pass, PassInfo, PipelineInfo,
    };
}

use melior::dialect::DialectRegistry;

/// Describes a pass: its documentation, its argument, the dialects it creates ops of, its options
/// and its counters. The type that it makes has a constant `INFO`, for [`register_pass`], and needs
/// an `impl` of [`pass::Pass`].
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
/// A pass that creates no ops of a dialect needs no `creates [...]`, and one that counts nothing no
/// `counts {...}`:
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
/// Dialects are `arith`, `cf`, `gpu`, `linalg`, `llvm`, `math`, `memref`, `nvvm`, `scf`, `tile` and
/// `vector`, or any other with the getter of its handle: `mine = my_dialect::handle`.
///
/// An option is a field, `NAME: TYPE = DEFAULT`. Types are `u32`, `bool` and `String`, or any other
/// that implements [`pass::OptionValue`]. The default is a string whatever the type, `"1024"` and
/// not `1024`: what one would write in a pipeline, as in `mine-split{limit=8 tell label=row}`.
#[macro_export]
macro_rules! pass {
    ($($description:tt)*) => {
        $crate::__pass! { @tile($crate::tile::handle) $($description)* }
    };
}

#[doc(hidden)]
pub use tx_pass::pass as __pass;

/// What the page for other programs shows compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
mod embedding {}

/// The variant that the page about them shows compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/add-a-variant.md")]
mod variant {}

/// Enters every pass and pipeline in MLIR's registry; call it as often as you like.
pub fn register() {
    tx_passes::register();
}

/// Makes the `tile` dialect, every dialect of MLIR's, and what emitting PTX needs, available to
/// contexts that are made from `registry`, or to which it is appended. MLIR loads them when a text
/// or a pass needs them; a program that builds ops with melior's API calls
/// `context.load_all_available_dialects()` before, as MLIR ends the process where the dialect of an
/// op is not loaded.
pub fn register_dialects(registry: &DialectRegistry) {
    tx_mlir::registration::register_upstream_dialects(registry);
    tx_dialect_tile::register(registry);
}

/// Enters a pass in MLIR's registry, for the rest of the process: textual pipelines may name it,
/// and [`Compiler::with_pass_after`] may put it into `lower-reduction`. Other threads may compile
/// meanwhile; who parses pipelines in a context of his own may not.
///
/// # Errors
/// [`ErrorKind::Taken`] when there is a pass or a pipeline of its name.
pub fn register_pass(info: &pass::PassInfo) -> Result<(), Error> {
    register();
    match info.register() {
        true => Ok(()),
        false => {
            let message = format!(
                "there is a pass or a pipeline named `{}`; a pass is registered once, under a \
                 name of its own: change what stands after \
                 `as` in `tx::pass!`, which is `PassInfo::argument`",
                info.argument
            );
            Err(Error::plain(ErrorKind::Taken, message))
        }
    }
}

/// The names of all ways to compute reductions that there are, in their order.
pub fn variant_names() -> Vec<&'static str> {
    tx_passes::variants()
        .iter()
        .map(|variant| variant.name())
        .collect()
}

/// What to say of a name that no way to compute reductions has: which names there are, and the near one.
pub fn unknown_variant(name: &str) -> Option<String> {
    (!variant_names().contains(&name)).then(|| tx_passes::unknown_variant(name))
}

/// Adds a way to compute reductions, for the rest of the process: every compilation from here on
/// asks it, in any context.
///
/// A [cache](Compiler::with_cache) knows variants and passes by their names and by the file that
/// the compiler is in. One that is in another file, as a plugin is, gets another name when it
/// changes.
///
/// # Errors
/// [`ErrorKind::Taken`] when there is a variant of its name.
pub fn register_variant(variant: &'static dyn Variant) -> Result<(), Error> {
    tx_passes::register_variant(variant).map_err(|message| Error::plain(ErrorKind::Taken, message))
}
