//! Golden tables of chosen schedules in `chosen/*.snap`, with one line per kind, element type and
//! shape.
//!
//! A line is `KIND TYPE SHAPE [AXES]: SCHEDULE`. Schedules are abbreviated: `d1.i/4` is
//! `#tile.split<"d1.i" by 4>`, `d0=block_x` is `#tile.bind<"d0" to block_x>`, and other steps are
//! printed without `#tile.` and quotes. A schedule with several cases has one line per case.
//!
//! `tile-choose-schedule` writes the schedule that `tx::Compiler::candidates` lists first. `cargo
//! xtask bless chosen` writes the current schedules to the tables.

use std::fmt::Write as _;
use std::path::Path;

use tx::mlir::{Session, attribute, is, string_attribute, walk};

/// Maximum number of lines of a table, equal to the limit for lit-test snapshots.
const MAX_LINES: usize = 300;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sum,
    Max,
    Argmax,
    /// Mean and variance by Welford's algorithm. A partial result consists of a mean, a sum of
    /// squares and a count.
    Welford,
}

use Kind::{Argmax, Max, Sum, Welford};

const KINDS: [Kind; 4] = [Sum, Max, Argmax, Welford];
const TYPES: [&str; 4] = ["f32", "f16", "i8", "f64"];
const LENGTHS: [&str; 8] = [
    "8", "33", "100", "1000", "1003", "4096", "131072", "1048576",
];

/// A reduction: sizes of its source, and reduced axes.
#[derive(Clone)]
struct Case {
    kind: Kind,
    element: &'static str,
    sizes: Vec<String>,
    axes: Vec<usize>,
}

impl Case {
    fn new(kind: Kind, element: &'static str, sizes: &str, axes: &[usize]) -> Self {
        let sizes = sizes.split('x').map(str::to_owned).collect();
        let axes = axes.to_vec();
        Self {
            kind,
            element,
            sizes,
            axes,
        }
    }

    fn name(&self) -> String {
        let kind = match self.kind {
            Sum => "sum",
            Max => "max",
            Argmax => "argmax",
            Welford => "welford",
        };
        let axes: Vec<String> = self.axes.iter().map(usize::to_string).collect();
        format!(
            "{kind} {} {} [{}]",
            self.element,
            self.sizes.join("x"),
            axes.join(", ")
        )
    }

    fn function(&self) -> String {
        let element = self.element;
        let axes: Vec<String> = self.axes.iter().map(usize::to_string).collect();
        let axes = axes.join(", ");
        let source = format!("memref<{}x{element}>", self.sizes.join("x"));
        let kept: String = (0..self.sizes.len())
            .filter(|d| !self.axes.contains(d))
            .map(|d| format!("{}x", self.sizes[d]))
            .collect();
        let result = |ty: &str| format!("memref<{kept}{ty}>");
        let (first, second) = match self.kind {
            Sum | Max => (result(element), None),
            Argmax => (result(element), Some(result("i64"))),
            Welford => (result(self.partial()), Some(result(self.partial()))),
        };
        let (operands, types) = match &second {
            None => ("%B", first.clone()),
            Some(second) => ("%B, %C", format!("{first}, {second}")),
        };
        let parameter = second.map_or(String::new(), |second| format!(", %C: {second}"));
        let (kind, regions) = match self.kind {
            Sum => ("sum", String::new()),
            Max => ("max", String::new()),
            Argmax => ("argmax", String::new()),
            Welford => ("custom", self.welford()),
        };
        format!(
            "func.func @\"{}\"(%A: {source}, %B: {first}{parameter}) {{\n  tile.reduce {kind} %A \
             into {operands} axes [{axes}] \
             scope(grid) {regions} : {source} into {types}\n  return\n}}\n",
            self.name()
        )
    }

    fn partial(&self) -> &'static str {
        match self.element {
            "f64" => "f64",
            _ => "f32",
        }
    }

    fn welford(&self) -> String {
        let convert = match self.element {
            "f16" => "%y = arith.extf %x : f16 to f32\n",
            "i8" => "%y = arith.sitofp %x : i8 to f32\n",
            _ => "",
        };
        let value = if convert.is_empty() { "%x" } else { "%y" };
        let indices: String = (0..self.sizes.len())
            .map(|d| format!(", %i{d}: index"))
            .collect();
        let parallel: String = (0..self.sizes.len() - self.axes.len())
            .map(|d| format!(", %i{d}: index"))
            .collect();
        let text = format!(
            "identity [0.0 : T, 0.0 : T, 0.0 : T] combiner {{
              ^bb0(%ma: T, %sa: T, %na: T, %mb: T, %sb: T, %nb: T):
                %one = arith.constant 1.0 : T
                %n = arith.addf %na, %nb : T
                %some = arith.maximumf %n, %one : T
                %delta = arith.subf %mb, %ma : T
                %part = arith.divf %nb, %some : T
                %step = arith.mulf %delta, %part : T
                %m = arith.addf %ma, %step : T
                %cross = arith.mulf %na, %step : T
                %square = arith.mulf %delta, %cross : T
                %both = arith.addf %sa, %sb : T
                %s = arith.addf %both, %square : T
                tile.yield %m, %s, %n : T, T, T
              }} element {{
              ^bb0(%x: {}{indices}):
                {convert}%zero = arith.constant 0.0 : T
                %one = arith.constant 1.0 : T
                tile.yield {value}, %zero, %one : T, T, T
              }} epilogue {{
              ^bb0(%m: T, %s: T, %n: T{parallel}):
                %v = arith.divf %s, %n : T
                tile.yield %m, %v : T, T
              }}",
            self.element
        );
        replace_type(&text, self.partial())
    }
}

