//! Compilation of one program: the stages from MLIR text to an artifact.

use crate::error::{Error, ErrorKind};
use crate::gpu_modules::{device_ir, gpu_modules, ptx_of, targets};
use crate::kernel_modules;
use crate::load::load;
use crate::options::Options;
use crate::pipeline::{
    ADD_LINE_TABLES, CONVERT_LINALG_TO_TILE, LOWER_REDUCTION, TILE_ATTACH_TARGET, stage_name,
};
use crate::plan::{self, Entry, LaunchPlan};
use crate::position::line_column_at;
use crate::source::Source;
use melior::ir::Module;
use std::collections::BTreeSet;
use std::time::Instant;
use tx_mlir::{Diagnostic, Op, Session, Severity, drop_call_sites, top, walk};
use tx_plan::{Artifact, Stage, Warning};

/// Callback that the compiler calls after each stage, with the name of the stage and the module.
pub type Watch<'w> = dyn FnMut(&str, &Session, &mut Module<'_>) -> Result<(), Error> + 'w;

/// Callback like [`Watch`] that also receives the name of the next pass in the pipeline; after the
/// last pass, the name is empty.
pub(crate) type StageCallback<'w> =
    dyn FnMut(&str, &str, &Session, &mut Module<'_>) -> Result<(), Error> + 'w;

/// Passes after which the module is verified.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verify {
    /// The module is verified after each pass. The compiler uses `Verify::Each` if a caller can
    /// access the module between passes, or if the pipeline runs passes or variants of other
    /// crates.
    Each,
    /// The module is verified only twice: after [`CONVERT_LINALG_TO_TILE`] and after the last pass.
    /// Each verification of a module takes about as long as a pass.
    Boundaries,
}

/// State of one compilation.
pub(crate) struct Compilation<'r, 'w> {
    options: &'r Options,
    stages: Vec<Stage>,
    keep: bool,
    watch: Option<&'r mut StageCallback<'w>>,
    /// Target attributes of the GPU modules after the last run of the pass [`TILE_ATTACH_TARGET`].
    attached: Option<Vec<Option<String>>>,
}

impl<'r, 'w> Compilation<'r, 'w> {
    /// Creates a compilation without stages. If `keep` is true, the compilation keeps the IR after
    /// each stage. `watch` is called after parsing and after each pass.
    pub(crate) fn new(
        options: &'r Options,
        keep: bool,
        watch: Option<&'r mut StageCallback<'w>>,
    ) -> Self {
        Self {
            options,
            stages: Vec::new(),
            keep,
            watch,
            attached: None,
        }
    }

    /// Appends a stage with a duration of `millis` milliseconds.
    pub(crate) fn add_stage(&mut self, name: &str, millis: f64, ir: Option<String>) {
        self.stages.push(Stage {
            name: name.to_owned(),
            ir,
            millis,
        });
    }
}

impl Compilation<'_, '_> {
    /// Runs all stages of the compilation of a program, and returns the artifact.
    pub(crate) fn compile(
        &mut self,
        session: &Session,
        source: &Source,
    ) -> Result<Artifact, Error> {
        let (keep, stages) = (self.keep, &mut self.stages);
        let asserts = self.options.asserts;
        let mut module = load(session, source, asserts, &mut |name, start, module| {
            stages.push(Stage {
                name: name.to_owned(),
                ir: keep.then(|| module.as_operation().to_string()),
                millis: millis(start),
            });
        })?;
        if let Some(watch) = &mut self.watch {
            watch("parse", "", session, &mut module)?;
        }

        let LaunchPlan {
            mut plan,
            gpu_module,
        } = self.lower(session, &mut module, source)?;
        self.pipeline(session, &mut module, "gpu-to-nvvm", Verify::Boundaries)?;
        let kernels = gpu_module.as_deref();
        let device_ir = match self.options.has_device_ir {
            true => device_ir(&module, kernels),
            false => String::new(),
        };
        plan.chip = self.options.chip(&module, kernels);
        if self.options.has_locations {
            // MLIR 22's `ensure-debug-info-scope-on-llvm-func` crashes on a call site location
            // outside of an `llvm.func`.
            walk(top(&module)).into_iter().for_each(drop_call_sites);
            self.pass(session, &mut module, ADD_LINE_TABLES, "", Verify::Each)?;
        }
        let whole = match self.options.has_modules {
            true => Module::from_operation(tx_mlir::copy(top(&module))),
            false => None,
        };
        // The module was verified above. The passes of `EMIT` change only single instructions, and
        // LLVM verifies the LLVM IR.
        for pass in tx_passes::EMIT {
            self.pass(session, &mut module, pass, "", Verify::Boundaries)?;
        }
        let ptx = match kernels {
            Some(kernels) => ptx_of(&module, kernels).ok_or_else(|| {
                Error::reported(
                    ErrorKind::Codegen,
                    session.take_diagnostics(),
                    "no PTX was emitted",
                )
            })?,
            // The program launches no kernel.
            None => String::new(),
        };
        let warnings = warnings(&session.take_diagnostics());
        let modules = match (whole, kernels) {
            (Some(whole), Some(kernels)) => {
                kernel_modules::compile(session, &whole, kernels, &plan.steps).ok_or_else(|| {
                    let fallback = "a kernel makes no PTX module of its own";
                    Error::reported(ErrorKind::Codegen, session.take_diagnostics(), fallback)
                })?
            }
            _ => Vec::new(),
        };
        // The warnings about a separate kernel module repeat the warnings about the whole module.
        session.take_diagnostics();
        Ok(Artifact {
            ptx,
            modules,
            plan,
            device_ir,
            stages: std::mem::take(&mut self.stages),
            warnings,
        })
    }

