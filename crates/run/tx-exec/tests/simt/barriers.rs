use crate::{Buffers, ORDERS, int, launch, locations, program, run};
use tx_exec::{Fault, Launch, Memory, StepLimit};

/// Threads of blocks with up to 1024 threads exchange values through shared memory across a
/// barrier.
#[test]
fn reversal_through_shared_memory() {
    let program = program!("barriers");
    for threads in [1, 2, 31, 33, 100, 256, 1000, 1024] {
        for order in ORDERS {
            let launch = Launch {
                order,
                ..launch(3, threads)
            };
            let mut buffers = Buffers::new(3 * threads as usize);
            let report = program
                .launch("reverse", &launch, &[buffers.out()], &mut buffers.memory)
                .unwrap();
            assert_eq!((report.blocks, report.barriers), (3, 3));
            assert_eq!(report.shared.writes, 3 * u64::from(threads));
            assert_eq!(report.shared.reads, 3 * u64::from(threads));
            assert_eq!(report.global.writes, 3 * u64::from(threads));
            let expected: Vec<_> = (0..3).flat_map(|_| (0..threads).rev()).collect();
            assert_eq!(buffers.words(), expected);
        }
    }
}

/// If threads of a block wait at two different barriers, the fault reports the locations of both
/// barriers.
#[test]
fn divergent_barrier() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 64)
        };
        let fault = run(&program, "divergent", &launch, &[]).unwrap_err();
        assert!(matches!(fault, Fault::DivergentBarrier(_)), "{fault}");
        let (here, there) = locations(&fault);
        let mut both = [here, there.unwrap()];
        both.sort();
        assert_eq!(both, ["even.mlir:2:2", "odd.mlir:1:1"]);
    }
}

/// If a thread waits at a barrier for an exited thread, the executor reports a fault in every
/// order.
#[test]
fn exit_before_barrier() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 96)
        };
        run(&program, "early_exit", &launch, &[int(96)]).unwrap();
        run(&program, "early_exit", &launch, &[int(0)]).unwrap();
        let fault = run(&program, "early_exit", &launch, &[int(64)]).unwrap_err();
        assert!(matches!(fault, Fault::DivergentBarrier(_)), "{fault}");
        assert_eq!(locations(&fault).0, "exit.mlir:3:3");
    }
}

#[test]
fn deadlock_between_barrier_and_warp() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 32)
        };
        let fault = run(&program, "barrier_and_warp", &launch, &[]).unwrap_err();
        assert!(matches!(fault, Fault::DivergentWarp(_)), "{fault}");
        let (here, there) = locations(&fault);
        assert_eq!(
            (here.as_str(), there.as_deref()),
            ("warp.mlir:2:2", Some("cta.mlir:1:1"))
        );
    }
}

/// Two warpgroups synchronise separately, each with a named barrier of 128 threads, and do not race.
#[test]
fn named_barriers() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 256)
        };
        let mut buffers = Buffers::new(256);
        let params = [buffers.out(), int(128)];
        let report = program
            .launch("named", &launch, &params, &mut buffers.memory)
            .unwrap();
        assert_eq!((report.named_barriers, report.barriers), (2, 0));
        let expected: Vec<_> = (0..256).map(|thread| thread ^ 127).collect();
        assert_eq!(buffers.words(), expected);
    }
}

/// A named barrier with fewer arrivals than its thread count is a deadlock. A barrier is invalid if
/// its thread count is not a multiple of the warp size, or if too many threads arrive.
#[test]
fn named_barriers_with_wrong_counts() {
    let program = program!("barriers");
    let mut buffers = Buffers::new(256);
    let mut run = |threads, count| {
        let params = [buffers.out(), int(count)];
        program
            .launch("named", &launch(1, threads), &params, &mut buffers.memory)
            .unwrap_err()
    };
    let fault = run(256, 160);
    assert!(matches!(fault, Fault::Deadlock(_)), "{fault}");
    assert_eq!(locations(&fault).0, "named.mlir:4:4");
    for (threads, count) in [(256, 100), (256, 0), (256, 512)] {
        let fault = run(threads, count);
        assert!(matches!(fault, Fault::InvalidBarrier(_)), "{fault}");
    }
}

/// Warpgroups use separate named barriers with computed barrier numbers. The warpgroups execute
/// different numbers of loop iterations, including zero iterations.
#[test]
fn warpgroups_run_apart() {
    let program = program!("barriers");
    for order in ORDERS {
        for times in [[3, 5], [0, 4], [7, 1], [2, 2]] {
            for first in [1, 0, 14] {
                let launch = Launch {
                    order,
                    ..launch(1, 256)
                };
                let mut buffers = Buffers::new(256);
                let params = [buffers.out(), buffers.add_words(&times), int(first)];
                let report = program
                    .launch("warpgroup_rounds", &launch, &params, &mut buffers.memory)
                    .unwrap();
                assert_eq!(
                    report.named_barriers,
                    2 * u64::from(times[0] + times[1]),
                    "{times:?} {order:?}"
                );
                let expected: Vec<_> = (0..256)
                    .map(|thread| {
                        let (group, rounds) = (thread / 128, times[thread as usize / 128]);
                        group * 128 + (thread % 128 + rounds) % 128 + rounds
                    })
                    .collect();
                assert_eq!(buffers.words(), expected, "{times:?} {order:?}");
            }
        }
    }
}

