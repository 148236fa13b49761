//! `tx explain`.

use std::collections::BTreeSet;

use crate::cli::Explain;
use crate::compile;
use crate::failure::Failure;

/// Runs `tx explain`.
pub(crate) fn run(options: &Explain) -> Result<(), Failure> {
    let file = &options.program.file;
    let text = compile::read(file)?;
    let explain = |text| {
        tx::Compiler::new(tx::Target::parse(&options.chip)?)?.explain(&tx::Source {
            name: file.display().to_string(),
            text,
            entry: options.program.entry.clone(),
            keep_stages: false,
        })
    };
    let said = explain(text.clone())
        .map_err(|error| Failure::Diagnosed(compile::describe(&error, file, &text)))?;
    let mut told = String::new();
    let mut before = BTreeSet::new();
    for mut remark in said {
        // The notes speak of the line that the remark shows.
        let notes = std::mem::take(&mut remark.notes);
        let mut one = compile::describe_all(&[remark], file, &text);
        for note in notes {
            one.push_str(&format!("  {}\n", note.message));
        }
        // What is written once may have become several ops.
        if before.insert(one.clone()) {
            told.push_str(&one);
        }
    }
    crate::print(told.as_bytes())
}
