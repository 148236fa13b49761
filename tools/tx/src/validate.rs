//! Command `tx validate`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tx_mlir::codes;
use tx_validate::{Options, Trouble, Validation, Verdict, Watch};

use crate::cli::Validate;
use crate::compile;
use crate::doctor::{self, GET_PTXAS};
use crate::failure::Failure;
use crate::message::Message;
use crate::progress;
use crate::run::{ONE_FOR_EACH, at_its_place, given};
use crate::source_lines::SourceLines;
use crate::stderr::{print_messages, print_text};

pub(crate) fn run(options: &Validate) -> Result<(), Failure> {
    let args = given(&options.args)?;
    let given = Options {
        seed: options.seed,
        args,
        grid: options.grid.map(|grid| grid.0),
        ptxas: options.ptxas.clone().or_else(doctor::find_ptxas),
        steps: options.steps,
        synchronized: options.synchronized,
        ..Options::default()
    };
    let mut bad = Vec::new();
    let mut open = Vec::new();
    let mut refused = None;
    let mut told = BTreeSet::new();
    let mut is_assembled = true;
    let mut assumed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let several = options.files.len() > 1;
    let task = Arc::new(progress::start("validate", options.files.len() as u64));
    for file in &options.files {
        task.doing(&file.display().to_string());
        // The result of each function or kernel is printed immediately, because the validation of
        // the next function or kernel may take long.
        let each = &mut |validated: Result<Validation, Failure>, text: &[u8]| {
            match validated {
                Ok(validation) => {
                    crate::stdout::print(describe(file, text, &validation).as_bytes())?;
                    is_assembled &= given.ptxas.is_some() || !has_ptx(&validation);
                    if let Some(grid) = validation.assumed {
                        let entries = assumed.entry(grid).or_default();
                        let entry = format!("@{}", validation.entry);
                        if !entries.contains(&entry) {
                            entries.push(entry);
                        }
                    }
                    let entry = format!("{} @{}", file.display(), validation.entry);
                    if validation.is_open() {
                        open.push(entry);
                    } else if !validation.is_good() {
                        bad.push(entry);
                    }
                }
                Err(failure) => {
                    // A compile error is the same for all functions of a file, so the command
                    // prints the error once.
                    if told.insert(failure.message()) {
                        refused = Some(failure.report());
                    }
                }
            }
            Ok(())
        };
        match validate(options, file, &given, &task, each) {
            Ok(()) => {}
            // The command continues with the other files.
            Err(failure) if several => {
                refused.get_or_insert(failure.report());
            }
            Err(failure) => return Err(failure),
        }
        task.step();
    }
    drop(task);
    for (grid, entries) in &assumed {
        crate::stdout::print(format!("{}\n", assumed_grid(grid, entries)).as_bytes())?;
    }
    if !is_assembled {
        let line = format!("ptxas was not found, so no PTX was assembled: {GET_PTXAS}.\n");
        crate::stdout::print(line.as_bytes())?;
    }
    let kinds = [("not valid", bad), ("not checked", open)];
    let told: Vec<String> = kinds
        .into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(what, entries)| format!("{what}: {}", entries.join(", ")))
        .collect();
    if !told.is_empty() {
        return Err(Failure::Failed(format!("tx: {}", told.join("; "))));
    }
    match refused {
        None => Ok(()),
        Some(_) => Err(Failure::Refused("some programs were refused".to_owned())),
    }
}

/// Maximum number of function names in one message.
const NAMED: usize = 4;

/// Returns a note that the validation assumes a grid size for the kernels `entries`. The note names
/// the option `--grid`, which sets the grid size.
pub(crate) fn assumed_grid(grid: &str, entries: &[String]) -> String {
    let named = &entries[..entries.len().min(NAMED)];
    let more = match entries.len() - named.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        "Run with {grid}, because the grid size is not known: {}{more}. Set the grid size with \
         `--grid X,Y,Z`, or with `known_grid_size = array<i32: X, Y, Z>` next to the block size.",
        named.join(", ")
    )
}

