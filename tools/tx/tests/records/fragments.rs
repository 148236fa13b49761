//! Reductions of tiles in registers.
//!
//! A record says of both tiles which thread has which element in which register, and who executes
//! together. Each such group of threads has a tile of its own in global memory, loads it into a
//! fragment, reduces it and stores the result.
//!
//! Where the destination keeps a column for each of several threads that share a row, all of them
//! are to have the row's result. A store asks only one holder of an element. So there is a result
//! for each column, which only that column's thread holds; and one that all of them hold.

use serde_json::Value;

use crate::Record;
use crate::case::{Argument, Case, Output};
use crate::element::{Element, Mt19937};
use crate::intrinsics::WARP;
use crate::tiles::{guarded, kernel};
use crate::view::{Reference, View, list, pick, reduced_dimensions};

/// One entry of a layout.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    extent: usize,
    stride: usize,
    axis: &'static str,
}

impl Entry {
    fn parse(entry: &Value) -> Result<Self, String> {
        let unknown = || format!("there is no rule for the layout entry {entry}");
        Ok(Self {
            extent: entry[0].as_u64().ok_or_else(unknown)? as usize,
            stride: entry[1].as_u64().ok_or_else(unknown)? as usize,
            axis: axis(entry[2].as_str().ok_or_else(unknown)?)?,
        })
    }

    fn is_register(&self) -> bool {
        self.axis == "reg"
    }
}

