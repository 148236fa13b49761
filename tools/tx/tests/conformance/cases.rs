//! List of all programs, and their generation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::custom::{self, Custom};
use crate::element::Element::{self, BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64};
use crate::inputs::{self, Random, SORTS};
use crate::program::{Case, KernelBuilder, Rows, Scope, Storage, list};
use crate::reference::{self, Expected, Kind, Nan, Rule};
use crate::variants::{self, Answer, Traits};

/// Types of one reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Types {
    pub(crate) source: Element,
    /// Attribute `acc`, if specified.
    pub(crate) acc: Option<Element>,
    pub(crate) destination: Element,
}

impl Types {
    fn of(element: Element) -> Self {
        Self {
            source: element,
            acc: None,
            destination: element,
        }
    }

    fn into(source: Element, destination: Element) -> Self {
        Self {
            source,
            acc: None,
            destination,
        }
    }

    fn with(element: Element, acc: Element) -> Self {
        Self {
            source: element,
            acc: Some(acc),
            destination: element,
        }
    }

    pub(crate) fn accumulator(self) -> Element {
        self.acc.unwrap_or(self.source.accumulator())
    }

    fn name(self) -> String {
        let mut name = self.source.mlir().to_owned();
        if self.destination != self.source {
            let _ = write!(name, "-to-{}", self.destination.mlir());
        }
        if let Some(acc) = self.acc {
            let _ = write!(name, "-in-{}", acc.mlir());
        }
        name
    }
}

/// Computation of a program.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Every named kind with one result.
    Values(Types, Nan),
    /// `argmax` and `argmin`.
    Indices(Types, Nan, Element),
    Custom(Custom),
}

impl Work {
    fn policy(self) -> &'static str {
        match self {
            Self::Values(types, nan) | Self::Indices(types, nan, _) if types.source.is_float() => {
                match nan {
                    Nan::Propagate => "propagate",
                    Nan::Ignore => "ignore",
                }
            }
            _ => "exact",
        }
    }

    fn types(self) -> String {
        match self {
            Self::Values(types, _) => types.name(),
            Self::Indices(types, _, index) => format!("{}-at-{}", types.name(), index.mlir()),
            Self::Custom(custom) => format!("custom::{}", custom.name),
        }
    }

    fn kinds(self) -> Vec<Kind> {
        use Kind::{And, ArgMax, ArgMin, Max, Min, Or, Prod, Sum, UMax, UMin, Xor};
        match self {
            Self::Values(types, nan) => match (types.source, nan) {
                (I1, _) => vec![And, Or, Xor],
                (element, _) if !element.is_float() => {
                    vec![Sum, Prod, Max, Min, UMax, UMin, And, Or, Xor]
                }
                (_, Nan::Propagate) => vec![Sum, Prod, Max, Min],
                // The NaN policy has no effect on sums and products.
                (_, Nan::Ignore) => vec![Max, Min],
            },
            Self::Indices(..) => vec![ArgMax, ArgMin],
            Self::Custom(_) => Vec::new(),
        }
    }
}

/// Tiles in memory.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Memory {
    pub(crate) scope: Scope,
    pub(crate) storage: Storage,
    pub(crate) rows: usize,
    pub(crate) length: usize,
    /// Set if the reduced dimension is the outermost.
    pub(crate) outer: bool,
    pub(crate) block: usize,
    pub(crate) dynamic: bool,
    /// Set if the tile has a single row and no dimension for rows.
    pub(crate) flat: bool,
}

/// Tiles in registers.
#[derive(Clone, Copy)]
pub(crate) struct Fragments {
    pub(crate) name: &'static str,
    pub(crate) scope: Scope,
    pub(crate) block: usize,
    pub(crate) shape: [usize; 2],
    pub(crate) layout: &'static str,
    pub(crate) axes: &'static [usize],
    pub(crate) result: &'static str,
    /// Set if lanes of a warp hold parts of one result.
    pub(crate) crosses_lanes: bool,
}

/// One value per thread.
#[derive(Clone, Copy)]
pub(crate) struct Lanes {
    pub(crate) scope: Scope,
    pub(crate) block: usize,
    /// Width and stride, if the scope contains several groups.
    pub(crate) groups: Option<(usize, usize)>,
}

impl Lanes {
    const fn new(scope: Scope, block: usize, groups: Option<(usize, usize)>) -> Self {
        Self {
            scope,
            block,
            groups,
        }
    }

