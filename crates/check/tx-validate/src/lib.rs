//! Translation validation of every pass by execution.
//!
//! The input program and the module after each pass run on the same inputs: sizes that leave
//! remainders, special values, and outputs with stale contents. [`tx_interp`] interprets modules
//! above the LLVM dialect; from `tile-insert-sync` on, the interpreter also detects data races. The
//! executor (`tx-exec`) runs lowered kernels under several thread schedules. The result names the
//! first pass that changes the results. PTX is not executed: [`check_ptx`] compares the PTX with
//! the last device IR.
//!
//! Results must have the same bits as before the pass, except for sums and products of floats:
//! these may differ from the results of the input program within the error bound of any combination
//! order (see [`tx_interp::Bound`]).

mod budget;
mod compare;
mod inputs;
mod laws;
mod pass;
mod plain;
mod ptx;
mod references;
mod stages;
mod verdict;

pub use inputs::Input;
pub use pass::{PASSES, register};
pub use ptx::check_ptx;
pub use references::References;
pub use verdict::{Difference, Verdict};

use budget::{Budget, Sizes};
use compare::{Bounds, Placed, Results};
use inputs::{generate, guesses};
use melior::ir::Module;
use references::{Key, Reference};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tx::{Artifact, Compiler, Error, ErrorKind, Source};
use tx_mlir::{Code, Session, codes};
use tx_plan::{ArgumentType, EntryKind, Extent, Plan};
use tx_runtime::{Arg, Past, StepLimit};

/// Reason why a program cannot be validated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// Compile error.
    #[error(transparent)]
    Compile(#[from] Error),
    /// Options or arguments that do not fit the program.
    #[error("{0}")]
    Input(String),
    /// The program rejects the given arguments.
    #[error(transparent)]
    Arguments(Box<tx_runtime::Error>),
    /// The program fails with all generated inputs, or no sizes satisfy its checks. The program may
    /// require sizes or integer values that the generated inputs do not contain.
    #[error("{what}; arguments of other sizes, or with other integers, may be meant")]
    Unfit {
        /// Description of the failure with the first input.
        what: String,
        /// Code of the violated rule.
        code: Option<Code>,
    },
}

impl Trouble {
    /// Returns the code of the violated rule.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Unfit { code, .. } => *code,
            _ => None,
        }
    }
}

/// Options of a validation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seed of the generated inputs.
    pub seed: u64,
    /// Arguments to use instead of generated inputs.
    pub args: Option<Vec<Arg>>,
    /// Grid of a kernel, in blocks along x, y and z.
    pub grid: Option<[u32; 3]>,
    /// Path of `ptxas` or of its directory; `None` searches `PATH`.
    pub ptxas: Option<PathBuf>,
    /// Range of input indices to run; `None` runs all inputs. At least one input runs for each set
    /// of launched kernels. Inputs with low indices are small and expose most errors.
    pub inputs: Option<Range<usize>>,
    /// Work limit per stage, in ops and memory accesses of all threads; `None` limits a stage to
    /// some seconds. One input for each set of launched kernels runs before all other inputs.
    pub work: Option<u64>,
    /// Kernel to test; `None` tests all kernels. If a kernel is given, inputs that do not launch
    /// the kernel are skipped.
    pub kernel: Option<String>,
    /// Index of the first stage to check; stage `parse` has index 0. Stages with a lower index run
    /// only to compute reference results.
    pub known: usize,
    /// Index of the last stage to check before launch; `None` checks all stages.
    pub until: Option<usize>,
    /// Maximum number of steps in one run or launch, summed over all threads; a run with more steps
    /// counts as endless. `None` selects a limit far above the number of steps that generated
    /// inputs need.
    pub steps: Option<u64>,
    /// Set if the input program already contains all barriers; data races are then errors from the
    /// first stage on.
    pub synchronized: bool,
    /// Cache of reference results that several validations can share.
    pub references: Option<Arc<References>>,
    /// Progress callback.
    pub watch: Option<Watch>,
}

impl Options {
    fn step_limit(&self) -> StepLimit {
        self.steps.map_or(MOST_STEPS, StepLimit::new)
    }
}

/// Progress callback. The parameters of the callback are the name of the current stage, the index
/// of the current input (from 1), and the number of inputs.
#[derive(Clone)]
pub struct Watch(Arc<WatchFn>);

type WatchFn = dyn Fn(&str, usize, usize) + Send + Sync;

