//! Random host functions.

use super::operands::{axes, combine, rank, shape, view};
use crate::combine::{Combine, Kind};
use crate::description::{
    ElementWork, EpilogueWork, Form, GridOp, Host, HostSource, StepDescription, View,
};
use crate::element::Element;
use crate::random::Random;

const MOST: usize = 4096;

pub(super) fn host(random: &mut Random) -> Host {
    let count = random.pick(&[1, 1, 1, 2, 2, 3]);
    let mut ops: Vec<GridOp> = Vec::new();
    // Element type and shape of the destination of each op.
    let mut results: Vec<(Element, Vec<usize>)> = Vec::new();
    for _ in 0..count {
        let (op, result) = grid_op(random, &results);
        ops.push(op);
        results.push(result);
    }
    Host {
        ops,
        free: random.percent(70),
    }
}

/// Returns a convolution or a Welford reduction.
fn special(random: &mut Random) -> (GridOp, (Element, Vec<usize>)) {
    let (form, combine, shape, axes) = if random.percent(60) {
        let element = random.pick(&[Element::F32, Element::F16, Element::F64, Element::I32]);
        let linalg = random.percent(50);
        let kind = random.pick(&[Kind::Sum, Kind::Sum, Kind::Max, Kind::Min]);
        let sizes = random.pick(&[[1, 1], [5, 7], [8, 8], [20, 3], [0, 4]]);
        let filter = random.pick(&[[3, 3], [1, 1], [1, 5], [2, 4]]);
        (
            Form::Window(linalg),
            Combine::plain(kind, element),
            [sizes, filter].concat(),
            vec![2, 3],
        )
    } else {
        let rank = 1 + random.below(3);
        let shape = shape(random, rank, MOST);
        let axes = axes(random, &shape);
        (
            Form::Welford,
            Combine::plain(Kind::Sum, Element::F32),
            shape,
            axes,
        )
    };
    let extents: Vec<(usize, bool)> = shape
        .iter()
        .enumerate()
        .map(|(d, size)| (*size, axes.contains(&d)))
        .collect();
    let result = crate::derive::reduced(&shape, &axes, false).unwrap_or_default();
    let element = combine.element;
    let seen = match form {
        Form::Welford => view(random, &shape, false),
        _ => View {
            open: random.percent(30),
            ..View::default()
        },
    };
    let op = GridOp {
        combine,
        source: HostSource::Fresh(shape, seen),
        axes,
        keep: false,
        form,
        element: None,
        epilogue: None,
        order: Vec::new(),
        temporary: false,
        view: view(random, &result, false),
        schedule: random.percent(60).then(|| self::schedule(random, &extents)),
    };
    (op, (element, result))
}

fn grid_op(
    random: &mut Random,
    results: &[(Element, Vec<usize>)],
) -> (GridOp, (Element, Vec<usize>)) {
    if random.percent(10) {
        return special(random);
    }
    let form = random.pick(&[
        Form::Tile,
        Form::Tile,
        Form::Tile,
        Form::Mapped,
        Form::Mapped,
        Form::LinalgReduce,
        Form::Generic,
        Form::Generic,
        Form::Map,
        Form::Copy,
    ]);
    let of = (!results.is_empty() && random.percent(55)).then(|| random.below(results.len()));
    let (source, shape) = match of {
        Some(at) => (HostSource::Result(at), results[at].1.clone()),
        None => {
            let rank = rank(random);
            let shape = shape(random, rank, MOST);
            let view = view(random, &shape, true);
            (HostSource::Fresh(shape.clone(), view), shape)
        }
    };
    let tile = matches!(form, Form::Tile | Form::Mapped);
    let mut combine = loop {
        let combine = combine(random, of.map(|at| results[at].0), tile);
        let narrow = combine.element.bytes() == 1 && combine.element.is_float();
        if tile || !combine.kind.is_arg() && !narrow {
            break combine;
        }
        if of.is_some() && narrow {
            // `linalg` cannot reduce a copy of 8-bit elements.
            let plain = Combine::plain(Kind::Sum, combine.element);
            break plain;
        }
    };
    if !tile {
        combine.acc = None;
        combine.determinism = None;
    }
    let mut axes = axes(random, &shape);
    if combine.kind.is_arg() {
        axes.retain(|axis| shape[*axis] != 0);
    }
    let reduces = !matches!(form, Form::Map | Form::Copy);
    if !reduces {
        axes.clear();
        combine.accumulate = false;
        combine.to = combine.element;
    }
    let keep = reduces && form != Form::LinalgReduce && random.percent(20);
    let named = !combine.kind.is_arg() && !matches!(combine.kind, Kind::Custom(_));
    let wide = combine.element.bytes() > 1 || !combine.element.is_float();
    let element =
        (named && wide && !matches!(form, Form::LinalgReduce | Form::Copy) && random.percent(30))
            .then(|| random.pick(&[ElementWork::Square, ElementWork::Product, ElementWork::Odd]))
            .filter(|work| *work != ElementWork::Odd || !shape.is_empty());
    let acc = combine.acc.unwrap_or(combine.element.accumulator());
    let epilogue = (named && tile && acc == combine.to && acc != Element::I1 && random.percent(20))
        .then(|| match form {
            Form::Mapped => random.pick(&[EpilogueWork::Twice, EpilogueWork::Add]),
            _ => EpilogueWork::Twice,
        });
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if matches!(form, Form::Mapped | Form::Generic) && random.percent(50) {
        random.shuffle(&mut order);
    }
    let result = crate::derive::reduced(&shape, &axes, keep).unwrap_or_default();
    // Source dimension of each loop, outermost first.
    let loops: Vec<usize> = match form {
        Form::Mapped | Form::Generic => order.clone(),
        _ => (0..shape.len()).collect(),
    };
    let schedule = (form != Form::Copy && random.percent(60)).then(|| {
        let extents: Vec<(usize, bool)> = loops
            .iter()
            .map(|d| (shape[*d], axes.contains(d)))
            .collect();
        schedule(random, &extents)
    });
    let to = combine.destinations()[0];
    let op = GridOp {
        view: view(random, &result, false),
        combine,
        source,
        axes,
        keep,
        form,
        element,
        epilogue,
        order,
        temporary: random.percent(25),
        schedule,
    };
    let op = GridOp {
        view: match op.temporary {
            true => View::default(),
            false => op.view,
        },
        ..op
    };
    (op, (to, result))
}

