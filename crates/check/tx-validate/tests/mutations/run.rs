//! Edits a program, and records which checkers detect the edit.

use crate::edits::Edit;
use crate::programs::Program;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tx::{Artifact, Compiler};
use tx_mlir::melior::ir::Module;
use tx_mlir::melior::ir::operation::{OperationLike, OperationPrintingFlags};
use tx_mlir::{
    Op, Printer, attribute, defining_op, is, name, source_location, string_attribute, symbol_path,
    walk,
};
use tx_validate::{Options, References, Trouble, Validation, Verdict, validate_edited};

/// Checker that can detect an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Checker {
    /// MLIR verifier.
    Verifier,
    /// Rejection of the module by a later pass, or by the derivation of the launch plan.
    Pass,
    /// Algebraic properties of a combiner.
    Laws,
    /// Wrong result in the interpreter.
    Interpreter,
    /// Fault in the interpreter: out of bounds, divergence, or uninitialized read.
    Faults,
    /// Data race in the interpreter.
    Races,
    /// Wrong result, fault or race in the executor.
    Executor,
    /// PTX that differs from the device IR.
    Ptx,
}

impl Checker {
    pub(crate) const ALL: [Self; 8] = [
        Self::Verifier,
        Self::Pass,
        Self::Laws,
        Self::Interpreter,
        Self::Faults,
        Self::Races,
        Self::Executor,
        Self::Ptx,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Verifier => "verifier",
            Self::Pass => "pass",
            Self::Laws => "laws",
            Self::Interpreter => "result",
            Self::Faults => "fault",
            Self::Races => "race",
            Self::Executor => "executor",
            Self::Ptx => "PTX",
        }
    }
}

/// Site where an edit is possible.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EditSite {
    /// Index of the stage, counted from `parse`.
    pub(crate) stage: usize,
    /// Name of the pass.
    pub(crate) pass: String,
    /// Index of the change among all changes that the edit can make in the module.
    pub(crate) change: usize,
    /// Op and its location.
    pub(crate) op: String,
    /// Ops that compute the operands, if the op contains blocks.
    #[serde(default)]
    pub(crate) of: String,
    /// Kernel to which the op belongs.
    #[serde(default)]
    pub(crate) kernel: Option<String>,
}

/// Outcome of an edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// At least one checker detects the edit; the message is from the first such checker.
    Caught(BTreeSet<Checker>, String),
    /// The compiler translates the edited program to the same PTX and launch plan as the unedited
    /// program.
    SameCode,
    /// Not detected.
    Survived(String),
    /// The module is unchanged.
    Nothing,
}

/// Program, with the places where edits are possible.
pub(crate) struct Survey {
    pub(crate) program: Program,
    /// Places of each edit.
    pub(crate) places: Vec<Vec<EditSite>>,
    /// Kernels that no input launches. The checkers cannot detect an edit in such a kernel.
    pub(crate) unlaunched: Vec<String>,
    /// Compilation result of the unedited program.
    artifact: Artifact,
    /// Called function, and the kernels that it launches.
    functions: BTreeSet<String>,
    /// Stages of the unedited program whose module the validation cannot execute.
    unknown: Vec<String>,
    /// Reference results of the unedited program.
    references: Arc<References>,
}

fn top<'m>(module: &'m Module<'_>) -> Op<'m> {
    // SAFETY: the op lives as long as the module, which is borrowed for `'m`.
    unsafe { Op::from_raw(module.as_operation().to_raw()) }
}

fn text(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    module
        .as_operation()
        .to_string_with_flags(flags)
        .unwrap_or_default()
}

/// Returns the first line of a function.
fn line_of(module: &Module<'_>, function: &str) -> usize {
    let is_it =
        |op: &Op<'_>| string_attribute(*op, "sym_name").is_some_and(|name| name == function);
    let op = walk(top(module)).into_iter().find(is_it);
    let at = op.and_then(|op| source_location(op.location()));
    at.map_or(0, |at| at.line)
}

/// Returns the op without its regions, at its position `+LINES:COLUMN` relative to line `first`.
fn describe(op: Op<'_>, printer: &Printer<'_>, first: usize) -> String {
    let line = line(op, printer);
    match source_location(op.location()) {
        Some(at) => format!("+{}:{} `{line}`", at.line.saturating_sub(first), at.column),
        None => format!("`{line}`"),
    }
}

