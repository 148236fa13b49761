//! Reduction of a failing test case to a smaller case with an equal failure.

use crate::check::Outcome;
use crate::combine::{Combine, Kind};
use crate::description::Program;
use crate::description::{
    Case, Copy, Destination, Form, Fragment, GridOp, Groups, Host, HostSource, Kernel, KernelOp,
    Mapping, Operand, Reduce, ResultLayout, Rows, Source, Space, Tile, View, Work,
};
use crate::element::Element;
use std::io;
use std::time::Instant;

/// Returns the smallest failing case found before the time `stop`.
pub(crate) fn shrink(
    case: Case,
    outcome: &Outcome,
    stop: Instant,
    check: &mut dyn FnMut(&Case) -> io::Result<Outcome>,
) -> io::Result<(Case, Outcome)> {
    let mut best = (case, outcome.clone());
    let mut at = 0;
    // The loop terminates: each candidate is smaller in one respect and larger in none.
    loop {
        let candidates = smaller(&best.0);
        let mut found = None;
        for step in 0..candidates.len() {
            if Instant::now() > stop {
                return Ok(best);
            }
            // Resume after the last success; the candidates before this index failed recently.
            let place = (at + step) % candidates.len();
            let candidate = &candidates[place];
            if *candidate == best.0 || candidate.text().is_err() {
                continue;
            }
            let outcome = check(candidate)?;
            if outcome.is_like(&best.1) {
                found = Some((candidate.clone(), outcome));
                at = place;
                break;
            }
        }
        match found {
            Some(better) => best = better,
            None => return Ok(best),
        }
    }
}

/// Returns modified copies of the test case; each copy is smaller in one property.
fn smaller(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut push = |program: Program| {
        all.push(Case {
            program,
            ..case.clone()
        });
    };
    match &case.program {
        Program::Kernel(kernel) => kernels(kernel)
            .into_iter()
            .map(Program::Kernel)
            .for_each(&mut push),
        Program::Host(host) => hosts(host)
            .into_iter()
            .map(Program::Host)
            .for_each(&mut push),
        Program::Rows(rows) => smaller_rows(rows)
            .into_iter()
            .map(Program::Rows)
            .for_each(&mut push),
    }
    if case.chip != "sm_80" {
        all.push(Case {
            chip: "sm_80".to_owned(),
            ..case.clone()
        });
    }
    if case.seed != 0 {
        all.push(Case {
            seed: 0,
            ..case.clone()
        });
    }
    all
}

/// Returns programs with fewer ops or operands, smaller sizes, or a simpler mapping.
fn smaller_rows(rows: &Rows) -> Vec<Rows> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Rows)| {
        let mut smaller = rows.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    for at in 0..rows.ops.len() {
        with(&|rows| {
            rows.ops.remove(at);
            let later = rows.ops.iter_mut().skip(at);
            for (operand, _) in later.flat_map(|op| &mut op.of) {
                match operand {
                    Operand::Result(of) if *of == at => *operand = Operand::Matrix(0),
                    Operand::Result(of) if *of > at => *of -= 1,
                    _ => {}
                }
            }
        });
        let op = &rows.ops[at];
        for place in 0..op.of.len() {
            with(&|rows| {
                rows.ops[at].of.remove(place);
            });
            with(&|rows| rows.ops[at].of[place].0 = Operand::Matrix(0));
        }
        with(&|rows| rows.ops[at].unary = None);
        with(&|rows| rows.ops[at].temporary = false);
        with(&|rows| rows.ops[at].in_place = false);
    }
    with(&|rows| rows.approximate = false);
    for size in [1, 2, 3, 7, 33, rows.rows / 2, rows.rows.saturating_sub(1)] {
        with(&|rows| rows.rows = rows.rows.min(size));
    }
    for size in [
        1,
        2,
        7,
        33,
        rows.columns / 2,
        rows.columns.saturating_sub(1),
    ] {
        with(&|rows| rows.columns = rows.columns.min(size));
    }
    with(&|rows| rows.open = false);
    with(&|rows| rows.element = Element::F32);
    with(&|rows| rows.mapping = None);
    if let Some(mapping) = rows.mapping {
        let one = |change: &dyn Fn(&mut Mapping)| {
            let mut mapping = mapping;
            change(&mut mapping);
            mapping
        };
        for smaller in [
            one(&|mapping| mapping.rows = 1),
            one(&|mapping| mapping.blocks = 1),
            one(&|mapping| mapping.loads = 1),
            one(&|mapping| mapping.vector = 1),
            one(&|mapping| mapping.threads = 32),
            one(&|mapping| mapping.threads = 1),
            one(&|mapping| mapping.holds = false),
            one(&|mapping| mapping.holds_totals = false),
        ] {
            with(&|rows| rows.mapping = Some(smaller));
        }
    }
    all
}

