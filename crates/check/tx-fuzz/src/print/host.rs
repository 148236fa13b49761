//! Printer for host functions.

use super::memref::{Memref, Part, Start};
use super::text::Text;
use crate::combine::{Combine, Kind};
use crate::derive::{Contradiction, contradiction, reduced};
use crate::description::{ElementWork, EpilogueWork, Form, GridOp, Host, HostSource, Space, View};
use crate::element::Element::{self, F32};
use crate::print::region::{combined, element_work, identity, literal, widen};
use crate::print::syntax::{axes, braces, list, names, schedule, types};

pub(crate) fn print(host: &Host) -> Result<Text, Contradiction> {
    let mut printer = Printer {
        arguments: Vec::new(),
        parameters: Vec::new(),
        body: Vec::new(),
        allocated: Vec::new(),
        results: Vec::new(),
        names: 0,
        open: false,
    };
    for op in &host.ops {
        printer.grid_op(op)?;
    }
    if host.free {
        let allocated = std::mem::take(&mut printer.allocated);
        for memref in &allocated {
            printer
                .body
                .push(format!("memref.dealloc {} : {}", memref.name, memref.ty()));
        }
    }
    let body: String = printer
        .body
        .iter()
        .flat_map(|line| line.lines())
        .map(|line| format!("  {line}\n"))
        .collect();
    Ok(Text {
        mlir: format!(
            "func.func @host({}) {{\n{body}  return\n}}\n",
            printer.parameters.join(",\n    ")
        ),
        arguments: printer.arguments,
        open: printer.open,
        finite: host.ops.iter().any(|op| op.form == Form::Welford),
    })
}

/// Welford's combiner. A partial result of Welford's combiner consists of a mean, a sum of squared
/// differences, and a count.
const WELFORD: &str = "identity [0.0 : f32, 0.0 : f32, 0.0 : f32] combiner {
^bb0(%ma: f32, %sa: f32, %na: f32, %mb: f32, %sb: f32, %nb: f32):
  %one = arith.constant 1.0 : f32
  %n = arith.addf %na, %nb : f32
  %some = arith.maximumf %n, %one : f32
  %delta = arith.subf %mb, %ma : f32
  %share = arith.divf %nb, %some : f32
  %step = arith.mulf %delta, %share : f32
  %m = arith.addf %ma, %step : f32
  %cross = arith.mulf %na, %step : f32
  %square = arith.mulf %delta, %cross : f32
  %both = arith.addf %sa, %sb : f32
  %s = arith.addf %both, %square : f32
  tile.yield %m, %s, %n : f32, f32, f32
}";

struct Printer {
    arguments: Vec<(Element, Vec<usize>)>,
    parameters: Vec<String>,
    body: Vec<String>,
    allocated: Vec<Memref>,
    /// First destination array of each grid-level op.
    results: Vec<Memref>,
    names: usize,
    open: bool,
}

/// Operands of a grid-level op, as text.
struct Parts<'o> {
    op: &'o GridOp,
    sources: Vec<Memref>,
    destinations: Vec<Memref>,
    extras: Vec<Memref>,
    shape: Vec<usize>,
}