/// Returns the text of an op without its regions.
fn line(op: Op<'_>, printer: &Printer<'_>) -> String {
    let text = match tx_mlir::blocks(op).is_empty() {
        true => printer.text(op),
        false => name(op).to_owned(),
    };
    text.lines().next().unwrap_or_default().trim().to_owned()
}

/// Returns the ops that compute the operands of an op with blocks. [`describe`] prints only the
/// name of such an op.
fn describe_operands(op: Op<'_>, printer: &Printer<'_>) -> String {
    if tx_mlir::blocks(op).is_empty() {
        return String::new();
    }
    let sources = tx_mlir::operands(op).into_iter().filter_map(defining_op);
    let lines: Vec<String> = sources.map(|source| line(source, printer)).collect();
    lines.join("; ")
}

/// Returns the kernel that contains an op, that the op launches, or that uses the variable.
fn kernel_of(op: Op<'_>) -> Option<String> {
    if is(op, "gpu.launch_func") {
        return attribute(op, "kernel").and_then(symbol_path)?.pop();
    }
    if is(op, "memref.global") {
        return users(op).into_iter().find_map(kernel_of);
    }
    let is_kernel = |op: &Op<'_>| matches!(name(*op), "gpu.func" | "llvm.func");
    let kernel = tx_mlir::ancestors(op).find(is_kernel)?;
    string_attribute(kernel, "sym_name")
}

/// Returns the ops that take the address of a variable.
fn users(variable: Op<'_>) -> Vec<Op<'_>> {
    let variable_name = string_attribute(variable, "sym_name");
    let uses = |user: &Op<'_>| {
        let path = attribute(*user, "name").and_then(symbol_path);
        is(*user, "memref.get_global") && path.and_then(|mut path| path.pop()) == variable_name
    };
    let mut users = tx_mlir::parent(variable).map(walk).unwrap_or_default();
    users.retain(uses);
    users
}

/// Returns whether an op is executed. An op also counts as executed if an executed function uses
/// the op.
fn takes_part(op: Op<'_>, functions: &BTreeSet<String>) -> bool {
    let named =
        |op: Op<'_>| string_attribute(op, "sym_name").is_some_and(|name| functions.contains(&name));
    let is_function = |op: Op<'_>| matches!(name(op), "func.func" | "gpu.func" | "llvm.func");
    if is_function(op) {
        return named(op);
    }
    if let Some(function) = tx_mlir::ancestors(op).find(|o| is_function(*o)) {
        return named(function);
    }
    // A variable counts as executed if an executed kernel uses the variable.
    is(op, "memref.global")
        && users(op)
            .into_iter()
            .any(|user| takes_part(user, functions))
}

/// Returns the called function, and the kernels that it launches.
fn functions(artifact: &Artifact) -> BTreeSet<String> {
    let kernels = artifact.plan.steps.iter().map(|step| step.kernel.clone());
    kernels.chain([artifact.plan.entry.clone()]).collect()
}

/// Runs the unedited program, and records where edits are possible.
pub(crate) fn survey(
    program: &Program,
    edits: &[Edit],
    references: &Arc<References>,
) -> Result<Survey, String> {
    let compiler = Compiler::new(program.target).map_err(|error| error.to_string())?;
    let artifact = compiler
        .compile_source(&program.source)
        .map_err(|error| error.to_string())?;
    let functions = functions(&artifact);
    let few = Options {
        inputs: Some(0..FEW_INPUTS),
        references: Some(Arc::clone(references)),
        ..Options::default()
    };
    let mut places = vec![Vec::new(); edits.len()];
    let (mut stage, mut first) = (0, 0);
    let validation = validate_edited(&compiler, &program.source, &few, &mut |pass, module| {
        if pass == "parse" {
            stage = 0;
            first = line_of(module, &artifact.plan.entry);
            places = vec![Vec::new(); edits.len()];
        } else {
            stage += 1;
        }
        let mut ops = walk(top(module));
        ops.retain(|op| takes_part(*op, &functions));
        let printer = Printer::new(top(module));
        for (edit, places) in edits.iter().zip(&mut places) {
            if stage == 0 || !edit.after.contains(&pass) {
                continue;
            }
            let mut change = 0;
            for op in &ops {
                for _ in (edit.at)(*op) {
                    places.push(EditSite {
                        stage,
                        pass: pass.to_owned(),
                        change,
                        op: describe(*op, &printer, first),
                        of: describe_operands(*op, &printer),
                        kernel: kernel_of(*op),
                    });
                    change += 1;
                }
            }
        }
    })
    .map_err(|trouble| trouble.to_string())?;
    if !validation.is_good() {
        return Err(match validation.guilty() {
            Some(stage) => format!("{}: {}", stage.name, stage.verdict),
            None => "it cannot be run from its beginning to its end".to_owned(),
        });
    }
    let unknown = validation
        .stages
        .iter()
        .filter(|stage| matches!(stage.verdict, Verdict::Unsupported(_)))
        .map(|stage| stage.name.clone())
        .collect();
    Ok(Survey {
        unlaunched: validation.unlaunched,
        program: program.clone(),
        places,
        artifact,
        functions,
        unknown,
        references: Arc::clone(references),
    })
}