fn replace_type(text: &str, ty: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if c == 'T' && !is_word(before) && rest.peek().is_none_or(|next| !is_word(*next)) {
            out.push_str(ty);
        } else {
            out.push(c);
        }
        before = c;
    }
    out
}

/// Returns the abbreviated form of a schedule.
fn shown(schedule: &str) -> String {
    let text = schedule.replace("#tile.", "").replace('"', "");
    let mut text = text.trim().strip_prefix('[').unwrap_or(&text).to_owned();
    if text.ends_with(']') {
        text.pop();
    }
    for (step, between, short) in [("split<", " by ", "/"), ("bind<", " to ", "=")] {
        while let Some(start) = text.find(step) {
            let Some(end) = text[start..].find('>').map(|end| start + end) else {
                break;
            };
            let inside = text[start + step.len()..end].replace(between, short);
            text.replace_range(start..=end, &inside);
        }
    }
    text.replace(", case<", "\n  case<")
        .replace("case<", "\n  case<")
        .replace("\n  \n  ", "\n  ")
        .replace(", otherwise<", "\n  otherwise<")
}

fn table(chip: &str, cases: &[Case]) -> String {
    tx::register();
    let session = Session::new(tx::tile::register);
    let program: String = cases.iter().map(Case::function).collect();
    let parsed = session.parse("chosen", program.as_bytes());
    let Some(mut module) = parsed else {
        panic!("{:#?}\n{program}", session.take_diagnostics());
    };
    let pass = format!("tile-choose-schedule{{chip={chip}}}");
    assert!(
        session.run(&mut module, &pass),
        "{:#?}",
        session.take_diagnostics()
    );
    let mut text = String::new();
    let top = module.as_operation();
    for op in walk(top) {
        if is(op, "func.func") {
            let _ = write!(
                text,
                "{}:",
                string_attribute(op, "sym_name").unwrap_or_default()
            );
        } else if is(op, "tile.reduce") {
            let schedule = attribute(op, "schedule").map_or("none".to_owned(), |a| a.to_string());
            let shown = shown(&schedule);
            let blank = if shown.starts_with('\n') { "" } else { " " };
            let _ = writeln!(text, "{blank}{shown}");
        }
    }
    text
}

fn check(name: &str, chip: &str, cases: &[Case]) {
    let found = table(chip, cases);
    let lines = found.lines().count();
    assert!(
        lines <= MAX_LINES,
        "{name} has {lines} lines, expected at most {MAX_LINES}: split it"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(path.join("tests/chosen"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, found));
}

fn all(shapes: &[(&str, &[usize])]) -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in KINDS {
        for element in TYPES {
            let each = shapes
                .iter()
                .map(|(sizes, axes)| Case::new(kind, element, sizes, axes));
            cases.extend(each);
        }
    }
    cases
}

#[test]
fn rows() {
    let many = LENGTHS.map(|length| format!("1024x{length}"));
    let few = LENGTHS[4..].iter().map(|length| format!("4x{length}"));
    let any = ["?x33", "?x1003", "?x131072"].map(str::to_owned);
    let shapes: Vec<String> = many.into_iter().chain(few).chain(any).collect();
    let shapes: Vec<(&str, &[usize])> = shapes.iter().map(|sizes| (&**sizes, &[1][..])).collect();
    check("rows", "sm_90", &all(&shapes));
}

#[test]
fn other_axes() {
    let shapes: &[(&str, &[usize])] = &[
        ("4096x1000", &[0]),
        ("131072x33", &[0]),
        ("100x1003", &[0]),
        ("?x1000", &[0]),
        ("1000", &[0]),
        ("1048576", &[0]),
        ("64x4096", &[0, 1]),
        ("16x1000x64", &[1]),
        ("8x33x1003", &[1]),
    ];
    check("other-axes", "sm_90", &all(shapes));
}

#[test]
fn rows_of_dynamic_length() {
    check("rows-of-dynamic-length", "sm_90", &all(&[("?x?", &[1])]));
}

#[test]
fn other_axes_of_dynamic_length() {
    let shapes: &[(&str, &[usize])] = &[("?x?", &[0]), ("?", &[0]), ("?x?x?", &[1])];
    let cases: Vec<Case> = all(shapes)
        .into_iter()
        .filter(|case| case.element != "f64" && case.kind != Max)
        .collect();
    check("other-axes-of-dynamic-length", "sm_90", &cases);
}

#[test]
fn without_clusters() {
    let shapes: &[(&str, &[usize])] = &[
        ("1024x1003", &[1]),
        ("4x131072", &[1]),
        ("4x1048576", &[1]),
        ("?x?", &[1]),
        ("131072x33", &[0]),
        ("1048576", &[0]),
        ("?", &[0]),
    ];
    let cases: Vec<Case> = all(shapes)
        .into_iter()
        .filter(|case| ["f32", "i8"].contains(&case.element) && case.kind != Max)
        .collect();
    check("without-clusters", "sm_80", &cases);
}
