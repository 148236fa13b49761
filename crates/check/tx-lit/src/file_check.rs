//! CHECK lines, which LLVM's FileCheck compares with the output of a RUN line.

use std::path::Path;

use crate::programs::Programs;
use crate::report::CONTEXT_LINES;
use crate::tool::Tool;

/// Compares an output with the CHECK lines of a test file. Returns the report of FileCheck as an
/// error.
pub(crate) fn check_lines(
    programs: &Programs,
    file_check: &Tool,
    path: &Path,
    prefixes: &[&str],
    text: &str,
) -> Result<(), String> {
    let command: Vec<String> = [
        file_check.path()?.display().to_string(),
        path.display().to_string(),
        format!("--check-prefixes={}", prefixes.join(",")),
        "--dump-input=fail".to_owned(),
        "--dump-input-filter=error".to_owned(),
        format!("--dump-input-context={CONTEXT_LINES}"),
    ]
    .into();
    let output = programs.surroundings().execute(
        std::slice::from_ref(&command),
        true,
        Some(text.as_bytes()),
    )?;
    if output.is_success() {
        return Ok(());
    }
    // The report omits the legend that FileCheck prints before the failed CHECK.
    let report: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| {
            !line.is_empty()
                && ![
                    "Input file:",
                    "Check file:",
                    "-dump-input=help",
                    "Input was:",
                ]
                .iter()
                .any(|noise| line.starts_with(noise))
        })
        .map(|line| line.replace(&format!("{}/", programs.root.display()), ""))
        .collect();
    Err(format!(
        "a CHECK line does not match:\n{}\nIf the output is right, the CHECK line is not: change \
         it by hand. Blessing rewrites snapshots only.",
        report.join("\n").trim()
    ))
}