struct Loop {
    name: String,
    extent: usize,
    reduced: bool,
    /// Set if the loop is bound to a hardware dimension, or is unrolled.
    done: bool,
    kept_apart: bool,
}

/// Maximum number of iterations of a loop nest, including the padding iterations that splits add.
/// `MOST_ITERATIONS` also limits the grid size, because a schedule can execute each iteration in a
/// separate block.
const MOST_ITERATIONS: usize = 1 << 14;

/// Returns random schedule steps, such as loop splits. Most returned schedule steps are legal.
fn schedule(random: &mut Random, extents: &[(usize, bool)]) -> Vec<StepDescription> {
    let mut steps = Vec::new();
    let mut loops: Vec<Loop> = extents
        .iter()
        .enumerate()
        .map(|(d, (extent, reduced))| Loop {
            name: format!("d{d}"),
            extent: *extent,
            reduced: *reduced,
            done: false,
            kept_apart: false,
        })
        .collect();
    // Parallel loops come first.
    loops.sort_by_key(|l| l.reduced);
    let mut fused = 0;
    let mut padded: usize = loops.iter().map(|l| l.extent.max(1)).product();
    for _ in 0..random.below(4) {
        if loops.is_empty() {
            break;
        }
        let at = random.below(loops.len());
        if random.percent(25) && at + 1 < loops.len() && loops[at].reduced == loops[at + 1].reduced
        {
            let second = loops.remove(at + 1);
            let first = &mut loops[at];
            fused += 1;
            let to = format!("f{fused}");
            steps.push(StepDescription::Fuse(
                vec![first.name.clone(), second.name],
                to.clone(),
            ));
            first.name = to;
            first.extent *= second.extent;
        } else {
            let factor = random.pick(&[1, 2, 3, 4, 5, 7, 8, 16, 16, 32, 32, 33, 64, 128, 256]);
            let outer = &mut loops[at];
            // Padding iterations that a guard skips also cost time.
            padded = padded / outer.extent.max(1) * outer.extent.max(1).next_multiple_of(factor);
            if padded > MOST_ITERATIONS {
                break;
            }
            steps.push(StepDescription::Split(outer.name.clone(), factor));
            let inner = Loop {
                name: format!("{}.i", outer.name),
                extent: factor,
                reduced: outer.reduced,
                done: false,
                kept_apart: false,
            };
            outer.name.push_str(".o");
            outer.extent = outer.extent.div_ceil(factor);
            loops.insert(at + 1, inner);
        }
    }
    if random.percent(25) && loops.len() > 1 {
        let mut names: Vec<String> = loops.iter().map(|l| l.name.clone()).collect();
        random.shuffle(&mut names);
        steps.push(StepDescription::Reorder(names));
    }
    // Optionally compute separate partial results in global memory.
    for l in &mut loops {
        if l.reduced && l.extent <= 256 && random.percent(12) {
            steps.push(StepDescription::RFactor(l.name.clone()));
            l.kept_apart = true;
        }
    }
    let mut threads = 1;
    let mut taken: Vec<&str> = Vec::new();
    for l in &mut loops {
        let on_blocks = !l.reduced || l.kept_apart || random.percent(5);
        let processors: Vec<&str> = match (on_blocks && random.percent(60), random.percent(60)) {
            (true, _) => vec!["block_x", "block_y", "block_z"],
            (false, true) if l.extent > 0 && threads * l.extent <= 1024 => {
                vec!["thread_x", "thread_y", "thread_z"]
            }
            _ => continue,
        };
        let free: Vec<&str> = processors
            .into_iter()
            .filter(|p| !taken.contains(p) && (*p != "thread_z" || l.extent <= 64))
            .collect();
        if free.is_empty() {
            continue;
        }
        let processor = match random.percent(60) {
            true => free[0],
            false => random.pick(&free),
        };
        if processor.starts_with("thread") {
            threads *= l.extent;
        }
        taken.push(processor);
        l.done = true;
        steps.push(StepDescription::Bind(l.name.clone(), processor.to_owned()));
    }
    for l in &mut loops {
        if !l.done && !l.kept_apart && (1..=16).contains(&l.extent) && random.percent(30) {
            let name = l.name.clone();
            steps.push(match random.percent(50) {
                true => StepDescription::Unroll(name),
                false => StepDescription::Vectorize(name),
            });
            l.done = true;
        }
    }
    steps
}