/// The dialect's name of an axis of the records.
fn axis(name: &str) -> Result<&'static str, String> {
    Ok(match name {
        "m" => "reg",
        "laneid" => "lane",
        "warpid" => "warp",
        "wid_in_wg" => "warp_in_group",
        "tid_in_wg" => "thread_in_group",
        "wgid" => "warpgroup",
        "tx" => "thread",
        other => return Err(format!("there is no rule for the axis `{other}`")),
    })
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Layout {
    shard: Vec<Entry>,
    replica: Vec<Entry>,
    offset: Vec<(usize, &'static str)>,
}

impl Layout {
    fn parse(layout: Option<&Value>) -> Result<Self, String> {
        let layout = layout.ok_or("a tile in registers without a layout")?;
        let entries = |field: &str| -> Result<Vec<Entry>, String> {
            let entries = layout[field].as_array().map_or(&[][..], Vec::as_slice);
            entries.iter().map(Entry::parse).collect()
        };
        let offset = layout["offset"].as_object().into_iter().flatten();
        Ok(Self {
            shard: entries("shard")?,
            replica: entries("replica")?,
            offset: offset
                .map(|(name, constant)| {
                    let constant = constant.as_u64().ok_or("an offset that is no number")?;
                    Ok((constant as usize, axis(name)?))
                })
                .collect::<Result<_, String>>()?,
        })
    }

    fn mlir(&self) -> String {
        let entries = |entries: &[Entry]| {
            let texts: Vec<String> = entries
                .iter()
                .map(|e| format!("<{} : {} {}>", e.extent, e.stride, e.axis))
                .collect();
            texts.join(", ")
        };
        let mut text = format!("#tile.layout<[{}]", entries(&self.shard));
        if !self.replica.is_empty() {
            text += &format!(" replica [{}]", entries(&self.replica));
        }
        if !self.offset.is_empty() {
            let offsets: Vec<String> = self
                .offset
                .iter()
                .map(|(constant, axis)| format!("<{constant} : constant {axis}>"))
                .collect();
            text += &format!(" offset [{}]", offsets.join(", "));
        }
        text + ">"
    }

    fn fragment(&self, extents: &[usize], element: Element) -> String {
        let extents: String = extents.iter().map(|extent| format!("{extent}x")).collect();
        format!(
            "!tile.fragment<{extents}{}, {}>",
            element.mlir(),
            self.mlir()
        )
    }

    /// The shard entries of each dimension of a tile.
    fn by_dimension(&self, shape: &[usize]) -> Result<Vec<Vec<Entry>>, String> {
        let mut entries = self.shard.iter().copied().peekable();
        let mut dimensions = Vec::new();
        for extent in shape {
            let mut own: Vec<Entry> = Vec::new();
            let product = |own: &[Entry]| own.iter().map(|e| e.extent).product::<usize>();
            while product(&own) < *extent {
                own.push(entries.next().ok_or("a layout with too few entries")?);
            }
            if *extent == 1
                && let Some(one) = entries.next_if(|entry| entry.extent == 1)
            {
                own.push(one);
            }
            if product(&own) != *extent {
                return Err(format!(
                    "there is no rule for a layout {} of a tile {shape:?}",
                    self.mlir()
                ));
            }
            dimensions.push(own);
        }
        Ok(dimensions)
    }
}

/// A dimension of the source as the op sees it: one of the record's, or a piece of one.
#[derive(Clone, Debug)]
struct Part {
    /// Of the tile in memory.
    whole: usize,
    /// What is loaded of it: where it starts and how long it is.
    region: [usize; 2],
    entries: Vec<Entry>,
    role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Kept,
    Reduced,
    /// Spread over threads of which each is to have the result.
    Columns,
}

pub(crate) fn fragment_case(record: &Record) -> Result<Case, String> {
    let source = Layout::parse(record.src_layout.as_ref())?;
    let destination = Layout::parse(record.dst_layout.as_ref())?;
    let unit = match record.exec_scope.as_str() {
        "warp" => WARP,
        "warpgroup" => 4 * WARP,
        "cta" => record.threads,
        other => return Err(format!("there is no rule for registers at scope `{other}`")),
    };
    if unit == 0 || !record.threads.is_multiple_of(unit) {
        return Err(format!("{} threads at scope {}", record.threads, unit));
    }
    let groups = match &record.guard {
        Some(_) => 1,
        None => record.threads / unit,
    };
    let by_replicas = destination.replica.iter().any(|e| !e.is_register());
    if by_replicas && groups > 1 && record.exec_scope == "warp" {
        return two_level_case(record, &source, &destination);
    }
    let parts = if by_replicas {
        parts_of_replicas(record, &source, &destination)?
    } else {
        parts_of_axes(record, &source, &destination)?
    };
    let reduction = Reduction {
        record,
        element: Element::parse(&record.dtype)?,
        destination,
        parts,
        groups,
        unit,
        lines: Vec::new(),
    };
    if reduction
        .parts
        .iter()
        .any(|part| part.role == Role::Columns)
    {
        reduction.columns()
    } else {
        reduction.plain()
    }
}

/// A destination that every thread of a group holds says itself what is reduced: what the threads
/// have apart in the source and together in the destination.
fn parts_of_replicas(
    record: &Record,
    source: &Layout,
    destination: &Layout,
) -> Result<Vec<Part>, String> {
    let places: usize = destination.shard.iter().map(|e| e.extent).product();
    let kept = |entry: &Entry| destination.shard.contains(entry);
    let threads: Vec<Entry> = source
        .shard
        .iter()
        .filter(|e| !e.is_register())
        .copied()
        .collect();
    let registers: usize = source
        .shard
        .iter()
        .filter(|e| e.is_register() || kept(e))
        .map(|e| e.extent)
        .product();
    // One place for each register: they stay apart. Fewer: those along the axes are reduced, too.
    let apart = registers == places;
    let by_axes = reduced_dimensions(&record.axes, record.src_shape.len())?;
    let mut parts = Vec::new();
    for (dimension, entries) in source.by_dimension(&record.src_shape)?.iter().enumerate() {
        let region = region(&record.src_region, dimension, record.src_shape[dimension]);
        if region != [0, record.src_shape[dimension]] && entries.len() != 1 {
            return Err("a region of a dimension with several layout entries".to_owned());
        }
        for entry in entries {
            let region = if entries.len() == 1 {
                region
            } else {
                [0, entry.extent]
            };
            let stays = if threads.contains(entry) {
                kept(entry)
            } else {
                apart || !by_axes[dimension]
            };
            parts.push(Part {
                whole: entry.extent,
                region,
                entries: vec![Entry {
                    extent: region[1],
                    ..*entry
                }],
                role: if stays { Role::Kept } else { Role::Reduced },
            });
        }
    }
    Ok(parts)
}

/// Otherwise the axes say it, and where the destination has several places along a reduced axis,
/// each is a thread's own.
fn parts_of_axes(
    record: &Record,
    source: &Layout,
    destination: &Layout,
) -> Result<Vec<Part>, String> {
    let reduced = reduced_dimensions(&record.axes, record.src_shape.len())?;
    let mut parts = Vec::new();
    for (dimension, entries) in source.by_dimension(&record.src_shape)?.iter().enumerate() {
        let whole = record.src_shape[dimension];
        let region = region(&record.src_region, dimension, whole);
        let is_column = |entry: &Entry| {
            reduced[dimension] && !entry.is_register() && destination.shard.contains(entry)
        };
        let mut own = entries.clone();
        if region != [0, whole] {
            match own.as_mut_slice() {
                [entry] => entry.extent = region[1],
                _ => return Err("a region of a dimension with several layout entries".to_owned()),
            }
        }
        if own.iter().any(is_column) {
            parts.extend(own.iter().map(|entry| Part {
                whole: entry.extent,
                region: [0, entry.extent],
                entries: vec![*entry],
                role: if is_column(entry) {
                    Role::Columns
                } else {
                    Role::Reduced
                },
            }));
        } else {
            parts.push(Part {
                whole,
                region,
                entries: own,
                role: if reduced[dimension] {
                    Role::Reduced
                } else {
                    Role::Kept
                },
            });
        }
    }
    Ok(parts)
}

fn region(region: &[[usize; 2]], dimension: usize, whole: usize) -> [usize; 2] {
    region.get(dimension).copied().unwrap_or([0, whole])
}

struct Reduction<'a> {
    record: &'a Record,
    element: Element,
    destination: Layout,
    parts: Vec<Part>,
    /// Groups of threads with a tile each.
    groups: usize,
    /// Threads of a group.
    unit: usize,
    lines: Vec<String>,
}

