//! Host functions: ops on whole arrays, each with its schedule, and what must come out.

use std::fmt;

use crate::case::{Argument, Case, Output};
use crate::element::Element;
use crate::view::{View, list};

/// An array of the program: an argument or a temporary.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) name: String,
    pub(crate) ty: String,
}

/// A host function that is being written.
#[derive(Default)]
pub(crate) struct Host {
    /// Whether all extents of arguments are known at run time only.
    dynamic: bool,
    parameters: Vec<String>,
    arguments: Vec<Argument>,
    outputs: Vec<Output>,
    temporaries: Vec<Buffer>,
    body: Vec<String>,
}

impl Host {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn dynamic() -> Self {
        Self {
            dynamic: true,
            ..Self::default()
        }
    }

    fn argument(
        &mut self,
        name: &str,
        element: Element,
        shape: &[usize],
        values: &[f64],
        dynamic: bool,
    ) -> Buffer {
        let ty = if dynamic {
            format!("memref<{}{}>", "?x".repeat(shape.len()), element.mlir())
        } else {
            View::whole(shape).mlir_type(element, "")
        };
        self.parameters.push(format!("%{name}: {ty}"));
        self.arguments.push(Argument::new(element, shape, values));
        Buffer {
            name: format!("%{name}"),
            ty,
        }
    }

    pub(crate) fn input(
        &mut self,
        name: &str,
        element: Element,
        shape: &[usize],
        values: &[f64],
    ) -> Buffer {
        self.argument(name, element, shape, values, self.dynamic)
    }

    /// An input whose extents are known when it is compiled.
    pub(crate) fn known_input(
        &mut self,
        name: &str,
        element: Element,
        shape: &[usize],
        values: &[f64],
    ) -> Buffer {
        self.argument(name, element, shape, values, false)
    }

    /// An argument that holds nothing useful before, and must hold `expected`, rounded to its type.
    pub(crate) fn output(
        &mut self,
        name: &str,
        element: Element,
        shape: &[usize],
        expected: &[f64],
    ) -> Buffer {
        let junk = if element.is_float() { f64::NAN } else { -77.0 };
        self.output_onto(name, element, shape, &vec![junk; expected.len()], expected)
    }

    /// The same with something before that counts.
    pub(crate) fn output_onto(
        &mut self,
        name: &str,
        element: Element,
        shape: &[usize],
        old: &[f64],
        expected: &[f64],
    ) -> Buffer {
        let number = self.arguments.len();
        self.outputs
            .push(Output::exact(number, element, shape, expected));
        self.argument(name, element, shape, old, self.dynamic)
    }

    /// The tolerance of the output that was added last.
    pub(crate) fn within(&mut self, atol: f64, rtol: f64) {
        if let Some(output) = self.outputs.last_mut() {
            (output.atol, output.rtol) = (atol, rtol);
        }
    }

    /// Memory for results in between.
    pub(crate) fn temporary(&mut self, name: &str, element: Element, shape: &[usize]) -> Buffer {
        let buffer = Buffer {
            name: format!("%{name}"),
            ty: View::whole(shape).mlir_type(element, ""),
        };
        self.push(format!("{} = memref.alloc() : {}", buffer.name, buffer.ty));
        self.temporaries.push(buffer.clone());
        buffer
    }

    /// An array of which every element is `value`, which is an attribute: `0.0 : f32`.
    pub(crate) fn fill(&mut self, buffer: &Buffer, value: &str) {
        let ty = value.rsplit(' ').next().unwrap_or("");
        let constant = format!("{}_start", buffer.name);
        self.push(format!("{constant} = arith.constant {value}"));
        let Buffer { name, ty: memory } = buffer;
        self.push(format!(
            "linalg.fill ins({constant} : {ty}) outs({name} : {memory})"
        ));
    }

    pub(crate) fn push(&mut self, op: impl fmt::Display) {
        self.body.push(op.to_string());
    }

    fn program(&self) -> String {
        let frees = self
            .temporaries
            .iter()
            .map(|buffer| format!("memref.dealloc {} : {}", buffer.name, buffer.ty));
        let mut lines: Vec<String> = Vec::new();
        for op in self.body.iter().cloned().chain(frees) {
            lines.extend(op.lines().map(|line| format!("  {line}\n")));
        }
        format!(
            "func.func @record({}) {{\n{}  return\n}}\n",
            self.parameters.join(", "),
            lines.concat()
        )
    }

    pub(crate) fn case(self) -> Case {
        Case::runs(self.program(), self.arguments, self.outputs)
    }

    /// An argument of a program that does not run.
    pub(crate) fn parameter(&mut self, buffer: &Buffer) {
        self.parameters
            .push(format!("{}: {}", buffer.name, buffer.ty));
    }

    /// It must not be compiled: there is an error at `at` that says `texts`.
    pub(crate) fn refused(self, at: &'static str, texts: &[&str]) -> Case {
        Case::refused(self.program(), at, texts)
    }
}

/// A schedule, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Schedule(Vec<String>);