impl Watch {
    /// Creates a callback that is called before each run.
    pub fn new(watch: impl Fn(&str, usize, usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// Verdict on one stage.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Name of the pass, or `parse`, `laws` (combiner properties) or `launch`.
    pub name: String,
    /// Verdict.
    pub verdict: Verdict,
}

/// Verdicts on all stages of a program.
#[derive(Clone, Debug)]
pub struct Validation {
    /// Name of the called function or kernel.
    pub entry: String,
    /// Target chip.
    pub chip: String,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Number of inputs that were skipped because of the work limit.
    pub left_out: usize,
    /// Number of inputs whose results were not compared, because their error bounds are infinite.
    pub open: usize,
    /// Kernels that no input launches, because inputs of the required sizes would run too long.
    /// Kernels that are not launched are not checked.
    pub unlaunched: Vec<String>,
    /// Assumed grid of the entry if no grid is specified: `one block` or `one cluster`.
    pub assumed: Option<&'static str>,
    /// All stages, in order.
    pub stages: Vec<Stage>,
    /// Variant of each reduction, in program order.
    pub variants: Vec<String>,
}

impl Validation {
    /// Returns whether no stage failed, and the last stage was compared with the input program.
    pub fn is_good(&self) -> bool {
        let ends = [self.stages.first(), self.stages.last()];
        let known = |stage: &Option<&Stage>| {
            stage.is_some_and(|s| !matches!(s.verdict, Verdict::Unsupported(_)))
        };
        ends.iter().all(known) && !self.stages.iter().any(|s| s.verdict.is_bad())
    }

    /// Returns whether no stage failed, but the last stage was not compared with the input program.
    pub fn is_open(&self) -> bool {
        !self.is_good() && !self.stages.iter().any(|s| s.verdict.is_bad())
    }

    /// Returns the violated property and the location of a `custom` combiner, if the first failure
    /// is a wrong result that this combiner may explain.
    pub fn blamed(&self) -> Option<&str> {
        matches!(self.guilty()?.verdict, Verdict::Wrong(_)).then_some(())?;
        let mut told = self.stages.iter().filter_map(|stage| match &stage.verdict {
            Verdict::Conditional(laws) => laws.first(),
            _ => None,
        });
        told.find(|laws| laws.contains(CUSTOM)).map(String::as_str)
    }

    /// Returns whether a combiner property fails for some values. If a combiner property fails, the
    /// verdicts apply only to the tested inputs.
    pub fn is_conditional(&self) -> bool {
        let mut verdicts = self.stages.iter().map(|stage| &stage.verdict);
        verdicts.any(|verdict| matches!(verdict, Verdict::Conditional(_)))
    }

    /// Returns whether all tested properties of some `custom` combiner hold.
    fn holds_custom(&self) -> bool {
        self.stages.iter().any(|stage| match &stage.verdict {
            Verdict::Hold(laws) => laws.contains(CUSTOM),
            _ => false,
        })
    }

    /// Returns a note on possible causes of a failure other than a bug in the first failed stage.
    pub fn note(&self) -> Option<&'static str> {
        let guilty = self.guilty()?;
        match &guilty.verdict {
            _ if self.blamed().is_some_and(|law| law.contains(NOT_NEUTRAL)) => Some(
                "schedules combine identities where there are no elements: it is the identity \
                 that is wrong, unless such values do not \
                 occur in these inputs",
            ),
            _ if self.blamed().is_some() => Some(
                "schedules combine in other orders, and identities where there are no elements: \
                 it is the combiner that is wrong, \
                 unless such values do not occur in these inputs",
            ),
            Verdict::Wrong(_) if self.holds_custom() => Some(
                "the laws of `custom` combiners are tried, not proved: one that depends on the \
                 order of elements, or whose \
                 identities are not neutral, is such a change too",
            ),
            // The interpreter and the executor both report this code.
            Verdict::Fault {
                code: Some(codes::TX0806),
                ..
            } => Some("if it does end, `tx validate --steps` allows it more steps"),
            Verdict::Race(_) if guilty.name != "parse" => Some(
                "barriers between two ops are inserted by `tile-insert-sync`: what is left are \
                 several threads that access one byte \
                 in one op, so let one of them do it, in the variant where that is a \
                 `tile.reduce`; `tx validate --synchronized` checks the barriers that a program came with",
            ),
            _ => None,
        }
    }

    /// Returns the first failed stage.
    pub fn guilty(&self) -> Option<&Stage> {
        self.stages.iter().find(|s| s.verdict.is_bad())
    }
}

/// Name of the reduction kind whose combiner is a region.
const CUSTOM: &str = "custom";
/// Phrase in every message about an identity that is not neutral.
const NOT_NEUTRAL: &str = "the identity is not neutral";

/// Callback that modifies a module between passes. The callback receives the stage name and the
/// module after the stage.
pub type Edit<'e> = dyn FnMut(&str, &mut Module<'_>) + 'e;

/// Checks every pass of a compiler by execution, including passes registered by the caller.
///
/// # Errors
/// Returns an error if the program does not compile, or if no input fits the program.
pub fn validate(
    compiler: &Compiler,
    source: &Source,
    options: &Options,
) -> Result<Validation, Trouble> {
    validate_edited(compiler, source, options, &mut |_, _| {})
}