fn kernels(kernel: &Kernel) -> Vec<Kernel> {
    let mut all = Vec::new();
    for at in 0..kernel.work.len() {
        all.extend(without(kernel, at));
    }
    let threads = kernel.threads();
    for block in [1, 32, 64, 128, threads / 2, threads] {
        if (1..=threads).contains(&block) && kernel.block != [block, 1, 1] {
            all.push(Kernel {
                block: [block, 1, 1],
                ..kernel.clone()
            });
        }
    }
    for grid in [[1, 1, 1], [2, 1, 1]] {
        if grid.iter().product::<usize>() < kernel.blocks() {
            all.push(Kernel {
                grid,
                ..kernel.clone()
            });
        }
    }
    for (at, work) in kernel.work.iter().enumerate() {
        let mut with = |work: Work| {
            let mut smaller = kernel.clone();
            smaller.work[at] = work;
            all.push(smaller);
        };
        if let Some(turns) = work.turns {
            for turns in [None, Some(1), Some(2), Some(turns.saturating_sub(1))] {
                if turns < work.turns {
                    with(Work {
                        turns,
                        ..work.clone()
                    });
                }
            }
        }
        if let Groups::Only(group) = work.groups
            && group > 0
        {
            with(Work {
                groups: Groups::Only(0),
                ..work.clone()
            });
        }
        if work.groups == Groups::Each {
            with(Work {
                groups: Groups::Only(0),
                ..work.clone()
            });
        }
        let op = |op: KernelOp| Work { op, ..work.clone() };
        match &work.op {
            KernelOp::Reduce(reduce) => {
                for smaller in reduces(kernel, at, reduce) {
                    with(op(KernelOp::Reduce(smaller)));
                }
            }
            KernelOp::Fragment(fragment) => {
                for smaller in fragments(fragment) {
                    with(op(KernelOp::Fragment(smaller)));
                }
            }
            KernelOp::Lanes(lanes) => {
                if lanes.groups.is_some() {
                    let mut smaller = lanes.clone();
                    smaller.groups = None;
                    with(op(KernelOp::Lanes(smaller)));
                }
                for combine in combines(&lanes.combine) {
                    let mut smaller = lanes.clone();
                    smaller.combine = combine;
                    with(op(KernelOp::Lanes(smaller)));
                }
            }
            KernelOp::Copy(copy) => {
                for source in sources(kernel, at, &copy.source) {
                    with(op(KernelOp::Copy(Copy {
                        source: source.0,
                        ..copy.clone()
                    })));
                }
                for to in destinations(&copy.to) {
                    with(op(KernelOp::Copy(Copy { to, ..copy.clone() })));
                }
                if copy.element != Element::F32 {
                    with(op(KernelOp::Copy(Copy {
                        element: Element::F32,
                        ..copy.clone()
                    })));
                }
            }
            KernelOp::Barrier => {}
        }
    }
    all
}

/// Returns the kernel without op `gone`. Ops that read the result of the removed op read an
/// argument instead.
fn without(kernel: &Kernel, gone: usize) -> Option<Kernel> {
    let mut smaller = kernel.clone();
    for at in gone + 1..kernel.work.len() {
        let seen = kernel.seen(at);
        let source = match &mut smaller.work[at].op {
            KernelOp::Reduce(op) => &mut op.source,
            KernelOp::Copy(op) => &mut op.source,
            _ => continue,
        };
        if let Source::Result { work, .. } = source {
            if *work == gone {
                *source = Source::Fresh(plain(seen.ok()?));
            } else if *work > gone {
                *work -= 1;
            }
        }
    }
    smaller.work.remove(gone);
    (!smaller.work.is_empty()).then_some(smaller)
}

fn plain(shape: Vec<usize>) -> Tile {
    Tile {
        shape,
        space: Space::Global,
        view: View::default(),
        each: false,
    }
}

