//! Parser of `COMPARE` and `SIZES` lines.

use std::collections::BTreeSet;

use crate::element::Element;
use crate::expression::{self, Expression, Reader};

/// `COMPARE` line.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) line: usize,
    pub(crate) entry: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Computed values, in order, with their names.
    pub(crate) statements: Vec<(String, Expression)>,
    /// Names of sizes, in order of appearance.
    pub(crate) symbols: Vec<String>,
    /// Sizes of each run.
    pub(crate) sizes: Vec<Vec<usize>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Tile {
        shape: Vec<Expression>,
        element: Element,
        fill: Fill,
    },
    /// Number, either literal or computed from sizes.
    Scalar(Expression),
}

/// Contents of a tile before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fill {
    /// Floats from -1 to 1, or integers of full range.
    Uniform,
    /// From one number to below another.
    Range(f64, f64),
    /// Rows with infinities, NaN, signed zeros, ties …
    Special,
    /// Rows with few distinct numbers.
    Ties,
}

/// Default sizes of runs, for one name and for two.
const ONE: [usize; 7] = [128, 1003, 1, 7, 33, 4099, 0];
const TWO: [[usize; 2]; 8] = [
    [128, 128],
    [127, 1003],
    [1, 1],
    [7, 20],
    [33, 1],
    [1, 4099],
    [0, 7],
    [5, 0],
];

const ELEMENTS: [Element; 11] = [
    Element::I1,
    Element::I8,
    Element::I16,
    Element::I32,
    Element::I64,
    Element::F8E4M3FN,
    Element::F8E5M2,
    Element::F16,
    Element::BF16,
    Element::F32,
    Element::F64,
];

/// Parses the comparisons of a file. Every host function must have a `COMPARE` line.
pub(crate) fn parse(text: &str) -> Result<Vec<Comparison>, String> {
    let mut comparisons: Vec<Comparison> = Vec::new();
    let mut functions = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("func.func @") {
            functions.extend(rest.split('(').next());
        }
    }
    for line in tx_lit::directives(text) {
        let number = line.number;
        let at = |error: String| format!("line {number}: {error}");
        if line.name == "COMPARE" {
            comparisons.push(comparison(line.value, number).map_err(at)?);
        } else if line.name == "SIZES" {
            let last = comparisons
                .last_mut()
                .ok_or_else(|| at("SIZES belongs after its COMPARE line".to_owned()))?;
            last.sizes = sizes(line.value, &last.symbols).map_err(at)?;
        }
    }
    if comparisons.is_empty() {
        return Err(
            "no COMPARE line says what the program computes (lit-tests/README.md)".to_owned(),
        );
    }
    for comparison in &comparisons {
        if comparison.sizes.is_empty() {
            return Err(format!(
                "line {}: a SIZES line is missing for {}",
                comparison.line,
                comparison.symbols.join(", ")
            ));
        }
    }
    match functions
        .into_iter()
        .find(|function| comparisons.iter().all(|c| c.entry != *function))
    {
        Some(function) => Err(format!("no COMPARE line for @{function}")),
        None => Ok(comparisons),
    }
}

