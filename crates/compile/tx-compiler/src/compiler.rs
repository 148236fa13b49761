//! Compiler for one target, with options, a cache, and a pool of MLIR contexts.

use crate::cache::{self, Cache};
use crate::compilation::{Compilation, StageCallback, Watch, millis};
use crate::error::{Error, ErrorKind};
use crate::explain::{self, Explained};
use crate::gpu_modules::generic;
use crate::insert::Side;
use crate::load::load;
use crate::options::Options;
use crate::pipeline::{LOWER_REDUCTION, TILE_SCHEDULE, expand};
use crate::plan::{self, LaunchPlan};
use crate::sessions::Sessions;
use crate::source::Source;
use crate::target::Target;
use crate::tune::{Tunable, tunables, write_schedules};
use melior::ir::Module;
use std::sync::Arc;
use std::time::Instant;
use tx_mlir::top;
use tx_plan::{Artifact, Plan, Stage, Warning};

/// Compiler for one target. A compiler can compile any number of programs, in one or several
/// threads. The first compilation creates an MLIR context, which later compilations reuse. Clones
/// of a compiler share their contexts.
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
    options: Options,
    cache: Option<Cache>,
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
            options: Options::new(target),
            cache: None,
            sessions: Arc::default(),
        })
    }

    /// Returns the target of the compiler.
    pub fn target(&self) -> Target {
        self.options.target
    }

    /// Sets the cache of the compiler. If the cache contains the artifact of a program, the
    /// compiler returns the cached artifact. The list of stages of a cached artifact contains only
    /// the stage `cache`. If the cache does not contain the artifact, the compiler compiles the
    /// program and stores the artifact. The compiler uses a cached artifact only if the same
    /// compiler build with the same registered variants stored the artifact.
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
    pub fn with_stages(mut self) -> Self {
        self.options.keep_stages = true;
        self
    }

    /// Emits `.loc` directives in PTX. The `.loc` directives map PTX instructions to source lines.
    /// A compilation that emits `.loc` directives bypasses the cache.
    #[must_use]
    pub fn with_locations(mut self) -> Self {
        self.options.has_locations = true;
        self
    }

    /// Leaves [`Artifact::device_ir`] empty, which reduces the compile time by 6 %. Only the CPU
    /// device needs the device IR of an artifact. A compiler with a [cache](Self::with_cache)
    /// ignores `without_device_ir`, because cached artifacts must also run on the CPU device.
    #[must_use]
    pub fn without_device_ir(mut self) -> Self {
        self.options.has_device_ir = false;
        self
    }

    /// Keeps each `cf.assert` in the body of a linalg op. By default, the compiler drops
    /// assertions. If the asserted condition is false in a thread, the thread calls `__assertfail`,
    /// and the launch fails. If a linalg op contains an assertion, the compiler fuses the op with
    /// no other op. `with_asserts` can therefore increase the number of kernels of a program.
    #[must_use]
    pub fn with_asserts(mut self) -> Self {
        self.options.asserts = true;
        self
    }

    /// Compiles each kernel to a separate PTX module, in addition to the PTX module that contains
    /// all kernels. [`Artifact::modules`] returns the separate modules. If separate modules are
    /// requested, LLVM compiles each kernel twice. For example, separate modules increase the
    /// compile time of a program with 13 kernels from 335 to 594 ms. Compilations with separate
    /// modules bypass the cache.
    #[must_use]
    pub fn with_modules(mut self) -> Self {
        self.options.has_modules = true;
        self
    }

    /// Inserts one or more comma-separated passes directly after the pass `after` of the pipeline
    /// `lower-reduction`. Each pass must be a pass of MLIR, or registered with
    /// [`crate::register_pass`]. A pass may have options (`"mine{limit=8}"`). If several passes are
    /// inserted at the same position, the passes run in the order of their insertion. The module is
    /// verified after each pass. [`Artifact::stages`] contains one stage per inserted pass.
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

    /// Inserts one or more comma-separated passes directly before the pass `before` of the pipeline
    /// `lower-reduction`. See [`Self::with_pass_after`].
    ///
    /// # Errors
    /// Returns the same errors as [`Self::with_pass_after`].
    pub fn with_pass_before(self, before: &str, passes: &str) -> Result<Self, Error> {
        self.with_pass(Side::Before, before, passes)
    }

    fn with_pass(mut self, side: Side, anchor: &str, passes: &str) -> Result<Self, Error> {
        let pipeline = expand(LOWER_REDUCTION, self.options.target.chip())?;
        self.options
            .inserted
            .insert(side, anchor, passes, &pipeline)?;
        Ok(self)
    }

    /// Returns the text of the pipeline `lower-reduction` for the compiler's target. The pipeline
    /// text includes the inserted passes. Callers can parse the pipeline text into their own pass
    /// managers, which must run on `builtin.module`.
    ///
    /// # Errors
    /// The current implementation always returns `Ok`.
    pub fn pipeline(&self) -> Result<String, Error> {
        Ok(self.options.passes(LOWER_REDUCTION)?.join(","))
    }

    /// Compiles MLIR text that contains a single entry (a function or a kernel).
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn compile(&self, text: &str) -> Result<Artifact, Error> {
        self.compile_source(&Source::new("<input>", text))
    }

    /// Compiles a module that belongs to an MLIR context of the caller, without changing the
    /// module. The compiler prints the module, and parses the printed text in its own context, so
    /// the module may contain only ops of the dialects that [`crate::register_dialects`] adds.
    /// Diagnostics have the locations of the module's ops.
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
            name: LOWER_REDUCTION.to_owned(),
        };
        let compile = || match self.run(source, None) {
            // The second run verifies the module after each pass, so that the error names the pass
            // that made the module invalid.
            Err(error) if error.kind == lower => {
                self.compile_watched(source, &mut |_, _, _| Ok(()))
            }
            done => done,
        };
        // The cache stores neither IR of stages, nor `.loc` directives, nor separate modules.
        let has_more = self.options.keep_stages
            || source.keep_stages
            || self.options.has_locations
            || self.options.has_modules;
        let cache = self.cache.as_ref().filter(|_| !has_more);
        let start = Instant::now();
        let key = || {
            cache::key(
                self.options.target.chip(),
                self.options.asserts,
                &self.options.inserted.key(),
                source,
            )
        };
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
    /// returned list omits kernels that a function of the same program launches.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parse`] for invalid source.
    pub fn entries(&self, source: &Source) -> Result<Vec<String>, Error> {
        self.sessions.with(source.text.len(), |session| {
            let module = load(session, source, self.options.asserts, &mut |_, _, _| ())?;
            Ok(plan::entry_names(&module))
        })
    }

    /// Returns the launch plan of a program, without code generation for its kernels.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn plan(&self, source: &Source) -> Result<Plan, Error> {
        self.sessions.with(source.text.len(), |session| {
            let mut module = load(session, source, self.options.asserts, &mut |_, _, _| ())?;
            let mut compilation = Compilation::new(&self.options, false, None);
            let LaunchPlan {
                mut plan,
                gpu_module,
            } = compilation.lower(session, &mut module, source)?;
            plan.chip = self.options.chip(&module, gpu_module.as_deref());
            Ok(plan)
        })
    }

    /// Returns a warning if the entry of a program is a kernel that reads its block index but has
    /// no `known_grid_size`. If a launch specifies no grid, a kernel without `known_grid_size` runs
    /// with one block or one cluster.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parse`] for invalid source.
    pub fn unknown_grid(&self, source: &Source) -> Result<Option<Warning>, Error> {
        self.sessions.with(source.text.len(), |session| {
            let module = load(session, source, self.options.asserts, &mut |_, _, _| ())?;
            Ok(plan::unknown_grid(session, &module, source))
        })
    }

    /// Returns the choices of the compiler: the schedule and kernels of each op, the variant of
    /// each reduction, and the lowering of each exchange between threads. For each rejected
    /// alternative, the result contains either the estimated cost of the alternative, or the reason
    /// why the compiler cannot use the alternative. The returned list begins with the choices of
    /// schedules.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn explain(&self, source: &Source) -> Result<Explained, Error> {
        let mut explained = Explained::default();
        let mut kernels = Vec::new();
        self.watched(source, &mut |stage, next, session, module| {
            if stage == TILE_SCHEDULE {
                kernels = explain::kernels(top(module));
            }
            explained.add_choices(session, module, next, self.options.chip_name());
            Ok(())
        })?;
        explain::name_kernels(&mut explained.choices, &kernels);
        Ok(explained)
    }

    /// Returns the reductions of a program in program order, each with the candidate schedules of
    /// the reduction. The first candidate schedule is the default.
    ///
    /// # Errors
    /// Returns an error of any [`ErrorKind`].
    pub fn candidates(&self, source: &Source) -> Result<Vec<Tunable>, Error> {
        let mut found = Vec::new();
        self.watched(source, &mut |_, next, session, module| {
            if next == TILE_SCHEDULE {
                let tunables =
                    tunables(session, module, self.options.chip_name()).unwrap_or_default();
                found = tunables.into_iter().map(|(_, tunable)| tunable).collect();
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Compiles a program with the given schedules. Entry `i` of `schedules` is the schedule of
    /// reduction `i` in the result of [`Self::candidates`]. An entry `None` or a missing entry of
    /// `schedules` selects the default schedule of the reduction. The function returns the
    /// artifact, and the program text in which the given schedules are attributes.
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
            if next == TILE_SCHEDULE {
                if let Some(tunables) = tunables(session, module, self.options.chip_name()) {
                    write_schedules(session, &tunables, schedules)?;
                }
                text = module.as_operation().to_string();
            }
            Ok(())
        })?;
        Ok((artifact, text))
    }

    /// Compiles a program, and calls `watch` after parsing and after each pass,
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
    fn watched(&self, source: &Source, watch: &mut StageCallback<'_>) -> Result<Artifact, Error> {
        self.run(source, Some(watch))
    }

    fn run(
        &self,
        source: &Source,
        watch: Option<&mut StageCallback<'_>>,
    ) -> Result<Artifact, Error> {
        let _span = tracing::debug_span!(
            "compile",
            file = source.name,
            chip = self.options.chip_name()
        )
        .entered();
        let mut options = self.options.clone();
        // A cached artifact must also run on the CPU device.
        options.has_device_ir |= self.cache.is_some();
        let keep = options.keep_stages || source.keep_stages;
        let mut compilation = Compilation::new(&options, keep, watch);
        let start = Instant::now();
        self.sessions.with(source.text.len(), |session| {
            compilation.add_stage("context", millis(start), None);
            compilation.compile(session, source)
        })
    }
}
