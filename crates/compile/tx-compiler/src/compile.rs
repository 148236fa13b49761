//! Compilation from MLIR text to an artifact.

use crate::cache::{self, Cache};
use crate::error::{Error, ErrorKind};
use crate::explain;
use crate::insert::{Insertions, Side};
use crate::modules;
use crate::plan::{self, Entry, Launches};
use crate::sessions::Sessions;
use melior::ir::Module;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use tx_mlir::{
    Diagnostic, NvvmTarget, Op, Session, Severity, attribute, codes, elements, is,
    string_attribute, walk,
};
use tx_plan::{Artifact, Explanation, Plan, Stage, Warning};
use tx_target::Chip;

/// Chip to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    chip: Chip,
}

impl Target {
    /// Returns the target named `name`, such as `sm_90`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Target`] for an unknown name; the message lists the known names.
    pub fn parse(name: &str) -> Result<Self, Error> {
        Chip::parse(name)
            .map(|chip| Self { chip })
            .map_err(|e| Error::plain(ErrorKind::Target, e.to_string()).with_code(codes::TX0501))
    }

    /// Returns the chip.
    pub fn chip(self) -> Chip {
        self.chip
    }
}

/// Input of a compilation.
#[derive(Debug, Clone)]
pub struct Source {
    /// File name for locations.
    pub name: String,
    /// MLIR text or bytecode.
    pub text: Vec<u8>,
    /// Name of the function or kernel to compile; optional if the program has only one function or
    /// kernel.
    pub entry: Option<String>,
    /// If set, the compiler keeps the IR after each stage in [`Artifact::stages`].
    pub keep_stages: bool,
}

impl Source {
    /// Creates a source from MLIR text or bytecode that contains a single entry (function or
    /// kernel). `name` is the file name in locations.
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            entry: None,
            keep_stages: false,
        }
    }
}

/// Compiler for one target. A compiler can compile any number of programs, also in several threads.
/// The first compilation creates an MLIR context, which later compilations reuse. Clones of a
/// compiler share their contexts.
///
/// ```
/// # let sum = "gpu.module @m {
/// #   gpu.func @sum(%A: memref<128xf32>, %B: memref<f32>) kernel
/// #       attributes {known_block_size = array<i32: 128, 1, 1>} {
/// #     tile.reduce sum %A into %B axes [0] scope(cta) : memref<128xf32> into memref<f32>
/// #     gpu.return
/// #   }
/// # }";
/// let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?;
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| compiler.compile(sum).map(|artifact| artifact.ptx));
///     }
/// });
/// # Ok::<(), tx::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Compiler {
    target: Target,
    cache: Option<Cache>,
    inserted: Insertions,
    keep_stages: bool,
    locates: bool,
    has_device_ir: bool,
    has_modules: bool,
    asserts: bool,
    sessions: Arc<Sessions>,
}

impl Compiler {
    /// Creates a compiler. A target attribute in a program overrides `target`.
    ///
    /// # Errors
    /// The current implementation always returns `Ok`.
    pub fn new(target: Target) -> Result<Self, Error> {
        tx_passes::register();
        Ok(Self {
            target,
            cache: None,
            inserted: Insertions::default(),
            keep_stages: false,
            locates: false,
            has_device_ir: true,
            has_modules: false,
            asserts: false,
            sessions: Arc::default(),
        })
    }

    /// Returns the target of the compiler.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Sets the cache of the compiler. If the cache contains the artifact of a program, the
    /// compiler returns this artifact, and its only stage is `cache`. Otherwise the compiler
    /// compiles the program and stores the artifact. The compiler does not reuse artifacts from
    /// another compiler build, or from a process with other registered variants.
    #[must_use]
    pub fn with_cache(self, cache: Cache) -> Self {
        Self {
            cache: Some(cache),
            ..self
        }
    }