impl Printer {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("%{prefix}{}", self.names)
    }

    fn argument(&mut self, element: Element, sizes: Vec<usize>, loose: Vec<bool>) -> Memref {
        self.open |= loose.contains(&true);
        let name = format!("%a{}", self.arguments.len());
        let argument = Memref::new(name, element, Space::Global, sizes.clone(), loose);
        self.parameters
            .push(format!("{}: {}", argument.name, argument.ty()));
        self.arguments.push((element, sizes));
        argument
    }

    /// Creates an array as an argument or a temporary, and prints a view of the array with the
    /// given shape.
    fn array(&mut self, element: Element, shape: &[usize], view: &View, temporary: bool) -> Memref {
        let rank = shape.len();
        let order = view.order(rank);
        let sizes: Vec<usize> = order.iter().map(|d| view.extent(*d, shape[*d])).collect();
        let mut seen = if temporary {
            let loose = vec![false; rank];
            let memref = Memref::new(self.name("m"), element, Space::Global, sizes, loose);
            self.body.push(format!(
                "{} = memref.alloc() : {}",
                memref.name,
                memref.ty()
            ));
            self.allocated.push(memref.clone());
            memref
        } else {
            // A static view is a subview of a dynamic argument, or the argument itself.
            let whole = view.is_whole(shape);
            let loose = order
                .iter()
                .map(|d| view.open || whole && view.is_loose(*d))
                .collect();
            self.argument(element, sizes, loose)
        };
        if !view.is_whole(shape) {
            let parts: Vec<Part> = order
                .iter()
                .map(|d| Part {
                    start: Start::At(view.before(*d)),
                    size: Some(shape[*d]),
                    step: view.step(*d, shape[*d]),
                })
                .collect();
            let name = self.name("v");
            seen = seen.subview(name, &parts, &mut self.body);
        }
        if !order.iter().copied().eq(0..rank) {
            let from: Vec<usize> = (0..rank)
                .map(|d| order.iter().position(|o| *o == d).unwrap_or(d))
                .collect();
            let name = self.name("t");
            seen = seen.transpose(name, &from, &mut self.body);
        }
        let loose: Vec<bool> = (0..rank)
            .map(|d| seen.loose[d] || view.is_loose(d))
            .collect();
        if loose != seen.loose {
            let name = self.name("c");
            seen = seen.loosened(name, loose, &mut self.body);
        }
        seen
    }

    /// Prints a cast of `memref` to a memref type with dynamic sizes along the dimensions that are
    /// set in `loose`.
    fn fitted(&mut self, memref: Memref, loose: Vec<bool>) -> Memref {
        if memref.loose == loose {
            return memref;
        }
        let name = self.name("f");
        memref.loosened(name, loose, &mut self.body)
    }

    /// Prints a convolution. The shape in [`HostSource::Fresh`] contains the two sizes of the
    /// result, followed by the two sizes of the filter; the function derives the image sizes from
    /// these four sizes.
    fn window(&mut self, op: &GridOp, linalg: bool) -> Result<(), Contradiction> {
        let combine = &op.combine;
        let HostSource::Fresh(shape, view) = &op.source else {
            return contradiction("a window over a result");
        };
        let [h, w, kh, kw] = shape[..] else {
            return contradiction("a window of other than two dimensions");
        };
        if kh * kw == 0 || !matches!(combine.kind, Kind::Sum | Kind::Max | Kind::Min) {
            return contradiction("a window without a filter, or an odd combination");
        }
        let element = combine.element;
        if combine.to != element || combine.acc.is_some() || combine.accumulate {
            return contradiction("a window of several types");
        }
        let open = View {
            open: view.open,
            ..View::default()
        };
        let image = self.array(element, &[h + kh - 1, w + kw - 1], &open, false);
        let filter = self.array(element, &[kh, kw], &View::default(), false);
        let result = self.array(element, &[h, w], &op.view, op.temporary);
        let maps = "affine_map<(i, j, di, dj) -> (i + di, j + dj)>, \
                    affine_map<(i, j, di, dj) -> (di, dj)>, affine_map<(i, j, di, dj) -> (i, j)>";
        let ty = element.mlir();
        let work = element_work(ElementWork::Product, element, None)?;
        let both = [image, filter];
        if linalg {
            let value = identity(combine.kind, element)?;
            self.fill(&result, &value);
            let attributes = match schedule(op) {
                Some(schedule) => format!(" attrs = {{{schedule}}}"),
                None => String::new(),
            };
            self.body.push(format!(
                "linalg.generic {{indexing_maps = [{maps}], \
                 iterator_types = [\"parallel\", \"parallel\", \"reduction\", \"reduction\"]}}\n  \
                 ins({} : {}) outs({} : {}){attributes} {{\n\
             ^bb0(%x: {ty}, %y: {ty}, %old: {ty}):\n{work}{}{}  linalg.yield %new : {ty}\n}}",
                names(&both),
                types(&both),
                result.name,
                result.ty(),
                widen("%e", element, element),
                combined(combine.kind, element, false)?,
            ));
        } else {
            let mut attributes = combine.attributes();
            attributes.push(format!("maps = [{maps}]"));
            attributes.extend(schedule(op));
            self.body.push(format!(
                "tile.reduce {} {} into {} axes [2, 3] scope(grid) element {{\n\
                 ^bb0(%x: {ty}, %y: {ty}, %i: index, %j: index, %di: index, %dj: index):\n{work}  \
                 tile.yield %e : {ty}\n}}{} : {} into {}",
                combine.kind.name(),
                names(&both),
                result.name,
                braces(&attributes),
                types(&both),
                result.ty()
            ));
        }
        self.results.push(result);
        Ok(())
    }

    fn welford(&mut self, op: &GridOp) -> Result<(), Contradiction> {
        let HostSource::Fresh(shape, view) = &op.source else {
            return contradiction("statistics of a result");
        };
        if op.combine != Combine::plain(Kind::Sum, F32) || op.keep {
            return contradiction("statistics of other types");
        }
        let result = reduced(shape, &op.axes, false)?;
        let source = self.array(F32, shape, view, false);
        let means = self.array(F32, &result, &op.view, op.temporary);
        let variances = self.array(F32, &result, &View::default(), false);
        let index =
            |count: usize| -> String { (0..count).map(|d| format!(", %d{d}: index")).collect() };
        let attributes: Vec<String> = schedule(op).into_iter().collect();
        self.body.push(format!(
            "tile.reduce custom {} into {}, {} axes [{}] scope(grid) {WELFORD} element {{\n\
             ^bb0(%x: f32{}):\n\
             \x20 %none = arith.constant 0.0 : f32\n\
             \x20 %single = arith.constant 1.0 : f32\n\
             \x20 tile.yield %x, %none, %single : f32, f32, f32\n\
             }} epilogue {{\n\
             ^bb0(%m: f32, %s: f32, %n: f32{}):\n\
             \x20 %v = arith.divf %s, %n : f32\n\
             \x20 tile.yield %m, %v : f32, f32\n\
             }}{} : {} into {}, {}",
            source.name,
            means.name,
            variances.name,
            axes(&op.axes, shape.len(), false),
            index(shape.len()),
            index(result.len()),
            braces(&attributes),
            source.ty(),
            means.ty(),
            variances.ty()
        ));
        self.results.push(means);
        Ok(())
    }

    fn grid_op(&mut self, op: &GridOp) -> Result<(), Contradiction> {
        match op.form {
            Form::Window(linalg) => return self.window(op, linalg),
            Form::Welford => return self.welford(op),
            _ => {}
        }
        let combine = &op.combine;
        let elements = combine.sources();
        let (mut sources, shape) = match &op.source {
            HostSource::Fresh(shape, view) => {
                let mut sources = Vec::new();
                for element in &elements {
                    sources.push(self.array(*element, shape, view, false));
                }
                (sources, shape.clone())
            }
            HostSource::Result(at) => {
                let Some(result) = self.results.get(*at).cloned() else {
                    return contradiction("a result of nothing");
                };
                if elements != [result.element] {
                    return contradiction("a result of another type");
                }
                let shape = result.sizes.clone();
                (vec![result], shape)
            }
        };
        let named = !combine.kind.is_arg() && !matches!(combine.kind, Kind::Custom(_));
        if op.element == Some(ElementWork::Product) {
            let second = self.array(combine.element, &shape, &View::default(), false);
            let loose = sources[0].loose.clone();
            sources.push(self.fitted(second, loose));
        }
        if (op.element.is_some() || op.epilogue.is_some()) && !named {
            return contradiction("an element of several values");
        }
        let result = match op.form {
            Form::Map | Form::Copy => shape.clone(),
            _ => reduced(&shape, &op.axes, op.keep)?,
        };
        let destinations: Vec<Memref> = match op.form {
            Form::Copy => vec![combine.element],
            Form::Map => vec![combine.element],
            _ => combine.destinations(),
        }
        .into_iter()
        .map(|element| self.array(element, &result, &op.view, op.temporary))
        .collect();
        if op.temporary && combine.accumulate {
            for destination in &destinations {
                self.fill(destination, &identity(Kind::Prod, destination.element)?);
            }
        }
        let mut extras = Vec::new();
        if op.epilogue == Some(EpilogueWork::Add) {
            extras.push(self.array(combine.to, &result, &View::default(), false));
        }
        let parts = Parts {
            op,
            sources,
            destinations,
            extras,
            shape,
        };
        match op.form {
            Form::Tile => self.tile(&parts)?,
            Form::Mapped => self.mapped(&parts)?,
            Form::LinalgReduce => self.linalg_reduce(&parts)?,
            Form::Generic => self.generic(&parts)?,
            Form::Map => self.map(&parts)?,
            Form::Window(_) | Form::Welford => {}
            Form::Copy => self.body.push(format!(
                "memref.copy {}, {} : {} to {}",
                parts.sources[0].name,
                parts.destinations[0].name,
                parts.sources[0].ty(),
                parts.destinations[0].ty()
            )),
        }
        self.results.push(parts.destinations[0].clone());
        Ok(())
    }

    fn fill(&mut self, destination: &Memref, value: &str) {
        let name = self.name("k");
        let element = destination.element.mlir();
        self.body.push(format!(
            "{name} = arith.constant {}",
            literal(value, destination.element)
        ));
        self.body.push(format!(
            "linalg.fill ins({name} : {element}) outs({} : {})",
            destination.name,
            destination.ty()
        ));
    }

    fn tile(&mut self, parts: &Parts<'_>) -> Result<(), Contradiction> {
        if !parts.extras.is_empty() {
            return contradiction("`with` without maps");
        }
        let rank = parts.shape.len();
        let written = axes(&parts.op.axes, rank, false);
        let mut attributes = parts.op.combine.attributes();
        attributes.extend(schedule(parts.op));
        self.reduce(parts, &written, rank, attributes)
    }

    fn reduce(
        &mut self,
        parts: &Parts<'_>,
        axes: &str,
        rank: usize,
        attributes: Vec<String>,
    ) -> Result<(), Contradiction> {
        let combine = &parts.op.combine;
        let indices =
            |count: usize| -> String { (0..count).map(|d| format!(", %d{d}: index")).collect() };
        let element = combine.element.mlir();
        let computed = match parts.op.element {
            None => String::new(),
            Some(work) => {
                let second = match work {
                    ElementWork::Product => format!(", %y: {element}"),
                    _ => String::new(),
                };
                let last = rank.checked_sub(1).map(|d| format!("%d{d}"));
                format!(
                    " element {{\n^bb0(%x: {element}{second}{}):\n{}  tile.yield %e : {element}\n}}",
                    indices(rank),
                    element_work(work, combine.element, last.as_deref())?
                )
            }
        };
        let acc = combine.acc.unwrap_or(combine.element.accumulator());
        let to = combine.to.mlir();
        let epilogue = match parts.op.epilogue {
            None => String::new(),
            Some(_) if acc != combine.to => return contradiction("an epilogue of two types"),
            Some(work) => {
                let add = if acc.is_float() {
                    "arith.addf"
                } else {
                    "arith.addi"
                };
                let (second, other) = match work {
                    EpilogueWork::Twice => (String::new(), "%r"),
                    EpilogueWork::Add => (format!(", %w: {to}"), "%w"),
                };
                format!(
                    " epilogue {{\n^bb0(%r: {to}{second}{}):\n  %s = {add} %r, {other} : \
                     {to}\n  tile.yield %s : {to}\n}}",
                    indices(rank - parts.op.axes.len()),
                )
            }
        };
        let with = match parts.extras.is_empty() {
            true => [String::new(), String::new()],
            false => [
                format!(" with {}", names(&parts.extras)),
                format!(" with {}", types(&parts.extras)),
            ],
        };
        self.body.push(format!(
            "tile.reduce {} {} into {}{} axes [{axes}] scope(grid){}{}{computed}{epilogue}{} : {} into {}{}",
            combine.kind.name(),
            names(&parts.sources),
            names(&parts.destinations),
            with[0],
            if combine.accumulate { " accumulate" } else { "" },
            combine.region(),
            braces(&attributes),
            types(&parts.sources),
            types(&parts.destinations),
            with[1]
        ));
        Ok(())
    }

    fn mapped(&mut self, parts: &Parts<'_>) -> Result<(), Contradiction> {
        let loops = Loops::of(parts);
        let mut maps = vec![loops.source.clone(); parts.sources.len()];
        maps.extend(vec![loops.result.clone(); parts.destinations.len()]);
        maps.extend(vec![loops.result.clone(); parts.extras.len()]);
        let mut attributes = parts.op.combine.attributes();
        attributes.push(format!("maps = [{}]", list(&maps)));
        attributes.extend(schedule(parts.op));
        let rank = parts.shape.len();
        self.reduce(parts, &list(&loops.reduced), rank, attributes)
    }

    /// Prints the initialization of a `linalg` destination.
    fn start(&mut self, parts: &Parts<'_>) -> Result<(), Contradiction> {
        let combine = &parts.op.combine;
        if combine.kind.is_arg() || matches!(combine.kind, Kind::Custom(_)) {
            return contradiction("a combiner of several values");
        }
        if parts.op.epilogue.is_some() {
            return contradiction("an epilogue in linalg");
        }
        if !combine.accumulate {
            let destination = parts.destinations[0].clone();
            let value = identity(combine.kind, destination.element)?;
            self.fill(&destination, &value);
        }
        Ok(())
    }

    fn linalg_reduce(&mut self, parts: &Parts<'_>) -> Result<(), Contradiction> {
        self.start(parts)?;
        let combine = &parts.op.combine;
        if parts.op.keep || parts.op.element.is_some() {
            return contradiction("more than `linalg.reduce` says");
        }
        let mut sorted = parts.op.axes.clone();
        sorted.sort_unstable();
        let source = &parts.sources[0];
        // The cast requires equal static sizes in both types.
        let loose = (0..parts.shape.len())
            .filter(|d| !parts.op.axes.contains(d))
            .map(|d| source.loose[d])
            .collect();
        let destination = self.fitted(parts.destinations[0].clone(), loose);
        let (from, to) = (source.element, destination.element);
        let attributes: Vec<String> = schedule(parts.op).into_iter().collect();
        self.body.push(format!(
            "linalg.reduce ins({} : {}) outs({} : {}) dimensions = [{}]{}\n  (%x: {}, %old: {}) \
             {{\n{}{}  linalg.yield %new : {}\n  }}",
            source.name,
            source.ty(),
            destination.name,
            destination.ty(),
            list(&sorted),
            braces(&attributes),
            from.mlir(),
            to.mlir(),
            widen("%x", from, to),
            combined(combine.kind, to, combine.ignore_nan)?,
            to.mlir()
        ));
        Ok(())
    }

    fn generic(&mut self, parts: &Parts<'_>) -> Result<(), Contradiction> {
        self.start(parts)?;
        let combine = &parts.op.combine;
        let loops = Loops::of(parts);
        let iterators: Vec<&str> = (0..parts.shape.len())
            .map(|l| match loops.reduced.contains(&l) {
                true => "\"reduction\"",
                false => "\"parallel\"",
            })
            .collect();
        let (from, to) = (combine.element, combine.to);
        let mut maps = vec![loops.source.clone(); parts.sources.len()];
        maps.push(loops.result.clone());
        let mut body = String::new();
        let value = match parts.op.element {
            None => "%x",
            Some(work) => {
                let index = loops.last.map(|l| {
                    body.push_str(&format!("  %last = linalg.index {l} : index\n"));
                    "%last"
                });
                body.push_str(&element_work(work, from, index)?);
                "%e"
            }
        };
        body.push_str(&widen(value, from, to));
        body.push_str(&combined(combine.kind, to, combine.ignore_nan)?);
        let second = match parts.sources.len() {
            1 => String::new(),
            _ => format!(", %y: {}", from.mlir()),
        };
        let attributes = match schedule(parts.op) {
            Some(schedule) => format!(" attrs = {{{schedule}}}"),
            None => String::new(),
        };
        self.body.push(format!(
            "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}}\n  \
             ins({} : {}) outs({} : {}){attributes} {{\n\
             ^bb0(%x: {}{second}, %old: {}):\n{body}  linalg.yield %new : {}\n}}",
            list(&maps),
            iterators.join(", "),
            names(&parts.sources),
            types(&parts.sources),
            names(&parts.destinations),
            types(&parts.destinations),
            from.mlir(),
            to.mlir(),
            to.mlir()
        ));
        Ok(())
    }

    fn map(&mut self, parts: &Parts<'_>) -> Result<(), Contradiction> {
        let element = parts.op.combine.element;
        let rank = parts.shape.len();
        let dims: Vec<String> = (0..rank).map(|d| format!("d{d}")).collect();
        let map = format!("affine_map<({0}) -> ({0})>", dims.join(", "));
        let mut body = String::new();
        let value = match parts.op.element {
            None => "%x",
            Some(work) => {
                let index = rank.checked_sub(1).map(|last| {
                    body.push_str(&format!("  %last = linalg.index {last} : index\n"));
                    "%last"
                });
                body.push_str(&element_work(work, element, index)?);
                "%e"
            }
        };
        let arguments = match parts.sources.len() {
            1 => "",
            _ => ", %y: ELEMENT",
        };
        let attributes = match schedule(parts.op) {
            Some(schedule) => format!(" attrs = {{{schedule}}}"),
            None => String::new(),
        };
        let text = format!(
            "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}}\n  \
             ins({} : {}) outs({} : {}){attributes} {{\n\
             ^bb0(%x: ELEMENT{arguments}, %old: ELEMENT):\n{body}  linalg.yield {value} : ELEMENT\n}}",
            list(&vec![map; parts.sources.len() + 1]),
            list(&vec!["\"parallel\""; rank]),
            names(&parts.sources),
            types(&parts.sources),
            names(&parts.destinations),
            types(&parts.destinations),
        );
        self.body.push(text.replace("ELEMENT", element.mlir()));
        Ok(())
    }
}