/// Validates a program like [`validate`], and lets a callback edit the module between passes. Tests
/// edit modules to check that the validation detects miscompilations.
///
/// # Errors
/// Returns the errors of [`validate`]. If the edit makes the module invalid, the result is a
/// compile error.
pub fn validate_edited(
    compiler: &Compiler,
    source: &Source,
    options: &Options,
    edit: &mut Edit<'_>,
) -> Result<Validation, Trouble> {
    if let Some(path) = &options.ptxas {
        tx_ptx::find_ptxas(Some(path)).map_err(|error| Trouble::Input(error.to_string()))?;
    }
    let plan = compiler.plan(source)?;
    if options.grid.is_some() && plan.entry_kind != EntryKind::Kernel {
        return Err(Trouble::Input(format!(
            "the grid can be set for a kernel only, and `{}` is a function that launches some",
            plan.entry
        )));
    }
    let sizes = options.grid.unwrap_or([1; 3]);
    for ((axis, size), most) in ["x", "y", "z"].iter().zip(sizes).zip(tx_runtime::MAX_GRID) {
        if !(1..=most).contains(&size) {
            return Err(Trouble::Input(format!(
                "grid along {axis}: found {size}, expected 1 to {most}"
            )));
        }
    }
    type Given<'g> = Box<dyn Iterator<Item = Result<Vec<Input>, Trouble>> + 'g>;
    let given: Given<'_> = match &options.args {
        Some(args) => {
            // Reject invalid arguments first, so that no pass is blamed for them.
            let artifact = compiler.compile_source(source)?;
            tx_runtime::check_launch(&artifact.plan, args, options.grid)
                .map_err(|error| Trouble::Arguments(Box::new(error)))?;
            Box::new(std::iter::once(Ok(vec![Input {
                name: "the arguments given".to_owned(),
                args: args.clone(),
                launched: Vec::new(),
                zeros: false,
                number: 0,
                every_stage: true,
            }])))
        }
        None => {
            let (plan, numbers) = (&plan, options.inputs.as_ref());
            Box::new(guesses(plan).into_iter().map(move |guess| {
                generate(
                    plan,
                    options.seed,
                    guess,
                    numbers,
                    options.kernel.as_deref(),
                )
            }))
        }
    };
    let mut first = None;
    for inputs in given {
        let inputs = inputs?;
        if inputs.is_empty() {
            continue;
        }
        let mut run = Run::new(&plan, options, inputs)?;
        match run.compile(compiler, source, edit) {
            Ok(edited) => {
                let Some(input) = run.suspect() else {
                    return Ok(run.finish(&edited));
                };
                // The failing stage is unknown, so run the input after every stage.
                let mut again = Run::new(&plan, options, vec![input])?;
                let edited = again.compile(compiler, source, edit)?;
                return Ok(Validation {
                    inputs: run.names(),
                    left_out: run.left_out(),
                    open: run.open(),
                    unlaunched: run.unlaunched(),
                    assumed: run.assumed,
                    ..again.finish(&edited)
                });
            }
            Err(error) => match run.unfit.take() {
                // The program itself is wrong, because sizes are not guessed.
                Some(reason) if options.args.is_some() || !is_guessed(&plan) => {
                    return Ok(Validation {
                        entry: plan.entry.clone(),
                        chip: compiler.target().chip().name.to_owned(),
                        inputs: run.names(),
                        left_out: run.left_out(),
                        open: 0,
                        unlaunched: Vec::new(),
                        assumed: run.assumed,
                        stages: vec![Stage {
                            name: "parse".to_owned(),
                            verdict: reason,
                        }],
                        variants: Vec::new(),
                    });
                }
                // The guessed sizes do not fit the program.
                Some(reason) => first = first.or(Some((reason.to_string(), reason.code()))),
                None => return Err(error.into()),
            },
        }
    }
    let none = || {
        let what = "no sizes are found that fit the checks of the program";
        (what.to_owned(), None)
    };
    let (what, code) = first.unwrap_or_else(none);
    Err(Trouble::Unfit { what, code })
}

/// Returns whether the generated sizes or integer values may violate a precondition of the program.
fn is_guessed(plan: &Plan) -> bool {
    plan.arguments.iter().any(|argument| match &argument.ty {
        ArgumentType::Memref(memref) => {
            let mut sizes = memref.strides();
            sizes.push(memref.offset());
            sizes.extend(&memref.shape);
            sizes.contains(&Extent::Dynamic) || !memref.element.is_float()
        }
        ArgumentType::Scalar(element) => !element.is_float(),
    })
}

/// Number of inputs that run under all thread schedules.
const SCHEDULED: usize = 2;
/// Default step limit of a run, summed over all threads.
const MOST_STEPS: StepLimit = StepLimit::new(1 << 28).with_each_thread(1 << 10);

/// Default work limit of a stage, in ops and memory accesses of all threads.
const MOST_WORK: u64 = 1 << 24;
/// Default work limit of the stages `parse` and `launch`. The work limit is eight times higher if
/// one kernel is tested.
const MOST_WORK_AT_THE_ENDS: u64 = 1 << 26;

