//! Execution of the output of each stage of a compilation on the inputs of the validation.

use crate::budget::Budget;
use crate::case::Case;
use crate::compare::PlacedArguments;
use crate::inputs::Input;
use crate::laws;
use crate::misalignment::{ALIGNED, beginning, elements_past};
use crate::options::{Options, Watch};
use crate::ptx::check_ptx;
use crate::reference_program::ReferenceProgram;
use crate::stages;
use crate::trouble::Trouble;
use crate::validation::{Stage, Validation, tell_once};
use crate::verdict::Verdict;
use melior::ir::Module;
use std::time::Instant;
use tx::{Artifact, Compiler, Error, ErrorKind, Source};
use tx_mlir::Session;
use tx_plan::Plan;
use tx_runtime::Arg;

/// Callback that modifies a module between passes. The callback receives the name of a stage and
/// the module that the stage produced.
pub type Edit<'e> = dyn FnMut(&str, &mut Module<'_>) + 'e;

/// Number of inputs on which the executor runs kernels under all thread schedules.
const SCHEDULED: usize = 2;

/// Default work limit of a stage, in ops and memory accesses of all threads.
const MOST_WORK: u64 = 1 << 24;

/// Default work limit of the stages `parse` and `launch`. If the option `kernel` selects one
/// kernel, the default limit is 64 times [`MOST_WORK_AT_THE_ENDS`].
const MOST_WORK_AT_THE_ENDS: u64 = 1 << 26;

/// Pass that defines which of several equal elements an argmin or argmax returns.
const CONVERTS: &str = "convert-linalg-to-tile";

pub(crate) struct Run<'r> {
    plan: &'r Plan,
    options: &'r Options,
    cases: Vec<Case>,
    inputs: usize,
    stages: Vec<Stage>,
    variants: Vec<String>,
    /// Index and device IR of each stage whose module is in the LLVM dialect. Loading a kernel into
    /// the executor is slow. The executor therefore first runs only the final device IR on the
    /// inputs. If the final device IR fails, the executor also runs the device IR of each earlier
    /// stage.
    lowered: Vec<(usize, String)>,
    /// Set if a kernel converts an address to an integer; such a kernel may branch on the alignment
    /// of an array.
    asks: bool,
    /// Verdict on the combiner properties, and index of the stage `laws`.
    laws: Option<(usize, Verdict)>,
    text: String,
    /// Text of an input program with linalg ops. After stage [`CONVERTS`], the validation parses
    /// `source` again to compute the reference results of inputs without reference results.
    source: Option<String>,
    /// Set if the input program already contains all barriers that the program needs.
    synchronized: bool,
    pub(crate) assumed: Option<&'static str>,
    /// Set if an op of the input program assumes an alignment.
    aligned: bool,
    /// Error of the input program that occurs before any pass has run.
    pub(crate) unfit: Option<Verdict>,
    started: Instant,
    now: String,
}