    /// Returns the group of a thread. The three indices are the instance of the scope, the range of
    /// `width * stride` threads within the scope, and the offset modulo `stride`.
    fn group(&self, thread: usize) -> (usize, usize, usize) {
        let size = self.scope.threads(self.block);
        let (width, stride) = self.groups.unwrap_or((size, 1));
        let place = thread % size;
        (thread / size, place / (width * stride), place % stride)
    }

    /// Returns the threads of each group.
    fn members(&self) -> Vec<Vec<usize>> {
        let mut members = BTreeMap::<_, Vec<usize>>::new();
        for thread in 0..self.block {
            members.entry(self.group(thread)).or_default().push(thread);
        }
        members.into_values().collect()
    }
}

#[derive(Clone, Copy)]
pub(crate) enum OperandKind {
    Memory(Memory),
    Fragments(Fragments),
    Lanes(Lanes),
}

/// Program.
#[derive(Clone, Copy)]
pub(crate) struct Spec {
    pub(crate) work: Work,
    pub(crate) place: OperandKind,
    /// Forced variant.
    pub(crate) variant: Option<&'static str>,
    /// Set if the program is only compiled, to test which variants apply to which reduction kinds.
    /// The program contains one op per kind and forced variant.
    pub(crate) verdicts: bool,
}

impl Spec {
    pub(crate) fn name(&self) -> String {
        let place = match &self.place {
            OperandKind::Memory(m) => format!(
                "{}::{}::{}{}{}{}-by-{}",
                m.scope.name(),
                m.storage.name(),
                if m.flat {
                    String::new()
                } else {
                    format!("{}x", m.rows)
                },
                m.length,
                if m.outer { "-outermost" } else { "" },
                if m.dynamic { "-dynamic" } else { "" },
                m.block
            ),
            OperandKind::Fragments(f) => {
                format!("{}::fragment::{}-by-{}", f.scope.name(), f.name, f.block)
            }
            OperandKind::Lanes(l) => format!(
                "{}::all_reduce::{}by-{}",
                l.scope.name(),
                l.groups.map_or(String::new(), |(width, stride)| format!(
                    "width-{width}-stride-{stride}-"
                )),
                l.block
            ),
        };
        format!(
            "conformance::{}::{place}::{}::{}",
            self.work.types(),
            self.work.policy(),
            if self.verdicts {
                "verdicts"
            } else {
                self.variant.unwrap_or("chosen")
            }
        )
    }

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