/// Returns the misalignment of the arrays of an input.
///
/// The first array begins 1 to 15 elements past an aligned address. The misalignment of each
/// further array exceeds the misalignment of the preceding array by 0 or 1 elements. In one of
/// eight inputs, only one array is misaligned, by two elements.
fn elements_past(input: usize) -> Past {
    if input % 8 == 5 {
        return Past {
            one: input / 8,
            by: 2,
            ..ALIGNED
        };
    }
    // Multiples of the golden ratio are evenly distributed modulo 1.
    let fraction = (input as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Past {
        first: 1 + ((fraction as usize * 15) >> 32),
        each: input / 2 % 2,
        ..ALIGNED
    }
}

const ALIGNED: Past = Past::all(0);

/// Returns the name of an input, including the misalignment of its arrays.
fn beginning(input: &str, past: Past) -> String {
    let Past {
        first,
        each,
        one,
        by,
    } = past;
    let elements = |n: usize| format!("{n} element{}", if n == 1 { "" } else { "s" });
    match (first, each, by) {
        (0, 0, 0) => input.to_owned(),
        (0, 0, by) => format!(
            "{input}, array {} from the end alone beginning {} past a multiple of 256 bytes",
            one + 1,
            elements(by)
        ),
        (first, 0, _) => format!(
            "{input}, beginning {} past a multiple of 256 bytes",
            elements(first)
        ),
        (first, each, _) => format!(
            "{input}, beginning {} past a multiple of 256 bytes, and each {} further than the one before",
            elements(first),
            elements(each)
        ),
    }
}

/// Pass that defines which of several equal elements an argmin or argmax returns.
const CONVERTS: &str = "convert-linalg-to-tile";

/// State of the validation of one input.
struct Case {
    input: Input,
    sizes: Sizes,
    placed: Placed,
    reference: Option<Arc<Reference>>,
    before: Option<Results>,
    /// Set if some stage gave a wrong result for this input.
    is_wrong: bool,
    /// Set if the previous stage gave a wrong result for this input.
    stays_wrong: bool,
    /// Set while the work of this input is within the limit.
    is_run: bool,
    /// Number of ops and accesses that the last run of this input executed.
    work: u64,
}

struct Run<'r> {
    plan: &'r Plan,
    options: &'r Options,
    cases: Vec<Case>,
    inputs: usize,
    stages: Vec<Stage>,
    variants: Vec<String>,
    /// Index and device IR of each stage whose module is in the LLVM dialect. Loading a kernel is
    /// slow, so stages in the LLVM dialect run one by one only if the last stage fails.
    lowered: Vec<(usize, String)>,
    /// Set if a kernel converts an address to an integer, because the kernel may then branch on the
    /// alignment.
    asks: bool,
    /// Verdict on the combiner properties, and index of the stage `laws`.
    laws: Option<(usize, Verdict)>,
    text: String,
    /// Text of an input program with linalg ops. After stage [`CONVERTS`], the remaining reference
    /// results are computed with this text.
    source: Option<String>,
    /// Set if the module contains all barriers.
    synchronized: bool,
    assumed: Option<&'static str>,
    /// Set if an op of the input program assumes an alignment.
    aligned: bool,
    /// Error that the input program causes before any pass has run.
    unfit: Option<Verdict>,
    started: Instant,
    now: String,
}

impl<'r> Run<'r> {
    fn new(plan: &'r Plan, options: &'r Options, inputs: Vec<Input>) -> Result<Self, Trouble> {
        let cases = inputs
            .into_iter()
            .map(|input| {
                let placed = Placed::new(plan, &input.args).map_err(Trouble::Input)?;
                let sizes = |arg: &Arg| match arg {
                    Arg::Array(array) => array.shape().to_vec(),
                    Arg::Scalar(_) => Vec::new(),
                };
                Ok(Case {
                    sizes: input.args.iter().map(sizes).collect(),
                    input,
                    placed,
                    reference: None,
                    before: None,
                    is_wrong: false,
                    stays_wrong: false,
                    is_run: true,
                    work: 0,
                })
            })
            .collect::<Result<Vec<_>, Trouble>>()?;
        Ok(Self {
            plan,
            options,
            inputs: cases.len(),
            cases,
            stages: Vec::new(),
            variants: Vec::new(),
            lowered: Vec::new(),
            asks: false,
            laws: None,
            text: String::new(),
            source: None,
            synchronized: options.synchronized,
            assumed: None,
            aligned: false,
            unfit: None,
            started: Instant::now(),
            now: String::new(),
        })
    }

    /// Compiles the program and runs the inputs after each pass.
    fn compile(
        &mut self,
        compiler: &Compiler,
        source: &Source,
        edit: &mut Edit<'_>,
    ) -> Result<Artifact, Error> {
        let artifact = compiler.compile_watched(source, &mut |name, session, module| {
            if name == "parse" {
                stages::keep_only(module, &self.plan.entry);
            }
            edit(name, module);
            self.stage(name, session, module)
        })?;
        self.read(&artifact);
        self.launch(&artifact);
        Ok(artifact)
    }

    /// Returns a failing input if all failing inputs ran only in the stage `launch`, so that the
    /// failing pass is unknown.
    fn suspect(&self) -> Option<Input> {
        let mut wrong = self.cases.iter().filter(|case| case.is_wrong);
        let first = wrong.clone().next()?;
        wrong.all(|case| !case.input.every_stage).then(|| Input {
            every_stage: true,
            ..first.input.clone()
        })
    }

