//! Smaller kernels.

use crate::description::{
    Copy, Destination, Fragment, Groups, Kernel, KernelOp, Reduce, ResultLayout, Source, Space,
    Tile, View, Work,
};
use crate::element::Element;
use crate::shrink::operands::{combines, drop_axis, drop_dimension, shapes, views};

pub(super) fn kernels(kernel: &Kernel) -> Vec<Kernel> {
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

/// Returns a copy of the kernel without the op at index `gone`. In the copy, an argument of the
/// kernel replaces the result of the removed op.
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

/// Returns smaller sources. Each returned source is paired with the index of the removed dimension,
/// or with `None` if the source has all dimensions.
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
