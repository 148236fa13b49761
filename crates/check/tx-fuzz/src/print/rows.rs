//! Printer for host functions with several ops on the rows of matrices.

use super::text::Text;
use crate::derive::{Contradiction, contradiction};
use crate::description::{Binary, Makes, Mapping, Operand, RowOp, Rows, Unary};
use crate::element::Element;
use std::fmt::Write;

/// Matrix dimensions over which an array extends: rows and columns, only rows, or only columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Map {
    Whole,
    Row,
    Column,
}

impl Map {
    fn text(self) -> &'static str {
        match self {
            Self::Whole => "#whole",
            Self::Row => "#row",
            Self::Column => "#column",
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
struct Array {
    name: String,
    map: Map,
    element: Element,
}

struct Printer<'a> {
    rows: &'a Rows,
    /// Accumulator type.
    wide: Element,
    arguments: Vec<(Element, Vec<usize>)>,
    parameters: Vec<String>,
    body: String,
    inputs: Vec<(Operand, Array)>,
    results: Vec<Array>,
    allocated: Vec<Array>,
}

pub(crate) fn print(rows: &Rows) -> Result<Text, Contradiction> {
    if rows.ops.is_empty() {
        return contradiction("no op");
    }
    let mut printer = Printer {
        rows,
        wide: rows.element.accumulator(),
        arguments: Vec::new(),
        parameters: Vec::new(),
        body: String::new(),
        inputs: Vec::new(),
        results: Vec::new(),
        allocated: Vec::new(),
    };
    // The sizes of a temporary are dimensions of the first argument.
    printer.input(Operand::Matrix(0));
    if rows.open {
        printer
            .body
            .push_str("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n");
        for (name, dim) in [("%n", "%c0"), ("%m", "%c1")] {
            let ty = printer.ty(Map::Whole, rows.element);
            let _ = writeln!(printer.body, "  {name} = memref.dim %A0, {dim} : {ty}");
        }
    }
    for (number, op) in rows.ops.iter().enumerate() {
        printer.op(number, op)?;
    }
    for array in printer.allocated.clone() {
        let ty = printer.ty(array.map, array.element);
        let _ = writeln!(printer.body, "  memref.dealloc {} : {ty}", array.name);
    }
    let attributes = match rows.approximate {
        true => "attributes {tile.math = #tile.math<approx>} ",
        false => "",
    };
    Ok(Text {
        mlir: format!(
            "#whole = affine_map<(i, j) -> (i, j)>\n#row = affine_map<(i, j) -> (i)>\n\
             #column = affine_map<(i, j) -> (j)>\n#line = affine_map<(i) -> (i)>\n\
             func.func @host({}) {attributes}{{\n{}  return\n}}\n",
            printer.parameters.join(",\n    "),
            printer.body
        ),
        arguments: printer.arguments,
        open: rows.open,
        finite: false,
    })
}

impl Printer<'_> {
    fn sizes(&self, map: Map) -> Vec<usize> {
        match map {
            Map::Whole => vec![self.rows.rows, self.rows.columns],
            Map::Row => vec![self.rows.rows],
            Map::Column => vec![self.rows.columns],
        }
    }

    fn ty(&self, map: Map, element: Element) -> String {
        let size = |n: usize| match self.rows.open {
            true => "?x".to_owned(),
            false => format!("{n}x"),
        };
        let sizes: String = self.sizes(map).into_iter().map(size).collect();
        format!("memref<{sizes}{}>", element.mlir())
    }

    fn argument(&mut self, name: String, map: Map, element: Element) -> Array {
        let ty = self.ty(map, element);
        self.parameters.push(format!("{name}: {ty}"));
        self.arguments.push((element, self.sizes(map)));
        Array { name, map, element }
    }

    /// Returns an input argument. The first call of `input` for an operand adds the argument to the
    /// printed function; later calls return the same argument.
    fn input(&mut self, operand: Operand) -> Array {
        if let Some((_, known)) = self.inputs.iter().find(|(other, _)| *other == operand) {
            return known.clone();
        }
        let (name, map, element) = match operand {
            Operand::Matrix(n) => (format!("%A{n}"), Map::Whole, self.rows.element),
            Operand::Row | Operand::Result(_) => ("%R".to_owned(), Map::Row, self.wide),
            Operand::Column => ("%C".to_owned(), Map::Column, self.rows.element),
        };
        let array = self.argument(name, map, element);
        self.inputs.push((operand, array.clone()));
        array
    }