fn reduces(kernel: &Kernel, at: usize, reduce: &Reduce) -> Vec<Reduce> {
    let mut all = Vec::new();
    for (source, dropped) in sources(kernel, at, &reduce.source) {
        let mut smaller = reduce.clone();
        smaller.source = source;
        if let Some(gone) = dropped {
            smaller.axes = drop_axis(&reduce.axes, gone);
        }
        all.push(smaller);
    }
    for i in 0..reduce.axes.len() {
        let mut smaller = reduce.clone();
        smaller.axes.remove(i);
        all.push(smaller);
    }
    all.extend(destinations(&reduce.to).into_iter().map(|to| Reduce {
        to,
        ..reduce.clone()
    }));
    all.extend(combines(&reduce.combine).into_iter().map(|combine| Reduce {
        combine,
        ..reduce.clone()
    }));
    if reduce.keep || reduce.negative {
        all.push(Reduce {
            keep: false,
            ..reduce.clone()
        });
        all.push(Reduce {
            negative: false,
            ..reduce.clone()
        });
    }
    all
}

/// Returns the reduced axes, renumbered after the removal of dimension `gone`.
fn drop_axis(axes: &[usize], gone: usize) -> Vec<usize> {
    axes.iter()
        .filter(|axis| **axis != gone)
        .map(|axis| axis - usize::from(*axis > gone))
        .collect()
}

/// Returns smaller sources. Each source is paired with the index of its removed dimension, or with
/// `None` if no dimension was removed.
fn sources(kernel: &Kernel, at: usize, source: &Source) -> Vec<(Source, Option<usize>)> {
    match source {
        Source::Result { .. } => kernel
            .seen(at)
            .map(|shape| (Source::Fresh(plain(shape)), None))
            .into_iter()
            .collect(),
        Source::Fresh(tile) => {
            let mut all = Vec::new();
            for (shape, dropped) in shapes(&tile.shape) {
                let view = match dropped {
                    Some(gone) => drop_dimension(&tile.view, gone),
                    None => tile.view.clone(),
                };
                let smaller = Tile {
                    shape,
                    view,
                    ..tile.clone()
                };
                all.push((Source::Fresh(smaller), dropped));
            }
            for view in views(&tile.view) {
                let smaller = Tile {
                    view,
                    ..tile.clone()
                };
                all.push((Source::Fresh(smaller), None));
            }
            if tile.each {
                let smaller = Tile {
                    each: false,
                    ..tile.clone()
                };
                all.push((Source::Fresh(smaller), None));
            }
            if tile.space != Space::Global {
                let smaller = Tile {
                    space: Space::Global,
                    ..tile.clone()
                };
                all.push((Source::Fresh(smaller), None));
            }
            all
        }
    }
}

/// Returns smaller shapes. Each shape is paired with the index of its removed dimension, or with
/// `None` if no dimension was removed.
fn shapes(shape: &[usize]) -> Vec<(Vec<usize>, Option<usize>)> {
    let mut all = Vec::new();
    for d in 0..shape.len() {
        let mut dropped = shape.to_vec();
        dropped.remove(d);
        all.push((dropped, Some(d)));
    }
    for (d, size) in shape.iter().enumerate() {
        for new in [1, 2, 3, 8, size / 2, size.saturating_sub(1)] {
            if new < *size && (new > 0 || *size == 1) {
                let mut smaller = shape.to_vec();
                smaller[d] = new;
                all.push((smaller, None));
            }
        }
    }
    all
}

fn drop_dimension(view: &View, gone: usize) -> View {
    fn cut<T: Clone>(list: &[T], gone: usize) -> Vec<T> {
        let mut list = list.to_vec();
        if gone < list.len() {
            list.remove(gone);
        }
        list
    }
    View {
        before: cut(&view.before, gone),
        after: cut(&view.after, gone),
        step: cut(&view.step, gone),
        order: drop_axis(&view.order, gone),
        loose: cut(&view.loose, gone),
        open: view.open,
    }
}

