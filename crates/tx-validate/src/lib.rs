//! Checks every pass of a compilation by execution.
//!
//! The program is run as it came, and after each pass, on the same inputs: sizes that divide
//! nothing, special values, outputs that hold something else before. [`tx_interp`] runs it as long
//! as there are ops above LLVM's level, and from `tile-insert-sync` on it asks whether barriers
//! order every access. What is left is run by the executor (`tx-exec`), under several schedules. A
//! pass after which the results differ gets the blame. PTX cannot be run here: [`check_ptx`] reads
//! it, and says where it does otherwise than the last IR.
//!
//! Results must be equal, to the bit, to those before the pass; or, for sums and products of
//! floats, as near to those of the program as it came as every order of combination is (see
//! [`tx_interp::Bound`] for how near that is).

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

/// Why nothing could be said of a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// It does not compile.
    #[error(transparent)]
    Compile(#[from] Error),
    /// What was given does not fit.
    #[error("{0}")]
    Input(String),
    /// The program refuses the arguments that were given.
    #[error(transparent)]
    Arguments(Box<tx_runtime::Error>),
    /// It does what it must not with every input that was made for it, or none can be made: other
    /// sizes and integers may be meant.
    #[error("{what}; arguments of other sizes, or with other integers, may be meant")]
    Unfit {
        /// What it does with the first of them.
        what: String,
        /// The code of the rule that it breaks.
        code: Option<Code>,
    },
}

impl Trouble {
    /// The code of the rule that the program breaks.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Unfit { code, .. } => *code,
            _ => None,
        }
    }
}

/// What to validate with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Numbers of inputs depend on it.
    pub seed: u64,
    /// The one input to run, in place of generated ones.
    pub args: Option<Vec<Arg>>,
    /// The grid of a kernel, in blocks along x, y and z.
    pub grid: Option<[u32; 3]>,
    /// NVIDIA's assembler, or a folder that holds it; without, it is looked for on `PATH`.
    pub ptxas: Option<PathBuf>,
    /// Numbers of the inputs to generate, or at least one for each set of kernels that they launch;
    /// without, all there are. The first ones are small and show most mistakes.
    pub inputs: Option<Range<usize>>,
    /// Ops and accesses of threads after which no more inputs are run after a stage; without, as
    /// many as take some seconds. One for each set of kernels that are launched comes first.
    pub work: Option<u64>,
    /// A kernel of the program: of the generated inputs, those that launch it. Without, those for
    /// all kernels.
    pub kernel: Option<String>,
    /// Number of the stage, counted from `parse`, before which all are known to be right. The
    /// program is not run after those, but for what later ones are compared with.
    pub known: usize,
    /// Number of the last stage after which the program is run before it is launched; without, the
    /// last of all.
    pub until: Option<usize>,
    /// Steps of all threads of a run, or of a launch, after which it is taken to have no end;
    /// without, many more than generated inputs take.
    pub steps: Option<u64>,
    /// Whether the program has all of its barriers as it comes, so that accesses have to be ordered
    /// from the first stage on.
    pub synchronized: bool,
    /// Where what the program leaves as it came is kept for the next time.
    pub references: Option<Arc<References>>,
    /// Who is told how far it is.
    pub watch: Option<Watch>,
}

impl Options {
    fn step_limit(&self) -> StepLimit {
        self.steps.map_or(MOST_STEPS, StepLimit::new)
    }
}

/// Is told how far a validation is: the stage that is run, the number of the input that it is run
/// with, from 1, and of how many.
#[derive(Clone)]
pub struct Watch(Arc<WatchFn>);

type WatchFn = dyn Fn(&str, usize, usize) + Send + Sync;