    /// Keeps the IR after each stage in [`Artifact::stages`], as text. [`Artifact::ir_after`]
    /// returns the IR of one stage.
    ///
    /// ```
    /// # let sum = "gpu.module @m {
    /// #   gpu.func @sum(%A: memref<128xf32>, %B: memref<f32>) kernel
    /// #       attributes {known_block_size = array<i32: 128, 1, 1>} {
    /// #     tile.reduce sum %A into %B axes [0] scope(cta) : memref<128xf32> into memref<f32>
    /// #     gpu.return
    /// #   }
    /// # }";
    /// let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?.with_stages();
    /// let artifact = compiler.compile(sum)?;
    /// let expanded = artifact.ir_after("tile-expand-reduce").expect("a stage");
    /// assert!(expanded.contains("tile.all_reduce sum"));
    /// # Ok::<(), tx::Error>(())
    /// ```
    #[must_use]
    pub fn with_stages(self) -> Self {
        Self {
            keep_stages: true,
            ..self
        }
    }

    /// Emits `.loc` directives in PTX, which map instructions to source lines. Compilations with
    /// locations bypass the cache.
    #[must_use]
    pub fn with_locations(self) -> Self {
        Self {
            locates: true,
            ..self
        }
    }

    /// Leaves [`Artifact::device_ir`] empty. Without the device IR, the compile time is 6 %
    /// shorter. Only the CPU device needs the device IR. A compiler with a
    /// [cache](Self::with_cache) ignores this option, because cached artifacts must also run on the
    /// CPU device.
    #[must_use]
    pub fn without_device_ir(self) -> Self {
        Self {
            has_device_ir: false,
            ..self
        }
    }

    /// Keeps each `cf.assert` in the body of a linalg op; without this option, the compiler drops
    /// assertions. If the asserted condition is false in a thread, the thread calls `__assertfail`,
    /// and the launch fails. The compiler does not fuse an op whose body contains an assertion with
    /// other ops, so it may emit more kernels than without assertions.
    #[must_use]
    pub fn with_asserts(self) -> Self {
        Self {
            asserts: true,
            ..self
        }
    }

    /// Also compiles each kernel to a separate PTX module, for [`Artifact::modules`]. With this
    /// option, LLVM compiles each kernel twice. The compile time of a program with 13 kernels
    /// increases from 335 to 594 ms. Compilations with separate modules bypass the cache.
    #[must_use]
    pub fn with_modules(self) -> Self {
        Self {
            has_modules: true,
            ..self
        }
    }

    /// Inserts one or more comma-separated passes directly after the pass `after` of
    /// `lower-reduction`. Each pass must be a pass of MLIR, or registered with
    /// [`crate::register_pass`]. A pass may have options (`"mine{limit=8}"`). Passes inserted at
    /// one position run in the order of their insertion. The module is verified after each pass.
    /// [`Artifact::stages`] contains one stage per inserted pass.
    ///
    /// ```
    /// let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?
    ///     .with_pass_after("tile-expand-reduce", "canonicalize")?;
    /// assert!(compiler.pipeline()?.contains("tile-expand-reduce,canonicalize,"));
    ///
    /// let error = compiler.with_pass_after("expand-reduce", "cse").unwrap_err();
    /// assert_eq!(error.kind, tx::ErrorKind::Pipeline);
    /// # Ok::<(), tx::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::Pipeline`] if `lower-reduction` has no pass `after` (the message lists
    /// its passes), or if a pass or an option in `passes` is not registered.
    pub fn with_pass_after(self, after: &str, passes: &str) -> Result<Self, Error> {
        self.with_pass(Side::After, after, passes)
    }

    /// Inserts one or more comma-separated passes directly before the pass `before` of
    /// `lower-reduction`. See [`Self::with_pass_after`].
    ///
    /// # Errors
    /// Returns the same errors as [`Self::with_pass_after`].
    pub fn with_pass_before(self, before: &str, passes: &str) -> Result<Self, Error> {
        self.with_pass(Side::Before, before, passes)
    }

    fn with_pass(mut self, side: Side, anchor: &str, passes: &str) -> Result<Self, Error> {
        let pipeline = expand("lower-reduction", self.target.chip)?;
        self.inserted.insert(side, anchor, passes, &pipeline)?;
        Ok(self)
    }

    /// Returns the text of the pipeline `lower-reduction` for the compiler's target. The text
    /// includes the inserted passes. The caller can parse the text for its own pass manager on
    /// `builtin.module`.
    ///
    /// # Errors
    /// The current implementation always returns `Ok`.
    pub fn pipeline(&self) -> Result<String, Error> {
        Ok(self.passes(LOWER)?.join(","))
    }

    fn has_passes_of_others(&self) -> bool {
        self.inserted != Insertions::default() || tx_passes::has_variants_of_others()
    }