    fn destination(&mut self, number: usize, op: &RowOp) -> Array {
        let (map, element) = match op.makes {
            Makes::Matrix => (Map::Whole, self.rows.element),
            _ => (Map::Row, self.wide),
        };
        if op.makes == Makes::Matrix && op.in_place {
            return self.input(Operand::Matrix(0));
        }
        if !op.temporary || number + 1 == self.rows.ops.len() {
            return self.argument(format!("%B{number}"), map, element);
        }
        let array = Array {
            name: format!("%t{number}"),
            map,
            element,
        };
        let sizes = match (self.rows.open, map) {
            (false, _) => "",
            (true, Map::Whole) => "%n, %m",
            (true, Map::Row) => "%n",
            (true, Map::Column) => "%m",
        };
        let ty = self.ty(map, element);
        let _ = writeln!(self.body, "  {} = memref.alloc({sizes}) : {ty}", array.name);
        self.allocated.push(array.clone());
        array
    }

    fn op(&mut self, number: usize, op: &RowOp) -> Result<(), Contradiction> {
        let mut sources = Vec::new();
        for (operand, _) in &op.of {
            sources.push(match operand {
                Operand::Result(at) => match self.results.get(*at) {
                    Some(array) => array.clone(),
                    None => return contradiction("a result of nothing"),
                },
                other => self.input(*other),
            });
        }
        if sources.is_empty() {
            return contradiction("an op of nothing");
        }
        if op.makes == Makes::Row && sources.iter().any(|source| source.map != Map::Row) {
            return contradiction("a row of a matrix");
        }
        // Every loop needs an operand that determines its bounds.
        if matches!(op.makes, Makes::Sum | Makes::Max | Makes::Min)
            && !sources.iter().any(|source| source.map == Map::Whole)
        {
            sources.push(self.input(Operand::Matrix(0)));
        }
        let to = self.destination(number, op);
        match (op.makes, self.rows.mapping) {
            (Makes::Sum | Makes::Max | Makes::Min, Some(mapping)) => {
                self.reduce(number, op, mapping, &sources, &to);
            }
            _ => self.generic(number, op, &sources, &to),
        }
        self.results.push(to);
        Ok(())
    }

    /// Prints the `tile.reduce` of one of the fused ops.
    fn reduce(
        &mut self,
        number: usize,
        op: &RowOp,
        mapping: Mapping,
        sources: &[Array],
        to: &Array,
    ) {
        let wide = self.wide.mlir();
        let maps: Vec<&str> = sources
            .iter()
            .map(|s| s.map.text())
            .chain(["#row"])
            .collect();
        let kind = match op.makes {
            Makes::Max => "max",
            Makes::Min => "min",
            _ => "sum",
        };
        let schedule = self.schedule(number, mapping);
        let parameters: Vec<String> = (0..sources.len())
            .map(|n| format!("%x{n}: {wide}"))
            .collect();
        let (computed, result) = self.value(op, sources);
        let mut text = String::new();
        let _ = write!(
            text,
            "  tile.reduce {kind} {} into {} axes [1] scope(grid)\n      \
             {{maps = [{}], tile.group = 0 : i64{schedule}}} element {{\n  \
             ^bb0({}, %i: index, %j: index):\n{}    tile.yield {result} : {wide}\n  }} : {} into {}\n",
            names(sources),
            to.name,
            maps.join(", "),
            parameters.join(", "),
            computed,
            self.types(sources),
            self.ty(to.map, to.element)
        );
        self.body.push_str(&text);
    }

