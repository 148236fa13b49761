//! Clusters: special registers, cluster barriers, distributed shared memory, and their faults.

use crate::{Buffers, ORDERS, bit, int, locations, program, run};
use tx_exec::{
    AccessKind, Checks, Fault, Launch, Lifetime, Memory, Order, Param, Program, Report, Space,
};

/// Returns a launch of clusters with `ranks` blocks along x.
fn clusters(clusters: u32, ranks: u32, threads: u32, order: Order) -> Launch {
    Launch {
        grid: [clusters * ranks, 1, 1],
        block: [threads, 1, 1],
        cluster: [ranks, 1, 1],
        order,
        ..Launch::default()
    }
}

/// Numbers of blocks in a cluster, and of threads in a block.
const SIZES: [(u32, u32); 6] = [(2, 32), (3, 48), (8, 20), (2, 1), (16, 33), (1, 48)];

/// Returns the expected result of each thread: the sum over the blocks of its cluster of 1000 times
/// the block index plus the thread index.
fn sums(count: u32, ranks: u32, threads: u32) -> Vec<u32> {
    let sum = |block: u32, thread: u32| {
        let first = block / ranks * ranks;
        (first..first + ranks)
            .map(|block| 1000 * block + thread)
            .sum()
    };
    (0..count * ranks)
        .flat_map(|block| (0..threads).map(move |thread| sum(block, thread)))
        .collect()
}

fn launch(
    program: &Program,
    kernel: &str,
    launch: &Launch,
    more: &[Param],
) -> Result<(Report, Vec<u32>), Fault> {
    let blocks: u32 = launch.grid.iter().product();
    let threads: u32 = launch.block.iter().product();
    let mut buffers = Buffers::new((blocks * threads) as usize);
    let params = [&[buffers.out()], more].concat();
    let report = program.launch(kernel, launch, &params, &mut buffers.memory)?;
    Ok((report, buffers.words()))
}

/// All cluster registers have the values of the PTX ISA, in a three-dimensional grid of
/// three-dimensional clusters, and in a grid without clusters.
#[test]
fn registers() {
    let program = program!("cluster");
    for (grid, cluster) in [
        ([4, 6, 2], [2, 3, 1]),
        ([6, 2, 4], [3, 1, 4]),
        ([3, 2, 1], [1; 3]),
    ] {
        let blocks: u32 = grid.iter().product();
        let threads = 14;
        let shape = Launch {
            grid,
            cluster,
            block: [threads, 1, 1],
            ..Launch::default()
        };
        for order in ORDERS {
            let shape = Launch { order, ..shape };
            let (report, words) = launch(&program, "registers", &shape, &[]).unwrap();
            assert_eq!(report.blocks, blocks.into());
            let ranks: u32 = cluster.iter().product();
            assert_eq!(report.clusters, (blocks / ranks).into());
            assert_eq!(report.threads, (blocks * threads).into());
            for (block, found) in (0..).zip(words.chunks_exact(14)) {
                let at = [
                    block % grid[0],
                    block / grid[0] % grid[1],
                    block / grid[0] / grid[1],
                ];
                let each = |value: fn(u32, u32, u32) -> u32| {
                    std::array::from_fn::<_, 3, _>(|axis| {
                        value(at[axis], grid[axis], cluster[axis])
                    })
                };
                let [x, y, z] = each(|at, _, cluster| at % cluster);
                let rank = x + cluster[0] * (y + cluster[1] * z);
                let expected = [
                    &each(|at, _, cluster| at / cluster)[..],
                    &each(|_, grid, cluster| grid / cluster),
                    &[x, y, z],
                    &cluster,
                    &[rank, ranks],
                ]
                .concat();
                assert_eq!(found, expected, "block {at:?}");
            }
        }
    }
}