    fn passes(&self, pipeline: &str) -> Result<Vec<String>, Error> {
        let passes = expand(pipeline, self.target.chip)?;
        Ok(match pipeline {
            LOWER => self.inserted.apply(passes),
            _ => passes,
        })
    }

    /// Compiles MLIR text that contains a single entry (a function or a kernel).
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn compile(&self, text: &str) -> Result<Artifact, Error> {
        self.compile_source(&Source::new("<input>", text))
    }

    /// Compiles a module of another MLIR context, without changing the module. The compiler prints
    /// the module and parses the text in its own context, so the module may contain only ops of the
    /// dialects that [`crate::register_dialects`] adds. Diagnostics have the locations of the
    /// module's ops.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn compile_module(&self, module: &Module<'_>) -> Result<Artifact, Error> {
        self.compile_source(&Source::new("<module>", generic(module)))
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn compile_source(&self, source: &Source) -> Result<Artifact, Error> {
        let lower = ErrorKind::Pass {
            name: LOWER.to_owned(),
        };
        let compile = || match self.run(source, None) {
            // The second run verifies the module after each pass, to find the pass that makes it
            // invalid.
            Err(error) if error.kind == lower => {
                self.compile_watched(source, &mut |_, _, _| Ok(()))
            }
            done => done,
        };
        // The cache stores neither IR of stages, nor `.loc` directives, nor separate modules.
        let has_more = self.keep_stages || source.keep_stages || self.locates || self.has_modules;
        let cache = self.cache.as_ref().filter(|_| !has_more);
        let start = Instant::now();
        let key = || cache::key(self.target.chip, self.asserts, &self.inserted.key(), source);
        let Some((cache, key)) = cache.and_then(|cache| Some((cache, key()?))) else {
            return compile();
        };
        if let Some(mut artifact) = cache::get(cache, &key) {
            artifact.stages = vec![Stage {
                name: "cache".to_owned(),
                ir: None,
                millis: millis(start),
            }];
            return Ok(artifact);
        }
        let artifact = compile()?;
        cache::put(cache, &key, &artifact);
        Ok(artifact)
    }

    /// Returns the names of the functions and kernels that can be compiled, in program order. The
    /// list omits kernels that a function of the program launches.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parse`] for invalid source.
    pub fn entries(&self, source: &Source) -> Result<Vec<String>, Error> {
        self.sessions.with(source.text.len(), |session| {
            let module = load(session, source, self.asserts, &mut |_, _, _| ())?;
            Ok(plan::entry_names(&module))
        })
    }