    /// Returns the attributes of an op, or an empty text.
    fn attributes(&self, kind: Kind, variant: Option<&str>) -> String {
        let mut attributes = Vec::new();
        let (Work::Values(types, nan) | Work::Indices(types, nan, _)) = self.work else {
            return variant.map_or(String::new(), |v| format!(" {{variant = \"{v}\"}}"));
        };
        if let Some(acc) = types.acc {
            attributes.push(format!("acc = {}", acc.mlir()));
        }
        // Print the attribute only if it differs from the default and has an effect.
        if nan == Nan::Ignore && !matches!(kind, Kind::Sum | Kind::Prod) {
            attributes.push("nan = #tile.nan<ignore>".to_owned());
        }
        if let Some(variant) = variant {
            attributes.push(format!("variant = \"{variant}\""));
        }
        if attributes.is_empty() {
            String::new()
        } else {
            format!(" {{{}}}", attributes.join(", "))
        }
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

    pub(crate) fn all_kinds(&self) -> Vec<Option<Kind>> {
        match self.work {
            Work::Custom(_) => vec![None],
            work => work.kinds().into_iter().map(Some).collect(),
        }
    }
}

/// Name of a variant that does not exist.
pub(crate) const UNKNOWN: &str = "no-such-variant";

/// Input rows, one for each result.
struct Input {
    /// Elements of each source, in tile order.
    values: Vec<Vec<u64>>,
    rows: Rows,
}

/// Returns the position of element `i` of row `r` in the tile of a group.
type At<'a> = &'a dyn Fn(usize, usize) -> usize;

impl Spec {
    fn input(
        &self,
        groups: usize,
        rows: usize,
        length: usize,
        at: At<'_>,
        random: &mut Random,
    ) -> Input {
        let sources = match &self.work {
            Work::Custom(custom) => custom.elements.len(),
            _ => 1,
        };
        let mut input = Input {
            values: vec![vec![0; groups * rows * length]; sources],
            rows: Arc::new(Vec::new()),
        };
        let mut places = Vec::new();
        let first = random.below(SORTS.len());
        for number in 0..groups * rows {
            let made = match &self.work {
                Work::Values(types, _) | Work::Indices(types, ..) => {
                    let sort = SORTS[(first + number) % SORTS.len()];
                    vec![inputs::row(
                        sort,
                        types.source,
                        types.accumulator(),
                        length,
                        random,
                    )]
                }
                Work::Custom(custom) => custom::rows(custom, first + number, length, random),
            };
            let (group, row) = (number / rows, number % rows);
            let at: Vec<usize> = (0..length)
                .map(|i| group * rows * length + at(row, i))
                .collect();
            for (values, made) in input.values.iter_mut().zip(made) {
                for (place, value) in at.iter().zip(made) {
                    values[*place] = value;
                }
            }
            places.push(at);
        }
        input.rows = Arc::new(places);
        input
    }
}

/// Expected results of a reduction kind, and the contents of its destinations before the run.
struct Results {
    /// Old contents of each destination.
    old: Vec<Vec<u64>>,
    expected: Vec<Vec<Expected>>,
}

impl Results {
    /// Copies the result of each group to all threads of the group.
    fn spread(self, rows: &[Vec<usize>]) -> Self {
        Self {
            old: self.old.iter().map(|of| spread(rows, of)).collect(),
            expected: self.expected.iter().map(|of| spread(rows, of)).collect(),
        }
    }
}

/// Returns one value for each position that belongs to a row. The value is that of the row.
fn spread<T: Clone>(rows: &[Vec<usize>], of_rows: &[T]) -> Vec<T> {
    let mut places: Vec<(usize, &T)> = rows
        .iter()
        .zip(of_rows)
        .flat_map(|(row, of)| row.iter().map(move |place| (*place, of)))
        .collect();
    places.sort_by_key(|(place, _)| *place);
    places.into_iter().map(|(_, of)| of.clone()).collect()
}

/// Returns the initial contents of a destination that the kernel must not read.
fn garbage(element: Element) -> u64 {
    element.wrap(0x5bad_5bad_5bad_5bad)
}

impl Spec {
    fn destinations(&self) -> Vec<Element> {
        match &self.work {
            Work::Values(types, _) => vec![types.destination],
            Work::Indices(types, _, index) => vec![types.destination, *index],
            Work::Custom(custom) => custom.elements.to_vec(),
        }
    }

    fn sources(&self) -> Vec<Element> {
        match &self.work {
            Work::Values(types, _) | Work::Indices(types, ..) => vec![types.source],
            Work::Custom(custom) => custom.elements.to_vec(),
        }
    }

    fn results(
        &self,
        kind: Option<Kind>,
        input: &Input,
        accumulate: bool,
        random: &mut Random,
    ) -> Result<Results, String> {
        let elements = self.destinations();
        let mut results = Results {
            old: vec![Vec::new(); elements.len()],
            expected: vec![Vec::new(); elements.len()],
        };
        for (number, row) in input.rows.iter().enumerate() {
            let mut last = String::new();
            let mut found = None;
            // If several results are correct for the old value, try another old value.
            for attempt in 0..9 {
                let old: Vec<u64> = elements
                    .iter()
                    .enumerate()
                    .map(|(i, element)| match (&self.work, accumulate) {
                        (_, false) => garbage(*element),
                        (Work::Indices(..), true) if i == 1 => {
                            // The old index is less or greater than the index of the extreme
                            // element, and sometimes not an index of the row.
                            (random.below(row.len() + 3) + row.len() * (attempt / 5)) as u64
                        }
                        (Work::Custom(_), true) if element.is_float() => {
                            element.nearest([1.0, -2.0, 0.0, 2.0][number % 4])
                        }
                        _ => inputs::old(*element, number + attempt, random),
                    })
                    .collect();
                match self.result(kind, input, row, accumulate.then_some(&old)) {
                    Ok(expected) => {
                        found = Some((old, expected));
                        break;
                    }
                    Err(error) => last = error,
                }
                if !accumulate {
                    break;
                }
            }
            let (old, expected) = found.ok_or(last)?;
            for (i, (old, expected)) in old.into_iter().zip(expected).enumerate() {
                results.old[i].push(old);
                results.expected[i].push(expected);
            }
        }
        Ok(results)
    }