impl Watch {
    /// Calls this before each run.
    pub fn new(watch: impl Fn(&str, usize, usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// What was found of a stage.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The pass; `parse`, `laws` of combiners, or `launch`.
    pub name: String,
    /// What was found.
    pub verdict: Verdict,
}

/// What was found of a program.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The function or kernel that was called.
    pub entry: String,
    /// The chip it was compiled for.
    pub chip: String,
    /// What it was called with.
    pub inputs: Vec<String>,
    /// How many more there are, which were not run: it would have been too much to do.
    pub left_out: usize,
    /// With how many of these anything may come out, so that nothing was compared: partial results
    /// of some order overflow, say.
    pub open: usize,
    /// Kernels that none of these launches: they are for sizes that would take too long to run.
    /// They were not checked.
    pub unlaunched: Vec<String>,
    /// What the entry was run with for want of a grid: `one block`, or `one cluster`.
    pub assumed: Option<&'static str>,
    /// Every stage, in order.
    pub stages: Vec<Stage>,
    /// The variant of each reduction, as they stand in the program.
    pub variants: Vec<String>,
}

impl Validation {
    /// Whether every stage is as it must be, and the last one was compared with the first.
    pub fn is_good(&self) -> bool {
        let ends = [self.stages.first(), self.stages.last()];
        let known = |stage: &Option<&Stage>| {
            stage.is_some_and(|s| !matches!(s.verdict, Verdict::Unsupported(_)))
        };
        ends.iter().all(known) && !self.stages.iter().any(|s| s.verdict.is_bad())
    }

    /// Whether no stage is known to be wrong, though the last one was not compared with the first,
    /// so that nothing is said of it.
    pub fn is_open(&self) -> bool {
        !self.is_good() && !self.stages.iter().any(|s| s.verdict.is_bad())
    }

    /// Which law the combiner breaks, and where it stands, if it is that which is wrong, and not
    /// the pass which combines in another order, as far as is known.
    pub fn blamed(&self) -> Option<&str> {
        matches!(self.guilty()?.verdict, Verdict::Wrong(_)).then_some(())?;
        let mut told = self.stages.iter().filter_map(|stage| match &stage.verdict {
            Verdict::Conditional(laws) => laws.first(),
            _ => None,
        });
        told.find(|laws| laws.contains(CUSTOM)).map(String::as_str)
    }

    /// Whether a law of some combiner fails with values that may not occur, so that what is found
    /// holds for the inputs alone.
    pub fn is_conditional(&self) -> bool {
        let mut verdicts = self.stages.iter().map(|stage| &stage.verdict);
        verdicts.any(|verdict| matches!(verdict, Verdict::Conditional(_)))
    }

    /// Whether a `custom` combiner is among those for which no law is seen to fail.
    fn holds_custom(&self) -> bool {
        self.stages.iter().any(|stage| match &stage.verdict {
            Verdict::Hold(laws) => laws.contains(CUSTOM),
            _ => false,
        })
    }

    /// What else may be to blame than the first stage that is wrong.
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
            // Both who run programs say so.
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

    /// The first stage that is wrong.
    pub fn guilty(&self) -> Option<&Stage> {
        self.stages.iter().find(|s| s.verdict.is_bad())
    }
}

/// The kind of combiners with a region.
const CUSTOM: &str = "custom";
/// How the law of identities is told of.
const NOT_NEUTRAL: &str = "the identity is not neutral";

/// Changes a module between two passes: the name of the stage, and the module after it.
pub type Edit<'e> = dyn FnMut(&str, &mut Module<'_>) + 'e;

/// Checks every pass of a compiler by execution, also those that were put into it.
///
/// # Errors
/// When the program does not compile, or no input fits it.
pub fn validate(
    compiler: &Compiler,
    source: &Source,
    options: &Options,
) -> Result<Validation, Trouble> {
    validate_edited(compiler, source, options, &mut |_, _| {})
}

/// The same with changes between passes, to see whether they are noticed.
///
/// # Errors
/// As [`validate`]; what a change breaks so that it does not compile is an error as well.
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
            // What a program must not be given is no fault of its passes.
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
                // After which stage it goes wrong is not known yet.
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
                // There is nobody else to blame.
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
                // Sizes were guessed that do not fit.
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

/// Whether other inputs than the generated ones may be meant: sizes, or integers, which may be
/// places in memory.
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

/// Inputs that are run under every schedule.
const SCHEDULED: usize = 2;
/// Steps of all threads of a run after which it is taken to have no end: inputs take far fewer.
const MOST_STEPS: StepLimit = StepLimit::new(1 << 28).with_each_thread(1 << 10);

/// What there may be to do after one stage, in ops and accesses of threads.
const MOST_WORK: u64 = 1 << 24;
/// The same as it came and where it is launched; of those for one kernel eight times as much.
const MOST_WORK_AT_THE_ENDS: u64 = 1 << 26;