fn views(view: &View) -> Vec<View> {
    let mut all = vec![View::default()];
    let mut with = |change: &dyn Fn(&mut View)| {
        let mut smaller = view.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    with(&|view| view.before.clear());
    with(&|view| view.after.clear());
    with(&|view| view.step.clear());
    with(&|view| view.order.clear());
    with(&|view| view.loose.clear());
    with(&|view| view.open = false);
    for d in 0..view.before.len() {
        with(&|view| view.before[d] = 0);
    }
    for d in 0..view.after.len() {
        with(&|view| view.after[d] = 0);
    }
    for d in 0..view.step.len() {
        with(&|view| view.step[d] = 1);
    }
    for d in 0..view.loose.len() {
        with(&|view| view.loose[d] = false);
    }
    all.retain(|smaller| smaller != view);
    all
}

fn destinations(to: &Destination) -> Vec<Destination> {
    let mut all: Vec<Destination> = views(&to.view)
        .into_iter()
        .map(|view| Destination { view, ..to.clone() })
        .collect();
    if to.space != Space::Global {
        all.push(Destination {
            space: Space::Global,
            ..to.clone()
        });
    }
    all
}

fn combines(combine: &Combine) -> Vec<Combine> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Combine)| {
        let mut smaller = combine.clone();
        change(&mut smaller);
        if smaller != *combine {
            all.push(smaller);
        }
    };
    let of = |element: Element| {
        move |combine: &mut Combine| {
            combine.element = element;
            combine.to = element.destinations()[0];
            combine.acc = None;
        }
    };
    with(&|combine| combine.variant = None);
    with(&|combine| combine.determinism = None);
    with(&|combine| combine.acc = None);
    with(&|combine| combine.ignore_nan = false);
    with(&|combine| combine.accumulate = false);
    with(&|combine| combine.index = Element::I32);
    with(&|combine| combine.to = combine.element.destinations()[0]);
    if !matches!(combine.kind, Kind::Sum) {
        with(&|combine| combine.kind = Kind::Sum);
        if combine.kind.is_arg() {
            with(&|combine| combine.kind = Kind::Max);
        }
    }
    if combine.element != Element::F32 && !matches!(combine.kind, Kind::Custom(_)) {
        if combine.element != Element::I32 {
            with(&of(Element::I32));
        }
        with(&of(Element::F32));
    }
    all
}

fn fragments(fragment: &Fragment) -> Vec<Fragment> {
    let mut all = Vec::new();
    let layout = &fragment.layout;
    let mut with = |change: &dyn Fn(&mut Fragment)| {
        let mut smaller = fragment.clone();
        change(&mut smaller);
        if smaller != *fragment {
            all.push(smaller);
        }
    };
    for d in 0..layout.dims.len() {
        with(&|fragment| {
            fragment.layout.dims.remove(d);
            fragment.axes = drop_axis(&fragment.axes, d);
            fragment.view = drop_dimension(&fragment.view, d);
        });
        for i in 0..layout.dims[d].len() {
            with(&|fragment| {
                fragment.layout.dims[d].remove(i);
            });
            let extent = layout.dims[d][i].extent;
            for new in [2, extent / 2, extent - 1] {
                if (1..extent).contains(&new) {
                    with(&|fragment| fragment.layout.dims[d][i].extent = new);
                }
            }
        }
    }
    with(&|fragment| fragment.layout.replica.clear());
    for i in 0..layout.replica.len() {
        with(&|fragment| {
            fragment.layout.replica.remove(i);
        });
    }
    with(&|fragment| fragment.layout.offset.clear());
    with(&|fragment| fragment.result = ResultLayout::Everyone);
    with(&|fragment| fragment.each = false);
    with(&|fragment| fragment.space = Space::Global);
    with(&|fragment| fragment.keep = false);
    for i in 0..fragment.axes.len() {
        with(&|fragment| {
            fragment.axes.remove(i);
        });
    }
    for view in views(&fragment.view) {
        with(&|fragment| fragment.view = view.clone());
    }
    for to in destinations(&fragment.to) {
        with(&|fragment| fragment.to = to.clone());
    }
    for combine in combines(&fragment.combine) {
        with(&|fragment| fragment.combine = combine.clone());
    }
    all
}

fn hosts(host: &Host) -> Vec<Host> {
    let mut all = Vec::new();
    for gone in 0..host.ops.len() {
        let mut smaller = host.clone();
        let mut possible = host.ops.len() > 1;
        for op in &mut smaller.ops[gone + 1..] {
            if let HostSource::Result(at) = &mut op.source {
                // An op that reads the result of op `gone` blocks the removal.
                possible &= *at != gone;
                *at -= usize::from(*at > gone);
            }
        }
        if possible {
            smaller.ops.remove(gone);
            all.push(smaller);
        }
    }
    if host.free {
        all.push(Host {
            free: false,
            ..host.clone()
        });
    }
    for (at, op) in host.ops.iter().enumerate() {
        for smaller in smaller_grid_ops(host, op) {
            let mut with = host.clone();
            with.ops[at] = smaller;
            all.push(with);
        }
    }
    all
}