/// Every block stores into the shared memory of all blocks. After a cluster barrier, each block
/// reads the values that the other blocks stored, in every order, with and without checks. The
/// barrier at the start may be relaxed.
#[test]
fn pushing() {
    let program = program!("cluster");
    for (ranks, threads) in SIZES {
        for order in ORDERS.into_iter().chain(Order::all(5)) {
            for (relaxed, checks) in [
                (false, Checks::All),
                (true, Checks::All),
                (false, Checks::Off),
            ] {
                let shape = Launch {
                    checks,
                    ..clusters(2, ranks, threads, order)
                };
                let flags = [bit(true), bit(relaxed), bit(true)];
                let (report, words) = launch(&program, "push", &shape, &flags).unwrap();
                assert_eq!(
                    words,
                    sums(2, ranks, threads),
                    "{ranks} {threads} {order:?}"
                );
                assert_eq!((report.cluster_barriers, report.barriers), (4, 0));
                assert_eq!(report.shared.writes, u64::from(2 * ranks * ranks * threads));
            }
        }
    }
}

/// Every block reads values from the shared memory of all blocks that were stored before a barrier.
/// A last barrier ensures that no block exits while other blocks read its memory.
#[test]
fn pulling() {
    let program = program!("cluster");
    for (ranks, threads) in SIZES {
        for order in ORDERS.into_iter().chain(Order::systematic(2 * ranks)) {
            for barriers in [7, 6] {
                let shape = clusters(2, ranks, threads, order);
                let (report, words) = launch(&program, "pull", &shape, &[int(barriers)]).unwrap();
                assert_eq!(
                    words,
                    sums(2, ranks, threads),
                    "{ranks} {threads} {order:?}"
                );
                let completed = 2 * u64::from(barriers.count_ones());
                assert_eq!(report.cluster_barriers, completed);
            }
        }
    }
}

/// In a two-dimensional cluster, the block with the last coordinates along both axes has the
/// highest rank.
#[test]
fn ranks_of_several_axes() {
    let program = program!("cluster");
    for order in ORDERS {
        let shape = Launch {
            grid: [4, 2, 1],
            cluster: [2, 2, 1],
            ..clusters(1, 1, 40, order)
        };
        let (_, words) = launch(&program, "add", &shape, &[int(3), int(0)]).unwrap();
        assert_eq!(words[..3], [160, 160, 0]);
    }
}

/// An access to another block without an earlier cluster barrier is a fault in every order, because
/// the other block may not have started.
#[test]
fn block_that_has_not_begun() {
    let program = program!("cluster");
    for (ranks, threads) in [(2, 32), (3, 48), (8, 20)] {
        for order in ORDERS {
            let shape = clusters(2, ranks, threads, order);
            let push = [bit(false), bit(false), bit(true)];
            for (kernel, flags, at) in [
                ("push", &push[..], "push.mlir:1:1"),
                ("pull", &[int(4)], "pull.mlir:2:2"),
            ] {
                let fault = launch(&program, kernel, &shape, flags).unwrap_err();
                let Fault::OtherBlock(other) = &fault else {
                    panic!("{fault}");
                };
                assert_eq!(other.lifetime, Lifetime::NotBegun);
                assert_ne!(other.owner, other.site.block);
                assert_eq!(locations(&fault).0, at);
                let message = fault.to_string();
                assert!(message.contains("may not have begun"), "{message}");
                assert!(
                    message.contains("before the first such access"),
                    "{message}"
                );
            }
        }
    }
    // A cluster of one block needs no barrier.
    let alone = clusters(2, 1, 32, Order::Sequential);
    let flags = [bit(false), bit(false), bit(false)];
    launch(&program, "push", &alone, &flags).unwrap();
}

/// A read from a block that may have exited is a fault in every order, also if the block still
/// runs.
#[test]
fn block_that_has_ended() {
    let program = program!("cluster");
    for (ranks, threads) in [(2, 32), (3, 48), (8, 20)] {
        for order in ORDERS.into_iter().chain(Order::systematic(2 * ranks)) {
            let shape = clusters(2, ranks, threads, order);
            let fault = launch(&program, "pull", &shape, &[int(3)]).unwrap_err();
            let Fault::OtherBlock(other) = &fault else {
                panic!("{fault}");
            };
            assert_eq!(
                (other.lifetime, other.kind),
                (Lifetime::Ended, AccessKind::Read)
            );
            assert_ne!(other.owner, other.site.block);
            assert_eq!(locations(&fault).0, "pull.mlir:2:2");
            let message = fault.to_string();
            assert!(message.contains("before the kernel ends"), "{message}");
            // In the host process, the memory of an exited block is still valid, so the unchecked
            // launch succeeds.
            let unchecked = Launch {
                checks: Checks::Off,
                ..shape
            };
            launch(&program, "pull", &unchecked, &[int(3)]).unwrap();
        }
    }
}