    /// Prints a `linalg.generic`, and for a reduction also the preceding `linalg.fill`.
    fn generic(&mut self, number: usize, op: &RowOp, sources: &[Array], to: &Array) {
        let (wide, element) = (self.wide.mlir(), to.element.mlir());
        let to_type = self.ty(to.map, to.element);
        let combiner = match op.makes {
            Makes::Sum => Some(("0", "arith.addi", "arith.addf")),
            Makes::Max => Some(("-2147483648", "arith.maxsi", "arith.maximumf")),
            Makes::Min => Some(("2147483647", "arith.minsi", "arith.minimumf")),
            Makes::Matrix | Makes::Row => None,
        };
        if let Some((identity, ..)) = combiner {
            let identity = match (op.makes, self.wide.is_float()) {
                (_, false) => identity.to_owned(),
                (Makes::Sum, _) => "0.0".to_owned(),
                (makes, _) => {
                    let bits = if self.wide == Element::F64 {
                        0x7ff0_0000_0000_0000u64 | u64::from(makes == Makes::Max) << 63
                    } else {
                        0x7f80_0000 | u64::from(makes == Makes::Max) << 31
                    };
                    format!("{bits:#X}").replace("0X", "0x")
                }
            };
            let _ = write!(
                self.body,
                "  %k{number} = arith.constant {identity} : {wide}\n  \
                 linalg.fill ins(%k{number} : {wide}) outs({} : {to_type})\n",
                to.name
            );
        }
        let is_row = op.makes == Makes::Row;
        let map = |array: &Array| if is_row { "#line" } else { array.map.text() };
        let maps: Vec<&str> = sources.iter().chain([to]).map(map).collect();
        let iterators = match (is_row, combiner.is_some()) {
            (true, _) => "\"parallel\"",
            (false, true) => "\"parallel\", \"reduction\"",
            (false, false) => "\"parallel\", \"parallel\"",
        };
        let mut widened = String::new();
        let mut parameters = Vec::new();
        for (n, source) in sources.iter().enumerate() {
            let narrow = source.element.mlir();
            if source.element == self.wide {
                parameters.push(format!("%x{n}: {wide}"));
            } else {
                parameters.push(format!("%y{n}: {narrow}"));
                let _ = writeln!(widened, "    %x{n} = arith.extf %y{n} : {narrow} to {wide}");
            }
        }
        let (computed, value) = self.value(op, sources);
        let (last, result) = match combiner {
            Some((_, int, float)) => {
                let name = if self.wide.is_float() { float } else { int };
                (
                    format!("    %new = {name} {value}, %old : {wide}\n"),
                    "%new",
                )
            }
            None if to.element != self.wide => (
                format!("    %new = arith.truncf {value} : {wide} to {element}\n"),
                "%new",
            ),
            None => (String::new(), &*value),
        };
        let group = match self.rows.mapping {
            Some(mapping) => {
                let schedule = self.schedule(number, mapping);
                format!("\n      attrs = {{tile.group = 0 : i64{schedule}}}")
            }
            None => String::new(),
        };
        let text = format!(
            "  linalg.generic {{indexing_maps = [{}], iterator_types = [{iterators}]}}\n      \
             ins({} : {}) outs({} : {to_type}){group} {{\n  ^bb0({}, %old: {element}):\n\
             {widened}{}{last}    linalg.yield {result} : {element}\n  }}\n",
            maps.join(", "),
            names(sources),
            self.types(sources),
            to.name,
            parameters.join(", "),
            computed,
        );
        self.body.push_str(&text);
    }

    fn types(&self, arrays: &[Array]) -> String {
        let types = arrays.iter().map(|a| self.ty(a.map, a.element));
        types.collect::<Vec<_>>().join(", ")
    }

    /// Returns the text of the element-wise computation on `%x0`, `%x1`, …, and the name of its
    /// result.
    fn value(&self, op: &RowOp, sources: &[Array]) -> (String, String) {
        let ty = self.wide.mlir();
        let float = self.wide.is_float();
        let named = |float_name: &str, int_name: &str| match float {
            true => format!("arith.{float_name}"),
            false => format!("arith.{int_name}"),
        };
        let mut text = String::new();
        let mut now = "%x0".to_owned();
        for n in 1..sources.len() {
            let binary = op.of.get(n).map_or(Binary::Add, |(_, binary)| *binary);
            let name = match binary {
                Binary::Add => named("addf", "addi"),
                Binary::Subtract => named("subf", "subi"),
                Binary::Multiply => named("mulf", "muli"),
                Binary::Larger => named("maximumf", "maxsi"),
            };
            let _ = writeln!(text, "    %b{n} = {name} {now}, %x{n} : {ty}");
            now = format!("%b{n}");
        }
        let _ = match (op.unary, float) {
            (Some(Unary::Square), _) => {
                writeln!(
                    text,
                    "    %v = {} {now}, {now} : {ty}",
                    named("mulf", "muli")
                )
            }
            (Some(Unary::Absolute), true) => writeln!(text, "    %v = math.absf {now} : {ty}"),
            // The result is at most 1, so the computation cannot overflow.
            (Some(Unary::Exponential), true) => writeln!(
                text,
                "    %size = math.absf {now} : {ty}\n    %below = arith.negf %size : {ty}\n    \
                 %v = math.exp %below : {ty}"
            ),
            (Some(Unary::Share), true) => writeln!(
                text,
                "    %size = math.absf {now} : {ty}\n    %one = arith.constant 1.0 : {ty}\n    \
                 %more = arith.addf %size, %one : {ty}\n    %v = arith.divf {now}, %more : {ty}"
            ),
            _ => return (text, now),
        };
        (text, "%v".to_owned())
    }