impl<'r> Run<'r> {
    pub(crate) fn new(
        plan: &'r Plan,
        options: &'r Options,
        inputs: Vec<Input>,
    ) -> Result<Self, Trouble> {
        let cases = inputs
            .into_iter()
            .map(|input| {
                let placed = PlacedArguments::new(plan, &input.args).map_err(Trouble::Input)?;
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

    /// Compiles the program. After each pass, the function runs the module on the inputs.
    pub(crate) fn compile(
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

    /// Returns the first input with a wrong result; `None` if no result is wrong, or if
    /// `every_stage` is set for an input with a wrong result. In the returned input, `every_stage`
    /// is set, so a second validation with only this input finds the failing pass.
    pub(crate) fn suspect(&self) -> Option<Input> {
        let mut wrong = self.cases.iter().filter(|case| case.is_wrong);
        let first = wrong.clone().next()?;
        wrong.all(|case| !case.input.every_stage).then(|| Input {
            every_stage: true,
            ..first.input.clone()
        })
    }

    /// Executes the output of the stage `name` on the inputs.
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
        // Even if a pass does not change the module, the pass may have failed to insert a barrier.
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

    /// Changes a successful verdict on a stage to `AsBefore` if the results for some input were
    /// already wrong in the previous stage.
    fn beside_what_is_wrong(&self, verdict: Verdict) -> Verdict {
        let stays = self.cases.iter().any(|case| case.stays_wrong);
        match verdict {
            Verdict::Equal | Verdict::EqualWithinOrder if stays => Verdict::AsBefore,
            verdict => verdict,
        }
    }

    /// Returns whether the validation skips the stage `name`, because the options exclude the
    /// stage.
    fn is_known(&self, name: &str) -> bool {
        let number = self.stages.len();
        let right = number + 1 < self.options.known && name != CONVERTS;
        right || self.options.until.is_some_and(|last| number > last)
    }

    /// Returns the work limit of the stages `parse` and `launch`.
    fn most_at_the_ends(&self) -> u64 {
        self.options.work.unwrap_or(match self.options.kernel {
            Some(_) => 64 * MOST_WORK_AT_THE_ENDS,
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

    fn reference_program<'p, 'c>(
        &self,
        generic: &'p Module<'c>,
        text: &'p str,
    ) -> ReferenceProgram<'p, 'c>
    where
        'r: 'p,
    {
        let kept = self.options.references.as_deref();
        ReferenceProgram::new(generic, text, &self.plan.entry, self.options(true), kept)
    }

    /// Runs the input program on each input without reference results, and stores the results as
    /// reference results. If the program contains linalg ops, the function skips inputs that are
    /// used only in the stage `launch`; [`Self::refer_rest`] computes the reference results of
    /// these inputs after stage [`CONVERTS`].
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
        let program = self.reference_program(&generic, text);
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

    /// Executes the output of the current stage on each input, and replaces the reference results
    /// of each input for which the execution succeeds.
    fn refer_again(&mut self, session: &Session, module: &Module<'_>, text: &str) {
        let Ok(generic) = stages::generic(session, module) else {
            return;
        };
        let program = self.reference_program(&generic, text);
        for case in &mut self.cases {
            if let Ok(reference) = program.run(case) {
                case.refer_to(reference);
            }
        }
    }

    /// Computes the reference results that are still missing after stage [`CONVERTS`].
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

    /// Runs a module on the inputs, and compares the results with the results of the previous stage
    /// and with the reference results. At stage [`CONVERTS`], the function accepts an infinity
    /// instead of a NaN in the reference results if the interpreter computes an infinite error
    /// bound for the element.
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

    /// Runs lowered kernels on the executor, with the launches of the launch plan.
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
            // Skip inputs that have not run before, because the verdict on an earlier stage already
            // reports an error.
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
            // Report the first wrong stage, because the stages after it repeat its verdict.
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
            // The module of the last lowered stage contains the same kernels; only the launches may
            // differ.
            let found = std::mem::replace(&mut verdict, Verdict::Equal);
            self.stages[*first].verdict = self.beside_what_is_wrong(found);
        }
        self.stages.push(Stage {
            name: "launch".to_owned(),
            verdict: self.beside_what_is_wrong(verdict),
        });
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let run = self.cases.iter().filter(|case| case.is_run);
        run.map(|case| case.input.name.clone()).collect()
    }

    pub(crate) fn left_out(&self) -> usize {
        self.inputs - self.names().len()
    }

    /// Returns the number of inputs whose results could not be compared.
    pub(crate) fn open(&self) -> usize {
        let run = self.cases.iter().filter(|case| case.is_run);
        let open = |case: &&Case| case.reference.as_ref().is_some_and(|r| r.is_open());
        run.filter(open).count()
    }

    /// Returns the kernels that are launched for no input; empty if the launched kernels are
    /// unknown.
    pub(crate) fn unlaunched(&self) -> Vec<String> {
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

    pub(crate) fn finish(mut self, artifact: &Artifact) -> Validation {
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