/// A store in one block races with a read by another block if no barrier separates the two
/// accesses. The fault reports both accesses with their threads and blocks, and the block that owns
/// the memory.
#[test]
fn race_between_blocks() {
    let program = program!("cluster");
    for (ranks, threads) in [(2, 32), (3, 48), (8, 20)] {
        for order in ORDERS {
            let shape = clusters(2, ranks, threads, order);
            let fault = launch(&program, "pull", &shape, &[int(5)]).unwrap_err();
            let Fault::Race(race) = &fault else {
                panic!("{fault}");
            };
            assert_eq!(race.space, Space::Shared);
            let mut both = [
                (&race.first, race.first_kind),
                (&race.second, race.second_kind),
            ];
            both.sort_by_key(|(_, kind)| *kind == AccessKind::Read);
            let [(write, written), (read, kind)] = both;
            assert_eq!((written, kind), (AccessKind::Write, AccessKind::Read));
            assert_eq!(
                [&write.location, &read.location].map(ToString::to_string),
                ["pull.mlir:1:1", "pull.mlir:2:2"]
            );
            assert_eq!(write.thread, read.thread);
            assert_ne!(write.block, read.block);
            assert_eq!(write.block[0] / ranks, read.block[0] / ranks);
            assert_eq!(race.place.offset, i64::from(4 * write.thread[0]));
            // The block of the writer owns the memory. The label contains this block if the second
            // access is from another block.
            let [x, ..] = write.block;
            let expected = match race.second_kind {
                AccessKind::Read => format!("shared @tile of block ({x}, 0, 0)"),
                _ => "shared @tile".into(),
            };
            assert_eq!(&*race.place.buffer, expected);
        }
    }
}

/// Accesses of a thread before a non-relaxed arrival are ordered before accesses of other threads
/// after the wait. Accesses between arrival and wait are not ordered, in any execution order.
#[test]
fn arriving_and_waiting_apart() {
    let program = program!("cluster");
    for (ranks, threads) in [(2, 32), (3, 48), (8, 20)] {
        for order in ORDERS {
            let shape = clusters(1, ranks, threads, order);
            let report = run(&program, "split", &shape, &[bit(false), bit(false)]).unwrap();
            assert_eq!(report.cluster_barriers, 3);
            for (late, relaxed) in [(true, false), (false, true), (true, true)] {
                let fault = run(&program, "split", &shape, &[bit(late), bit(relaxed)]).unwrap_err();
                assert!(matches!(fault, Fault::Race(_)), "{fault}");
                let (second, first) = locations(&fault);
                let mut both = [first.unwrap(), second];
                both.sort();
                let store = ["split.mlir:1:1", "split.mlir:2:2"][usize::from(late)];
                assert_eq!(both, [store, "split.mlir:3:3"], "{order:?}");
            }
        }
    }
}

/// A block barrier between arrival and wait at the cluster barrier orders only accesses of its
/// block. In a cluster of one block, the block barrier orders all accesses.
#[test]
fn barrier_of_a_block_between_arriving_and_waiting() {
    let program = program!("cluster");
    for ranks in [1, 2, 3] {
        for order in ORDERS {
            let shape = clusters(1, ranks, 48, order);
            let report = run(&program, "block_barrier_inside", &shape, &[bit(false)]).unwrap();
            assert_eq!(
                (report.barriers, report.cluster_barriers),
                (ranks.into(), 2)
            );
            let result = run(&program, "block_barrier_inside", &shape, &[bit(true)]);
            match ranks {
                1 => assert!(result.is_ok(), "{result:?}"),
                _ => assert!(matches!(result, Err(Fault::Race(_))), "{result:?}"),
            }
        }
    }
}