    /// Returns the launch plan of a program, without compiling its PTX.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn plan(&self, source: &Source) -> Result<Plan, Error> {
        self.sessions.with(source.text.len(), |session| {
            let mut module = load(session, source, self.asserts, &mut |_, _, _| ())?;
            let mut run = Run {
                compiler: self,
                stages: Vec::new(),
                keep: false,
                watch: None,
                attached: None,
            };
            let Launches {
                mut plan,
                gpu_module,
            } = run.lower(session, &mut module, source)?;
            plan.chip = self.chip(&module, gpu_module.as_deref());
            Ok(plan)
        })
    }

    /// Returns a warning if the entry is a kernel that reads its block index but has no
    /// `known_grid_size`. A kernel without a known grid size is launched with one block, or one
    /// cluster, unless the launch specifies a grid.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parse`] for invalid source.
    pub fn unknown_grid(&self, source: &Source) -> Result<Option<Warning>, Error> {
        self.sessions.with(source.text.len(), |session| {
            let module = load(session, source, self.asserts, &mut |_, _, _| ())?;
            Ok(plan::unknown_grid(session, &module, source))
        })
    }

    /// Returns the chip of a `gpu.module`: its target attribute, or the target of the compiler.
    fn chip(&self, module: &Module<'_>, kernels: Option<&str>) -> String {
        let own = kernels.and_then(|kernels| chip_of(module, kernels));
        own.unwrap_or(self.target.chip).name.to_owned()
    }

    /// Returns the choices of the compiler: the schedule and kernels of each op, the variant of
    /// each reduction, and the lowering of each exchange between threads. For each alternative that
    /// the compiler did not choose, the result contains the estimated cost, or the reason why the
    /// alternative cannot be used. The list contains the choices of schedules first, and then the
    /// choices of variants and exchanges.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn explain(&self, source: &Source) -> Result<Explained, Error> {
        let mut explained = Explained::default();
        let mut kernels = Vec::new();
        self.watched(source, &mut |stage, next, session, module| {
            if stage == SCHEDULE {
                kernels = explain::kernels(top(module));
            }
            let pass = match next {
                SCHEDULE => &format!(
                    "tile-choose-schedule{{explain chip={}}}",
                    self.target.chip.name
                ),
                "tile-form-kernels" => &format!(
                    "tile-form-kernels{{explain chip={}}}",
                    self.target.chip.name
                ),
                "tile-select-variant" => "tile-select-variant{explain}",
                _ => return Ok(()),
            };
            // The pass runs on a copy of the module, which is discarded. If the pass fails, the
            // next pass reports the reason.
            if let Some(mut copy) = Module::from_operation(tx_mlir::copy(top(module))) {
                let (done, choices) = tx_passes::explain::collect(|| session.run(&mut copy, pass));
                if done {
                    explained.choices.extend(choices);
                    explained.warnings.extend(session.take_diagnostics());
                }
            }
            Ok(())
        })?;
        explain::name_kernels(&mut explained.choices, &kernels);
        Ok(explained)
    }

    /// Returns the reductions of a program in program order, each with its candidate schedules. The
    /// first candidate schedule is the default.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn candidates(&self, source: &Source) -> Result<Vec<Tunable>, Error> {
        let mut found = Vec::new();
        self.watched(source, &mut |_, next, session, module| {
            if next == SCHEDULE {
                let tunables = self.tunables(session, module).unwrap_or_default();
                found = tunables.into_iter().map(|(_, tunable)| tunable).collect();
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Compiles a program with the given schedules. Entry `i` of `schedules` applies to reduction
    /// `i` of [`Self::candidates`]; `None` or a missing entry selects the default schedule. The
    /// function returns the artifact, and the program text with the given schedules as attributes.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`]. The error is [`ErrorKind::Schedule`] if a schedule is
    /// invalid, or if there are more schedules than reductions.
    pub fn compile_scheduled(
        &self,
        source: &Source,
        schedules: &[Option<String>],
    ) -> Result<(Artifact, String), Error> {
        let mut text = String::new();
        let artifact = self.watched(source, &mut |_, next, session, module| {
            if next == SCHEDULE {
                if let Some(tunables) = self.tunables(session, module) {
                    write_schedules(session, &tunables, schedules)?;
                }
                text = module.as_operation().to_string();
            }
            Ok(())
        })?;
        Ok((artifact, text))
    }

    /// Returns the ops that have candidate schedules, and removes the attribute with the candidates
    /// from each op. Returns `None` if `tile-list-candidates` fails.
    fn tunables<'c>(
        &self,
        session: &Session,
        module: &'c mut Module<'_>,
    ) -> Option<Vec<(tx_mlir::Op<'c>, Tunable)>> {
        let pass = format!("tile-list-candidates{{chip={}}}", self.target.chip.name);
        if !session.run(module, &pass) {
            // The next pass reports the reason of the failure.
            session.take_diagnostics();
            return None;
        }
        let mut found = Vec::new();
        for op in tx_mlir::walk(top(module)) {
            let Some(listed) = tx_mlir::attribute(op, tx_passes::CANDIDATES) else {
                continue;
            };
            let mut candidates = tx_mlir::elements(listed).unwrap_or_default().into_iter();
            let estimated_for = candidates.next().map(|text| text.to_string());
            let candidates = candidates.filter_map(|candidate| {
                let [schedule, microseconds] = tx_mlir::elements(candidate)?.try_into().ok()?;
                Some(Candidate {
                    schedule: schedule.to_string(),
                    microseconds: f64::from_bits(tx_mlir::float_bits(microseconds)?),
                })
            });
            let function = tx_mlir::enclosing(op, "func.func")
                .and_then(|function| tx_mlir::string_attribute(function, "sym_name"))
                .unwrap_or_default();
            let tunable = Tunable {
                function,
                op: tx_mlir::name(op).to_owned(),
                place: tx_mlir::source_location(op.location()).and_then(|at| plan::place(&at)),
                candidates: candidates.collect(),
                estimated_for: estimated_for
                    .unwrap_or_default()
                    .trim_matches('"')
                    .to_owned(),
            };
            tx_mlir::remove_attribute(op, tx_passes::CANDIDATES);
            found.push((op, tunable));
        }
        Some(found)
    }

    /// Compiles a program. Compiles a program, and calls `watch` after parsing and after each pass,
    /// with the name of the stage and the module. `watch` may change the module.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`], or the error of `watch`.
    pub fn compile_watched(
        &self,
        source: &Source,
        watch: &mut Watch<'_>,
    ) -> Result<Artifact, Error> {
        self.watched(source, &mut |stage, _, session, module| {
            watch(stage, session, module)
        })
    }

    /// Compiles like [`Self::compile_watched`]; `watch` also receives the name of the next pass.
    fn watched(&self, source: &Source, watch: &mut Watching<'_>) -> Result<Artifact, Error> {
        self.run(source, Some(watch))
    }

    fn run(&self, source: &Source, watch: Option<&mut Watching<'_>>) -> Result<Artifact, Error> {
        let _span =
            tracing::debug_span!("compile", file = source.name, chip = self.target.chip.name)
                .entered();
        let mut run = Run {
            compiler: self,
            stages: Vec::new(),
            keep: self.keep_stages || source.keep_stages,
            watch,
            attached: None,
        };
        let start = Instant::now();
        self.sessions.with(source.text.len(), |session| {
            run.stages.push(Stage {
                name: "context".to_owned(),
                ir: None,
                millis: millis(start),
            });
            run.compile(session, source)
        })
    }
}

fn write_schedules(
    session: &Session,
    tunables: &[(tx_mlir::Op<'_>, Tunable)],
    schedules: &[Option<String>],
) -> Result<(), Error> {
    let (found, most) = (schedules.len(), tunables.len());
    if found > most {
        let message = format!(
            "found {found} schedules, expected at most {most}: one for each reduction that `candidates` lists"
        );
        return Err(Error::plain(ErrorKind::Schedule, message));
    }
    for (i, ((op, _), schedule)) in tunables.iter().zip(schedules).enumerate() {
        let Some(schedule) = schedule else { continue };
        let parsed = session.parse_attribute(&format!("schedule {i}"), schedule);
        let parsed = parsed.ok_or_else(|| {
            let fallback = format!("schedule {i} is no attribute: `{schedule}`");
            Error::reported(ErrorKind::Schedule, session.take_diagnostics(), &fallback)
        })?;
        if elements(parsed).is_none() {
            let message = format!(
                "schedule {i} is `{parsed}`, expected a list of steps, as `[#tile.split<\"d0\" by 32>]`"
            );
            return Err(Error::plain(ErrorKind::Schedule, message));
        }
        tx_mlir::set_attribute(*op, "schedule", parsed);
    }
    Ok(())
}

/// Result of [`Compiler::explain`].
#[derive(Debug, Clone, Default)]
pub struct Explained {
    /// Choices of the compiler, such as schedules and variants. Each entry contains the reasons for
    /// the choice.
    pub choices: Vec<Explanation>,
    /// Warnings: constructs of the program that are legal but probably mistakes.
    pub warnings: Vec<Diagnostic>,
}

/// Reduction with its candidate schedules.
#[derive(Debug, Clone)]
pub struct Tunable {
    /// Name of the enclosing function.
    pub function: String,
    /// Name of the op.
    pub op: String,
    /// Source position of the op, if known.
    pub place: Option<tx_plan::LineColumn>,
    /// Candidate schedules; the first candidate is the default schedule.
    pub candidates: Vec<Candidate>,
    /// Name of the GPU for which [`Candidate::microseconds`] is estimated. The text also contains
    /// the sizes that the estimate assumes for dynamic dimensions.
    pub estimated_for: String,
}

/// Candidate schedule of a reduction.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Text of the attribute `schedule`.
    pub schedule: String,
    /// Estimated time in microseconds. The estimate assumes the sizes in [`Tunable::estimated_for`]
    /// for dynamic dimensions.
    pub microseconds: f64,
}

/// Callback that receives the name of a stage, and the module after the stage.
pub type Watch<'w> = dyn FnMut(&str, &Session, &mut Module<'_>) -> Result<(), Error> + 'w;

/// [`Watch`] that also receives the name of the next pass in the pipeline, or an empty string.
type Watching<'w> = dyn FnMut(&str, &str, &Session, &mut Module<'_>) -> Result<(), Error> + 'w;