    /// Runs the inputs on the module after a stage.
    fn stage(
        &mut self,
        name: &str,
        session: &Session,
        module: &mut Module<'_>,
    ) -> Result<(), Error> {
        name.clone_into(&mut self.now);
        if name == "tile-select-variant" {
            self.variants = stages::variants(module);
        }
        let text = stages::text(module);
        // Expansion of a reduction adds accesses that only `tile-insert-sync` orders, even in a
        // program with barriers.
        self.synchronized &= !(name.starts_with("tile-expand-") && text != self.text);
        // A pass that leaves the module unchanged may have missed a barrier.
        let orders = name == "tile-insert-sync" && !self.synchronized;
        self.synchronized |= orders;
        if laws::may_be_new(name) && text != self.text {
            let found = laws::verdict(module, &self.plan.entry);
            self.laws = found.map(|verdict| (self.stages.len() + 1, verdict));
        }
        let verdict = if self.stages.is_empty() {
            self.aligned = stages::counts_on_alignment(module);
            self.assumed = match self.options.grid {
                Some(_) => None,
                None => stages::assumed_grid(module, &self.plan.entry),
            };
            self.source = stages::source_to_convert(module);
            self.refer(session, module, &text)?
        } else if stages::is_binary(module) {
            // PTX is checked after all other stages.
            self.text = text;
            return Ok(());
        } else if text == self.text && !orders {
            match self.stages.last().map(|stage| &stage.verdict) {
                Some(unknown @ Verdict::Unsupported(_)) => unknown.clone(),
                Some(Verdict::AsBefore) => Verdict::AsBefore,
                Some(verdict) if verdict.is_bad() => Verdict::AsBefore,
                _ => Verdict::Equal,
            }
        } else if self.is_known(name) {
            Verdict::Equal
        } else {
            let converts = name == CONVERTS;
            let verdict = self.compare(session, module, converts);
            // The pass defines which of several equal elements an argmin or argmax returns.
            if converts && !verdict.is_bad() {
                self.refer_again(session, module, &text);
            }
            verdict
        };
        let verdict = self.beside_what_is_wrong(verdict);
        if name == CONVERTS {
            self.refer_rest(session)?;
        }
        self.text = text;
        tracing::debug!(stage = name, verdict = verdict.word(), elapsed = ?self.started.elapsed());
        self.stages.push(Stage {
            name: name.to_owned(),
            verdict,
        });
        Ok(())
    }

    /// Changes a successful verdict on a stage to `AsBefore` if the results of some input were
    /// already wrong in the previous stage.
    fn beside_what_is_wrong(&self, verdict: Verdict) -> Verdict {
        let stays = self.cases.iter().any(|case| case.stays_wrong);
        match verdict {
            Verdict::Equal | Verdict::EqualWithinOrder if stays => Verdict::AsBefore,
            verdict => verdict,
        }
    }

    /// Returns whether the next stage is skipped, because its index is outside the requested range.
    fn is_known(&self, name: &str) -> bool {
        let number = self.stages.len();
        let right = number + 1 < self.options.known && name != CONVERTS;
        right || self.options.until.is_some_and(|last| number > last)
    }

    /// Returns the work limit of the stages `parse` and `launch`.
    fn most_at_the_ends(&self) -> u64 {
        self.options.work.unwrap_or(match self.options.kernel {
            Some(_) => 8 * MOST_WORK_AT_THE_ENDS,
            None => MOST_WORK_AT_THE_ENDS,
        })
    }

    fn options(&self, bounds: bool) -> tx_interp::Options {
        let step = self.plan.steps.first();
        let sizes = |exprs: Option<&[tx_plan::Expr; 3]>| {
            exprs.map_or([1; 3], |exprs| {
                exprs.each_ref().map(|e| {
                    e.as_const()
                        .and_then(|n| u32::try_from(n).ok())
                        .unwrap_or(1)
                })
            })
        };
        tx_interp::Options {
            races: self.synchronized,
            bounds,
            grid: self
                .options
                .grid
                .unwrap_or_else(|| sizes(step.map(|s| &s.grid))),
            block: sizes(step.map(|s| &s.block)),
            steps: self.options.step_limit(),
        }
    }

    /// Returns a function that reports the index of the current input to the progress callback.
    fn teller(&self) -> impl Fn(usize) + use<> {
        let (watch, now, of) = (
            self.options.watch.clone(),
            self.now.clone(),
            self.cases.len(),
        );
        move |input| {
            if let Some(Watch(tell)) = &watch {
                tell(&now, input + 1, of);
            }
        }
    }

    /// Computes the missing reference results with the input program. The references of inputs that
    /// run only in the stage `launch` are computed after stage [`CONVERTS`].
    fn refer(
        &mut self,
        session: &Session,
        module: &Module<'_>,
        text: &str,
    ) -> Result<Verdict, Error> {
        let generic = match stages::generic(session, module) {
            Ok(generic) => generic,
            Err(error) => return Ok(Verdict::Unsupported(error)),
        };
        let program = Referred::new(self, &generic, text);
        let is_converted = self.source.is_some();
        let mut verdict = Verdict::Reference;
        let mut budget = Budget::new(self.most_at_the_ends());
        let tell = self.teller();
        let cases = self.cases.iter_mut().enumerate();
        for (i, case) in cases.filter(|(_, case)| case.reference.is_none()) {
            if is_converted && !case.input.every_stage {
                continue;
            }
            if !budget.affords(&case.sizes) {
                case.is_run = false;
                continue;
            }
            tell(i);
            match program.run(case) {
                Ok(reference) => {
                    budget.take(&case.sizes, reference.work);
                    case.refer_to(reference);
                }
                Err(unknown @ Verdict::Unsupported(_)) => verdict = verdict.worse(unknown),
                Err(wrong) => {
                    let message = wrong.to_string();
                    self.unfit = Some(wrong);
                    return Err(Error::plain(ErrorKind::Entry, message));
                }
            }
        }
        tracing::debug!(?budget, "reference");
        self.cases.retain(|case| case.is_run);
        Ok(verdict)
    }

