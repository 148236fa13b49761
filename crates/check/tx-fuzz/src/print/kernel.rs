//! Printer for kernels.

use super::memref::{Memref, Part, Start};
use super::text::Text;
use crate::derive::{Contradiction, LeadingDimension, contradiction};
use crate::description::{
    Copy, Destination, Fragment, Groups, Iter, Kernel, KernelOp, Lanes, Layout, Reduce, Scope,
    Source, Space, Tile, View, Work,
};
use crate::element::Element;
use crate::print::syntax::{axes, braces, list, names, types};

/// Maximum shared memory per block in bytes, below the limit of every chip.
const MOST_SHARED: usize = 44 << 10;
/// Maximum private memory per thread in bytes.
const MOST_PRIVATE: usize = 16 << 10;

pub(crate) fn print(kernel: &Kernel) -> Result<Text, Contradiction> {
    let mut printer = Printer {
        kernel,
        arguments: Vec::new(),
        parameters: Vec::new(),
        workgroup: Vec::new(),
        private: Vec::new(),
        shared_bytes: 0,
        private_bytes: 0,
        head: Vec::new(),
        body: Vec::new(),
        after: Vec::new(),
        results: Vec::new(),
        names: 0,
        open: false,
    };
    for at in 0..kernel.work.len() {
        printer.work(at)?;
    }
    printer.finish()
}

/// Array that contains the tiles of an op.
#[derive(Clone, Debug)]
struct Stored {
    base: Memref,
    lead: Vec<LeadingDimension>,
    shape: Vec<usize>,
    view: View,
}

struct Printer<'k> {
    kernel: &'k Kernel,
    arguments: Vec<(Element, Vec<usize>)>,
    parameters: Vec<String>,
    workgroup: Vec<String>,
    private: Vec<String>,
    shared_bytes: usize,
    private_bytes: usize,
    /// Printed subviews of the arguments. Each subview selects the part of an argument that one
    /// block accesses.
    head: Vec<String>,
    body: Vec<String>,
    after: Vec<String>,
    results: Vec<Vec<Stored>>,
    names: usize,
    open: bool,
}

/// Printed lines of one op. All threads execute the printed lines in the field `first`. Only the
/// thread groups that [`Groups`] selects for the op execute the printed lines in the fields
/// `enter`, `inner` and `leave`. The field `inner` contains the loop body.
#[derive(Default)]
struct Lines {
    first: Vec<String>,
    enter: Vec<String>,
    inner: Vec<String>,
    leave: Vec<String>,
}

