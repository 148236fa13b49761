//! Random layouts of fragments.

use crate::description::{Axis, Iter, Layout, Scope};
use crate::random::Random;

/// Returns the hardware axes whose coordinates enumerate the threads of a scope; the outermost axis
/// is first.
fn machine(random: &mut Random, scope: Scope, block: usize) -> Vec<(Axis, usize)> {
    let warps = block / 32;
    match scope {
        Scope::Thread => Vec::new(),
        Scope::Warp => vec![(Axis::Lane, 32.min(block))],
        Scope::Warpgroup => match random.percent(50) {
            true => vec![(Axis::WarpInGroup, 4), (Axis::Lane, 32)],
            false => vec![(Axis::ThreadInGroup, 128)],
        },
        Scope::Cta if block.is_multiple_of(128) && random.percent(30) => {
            vec![(Axis::Warpgroup, block / 128), (Axis::ThreadInGroup, 128)]
        }
        Scope::Cta if block.is_multiple_of(32) && random.percent(60) => {
            vec![(Axis::Warp, warps), (Axis::Lane, 32)]
        }
        Scope::Cta => vec![(Axis::Thread, block)],
    }
}

/// Returns at most four random factors whose product is at most `n`. If the product of the factors
/// is smaller than the number `n` of threads, the remaining threads hold no elements.
fn factors(random: &mut Random, n: usize) -> Vec<usize> {
    let mut left = n;
    let mut factors = Vec::new();
    while left > 1 && factors.len() < 4 {
        let divisors: Vec<usize> = (2..=left).filter(|d| left.is_multiple_of(*d)).collect();
        let factor = match random.below(10) {
            0 => 2 + random.below(left - 1),
            1..5 => left,
            _ => random.pick(&divisors),
        };
        factors.push(factor);
        left /= factor;
        if random.percent(10) {
            break;
        }
    }
    factors
}

/// Returns a random fragment layout over the threads of a scope.
pub(super) fn layout(random: &mut Random, scope: Scope, block: usize) -> Layout {
    let mut shard: Vec<Iter> = Vec::new();
    let mut replica = Vec::new();
    let mut offset = Vec::new();
    for (axis, extent) in machine(random, scope, block) {
        let mut stride = 1;
        let mut all = factors(random, extent);
        random.shuffle(&mut all);
        for factor in all {
            let iter = Iter {
                extent: factor,
                stride,
                axis,
            };
            stride *= factor;
            if random.percent(20) {
                replica.push(iter);
            } else {
                shard.push(iter);
            }
        }
        // An offset leaves threads at the start without elements instead of threads at the end.
        if stride < extent && random.percent(40) {
            offset.push((1 + random.below(extent - stride), axis));
        }
    }
    // Registers of each thread.
    let threads: usize = shard.iter().map(|iter| iter.extent).product();
    let mut room = (4096 / threads.max(1)).clamp(1, 64);
    let mut stride = random.pick(&[1, 1, 1, 2]);
    for _ in 0..random.below(4) {
        let extent = random.pick(&[1, 2, 2, 3, 4, 4, 5, 8, 16, 33]);
        if extent > room {
            continue;
        }
        room /= extent;
        shard.push(Iter {
            extent,
            stride,
            axis: Axis::Reg,
        });
        stride *= extent * random.pick(&[1, 1, 1, 1, 2]);
    }
    if random.percent(8) {
        offset.push((1 + random.below(3), Axis::Reg));
    }
    random.shuffle(&mut shard);
    // Adjacent iterators form a dimension.
    let mut dims: Vec<Vec<Iter>> = vec![Vec::new()];
    for iter in shard {
        if random.percent(45) && dims.len() < 4 {
            dims.push(Vec::new());
        }
        if let Some(last) = dims.last_mut() {
            last.push(iter);
        }
    }
    Layout {
        dims,
        replica,
        offset,
    }
}