    /// If the current stage can run, replaces the reference results by the results of the stage.
    fn refer_again(&mut self, session: &Session, module: &Module<'_>, text: &str) {
        let Ok(generic) = stages::generic(session, module) else {
            return;
        };
        let program = Referred::new(self, &generic, text);
        for case in &mut self.cases {
            if let Ok(reference) = program.run(case) {
                case.refer_to(reference);
            }
        }
    }

    /// Computes the remaining reference results with the input program, after stage [`CONVERTS`].
    fn refer_rest(&mut self, session: &Session) -> Result<(), Error> {
        let Some(source) = self.source.take() else {
            return Ok(());
        };
        if self.cases.iter().all(|case| case.reference.is_some()) {
            return Ok(());
        }
        if let Some(module) = session.parse(&self.plan.entry, source.as_bytes()) {
            self.refer(session, &module, &source)?;
        }
        Ok(())
    }

    /// Runs the inputs on a module, and compares the results with the previous stage and the
    /// reference. At stage [`CONVERTS`], the comparison accepts an infinity in place of a NaN.
    fn compare(&mut self, session: &Session, module: &Module<'_>, converts: bool) -> Verdict {
        let kernel = self.plan.steps.first().map(|step| &*step.kernel);
        if let Some(kernels) = kernel.and_then(|name| stages::kernels_in_llvm(module, name)) {
            let device_ir = tx::device_ir(module, Some(&kernels));
            self.asks |= stages::asks_for_addresses(module);
            self.lowered.push((self.stages.len(), device_ir));
            // `launch` replaces this provisional verdict.
            return Verdict::Equal;
        }
        let options = self.options(converts);
        let generic = match stages::generic(session, module) {
            Ok(generic) => generic,
            Err(error) => return Verdict::Unsupported(error),
        };
        let mut verdict = Verdict::Equal;
        let written = self
            .stages
            .iter()
            .any(|stage| stage.name == "tile-schedule");
        let mut budget = Budget::new(self.options.work.unwrap_or(MOST_WORK));
        let tell = self.teller();
        let cases = self.cases.iter_mut().enumerate();
        for (i, case) in cases.filter(|(_, case)| case.input.every_stage) {
            // Skip inputs that already exceeded the limit in the previous stage.
            let is_too_much = self.options.work.is_some_and(|most| case.work > most);
            if is_too_much || !budget.affords(&case.sizes) {
                // The input still runs at launch.
                case.input.every_stage = false;
                continue;
            }
            tell(i);
            let entry = &self.plan.entry;
            let found = tx_interp::run(&generic, entry, &case.placed.arguments, &options);
            if let Ok(outcome) = &found {
                budget.take(&case.sizes, outcome.work);
                case.work = outcome.work;
            }
            let found = match found {
                Ok(outcome) => match case.placed.results(outcome) {
                    Ok((results, own)) => {
                        let input = case.input.name.clone();
                        case.judge(&input, results, converts.then_some(&own), written)
                    }
                    Err(error) => Verdict::Unsupported(error),
                },
                Err(trouble) => stages::verdict_of(&trouble, &case.input.name),
            };
            case.is_wrong |= found.is_bad();
            verdict = verdict.worse(found);
        }
        tracing::debug!(?budget, "stage");
        verdict
    }

    /// Runs lowered kernels on the executor, with the launches of the plan.
    fn execute(&mut self, plan: &Plan, device_ir: &str, orders: &[tx_runtime::Order]) -> Verdict {
        let artifact = Artifact {
            ptx: String::new(),
            plan: plan.clone(),
            device_ir: device_ir.to_owned(),
            stages: Vec::new(),
            warnings: Vec::new(),
            modules: Vec::new(),
        };
        let program = match tx_runtime::Device::cpu().and_then(|device| device.load(&artifact)) {
            Ok(program) => program,
            Err(error) => return stages::verdict_of_run(&error, "loading"),
        };
        let mut verdict = Verdict::Equal;
        let mut budget = Budget::new(self.most_at_the_ends());
        let tell = self.teller();
        let cases = self.cases.iter_mut().enumerate();
        for (i, case) in cases.filter(|(_, case)| case.is_run) {
            tell(i);
            // Use the index in the full input list, because the index determines the alignment of
            // the arrays.
            let i = case.input.number;
            // Thread schedules affect the execution order more than the data does, so few inputs
            // suffice.
            let orders = if i < SCHEDULED { orders } else { &orders[..1] };
            let past = match self.aligned {
                true => vec![ALIGNED],
                false if self.asks => vec![ALIGNED, elements_past(i)],
                false if i % 2 == 0 => vec![ALIGNED],
                false => vec![elements_past(i)],
            };
            let all = orders.iter().flat_map(|o| past.iter().map(move |p| (o, p)));
            for (number, (order, past)) in all.enumerate() {
                if !budget.affords(&case.sizes) {
                    case.is_run &= number > 0;
                    break;
                }
                let options = tx_runtime::RunOptions {
                    grid: self.options.grid,
                    order: *order,
                    steps: Some(self.options.step_limit()),
                    past: *past,
                    ..tx_runtime::RunOptions::default()
                };
                let found = program.run_with(case.input.args.clone(), &options);
                if let Ok(outputs) = &found {
                    budget.take(&case.sizes, outputs.work());
                }
                let input = beginning(&case.input.name, *past);
                let found = match found {
                    Ok(outputs) => case.judge(&input, outputs.into_arrays(), None, true),
                    Err(error) => stages::verdict_of_run(&error, &input),
                };
                case.is_wrong |= found.is_bad();
                verdict = verdict.worse(found);
            }
        }
        tracing::debug!(?budget, "launches");
        verdict
    }