/// A block barrier orders accesses of its own threads, but not accesses of other blocks of the
/// cluster.
#[test]
fn barriers_of_blocks_are_apart() {
    let program = program!("cluster");
    for (ranks, threads) in [(2, 32), (3, 48), (8, 20)] {
        for order in ORDERS {
            let shape = clusters(1, ranks, threads, order);
            let report = run(&program, "block_barrier", &shape, &[int(0)]).unwrap();
            assert_eq!(
                (report.barriers, report.cluster_barriers),
                (ranks.into(), 2)
            );
            let fault = run(&program, "block_barrier", &shape, &[int(1)]).unwrap_err();
            let Fault::Race(race) = &fault else {
                panic!("{fault}");
            };
            assert_ne!(race.first.block, race.second.block);
            let (second, first) = locations(&fault);
            let mut both = [first.unwrap(), second];
            both.sort();
            assert_eq!(both, ["block.mlir:1:1", "block.mlir:2:2"]);
        }
    }
}

/// Atomic additions by all threads of a cluster to one word do not race. A rank outside the
/// cluster, and an address beyond the word, are faults.
#[test]
fn atomics_of_a_cluster() {
    let program = program!("cluster");
    for (ranks, threads) in SIZES {
        for order in ORDERS {
            let shape = clusters(2, ranks, threads, order);
            let add = |rank, past| {
                let more = [int(rank), int(past)];
                launch(&program, "add", &shape, &more).map(|(_, words)| words)
            };
            for rank in [0, ranks - 1] {
                assert_eq!(add(rank, 0).unwrap()[..2], [ranks * threads; 2]);
            }
            for rank in [ranks, u32::MAX] {
                let fault = add(rank, 0).unwrap_err();
                let Fault::OutOfRange(range) = &fault else {
                    panic!("{fault}");
                };
                assert_eq!(
                    (range.lower, range.upper, range.value),
                    (0, ranks as i32, rank as i32)
                );
                assert_eq!(locations(&fault).0, "add.mlir:1:1");
            }
            let fault = add(0, 4).unwrap_err();
            let Fault::OutOfBounds(access) = &fault else {
                panic!("{fault}");
            };
            assert_eq!(access.space, Space::SharedCluster);
            assert_eq!(locations(&fault).0, "add.mlir:2:2");
        }
    }
}

/// A pointer in the shared address space of one block cannot access the shared memory of another
/// block.
#[test]
fn pointer_to_the_own_block() {
    let program = program!("cluster");
    for checks in [Checks::All, Checks::Off] {
        let shape = Launch {
            checks,
            ..clusters(1, 2, 32, Order::Sequential)
        };
        let fault = run(&program, "own_only", &shape, &[]).unwrap_err();
        assert!(matches!(fault, Fault::OutOfBounds(_)), "{fault}");
        assert_eq!(locations(&fault).0, "own.mlir:1:1");
    }
}

/// Every thread of a cluster must arrive once and then wait. The fault reports a thread that
/// violates this rule, or a thread that waits for the violating thread.
#[test]
fn wrong_uses_of_the_barrier() {
    let program = program!("cluster");
    for order in ORDERS {
        for checks in [Checks::All, Checks::Off] {
            let shape = Launch {
                checks,
                ..clusters(1, 3, 48, order)
            };
            let wrong = |what| {
                let fault = run(&program, "wrong", &shape, &[int(what)]).unwrap_err();
                let (here, there) = locations(&fault);
                (fault, here, there)
            };
            let (twice, here, there) = wrong(0);
            assert!(matches!(twice, Fault::InvalidBarrier(_)), "{twice}");
            assert_eq!(
                (here.as_str(), there.as_deref()),
                ("wrong.mlir:4:4", Some("wrong.mlir:3:3"))
            );
            let (early, here, _) = wrong(1);
            assert!(matches!(early, Fault::InvalidBarrier(_)), "{early}");
            assert_eq!(here, "wrong.mlir:5:5");
            assert!(
                early.to_string().contains("without a preceding arrival"),
                "{early}"
            );
            let (gone, here, _) = wrong(2);
            assert!(matches!(gone, Fault::DivergentBarrier(_)), "{gone}");
            assert_eq!(here, "wrong.mlir:1:1");
            let message = gone.to_string();
            assert!(
                message.contains("thread (0, 0, 0) of block (1, 0, 0), which has exited"),
                "{message}"
            );
            // A thread that has arrived may exit without waiting.
            run(&program, "wrong", &shape, &[int(3)]).unwrap();
            let (elsewhere, here, there) = wrong(4);
            assert!(
                matches!(elsewhere, Fault::DivergentBarrier(_)),
                "{elsewhere}"
            );
            assert_eq!(
                (here.as_str(), there.as_deref()),
                ("wrong.mlir:6:6", Some("wrong.mlir:2:2"))
            );
        }
    }
}