#[test]
fn computed_barrier_that_does_not_exist() {
    let program = program!("barriers");
    let mut buffers = Buffers::new(256);
    for first in [15, u32::MAX] {
        let params = [buffers.out(), buffers.add_words(&[1, 1]), int(first)];
        let fault = program
            .launch(
                "warpgroup_rounds",
                &launch(1, 256),
                &params,
                &mut buffers.memory,
            )
            .unwrap_err();
        assert!(matches!(fault, Fault::InvalidBarrier(_)), "{fault}");
        assert_eq!(locations(&fault).0, "rounds.mlir:1:1");
    }
}

/// If lanes of a warp wait at a named barrier in different operations, a fault is reported, because
/// the instruction is `.aligned`.
#[test]
fn named_barrier_splits_a_warp() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 128)
        };
        let fault = run(&program, "split_warps", &launch, &[]).unwrap_err();
        assert!(matches!(fault, Fault::DivergentBarrier(_)), "{fault}");
        let (here, there) = locations(&fault);
        let mut both = [here, there.unwrap()];
        both.sort();
        assert_eq!(both, ["even.mlir:2:2", "odd.mlir:1:1"]);
    }
}

/// Threads that only arrive at a barrier do not wait. Their earlier writes are ordered before later
/// accesses of the waiting threads.
#[test]
fn arrival_without_waiting() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 64)
        };
        let mut buffers = Buffers::new(32);
        program
            .launch("arrive", &launch, &[buffers.out()], &mut buffers.memory)
            .unwrap();
        assert_eq!(buffers.words(), (0..32).collect::<Vec<_>>());
    }
}

#[test]
fn barrier_with_reduction() {
    let program = program!("barriers");
    let mut buffers = Buffers::new(75);
    program
        .launch(
            "popc",
            &launch(1, 75),
            &[buffers.out()],
            &mut buffers.memory,
        )
        .unwrap();
    assert_eq!(buffers.words(), [37; 75]);
}

/// 1024 threads with four thousand accesses each finish in reasonable time, also without optimisation.
#[test]
fn many_accesses() {
    let program = program!("barriers");
    let rounds = if cfg!(debug_assertions) { 200 } else { 2000 };
    let mut buffers = Buffers::new(1024);
    let params = [buffers.out(), int(rounds)];
    let start = std::time::Instant::now();
    let report = program
        .launch("rounds", &launch(1, 1024), &params, &mut buffers.memory)
        .unwrap();
    assert!(start.elapsed().as_secs() < 20);
    assert_eq!(report.barriers, 2 * u64::from(rounds));
    assert_eq!(buffers.words()[0], rounds % 1024);
}

/// In every order, threads that spin on an atomic word yield to the thread that sets the word.
#[test]
fn spinning() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 64)
        };
        let mut buffers = Buffers::new(1);
        let params = [buffers.out(), int(63)];
        program
            .launch("spin", &launch, &params, &mut buffers.memory)
            .unwrap();
    }
}

/// A step limit stops an endless loop with a fault, and does not affect a loop that ends before the
/// limit.
#[test]
fn looping_for_ever() {
    let program = program!("barriers");
    // The first step limit is independent of the number of threads, and the second step limit is
    // proportional to this number.
    let limits = [
        StepLimit::new(2 * 3 * 20 + 1),
        StepLimit::new(1).with_each_thread(20),
    ];
    for (to, ends) in [(2, true), (40, true), (42, false), (41, false)] {
        for steps in limits {
            let limited = Launch {
                steps: Some(steps),
                ..launch(2, 3)
            };
            let mut memory = Memory::new();
            let result = program.launch("count", &limited, &[int(to)], &mut memory);
            match (result, ends) {
                (Ok(_), true) | (Err(Fault::Endless { steps: 121, .. }), false) => {}
                (other, _) => panic!("to {to}: {other:?}"),
            }
        }
    }
}

#[test]
fn spinning_for_ever() {
    let program = program!("barriers");
    let mut buffers = Buffers::new(1);
    let params = [buffers.out(), int(64)];
    let fault = program
        .launch("spin", &launch(1, 64), &params, &mut buffers.memory)
        .unwrap_err();
    assert!(matches!(fault, Fault::NoProgress(_)), "{fault}");
}