impl Reduction<'_> {
    fn extents(&self, of: impl Fn(&Part) -> usize) -> Vec<usize> {
        self.parts.iter().map(of).collect()
    }

    fn marks(&self, wanted: impl Fn(Role) -> bool) -> Vec<bool> {
        self.parts.iter().map(|part| wanted(part.role)).collect()
    }

    /// A tile for each group.
    fn memory(&self, extents: &[usize]) -> Vec<usize> {
        let mut memory = extents.to_vec();
        if self.groups > 1 {
            memory.insert(0, self.groups);
        }
        memory
    }

    /// Marks of dimensions, for tiles in memory.
    fn memory_marks(&self, marks: &[bool]) -> Vec<bool> {
        let mut all = marks.to_vec();
        if self.groups > 1 {
            all.insert(0, false);
        }
        all
    }

    fn memory_region(&self, region: &[[usize; 2]]) -> Vec<[usize; 2]> {
        let mut all = region.to_vec();
        if self.groups > 1 {
            all.insert(0, [0, self.groups]);
        }
        all
    }

    /// Says that `name` is the group's own part of `whole`: a region, with some dimensions of 1
    /// dropped. Returns the name to use and its type.
    fn own(
        &mut self,
        name: &str,
        whole: &str,
        extents: &[usize],
        region: &[[usize; 2]],
        dropped: &[bool],
    ) -> Result<(String, String), String> {
        let memory = View::whole(&self.memory(extents));
        let ty = memory.mlir_type(self.element, "");
        let full = region
            .iter()
            .zip(extents)
            .all(|(part, whole)| *part == [0, *whole]);
        if self.groups == 1 && full && !dropped.contains(&true) {
            return Ok((whole.to_owned(), ty));
        }
        let mut region = region.to_vec();
        let mut starts: Vec<String> = region.iter().map(|[start, _]| start.to_string()).collect();
        let mut dropped = dropped.to_vec();
        if self.groups > 1 {
            region.insert(0, [0, 1]);
            starts.insert(0, "%group".to_owned());
            dropped.insert(0, true);
        }
        let part = memory.region(&region)?;
        let part = View {
            extents: pick(&part.extents, &dropped, false),
            strides: pick(&part.strides, &dropped, false),
            whole: false,
            ..part
        };
        let part_type = if self.groups > 1 {
            part.mlir_type_anywhere(self.element, "")
        } else {
            part.mlir_type(self.element, "")
        };
        let extents: Vec<usize> = region.iter().map(|[_, extent]| *extent).collect();
        self.lines.push(format!(
            "{name} = memref.subview {whole}[{}] [{}] [{}] : {ty} to {part_type}",
            starts.join(", "),
            list(&extents),
            list(&vec![1; region.len()]),
        ));
        Ok((name.to_owned(), part_type))
    }

    fn scope(&self) -> &str {
        &self.record.exec_scope
    }

    fn load(&mut self, name: &str, (memory, ty): &(String, String), fragment: &str) {
        self.lines.push(format!(
            "{name} = tile.load {memory} scope({}) : {ty} -> {fragment}",
            self.scope()
        ));
    }

    fn store(&mut self, name: &str, (memory, ty): &(String, String), fragment: &str) {
        self.lines.push(format!(
            "tile.store {name} to {memory} scope({}) : {fragment} to {ty}",
            self.scope()
        ));
    }

    fn reduce(
        &mut self,
        name: &str,
        (source, source_type): (&str, &str),
        init: Option<&str>,
        reduced: &[bool],
        result: &str,
    ) {
        let axes: Vec<usize> = (0..reduced.len()).filter(|d| reduced[*d]).collect();
        let (before, after, types) = match init {
            Some(init) => (
                format!(" init({init})"),
                " accumulate",
                format!(" init {result}"),
            ),
            None => (String::new(), "", String::new()),
        };
        self.lines.push(format!(
            "{name} = tile.reduce {} {source}{before} axes [{}] scope({}){after} : \
             {source_type}{types} -> {result}",
            self.record.op,
            list(&axes),
            self.scope()
        ));
    }

    /// Loads the source; its type.
    fn load_source(&mut self) -> Result<String, String> {
        let whole = self.extents(|part| part.whole);
        let region: Vec<[usize; 2]> = self.parts.iter().map(|part| part.region).collect();
        let none = vec![false; region.len()];
        let from = self.own("%from", "%A", &whole, &region, &none)?;
        let layout = Layout {
            shard: self.parts.iter().flat_map(|p| p.entries.clone()).collect(),
            ..Layout::default()
        };
        let fragment = layout.fragment(&self.extents(|part| part.region[1]), self.element);
        self.load("%x", &from, &fragment);
        Ok(fragment)
    }

    fn inputs(&self, random: &mut Mt19937) -> (Vec<usize>, Vec<f64>) {
        let shape = self.memory(&self.extents(|part| part.whole));
        let count = shape.iter().product();
        (shape, random.fill(self.element, count, 1.0))
    }

    fn old(&self, random: &mut Mt19937, count: usize) -> Vec<f64> {
        if self.record.accum {
            random.fill(self.element, count, 0.5)
        } else {
            vec![0.0; count]
        }
    }

    /// The source in memory, as the reference sees it.
    fn source_view(&self) -> Result<View, String> {
        let region: Vec<[usize; 2]> = self.parts.iter().map(|part| part.region).collect();
        View::whole(&self.memory(&self.extents(|part| part.whole)))
            .region(&self.memory_region(&region))
    }

    /// The kernel around the lines written so far.
    fn program(self, arguments: &[Vec<usize>]) -> Result<String, String> {
        let arguments: Vec<String> = arguments
            .iter()
            .zip(["%A", "%B", "%C"])
            .map(|(shape, name)| {
                format!("{name}: {}", View::whole(shape).mlir_type(self.element, ""))
            })
            .collect();
        let mut body = Vec::new();
        if self.groups > 1 {
            body.push("%thread = gpu.thread_id x".to_owned());
            body.push(format!("%unit = arith.constant {} : index", self.unit));
            body.push("%group = arith.divui %thread, %unit : index".to_owned());
        }
        match &self.record.guard {
            Some(guard) => body.extend(guarded(guard, self.lines)?),
            None => body.extend(self.lines),
        }
        Ok(kernel(
            &format!("({})", arguments.join(", ")),
            "",
            [self.record.threads, 1, 1],
            &body,
        ))
    }

    /// Every element of the destination is a result of its own.
    fn plain(mut self) -> Result<Case, String> {
        let record = self.record;
        let reduced = self.marks(|part| part == Role::Reduced);
        let source = self.extents(|part| part.region[1]);
        let removed = pick(&source, &reduced, false);
        let ones: Vec<usize> = source
            .iter()
            .zip(&reduced)
            .map(|(extent, reduced)| if *reduced { 1 } else { *extent })
            .collect();
        let wanted: Vec<usize> = (0..record.dst_shape.len())
            .map(|d| region(&record.dst_region, d, record.dst_shape[d])[1])
            .collect();
        // Any other shape with as many elements is the same memory.
        let (shape, extents, part) = if wanted == removed || wanted == ones {
            (record.dst_shape.clone(), wanted, record.dst_region.clone())
        } else {
            let full = record.dst_shape == wanted;
            let fits = wanted.iter().product::<usize>() == removed.iter().product::<usize>();
            if !(full && fits) {
                return Err(format!("a destination {wanted:?} for {removed:?}"));
            }
            let part = removed.iter().map(|extent| [0, *extent]).collect();
            (removed.clone(), removed, part)
        };
        let part: Vec<[usize; 2]> = (0..shape.len())
            .map(|d| region(&part, d, shape[d]))
            .collect();
        let mut layout = self.destination.clone();
        if extents != shape {
            let mut entries = Vec::new();
            for (own, extent) in layout.by_dimension(&shape)?.into_iter().zip(&extents) {
                match own.as_slice() {
                    [entry] => entries.push(Entry {
                        extent: *extent,
                        ..*entry
                    }),
                    _ => entries.extend(own),
                }
            }
            layout.shard = entries;
        }

        let fragment = self.load_source()?;
        let result = layout.fragment(&extents, self.element);
        let none = vec![false; shape.len()];
        let to = self.own("%to", "%B", &shape, &part, &none)?;
        if record.accum {
            self.load("%old", &to, &result);
        }
        let init = record.accum.then_some("%old");
        self.reduce("%r", ("%x", &fragment), init, &reduced, &result);
        self.store("%r", &to, &result);

        let mut random = Mt19937::new(0);
        let (input_shape, inputs) = self.inputs(&mut random);
        let memory = self.memory(&shape);
        let old = self.old(&mut random, memory.iter().product());
        let mut expected = old.clone();
        let region = self.memory_region(&part);
        Reference {
            op: &record.op,
            accumulate: record.accum,
            element: self.element,
            source: &self.source_view()?,
            reduced: &self.memory_marks(&reduced),
            destination: &View::whole(&memory).region(&region)?,
        }
        .apply(&inputs, &mut expected)?;
        let element = self.element;
        let program = self.program(&[input_shape.clone(), memory.clone()])?;
        Ok(Case::runs(
            program,
            vec![
                Argument::new(element, &input_shape, &inputs),
                Argument::new(element, &memory, &old),
            ],
            vec![Output {
                argument: 1,
                element,
                expected: element.array(&memory, &expected),
                region,
                atol: record.atol,
                rtol: 1e-7,
            }],
        ))
    }

    /// The destination has a column for each of the threads that share a result.
    fn columns(mut self) -> Result<Case, String> {
        let record = self.record;
        let element = self.element;
        let is_reduced = reduced_dimensions(&record.axes, record.src_shape.len())?;
        if record.dst_shape.len() != is_reduced.len() {
            return Err("columns of a destination of another rank".to_owned());
        }
        let at_once = record.config["thread_reduce"] == Value::Bool(true);
        let then_all = record.steps.len() > 1;

        let fragment = self.load_source()?;
        let mut from = ("%x", fragment, self.marks(|part| part != Role::Kept));
        if !at_once {
            let registers = self.marks(|part| part == Role::Reduced);
            let extents = pick(&self.extents(|part| part.region[1]), &registers, false);
            let partial = self.destination.fragment(&extents, element);
            self.reduce("%partial", ("%x", &from.1), None, &registers, &partial);
            let columns = self.marks(|part| part == Role::Columns);
            from = ("%partial", partial, pick(&columns, &registers, false));
        }

        let mut random = Mt19937::new(0);
        let (input_shape, inputs) = self.inputs(&mut random);
        let memory = self.memory(&record.dst_shape);
        let old = self.old(&mut random, memory.iter().product());
        let mut expected = old.clone();
        let mut arguments = vec![
            Argument::new(element, &input_shape, &inputs),
            Argument::new(element, &memory, &old),
        ];
        let mut shapes = vec![input_shape, memory.clone()];
        let mut outputs = Vec::new();

        if !at_once && !then_all {
            // The columns are the threads' own parts.
            let none = vec![false; is_reduced.len()];
            let full: Vec<[usize; 2]> = record.dst_shape.iter().map(|e| [0, *e]).collect();
            let to = self.own("%to", "%B", &record.dst_shape, &full, &none)?;
            self.store("%partial", &to, &from.1.clone());
            if record.accum {
                return Err("there is no rule for columns on top of old ones".to_owned());
            }
            let registers = self.marks(|part| part == Role::Reduced);
            Reference {
                op: &record.op,
                accumulate: false,
                element,
                source: &self.source_view()?,
                reduced: &self.memory_marks(&registers),
                destination: &View::whole(&memory),
            }
            .apply(&inputs, &mut expected)?;
        } else {
            let entries = self.destination.by_dimension(&record.dst_shape)?;
            let kept: Vec<Entry> = pick(&entries, &is_reduced, false).concat();
            let shared: Vec<Entry> = pick(&entries, &is_reduced, true).concat();
            let extents = pick(&record.dst_shape, &is_reduced, false);
            let marks = self.marks(|part| part != Role::Kept);
            let source = self.source_view()?;
            let column_counts = pick(&record.dst_shape, &is_reduced, true);
            for column in 0..column_counts.iter().product() {
                let layout = Layout {
                    shard: kept.clone(),
                    replica: self.destination.replica.clone(),
                    offset: column_offset(&self.destination.offset, &shared, column),
                };
                let result = layout.fragment(&extents, element);
                let part = column_region(&record.dst_shape, &is_reduced, column);
                let to = self.own(
                    &format!("%to{column}"),
                    "%B",
                    &record.dst_shape,
                    &part,
                    &is_reduced,
                )?;
                let old = format!("%old{column}");
                if record.accum {
                    self.load(&old, &to, &result);
                }
                let init = record.accum.then_some(old.as_str());
                let name = format!("%r{column}");
                self.reduce(&name, (from.0, &from.1), init, &from.2, &result);
                self.store(&name, &to, &result);

                let region = self.memory_region(&part);
                let view = View::whole(&memory).region(&region)?;
                let dropped = self.memory_marks(&is_reduced);
                Reference {
                    op: &record.op,
                    accumulate: record.accum,
                    element,
                    source: &source,
                    reduced: &self.memory_marks(&marks),
                    destination: &View {
                        extents: pick(&view.extents, &dropped, false),
                        strides: pick(&view.strides, &dropped, false),
                        ..view
                    },
                }
                .apply(&inputs, &mut expected)?;
            }
            if !record.accum {
                let layout = Layout {
                    shard: kept,
                    replica: [self.destination.replica.clone(), shared].concat(),
                    offset: self.destination.offset.clone(),
                };
                let result = layout.fragment(&extents, element);
                let full: Vec<[usize; 2]> = extents.iter().map(|e| [0, *e]).collect();
                let none = vec![false; extents.len()];
                let to = self.own("%all", "%C", &extents, &full, &none)?;
                self.reduce("%r", (from.0, &from.1), None, &from.2, &result);
                self.store("%r", &to, &result);
                let rows = self.memory(&extents);
                let count = rows.iter().product();
                let mut expected = vec![0.0; count];
                Reference {
                    op: &record.op,
                    accumulate: false,
                    element,
                    source: &source,
                    reduced: &self.memory_marks(&marks),
                    destination: &View::whole(&rows),
                }
                .apply(&inputs, &mut expected)?;
                arguments.push(Argument::new(element, &rows, &vec![0.0; count]));
                outputs.push(Output::exact(2, element, &rows, &expected).within(record.atol, 1e-7));
                shapes.push(rows);
            }
        }
        outputs.push(Output::exact(1, element, &memory, &expected).within(record.atol, 1e-7));
        Ok(Case::runs(self.program(&shapes)?, arguments, outputs))
    }
}

