//! Directives that compile or validate the test program with the driver, such as `tx`.

use crate::command::Output;
use std::fs;

use crate::directive::{Context, Directive};
use crate::pipeline;
use crate::report::{indent, numbered};

/// Directive `PTXAS: sm_80 sm_90`: the driver compiles the program for each chip, and NVIDIA's
/// `ptxas` assembles the PTX.
pub(crate) struct Assemble;

impl Directive for Assemble {
    fn check(&self, value: &str) -> Result<(), String> {
        if value.is_empty() {
            return Err("expected chips, such as `sm_80 sm_90`, found nothing".to_owned());
        }
        Ok(())
    }

    fn run(&self, context: &Context<'_>) -> Result<(), String> {
        let file = context.path().display().to_string();
        for chip in context.value().split_whitespace() {
            let compiled = context.run(context.driver(), ["compile", &file, "--chip", chip])?;
            if !compiled.is_success() {
                return Err(compiled.explain());
            }
            let ptx = String::from_utf8_lossy(&compiled.stdout);
            let target = ptx
                .lines()
                .find_map(|line| Some(line.strip_prefix(".target")?.trim()));
            if target != Some(chip) {
                return Err(format!(
                    "{}\nprinted PTX for {}, expected {chip}",
                    compiled.command,
                    target.unwrap_or("no chip: it has no `.target` line")
                ));
            }
            let path = context.scratch().join(format!("{chip}.ptx"));
            fs::write(&path, &compiled.stdout)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            let assembled = context.run(
                "ptxas",
                [
                    &format!("-arch={chip}"),
                    "-o",
                    &context.scratch().join("cubin").display().to_string(),
                    &path.display().to_string(),
                ],
            )?;
            if !assembled.is_success() {
                // ptxas writes messages to both output streams.
                let mut said = assembled.stdout.clone();
                said.extend(&assembled.stderr);
                return Err(format!(
                    "{} | ptxas -arch={chip}\nptxas refuses the PTX:\n{}\nof\n{}",
                    compiled.command,
                    indent(&String::from_utf8_lossy(&said)),
                    numbered(&ptx)
                ));
            }
        }
        Ok(())
    }
}

/// Directive `VALIDATE`: `tx validate` must find equal results after every stage of the lowering.
pub(crate) struct Validate;

impl Directive for Validate {
    fn check(&self, value: &str) -> Result<(), String> {
        pipeline::words(value).map(|_| ())
    }

    fn run(&self, context: &Context<'_>) -> Result<(), String> {
        let output = validate(context)?;
        if output.is_success() && !output.stdout.is_empty() {
            return Ok(());
        }
        let driver = context.driver();
        let why = match output.status {
            Some(0) => format!("nothing was checked: `{driver} validate` printed no verdicts"),
            Some(1) => "the program is refused".to_owned(),
            Some(2) => format!("`{driver} validate` does not take these arguments"),
            Some(3) => "the program is not valid".to_owned(),
            _ => format!("`{driver} validate` failed"),
        };
        Err(format!("{why}\n{}", both(&output)))
    }
}

/// Directive `RACE-FREE`: the lowered program must run on the executor without a data race. A data
/// race is a pair of unordered accesses to one byte, at least one of which is a write.
pub(crate) struct RaceFree;

/// Name of the stage of `tx validate` that executes the complete lowered program on the SIMT
/// executor.
const LAUNCH: &str = "launch";

impl Directive for RaceFree {
    fn check(&self, value: &str) -> Result<(), String> {
        pipeline::words(value).map(|_| ())
    }

