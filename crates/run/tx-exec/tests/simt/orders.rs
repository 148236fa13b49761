//! Tests of the execution orders. A missing barrier changes the result in at least one order, even
//! without race checks.

use crate::{Buffers, bit, int, launch, program};
use std::collections::BTreeSet;
use tx_exec::{Checks, Fault, Launch, Order, Param, Program};

/// Returns the tickets of each thread, as drawn from an atomic counter at the start, after a warp
/// barrier, and after a block barrier.
fn tickets(program: &Program, order: Order, blocks: u32, threads: u32) -> Vec<[u32; 3]> {
    let mut buffers = Buffers::new(1 + (3 * blocks * threads) as usize);
    let launch = Launch {
        order,
        ..launch(blocks, threads)
    };
    program
        .launch("tickets", &launch, &[buffers.out()], &mut buffers.memory)
        .unwrap();
    buffers.words()[1..]
        .chunks_exact(3)
        .map(|tickets| [tickets[0], tickets[1], tickets[2]])
        .collect()
}

/// Returns the tickets of warp `warp` at one of the three points, in ascending order.
fn of_warp(tickets: &[[u32; 3]], warp: usize, point: usize) -> Vec<u32> {
    let mut found: Vec<_> = tickets[warp * 32..][..32]
        .iter()
        .map(|tickets| tickets[point])
        .collect();
    found.sort_unstable();
    found
}

/// Both lists contain each order once. The systematic list contains two orders per warp, and three
/// orders without a warp index.
#[test]
fn lists_of_orders() {
    let systematic: Vec<_> = Order::systematic(8).collect();
    assert_eq!(systematic.len(), 3 + 2 * 8);
    for orders in [systematic, Order::all(7).to_vec()] {
        for (index, order) in orders.iter().enumerate() {
            assert!(!orders[..index].contains(order), "{order:?}");
        }
    }
    assert_ne!(Order::all(1), Order::all(2));
}

#[test]
fn threads_and_blocks_in_turn() {
    let program = program!("orders");
    for order in [Order::Sequential, Order::RoundRobin] {
        let tickets = tickets(&program, order, 2, 64);
        for (index, &[first, _, third]) in (0..).zip(&tickets) {
            let (block, thread) = (index / 64, index % 64);
            assert_eq!(first, 192 * block + thread, "{order:?}");
            assert_eq!(third, 192 * block + 128 + thread, "{order:?}");
        }
    }
    let tickets = tickets(&program, Order::Reverse, 2, 64);
    for (index, &[first, _, third]) in (0..).zip(&tickets) {
        let (block, thread) = (index / 64, index % 64);
        assert_eq!(first, 192 * (1 - block) + 63 - thread);
        assert_eq!(third, 192 * (1 - block) + 128 + 63 - thread);
    }
}

/// With `WarpFirst`, the selected warp passes its own warp barriers before any other warp starts,
/// and runs first again after a block barrier. With `WarpLast`, the selected warp starts when no
/// other warp can run.
#[test]
fn one_warp_before_or_after_all_others() {
    let program = program!("orders");
    for warp in 0..4 {
        let first = tickets(&program, Order::WarpFirst(warp), 1, 128);
        let last = tickets(&program, Order::WarpLast(warp), 1, 128);
        let warp = warp as usize;
        assert_eq!(of_warp(&first, warp, 0), (0..32).collect::<Vec<_>>());
        assert_eq!(of_warp(&first, warp, 1), (32..64).collect::<Vec<_>>());
        assert_eq!(of_warp(&first, warp, 2), (256..288).collect::<Vec<_>>());
        assert_eq!(of_warp(&last, warp, 0), (192..224).collect::<Vec<_>>());
        assert_eq!(of_warp(&last, warp, 1), (224..256).collect::<Vec<_>>());
        assert_eq!(of_warp(&last, warp, 2), (352..384).collect::<Vec<_>>());
    }
    // The block has no warp with this index.
    let sequential = tickets(&program, Order::Sequential, 1, 128);
    for order in [Order::WarpFirst(4), Order::WarpLast(u32::MAX)] {
        assert_eq!(tickets(&program, order, 1, 128), sequential);
    }
}