/// Callback with two parameters: the validation result of a function or kernel, and the text of the
/// program file.
type OnValidation<'e> = dyn FnMut(Result<Validation, Failure>, &[u8]) -> Result<(), Failure> + 'e;

/// Validates one function or kernel, or all functions and kernels of a file, and passes each result
/// to `each`.
fn validate(
    options: &Validate,
    file: &Path,
    given: &Options,
    task: &Arc<progress::Task>,
    each: &mut OnValidation<'_>,
) -> Result<(), Failure> {
    let text = compile::read(file)?;
    let mut source = tx::Source {
        name: file.display().to_string(),
        text,
        entry: options.entry.clone(),
        keep_stages: false,
    };
    let lines = source.text.clone();
    let diagnosed = |error: &tx::Error| Failure::Diagnosed(compile::describe(error, file, &lines));
    let compiler = tx::Target::parse(&options.chip)
        .and_then(crate::compiler::create)
        .map_err(|error| diagnosed(&error))?;
    let entries = match &options.entry {
        Some(entry) => vec![entry.clone()],
        None => compiler
            .entries(&source)
            .map_err(|error| diagnosed(&error))?,
    };
    // If the file contains no function or kernel, the compiler reports the error.
    let entries: Vec<Option<String>> = match entries.len() {
        0 => vec![None],
        _ => entries.into_iter().map(Some).collect(),
    };
    let several = entries.len() > 1;
    for entry in entries {
        let name = entry.as_ref().map(|entry| format!(": @{entry}"));
        let what = format!("{}{}", file.display(), name.unwrap_or_default());
        let given = Options {
            watch: Some(watch(task, what)),
            ..given.clone()
        };
        source.entry = entry;
        let validated = tx_validate::validate(&compiler, &source, &given);
        if validated.is_ok() {
            compile::warn_of_grid(&compiler, &source, options.grid);
        }
        let validated = validated.map_err(|trouble| match &trouble {
            Trouble::Compile(error) => diagnosed(error),
            Trouble::Arguments(error) => refused(error, file, &lines),
            other => {
                let entry = source.entry.iter().map(|entry| format!("@{entry}: "));
                let entry: String = entry.collect();
                let hint = match other {
                    Trouble::Unfit { .. } => ": pass them with --arg",
                    _ => "",
                };
                Failure::of_file(file, &format!("{entry}{other}{hint}"))
            }
        });
        match validated {
            Err(failure) if !several => return Err(failure),
            validated => each(validated, &lines)?,
        }
    }
    Ok(())
}

/// Returns the failure for arguments that violate a check of the program. If the source location of
/// the violated check is known, the message of the failure has this location.
pub(crate) fn refused(error: &tx_runtime::Error, file: &Path, text: &[u8]) -> Failure {
    match at_its_place(error, file) {
        Some(message) => Failure::Diagnosed(vec![message]).quoting(file, text),
        None => {
            let message = Message::of_file(file, &error.to_string());
            let message = match error {
                tx_runtime::Error::ArgumentCount { .. } => message.with_note(ONE_FOR_EACH),
                _ => message,
            };
            Failure::Diagnosed(vec![message])
        }
    }
}

/// Returns a callback that shows the stage, the index of the input and the text `what` in the
/// progress display.
pub(crate) fn watch(task: &Arc<progress::Task>, what: String) -> Watch {
    let task = Arc::clone(task);
    Watch::new(move |stage, input, of| {
        // The file name is the last word, because terminals truncate long lines.
        task.doing(&format!("{stage} {input}/{of} {what}"));
    })
}

fn has_ptx(validation: &Validation) -> bool {
    let mut verdicts = validation.stages.iter().map(|stage| &stage.verdict);
    verdicts.any(|verdict| matches!(verdict, Verdict::AsInIr(_)))
}