/// Passes after which the module is verified.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verify {
    /// The module is verified after each pass. The compiler uses this setting if a caller can read
    /// or change the module between passes, or if passes or variants of other crates run.
    Each,
    /// The module is verified after [`CONVERT`] and after the last pass only, because verification
    /// takes as long as a pass.
    Boundaries,
}

const LOWER: &str = "lower-reduction";

/// Pass that converts linalg ops to `tile` ops. The module is always verified after this pass,
/// because the verifiers of `tile` ops also detect errors in the input program.
const CONVERT: &str = "convert-linalg-to-tile";

const TENSORS: &str = "tensors-to-memrefs";

const SOFTMAX: &str = "linalg-decompose-softmax";

/// Pass that evaluates sizes that a host function first stores to memory and later loads from
/// memory.
const SIZES: &str = "func-compute-sizes";

const DROP: &str = "linalg-drop-asserts";

const SCHEDULE: &str = "tile-schedule";

const ATTACH: &str = "tile-attach-target";

/// Pass that creates LLVM debug information from the locations of ops: line tables only.
const LOCATE: &str = "ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}";

struct Run<'r, 'w> {
    compiler: &'r Compiler,
    stages: Vec<Stage>,
    keep: bool,
    watch: Option<&'r mut Watching<'w>>,
    /// Target attributes of the GPU modules after the last run of the pass [`ATTACH`].
    attached: Option<Vec<Option<String>>>,
}