/// The middle of three warps reads the writes of both other warps, of one other warp, or of no
/// other warp. The two extreme results occur only if the warp runs last or first.
#[test]
fn extremes_need_the_warp_first_and_last() {
    let program = program!("orders");
    let sum = |order| {
        let mut buffers = Buffers::new(3);
        let launch = Launch {
            order,
            checks: Checks::Off,
            ..launch(1, 96)
        };
        program
            .launch("between", &launch, &[buffers.out()], &mut buffers.memory)
            .unwrap();
        buffers.words()[0]
    };
    assert_eq!(sum(Order::Sequential), 1);
    assert_eq!(sum(Order::Reverse), 1);
    assert_eq!(sum(Order::WarpFirst(1)), 0);
    assert_eq!(sum(Order::WarpLast(1)), 2);
}

/// Orders with preemption lose non-atomic increments. In lockstep, all increments but one are lost.
/// In pseudo-random orders, some increments are lost, and every run loses the same increments.
/// Orders without preemption lose no increment.
#[test]
fn preemption_between_accesses() {
    let program = program!("orders");
    let count = |order| {
        let mut buffers = Buffers::new(1);
        let launch = Launch {
            order,
            checks: Checks::Off,
            ..launch(1, 128)
        };
        program
            .launch("increment", &launch, &[buffers.out()], &mut buffers.memory)
            .unwrap();
        buffers.words()[0]
    };
    for order in [Order::Sequential, Order::Reverse, Order::Shuffled(3)] {
        assert_eq!(count(order), 128, "{order:?}");
    }
    assert_eq!(count(Order::RoundRobin), 1);
    let found: Vec<_> = (0..8).map(|seed| count(Order::Interleaved(seed))).collect();
    assert!(
        found.iter().all(|count| (2..128).contains(count)),
        "{found:?}"
    );
    assert!(found.iter().collect::<BTreeSet<_>>().len() > 1, "{found:?}");
    let again: Vec<_> = (0..8).map(|seed| count(Order::Interleaved(seed))).collect();
    assert_eq!(found, again);
}

/// Kernels with missing barriers: a read before the write, a second write before the read, and
/// lanes that rely on lockstep. With the barriers, the result is the same in every systematic and
/// pseudo-random order. Without the barriers, every order with all checks returns a fault. Without
/// barriers and checks, the result changes in at least one systematic order.
#[test]
fn missing_barriers_show() {
    let program = program!("orders");
    let mut cases = Vec::new();
    for distance in [1, 5, 32, 64, 95, 127] {
        cases.push(("hand_over", 128, vec![int(distance)]));
        cases.push(("rounds", 128, vec![int(3), int(distance)]));
    }
    cases.push(("halvings", 32, Vec::new()));
    for (kernel, threads, arguments) in cases {
        let run = |order, checks, safe| {
            let mut buffers = Buffers::new(threads as usize);
            let launch = Launch {
                order,
                checks,
                ..launch(1, threads)
            };
            let ends: [&[Param]; 3] = [&[buffers.out()], &arguments, &[bit(safe)]];
            program
                .launch(kernel, &launch, &ends.concat(), &mut buffers.memory)
                .map(|_| buffers.words())
        };
        let warps = threads.div_ceil(32);
        let expected = run(Order::Sequential, Checks::All, true).unwrap();
        let mut wrong = 0;
        for order in Order::systematic(warps) {
            for checks in [Checks::All, Checks::Off] {
                let found = run(order, checks, true).unwrap();
                assert_eq!(found, expected, "{kernel} {arguments:?} {order:?}");
            }
            let found = run(order, Checks::Off, false).unwrap();
            wrong += usize::from(found != expected);
        }
        assert_ne!(wrong, 0, "{kernel} {arguments:?}");
        for order in Order::all(11).into_iter().chain(Order::systematic(warps)) {
            assert_eq!(run(order, Checks::All, true).unwrap(), expected);
            let fault = run(order, Checks::All, false).unwrap_err();
            assert!(
                matches!(fault, Fault::Race(_) | Fault::Uninitialized(_)),
                "{fault}"
            );
        }
    }
}