impl Printer<'_> {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("%{prefix}{}", self.names)
    }

    fn argument(&mut self, element: Element, sizes: Vec<usize>, open: bool) -> Memref {
        let blocks = self.kernel.blocks();
        let own = sizes.clone();
        let sizes: Vec<usize> = match blocks {
            1 => sizes,
            // A subview of an empty array must start within the array.
            n => [n]
                .into_iter()
                .chain(sizes)
                .map(|size| size.max(1))
                .collect(),
        };
        let loose = vec![open && !sizes.is_empty(); sizes.len()];
        self.open |= loose.contains(&true);
        let name = format!("%a{}", self.arguments.len());
        let argument = Memref::new(name, element, Space::Global, sizes.clone(), loose);
        self.parameters
            .push(format!("{}: {}", argument.name, argument.ty()));
        self.arguments.push((element, sizes));
        if blocks == 1 {
            return argument;
        }
        let part = |start: Start, size: Option<usize>| Part {
            start,
            size,
            step: 1,
        };
        let mut parts = vec![part(Start::Value("%block".to_owned()), None)];
        parts.extend(own.iter().map(|size| part(Start::At(0), Some(*size))));
        let name = format!("{}b", argument.name);
        let mut head = std::mem::take(&mut self.head);
        let own = argument.subview(name, &parts, &mut head);
        self.head = head;
        own
    }

    /// Creates an array of tiles in a memory space. An array in global memory is an argument. An
    /// array in shared or private memory has a corresponding kernel argument. If `fill` is set, the
    /// kernel copies this argument to the array before the op executes. If `kept` is set, the
    /// kernel copies the array to this argument after the op has executed.
    #[expect(clippy::too_many_arguments, reason = "memory is all of these")]
    fn memory(
        &mut self,
        element: Element,
        lead: Vec<LeadingDimension>,
        shape: Vec<usize>,
        view: &View,
        space: Space,
        fill: bool,
        kept: bool,
        lines: &mut Lines,
    ) -> Result<Stored, Contradiction> {
        let order = view.order(shape.len());
        let mut stored: Vec<usize> = order.iter().map(|d| view.extent(*d, shape[*d])).collect();
        if !lead.is_empty() {
            // A subview of an empty array must start within the array.
            stored.iter_mut().for_each(|size| *size = (*size).max(1));
        }
        let sizes: Vec<usize> = lead
            .iter()
            .map(|l| l.size())
            .chain(stored.clone())
            .collect();
        let argument = self.argument(element, sizes.clone(), view.open && space != Space::Private);
        let bytes = |sizes: &[usize]| sizes.iter().product::<usize>() * element.bytes().max(4);
        let whole = |base: Memref, lead: Vec<LeadingDimension>| Stored {
            base,
            lead,
            shape: shape.clone(),
            view: view.clone(),
        };
        let copy = |from: &Memref, to: &Memref, scope: &str| {
            format!(
                "tile.copy {} to {} scope({scope}) : {} to {}",
                from.name,
                to.name,
                from.ty(),
                to.ty()
            )
        };
        match space {
            Space::Global => Ok(whole(argument, lead)),
            Space::Shared => {
                self.shared_bytes += bytes(&sizes);
                if self.shared_bytes > MOST_SHARED {
                    return contradiction("too much shared memory");
                }
                let loose = vec![false; sizes.len()];
                let shared = Memref::new(self.name("s"), element, space, sizes, loose);
                self.workgroup
                    .push(format!("{} : {}", shared.name, shared.ty()));
                if fill {
                    lines.first.push(copy(&argument, &shared, "cta"));
                }
                if kept {
                    self.after.push(copy(&shared, &argument, "cta"));
                }
                Ok(whole(shared, lead))
            }
            Space::Private => {
                // An array in private memory needs no dimension for thread groups.
                let own: Vec<LeadingDimension> = lead
                    .iter()
                    .copied()
                    .filter(|l| matches!(l, LeadingDimension::Iteration(_)))
                    .collect();
                let own_sizes: Vec<usize> = own.iter().map(|l| l.size()).chain(stored).collect();
                self.private_bytes += bytes(&own_sizes);
                if self.private_bytes > MOST_PRIVATE {
                    return contradiction("too much private memory");
                }
                let loose = vec![false; own_sizes.len()];
                let private = Memref::new(self.name("p"), element, space, own_sizes, loose);
                self.private
                    .push(format!("{} : {}", private.name, private.ty()));
                let mut enter = Vec::new();
                let part = if own == lead {
                    argument
                } else {
                    let parts: Vec<Part> = argument
                        .sizes
                        .iter()
                        .enumerate()
                        .map(|(d, size)| match lead.get(d) {
                            Some(LeadingDimension::Group(_)) => Part {
                                start: Start::Value("%thread".to_owned()),
                                size: None,
                                step: 1,
                            },
                            _ => Part {
                                start: Start::At(0),
                                size: Some(*size),
                                step: 1,
                            },
                        })
                        .collect();
                    let name = self.name("g");
                    argument.subview(name, &parts, &mut enter)
                };
                if fill || kept {
                    lines.enter.extend(enter);
                }
                if fill {
                    lines.enter.push(copy(&part, &private, "thread"));
                }
                if kept {
                    lines.leave.push(copy(&private, &part, "thread"));
                }
                Ok(whole(private, own))
            }
        }
    }

    /// Prints a subview that selects a tile. `which` contains one entry per leading dimension of
    /// the array of tiles. An entry of `which` is the index of a tile along one leading dimension;
    /// the entry `None` selects all tiles along the leading dimension.
    fn see(&mut self, stored: &Stored, which: &[Option<&str>], lines: &mut Vec<String>) -> Memref {
        let rank = stored.shape.len();
        let order = stored.view.order(rank);
        let mut shape: Vec<usize> = Vec::new();
        let mut parts = Vec::new();
        for (lead, which) in stored.lead.iter().zip(which) {
            parts.push(match which {
                Some(value) => Part {
                    start: Start::Value((*value).to_owned()),
                    size: None,
                    step: 1,
                },
                None => {
                    shape.push(lead.size());
                    Part {
                        start: Start::At(0),
                        size: Some(lead.size()),
                        step: 1,
                    }
                }
            });
        }
        let kept = shape.len();
        shape.extend(&stored.shape);
        for d in &order {
            parts.push(Part {
                start: Start::At(stored.view.before(*d)),
                size: Some(stored.shape[*d]),
                step: stored.view.step(*d, stored.shape[*d]),
            });
        }
        let is_whole = parts.iter().zip(&stored.base.sizes).all(|(part, size)| {
            matches!(part.start, Start::At(0)) && part.size == Some(*size) && part.step == 1
        });
        let mut seen = stored.base.clone();
        if !is_whole {
            let name = self.name("v");
            seen = seen.subview(name, &parts, lines);
        }
        if !order.iter().copied().eq(0..rank) {
            let mut from: Vec<usize> = (0..kept).collect();
            from.extend((0..rank).map(|d| kept + order.iter().position(|o| *o == d).unwrap_or(d)));
            let name = self.name("t");
            seen = seen.transpose(name, &from, lines);
        }
        let loose: Vec<bool> = (0..shape.len())
            .map(|d| seen.loose[d] || d >= kept && stored.view.is_loose(d - kept))
            .collect();
        if loose != seen.loose {
            let name = self.name("c");
            seen = seen.loosened(name, loose, lines);
        }
        seen
    }

    /// Prints the memrefs that an op reads, one memref for each element type in `elements`.
    fn sources(
        &mut self,
        at: usize,
        source: &Source,
        elements: &[Element],
        lines: &mut Lines,
    ) -> Result<Vec<Memref>, Contradiction> {
        let kernel = self.kernel;
        let work = &kernel.work[at];
        match source {
            Source::Fresh(tile) => self.fresh(work, tile, elements, lines),
            Source::Result { work: from, part } => {
                let mine = kernel.takes_part_of(at, *from)?;
                let known = self.results[*from].clone();
                let first = if elements.len() == 1 { *part } else { 0 };
                let mut seen = Vec::new();
                for (i, element) in elements.iter().enumerate() {
                    let Some(stored) = known.get(first + i) else {
                        return contradiction("fewer results than sources");
                    };
                    if stored.base.element != *element {
                        return contradiction("results of another type");
                    }
                    let which: Vec<Option<&str>> = stored
                        .lead
                        .iter()
                        .map(|lead| match lead {
                            LeadingDimension::Group(_) if mine => Some(group_name(work.scope)),
                            _ => None,
                        })
                        .collect();
                    seen.push(self.see(stored, &which, &mut lines.inner));
                }
                Ok(seen)
            }
        }
    }

    fn fresh(
        &mut self,
        work: &Work,
        tile: &Tile,
        elements: &[Element],
        lines: &mut Lines,
    ) -> Result<Vec<Memref>, Contradiction> {
        if tile.space == Space::Private && work.scope != Scope::Thread {
            return contradiction("private memory of one thread");
        }
        let lead = work.lead(self.kernel, tile.each);
        let mut seen = Vec::new();
        for element in elements {
            let stored = self.memory(
                *element,
                lead.clone(),
                tile.shape.clone(),
                &tile.view,
                tile.space,
                true,
                false,
                lines,
            )?;
            let which = which(work, &stored.lead);
            seen.push(self.see(&stored, &which, &mut lines.inner));
        }
        Ok(seen)
    }

    fn destinations(
        &mut self,
        at: usize,
        to: &Destination,
        filled: bool,
        lines: &mut Lines,
    ) -> Result<Vec<Memref>, Contradiction> {
        let kernel = self.kernel;
        let work = &kernel.work[at];
        if to.space == Space::Private && work.scope != Scope::Thread {
            return contradiction("private memory of one thread");
        }
        if to.view.step.contains(&0) {
            return contradiction("results in one place");
        }
        let written = kernel.written(at)?;
        let (mut all, mut seen) = (Vec::new(), Vec::new());
        // Initialize the gaps between elements, because the kernel also copies the gaps to the
        // argument.
        let fill = filled
            || !to.view.is_whole(&written.shape)
            || written.shape.contains(&0)
            || matches!(work.groups, Groups::Only(_)) && to.space == Space::Shared;
        for element in &written.elements {
            let stored = self.memory(
                *element,
                written.lead.clone(),
                written.shape.clone(),
                &to.view,
                to.space,
                fill,
                true,
                lines,
            )?;
            let which = which(work, &stored.lead);
            seen.push(self.see(&stored, &which, &mut lines.inner));
            all.push(stored);
        }
        self.results[at] = all;
        Ok(seen)
    }

    fn work(&mut self, at: usize) -> Result<(), Contradiction> {
        let kernel = self.kernel;
        let work = &kernel.work[at];
        let threads = kernel.threads();
        let mut lines = Lines::default();
        self.results.push(Vec::new());
        if let Groups::Only(group) = work.groups
            && group >= work.scope.groups(threads)
        {
            return contradiction("no such group");
        }
        if work.scope == Scope::Warpgroup
            && !threads.is_multiple_of(128)
            && work.groups == Groups::Each
        {
            return contradiction("an incomplete warpgroup");
        }
        match &work.op {
            KernelOp::Reduce(op) => self.reduce(at, op, &mut lines)?,
            KernelOp::Fragment(op) => self.fragment(at, op, &mut lines)?,
            KernelOp::Lanes(op) => self.lanes(at, op, &mut lines)?,
            KernelOp::Copy(op) => self.copy(at, op, &mut lines)?,
            KernelOp::Barrier => lines.first.push("gpu.barrier".to_owned()),
        }
        self.body.append(&mut lines.first);
        let mut inner = lines.enter;
        if let Some(turns) = work.turns {
            let end = self.name("end");
            inner.push(format!("{end} = arith.constant {turns} : index"));
            inner.push(format!("scf.for %turn = %zero to {end} step %one {{"));
            inner.extend(lines.inner.iter().map(|line| indent(line)));
            inner.push("}".to_owned());
        } else {
            inner.extend(lines.inner);
        }
        inner.extend(lines.leave);
        if let Groups::Only(group) = work.groups
            && !inner.is_empty()
            && work.scope != Scope::Cta
        {
            let (wanted, found) = (self.name("k"), self.name("is"));
            self.body
                .push(format!("{wanted} = arith.constant {group} : index"));
            self.body.push(format!(
                "{found} = arith.cmpi eq, {}, {wanted} : index",
                group_name(work.scope)
            ));
            self.body.push(format!("scf.if {found} {{"));
            self.body.extend(inner.iter().map(|line| indent(line)));
            self.body.push("}".to_owned());
        } else {
            self.body.extend(inner);
        }
        Ok(())
    }

    fn reduce(&mut self, at: usize, op: &Reduce, lines: &mut Lines) -> Result<(), Contradiction> {
        let rank = self.kernel.seen(at)?.len();
        let combine = &op.combine;
        let sources = self.sources(at, &op.source, &combine.sources(), lines)?;
        let destinations = self.destinations(at, &op.to, combine.accumulate, lines)?;
        lines.inner.push(format!(
            "tile.reduce {} {} into {} axes [{}] scope({}){}{}{} : {} into {}",
            combine.kind.name(),
            names(&sources),
            names(&destinations),
            axes(&op.axes, rank, op.negative),
            self.kernel.work[at].scope.name(),
            if combine.accumulate {
                " accumulate"
            } else {
                ""
            },
            combine.region(),
            braces(&combine.attributes()),
            types(&sources),
            types(&destinations)
        ));
        Ok(())
    }

    fn copy(&mut self, at: usize, op: &Copy, lines: &mut Lines) -> Result<(), Contradiction> {
        let source = self.sources(at, &op.source, &[op.element], lines)?;
        let destination = self.destinations(at, &op.to, false, lines)?;
        lines.inner.push(format!(
            "tile.copy {} to {} scope({}) : {} to {}",
            names(&source),
            names(&destination),
            self.kernel.work[at].scope.name(),
            types(&source),
            types(&destination)
        ));
        Ok(())
    }

    fn fragment(
        &mut self,
        at: usize,
        op: &Fragment,
        lines: &mut Lines,
    ) -> Result<(), Contradiction> {
        let kernel = self.kernel;
        let work = &kernel.work[at];
        let combine = &op.combine;
        let scope = work.scope.name();
        let shape = op.layout.shape();
        let tile = Tile {
            shape: shape.clone(),
            space: op.space,
            view: op.view.clone(),
            each: op.each,
        };
        let result = op.result_layout(work.scope, kernel.threads())?;
        let sources = self.fresh(work, &tile, &combine.sources(), lines)?;
        let destinations = self.destinations(at, &op.to, combine.accumulate, lines)?;
        let fragment = |layout: &Layout, shape: &[usize], element: Element| {
            let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
            format!(
                "!tile.fragment<{sizes}{}, {}>",
                element.mlir(),
                show(layout)
            )
        };
        let mut values = Vec::new();
        for source in &sources {
            let value = self.name("x");
            let ty = fragment(&op.layout, &shape, source.element);
            lines.inner.push(format!(
                "{value} = tile.load {} scope({scope}) : {} -> {ty}",
                source.name,
                source.ty()
            ));
            values.push((value, ty));
        }
        let written = kernel.written(at)?;
        let mut results = Vec::new();
        let mut olds = Vec::new();
        for destination in &destinations {
            let ty = fragment(&result, &written.shape, destination.element);
            if combine.accumulate {
                let old = self.name("o");
                lines.inner.push(format!(
                    "{old} = tile.load {} scope({scope}) : {} -> {ty}",
                    destination.name,
                    destination.ty()
                ));
                olds.push(old);
            }
            results.push((self.name("r"), ty));
        }
        let (names, types): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let (made, result_types): (Vec<_>, Vec<_>) = results.into_iter().unzip();
        let init = match olds.is_empty() {
            true => [String::new(), String::new()],
            false => [
                format!(" init({})", list(&olds)),
                format!(" init {}", list(&result_types)),
            ],
        };
        lines.inner.push(format!(
            "{} = tile.reduce {} {}{} axes [{}] scope({scope}){}{}{} : {}{} -> {}",
            list(&made),
            combine.kind.name(),
            list(&names),
            init[0],
            axes(&op.axes, shape.len(), false),
            if combine.accumulate {
                " accumulate"
            } else {
                ""
            },
            combine.region(),
            braces(&combine.attributes()),
            list(&types),
            init[1],
            list(&result_types)
        ));
        for ((value, ty), destination) in made.iter().zip(&result_types).zip(&destinations) {
            lines.inner.push(format!(
                "tile.store {value} to {} scope({scope}) : {ty} to {}",
                destination.name,
                destination.ty()
            ));
        }
        Ok(())
    }

    fn lanes(&mut self, at: usize, op: &Lanes, lines: &mut Lines) -> Result<(), Contradiction> {
        let kernel = self.kernel;
        let combine = &op.combine;
        let threads = kernel.threads();
        let mut values = Vec::new();
        let mut elements = combine.sources();
        for element in &elements {
            let argument = self.argument(*element, vec![threads], false);
            let value = self.name("x");
            lines.inner.push(format!(
                "{value} = memref.load {}[%thread] : {}",
                argument.name,
                argument.ty()
            ));
            values.push(value);
        }
        if combine.kind.is_arg() {
            let value = self.name("i");
            lines.inner.push(format!(
                "{value} = arith.index_cast %thread : index to {}",
                combine.index.mlir()
            ));
            elements.push(combine.index);
            values.push(value);
        }
        let types: Vec<&str> = elements.iter().map(|element| element.mlir()).collect();
        let made: Vec<String> = elements.iter().map(|_| self.name("r")).collect();
        let groups = op.groups.map_or(String::new(), |(width, stride)| {
            format!(" width {width} stride {stride}")
        });
        lines.inner.push(format!(
            "{} = tile.all_reduce {} {} scope({}){groups}{}{} : {} -> {}",
            list(&made),
            combine.kind.name(),
            list(&values),
            kernel.work[at].scope.name(),
            combine.region(),
            braces(&combine.attributes()),
            list(&types),
            list(&types)
        ));
        for (value, element) in made.iter().zip(&elements) {
            let argument = self.argument(*element, vec![threads], false);
            lines.inner.push(format!(
                "memref.store {value}, {}[%thread] : {}",
                argument.name,
                argument.ty()
            ));
            self.results[at].push(Stored {
                base: argument,
                lead: Vec::new(),
                shape: vec![threads],
                view: View::default(),
            });
        }
        Ok(())
    }

    fn finish(self) -> Result<Text, Contradiction> {
        let [x, y, z] = self.kernel.block;
        let mut head = vec![
            "%zero = arith.constant 0 : index".to_owned(),
            "%one = arith.constant 1 : index".to_owned(),
            "%tx = gpu.thread_id x".to_owned(),
        ];
        if y * z > 1 {
            head.extend([
                "%ty = gpu.thread_id y".to_owned(),
                "%tz = gpu.thread_id z".to_owned(),
                format!("%bx = arith.constant {x} : index"),
                format!("%by = arith.constant {y} : index"),
                "%up = arith.muli %tz, %by : index".to_owned(),
                "%line = arith.addi %up, %ty : index".to_owned(),
                "%start = arith.muli %line, %bx : index".to_owned(),
                "%thread = arith.addi %start, %tx : index".to_owned(),
            ]);
        } else {
            head.push("%thread = arith.addi %tx, %zero : index".to_owned());
        }
        head.extend([
            "%warp_size = arith.constant 32 : index".to_owned(),
            "%warpgroup_size = arith.constant 128 : index".to_owned(),
            "%warp = arith.divui %thread, %warp_size : index".to_owned(),
            "%warpgroup = arith.divui %thread, %warpgroup_size : index".to_owned(),
        ]);
        let grid = self.kernel.grid;
        if self.kernel.blocks() > 1 {
            head.extend([
                "%gx = gpu.block_id x".to_owned(),
                "%gy = gpu.block_id y".to_owned(),
                "%gz = gpu.block_id z".to_owned(),
                format!("%nx = arith.constant {} : index", grid[0]),
                format!("%ny = arith.constant {} : index", grid[1]),
                "%level = arith.muli %gz, %ny : index".to_owned(),
                "%row = arith.addi %level, %gy : index".to_owned(),
                "%before = arith.muli %row, %nx : index".to_owned(),
                "%block = arith.addi %before, %gx : index".to_owned(),
            ]);
        }
        let body: String = head
            .iter()
            .chain(&self.head)
            .chain(&self.body)
            .chain(&self.after)
            .flat_map(|line| line.lines())
            .map(|line| format!("      {line}\n"))
            .collect();
        let attributions = |kind: &str, list: &[String]| match list.is_empty() {
            true => String::new(),
            false => format!("\n        {kind}({})", list.join(",\n          ")),
        };
        Ok(Text {
            mlir: format!(
                "module attributes {{gpu.container_module}} {{\n\
                 \x20 gpu.module @fuzz {{\n\
                 \x20   gpu.func @kernel({}){}{}\n\
                 \x20       kernel attributes {{known_block_size = array<i32: {x}, {y}, {z}>, \
                 known_grid_size = array<i32: {}>}} {{\n\
                 {body}\
                 \x20     gpu.return\n\
                 \x20   }}\n\
                 \x20 }}\n\
                 }}\n",
                self.parameters.join(",\n          "),
                attributions("workgroup", &self.workgroup),
                attributions("private", &self.private),
                list(&grid),
            ),
            arguments: self.arguments,
            open: self.open,
            finite: false,
        })
    }
}