    /// Returns the attribute with the schedule of the fused ops for the first op (`number` is 0),
    /// and an empty string for every later op.
    fn schedule(&self, number: usize, mapping: Mapping) -> String {
        if number > 0 {
            return String::new();
        }
        let Mapping {
            rows,
            threads,
            blocks,
            loads,
            vector,
            holds,
            holds_totals,
        } = mapping;
        let mut steps = Vec::new();
        match rows {
            0 | 1 => steps.push("#tile.bind<\"p0\" to block_x>".to_owned()),
            _ => steps.extend([
                format!("#tile.split<\"p0\" by {rows}>"),
                "#tile.bind<\"p0.o\" to block_x>".to_owned(),
                "#tile.bind<\"p0.i\" to thread_y>".to_owned(),
            ]),
        }
        let mut part = "r0".to_owned();
        if vector > 1 {
            steps.push(format!("#tile.split<\"r0\" by {vector}>"));
            part.push_str(".o");
        }
        if blocks > 1 {
            let factor = self.rows.columns.div_ceil(blocks * vector).max(1);
            steps.push(format!("#tile.split<\"{part}\" by {factor}>"));
            steps.push(format!("#tile.bind<\"{part}.o\" to cluster_x>"));
            part.push_str(".i");
        }
        if !holds && loads > 1 {
            steps.push(format!("#tile.split<\"{part}\" by {}>", threads * loads));
            part.push_str(".i");
        }
        steps.push(format!("#tile.split<\"{part}\" by {threads}>"));
        steps.push(format!("#tile.bind<\"{part}.i\" to thread_x>"));
        if holds || loads > 1 {
            steps.push(format!("#tile.unroll<\"{part}.o\">"));
        }
        if vector > 1 {
            steps.push("#tile.vectorize<\"r0.i\">".to_owned());
        }
        if holds || holds_totals {
            let names = self.held(!holds);
            steps.extend(
                names
                    .into_iter()
                    .map(|name| format!("#tile.hold<\"{name}\" in registers>")),
            );
        }
        format!(", schedule = [{}]", steps.join(", "))
    }

    /// Returns the schedule names (`in0`, `tmp0`, …) of all arrays that the fused ops read. If
    /// `totals` is set, the returned list contains only arrays with one element per row.
    fn held(&self, totals: bool) -> Vec<String> {
        /// Array that the fused ops access, with two flags. The first flag is set if an op reads
        /// the array. The second flag is set if the first access to the array is a write.
        type Known = (Operand, bool, bool);
        let mut known: Vec<Known> = Vec::new();
        let ops = &self.rows.ops;
        let place = |operand: Operand| match operand {
            Operand::Result(at) if ops.get(at).is_some_and(|op| op.in_place) => Operand::Matrix(0),
            other => other,
        };
        for (number, op) in ops.iter().enumerate() {
            let reads_whole = op.of.iter().any(|(operand, _)| match operand {
                Operand::Matrix(_) => true,
                Operand::Result(at) => ops.get(*at).is_some_and(|op| op.makes == Makes::Matrix),
                _ => false,
            });
            let reduces = matches!(op.makes, Makes::Sum | Makes::Max | Makes::Min);
            let more = (reduces && !reads_whole).then_some(Operand::Matrix(0));
            for operand in op.of.iter().map(|(operand, _)| *operand).chain(more) {
                let operand = place(operand);
                match known.iter_mut().find(|(other, ..)| *other == operand) {
                    Some((_, read, _)) => *read = true,
                    None => known.push((operand, true, false)),
                }
            }
            let to = place(Operand::Result(number));
            if !known.iter().any(|(other, ..)| *other == to) {
                known.push((to, false, true));
            }
        }
        let (mut inputs, mut temporaries) = (0, 0);
        let mut names = Vec::new();
        for (operand, read, written) in known {
            let is_total = match operand {
                Operand::Matrix(_) | Operand::Column => false,
                Operand::Row => true,
                Operand::Result(at) => ops.get(at).is_some_and(|op| op.makes != Makes::Matrix),
            };
            let name = match (read, written) {
                (true, false) => {
                    inputs += 1;
                    format!("in{}", inputs - 1)
                }
                (true, true) => {
                    temporaries += 1;
                    format!("tmp{}", temporaries - 1)
                }
                _ => continue,
            };
            if is_total || !totals {
                names.push(name);
            }
        }
        names
    }
}

fn names(arrays: &[Array]) -> String {
    let names: Vec<&str> = arrays.iter().map(|array| &*array.name).collect();
    names.join(", ")
}