/// Elements past what is aligned at which the arrays of an input begin, where they begin there, and
/// elements that each begins further past it than the one before.
///
/// The first are 1 to 15, and of inputs that follow on each other at any distance, each of these. In
/// one of eight inputs one array alone begins past it, by two elements.
fn elements_past(input: usize) -> Past {
    if input % 8 == 5 {
        return Past {
            one: input / 8,
            by: 2,
            ..ALIGNED
        };
    }
    // The golden ratio: no multiple of it comes near to few numbers only.
    let fraction = (input as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Past {
        first: 1 + ((fraction as usize * 15) >> 32),
        each: input / 2 % 2,
        ..ALIGNED
    }
}

/// Arrays that begin at aligned addresses.
const ALIGNED: Past = Past::all(0);

/// What an input is called whose arrays begin there: some kernels do something else then.
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

/// The pass after which it is said which of equal elements wins.
const CONVERTS: &str = "convert-linalg-to-tile";

/// One input on its way through the stages.
struct Case {
    input: Input,
    sizes: Sizes,
    placed: Placed,
    /// What the program as it came leaves, and how near to it every order is.
    reference: Option<Arc<Reference>>,
    /// What the stage before left.
    before: Option<Results>,
    /// Whether some stage is wrong with it.
    is_wrong: bool,
    /// Whether what the stage before left is wrong.
    stays_wrong: bool,
    /// Whether there is not too much to do.
    is_run: bool,
    /// What there was to do after the last stage that was run with it.
    work: u64,
}

struct Run<'r> {
    plan: &'r Plan,
    options: &'r Options,
    cases: Vec<Case>,
    /// How many of them there were.
    inputs: usize,
    stages: Vec<Stage>,
    /// The variant of each reduction.
    variants: Vec<String>,
    /// Stages after which there is nothing but LLVM's ops left, with their kernels. Loading those
    /// takes longest, so they are run one by one only where the last of them goes wrong.
    lowered: Vec<(usize, String)>,
    /// Whether kernels ask for addresses, and so may do something else where they are aligned.
    asks: bool,
    /// What is found of the laws of combiners, and how many stages that comes after.
    laws: Option<(usize, Verdict)>,
    /// The text of the module after the stage before.
    text: String,
    /// The text of the program as it came, where it is converted before most inputs are run.
    source: Option<String>,
    /// Whether barriers are in.
    synchronized: bool,
    /// What the entry is run with for want of a grid.
    assumed: Option<&'static str>,
    /// Whether the program as it came counts on more alignment than that of an element somewhere.
    aligned: bool,
    /// What the program does with these inputs that it must not, as it came.
    unfit: Option<Verdict>,
    started: Instant,
    /// What is run now.
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

    /// Compiles the program and runs it on the way.
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

    /// An input that goes wrong and was run in the end only, unless another shows where it goes wrong.
    fn suspect(&self) -> Option<Input> {
        let mut wrong = self.cases.iter().filter(|case| case.is_wrong);
        let first = wrong.clone().next()?;
        wrong.all(|case| !case.input.every_stage).then(|| Input {
            every_stage: true,
            ..first.input.clone()
        })
    }

    /// Runs the module after a stage.
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
        // What threads exchange through memory waits for the barriers of `tile-insert-sync`, also
        // where the program has its own.
        self.synchronized &= !(name.starts_with("tile-expand-") && text != self.text);
        // What it leaves as it is may lack a barrier too.
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
            // PTX is looked at when there is nothing else left.
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
            // From here on it is said which of equal elements wins.
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

    /// A stage that adds nothing to what is wrong has not mended it.
    fn beside_what_is_wrong(&self, verdict: Verdict) -> Verdict {
        let stays = self.cases.iter().any(|case| case.stays_wrong);
        match verdict {
            Verdict::Equal | Verdict::EqualWithinOrder if stays => Verdict::AsBefore,
            verdict => verdict,
        }
    }

    /// Whether nothing has to be known of the next stage: it is right and no other is compared with
    /// it, or nobody asks.
    fn is_known(&self, name: &str) -> bool {
        let number = self.stages.len();
        let right = number + 1 < self.options.known && name != CONVERTS;
        right || self.options.until.is_some_and(|last| number > last)
    }

    /// What there may be to do with the program as it came, and where it is launched.
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

    /// Tells who watches which input is run, of those there are, with the stage that is run now.
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

    /// Runs the program as it came, with those inputs that have no reference yet; with the ones
    /// that are run in the end only not before it is converted, as they are compared with what it
    /// is then.
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

    /// Takes the program at this stage as the reference, where it runs.
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

    /// Runs the program as it came with what inputs have no reference after it was converted.
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

    /// Runs the program and compares with the stage before and with the reference. Where reductions
    /// were loops before (`converts`), an infinity may be left where they made NaN of it.
    fn compare(&mut self, session: &Session, module: &Module<'_>, converts: bool) -> Verdict {
        let kernel = self.plan.steps.first().map(|step| &*step.kernel);
        if let Some(kernels) = kernel.and_then(|name| stages::kernels_in_llvm(module, name)) {
            let device_ir = tx::device_ir(module, Some(&kernels));
            self.asks |= stages::asks_for_addresses(module);
            self.lowered.push((self.stages.len(), device_ir));
            // What it is in truth is found by `launch`.
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
            // What takes long took long before.
            let is_too_much = self.options.work.is_some_and(|most| case.work > most);
            if is_too_much || !budget.affords(&case.sizes) {
                // It is in the end.
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

    /// Runs lowered kernels on the executor, launched as the plan says.
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
            // What is run again alone begins where it did.
            let i = case.input.number;
            // Schedules differ in what threads do, and hardly in what with.
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

    /// Reads the PTX that was made of the last IR.
    fn read(&mut self, artifact: &Artifact) {
        // Nothing is launched.
        if artifact.ptx.is_empty() {
            return;
        }
        let verdict = check_ptx(artifact, self.options.ptxas.as_deref());
        self.stages.push(Stage {
            name: "gpu-module-to-ptx".to_owned(),
            verdict,
        });
    }

    /// Runs what was compiled as it is launched, under several schedules.
    fn launch(&mut self, artifact: &Artifact) {
        "launch".clone_into(&mut self.now);
        let orders = tx_runtime::Order::all(self.options.seed);
        if self.cases.iter().any(|case| case.stays_wrong) {
            // Others would go wrong here for the first time, and are not to blame this stage for.
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
            // The first that is wrong is to blame, and what comes after it ends as the last does,
            // or is as before.
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
            // The same kernels, but for what says how they are launched.
            let found = std::mem::replace(&mut verdict, Verdict::Equal);
            self.stages[*first].verdict = self.beside_what_is_wrong(found);
        }
        self.stages.push(Stage {
            name: "launch".to_owned(),
            verdict: self.beside_what_is_wrong(verdict),
        });
    }

    /// What was run.
    fn names(&self) -> Vec<String> {
        let run = self.cases.iter().filter(|case| case.is_run);
        run.map(|case| case.input.name.clone()).collect()
    }

    /// How many were not.
    fn left_out(&self) -> usize {
        self.inputs - self.names().len()
    }

    /// How many of these were run in vain.
    fn open(&self) -> usize {
        let run = self.cases.iter().filter(|case| case.is_run);
        let open = |case: &&Case| case.reference.as_ref().is_some_and(|r| r.is_open());
        run.filter(open).count()
    }

    /// Kernels that none of these launches, as far as is known.
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

/// What is wrong is told once. Where IR is run in another way, one race is found anew, in other words.
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

/// A program that inputs are run with to have something to compare with.
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

    /// What it leaves, unless it cannot be run to its end.
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
    /// Compares with this from here on.
    fn refer_to(&mut self, reference: Arc<Reference>) {
        self.before = Some(reference.results.clone());
        self.reference = Some(reference);
    }

    /// Compares what an `input` leaves with what was before. Once kernels are `written`, the sign
    /// of a sum of nothing but -0.0 stays what it is.
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
                // The same bits as the reference are not the same as before, which lay within the bounds.
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

    /// A fault is told where it is met first, whatever stands between.
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

    /// Of 64 inputs, some begin at each distance past an aligned address, and in some one array alone
    /// begins past it.
    #[test]
    fn inputs_begin_everywhere() {
        let all: Vec<Past> = (0..64).map(elements_past).collect();
        for first in 1..=15 {
            assert!(all.contains(&Past::all(first)), "{first} elements past");
        }
        assert!((0..8).all(|one| all.contains(&alone(one))));
    }
}