impl Run<'_, '_> {
    fn compile(&mut self, session: &Session, source: &Source) -> Result<Artifact, Error> {
        let (keep, stages) = (self.keep, &mut self.stages);
        let asserts = self.compiler.asserts;
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

        let Launches {
            mut plan,
            gpu_module,
        } = self.lower(session, &mut module, source)?;
        self.pipeline(session, &mut module, "gpu-to-nvvm", Verify::Boundaries)?;
        let kernels = gpu_module.as_deref();
        let is_wanted = self.compiler.has_device_ir || self.compiler.cache.is_some();
        let device_ir = match is_wanted {
            true => device_ir(&module, kernels),
            false => String::new(),
        };
        plan.chip = self.compiler.chip(&module, kernels);
        if self.compiler.locates {
            // MLIR 22's `ensure-debug-info-scope-on-llvm-func` crashes on a call site location
            // outside of an `llvm.func`.
            walk(top(&module))
                .into_iter()
                .for_each(tx_mlir::drop_call_sites);
            self.pass(session, &mut module, LOCATE, "", Verify::Each)?;
        }
        let whole = match self.compiler.has_modules {
            true => Module::from_operation(tx_mlir::copy(top(&module))),
            false => None,
        };
        // The module was verified above. The remaining passes change single instructions, and LLVM
        // verifies its own IR.
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
            (Some(whole), Some(kernels)) => modules::compile(session, &whole, kernels, &plan.steps)
                .ok_or_else(|| {
                    let fallback = "a kernel makes no PTX module of its own";
                    Error::reported(ErrorKind::Codegen, session.take_diagnostics(), fallback)
                })?,
            _ => Vec::new(),
        };
        // Warnings about a separate kernel module repeat those of the whole module.
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