fn comparison(text: &str, line: usize) -> Result<Comparison, String> {
    let mut reader = Reader::new(text);
    reader.expect("@")?;
    let entry = reader.name()?;
    reader.expect("(")?;
    let mut parameters: Vec<Parameter> = Vec::new();
    while !reader.take(")") {
        if !parameters.is_empty() {
            reader.expect(",")?;
        }
        parameters.push(parameter(&mut reader)?);
    }
    let mut statements = Vec::new();
    while !reader.at_end() {
        let name = reader.name()?;
        reader.expect("=")?;
        statements.push((name, reader.expression()?));
        if !reader.at_end() {
            reader.expect(";")?;
        }
    }

    let is_tile = |name: &str| {
        parameters
            .iter()
            .any(|p| p.name == name && matches!(p.kind, Kind::Tile { .. }))
    };
    if !statements.iter().any(|(name, _)| is_tile(name)) {
        return Err("no output is compared: write `B = …` of an argument".to_owned());
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = parameters.iter().find(|p| !names.insert(&p.name)) {
        return Err(format!("two arguments `{}`", twice.name));
    }
    let mut symbols: Vec<String> = Vec::new();
    for parameter in &parameters {
        let written = match &parameter.kind {
            Kind::Tile { shape, .. } => shape.iter().flat_map(Expression::names).collect(),
            Kind::Scalar(value) => value.names(),
        };
        for name in written {
            if parameters.iter().any(|p| p.name == name) {
                return Err(format!("`{name}` is an argument and a size"));
            }
            if !symbols.iter().any(|symbol| symbol == name) {
                symbols.push(name.to_owned());
            }
        }
    }
    let sizes = match symbols.len() {
        0 => vec![Vec::new()],
        1 => ONE.map(|size| vec![size]).to_vec(),
        2 => TWO.map(|sizes| sizes.to_vec()).to_vec(),
        _ => Vec::new(),
    };
    Ok(Comparison {
        line,
        entry,
        parameters,
        statements,
        symbols,
        sizes,
    })
}

/// Parses `A: NxMxf32`, `A: NxMxf32 in 0..10`, `A: NxMxf32 of special`, `scale = 2.5` or `n = N`.
fn parameter(reader: &mut Reader<'_>) -> Result<Parameter, String> {
    let name = reader.name()?;
    if reader.take("=") {
        return Ok(Parameter {
            name,
            kind: Kind::Scalar(reader.expression()?),
        });
    }
    reader.expect(":")?;
    let ty = reader.until(&[',', ')', ' ']);
    let mut extents: Vec<&str> = ty.split('x').collect();
    let written = extents.pop().unwrap_or_default();
    let element = *ELEMENTS
        .iter()
        .find(|element| element.mlir() == written)
        .ok_or_else(|| {
            let known: Vec<&str> = ELEMENTS.iter().map(|e| e.mlir()).collect();
            format!(
                "unknown element type `{written}`; known are {}",
                known.join(", ")
            )
        })?;
    let shape = extents
        .into_iter()
        .map(expression::parse)
        .collect::<Result<_, _>>()?;
    let fill = if reader.take("in ") {
        let range = reader.until(&[',', ')']);
        let wrong = || format!("expected a range as `0..10`, found `{range}`");
        let (from, to) = range.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse().map_err(|_| wrong());
        Fill::Range(number(from)?, number(to)?)
    } else if reader.take("of special") {
        Fill::Special
    } else if reader.take("of ties") {
        Fill::Ties
    } else {
        Fill::Uniform
    };
    Ok(Parameter {
        name,
        kind: Kind::Tile {
            shape,
            element,
            fill,
        },
    })
}

/// Parses `NxM = 128x128 7x20`.
fn sizes(text: &str, symbols: &[String]) -> Result<Vec<Vec<usize>>, String> {
    let (names, runs) = text
        .split_once('=')
        .ok_or("expected names, `=` and sizes")?;
    let names: Vec<&str> = names.split('x').map(str::trim).collect();
    let order: Option<Vec<usize>> = symbols
        .iter()
        .map(|symbol| names.iter().position(|name| name == symbol))
        .collect();
    let order = order
        .filter(|order| order.len() == names.len())
        .ok_or_else(|| format!("the sizes are {}", symbols.join(", ")))?;
    let runs: Vec<Vec<usize>> = runs
        .split_whitespace()
        .map(|run| {
            let numbers: Result<Vec<usize>, _> = run.split('x').map(str::parse).collect();
            let numbers = numbers.map_err(|_| format!("`{run}` are no sizes"))?;
            if numbers.len() != names.len() {
                return Err(format!("`{run}` are not {} sizes", names.len()));
            }
            Ok(order.iter().map(|at| numbers[*at]).collect())
        })
        .collect::<Result<_, _>>()?;
    if runs.is_empty() {
        return Err("no sizes".to_owned());
    }
    Ok(runs)
}