    fn result(
        &self,
        kind: Option<Kind>,
        input: &Input,
        row: &[usize],
        old: Option<&Vec<u64>>,
    ) -> Result<Vec<Expected>, String> {
        let take = |source: usize| -> Vec<u64> {
            row.iter().map(|at| input.values[source][*at]).collect()
        };
        let rule = |types: Types, nan: Nan| {
            Ok::<Rule, String>(Rule {
                kind: kind.ok_or("no kind")?,
                nan,
                source: types.source,
                acc: types.accumulator(),
                destination: types.destination,
            })
        };
        match &self.work {
            Work::Values(types, nan) => Ok(vec![reference::reduce(
                rule(*types, *nan)?,
                &take(0),
                old.map(|old| old[0]),
            )?]),
            Work::Indices(types, nan, index) => {
                let indexed: Vec<(u64, i64)> = take(0).into_iter().zip(0..).collect();
                let old = old.map(|old| (old[0], index.signed(old[1])));
                let (value, at) = reference::arg(rule(*types, *nan)?, &indexed, old)?;
                Ok(vec![
                    Expected::exactly(value),
                    Expected::exactly(index.wrap(at as u64)),
                ])
            }
            Work::Custom(custom) => {
                let parts: Vec<Vec<u64>> = (0..custom.elements.len()).map(take).collect();
                Ok(fold(custom, &parts, old.map(Vec::as_slice)))
            }
        }
    }
}

/// Applies a custom combiner to the elements at each position of `parts`.
fn fold(custom: &Custom, parts: &[Vec<u64>], old: Option<&[u64]>) -> Vec<Expected> {
    let acc: Vec<Element> = custom.elements.iter().map(|e| e.accumulator()).collect();
    let convert = |values: &[u64], from: &[Element], to: &[Element]| -> Vec<u64> {
        values
            .iter()
            .zip(from.iter().zip(to))
            .map(|(value, (from, to))| {
                if from == to {
                    *value
                } else {
                    to.nearest(from.number(*value))
                }
            })
            .collect()
    };
    let mut total = (custom.identity)(&acc);
    let mut combine = |values: &[u64]| {
        total = (custom.fold)(&total, &convert(values, custom.elements, &acc), &acc);
    };
    for i in 0..parts[0].len() {
        let values: Vec<u64> = parts.iter().map(|part| part[i]).collect();
        combine(&values);
    }
    if let Some(old) = old {
        combine(old);
    }
    convert(&total, &acc, custom.elements)
        .into_iter()
        .map(Expected::exactly)
        .collect()
}

// Programs

/// Returns the joined names and the joined types of operands.
fn joined(operands: &[crate::program::Operand]) -> (String, String) {
    let names: Vec<&str> = operands.iter().map(|o| o.name.as_str()).collect();
    let types: Vec<&str> = operands.iter().map(|o| o.ty.as_str()).collect();
    (names.join(", "), types.join(", "))
}

impl Spec {
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
    /// By default, these are both values. If the lowering unrolls large loops, the program contains
    /// only one of the two ops.
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