/// Fences around atomic accesses order blocks of one cluster, as they order blocks of two clusters.
/// Without fences, the blocks race.
#[test]
fn fences_order_blocks_of_a_cluster() {
    let program = program!("cluster");
    for ranks in [1, 2, 4, 8] {
        for order in ORDERS {
            let shape = Launch {
                grid: [8, 1, 1],
                ..clusters(1, ranks, 1, order)
            };
            let mut buffers = Buffers::new(1);
            let mut run = |fences| {
                let parts = buffers.add_words(&[0; 8]);
                let counter = buffers.add_words(&[0]);
                let params = [buffers.out(), parts, counter, bit(fences)];
                program.launch("last_block", &shape, &params, &mut buffers.memory)?;
                Ok::<_, Fault>(buffers.words())
            };
            assert_eq!(run(true).unwrap(), [36], "{ranks} {order:?}");
            let fault = run(false).unwrap_err();
            assert!(matches!(fault, Fault::Race(_)), "{fault}");
        }
    }
}

/// An invalid cluster size, or a size for which the kernel was not compiled, is rejected with the
/// found and expected sizes.
#[test]
fn wrong_clusters() {
    let program = program!("cluster");
    let info = program.kernels().find(|info| info.name == "of_size");
    assert_eq!(info.unwrap().cluster_size, Some([2, 2, 1]));
    let message = |kernel, grid, cluster| {
        let launch = Launch {
            grid,
            cluster,
            ..Launch::default()
        };
        let fault = run(&program, kernel, &launch, &[]).unwrap_err();
        assert!(matches!(fault, Fault::InvalidLaunch { .. }), "{fault}");
        fault.to_string()
    };
    for (cluster, part) in [
        ([0, 1, 1], "have 0 blocks, expected 1 to 16"),
        ([17, 1, 1], "have 17 blocks, expected 1 to 16"),
        ([u32::MAX; 3], "expected 1 to 16"),
        (
            [3, 1, 1],
            "expected a multiple of the cluster size [3, 1, 1]",
        ),
        (
            [2, 1, 4],
            "expected a multiple of the cluster size [2, 1, 4]",
        ),
    ] {
        let found = message("own_only", [16, 4, 2], cluster);
        assert!(found.contains(part), "{found}");
    }
    for cluster in [[1; 3], [4, 1, 1]] {
        let found = message("of_size", [16, 4, 2], cluster);
        let expected = format!("its cluster size is {cluster:?}, expected [2, 2, 1]");
        assert!(found.contains(&expected), "{found}");
    }
    let launch = Launch {
        grid: [2, 4, 1],
        cluster: [2, 2, 1],
        ..Launch::default()
    };
    let report = program
        .launch("of_size", &launch, &[], &mut Memory::new())
        .unwrap();
    assert_eq!((report.clusters, report.blocks), (2, 8));
}

/// The largest clusters, and many rounds of cluster and block barriers, run in acceptable time.
#[test]
fn many_rounds() {
    let program = program!("cluster");
    let rounds = if cfg!(debug_assertions) { 3 } else { 50 };
    for (ranks, threads) in [(8, 256), (2, 100)] {
        for order in [Order::Sequential, Order::RoundRobin, Order::Shuffled(2)] {
            let start = std::time::Instant::now();
            let shape = clusters(1, ranks, threads, order);
            let (report, words) = launch(&program, "rounds", &shape, &[int(rounds)]).unwrap();
            assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
            assert_eq!(report.barriers, u64::from(2 * ranks * rounds));
            assert_eq!(report.cluster_barriers, u64::from(1 + 2 * rounds));
            let expected: Vec<_> = (0..ranks)
                .flat_map(|_| (0..threads).map(|thread| thread + rounds))
                .collect();
            assert_eq!(words, expected);
        }
    }
    let shape = clusters(1, 16, 1024, Order::Sequential);
    let (report, _) = launch(&program, "rounds", &shape, &[int(1)]).unwrap();
    assert_eq!(report.threads, 16 * 1024);
}