    fn read(&mut self, artifact: &Artifact) {
        // The program launches no kernel.
        if artifact.ptx.is_empty() {
            return;
        }
        let verdict = check_ptx(artifact, self.options.ptxas.as_deref());
        self.stages.push(Stage {
            name: "gpu-module-to-ptx".to_owned(),
            verdict,
        });
    }

    /// Runs the compiled program under several thread schedules.
    fn launch(&mut self, artifact: &Artifact) {
        "launch".clone_into(&mut self.now);
        let orders = tx_runtime::Order::all(self.options.seed);
        if self.cases.iter().any(|case| case.stays_wrong) {
            // Skip inputs that have not run before: an earlier stage is already wrong.
            for case in &mut self.cases {
                case.is_run &= case.input.every_stage;
            }
        }
        let before = |case: &Case| (case.before.clone(), case.stays_wrong);
        let before: Vec<_> = self.cases.iter().map(before).collect();
        let mut verdict = self.execute(&artifact.plan, &artifact.device_ir, &orders);
        let lowered = std::mem::take(&mut self.lowered);
        if verdict.is_bad() {
            for (case, (before, stays_wrong)) in self.cases.iter_mut().zip(before) {
                case.before = before;
                case.stays_wrong = stays_wrong;
            }
            // Report the first wrong stage. Later stages repeat its verdict.
            let mut blamed = None;
            for (stage, device_ir) in lowered {
                let found = match blamed {
                    Some(_) => verdict.clone(),
                    None => {
                        self.now.clone_from(&self.stages[stage].name);
                        let orders = [tx_runtime::Order::Sequential];
                        self.execute(&artifact.plan, &device_ir, &orders)
                    }
                };
                if found.is_bad() {
                    blamed.get_or_insert(stage);
                }
                self.stages[stage].verdict = found;
            }
            for stage in self.stages.iter_mut().skip(blamed.unwrap_or(usize::MAX)) {
                if stage.verdict == Verdict::Equal {
                    stage.verdict = Verdict::AsBefore;
                }
            }
        } else if let Verdict::Unsupported(_) = &verdict {
            for (stage, _) in lowered {
                self.stages[stage].verdict = verdict.clone();
            }
        } else if let Some((first, _)) = lowered.first() {
            // The lowered stage has the same kernels; only the launches may differ.
            let found = std::mem::replace(&mut verdict, Verdict::Equal);
            self.stages[*first].verdict = self.beside_what_is_wrong(found);
        }
        self.stages.push(Stage {
            name: "launch".to_owned(),
            verdict: self.beside_what_is_wrong(verdict),
        });
    }

    fn names(&self) -> Vec<String> {
        let run = self.cases.iter().filter(|case| case.is_run);
        run.map(|case| case.input.name.clone()).collect()
    }

    fn left_out(&self) -> usize {
        self.inputs - self.names().len()
    }

    /// Returns the number of inputs whose results could not be compared.
    fn open(&self) -> usize {
        let run = self.cases.iter().filter(|case| case.is_run);
        let open = |case: &&Case| case.reference.as_ref().is_some_and(|r| r.is_open());
        run.filter(open).count()
    }

    /// Returns the kernels that no input launches; empty if the launches are unknown.
    fn unlaunched(&self) -> Vec<String> {
        let run = || self.cases.iter().filter(|case| case.is_run);
        let is_unknown = |case: &Case| case.input.launched.is_empty();
        if run().any(is_unknown) {
            return Vec::new();
        }
        let steps = self.plan.steps.iter().enumerate();
        steps
            .filter(|(i, _)| !run().any(|case| case.input.launched[*i]))
            .map(|(_, step)| step.kernel.clone())
            .collect()
    }

    fn finish(mut self, artifact: &Artifact) -> Validation {
        if let Some((at, verdict)) = self.laws.take() {
            self.stages.insert(
                at,
                Stage {
                    name: "laws".to_owned(),
                    verdict,
                },
            );
        }
        tell_once(&mut self.stages);
        Validation {
            left_out: self.left_out(),
            inputs: self.names(),
            open: self.open(),
            unlaunched: self.unlaunched(),
            assumed: self.assumed,
            entry: artifact.plan.entry.clone(),
            chip: artifact.plan.chip.clone(),
            stages: self.stages,
            variants: self.variants,
        }
    }
}

/// Replaces repeated errors by `AsBefore`. After the first race, all later races count as repeated
/// errors, although their messages differ between stages.
fn tell_once(stages: &mut [Stage]) {
    let mut wrong = None;
    let mut faults = BTreeSet::new();
    let mut has_race = false;
    for Stage { verdict, .. } in stages {
        match verdict {
            Verdict::Wrong(difference) if wrong.as_ref() == Some(difference) => {
                *verdict = Verdict::AsBefore
            }
            Verdict::Wrong(difference) => wrong = Some(difference.clone()),
            Verdict::Fault { what, .. } if !faults.insert(what.clone()) => {
                *verdict = Verdict::AsBefore
            }
            Verdict::Race(_) if has_race => *verdict = Verdict::AsBefore,
            Verdict::Race(_) => has_race = true,
            _ => {}
        }
    }
}

