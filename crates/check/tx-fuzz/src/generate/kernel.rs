//! Random kernels.

use super::layout::layout;
use super::operands::{axes, combine, element, rank, shape, view};
use crate::description::{
    Copy, Destination, Fragment, Groups, Kernel, KernelOp, Lanes, Reduce, ResultLayout, Scope,
    Source, Space, Tile, View, Work,
};
use crate::random::Random;

const BLOCKS: [[usize; 3]; 22] = [
    [1, 1, 1],
    [7, 1, 1],
    [20, 1, 1],
    [32, 1, 1],
    [32, 1, 1],
    [32, 1, 1],
    [48, 1, 1],
    [64, 1, 1],
    [64, 1, 1],
    [96, 1, 1],
    [100, 1, 1],
    [128, 1, 1],
    [128, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [256, 1, 1],
    [1024, 1, 1],
    [8, 8, 1],
    [16, 4, 2],
    [5, 3, 2],
    [32, 4, 1],
    [1, 64, 1],
];

const VARIANTS: [&str; 9] = [
    "local",
    "shared",
    "shared",
    "packed_add_sum",
    "3input_maxmin",
    "redux",
    "batched",
    "packed_half",
    "packed_key",
];

/// Maximum total number of elements in the tiles of all thread groups.
const MOST: usize = 4096;

pub(super) fn kernel(random: &mut Random) -> Kernel {
    let block = random.pick(&BLOCKS);
    let mut kernel = Kernel {
        block,
        grid: match random.percent(85) {
            true => [1, 1, 1],
            false => random.pick(&[[2, 1, 1], [3, 1, 1], [2, 2, 1], [1, 3, 2]]),
        },
        work: Vec::new(),
    };
    let count = random.pick(&[1, 1, 1, 2, 2, 3, 4]);
    while kernel.work.len() < count {
        let work = work(random, &kernel);
        kernel.work.push(work);
        let at = kernel.work.len() - 1;
        // Remove the op if the op cannot read its operand.
        if !matches!(kernel.work[at].op, KernelOp::Barrier) && kernel.written(at).is_err() {
            kernel.work.pop();
        }
    }
    kernel
}

fn scope(random: &mut Random, block: usize) -> Scope {
    loop {
        let scope = random.pick(&[
            Scope::Thread,
            Scope::Warp,
            Scope::Warp,
            Scope::Warpgroup,
            Scope::Cta,
            Scope::Cta,
        ]);
        if scope != Scope::Warpgroup || block >= 128 {
            return scope;
        }
    }
}

fn space(random: &mut Random, scope: Scope) -> Space {
    match scope {
        Scope::Thread => random.pick(&[Space::Private, Space::Global, Space::Shared]),
        _ => random.pick(&[Space::Shared, Space::Shared, Space::Global]),
    }
}

fn work(random: &mut Random, kernel: &Kernel) -> Work {
    let block = kernel.threads();
    let scope = scope(random, block);
    let all = scope.groups(block);
    let only = all > 1 && (random.percent(25) || all > 64 && random.percent(60));
    let groups = match only || scope == Scope::Warpgroup && !block.is_multiple_of(128) {
        // The last group may be partial, except for a warpgroup.
        true => Groups::Only(random.below(match scope {
            Scope::Warpgroup => block / 128,
            _ => all,
        })),
        false => Groups::Each,
    };
    let mut work = Work {
        scope,
        groups,
        turns: random.percent(15).then(|| random.pick(&[1, 2, 3, 5])),
        op: KernelOp::Barrier,
    };
    let count = work.count(kernel);
    work.op = match random.below(100) {
        0..3 => {
            work.scope = Scope::Cta;
            work.groups = Groups::Each;
            work.turns = None;
            KernelOp::Barrier
        }
        3..13 => copy(random, kernel, &work, count),
        13..38 => fragment(random, &mut work, kernel, count),
        38..48 => {
            work.turns = None;
            lanes(random, &work, block)
        }
        _ => reduce(random, kernel, &work, count),
    };
    work
}

/// Returns the result of a random op that precedes the op `work`, as a source for `work`.
fn result(random: &mut Random, kernel: &Kernel, work: &Work) -> Option<(Source, Kernel, usize)> {
    if kernel.work.is_empty() || !random.percent(60) {
        return None;
    }
    let from = random.below(kernel.work.len());
    let written = kernel.written(from).ok()?;
    let part = random.below(written.elements.len());
    let source = Source::Result { work: from, part };
    let mut with = kernel.clone();
    with.work.push(Work {
        op: KernelOp::Copy(Copy {
            element: written.elements[part],
            source: source.clone(),
            to: Destination {
                space: Space::Global,
                view: View::default(),
            },
        }),
        ..work.clone()
    });
    let at = with.work.len() - 1;
    with.seen(at).ok()?;
    Some((source, with, part))
}

fn fresh(random: &mut Random, work: &Work, count: usize) -> (Source, Vec<usize>) {
    let each = count > 1 && random.percent(75);
    let parts = if each { count } else { 1 } * work.turns.unwrap_or(1);
    let rank = rank(random);
    let shape = shape(random, rank, MOST / parts.max(1));
    let space = space(random, work.scope);
    let tile = Tile {
        view: view(random, &shape, true),
        shape: shape.clone(),
        space,
        each,
    };
    (Source::Fresh(tile), shape)
}

fn destination(random: &mut Random, work: &Work, shape: &[usize]) -> Destination {
    Destination {
        space: space(random, work.scope),
        view: view(random, shape, false),
    }
}

fn reduce(random: &mut Random, kernel: &Kernel, work: &Work, count: usize) -> KernelOp {
    let (source, shape, of) = match result(random, kernel, work) {
        Some((source, with, part)) => {
            let at = with.work.len() - 1;
            let shape = with.seen(at).unwrap_or_default();
            let Source::Result { work: from, .. } = source else {
                return KernelOp::Barrier;
            };
            let element = with.written(from).map(|w| w.elements[part]).ok();
            (source, shape, element)
        }
        None => {
            let (source, shape) = fresh(random, work, count);
            (source, shape, None)
        }
    };
    let mut combine = combine(random, of, true);
    if random.percent(12) {
        combine.variant = Some(random.pick(&VARIANTS).to_owned());
    }
    let mut axes = axes(random, &shape);
    // An argmax or argmin over no elements is an error.
    if combine.kind.is_arg() {
        axes.retain(|axis| shape[*axis] != 0);
    }
    let keep = random.percent(25);
    let kept = crate::derive::reduced(&shape, &axes, keep).unwrap_or_default();
    KernelOp::Reduce(Reduce {
        combine,
        source,
        axes,
        negative: random.percent(20),
        keep,
        to: destination(random, work, &kept),
    })
}

fn copy(random: &mut Random, kernel: &Kernel, work: &Work, count: usize) -> KernelOp {
    let (source, shape, element) = match result(random, kernel, work) {
        Some((source, with, _)) => {
            let at = with.work.len() - 1;
            let KernelOp::Copy(copy) = &with.work[at].op else {
                return KernelOp::Barrier;
            };
            (source, with.seen(at).unwrap_or_default(), copy.element)
        }
        None => {
            let (source, shape) = fresh(random, work, count);
            (source, shape, element(random))
        }
    };
    KernelOp::Copy(Copy {
        element,
        source,
        to: destination(random, work, &shape),
    })
}

fn fragment(random: &mut Random, work: &mut Work, kernel: &Kernel, count: usize) -> KernelOp {
    let block = kernel.threads();
    // The layout must not use more threads than the partial last warp contains.
    let threads = match (work.scope, work.groups) {
        (Scope::Warp, Groups::Each) if !block.is_multiple_of(32) => block % 32,
        _ => block,
    };
    let layout = layout(random, work.scope, threads);
    let shape = layout.shape();
    let each = count > 1 && random.percent(75);
    let mut combine = combine(random, None, true);
    if random.percent(8) {
        combine.variant = Some(random.pick(&VARIANTS).to_owned());
    }
    let axes = axes(random, &shape);
    let keep = random.percent(20);
    let kept = crate::derive::reduced(&shape, &axes, keep).unwrap_or_default();
    let memory = |random: &mut Random| random.pick(&[Space::Shared, Space::Global, Space::Global]);
    let space = memory(random);
    let to = Destination {
        space: memory(random),
        view: view(random, &kept, false),
    };
    if work.scope == Scope::Thread {
        // The generator creates no loop around ops on fragments of single threads.
        work.turns = None;
    }
    KernelOp::Fragment(Fragment {
        combine,
        layout,
        axes,
        keep,
        result: random.pick(&[
            ResultLayout::Everyone,
            ResultLayout::Everyone,
            ResultLayout::Everyone,
            ResultLayout::First,
            ResultLayout::Registers,
            ResultLayout::OneThread,
            ResultLayout::Lanes,
        ]),
        each,
        space,
        view: view(random, &shape, true),
        to,
    })
}

fn lanes(random: &mut Random, work: &Work, block: usize) -> KernelOp {
    let mut combine = loop {
        let combine = combine(random, None, true);
        let narrow = combine.element.bytes() == 1 && combine.element.is_float();
        if !narrow {
            break combine;
        }
    };
    combine.accumulate = false;
    combine.to = combine.element;
    if random.percent(8) {
        combine.variant = Some(random.pick(&["shuffle", "redux"]).to_owned());
    }
    let most = match work.scope {
        Scope::Thread => 1,
        Scope::Warp => 32,
        Scope::Warpgroup => 128,
        Scope::Cta => block.next_multiple_of(32),
    };
    let groups = random.percent(70).then(|| {
        let width = match random.percent(50) {
            true => 1 << random.below(most.ilog2() as usize + 1),
            false => 1 + random.below(most),
        };
        let stride = match random.percent(50) {
            true => 1,
            false => 1 + random.below(most / width),
        };
        (width, stride)
    });
    KernelOp::Lanes(Lanes { combine, groups })
}
