//! Programs, their runs, and the arguments of a run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::array::{Approx, Array};
use crate::combine::Expected;
use crate::directive::{self, Comparison, Fill, Kind, Parameter};
use crate::element::{self, Element};
use crate::evaluate;
use crate::expression;
use crate::inputs::{self, Random, Sort};
use crate::npy;
use crate::value::{self, Scope, Value};

/// Directories of `lit-tests` whose programs are run.
const FOLDERS: [&str; 3] = ["tutorial", "programs", "cases"];

/// File with its runs.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Set if the file has host functions.
    pub(crate) has_hosts: bool,
    pub(crate) runs: Result<Vec<Run>, String>,
}

/// Reads all programs with `COMPARE` lines.
pub(crate) fn programs() -> Result<Vec<Program>, String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).unwrap_or(package);
    let mut programs = Vec::new();
    for folder in FOLDERS {
        let home = root.join("lit-tests").join(folder);
        let trouble = |error| format!("cannot read {}: {error}", home.display());
        for entry in fs::read_dir(&home).map_err(trouble)? {
            let path = entry.map_err(trouble)?.path();
            if path.extension().is_none_or(|extension| extension != "mlir") {
                continue;
            }
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{folder}/{stem}");
            let text = fs::read_to_string(&path).map_err(|error| error.to_string());
            let has_hosts = text.as_ref().is_ok_and(|text| text.contains("func.func @"));
            let runs = text
                .and_then(|text| directive::parse(&text))
                .and_then(|comparisons| runs(&name, &comparisons));
            programs.push(Program {
                name,
                path,
                has_hosts,
                runs,
            });
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// Comparison with specific sizes.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) comparison: Comparison,
    pub(crate) sizes: Vec<usize>,
}

fn runs(program: &str, comparisons: &[Comparison]) -> Result<Vec<Run>, String> {
    let mut names = BTreeSet::new();
    let mut runs = Vec::new();
    for comparison in comparisons {
        for sizes in &comparison.sizes {
            let mut name = format!("{program}::{}", comparison.entry);
            if !sizes.is_empty() {
                let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
                name = format!("{name}::{}", sizes.join("x"));
            } else {
                // A directory next to that of `::ptx`.
                name += "::run";
            }
            // Several lines may compare one function with different inputs.
            if !names.insert(name.clone()) {
                name = format!("{name}::line-{}", comparison.line);
                names.insert(name.clone());
            }
            runs.push(Run {
                name,
                comparison: comparison.clone(),
                sizes: sizes.clone(),
            });
        }
    }
    Ok(runs)
}

/// Argument of a run, and its expected contents.
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) content: Content,
}

/// Contents of an argument.
pub(crate) enum Content {
    Scalar(String),
    Tile {
        element: Element,
        shape: Vec<usize>,
        before: Vec<u64>,
        after: Vec<Expected>,
        /// File name of the elements; equal elements share a file.
        file: String,
    },
}

impl Run {
    /// Returns the arguments, and the results computed from them.
    pub(crate) fn arguments(&self) -> Result<Vec<Argument>, String> {
        let comparison = &self.comparison;
        let mut scope: Scope = comparison
            .symbols
            .iter()
            .zip(&self.sizes)
            .map(|(symbol, size)| (symbol.clone(), value::integer(*size as i64)))
            .collect();
        let mut arguments = Vec::new();
        for (number, Parameter { name, kind }) in comparison.parameters.iter().enumerate() {
            let (content, value) = match kind {
                Kind::Scalar(expression) => {
                    let value = evaluate::evaluate(expression, &scope)?;
                    (Content::Scalar(written(&value)?), value)
                }
                Kind::Tile {
                    shape,
                    element,
                    fill,
                } => tile(number, shape, *element, *fill, &scope)?,
            };
            scope.insert(name.clone(), value);
            let name = name.clone();
            arguments.push(Argument { name, content });
        }
        let mut written = BTreeSet::new();
        for (name, expression) in &comparison.statements {
            let value = evaluate::evaluate(expression, &scope)?;
            let output = arguments.iter_mut().find(|argument| argument.name == *name);
            if let Some(Argument {
                content:
                    Content::Tile {
                        element,
                        shape,
                        after,
                        ..
                    },
                ..
            }) = output
            {
                *after = value::expected(&value, *element, shape)
                    .map_err(|error| format!("`{name}`: {error}"))?;
            } else {
                scope.insert(name.clone(), value);
            }
            if !written.insert(name) {
                return Err(format!("`{name}` is computed twice"));
            }
        }
        Ok(arguments)
    }
}