    fn lower(
        &mut self,
        session: &Session,
        module: &mut Module<'_>,
        source: &Source,
    ) -> Result<Launches, Error> {
        let entry = plan::find(session, module, source)?;
        let verify = match self.watch.is_some() || self.compiler.has_passes_of_others() {
            true => Verify::Each,
            false => Verify::Boundaries,
        };
        self.pipeline(session, module, LOWER, verify)?;
        match entry {
            Entry::Kernel(launches) => Ok(plan::with_dynamic_shared(launches, module)),
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
        let passes = self.compiler.passes(name)?;
        for (i, pass) in passes.iter().enumerate() {
            let next = passes.get(i + 1).map_or("", |next| stage_name(next));
            let pass = match stage_name(pass) == "gpu.module" {
                true => lower_gpu_modules(module),
                false => pass.clone(),
            };
            // Each pipeline begins with [`ATTACH`], because each pipeline can run alone. A second
            // run of [`ATTACH`] has an effect only if inserted passes created modules or changed
            // targets.
            let attaches = stage_name(&pass) == ATTACH;
            if attaches && self.attached.as_ref() == Some(&targets(module)) {
                continue;
            }
            let verified = match stage_name(&pass) == CONVERT {
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
                let fallback = format!("`{name}` leaves a program that is not valid");
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
                "pass `{name}` failed, and gave no reason: this is a bug in the pass, not in the program"
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
        self.stages.push(Stage {
            name: name.to_owned(),
            ir,
            millis,
        });
        Ok(())
    }
}

/// Returns the passes of `gpu-to-nvvm` that run on GPU modules, except passes that cannot change
/// `module`.
fn lower_gpu_modules(module: &Module<'_>) -> String {
    let ops: Vec<Op<'_>> = gpu_modules(module).flat_map(walk).collect();
    let names: BTreeSet<&str> = ops.iter().map(|op| tx_mlir::name(*op)).collect();
    tx_passes::lower_gpu_modules(Some(&names))
}

/// Callback that [`load`] calls after each of its steps, with the name of the step, its start time,
/// and the module.
type Loading<'l> = dyn FnMut(&str, Instant, &Module<'_>) + 'l;

/// Parses a program and converts it to memrefs: functions on tensors are bufferized, and calls
/// between host functions are inlined. If `asserts` is false, the function removes the assertions
/// in bodies of linalg ops.
fn load<'s>(
    session: &'s Session,
    source: &Source,
    asserts: bool,
    loaded: &mut Loading<'_>,
) -> Result<Module<'s>, Error> {
    let start = Instant::now();
    let mut module = parse(session, source)?;
    loaded("parse", start, &module);
    crate::unregistered::remove(&module, source).map_err(|_| {
        let fallback = "an op of a dialect that is not registered";
        Error::reported(ErrorKind::Unsupported, session.take_diagnostics(), fallback)
    })?;
    let first = tx_passes::has_softmax(&top(&module)).then_some(SOFTMAX);
    let has_tensors = tx_passes::has_tensors(top(&module));
    let drops = !asserts && tx_passes::has_body_asserts(top(&module));
    let sizes = tx_passes::has_host_stores(top(&module)).then_some(SIZES);
    let last = Vec::from_iter(drops.then_some(DROP).into_iter().chain(sizes));
    let (name, then) = match (has_tensors, has_calls(&module)) {
        (true, _) if asserts => (TENSORS, Some("tensors-to-memrefs{asserts=true}")),
        (true, _) => (TENSORS, Some(TENSORS)),
        (false, true) => ("inline", Some(tx_passes::INLINE)),
        (false, false) => match first.or(last.first().copied()) {
            Some(only) => (only, None),
            None => return Ok(module),
        },
    };
    let passes = Vec::from_iter(first.into_iter().chain(then).chain(last)).join(",");
    let start = Instant::now();
    publish(&module, source);
    if !session.run(&mut module, &passes) {
        let kind = ErrorKind::Pass {
            name: name.to_owned(),
        };
        let fallback = format!("`{name}` failed");
        return Err(Error::reported(kind, session.take_diagnostics(), &fallback));
    }
    loaded(name, start, &module);
    Ok(module)
}

/// Makes the function that `source` names public, and makes all functions public if the program has
/// only private functions. Inlining would remove a private entry, because the entry has no callers.
fn publish(module: &Module<'_>, source: &Source) {
    let functions: Vec<Op<'_>> = walk(top(module))
        .into_iter()
        .filter(|op| is(*op, "func.func") && !tx_mlir::blocks(*op).is_empty())
        .collect();
    let none_is_public = functions.iter().all(plan::is_private);
    for function in functions {
        let is_entry =
            source.entry.is_some() && string_attribute(function, "sym_name") == source.entry;
        if is_entry || none_is_public {
            tx_mlir::remove_attribute(function, "sym_visibility");
        }
    }
}

fn has_calls(module: &Module<'_>) -> bool {
    walk(top(module))
        .into_iter()
        .any(|op| is(op, "func.call") && tx_mlir::enclosing(op, "gpu.module").is_none())
}