/// Program that computes the reference results.
struct Referred<'r, 'c> {
    generic: &'r Module<'c>,
    text: &'r str,
    entry: &'r str,
    options: tx_interp::Options,
    kept: Option<&'r References>,
}

impl<'r, 'c> Referred<'r, 'c> {
    fn new(run: &Run<'r>, generic: &'r Module<'c>, text: &'r str) -> Self {
        Self {
            generic,
            text,
            entry: &run.plan.entry,
            options: run.options(true),
            kept: run.options.references.as_deref(),
        }
    }

    /// Returns the results of the program for an input; results in the cache are not recomputed.
    fn run(&self, case: &Case) -> Result<Arc<Reference>, Verdict> {
        let key = self.kept.map(|kept| {
            (
                kept,
                Key::new(self.text, self.entry, &self.options, &case.input),
            )
        });
        if let Some(reference) = key.and_then(|(kept, key)| kept.get(key)) {
            return Ok(reference);
        }
        let arguments = &case.placed.arguments;
        let outcome = tx_interp::run(self.generic, self.entry, arguments, &self.options)
            .map_err(|trouble| stages::verdict_of(&trouble, &case.input.name))?;
        let work = outcome.work;
        let (results, bounds) = case.placed.results(outcome).map_err(Verdict::Unsupported)?;
        let reference = Arc::new(Reference {
            results,
            bounds,
            work,
        });
        if let Some((kept, key)) = key {
            kept.keep(key, &reference);
        }
        Ok(reference)
    }
}

impl Case {
    fn refer_to(&mut self, reference: Arc<Reference>) {
        self.before = Some(reference.results.clone());
        self.reference = Some(reference);
    }

    /// Compares the results of an input with the previous stage and the reference. After kernel
    /// generation, the parameter `written` is set. The sign of a sum of -0.0 must then not differ
    /// between stages.
    fn judge(
        &mut self,
        input: &str,
        results: Results,
        own: Option<&Bounds>,
        written: bool,
    ) -> Verdict {
        let same = self
            .before
            .as_ref()
            .is_some_and(|before| compare::equal(before, &results));
        let verdict = match (&self.reference, same) {
            (_, true) => Verdict::Equal,
            (Some(reference), false) => {
                let Reference {
                    results: expected,
                    bounds,
                    ..
                } = &**reference;
                // In addition, compare the signs of zeros with the previous stage, whose signs may
                // differ from the reference.
                let signs = match (&self.before, written && self.input.zeros) {
                    (Some(before), true) => compare::signs(input, before, bounds, &results),
                    _ => Verdict::Equal,
                };
                compare::judge(input, expected, bounds, &results, own)
                    .worse(signs)
                    .worse(Verdict::EqualWithinOrder)
            }
            (None, false) => Verdict::Unsupported("nothing to compare with".to_owned()),
        };
        self.stays_wrong = verdict.is_bad() || same && self.stays_wrong;
        self.before = Some(results);
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repeated fault is reported once, even if stages between its occurrences have other
    /// verdicts.
    #[test]
    fn faults_are_told_once() {
        let fault = |what: &str| Verdict::Fault {
            what: what.to_owned(),
            code: None,
        };
        let verdicts = [
            Verdict::Equal,
            fault("one"),
            Verdict::AsBefore,
            fault("one"),
            fault("another"),
            fault("one"),
        ];
        let stage = |verdict: &Verdict| Stage {
            name: "a pass".to_owned(),
            verdict: verdict.clone(),
        };
        let mut stages: Vec<Stage> = verdicts.iter().map(stage).collect();
        tell_once(&mut stages);
        let told: Vec<String> = stages.iter().map(|s| s.verdict.to_string()).collect();
        let expected = [
            "equal",
            "FAULT: one",
            "as before",
            "as before",
            "FAULT: another",
            "as before",
        ];
        assert_eq!(told, expected);
    }

    const fn alone(one: usize) -> Past {
        Past {
            one,
            by: 2,
            ..ALIGNED
        }
    }

    #[test]
    fn inputs_say_where_they_begin() {
        assert_eq!(beginning("ones of 3", ALIGNED), "ones of 3");
        assert_eq!(
            beginning("ones of 3", Past::all(1)),
            "ones of 3, beginning 1 element past a multiple of 256 bytes"
        );
        assert_eq!(
            beginning(
                "ones of 3",
                Past {
                    each: 1,
                    ..Past::all(5)
                }
            ),
            "ones of 3, beginning 5 elements past a multiple of 256 bytes, and each 1 element \
             further than the one before"
        );
        assert_eq!(
            beginning("ones of 3", alone(1)),
            "ones of 3, array 2 from the end alone beginning 2 elements past a multiple of 256 bytes"
        );
    }

    /// Among 64 inputs, every misalignment of 1 to 15 elements occurs, and each array is the only
    /// misaligned array of some input.
    #[test]
    fn inputs_begin_everywhere() {
        let all: Vec<Past> = (0..64).map(elements_past).collect();
        for first in 1..=15 {
            assert!(all.contains(&Past::all(first)), "{first} elements past");
        }
        assert!((0..8).all(|one| all.contains(&alone(one))));
    }
}
