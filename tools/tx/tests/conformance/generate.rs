//! Generation of programs.

use std::sync::Arc;

use crate::element::Element;
use crate::expected::{Input, Results, garbage, spread};
use crate::inputs::{Random, SORTS};
use crate::program::{Case, KernelBuilder, Rows, Scope, Storage, list};
use crate::reference::{self, Expected, Kind, Nan, Rule};
use crate::spec::{Fragments, Lanes, Memory, OperandKind, Spec, Types, Work};
use crate::variants::{self, Answer, Traits};

/// Name of a variant that does not exist.
pub(crate) const UNKNOWN: &str = "no-such-variant";

/// Returns the joined names and the joined types of operands.
fn joined(operands: &[crate::program::Operand]) -> (String, String) {
    let names: Vec<&str> = operands.iter().map(|o| o.name.as_str()).collect();
    let types: Vec<&str> = operands.iter().map(|o| o.ty.as_str()).collect();
    (names.join(", "), types.join(", "))
}

impl Spec {
    /// Generates the program.
    pub(crate) fn case(&self) -> Result<Case, String> {
        let mut case = match &self.place {
            OperandKind::Memory(memory) => self.memory(memory),
            OperandKind::Fragments(fragments) => self.fragments(fragments),
            OperandKind::Lanes(lanes) => self.lanes(lanes),
        }
        .map_err(|error| format!("the generator made a bad test: {error}"))?;
        case.chip = self.variant.and_then(variants::chip);
        Ok(case)
    }

    /// Returns the properties of an op of this reduction kind that determine which variants apply.
    pub(crate) fn traits(&self, kind: Option<Kind>) -> Traits {
        let types = match self.work {
            Work::Values(types, _) | Work::Indices(types, ..) => types,
            Work::Custom(custom) => Types::of(custom.elements[0]),
        };
        Traits {
            place: self.place,
            types,
            kind,
        }
    }