impl Schedule {
    /// The loops as they are.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn step(mut self, step: String) -> Self {
        self.0.push(step);
        self
    }

    pub(crate) fn split(self, name: &str, factor: usize) -> Self {
        self.step(format!("#tile.split<\"{name}\" by {factor}>"))
    }

    pub(crate) fn fuse(self, names: &[&str], to: &str) -> Self {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        self.step(format!("#tile.fuse<[{}] to \"{to}\">", list(&names)))
    }

    pub(crate) fn reorder(self, names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        self.step(format!("#tile.reorder<{}>", list(&names)))
    }

    pub(crate) fn bind(self, name: &str, processor: &str) -> Self {
        self.step(format!("#tile.bind<\"{name}\" to {processor}>"))
    }

    pub(crate) fn rfactor(self, name: &str) -> Self {
        self.step(format!("#tile.rfactor<\"{name}\">"))
    }

    pub(crate) fn unroll(self, name: &str) -> Self {
        self.step(format!("#tile.unroll<\"{name}\">"))
    }

    pub(crate) fn vectorize(self, name: &str) -> Self {
        self.step(format!("#tile.vectorize<\"{name}\">"))
    }

    /// A loop of `extent` iterations over threads: those along `axes`, each with the number that a
    /// block has, take turns. Bound as it is where it has just as many.
    pub(crate) fn over_threads(
        mut self,
        name: &str,
        extent: usize,
        axes: &[(char, usize)],
    ) -> Self {
        let (mut name, mut extent) = (name.to_owned(), extent);
        for (place, (axis, threads)) in axes.iter().enumerate() {
            let processor = format!("thread_{axis}");
            if place + 1 == axes.len() && extent == *threads {
                return self.bind(&name, &processor);
            }
            self = self
                .split(&name, *threads)
                .bind(&format!("{name}.i"), &processor);
            name = format!("{name}.o");
            extent = extent.div_ceil(*threads);
        }
        self
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.0.join(",\n      "))
    }
}

fn names(buffers: &[Buffer]) -> String {
    let names: Vec<&str> = buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    names.join(", ")
}

fn types(buffers: &[Buffer]) -> String {
    let types: Vec<&str> = buffers.iter().map(|buffer| buffer.ty.as_str()).collect();
    types.join(", ")
}

/// Something in front of what is there, or nothing.
fn after(keyword: &str, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(" {keyword}{text}")
    }
}

fn maps_attribute(maps: &[&str]) -> String {
    let maps: Vec<String> = maps
        .iter()
        .map(|map| format!("affine_map<{map}>"))
        .collect();
    format!("[{}]", maps.join(",\n      "))
}

/// A region with one block.
pub(crate) fn region(arguments: &str, body: &[&str]) -> String {
    let body: String = body.iter().map(|line| format!("  {line}\n")).collect();
    format!("{{\n^bb0({arguments}):\n{body}}}")
}

/// `tile.reduce` at scope `grid`.
#[derive(Clone, Default)]
pub(crate) struct Reduce<'a> {
    pub(crate) kind: &'a str,
    pub(crate) from: Vec<Buffer>,
    pub(crate) into: Vec<Buffer>,
    pub(crate) with: Vec<Buffer>,
    pub(crate) axes: Vec<i64>,
    pub(crate) accumulate: bool,
    pub(crate) maps: Vec<&'a str>,
    /// None: it is left to the compiler.
    pub(crate) schedule: Option<Schedule>,
    /// `1.0 : f32`
    pub(crate) identity: &'a str,
    /// Regions: what two partial results, an element, and a result become.
    pub(crate) combiner: String,
    pub(crate) element: String,
    pub(crate) epilogue: String,
}

impl fmt::Display for Reduce<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut attributes = Vec::new();
        if !self.maps.is_empty() {
            attributes.push(format!("maps = {}", maps_attribute(&self.maps)));
        }
        if let Some(schedule) = &self.schedule {
            attributes.push(format!("schedule = {schedule}"));
        }
        let attributes = match attributes.as_slice() {
            [] => String::new(),
            all => format!(" {{\n    {}}}", all.join(",\n    ")),
        };
        let identity = match self.identity {
            "" => String::new(),
            identity => format!(" identity [{identity}]"),
        };
        write!(
            f,
            "tile.reduce {} {}{}{} axes [{}] scope(grid){}{attributes}{identity}{}{}{}\n    : {}{}{}",
            self.kind,
            names(&self.from),
            after("into ", &names(&self.into)),
            after("with ", &names(&self.with)),
            list(&self.axes),
            if self.accumulate { " accumulate" } else { "" },
            after("combiner ", &self.combiner),
            after("element ", &self.element),
            after("epilogue ", &self.epilogue),
            types(&self.from),
            after("into ", &types(&self.into)),
            after("with ", &types(&self.with)),
        )
    }
}

/// `linalg.generic`.
#[derive(Clone, Default)]
pub(crate) struct Generic<'a> {
    pub(crate) from: Vec<Buffer>,
    pub(crate) into: Vec<Buffer>,
    pub(crate) maps: Vec<&'a str>,
    /// Dimensions that are reduced.
    pub(crate) reduced: Vec<usize>,
    /// None: it is left to the compiler.
    pub(crate) schedule: Option<Schedule>,
    /// The region.
    pub(crate) body: String,
}

impl fmt::Display for Generic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let map = self.maps.first().unwrap_or(&"");
        let dimensions = map.split("->").next().unwrap_or("").split(',').count();
        let iterators: Vec<&str> = (0..dimensions)
            .map(|dimension| match self.reduced.contains(&dimension) {
                true => "\"reduction\"",
                false => "\"parallel\"",
            })
            .collect();
        let schedule = self.schedule.as_ref().map_or(String::new(), |s| {
            format!("\n    attrs = {{schedule = {s}}}")
        });
        write!(
            f,
            "linalg.generic {{indexing_maps = {},\n    iterator_types = [{}]}}\n    \
             ins({} : {}) outs({} : {}){schedule} {}",
            maps_attribute(&self.maps),
            iterators.join(", "),
            names(&self.from),
            types(&self.from),
            names(&self.into),
            types(&self.into),
            self.body,
        )
    }
}