/// Iteration space and indexing maps of a grid-level op.
struct Loops {
    source: String,
    result: String,
    /// Indices of the loops over reduced dimensions.
    reduced: Vec<usize>,
    /// Index of the loop over the last dimension of the source.
    last: Option<usize>,
}

impl Loops {
    fn of(parts: &Parts<'_>) -> Self {
        let rank = parts.shape.len();
        let order = View {
            order: parts.op.order.clone(),
            ..View::default()
        }
        .order(rank);
        // Index of the loop over each dimension.
        let of: Vec<usize> = (0..rank)
            .map(|d| order.iter().position(|o| *o == d).unwrap_or(d))
            .collect();
        let is_reduced = |d: &usize| parts.op.axes.contains(d);
        let dims: Vec<String> = (0..rank).map(|l| format!("d{l}")).collect();
        let map = |results: Vec<String>| {
            format!(
                "affine_map<({}) -> ({})>",
                dims.join(", "),
                results.join(", ")
            )
        };
        let result = (0..rank)
            .filter_map(|d| match (is_reduced(&d), parts.op.keep) {
                (true, true) => Some("0".to_owned()),
                (true, false) => None,
                (false, _) => Some(format!("d{}", of[d])),
            })
            .collect();
        Self {
            source: map(of.iter().map(|l| format!("d{l}")).collect()),
            result: map(result),
            reduced: (0..rank).filter(|l| is_reduced(&order[*l])).collect(),
            last: of.last().copied(),
        }
    }
}