    fn operation(&self, kind: Option<Kind>) -> &'static str {
        kind.map_or("custom", Kind::name)
    }

    /// Returns the combiner region of a custom kind, and the attributes.
    fn tail(&self, kind: Option<Kind>, variant: Option<&str>) -> String {
        let attributes = self.attributes(kind.unwrap_or(Kind::Sum), variant);
        match &self.work {
            Work::Custom(custom) => {
                let acc = custom.elements[0].accumulator().mlir();
                format!(" {}{attributes}", custom.text.replace("ACC", acc))
            }
            _ => attributes,
        }
    }

    /// Returns the values of `accumulate` for which the program contains an op of a reduction kind.
    /// By default, the function returns both values. If the lowering unrolls large loops, the
    /// program contains only one of the two ops.
    fn accumulations(&self, kind: Option<Kind>) -> &'static [bool] {
        let unrolled =
            matches!(self.place, OperandKind::Fragments(_)) || self.variant == Some("batched");
        let turn = kind.map_or(0, |kind| kind as usize) + usize::from(self.variant.is_some());
        match (self.verdicts, unrolled) {
            (true, _) => &[false],
            (false, false) => &[false, true],
            (false, true) => {
                if (Random::new(&self.seed()).below(2) + turn).is_multiple_of(2) {
                    &[false]
                } else {
                    &[true]
                }
            }
        }
    }

    /// Returns the variants that the ops of a kind force. A verdicts program forces every variant.
    /// Finally, the program forces an unknown variant, because the error for an unknown variant
    /// lists all variants.
    fn forced(&self) -> Vec<Option<&'static str>> {
        if self.verdicts {
            variants::asked().chain([UNKNOWN]).map(Some).collect()
        } else {
            vec![self.variant.and_then(variants::name)]
        }
    }

    /// Returns the kind and the forced variant of each op, in program order.
    pub(crate) fn questions(&self) -> Vec<(Option<Kind>, &'static str)> {
        let forced = self.forced();
        self.all_kinds()
            .into_iter()
            .flat_map(|kind| forced.iter().flatten().map(move |variant| (kind, *variant)))
            .collect()
    }

    /// Returns the kinds that the forced variant accepts.
    pub(crate) fn accepted(&self) -> Vec<Option<Kind>> {
        self.all_kinds()
            .into_iter()
            .filter(|kind| {
                self.variant.is_none_or(|label| {
                    variants::answer(label, &self.traits(*kind)) == Answer::Accepts
                })
            })
            .collect()
    }

    fn memory(&self, m: &Memory) -> Result<Case, String> {
        let mut random = Random::new(&self.seed());
        let mut kernel = KernelBuilder::new(m.scope, m.storage, m.block, m.dynamic);
        let input = self.input(
            kernel.groups(),
            m.rows,
            m.length,
            &|row, i| {
                if m.outer {
                    i * m.rows + row
                } else {
                    row * m.length + i
                }
            },
            &mut random,
        );
        let (shape, axis) = if m.flat {
            (vec![m.length], 0)
        } else if m.outer {
            (vec![m.length, m.rows], 0)
        } else {
            // Axes counted from the end.
            (vec![m.rows, m.length], -1)
        };
        // The reduced dimension is kept as 1 or dropped.
        let result = match (m.flat, m.outer) {
            (true, _) => Vec::new(),
            (_, true) => vec![1, m.rows],
            _ => vec![m.rows],
        };
        let sources: Vec<_> = self
            .sources()
            .into_iter()
            .zip(&input.values)
            .map(|(element, values)| kernel.tile(element, &shape, values.clone(), true, false))
            .collect();
        let (from, from_types) = joined(&sources);
        for kind in self.accepted() {
            for &accumulate in self.accumulations(kind) {
                let results = self.results(kind, &input, accumulate, &mut random)?;
                let destinations: Vec<_> = self
                    .destinations()
                    .into_iter()
                    .zip(&results.old)
                    .map(|(element, old)| {
                        kernel.tile(element, &result, old.clone(), accumulate, true)
                    })
                    .collect();
                let (into, into_types) = joined(&destinations);
                for variant in self.forced() {
                    kernel.line(format!(
                        "tile.reduce {} {from} into {into} axes [{axis}] scope({}){}{} : \
                         {from_types} into {into_types}",
                        self.operation(kind),
                        m.scope.name(),
                        if accumulate { " accumulate" } else { "" },
                        self.tail(kind, variant),
                    ));
                }
                self.record(
                    &mut kernel,
                    kind,
                    accumulate,
                    &destinations,
                    results,
                    &input.rows,
                );
            }
        }
        Ok(kernel.finish())
    }

    /// Returns a seed that is equal for all variants, so that the test can compare the results of
    /// the variants.
    fn seed(&self) -> String {
        Spec {
            variant: None,
            verdicts: false,
            ..*self
        }
        .name()
    }

    fn record(
        &self,
        kernel: &mut KernelBuilder,
        kind: Option<Kind>,
        accumulate: bool,
        destinations: &[crate::program::Operand],
        results: Results,
        rows: &Rows,
    ) {
        for (i, (destination, expected)) in destinations.iter().zip(results.expected).enumerate() {
            let part = match (&self.work, i) {
                (Work::Indices(..), 1) => " index".to_owned(),
                (Work::Custom(_), i) => format!(" part {i}"),
                _ => String::new(),
            };
            let accumulates = if accumulate { " accumulate" } else { "" };
            let label = format!("{}{accumulates}{part}", self.operation(kind));
            let source = if matches!(self.work, Work::Custom(_)) {
                i
            } else {
                0
            };
            kernel.output(destination.argument, label, expected, source, rows);
        }
    }

    fn fragments(&self, f: &Fragments) -> Result<Case, String> {
        let mut random = Random::new(&self.seed());
        let mut kernel = KernelBuilder::new(f.scope, Storage::Global, f.block, false);
        let [height, width] = f.shape;
        let (rows, length) = match f.axes {
            [0] => (width, height),
            [1] => (height, width),
            _ => (1, height * width),
        };
        let outer = f.axes == [0];
        let input = self.input(
            kernel.groups(),
            rows,
            length,
            &|row, i| {
                if outer {
                    i * rows + row
                } else {
                    row * length + i
                }
            },
            &mut random,
        );
        let result: &[usize] = if f.axes.len() == 2 { &[] } else { &[rows] };
        kernel.alias("source", &format!("#tile.layout<{}>", f.layout));
        kernel.alias("result", &format!("#tile.layout<{}>", f.result));
        let fragment = |shape: &[usize], element: Element, layout: &str| {
            let shape: String = shape.iter().map(|extent| format!("{extent}x")).collect();
            format!("!tile.fragment<{shape}{}, #{layout}>", element.mlir())
        };
        let scope = f.scope.name();
        let (mut from, mut from_types) = (Vec::new(), Vec::new());
        for (i, (element, values)) in self.sources().into_iter().zip(&input.values).enumerate() {
            let memory = kernel.tile(element, &f.shape, values.clone(), true, false);
            let ty = fragment(&f.shape, element, "source");
            kernel.line(format!(
                "%x{i} = tile.load {} scope({scope}) : {} -> {ty}",
                memory.name, memory.ty
            ));
            from.push(format!("%x{i}"));
            from_types.push(ty);
        }
        for kind in self.accepted() {
            for &accumulate in self.accumulations(kind) {
                let results = self.results(kind, &input, accumulate, &mut random)?;
                let elements = self.destinations();
                let destinations: Vec<_> = elements
                    .iter()
                    .zip(&results.old)
                    .map(|(element, old)| {
                        kernel.tile(*element, result, old.clone(), accumulate, true)
                    })
                    .collect();
                let types: Vec<String> = elements
                    .iter()
                    .map(|e| fragment(result, *e, "result"))
                    .collect();
                let names = |letter: char| -> Vec<String> {
                    destinations
                        .iter()
                        .map(|d| format!("%{letter}{}", d.argument))
                        .collect()
                };
                let (old, new) = (names('o'), names('r'));
                let mut init = (String::new(), String::new());
                if accumulate {
                    for (i, destination) in destinations.iter().enumerate() {
                        kernel.line(format!(
                            "{} = tile.load {} scope({scope}) : {} -> {}",
                            old[i], destination.name, destination.ty, types[i]
                        ));
                    }
                    init = (
                        format!(" init({})", list(&old)),
                        format!(" init {}", list(&types)),
                    );
                }
                for (number, variant) in self.forced().into_iter().enumerate() {
                    // The program computes the values and stores them only for the first variant.
                    let new: Vec<String> = new
                        .iter()
                        .map(|name| {
                            if number == 0 {
                                name.clone()
                            } else {
                                format!("{name}v{number}")
                            }
                        })
                        .collect();
                    kernel.line(format!(
                        "{} = tile.reduce {} {}{} axes [{}] scope({scope}){}{} : {}{} -> {}",
                        list(&new),
                        self.operation(kind),
                        list(&from),
                        init.0,
                        list(f.axes),
                        if accumulate { " accumulate" } else { "" },
                        self.tail(kind, variant),
                        list(&from_types),
                        init.1,
                        list(&types)
                    ));
                }
                for (i, destination) in destinations.iter().enumerate() {
                    kernel.line(format!(
                        "tile.store {} to {} scope({scope}) : {} to {}",
                        new[i], destination.name, types[i], destination.ty
                    ));
                }
                self.record(
                    &mut kernel,
                    kind,
                    accumulate,
                    &destinations,
                    results,
                    &input.rows,
                );
            }
        }
        Ok(kernel.finish())
    }

    fn lanes(&self, l: &Lanes) -> Result<Case, String> {
        let mut random = Random::new(&self.seed());
        // Each thread has one value per step. The reduction op determines the groups of threads.
        let mut kernel = KernelBuilder::new(Scope::Cta, Storage::Global, l.block, false);
        let steps = SORTS.len();
        // An input row contains the values of all threads in one step, and the op reduces groups of
        // these values.
        let mut input = self.input(1, steps, l.block, &|row, i| row * l.block + i, &mut random);
        let members = l.members();
        let rows: Vec<Vec<usize>> = (0..steps)
            .flat_map(|step| {
                let place = move |thread: &usize| step * l.block + thread;
                members
                    .iter()
                    .map(move |group| group.iter().map(place).collect())
            })
            .collect();
        input.rows = Arc::new(rows);
        let shape = [steps, l.block];
        let mut sources: Vec<_> = self
            .sources()
            .into_iter()
            .zip(&input.values)
            .map(|(element, values)| (element, kernel.argument(element, &shape, values.clone())))
            .collect();
        let mut indices = Vec::new();
        if let Work::Indices(_, _, index) = self.work {
            // The indices are permuted, so that the lowest index may belong to any thread.
            for _ in 0..steps {
                let mut order: Vec<u64> = (0..l.block as u64).collect();
                for i in (1..order.len()).rev() {
                    order.swap(i, random.below(i + 1));
                }
                indices.extend(order);
            }
            sources.push((index, kernel.argument(index, &shape, indices.clone())));
        }
        let mut body = Vec::new();
        for (i, (element, source)) in sources.iter().enumerate() {
            body.push(format!(
                "%v{i} = memref.load {}[%step, %t] : {}",
                source.name, source.ty
            ));
            let _ = element;
        }
        let values: Vec<String> = (0..sources.len()).map(|i| format!("%v{i}")).collect();
        let types: Vec<&str> = sources.iter().map(|(element, _)| element.mlir()).collect();
        let rows_of_threads: Rows = Arc::new(spread(&input.rows, &input.rows));
        for kind in self.accepted() {
            let results = if let Work::Indices(types, nan, index) = self.work {
                self.lane_indices(kind, types, nan, index, &input, &indices)?
            } else {
                self.results(kind, &input, false, &mut random)?
            }
            .spread(&input.rows);
            let destinations: Vec<_> = self
                .destinations()
                .into_iter()
                .zip(&results.old)
                .map(|(element, old)| kernel.argument(element, &shape, old.clone()))
                .collect();
            let new: Vec<String> = destinations
                .iter()
                .map(|d| format!("%r{}", d.argument))
                .collect();
            body.push(format!(
                "{} = tile.all_reduce {} {} scope({}){}{} : {} -> {}",
                list(&new),
                self.operation(kind),
                list(&values),
                l.scope.name(),
                l.groups.map_or(String::new(), |(width, stride)| format!(
                    " width {width} stride {stride}"
                )),
                self.tail(kind, None),
                types.join(", "),
                types.join(", ")
            ));
            for (value, destination) in new.iter().zip(&destinations) {
                body.push(format!(
                    "memref.store {value}, {}[%step, %t] : {}",
                    destination.name, destination.ty
                ));
            }
            self.record(
                &mut kernel,
                kind,
                false,
                &destinations,
                results,
                &rows_of_threads,
            );
        }
        kernel.line("%t = gpu.thread_id x");
        kernel.line("%first = arith.constant 0 : index");
        kernel.line("%one = arith.constant 1 : index");
        kernel.line(format!("%end = arith.constant {steps} : index"));
        kernel.line("scf.for %step = %first to %end step %one {");
        for line in body {
            kernel.line(format!("  {}", line.replace('\n', "\n  ")));
        }
        kernel.line("}");
        Ok(kernel.finish())
    }

    fn lane_indices(
        &self,
        kind: Option<Kind>,
        types: Types,
        nan: Nan,
        index: Element,
        input: &Input,
        indices: &[u64],
    ) -> Result<Results, String> {
        let rule = Rule {
            kind: kind.ok_or("no kind")?,
            nan,
            source: types.source,
            acc: types.accumulator(),
            destination: types.destination,
        };
        let mut results = Results {
            old: vec![
                vec![garbage(types.destination); input.rows.len()],
                vec![garbage(index); input.rows.len()],
            ],
            expected: vec![Vec::new(), Vec::new()],
        };
        for row in input.rows.iter() {
            let indexed: Vec<(u64, i64)> = row
                .iter()
                .map(|at| (input.values[0][*at], indices[*at] as i64))
                .collect();
            let (value, at) = reference::arg(rule, &indexed, None)?;
            results.expected[0].push(Expected::exactly(value));
            results.expected[1].push(Expected::exactly(at as u64));
        }
        Ok(results)
    }
}
