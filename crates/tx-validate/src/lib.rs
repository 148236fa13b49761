//! Checks every pass of a compilation by execution.
//!
//! The program is run as it came, and after each pass, on the same inputs: sizes that divide nothing, special values,
//! outputs that hold something else before. [`tx_interp`] runs it as long as there are ops above LLVM's level, and from
//! [`tile-insert-sync`](tx_passes) on it asks whether barriers order every access. What is left is run by the executor
//! ([`tx_exec`]), under several schedules. A pass after which the results differ gets the blame.
//!
//! Results must be equal, to the bit, to those before the pass; or, for sums and products of floats, as near to those of
//! the program as it came as every order of combination is (see [`tx_interp::Bound`] for how near that is).

mod compare;
mod inputs;
mod stages;
mod verdict;

pub use inputs::Input;
pub use verdict::{Difference, Verdict};

use compare::{Bounds, Placed, Results};
use inputs::{GUESSES, generate};
use melior::ir::Module;
use std::time::Instant;
use tx::{Artifact, Compiler, Error, ErrorKind, Source, Target};
use tx_mlir::Session;
use tx_runtime::Arg;

/// Why nothing could be said of a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// It does not compile.
    #[error(transparent)]
    Compile(#[from] Error),
    /// No input can be made for it, or what was given does not fit.
    #[error("{0}")]
    Input(String),
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
}

/// What was found of a stage.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The pass, or `parse`.
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
    /// Every stage, in order.
    pub stages: Vec<Stage>,
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

    /// The first stage that is wrong.
    pub fn guilty(&self) -> Option<&Stage> {
        self.stages.iter().find(|s| s.verdict.is_bad())
    }
}

/// Changes a module between two passes: the name of the stage, and the module after it.
pub type Edit<'e> = dyn FnMut(&str, &mut Module<'_>) + 'e;

/// Checks every pass by execution.
///
/// # Errors
/// When the program does not compile, or no input fits it.
pub fn validate(target: Target, source: &Source, options: &Options) -> Result<Validation, Trouble> {
    validate_edited(target, source, options, &mut |_, _| {})
}

/// The same with changes between passes, to see whether they are noticed.
///
/// # Errors
/// As [`validate`]; what a change breaks so that it does not compile is an error as well.
pub fn validate_edited(
    target: Target,
    source: &Source,
    options: &Options,
    edit: &mut Edit<'_>,
) -> Result<Validation, Trouble> {
    let compiler = Compiler::new(target)?;
    let artifact = compiler.compile_source(source)?;
    let given = match &options.args {
        Some(args) => vec![vec![Input {
            name: "the arguments given".to_owned(),
            args: args.clone(),
        }]],
        None => GUESSES
            .iter()
            .map(|guess| generate(&artifact.plan, options.seed, *guess))
            .collect::<Result<Vec<_>, _>>()?,
    };
    let mut first = None;
    for inputs in given.into_iter().filter(|inputs| !inputs.is_empty()) {
        let mut run = Run::new(&artifact, options, inputs)?;
        let compiled = compiler.compile_watched(source, &mut |name, session, module| {
            edit(name, module);
            run.stage(name, session, module)
        });
        match compiled {
            Ok(edited) => {
                run.launch(&edited);
                return Ok(run.finish(&edited));
            }
            // Sizes were guessed that do not fit.
            Err(error) if run.unfit => first = first.or(Some(error)),
            Err(error) => return Err(error.into()),
        }
    }
    Err(match first {
        Some(error) => Trouble::Input(format!(
            "{error}; no generated sizes fit the program: give arguments with --arg"
        )),
        None => Trouble::Input(
            "no sizes are found that fit the checks of the program: give arguments with --arg"
                .to_owned(),
        ),
    })
}

/// One input on its way through the stages.
struct Case {
    input: Input,
    placed: Placed,
    /// What the program as it came leaves, and how near to it every order is.
    reference: Option<(Results, Bounds)>,
    /// What the stage before left.
    before: Option<Results>,
}

struct Run<'r> {
    artifact: &'r Artifact,
    options: &'r Options,
    cases: Vec<Case>,
    stages: Vec<Stage>,
    /// The text of the module after the stage before.
    text: String,
    /// Whether barriers are in.
    synchronized: bool,
    /// Whether the inputs did not fit the program.
    unfit: bool,
    started: Instant,
}

impl<'r> Run<'r> {
    fn new(
        artifact: &'r Artifact,
        options: &'r Options,
        inputs: Vec<Input>,
    ) -> Result<Self, Trouble> {
        let cases = inputs
            .into_iter()
            .map(|input| {
                let placed = Placed::new(&artifact.plan, &input.args).map_err(Trouble::Input)?;
                Ok(Case {
                    input,
                    placed,
                    reference: None,
                    before: None,
                })
            })
            .collect::<Result<_, Trouble>>()?;
        Ok(Self {
            artifact,
            options,
            cases,
            stages: Vec::new(),
            text: String::new(),
            synchronized: false,
            unfit: false,
            started: Instant::now(),
        })
    }