/// Makes one change of the module, and returns whether the changed module passes the MLIR verifier.
/// Returns `None` if the change does not affect the module.
fn change(
    module: &mut Module<'_>,
    edit: &Edit,
    number: usize,
    functions: &BTreeSet<String>,
) -> Option<bool> {
    let before = text(module);
    let mut left = number;
    for op in walk(top(module)) {
        if !takes_part(op, functions) {
            continue;
        }
        let changes = (edit.at)(op);
        if left < changes.len() {
            if let Some(change) = changes.into_iter().nth(left) {
                change();
            }
            break;
        }
        left -= changes.len();
    }
    let changed = text(module) != before;
    changed.then(|| module.as_operation().verify())
}

/// Makes an edit in a program, and records which checkers detect the edit.
///
/// `known` marks edits that are known to be harmless.
pub(crate) fn mutate(survey: &Survey, edit: &Edit, place: &EditSite, known: bool) -> Outcome {
    let attempt = |options| try_mutate(survey, edit, place, options);
    let some = |inputs: Range<usize>| Options {
        kernel: place.kernel.clone(),
        inputs: Some(inputs),
        references: Some(Arc::clone(&survey.references)),
        ..Options::default()
    };
    let soonest = Options {
        until: Some(place.stage),
        ..some(0..FEW_INPUTS)
    };
    let made = || {
        // Most edits are detected immediately after the pass, or at launch.
        let outcome = attempt(soonest);
        if !matches!(outcome, Outcome::Survived(_)) {
            return outcome;
        }
        if compiles_to_the_same(survey, edit, place) {
            return Outcome::SameCode;
        }
        let outcome = attempt(some(0..FEW_INPUTS));
        if known {
            return outcome;
        }
        // Later inputs detect most of the remaining edits.
        let more = MORE_INPUTS.windows(2).map(|ends| some(ends[0]..ends[1]));
        more.fold(outcome, |outcome, options| match outcome {
            Outcome::Survived(_) => attempt(options),
            outcome => outcome,
        })
    };
    match catch_unwind(AssertUnwindSafe(made)) {
        Ok(outcome) => outcome,
        Err(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Outcome::Survived(format!("panic: {}", message.unwrap_or_default()))
        }
    }
}

/// Number of inputs of the first attempt. These inputs detect most edits.
const FEW_INPUTS: usize = 3;
/// Bounds of the ranges of input indices that the second attempt and each further attempt run.
const MORE_INPUTS: [usize; 4] = [FEW_INPUTS, 16, 64, usize::MAX];