/// Returns the shape of the source of a grid-level op.
fn shape_of(host: &Host, op: &GridOp) -> Option<Vec<usize>> {
    match &op.source {
        HostSource::Fresh(shape, _) => Some(shape.clone()),
        HostSource::Result(at) => {
            let from = host.ops.get(*at)?;
            let shape = shape_of(host, from)?;
            match from.form {
                Form::Map | Form::Copy => Some(shape),
                Form::Window(_) => Some(shape.get(..2)?.to_vec()),
                _ => crate::derive::reduced(&shape, &from.axes, from.keep).ok(),
            }
        }
    }
}

fn smaller_grid_ops(host: &Host, op: &GridOp) -> Vec<GridOp> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut GridOp)| {
        let mut smaller = op.clone();
        change(&mut smaller);
        if smaller != *op {
            all.push(smaller);
        }
    };
    with(&|op| op.schedule = None);
    if let Some(steps) = &op.schedule {
        for i in 0..steps.len() {
            with(&|op| {
                if let Some(steps) = &mut op.schedule {
                    steps.remove(i);
                }
            });
        }
    }
    match &op.source {
        HostSource::Result(_) => {
            if let Some(shape) = shape_of(host, op) {
                with(&|op| op.source = HostSource::Fresh(shape.clone(), View::default()));
            }
        }
        HostSource::Fresh(shape, view) => {
            for (smaller, dropped) in shapes(shape) {
                with(&|op| {
                    let view = match dropped {
                        Some(gone) => drop_dimension(view, gone),
                        None => view.clone(),
                    };
                    op.source = HostSource::Fresh(smaller.clone(), view);
                    if let Some(gone) = dropped {
                        op.axes = drop_axis(&op.axes, gone);
                        op.order = drop_axis(&op.order, gone);
                    }
                });
            }
            for smaller in views(view) {
                with(&|op| op.source = HostSource::Fresh(shape.clone(), smaller.clone()));
            }
        }
    }
    with(&|op| op.element = None);
    with(&|op| op.epilogue = None);
    with(&|op| op.order.clear());
    with(&|op| op.temporary = false);
    with(&|op| op.keep = false);
    match op.form {
        Form::Tile | Form::Map | Form::Copy => {}
        Form::Window(true) => with(&|op| op.form = Form::Window(false)),
        _ => with(&|op| op.form = Form::Tile),
    }
    for i in 0..op.axes.len() {
        with(&|op| {
            op.axes.remove(i);
        });
    }
    for view in views(&op.view) {
        with(&|op| op.view = view.clone());
    }
    for combine in combines(&op.combine) {
        with(&|op| op.combine = combine.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Class;
    use crate::generate;
    use std::time::Duration;

    /// Returns whether a kernel has a maximum over more than one element along some dimension.
    fn has_maximum(case: &Case) -> bool {
        let Program::Kernel(kernel) = &case.program else {
            return false;
        };
        let is = |at: usize| match &kernel.work[at].op {
            KernelOp::Reduce(op) => {
                op.combine.kind == Kind::Max
                    && kernel
                        .seen(at)
                        .is_ok_and(|shape| op.axes.iter().any(|axis| shape[*axis] > 1))
            }
            _ => false,
        };
        (0..kernel.work.len()).any(is)
    }

    /// Shrinking removes everything that does not affect the failure.
    #[test]
    fn what_goes_wrong_is_all_that_is_left() {
        let mut tried = 0;
        for case in (0..2000)
            .map(|index| generate(7, index, None))
            .filter(has_maximum)
        {
            let wrong = Outcome::new(Class::Wrong, "a-pass", "");
            let stop = Instant::now() + Duration::from_secs(60);
            let mut check = |case: &Case| {
                Ok(match has_maximum(case) {
                    true => wrong.clone(),
                    false => Outcome::new(Class::Accepted, "", ""),
                })
            };
            let (small, outcome) = shrink(case, &wrong, stop, &mut check).unwrap();
            assert_eq!(outcome, wrong);
            let Program::Kernel(kernel) = &small.program else {
                panic!("{small:?}");
            };
            let [work] = &kernel.work[..] else {
                panic!("{kernel:?}");
            };
            let KernelOp::Reduce(op) = &work.op else {
                panic!("{work:?}");
            };
            let Source::Fresh(tile) = &op.source else {
                panic!("{op:?}");
            };
            assert_eq!(tile.shape, [2], "{small:?}");
            assert_eq!(tile.view, View::default(), "{small:?}");
            assert_eq!(op.combine, Combine::plain(Kind::Max, Element::F32));
            assert_eq!((small.chip.as_str(), small.seed), ("sm_80", 0));
            tried += 1;
            if tried == 20 {
                return;
            }
        }
        panic!("only {tried} maxima");
    }
}
