//! Command `tx report`.

mod collect;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use tx_mlir::Names;
use tx_report::{Check, Diagnostic, Report, Stage, VerdictKind};
use tx_validate::{Trouble, Validation, Verdict};

use crate::cli::report::Report as Options;
use crate::compile;
use crate::doctor;
use crate::failure::Failure;
use crate::message::Message;
use crate::name;
use crate::progress::{self, Task};
use crate::run::given;
use crate::stderr::{print_messages, print_text, warn};
use crate::validate::{assumed_grid, finding, refused, watch};

/// Stage after which the report reads the kernels. After the stage `convert-tile-to-gpu`, all
/// barriers are inserted, and the kernels do not contain ops of the LLVM dialect.
const KERNELS: &str = "convert-tile-to-gpu";
/// Stage after which the report reads the fragments.
const FRAGMENTS: &str = "parse";

/// Maximum number of ops that run per stage on generated inputs. The limit is a sixteenth of the
/// limit of `tx validate`, and suffices for all inputs of most programs.
const WORK: u64 = 1 << 22;

/// Number of steps in the progress display. The steps are compilation, explanation, compilation
/// with source locations, and validation.
const STEPS: u64 = 4;

/// Adds the compile times in `timed` to the stages of the report. `timed` may contain stages that
/// the report omits.
fn add_times(stages: &mut [Stage], timed: &[tx::Stage]) {
    let mut left = timed.iter();
    for stage in stages {
        let mut after = left.clone();
        if let Some(found) = after.find(|timed| timed.name == stage.name) {
            stage.millis = Some(found.millis);
            left = after;
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let file = &options.program.file;
    let text = compile::read(file)?;
    compile::check_outputs(file, [options.output.as_path()])?;
    let args = given(&options.args)?;
    let source = tx::Source {
        name: file.display().to_string(),
        text,
        entry: options.program.entry.clone(),
        keep_stages: false,
    };
    let diagnosed =
        |error: &tx::Error| Failure::Diagnosed(compile::describe(error, file, &source.text));
    let compiler = tx::Target::parse(&options.chip)
        .and_then(crate::compiler::create)
        .map_err(|error| diagnosed(&error))?;
    let mut report = Report {
        file: source.name.clone(),
        source: String::from_utf8(source.text.clone()).ok(),
        entry: source.entry.clone(),
        chip: options.chip.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: name::get().to_owned(),
        ..Report::default()
    };
    let mut failure = None;
    let task = Arc::new(progress::start("report", STEPS));
    match lower(&compiler, &source, &task, &mut report) {
        Ok(artifact) => {
            warn(&Message::warnings(&artifact.warnings, file, &source.text));
            explain(&compiler, &source, &artifact, &task, &mut report)
                .map_err(|e| diagnosed(&e))?;
            if !options.no_times {
                add_times(&mut report.stages, &artifact.stages);
            }
            if !options.no_validate {
                compile::warn_of_grid(&compiler, &source, options.grid);
                let asked = CheckOptions {
                    args,
                    grid: options.grid.map(|grid| grid.0),
                    all: options.all_inputs,
                };
                failure = check(&compiler, &source, asked, &task, &mut report)?;
            }
        }
        Err(error) => {
            report.problems = error
                .diagnostics
                .iter()
                .map(|d| report_diagnostic(d, &source))
                .collect();
            failure = Some(diagnosed(&error));
        }
    }
    task.doing("the page");
    let page = tx_report::render(&report);
    drop(task);
    let written = if options.output == Path::new("-") {
        crate::stdout::print(page.as_bytes())
    } else {
        compile::write(&options.output, &page)
    };
    match (failure, written) {
        (None, written) => written,
        (Some(failure), Ok(())) => Err(failure),
        (Some(failure), Err(other)) => {
            failure.report();
            Err(other)
        }
    }
}

/// Compiles the program, and adds each stage to the report. If the compiler rejects the program,
/// the report contains the stages before the error.
fn lower(
    compiler: &tx::Compiler,
    source: &tx::Source,
    task: &Task,
    report: &mut Report,
) -> Result<tx_plan::Artifact, tx::Error> {
    let text = std::str::from_utf8(&source.text).ok();
    let names = text.map(|text| Names::new(&source.name, text));
    let artifact = compiler.compile_watched(source, &mut |stage, _, module| {
        task.doing(&format!("compile: {stage}"));
        let op = tx_mlir::top(module);
        report.stages.push(Stage {
            name: stage.to_owned(),
            ir: match &names {
                Some(names) => names.text_of(op),
                None => op.to_string(),
            },
            ..Stage::default()
        });
        if stage == FRAGMENTS {
            report.fragments = collect::fragments(op, &source.name);
        }
        if stage == KERNELS {
            report.kernels = collect::kernels(op, &source.name, names.as_ref());
        }
        Ok(())
    })?;
    task.step();
    // The report omits kernels that the entry function does not launch.
    let launched: BTreeSet<&str> = artifact
        .plan
        .steps
        .iter()
        .map(|step| step.kernel.as_str())
        .collect();
    report
        .kernels
        .retain(|kernel| launched.contains(kernel.name.as_str()));
    report.entry = Some(artifact.plan.entry.clone());
    report.chip.clone_from(&artifact.plan.chip);
    Ok(artifact)
}

fn explain(
    compiler: &tx::Compiler,
    source: &tx::Source,
    plain: &tx_plan::Artifact,
    task: &Task,
    report: &mut Report,
) -> Result<(), tx::Error> {
    task.doing("what was chosen");
    let explained = compiler.explain(source)?;
    for warning in &explained.warnings {
        let diagnostic = report_diagnostic(warning, source);
        if !report.warnings.contains(&diagnostic) {
            report.warnings.push(diagnostic);
        }
    }
    for choice in explained.choices {
        // If a pass has split a source op into several ops, the explanations of these ops may be
        // equal.
        if !report.choices.contains(&choice) {
            report.choices.push(choice);
        }
    }
    task.step();
    task.doing("PTX with locations");
    let located = compiler.clone().with_locations().compile_source(source)?;
    report.ptx_is_plain = tx_report::ptx::bare(&located.ptx) == tx_report::ptx::bare(&plain.ptx);
    report.ptx = Some(located.ptx);
    task.step();
    Ok(())
}

fn report_diagnostic(diagnostic: &tx::Diagnostic, source: &tx::Source) -> Diagnostic {
    let place = diagnostic
        .location
        .as_ref()
        .filter(|place| place.file == source.name && place.line > 0);
    Diagnostic {
        severity: diagnostic.severity.to_string(),
        message: name::spoken(&diagnostic.message).into_owned(),
        code: match diagnostic.severity {
            tx::Severity::Error => diagnostic.code.map(|code| code.to_string()),
            _ => None,
        },
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        notes: diagnostic
            .notes
            .iter()
            .map(|note| name::spoken(&note.message).into_owned())
            .collect(),
    }
}

struct CheckOptions {
    args: Option<Vec<tx_runtime::Arg>>,
    grid: Option<[u32; 3]>,
    /// True if the validation runs the program on all generated inputs; if false, [`WORK`] limits
    /// the number of inputs.
    all: bool,
}

/// Validates the program. If the validation fails, the function returns the failure that determines
/// the exit status of `tx`.
fn check(
    compiler: &tx::Compiler,
    source: &tx::Source,
    asked: CheckOptions,
    task: &Arc<Task>,
    report: &mut Report,
) -> Result<Option<Failure>, Failure> {
    let is_whole = asked.all || asked.args.is_some();
    let mut given = tx_validate::Options {
        watch: Some(watch(task, source.name.clone())),
        args: asked.args,
        grid: asked.grid,
        work: (!is_whole).then_some(WORK),
        ptxas: doctor::find_ptxas(),
        ..tx_validate::Options::default()
    };
    let mut validated = tx_validate::validate(compiler, source, &given);
    if validated.as_ref().is_ok_and(may_be_wrong_with_others) {
        given.work = None;
        validated = tx_validate::validate(compiler, source, &given);
    }
    let validation = match validated {
        Ok(validation) => validation,
        Err(Trouble::Input(reason)) => {
            return Err(Failure::Refused(format!("{}: {reason}", source.name)));
        }
        Err(Trouble::Arguments(error)) => {
            return Err(refused(&error, Path::new(&source.name), &source.text));
        }
        Err(trouble) => {
            report.check = Check::Impossible(trouble.to_string());
            print_text(&format!(
                "{}: not validated: {trouble}: pass them with --arg, or use --no-validate",
                source.name
            ));
            return Ok(None);
        }
    };
    // Each verdict is assigned to the next stage with the same name. Some verdicts belong to no
    // stage of the report.
    let mut stages = report.stages.iter_mut();
    for found in &validation.stages {
        if let Some(stage) = stages
            .as_slice()
            .iter()
            .position(|s| s.name == found.name)
            .and_then(|ahead| stages.nth(ahead))
        {
            stage.verdict = Some(verdict(&found.verdict));
        }
    }
    // If the validation is complete, the remaining stages are binaries.
    if validation.stages.last().is_some_and(|s| s.name == "launch") {
        for stage in stages {
            stage.verdict = Some(tx_report::Verdict {
                kind: VerdictKind::Nothing,
                word: "not run".to_owned(),
                detail: "PTX is not executed. The PTX was compared with the last IR, and the last \
                         IR was launched."
                    .to_owned(),
            });
        }
    }
    task.step();
    report.check = Check::Done {
        is_good: validation.is_good(),
        is_conditional: validation.is_conditional(),
        note: validation.note().map(str::to_owned),
        grid: validation
            .assumed
            .map(|grid| assumed_grid(grid, &[format!("@{}", validation.entry)])),
        left_out: validation.left_out,
        inputs: validation.inputs.clone(),
        verdicts: validation
            .stages
            .iter()
            .map(|stage| (stage.name.clone(), verdict(&stage.verdict)))
            .collect(),
    };
    if let Some(found) = finding(Path::new(&source.name), &source.text, &validation) {
        print_messages(&[found]);
    }
    Ok(bad(&validation, source))
}

/// Returns whether an algebraic property of a combiner, such as associativity, may fail for inputs
/// that the validation omitted.
fn may_be_wrong_with_others(validation: &Validation) -> bool {
    validation.left_out > 0 && validation.is_good() && validation.is_conditional()
}

fn bad(validation: &Validation, source: &tx::Source) -> Option<Failure> {
    (!validation.is_good()).then(|| {
        let stage = validation.guilty().or(validation.stages.last());
        let what = stage.map_or_else(String::new, |s| format!(": `{}`: {}", s.name, s.verdict));
        Failure::Failed(format!(
            "tx: not valid: {} @{}{what}",
            source.name, validation.entry
        ))
    })
}

fn verdict(found: &Verdict) -> tx_report::Verdict {
    let kind = match found {
        bad if bad.is_bad() => VerdictKind::Bad,
        Verdict::Reference | Verdict::Equal | Verdict::AsInIr(_) | Verdict::Hold(_) => {
            VerdictKind::Good
        }
        Verdict::EqualWithinOrder | Verdict::Conditional(_) => VerdictKind::Fair,
        _ => VerdictKind::Unknown,
    };
    let word = found.word();
    let text = found.to_string();
    let detail = text.strip_prefix(word).unwrap_or(&text);
    tx_report::Verdict {
        kind,
        word: word.to_owned(),
        detail: detail.trim_start_matches(':').trim().to_owned(),
    }
}
