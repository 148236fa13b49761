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
//! The entry is a kernel, or a `func.func` whose ops are, after `lower-reduction`, launches of kernels, temporaries, views
//! and arithmetic on indices.
//!
//! Nothing is printed: what MLIR reports comes back in [`Error::diagnostics`], with locations.
//!
//! # In a host compiler's own context
//! [`register`] makes the passes known to MLIR's registry and [`register_dialects`] the dialect to
//! a `DialectRegistry`. Then `lower-reduction` and every single pass can be named in a textual
//! pipeline over the host's own module. [`register_variant`] adds ways to compute reductions.

mod cache;
mod compile;
mod error;
mod plan;
mod sessions;

pub use compile::{Candidate, Compiler, Source, Target, Tunable, Watch, device_ir};
pub use error::{Error, ErrorKind};
pub use tx_cache::Cache;
pub use tx_mlir::{Diagnostic, Severity, SourceLocation as Location, ignore_cuda_toolkit};
pub use tx_passes::{Combiner, Params, Predicate, Reduction, Variant, register_variant};
pub use tx_plan::{Artifact, Plan, Stage};
pub use tx_target::Chip;

use melior::dialect::DialectRegistry;

/// Enters every pass and pipeline in MLIR's registry; call it as often as you like.
pub fn register() {
    tx_passes::register();
}

/// Makes the `tile` dialect, and what emitting PTX needs, available to contexts made from
/// `registry`.
pub fn register_dialects(registry: &DialectRegistry) {
    tx_mlir::registration::register_upstream_dialects(registry);
    tx_dialect_tile::register(registry);
}