    /// Runs the module after a stage.
    fn stage(
        &mut self,
        name: &str,
        session: &Session,
        module: &mut Module<'_>,
    ) -> Result<(), Error> {
        self.synchronized |= name == "tile-insert-sync";
        let text = stages::text(module);
        let verdict = if self.stages.is_empty() {
            self.refer(session, module)?
        } else if text == self.text {
            match self.stages.last().map(|stage| &stage.verdict) {
                Some(unknown @ Verdict::Unsupported(_)) => unknown.clone(),
                _ => Verdict::Equal,
            }
        } else if stages::is_binary(module) {
            // PTX is looked at when there is nothing else left.
            self.text = text;
            return Ok(());
        } else {
            self.compare(session, module)
        };
        self.text = text;
        tracing::debug!(stage = name, verdict = verdict.word(), elapsed = ?self.started.elapsed());
        self.stages.push(Stage {
            name: name.to_owned(),
            verdict,
        });
        Ok(())
    }

    fn options(&self) -> tx_interp::Options {
        let step = self.artifact.plan.steps.first();
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
            bounds: self.stages.is_empty(),
            grid: self
                .options
                .grid
                .unwrap_or_else(|| sizes(step.map(|s| &s.grid))),
            block: sizes(step.map(|s| &s.block)),
            ..tx_interp::Options::default()
        }
    }

    /// Runs the program as it came.
    fn refer(&mut self, session: &Session, module: &Module<'_>) -> Result<Verdict, Error> {
        let options = self.options();
        let generic = match stages::generic(session, module) {
            Ok(generic) => generic,
            Err(error) => return Ok(Verdict::Unsupported(error)),
        };
        let mut verdict = Verdict::Reference;
        for case in &mut self.cases {
            let entry = &self.artifact.plan.entry;
            match tx_interp::run(&generic, entry, &case.placed.arguments, &options) {
                Ok(outcome) => match case.placed.results(outcome) {
                    Ok((results, bounds)) => {
                        case.before = Some(results.clone());
                        case.reference = Some((results, bounds));
                    }
                    Err(error) => verdict = verdict.worse(Verdict::Unsupported(error)),
                },
                Err(trouble @ tx_interp::Trouble::Unsupported { .. }) => {
                    verdict = verdict.worse(Verdict::Unsupported(trouble.to_string()));
                }
                Err(trouble) => {
                    self.unfit = true;
                    return Err(Error::plain(
                        ErrorKind::Entry,
                        format!("{trouble} ({})", case.input.name),
                    ));
                }
            }
        }
        Ok(verdict)
    }

    /// Runs the program and compares with the stage before and with the reference.
    fn compare(&mut self, session: &Session, module: &Module<'_>) -> Verdict {
        if let Some(kernels) = stages::kernels_in_llvm(module) {
            let artifact = Artifact {
                ptx: String::new(),
                plan: self.artifact.plan.clone(),
                device_ir: tx::device_ir(module, Some(&kernels)),
                stages: Vec::new(),
            };
            return self.execute(&artifact, &stages::ORDERS[..1]);
        }
        let options = self.options();
        let generic = match stages::generic(session, module) {
            Ok(generic) => generic,
            Err(error) => return Verdict::Unsupported(error),
        };
        let mut verdict = Verdict::Equal;
        for case in &mut self.cases {
            let entry = &self.artifact.plan.entry;
            let found = tx_interp::run(&generic, entry, &case.placed.arguments, &options);
            verdict = verdict.worse(match found {
                Ok(outcome) => match case.placed.results(outcome) {
                    Ok((results, _)) => case.judge(results),
                    Err(error) => Verdict::Unsupported(error),
                },
                Err(trouble) => stages::verdict_of(&trouble, &case.input.name),
            });
        }
        verdict
    }

    /// Runs lowered kernels on the executor.
    fn execute(&mut self, artifact: &Artifact, orders: &[tx_runtime::Order]) -> Verdict {
        let program = match tx_runtime::Device::cpu().and_then(|device| device.load(artifact)) {
            Ok(program) => program,
            Err(error) => return Verdict::Fault(error.to_string()),
        };
        let mut verdict = Verdict::Equal;
        for case in &mut self.cases {
            for order in orders {
                let options = tx_runtime::RunOptions {
                    grid: self.options.grid,
                    order: *order,
                    ..tx_runtime::RunOptions::default()
                };
                let found = program.run_with(case.input.args.clone(), &options);
                verdict = verdict.worse(match found {
                    Ok(outputs) => case.judge(outputs.into_arrays()),
                    Err(error) => stages::verdict_of_run(&error, &case.input.name),
                });
            }
        }
        verdict
    }

    /// Runs what was compiled as it is launched, under several schedules.
    fn launch(&mut self, artifact: &Artifact) {
        let verdict = self.execute(artifact, &stages::ORDERS);
        self.stages.push(Stage {
            name: "launch".to_owned(),
            verdict,
        });
    }

    fn finish(self, artifact: &Artifact) -> Validation {
        Validation {
            entry: artifact.plan.entry.clone(),
            chip: artifact.plan.chip.clone(),
            inputs: self.cases.into_iter().map(|case| case.input.name).collect(),
            stages: self.stages,
        }
    }
}

impl Case {
    fn judge(&mut self, results: Results) -> Verdict {
        let same = self
            .before
            .as_ref()
            .is_some_and(|before| compare::equal(before, &results));
        let verdict = match (&self.reference, same) {
            (_, true) => Verdict::Equal,
            (Some((reference, bounds)), false) => {
                // The same bits as the reference are not the same as before, which lay within the bounds.
                compare::judge(&self.input.name, reference, bounds, &results)
                    .worse(Verdict::EqualWithinOrder)
            }
            (None, false) => Verdict::Unsupported("nothing to compare with".to_owned()),
        };
        self.before = Some(results);
        verdict
    }
}