    /// Returns the variants that the ops of a kind force. A verdicts program forces every variant,
    /// and finally an unknown one, whose error lists all variants.
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
    fn accepted(&self) -> Vec<Option<Kind>> {
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

    /// Returns a seed that is equal for all variants, so that their results can be compared.
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

// The list

const ELEMENTS: [Element; 8] = [F16, BF16, F32, F64, I8, I16, I32, I64];

/// Number of rows, row length, whether the reduced dimension is outermost, block size, and whether
/// the sizes are dynamic.
type Shape = (usize, usize, bool, usize, bool);
const PLACES: [(Scope, Storage, &[Shape]); 9] = {
    use Scope::{Cta, Thread, Warp, Warpgroup};
    use Storage::{Global, Private, Shared};
    const IN: bool = false;
    const OUT: bool = true;
    const STATIC: bool = false;
    const DYNAMIC: bool = true;
    [
        (
            Thread,
            Private,
            &[
                (16, 33, IN, 1, STATIC),
                (1, 8, IN, 20, STATIC),
                (3, 32, OUT, 32, STATIC),
                (2, 100, IN, 1, STATIC),
                (1, 1000, IN, 1, STATIC),
                (15, 1, OUT, 1, STATIC),
                (4, 7, IN, 1, STATIC),
                (1, 7, IN, 1, STATIC),
                (1, 100, IN, 1, STATIC),
            ],
        ),
        (
            Thread,
            Shared,
            &[
                (16, 7, IN, 1, STATIC),
                (1, 33, IN, 20, STATIC),
                (2, 8, OUT, 32, STATIC),
            ],
        ),
        (
            Thread,
            Global,
            &[
                (16, 100, IN, 1, STATIC),
                (1, 7, IN, 48, STATIC),
                (2, 32, OUT, 32, STATIC),
                (4, 0, IN, 1, DYNAMIC),
                (1, 33, IN, 32, DYNAMIC),
            ],
        ),
        (
            Warp,
            Shared,
            &[
                (7, 100, IN, 32, STATIC),
                (1, 33, IN, 48, STATIC),
                (2, 8, OUT, 256, STATIC),
                (40, 7, IN, 32, STATIC),
                (15, 32, OUT, 32, STATIC),
                (16, 256, IN, 32, STATIC),
            ],
        ),
        (
            Warp,
            Global,
            &[
                (16, 32, IN, 32, STATIC),
                (3, 1000, IN, 32, STATIC),
                (1, 33, OUT, 48, STATIC),
                (100, 8, IN, 32, STATIC),
                (5, 0, IN, 32, DYNAMIC),
                (8, 100, OUT, 64, DYNAMIC),
                (1, 1, IN, 20, STATIC),
            ],
        ),
        (
            Warpgroup,
            Shared,
            &[
                (16, 33, IN, 128, STATIC),
                (1, 100, IN, 256, STATIC),
                (32, 7, OUT, 128, STATIC),
            ],
        ),
        (
            Warpgroup,
            Global,
            &[
                (3, 1000, IN, 128, STATIC),
                (8, 8, IN, 256, STATIC),
                (40, 33, OUT, 128, STATIC),
                (15, 0, IN, 128, DYNAMIC),
            ],
        ),
        (
            Cta,
            Shared,
            &[
                (7, 100, IN, 128, STATIC),
                (1, 1000, IN, 256, STATIC),
                (16, 32, OUT, 48, STATIC),
                (100, 8, IN, 32, STATIC),
                (2, 33, IN, 20, STATIC),
                (4, 512, IN, 32, STATIC),
            ],
        ),
        (
            Cta,
            Global,
            &[
                (16, 100, IN, 256, STATIC),
                (1, 1000, IN, 48, STATIC),
                (100, 32, OUT, 128, STATIC),
                (16, 33, IN, 32, DYNAMIC),
                (3, 0, OUT, 256, DYNAMIC),
                (40, 1, IN, 128, STATIC),
            ],
        ),
    ]
};

const FRAGMENTS: [Fragments; 20] = {
    use Scope::{Cta, Thread, Warp, Warpgroup};
    const fn fragments(
        name: &'static str,
        scope: Scope,
        block: usize,
        shape: [usize; 2],
        layout: &'static str,
        axes: &'static [usize],
        result: &'static str,
    ) -> Fragments {
        Fragments {
            name,
            scope,
            block,
            shape,
            layout,
            axes,
            result,
            crosses_lanes: true,
        }
    }
    const fn within_lanes(fragments: Fragments) -> Fragments {
        Fragments {
            crosses_lanes: false,
            ..fragments
        }
    }
    /// Accumulator layout of a warp-level matrix product.
    const MMA: &str = "[<2 : 2 reg>, <8 : 4 lane>, <4 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]";
    /// Accumulator layout of a warpgroup-level matrix product.
    const WGMMA: &str = "[<4 : 1 warp_in_group>, <2 : 2 reg>, <8 : 4 lane>, <2 : 4 reg>, <4 : 1 \
                         lane>, <2 : 1 reg>]";
    [
        fragments(
            "in-a-thread",
            Thread,
            32,
            [4, 8],
            "[<4 : 8 reg>, <8 : 1 reg>]",
            &[1],
            "[<4 : 1 reg>]",
        ),
        fragments(
            "in-a-thread-strided",
            Thread,
            1,
            [33, 3],
            "[<99 : 2 reg>]",
            &[0],
            "[<3 : 1 reg>]",
        ),
        fragments(
            "mma-rows",
            Warp,
            32,
            [16, 32],
            MMA,
            &[1],
            "[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]",
        ),
        fragments(
            "mma-columns",
            Warp,
            64,
            [16, 32],
            MMA,
            &[0],
            "[<4 : 2 reg>, <4 : 1 lane>, <2 : 1 reg>] replica [<8 : 4 lane>]",
        ),
        fragments(
            "mma-all",
            Warp,
            256,
            [16, 32],
            MMA,
            &[0, 1],
            "[] replica [<32 : 1 lane>]",
        ),
        within_lanes(fragments(
            "row-a-lane",
            Warp,
            32,
            [32, 8],
            "[<32 : 1 lane>, <8 : 1 reg>]",
            &[1],
            "[<32 : 1 lane>]",
        )),
        fragments(
            "row-across-lanes",
            Warp,
            32,
            [5, 32],
            "[<5 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<5 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        fragments(
            "to-one-lane",
            Warp,
            64,
            [4, 64],
            "[<4 : 4 reg>, <2 : 2 reg>, <32 : 1 lane>]",
            &[1],
            "[<4 : 3 reg>] offset [<5 : constant lane>]",
        ),
        fragments(
            "from-replicas",
            Warp,
            32,
            [4, 8],
            "[<4 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        // Every lane holds a part of each row; lane r receives the result of row r.
        fragments(
            "row-to-a-lane",
            Warp,
            32,
            [32, 32],
            "[<32 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<32 : 1 lane>]",
        ),
        fragments(
            "24-lanes",
            Warp,
            32,
            [4, 24],
            "[<4 : 1 reg>, <24 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<24 : 1 lane>]",
        ),
        fragments(
            "5-registers-a-lane",
            Warp,
            32,
            [3, 160],
            "[<3 : 5 reg>, <5 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<3 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        fragments(
            "wgmma-rows",
            Warpgroup,
            128,
            [64, 16],
            WGMMA,
            &[1],
            "[<4 : 1 warp_in_group>, <2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]",
        ),
        fragments(
            "wgmma-columns",
            Warpgroup,
            256,
            [64, 16],
            WGMMA,
            &[0],
            "[<2 : 2 reg>, <4 : 1 lane>, <2 : 1 reg>] replica [<4 : 1 warp_in_group>, <8 : 4 lane>]",
        ),
        fragments(
            "thread-in-group",
            Warpgroup,
            128,
            [128, 5],
            "[<128 : 1 thread_in_group>, <5 : 1 reg>]",
            &[0],
            "[<5 : 1 reg>] replica [<128 : 1 thread_in_group>]",
        ),
        fragments(
            "over-warps",
            Cta,
            128,
            [4, 128],
            "[<4 : 1 reg>, <4 : 1 warp>, <32 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<4 : 1 warp>, <32 : 1 lane>]",
        ),
        fragments(
            "over-threads",
            Cta,
            256,
            [256, 3],
            "[<256 : 1 thread>, <3 : 1 reg>]",
            &[0],
            "[<3 : 1 reg>] replica [<256 : 1 thread>]",
        ),
        fragments(
            "over-warpgroups-to-one-thread",
            Cta,
            256,
            [4, 256],
            "[<4 : 1 reg>, <2 : 1 warpgroup>, <128 : 1 thread_in_group>]",
            &[1],
            "[<4 : 1 reg>]",
        ),
        fragments(
            "rows-on-warps",
            Cta,
            64,
            [16, 32],
            "[<2 : 1 warp>, <8 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<2 : 1 warp>, <8 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        fragments(
            "over-3-warps",
            Cta,
            96,
            [4, 96],
            "[<4 : 1 reg>, <3 : 1 warp>, <32 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<3 : 1 warp>, <32 : 1 lane>]",
        ),
    ]
};

const LANES: [Lanes; 13] = {
    use Scope::{Cta, Warp, Warpgroup};
    [
        Lanes::new(Warp, 64, None),
        Lanes::new(Warp, 32, Some((32, 1))),
        Lanes::new(Warp, 32, Some((8, 1))),
        Lanes::new(Warp, 48, Some((8, 4))),
        Lanes::new(Warp, 64, Some((4, 1))),
        Lanes::new(Warp, 20, Some((4, 4))),
        Lanes::new(Warpgroup, 128, None),
        Lanes::new(Warpgroup, 256, Some((4, 32))),
        Lanes::new(Cta, 96, None),
        Lanes::new(Cta, 128, None),
        Lanes::new(Cta, 100, None),
        Lanes::new(Cta, 20, None),
        Lanes::new(Cta, 256, Some((64, 2))),
    ]
};

/// Groups of threads that do not divide a warp evenly, and groups of several warps. Some blocks are
/// not a multiple of the group size.
const UNEVEN_LANES: [Lanes; 32] = {
    use Scope::{Cta, Warp, Warpgroup};
    const fn lanes(scope: Scope, block: usize, width: usize, stride: usize) -> Lanes {
        Lanes::new(scope, block, Some((width, stride)))
    }
    [
        // Groups within a warp.
        lanes(Warp, 64, 12, 1),
        lanes(Warp, 48, 31, 1),
        lanes(Warp, 100, 3, 2),
        lanes(Warp, 300, 2, 12),
        lanes(Cta, 7, 3, 2),
        lanes(Cta, 20, 7, 1),
        lanes(Cta, 20, 201, 1),
        // Adjacent threads across warp boundaries.
        lanes(Cta, 48, 12, 1),
        lanes(Cta, 100, 7, 1),
        lanes(Cta, 300, 33, 1),
        lanes(Cta, 804, 201, 1),
        lanes(Cta, 804, 48, 1),
        lanes(Cta, 1024, 3, 1),
        lanes(Cta, 300, 100, 1),
        lanes(Cta, 1024, 1000, 1),
        // Each warp contains several threads of a group, with a stride between these threads.
        lanes(Cta, 100, 20, 2),
        lanes(Cta, 1024, 500, 2),
        lanes(Cta, 48, 12, 3),
        lanes(Cta, 48, 3, 12),
        lanes(Cta, 804, 33, 12),
        lanes(Cta, 1024, 64, 12),
        // Each warp contains at most one thread of a group.
        lanes(Cta, 804, 8, 100),
        lanes(Cta, 300, 2, 100),
        lanes(Cta, 1024, 31, 33),
        // Whole warps, or columns of warps.
        lanes(Cta, 192, 96, 1),
        lanes(Cta, 384, 192, 1),
        lanes(Cta, 1024, 544, 1),
        lanes(Cta, 300, 3, 96),
        lanes(Cta, 1024, 31, 32),
        // Parts of warpgroups.
        lanes(Warpgroup, 256, 48, 1),
        lanes(Warpgroup, 128, 3, 12),
        lanes(Warpgroup, 384, 3, 32),
    ]
};

/// Returns every program, with chosen and forced variants. Each element type is tested with another
/// sample of shapes, and every shape is tested with some element type.
pub(crate) fn specs() -> Vec<Spec> {
    let mut works: Vec<(Work, usize, usize)> = Vec::new();
    for element in ELEMENTS {
        let types = Types::of(element);
        let many = if matches!(element, F64 | I8 | I16 | I64) {
            1
        } else {
            2
        };
        works.push((Work::Values(types, Nan::Propagate), many, 2 + many));
        works.push((Work::Indices(types, Nan::Propagate, I32), 1, 3));
        if element.is_float() {
            works.push((Work::Values(types, Nan::Ignore), 1, 3));
            works.push((Work::Indices(types, Nan::Ignore, I64), 1, 2));
        }
    }
    works.push((Work::Values(Types::of(I1), Nan::Propagate), 1, 4));
    for (source, destination) in [
        (F8E4M3FN, F32),
        (F8E4M3FN, BF16),
        (F8E5M2, F16),
        (F8E5M2, F32),
        (F16, F32),
        (BF16, F32),
        (F16, F64),
        (F32, F64),
    ] {
        works.push((
            Work::Values(Types::into(source, destination), Nan::Propagate),
            1,
            2,
        ));
    }
    works.push((Work::Values(Types::into(F8E5M2, F16), Nan::Ignore), 1, 1));
    works.push((
        Work::Indices(Types::into(F8E4M3FN, F16), Nan::Propagate, I32),
        1,
        1,
    ));
    for (element, acc) in [
        (F16, F16),
        (BF16, BF16),
        (F16, F64),
        (F32, F64),
        (I8, I32),
        (I16, I64),
    ] {
        works.push((
            Work::Values(Types::with(element, acc), Nan::Propagate),
            1,
            2,
        ));
    }
    for custom in custom::ALL {
        works.push((Work::Custom(custom), 1, 2));
    }

    let mut specs = Vec::new();
    for (turn, (work, few, many)) in works.into_iter().enumerate() {
        let mut places = Vec::new();
        for (number, (scope, storage, shapes)) in PLACES.into_iter().enumerate() {
            // Whether a single-thread variant applies to f32 depends on the row length, so f32 is
            // tested with all shapes.
            let every = storage == Storage::Private
                && matches!(work, Work::Values(types, _) if types.source == F32 && types.acc.is_none());
            for i in 0..if every { shapes.len() } else { few } {
                let shape = shapes[(turn
                    + number
                    + if every {
                        i
                    } else {
                        i * shapes.len().div_ceil(2)
                    })
                    % shapes.len()];
                places.push(OperandKind::Memory(memory(scope, storage, shape)));
            }
            // Whether a variant for 16-bit floats applies also depends on the row length.
            if let Work::Values(types, _) = work
                && matches!(types.source, F16 | BF16)
            {
                for shape in shapes
                    .iter()
                    .filter(|(_, length, ..)| *length > 0 && length % 256 == 0)
                {
                    let memory = memory(scope, storage, *shape);
                    if !places
                        .iter()
                        .any(|place| matches!(place, OperandKind::Memory(m) if *m == memory))
                    {
                        places.push(OperandKind::Memory(memory));
                    }
                }
            }
        }
        let spread = |i: usize, count: usize| (turn * 3 + i * count.div_ceil(many)) % count;
        places.extend(
            (0..many).map(|i| OperandKind::Fragments(FRAGMENTS[spread(i, FRAGMENTS.len())])),
        );
        // A reduction across lanes requires equal element and result types.
        if work_keeps_type(work) {
            places.extend((0..many).map(|i| OperandKind::Lanes(LANES[spread(i, LANES.len())])));
        }
        for place in places {
            let chosen = Spec {
                work,
                place,
                variant: None,
                verdicts: false,
            };
            if !chosen.is_sound() {
                continue;
            }
            if matches!(place, OperandKind::Lanes(_)) {
                specs.push(chosen);
                continue;
            }
            let forced: Vec<Spec> = variants::labels()
                .map(|variant| Spec {
                    variant: Some(variant),
                    ..chosen
                })
                .filter(|forced| !forced.accepted().is_empty())
                .collect();
            // If one variant applies to all kinds, the program with the compiler's choice is
            // usually equal to the program with this forced variant. Only a sample of such programs
            // is generated.
            let sample = Random::new(&chosen.name()).below(8) == 0;
            if sample
                || !forced
                    .iter()
                    .any(|spec| spec.accepted().len() == spec.all_kinds().len())
            {
                specs.push(chosen);
            }
            if Random::new(&chosen.name()).below(3) == 0 {
                specs.push(Spec {
                    verdicts: true,
                    ..chosen
                });
            }
            specs.extend(forced);
        }
    }
    let works = [
        Work::Values(Types::of(F32), Nan::Propagate),
        Work::Indices(Types::of(F32), Nan::Propagate, I32),
        Work::Values(Types::of(I32), Nan::Propagate),
        Work::Custom(custom::COUNT_AND_SUM),
        Work::Values(Types::of(F16), Nan::Propagate),
    ];
    for (turn, lanes) in UNEVEN_LANES.into_iter().enumerate() {
        let two = [works[turn % works.len()], works[(turn + 2) % works.len()]].map(|work| Spec {
            work,
            place: OperandKind::Lanes(lanes),
            variant: None,
            verdicts: false,
        });
        specs.extend(two.into_iter().filter(Spec::is_sound));
    }
    specs
}

fn memory(scope: Scope, storage: Storage, (rows, length, outer, block, dynamic): Shape) -> Memory {
    Memory {
        scope,
        storage,
        rows,
        length,
        outer,
        block,
        dynamic,
        flat: rows == 1 && !outer && !dynamic && length != 33,
    }
}

fn work_keeps_type(work: Work) -> bool {
    match work {
        Work::Values(types, _) | Work::Indices(types, ..) => types.source == types.destination,
        Work::Custom(_) => true,
    }
}

impl Spec {
    /// Returns whether the inputs are suitable for the program. A 16-bit accumulator can count only
    /// to 256, the product of a thousand elements in a custom combiner overflows, and a fragment
    /// must fit in registers.
    fn is_sound(&self) -> bool {
        let length = match &self.place {
            OperandKind::Memory(m) => m.length,
            OperandKind::Fragments(f) => f.shape[0] * f.shape[1] / 8,
            OperandKind::Lanes(l) => l.members().iter().map(Vec::len).max().unwrap_or(0),
        };
        let shortest = match &self.place {
            OperandKind::Lanes(l) => l.members().iter().map(Vec::len).min().unwrap_or(0),
            _ => length,
        };
        match &self.work {
            Work::Values(types, _)
                if types.accumulator().bits() == 16 && types.source.is_float() =>
            {
                length <= 256
            }
            Work::Custom(custom) => length <= 256 && shortest >= custom.shortest,
            _ => true,
        }
    }
}