fn try_mutate(survey: &Survey, edit: &Edit, place: &EditSite, options: Options) -> Outcome {
    let program = &survey.program;
    // Whether each stage is in the LLVM dialect.
    let lowered = RefCell::new(Vec::new());
    let done = Cell::new(None);
    let options = Options {
        known: place.stage,
        ..options
    };
    let compiler = Compiler::new(program.target).expect("a compiler");
    let validation = validate_edited(&compiler, &program.source, &options, &mut |pass, module| {
        if pass == "parse" {
            lowered.borrow_mut().clear();
            done.set(None);
        }
        let mut lowered = lowered.borrow_mut();
        if lowered.len() == place.stage {
            // Edit a copy first, because a module that does not verify must not be processed
            // further.
            let copy = Module::from_operation(tx_mlir::copy(top(module)));
            let verified =
                copy.and_then(|mut copy| change(&mut copy, edit, place.change, &survey.functions));
            done.set(Some(verified));
            if verified == Some(true) {
                change(module, edit, place.change, &survey.functions);
            }
        }
        let llvm = walk(top(module))
            .into_iter()
            .any(|op| is(op, "llvm.func") && tx_mlir::enclosing(op, "gpu.module").is_some());
        lowered.push((pass.to_owned(), llvm));
    });
    match done.get() {
        Some(Some(true)) => {}
        Some(Some(false)) => {
            let who = BTreeSet::from([Checker::Verifier]);
            return Outcome::Caught(who, "it does not verify".to_owned());
        }
        _ => return Outcome::Nothing,
    }
    match validation {
        Err(Trouble::Compile(error)) => {
            let message = error.to_string();
            Outcome::Caught(BTreeSet::from([Checker::Pass]), message)
        }
        Err(trouble) => Outcome::Survived(format!("nothing can be said: {trouble}")),
        Ok(validation) => judge(survey, &validation, &lowered.into_inner()),
    }
}

fn judge(survey: &Survey, validation: &Validation, lowered: &[(String, bool)]) -> Outcome {
    let mut who = BTreeSet::new();
    let mut first = None;
    for stage in &validation.stages {
        if !stage.verdict.is_bad() {
            continue;
        }
        let machine = stage.name == "launch"
            || lowered
                .iter()
                .any(|(pass, llvm)| *pass == stage.name && *llvm);
        who.insert(match &stage.verdict {
            _ if stage.name == "gpu-module-to-ptx" => Checker::Ptx,
            _ if stage.name == "laws" => Checker::Laws,
            _ if machine => Checker::Executor,
            Verdict::Race(_) => Checker::Races,
            Verdict::Fault { .. } => Checker::Faults,
            _ => Checker::Interpreter,
        });
        first.get_or_insert_with(|| format!("{}: {}", stage.name, stage.verdict));
    }
    if let Some(first) = first {
        return Outcome::Caught(who, first);
    }
    if !validation.is_good() {
        let what = "it cannot be run any more".to_owned();
        return Outcome::Caught(BTreeSet::from([Checker::Executor]), what);
    }
    let unknown: Vec<String> = validation
        .stages
        .iter()
        .filter(|stage| matches!(stage.verdict, Verdict::Unsupported(_)))
        .filter(|stage| !survey.unknown.contains(&stage.name))
        .map(|stage| format!("{}: {}", stage.name, stage.verdict))
        .collect();
    Outcome::Survived(unknown.join("; "))
}

/// Returns whether the edited program compiles to the same PTX and launch plan.
fn compiles_to_the_same(survey: &Survey, edit: &Edit, place: &EditSite) -> bool {
    let mut stage = 0;
    let artifact = Compiler::new(survey.program.target).and_then(|compiler| {
        compiler.compile_watched(&survey.program.source, &mut |_, _, module| {
            if stage == place.stage {
                change(module, edit, place.change, &survey.functions);
            }
            stage += 1;
            Ok(())
        })
    });
    artifact.is_ok_and(|artifact| {
        artifact.ptx == survey.artifact.ptx && artifact.plan == survey.artifact.plan
    })
}

/// Returns some places of an edit: the first place, the last place, and equidistant places between
/// them. If no input launches the kernel that contains a place, the function selects the next place
/// instead.
pub(crate) fn some(survey: &Survey, edit: usize, most: usize) -> Vec<&EditSite> {
    let places = &survey.places[edit];
    let positions: Vec<usize> = match (places.len(), most) {
        (count, most) if count <= most => (0..count).collect(),
        (_, 0) => Vec::new(),
        (count, 1) => vec![count / 2],
        (count, _) => (0..most).map(|i| i * (count - 1) / (most - 1)).collect(),
    };
    let is_run = |place: &&EditSite| match &place.kernel {
        Some(kernel) => !survey.unlaunched.contains(kernel),
        None => true,
    };
    let next = |position: usize| {
        let (before, after) = places.split_at(position);
        after.iter().chain(before).find(is_run)
    };
    let mut chosen: Vec<&EditSite> = positions.into_iter().filter_map(next).collect();
    chosen.dedup_by_key(|place| (place.stage, place.change));
    chosen
}
