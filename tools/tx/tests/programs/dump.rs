//! Files of the programs for a machine without Rust.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::element::Element;
use crate::runs::{Argument, Content, Program, file_of};

/// Directory of inputs, which programs share.
const INPUTS: &str = "inputs";

/// Writes the cases of all programs below `folder`, and returns the number of cases.
pub(crate) fn dump(programs: &[Program], folder: &Path) -> Result<usize, String> {
    let mut cases = Vec::new();
    let create = |path: &Path| {
        fs::create_dir_all(path)
            .map_err(|error| format!("cannot create {}: {error}", path.display()))
    };
    create(&folder.join(INPUTS))?;
    for program in programs {
        let runs = program.runs.as_ref();
        for run in runs.map_err(|error| format!("{}: {error}", program.name))? {
            let trouble = |error| format!("{}: {error}", run.name);
            let path = run.name.replace("::", "/");
            let home = folder.join(&path);
            create(&home)?;
            fs::copy(&program.path, home.join("program.mlir"))
                .map_err(|error| trouble(error.to_string()))?;
            let arguments = run.arguments().map_err(trouble)?;
            let up = "../".repeat(path.split('/').count());
            let mut outputs = Vec::new();
            let mut specs = Vec::new();
            for (number, argument) in arguments.iter().enumerate() {
                match &argument.content {
                    Content::Scalar(text) => specs.push(text.clone()),
                    Content::Tile {
                        element,
                        shape,
                        before,
                        file,
                        ..
                    } => {
                        let input = format!("{up}{INPUTS}/{file}");
                        file_of(*element, shape, before).write(&folder.join(INPUTS).join(file))?;
                        specs.push(format!("{input}{}", element.suffix()));
                        outputs.push(dump_output(argument, number, &input, &home)?);
                    }
                }
            }
            cases.push(json!({
                "id": format!("programs::{}", run.name),
                "folder": path,
                "entry": run.comparison.entry,
                "args": specs,
                "outputs": outputs,
            }));
        }
    }
    let manifest = serde_json::to_string_pretty(&json!({ "cases": cases }))
        .map_err(|error| error.to_string())?;
    fs::write(folder.join("manifest.json"), manifest + "\n").map_err(|error| error.to_string())?;
    Ok(cases.len())
}

/// Writes the expected contents of an argument and its tolerances. `input` is the file with its
/// initial contents.
fn dump_output(
    argument: &Argument,
    number: usize,
    input: &str,
    home: &Path,
) -> Result<Json, String> {
    let Content::Tile {
        element,
        shape,
        before,
        after,
        ..
    } = &argument.content
    else {
        return Err(format!("`{}` is no array", argument.name));
    };
    let bits: Vec<u64> = after.iter().map(|expected| expected.bits).collect();
    let mut entry = json!({
        "argument": number,
        "label": argument.name,
        "type": element.mlir(),
        "expected": input,
        // Exact comparison (all NaNs are equal), except for elements with a tolerance above 0.
        "compare": "exact",
    });
    if bits != *before {
        let name = format!("expected{number}.npy");
        file_of(*element, shape, &bits).write(&home.join(&name))?;
        entry["expected"] = json!(name);
    }
    if after.iter().any(|expected| expected.tolerance != 0.0) {
        let tolerances: Vec<u64> = after
            .iter()
            .map(|expected| expected.tolerance.to_bits())
            .collect();
        let name = format!("tolerance{number}.npy");
        file_of(Element::F64, shape, &tolerances).write(&home.join(&name))?;
        entry["tolerance"] = json!(name);
    }
    Ok(entry)
}
