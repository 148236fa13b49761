//! `tx report`.

mod collect;

use std::collections::BTreeSet;
use std::path::Path;

use tx_report::{Check, Mood, Remark, Report, Stage};
use tx_validate::{Trouble, Validation, Verdict};

use crate::cli;
use crate::compile;
use crate::doctor;
use crate::failure::{Failure, say};

/// The stage after which kernels are read: all barriers are in, and nothing is LLVM's yet.
const KERNELS: &str = "convert-tile-to-gpu";
/// The stage after which there are fragments, if there are any.
const FRAGMENTS: &str = "parse";

/// Runs `tx report`.
pub(crate) fn run(options: &cli::Report) -> Result<(), Failure> {
    let file = &options.program.file;
    let text = compile::read(file)?;
    compile::check_folder(&options.output)?;
    let args = match &options.args[..] {
        [] => None,
        specs => Some(
            specs
                .iter()
                .map(tx_runtime::Spec::load)
                .collect::<Result<Vec<_>, _>>()?,
        ),
    };
    let source = tx::Source {
        name: file.display().to_string(),
        text,
        entry: options.program.entry.clone(),
        keep_stages: false,
    };
    let diagnosed =
        |error: &tx::Error| Failure::Diagnosed(compile::describe(error, file, &source.text));
    let compiler = tx::Target::parse(&options.chip)
        .and_then(crate::compiler)
        .map_err(|error| diagnosed(&error))?;
    let mut report = Report {
        file: source.name.clone(),
        source: String::from_utf8(source.text.clone()).ok(),
        entry: source.entry.clone(),
        chip: options.chip.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Report::default()
    };
    let mut failure = None;
    match lower(&compiler, &source, &mut report) {
        Ok(artifact) => {
            explain(&compiler, &source, &artifact, &mut report).map_err(|e| diagnosed(&e))?;
            if !options.no_times {
                // The first is how long it took to get ready.
                for (stage, timed) in report.stages.iter_mut().zip(artifact.stages.iter().skip(1)) {
                    stage.millis = Some(timed.millis);
                }
            }
            if !options.no_validate {
                failure = check(&compiler, &source, args, &mut report)?;
            }
        }
        Err(error) => {
            report.problems = error
                .diagnostics
                .iter()
                .map(|d| remark(d, &source))
                .collect();
            failure = Some(diagnosed(&error));
        }
    }
    let page = tx_report::render(&report);
    let written = if options.output == Path::new("-") {
        crate::print(page.as_bytes())
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

/// Compiles the program, and keeps what there is to see on the way, which is all there is where it is refused.
fn lower(
    compiler: &tx::Compiler,
    source: &tx::Source,
    report: &mut Report,
) -> Result<tx_plan::Artifact, tx::Error> {
    let artifact = compiler.compile_watched(source, &mut |stage, _, module| {
        let op = collect::top(module);
        report.stages.push(Stage {
            name: stage.to_owned(),
            ir: op.to_string(),
            ..Stage::default()
        });
        if stage == FRAGMENTS {
            report.fragments = collect::fragments(op, &source.name);
        }
        if stage == KERNELS {
            report.kernels = collect::kernels(op, &source.name);
        }
        Ok(())
    })?;
    // Those that others of the file launch are lowered as well.
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

/// What was chosen and why, and PTX with locations.
fn explain(
    compiler: &tx::Compiler,
    source: &tx::Source,
    plain: &tx_plan::Artifact,
    report: &mut Report,
) -> Result<(), tx::Error> {
    for diagnostic in compiler.explain(source)? {
        let said = remark(&diagnostic, source);
        // What is written once may have become several ops.
        if !report.remarks.contains(&said) {
            report.remarks.push(said);
        }
    }
    let located = compiler.clone().with_locations().compile_source(source)?;
    report.ptx_is_plain = tx_report::ptx::bare(&located.ptx) == tx_report::ptx::bare(&plain.ptx);
    report.ptx = Some(located.ptx);
    Ok(())
}

fn remark(diagnostic: &tx::Diagnostic, source: &tx::Source) -> Remark {
    let place = diagnostic
        .location
        .as_ref()
        .filter(|place| place.file == source.name && place.line > 0);
    Remark {
        severity: diagnostic.severity.to_string(),
        message: diagnostic.message.clone(),
        code: match diagnostic.severity {
            tx::Severity::Error => tx_codes::find(&diagnostic.message).map(tx_codes::Code::name),
            _ => None,
        },
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        notes: diagnostic
            .notes
            .iter()
            .map(|note| note.message.clone())
            .collect(),
    }
}

/// Runs the program after each pass. The answer is how `tx` ends, if not well.
fn check(
    compiler: &tx::Compiler,
    source: &tx::Source,
    args: Option<Vec<tx_runtime::Arg>>,
    report: &mut Report,
) -> Result<Option<Failure>, Failure> {
    let given = tx_validate::Options {
        args,
        ptxas: doctor::find_ptxas(),
        ..tx_validate::Options::default()
    };
    let validation = match tx_validate::validate(compiler, source, &given) {
        Ok(validation) => validation,
        Err(Trouble::Input(reason)) => {
            return Err(Failure::Refused(format!("{}: {reason}", source.name)));
        }
        Err(trouble) => {
            report.check = Check::Impossible(trouble.to_string());
            say(&format!(
                "{}: it is not checked: {trouble}: give them with --arg, or --no-validate",
                source.name
            ));
            return Ok(None);
        }
    };
    // Verdicts are of the stages in their order; some are of none.
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
    report.check = Check::Done {
        is_good: validation.is_good(),
        note: validation.note().map(str::to_owned),
        inputs: validation.inputs.clone(),
        verdicts: validation
            .stages
            .iter()
            .map(|stage| (stage.name.clone(), verdict(&stage.verdict)))
            .collect(),
    };
    Ok(bad(&validation, source))
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
    let mood = match found {
        bad if bad.is_bad() => Mood::Bad,
        Verdict::Reference | Verdict::Equal | Verdict::AsInIr(_) | Verdict::Hold(_) => Mood::Good,
        Verdict::EqualWithinOrder | Verdict::Conditional(_) => Mood::Fair,
        _ => Mood::Unknown,
    };
    let word = found.word();
    let said = found.to_string();
    let detail = said.strip_prefix(word).unwrap_or(&said);
    tx_report::Verdict {
        mood,
        word: word.to_owned(),
        detail: detail.trim_start_matches(':').trim().to_owned(),
    }
}