/// Where the thread of a column is, relative to the first column's.
fn column_offset(
    offset: &[(usize, &'static str)],
    entries: &[Entry],
    column: usize,
) -> Vec<(usize, &'static str)> {
    let mut all = offset.to_vec();
    let mut left = column;
    for entry in entries.iter().rev() {
        let further = left % entry.extent * entry.stride;
        left /= entry.extent;
        match all.iter_mut().find(|(_, axis)| *axis == entry.axis) {
            Some((constant, _)) => *constant += further,
            None if further > 0 => all.push((further, entry.axis)),
            None => {}
        }
    }
    all
}

/// The part of the destination that a column is.
fn column_region(shape: &[usize], reduced: &[bool], column: usize) -> Vec<[usize; 2]> {
    let mut left = column;
    let mut region: Vec<[usize; 2]> = shape
        .iter()
        .zip(reduced)
        .rev()
        .map(|(extent, reduced)| {
            if *reduced {
                let at = left % extent;
                left /= extent;
                [at, 1]
            } else {
                [0, *extent]
            }
        })
        .collect();
    region.reverse();
    region
}

/// Warps reduce what they have, leave it in shared memory, and the first warp reduces that, several
/// times over with the same memory.
fn two_level_case(record: &Record, source: &Layout, destination: &Layout) -> Result<Case, String> {
    let element = Element::parse(&record.dtype)?;
    let ty = element.mlir();
    let warps = record.threads / WARP;
    let per_warp: usize = source.shard.iter().map(|e| e.extent).product();
    let per_result: usize = destination.shard.iter().map(|e| e.extent).product();
    if per_result != 1 || per_warp != WARP {
        return Err("there is no rule for several results of several warps".to_owned());
    }
    let rounds = record
        .iterations
        .or_else(|| record.global_src_shape.first().copied())
        .unwrap_or(3);
    let x = source.fragment(&[per_warp], element);
    let s = destination.fragment(&[1], element);
    let of_warps = |shard: &str| format!("#tile.layout<{shard}>");
    let y = format!(
        "!tile.fragment<{warps}x{ty}, {}>",
        of_warps(&format!("[<{warps} : 1 lane>]"))
    );
    let t = format!(
        "!tile.fragment<1x{ty}, {}>",
        of_warps(&format!("[<1 : 1 reg>] replica [<{warps} : 1 lane>]"))
    );
    let op = &record.op;
    let a = format!("memref<{rounds}x{warps}x{WARP}x{ty}>");
    let b = format!("memref<{rounds}x{ty}>");
    let sums = format!("memref<{warps}x{ty}, #gpu.address_space<workgroup>>");
    let own = format!("memref<{WARP}x{ty}, strided<[1], offset: ?>>");
    let one = format!("memref<1x{ty}, strided<[1], offset: ?>>");
    let sum = format!("memref<1x{ty}, strided<[1], offset: ?>, #gpu.address_space<workgroup>>");
    let body = format!(
        "%thread = gpu.thread_id x
%lanes = arith.constant {WARP} : index
%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%rounds = arith.constant {rounds} : index
%warp = arith.divui %thread, %lanes : index
%is_first = arith.cmpi eq, %warp, %zero : index
scf.for %round = %zero to %rounds step %one {{
  %from = memref.subview %A[%round, %warp, 0] [1, 1, {WARP}] [1, 1, 1] : {a} to {own}
  %x = tile.load %from scope(warp) : {own} -> {x}
  %s = tile.reduce {op} %x axes [0] scope(warp) : {x} -> {s}
  %to = memref.subview %sums[%warp] [1] [1] : {sums} to {sum}
  tile.store %s to %to scope(warp) : {s} to {sum}
  scf.if %is_first {{
    %y = tile.load %sums scope(warp) : {sums} -> {y}
    %t = tile.reduce {op} %y axes [0] scope(warp) : {y} -> {t}
    %result = memref.subview %B[%round] [1] [1] : {b} to {one}
    tile.store %t to %result scope(warp) : {t} to {one}
  }}
}}"
    );
    let shape = [rounds, warps, WARP];
    let inputs = Mt19937::new(0).fill(element, shape.iter().product(), 1.0);
    let mut expected = vec![0.0; rounds];
    Reference {
        op,
        accumulate: false,
        element,
        source: &View::whole(&shape),
        reduced: &[false, true, true],
        destination: &View::whole(&[rounds]),
    }
    .apply(&inputs, &mut expected)?;
    Ok(Case::runs(
        kernel(
            &format!("(%A: {a}, %B: {b})"),
            &format!(" workgroup(%sums : {sums})"),
            [record.threads, 1, 1],
            &[body],
        ),
        vec![
            Argument::new(element, &shape, &inputs),
            Argument::new(element, &[rounds], &vec![0.0; rounds]),
        ],
        vec![Output::exact(1, element, &[rounds], &expected).within(record.atol, 1e-7)],
    ))
}