/// Formats a number as an argument of `tx run`.
fn written(value: &Value) -> Result<String, String> {
    match value {
        Value::Ints(array, _) if array.shape.is_empty() => Ok(array.elements[0].to_string()),
        Value::Floats(array) if array.shape.is_empty() => Ok(array.elements[0].value.to_string()),
        _ => Err("expected a number".to_owned()),
    }
}

/// Creates a tile for `tx run` and for formulas.
fn tile(
    number: usize,
    shape: &[expression::Expression],
    element: Element,
    fill: Fill,
    scope: &Scope,
) -> Result<(Content, Value), String> {
    let shape = shape
        .iter()
        .map(|extent| value::extent(evaluate::size(extent, scope)?))
        .collect::<Result<Vec<usize>, String>>()?;
    let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
    let mut file = format!("{number}-{extents}{}", element.mlir());
    match fill {
        Fill::Uniform => {}
        Fill::Range(from, to) => file += &format!("-{from}-{to}"),
        Fill::Special => file += "-special",
        Fill::Ties => file += "-ties",
    }
    let before = elements(&shape, element, fill, &mut Random::new(&file));
    let value = if element.is_float() {
        Value::Floats(Array {
            shape: shape.clone(),
            elements: before
                .iter()
                .map(|bits| Approx::exactly(element.number(*bits)))
                .collect(),
        })
    } else {
        let elements = before.iter().map(|bits| element.signed(*bits)).collect();
        let shape = shape.clone();
        Value::Ints(Array { shape, elements }, Some(element))
    };
    // Elements that no formula changes must keep their bits.
    let after = before
        .iter()
        .map(|bits| Expected {
            bits: *bits,
            tolerance: 0.0,
        })
        .collect();
    let content = Content::Tile {
        element,
        shape,
        before,
        after,
        file: file + ".npy",
    };
    Ok((content, value))
}

fn elements(shape: &[usize], element: Element, fill: Fill, random: &mut Random) -> Vec<u64> {
    let count: usize = shape.iter().product();
    let mut between = |from: f64, to: f64| {
        if element.is_float() {
            let part = (random.next() >> 11) as f64 * element::power(-53);
            element.nearest(from + part * (to - from))
        } else {
            let offset = random.below((to - from) as usize) as i64;
            element.wrap((from as i64 + offset) as u64)
        }
    };
    match fill {
        Fill::Uniform if element.is_float() => (0..count).map(|_| between(-1.0, 1.0)).collect(),
        Fill::Uniform => (0..count).map(|_| element.wrap(random.next())).collect(),
        Fill::Range(from, to) => (0..count).map(|_| between(from, to)).collect(),
        Fill::Special => rows(shape, element, &inputs::SORTS, random),
        Fill::Ties => rows(shape, element, &[Sort::Ties], random),
    }
}

/// Returns rows of several kinds in turn.
fn rows(shape: &[usize], element: Element, sorts: &[Sort], random: &mut Random) -> Vec<u64> {
    let length = shape.last().copied().unwrap_or(1);
    let count = shape.iter().product::<usize>().checked_div(length);
    sorts
        .iter()
        .cycle()
        .take(count.unwrap_or(0))
        .flat_map(|sort| inputs::row(*sort, element, element.accumulator(), length, random))
        .collect()
}

/// Returns an array of a `.npy` file.
pub(crate) fn file_of(element: Element, shape: &[usize], values: &[u64]) -> npy::Array {
    npy::Array {
        descr: element.descr().to_owned(),
        shape: shape.to_vec(),
        bytes: element.pack(values),
    }
}