fn describe(file: &Path, source: &[u8], validation: &Validation) -> String {
    let open = match validation.open {
        0 => String::new(),
        n => format!(
            ", {n} of which cannot be compared: some order of combination overflows, or is not \
             defined"
        ),
    };
    let unlaunched = match &*validation.unlaunched {
        [] => String::new(),
        kernels => format!(
            ", none of which launches `{}`, so these kernels are not checked",
            kernels.join("`, `")
        ),
    };
    let mut text = format!(
        "{}: @{} for {}, {} input{}{open}{unlaunched}\n",
        file.display(),
        validation.entry,
        validation.chip,
        validation.inputs.len(),
        if validation.inputs.len() == 1 {
            ""
        } else {
            "s"
        }
    );
    let width = validation
        .stages
        .iter()
        .map(|stage| stage.name.chars().count())
        .max()
        .unwrap_or(0);
    for stage in &validation.stages {
        let verdict = stage.verdict.to_string();
        let lines: Vec<&str> = verdict.lines().map(str::trim).collect();
        text.push_str(&format!("  {:<width$}  {}\n", stage.name, lines.join("; ")));
    }
    if let Some(found) = finding(file, source, validation) {
        print_messages(&[found]);
    } else if let (false, Some(last)) = (validation.is_good(), validation.stages.last()) {
        print_text(&format!(
            "{}: @{}: the results after `{}` cannot be compared with the results of the input \
             program",
            file.display(),
            validation.entry,
            last.name
        ));
    }
    text
}

/// Pass that expands each reduction with its chosen variant. Validation errors of the pass that
/// expands reductions contain the names of the variants.
const EXPANDS: &str = "tile-expand-reduce";

/// Returns the name of a pass. For the pass [`EXPANDS`], the returned text also contains the names
/// of the variants.
fn named(pass: &str, variants: &[String]) -> String {
    let variants: BTreeSet<&String> = variants.iter().filter(|_| pass == EXPANDS).collect();
    let names: Vec<String> = variants.iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => format!("`{pass}`"),
        1 => format!("`{pass}` with the variant {}", names[0]),
        _ => format!("`{pass}` with the variants {}", names.join(", ")),
    }
}

/// Returns the error of the first failing stage, with a note about possible causes other than a bug
/// in this stage.
pub(crate) fn finding(file: &Path, source: &[u8], validation: &Validation) -> Option<Message> {
    let stage = validation.guilty()?;
    let name = &stage.name;
    let pass = named(name, &validation.variants);
    let what = match (&stage.verdict, name.as_str()) {
        (Verdict::Race(_), "parse") => "the input program has a race".to_owned(),
        (_, "parse") => "the input program has a fault".to_owned(),
        (Verdict::Race(_), _) => format!("the program has a race after {pass}"),
        _ if let Some(law) = validation.blamed() => {
            format!("{law}; after {pass} the results of the program differ")
        }
        (Verdict::Wrong(_), _) => format!("{pass} changes the results of the program"),
        (Verdict::Broken(_), _) => "a combiner violates an algebraic property".to_owned(),
        (Verdict::Ptx(_), _) => format!("`{name}` emits PTX that differs from the IR"),
        _ => format!("{pass} introduces a fault"),
    };
    let text = format!("@{}: {what}", validation.entry);
    let verdict = format!("{name}: {}", stage.verdict);
    let law = validation.blamed().map(|_| codes::TX0207);
    let code = stage.verdict.code().or(law);
    let found = Message::finding(&text, code, &verdict, file, validation.note());
    Some(found.quoting(&SourceLines::of(file, source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a message about [`EXPANDS`] contains the name of each variant once, and that
    /// messages about other passes contain no variant name.
    #[test]
    fn variants_are_named_where_they_are_made() {
        let variants = ["tree", "mine", "tree"].map(str::to_owned);
        for (pass, variants, told) in [
            ("tile-schedule", &variants[..], "`tile-schedule`"),
            (EXPANDS, &[], "`tile-expand-reduce`"),
            (
                EXPANDS,
                &variants[..1],
                "`tile-expand-reduce` with the variant `tree`",
            ),
            (
                EXPANDS,
                &variants,
                "`tile-expand-reduce` with the variants `mine`, `tree`",
            ),
        ] {
            assert_eq!(named(pass, variants), told);
        }
    }
}
