//! Options of a compiler.

use crate::error::Error;
use crate::gpu_modules::chip_of;
use crate::insert::Insertions;
use crate::pipeline::{LOWER_REDUCTION, expand};
use crate::target::Target;
use melior::ir::Module;

/// Options that determine the result of a compilation.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) target: Target,
    /// Passes that the caller inserts into the pipeline `lower-reduction`.
    pub(crate) inserted: Insertions,
    /// Whether the artifact contains the IR after each stage.
    pub(crate) keep_stages: bool,
    /// Whether the PTX contains `.loc` directives.
    pub(crate) has_locations: bool,
    /// Whether the artifact contains the IR that the CPU device runs.
    pub(crate) has_device_ir: bool,
    /// Whether the artifact contains a separate PTX module for each kernel.
    pub(crate) has_modules: bool,
    /// Whether the compiler keeps each `cf.assert` in the body of a linalg op.
    pub(crate) asserts: bool,
}

impl Options {
    /// Returns the default options for a target.
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            inserted: Insertions::default(),
            keep_stages: false,
            has_locations: false,
            has_device_ir: true,
            has_modules: false,
            asserts: false,
        }
    }

    /// Returns the name of the chip, such as `sm_90`.
    pub(crate) fn chip_name(&self) -> &'static str {
        self.target.chip().name
    }

    /// Returns whether the compilation runs passes or variants of other crates.
    pub(crate) fn has_passes_of_others(&self) -> bool {
        self.inserted != Insertions::default() || tx_passes::has_variants_of_others()
    }

    /// Returns the passes of a pipeline, with the inserted passes.
    pub(crate) fn passes(&self, pipeline: &str) -> Result<Vec<String>, Error> {
        let passes = expand(pipeline, self.target.chip())?;
        Ok(match pipeline {
            LOWER_REDUCTION => self.inserted.apply(passes),
            _ => passes,
        })
    }

    /// Returns the chip in the target attribute of a `gpu.module`. If the `gpu.module` has no
    /// target attribute, the function returns the chip of the compiler's target.
    pub(crate) fn chip(&self, module: &Module<'_>, kernels: Option<&str>) -> String {
        let own = kernels.and_then(|kernels| chip_of(module, kernels));
        own.unwrap_or(self.target.chip()).name.to_owned()
    }
}