    fn run(&self, context: &Context<'_>) -> Result<(), String> {
        let output = validate(context)?;
        // Exit status 3 denotes any failing verdict, including verdicts that do not concern races.
        if !matches!(output.status, Some(0 | 3)) {
            return Err(format!(
                "whether there is a race is not known: the program was not run\n{}",
                both(&output)
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let problem = races(&text);
        problem.map_or(Ok(()), |problem| {
            Err(format!("{problem}\n{}", both(&output)))
        })
    }
}

/// Returns the reason why the verdicts in the output of `tx validate` do not rule out a data race.
/// Returns `None` if the verdicts rule out data races.
///
/// The function reads the following lines, and ignores other unindented lines, such as a note about
/// a missing assembler:
///
/// ```text
/// FILE: @ENTRY for CHIP, N inputs
///   STAGE   VERDICT
/// ```
fn races(verdicts: &str) -> Option<String> {
    let mut entries: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for line in verdicts.lines() {
        match line.strip_prefix("  ") {
            None => {
                let title = line
                    .rsplit_once(": @")
                    .map(|(file, _)| &line[file.len() + 2..]);
                if let Some((entry, _)) = title.and_then(|title| title.split_once(" for ")) {
                    entries.push((entry, Vec::new()));
                }
            }
            Some(row) => {
                if let (Some((stage, verdict)), Some((_, rows))) =
                    (row.split_once("  "), entries.last_mut())
                {
                    rows.push((stage, verdict.trim()));
                }
            }
        }
    }
    if entries.is_empty() {
        return Some("whether there is a race is not known: there are no verdicts".to_owned());
    }
    for (entry, rows) in &entries {
        if let Some((stage, _)) = rows.iter().find(|(_, verdict)| verdict.starts_with("RACE")) {
            return Some(match *stage {
                "parse" => format!("{entry} has a race in the input program"),
                stage => format!("{entry} has a race after `{stage}`"),
            });
        }
        // If a run stops at a fault, the fault may hide a race after it.
        if let Some((stage, _)) = rows
            .iter()
            .find(|(_, verdict)| verdict.starts_with("FAULT"))
        {
            return Some(format!(
                "whether {entry} has a race is not known: it was stopped at `{stage}`"
            ));
        }
        match rows.iter().find(|(stage, _)| *stage == LAUNCH) {
            Some((_, "equal" | "equal within order")) => {}
            Some((_, other)) => {
                return Some(format!(
                    "whether {entry} has a race is not known: `{LAUNCH}` is `{other}`, expected `equal`"
                ));
            }
            None => {
                return Some(format!(
                    "whether {entry} has a race is not known: it was not run as a whole, there is \
                     no `{LAUNCH}`"
                ));
            }
        }
    }
    None
}

fn validate(context: &Context<'_>) -> Result<Output, String> {
    let mut arguments = vec!["validate".to_owned(), context.path().display().to_string()];
    arguments.extend(context.words()?);
    context.run(context.driver(), &arguments)
}

fn both(output: &Output) -> String {
    let text = |bytes: &[u8]| indent(&String::from_utf8_lossy(bytes));
    format!(
        "{}\n{}{}",
        output.command,
        text(&output.stdout),
        text(&output.stderr)
    )
}

#[cfg(test)]
mod tests {
    use super::races;

    const GOOD: &str = "\
a.mlir: @rows for sm_80, 225 inputs
  parse             reference
  tile-insert-sync  equal within order
  gpu-module-to-ptx  as in the IR: 2 warp barriers
  launch            equal
";

    #[test]
    fn races_are_found_in_verdicts() {
        assert_eq!(races(GOOD), None);
        let with = |verdict: &str| races(&GOOD.replace("equal within order", verdict)).unwrap();
        assert_eq!(
            with("RACE: race on global memory"),
            "@rows has a race after `tile-insert-sync`"
        );
        assert!(with("FAULT: out of bounds").contains("stopped at `tile-insert-sync`"));
        let itself = GOOD.replace("reference", "RACE: race on global memory");
        assert_eq!(
            races(&itself).unwrap(),
            "@rows has a race in the input program"
        );
        // A note about all programs is not a verdict of one program.
        let more = "ptxas was not found, so no PTX was assembled: `pip install it`.\n";
        assert_eq!(races(&format!("{GOOD}{more}")), None);
        assert!(races(more).unwrap().contains("no verdicts"));
        // A wrong result of an intermediate stage is not a race.
        assert_eq!(races(&GOOD.replace("equal within order", "WRONG: x")), None);
    }

    #[test]
    fn what_was_not_run_is_not_free_of_races() {
        let unsupported = GOOD.replace(
            "launch            equal",
            "launch            unsupported op x",
        );
        assert!(races(&unsupported).unwrap().contains("`unsupported op x`"));
        let wrong = GOOD.replace("launch            equal", "launch            WRONG: y");
        assert!(races(&wrong).unwrap().contains("`WRONG: y`"));
        let missing = GOOD.replace("  launch            equal\n", "");
        assert!(races(&missing).unwrap().contains("there is no `launch`"));
        let second = format!("{GOOD}{}", missing.replace("@rows", "@more"));
        assert!(races(&second).unwrap().starts_with("whether @more has"));
        assert!(races("").unwrap().contains("no verdicts"));
    }
}