fn parse<'s>(session: &'s Session, source: &Source) -> Result<Module<'s>, Error> {
    let _span = tracing::debug_span!("parse", file = source.name).entered();
    // Functions that are not compiled may contain ops of unregistered dialects.
    session.context().set_allow_unregistered_dialects(true);
    session.parse(&source.name, &source.text).ok_or_else(|| {
        Error::reported(
            ErrorKind::Parse,
            session.take_diagnostics(),
            &format!("{}: cannot be parsed", source.name),
        )
    })
}

/// Returns the warnings among the diagnostics, without duplicates. If the compiler emits several
/// kernels for an op, the diagnostics contain each warning about the op several times.
fn warnings(reported: &[Diagnostic]) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let severe = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Warning;
    for diagnostic in reported.iter().filter(severe) {
        let warning = Warning {
            message: diagnostic.message.clone(),
            place: diagnostic.location.as_ref().and_then(plan::place),
            notes: diagnostic.notes.iter().map(|n| n.message.clone()).collect(),
        };
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn expand(name: &str, chip: Chip) -> Result<Vec<String>, Error> {
    let expanded = tx_passes::PIPELINES
        .iter()
        .find(|p| p.argument == name)
        .ok_or_else(|| format!("no pipeline named `{name}`"))
        .and_then(|p| (p.expand)(&[chip.name]))
        .map_err(|e| Error::plain(ErrorKind::Codegen, e))?;
    let passes = split_passes(&expanded).into_iter().map(str::to_owned);
    Ok(passes.collect())
}

/// Returns the stage name of a pass: the name of the pass without options and nested passes.
pub(crate) fn stage_name(pass: &str) -> &str {
    pass.split(['{', '(']).next().unwrap_or(pass)
}

pub(crate) fn split_passes(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    text.split(|c| {
        depth += i32::from(c == '(' || c == '{') - i32::from(c == ')' || c == '}');
        c == ',' && depth == 0
    })
    .collect()
}

fn chip_of(module: &Module<'_>, kernels: &str) -> Option<Chip> {
    let holder = gpu_modules(module).find(|op| is_named(*op, kernels))?;
    let targets = attribute(holder, "targets").and_then(elements)?;
    let mut targets = targets.into_iter().filter_map(NvvmTarget::of);
    targets.find_map(|target| Chip::parse(&target.chip).ok())
}

fn targets(module: &Module<'_>) -> Vec<Option<String>> {
    gpu_modules(module)
        .map(|op| attribute(op, "targets").map(|targets| targets.to_string()))
        .collect()
}

/// Returns the `gpu.module` ops of a module, and the `gpu.binary` ops that replaced `gpu.module`
/// ops.
pub(crate) fn gpu_modules<'m>(module: &'m Module<'_>) -> impl Iterator<Item = Op<'m>> {
    walk(top(module))
        .into_iter()
        .filter(|op| is(*op, "gpu.module") || is(*op, "gpu.binary"))
}

pub(crate) fn is_named(op: Op<'_>, name: &str) -> bool {
    string_attribute(op, "sym_name").as_deref() == Some(name)
}

/// Returns the `gpu.module` named `kernels` in generic form, with the location of every op. The
/// executor reports faults at the op locations in this text. MLIR cannot parse the short form of
/// `nvvm.barrier` with a location.
pub fn device_ir(module: &Module<'_>, kernels: Option<&str>) -> String {
    let device = Module::new(module.as_operation().location());
    let holder = kernels.and_then(|kernels| gpu_modules(module).find(|op| is_named(*op, kernels)));
    if let Some(holder) = holder {
        device.body().append_operation(tx_mlir::copy(holder));
    }
    generic(&device)
}

/// Returns a module in generic form, with the location of every op.
fn generic(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new()
        .enable_debug_info(true, false)
        .print_generic_operation_form();
    tx_mlir::text(top(module), &flags)
}

pub(crate) fn top<'m>(module: &'m Module<'_>) -> Op<'m> {
    // SAFETY: the op lives as long as the module, which is borrowed for `'m`.
    unsafe { Op::from_raw(module.as_operation().to_raw()) }
}

/// Returns the PTX of the `gpu.binary` that replaced a `gpu.module`.
pub(crate) fn ptx_of(module: &Module<'_>, kernels: &str) -> Option<String> {
    let binary = gpu_modules(module).find(|op| is_named(*op, kernels))?;
    tx_mlir::gpu::object_texts(binary).into_iter().next()
}