/// Returns the name of the SSA value that holds the index of the thread group.
fn group_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Thread => "%thread",
        Scope::Warp => "%warp",
        Scope::Warpgroup => "%warpgroup",
        Scope::Cta => "%zero",
    }
}

/// Returns the SSA values that are the indices along the leading dimensions of an array of tiles.
fn which(work: &Work, lead: &[LeadingDimension]) -> Vec<Option<&'static str>> {
    lead.iter()
        .map(|lead| {
            Some(match lead {
                LeadingDimension::Group(_) => group_name(work.scope),
                LeadingDimension::Iteration(_) => "%turn",
            })
        })
        .collect()
}

fn indent(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

fn show(layout: &Layout) -> String {
    let iter = |iter: &Iter| format!("<{} : {} {}>", iter.extent, iter.stride, iter.axis.name());
    let shard: Vec<String> = layout.dims.iter().flatten().map(iter).collect();
    let mut text = format!("#tile.layout<[{}]", shard.join(", "));
    if !layout.replica.is_empty() {
        let replica: Vec<String> = layout.replica.iter().map(iter).collect();
        text.push_str(&format!(" replica [{}]", replica.join(", ")));
    }
    if !layout.offset.is_empty() {
        let offset: Vec<String> = layout
            .offset
            .iter()
            .map(|(by, axis)| format!("<{by} : constant {}>", axis.name()))
            .collect();
        text.push_str(&format!(" offset [{}]", offset.join(", ")));
    }
    text + ">"
}