    /// Lowers a module to kernels, and returns the launch plan of the entry of the module.
    pub(crate) fn lower(
        &mut self,
        session: &Session,
        module: &mut Module<'_>,
        source: &Source,
    ) -> Result<LaunchPlan, Error> {
        let entry = plan::find(session, module, source)?;
        let verify = match self.watch.is_some() || self.options.has_passes_of_others() {
            true => Verify::Each,
            false => Verify::Boundaries,
        };
        self.pipeline(session, module, LOWER_REDUCTION, verify)?;
        match entry {
            Entry::Kernel(launch_plan) => Ok(plan::with_dynamic_shared(launch_plan, module)),
            // The passes have replaced the ops of the function by kernel launches.
            Entry::Function(name) => plan::of_function(session, module, &name),
        }
    }

    fn pipeline(
        &mut self,
        session: &Session,
        module: &mut Module<'_>,
        name: &str,
        verify: Verify,
    ) -> Result<(), Error> {
        let passes = self.options.passes(name)?;
        for (i, pass) in passes.iter().enumerate() {
            let next = passes.get(i + 1).map_or("", |next| stage_name(next));
            let pass = match stage_name(pass) == "gpu.module" {
                true => lower_gpu_modules(module),
                false => pass.clone(),
            };
            // Each pipeline begins with [`TILE_ATTACH_TARGET`], because each pipeline can run
            // alone. A second run of [`TILE_ATTACH_TARGET`] changes the IR only if inserted passes
            // created GPU modules or changed target attributes.
            let attaches = stage_name(&pass) == TILE_ATTACH_TARGET;
            if attaches && self.attached.as_ref() == Some(&targets(module)) {
                continue;
            }
            let verified = match stage_name(&pass) == CONVERT_LINALG_TO_TILE {
                true => Verify::Each,
                false => verify,
            };
            self.pass(session, module, &pass, next, verified)?;
            if attaches {
                self.attached = Some(targets(module));
            }
        }
        match verify {
            Verify::Boundaries if !session.verify(module) => {
                let fallback = format!("`{name}` produced an invalid program");
                let kind = ErrorKind::Pass {
                    name: name.to_owned(),
                };
                Err(Error::reported(kind, session.take_diagnostics(), &fallback))
            }
            _ => Ok(()),
        }
    }

    fn pass(
        &mut self,
        session: &Session,
        module: &mut Module<'_>,
        text: &str,
        next: &str,
        verify: Verify,
    ) -> Result<(), Error> {
        let name = stage_name(text).to_owned();
        let _span = tracing::debug_span!("pass", name, text).entered();
        let start = Instant::now();
        let done = match verify {
            Verify::Each => session.run(module, text),
            Verify::Boundaries => session.run_unverified(module, text),
        };
        if !done {
            let fallback = format!(
                "pass `{name}` failed without an error message: this is a bug in the pass, not in \
                 the program"
            );
            let kind = ErrorKind::Pass { name };
            return Err(Error::reported(kind, session.take_diagnostics(), &fallback));
        }
        self.stage(&name, next, start, session, module)
    }

    fn stage(
        &mut self,
        name: &str,
        next: &str,
        start: Instant,
        session: &Session,
        module: &mut Module<'_>,
    ) -> Result<(), Error> {
        let millis = millis(start);
        if let Some(watch) = &mut self.watch {
            watch(name, next, session, module)?;
        }
        let ir = self.keep.then(|| module.as_operation().to_string());
        self.add_stage(name, millis, ir);
        Ok(())
    }
}

/// Returns the passes of the pipeline `gpu-to-nvvm` that run on GPU modules. The returned list
/// omits passes that cannot change `module`.
fn lower_gpu_modules(module: &Module<'_>) -> String {
    let ops: Vec<Op<'_>> = gpu_modules(module).flat_map(walk).collect();
    let names: BTreeSet<&str> = ops.iter().map(|op| tx_mlir::name(*op)).collect();
    tx_passes::lower_gpu_modules(Some(&names))
}

/// Returns the warnings among the diagnostics, without duplicates. If the compiler emits several
/// kernels for an op, the diagnostics contain each warning about the op several times.
fn warnings(reported: &[Diagnostic]) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let severe = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Warning;
    for diagnostic in reported.iter().filter(severe) {
        let warning = Warning {
            message: diagnostic.message.clone(),
            place: diagnostic.location.as_ref().and_then(line_column_at),
            notes: diagnostic.notes.iter().map(|n| n.message.clone()).collect(),
        };
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}

/// Returns the time since `start` in milliseconds.
pub(crate) fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
