use crate::{Buffers, ORDERS, bit, int, launch, locations, program, run};
use tx_exec::{AccessKind, Fault, Launch, Order, Race, Space};

/// Two threads that write one byte without a barrier between them race. The fault contains both
/// locations, both threads and the byte. `reversal_through_shared_memory` tests the same exchange
/// with a barrier.
#[test]
fn write_write() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 64)
        };
        let mut buffers = Buffers::new(64);
        let fault = program
            .launch(
                "reverse_race",
                &launch,
                &[buffers.out()],
                &mut buffers.memory,
            )
            .unwrap_err();
        let Fault::Race(race) = &fault else {
            panic!("{fault}");
        };
        assert_eq!(race.space, Space::Shared);
        assert_eq!(
            (race.first_kind, race.second_kind),
            (AccessKind::Write, AccessKind::Write)
        );
        assert_eq!(race.first.thread[0] + race.second.thread[0], 63);
        assert_eq!(&*race.place.buffer, "shared @tile");
        assert_eq!(race.place.offset % 4, 0);
        let (second, first) = locations(&fault);
        let mut both = [first.unwrap(), second];
        both.sort();
        assert_eq!(both, ["race.mlir:10:5", "race.mlir:20:7"]);
    }
}

/// A write after reads by all other threads races with a read, unless a barrier separates them.
#[test]
fn write_after_read() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 128)
        };
        run(&program, "war", &launch, &[bit(true)]).unwrap();
        let fault = run(&program, "war", &launch, &[bit(false)]).unwrap_err();
        let (second, first) = locations(&fault);
        let mut both = [first.unwrap(), second];
        both.sort();
        assert_eq!(both, ["war.mlir:1:1", "war.mlir:2:2"]);
    }
}

/// A warp barrier orders memory accesses, whereas a shuffle synchronises execution only.
#[test]
fn shuffles_do_not_order_memory() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 64)
        };
        let report = run(&program, "warp_exchange", &launch, &[bit(true)]).unwrap();
        assert_eq!(report.warp_syncs, 2);
        let fault = run(&program, "warp_exchange", &launch, &[bit(false)]).unwrap_err();
        assert!(matches!(fault, Fault::Race(_)), "{fault}");
    }
}

/// Atomic additions by all threads of all blocks do not race with each other, but race with a
/// non-atomic read.
#[test]
fn atomics() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(5, 300)
        };
        let mut buffers = Buffers::new(1);
        let params = [buffers.out(), bit(false)];
        let report = program
            .launch("atomics", &launch, &params, &mut buffers.memory)
            .unwrap();
        assert_eq!(report.global.atomics, 1500);
        assert_eq!(buffers.words(), [1500]);
        let params = [buffers.out(), bit(true)];
        let fault = program
            .launch("atomics", &launch, &params, &mut buffers.memory)
            .unwrap_err();
        assert!(matches!(fault, Fault::Race(_)), "{fault}");
    }
}

/// Blocks that write equal values to the same address race, and the fault contains the label of the
/// argument.
#[test]
fn blocks_are_not_ordered() {
    let program = program!("barriers");
    let mut buffers = Buffers::new(1);
    let params = [buffers.out()];
    program
        .launch("same_value", &launch(1, 1), &params, &mut buffers.memory)
        .unwrap();
    let fault = program
        .launch("same_value", &launch(2, 1), &params, &mut buffers.memory)
        .unwrap_err();
    let Fault::Race(race) = &fault else {
        panic!("{fault}");
    };
    assert_eq!(
        (race.first.block, race.second.block),
        ([0, 0, 0], [1, 0, 0])
    );
    assert_eq!(&*race.place.buffer, "argument 0");
}

#[test]
fn faults_are_deterministic() {
    let program = program!("barriers");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 256)
        };
        let fault = || {
            run(&program, "war", &launch, &[bit(false)])
                .unwrap_err()
                .to_string()
        };
        assert_eq!(fault(), fault());
    }
}

fn race(fault: Fault) -> Race {
    match fault {
        Fault::Race(race) => *race,
        other => panic!("{other}"),
    }
}

/// A read and a write of two threads without a barrier race. The message contains both locations,
/// both threads, the block and the byte. If the executor runs the read first, the read is a read of
/// uninitialised memory.
#[test]
fn read_after_write() {
    let program = program!("orders");
    let mut buffers = Buffers::new(128);
    let params = [buffers.out(), int(1), bit(false)];
    let launch = Launch {
        order: Order::Reverse,
        ..launch(2, 128)
    };
    let fault = program
        .launch("hand_over", &launch, &params, &mut buffers.memory)
        .unwrap_err();
    assert!(matches!(fault, Fault::Uninitialized(_)), "{fault}");
    assert_eq!(locations(&fault).0, "raw.mlir:2:2");
    let launch = Launch {
        order: Order::RoundRobin,
        ..launch
    };
    let fault = program
        .launch("hand_over", &launch, &params, &mut buffers.memory)
        .unwrap_err();
    let message = fault.to_string();
    let race = race(fault);
    assert_eq!(
        (race.first_kind, race.second_kind),
        (AccessKind::Write, AccessKind::Read)
    );
    assert_eq!(
        message,
        "race on shared memory, byte 0 of shared @tile (4096 bytes): \
         read at raw.mlir:2:2 by thread (0, 0, 0) of block (0, 0, 0) is not ordered after \
         write at raw.mlir:1:1 by thread (127, 0, 0) of block (0, 0, 0)"
    );
}

/// In a loop without a barrier at the end of its body, the write of an iteration races with the
/// reads of the previous iteration. A single iteration has no race.
#[test]
fn write_after_read_around_a_loop() {
    let program = program!("orders");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 128)
        };
        for distance in [1, 31, 32, 96, 127] {
            let mut buffers = Buffers::new(128);
            let out = buffers.out();
            let mut run = |times, safe| {
                let params = [out, int(times), int(distance), bit(safe)];
                program.launch("rounds", &launch, &params, &mut buffers.memory)
            };
            run(1, false).unwrap();
            run(4, true).unwrap();
            let race = race(run(4, false).unwrap_err());
            let mut found = [
                (race.first_kind, race.first.location.to_string()),
                (race.second_kind, race.second.location.to_string()),
            ];
            found.sort_by(|a, b| a.1.cmp(&b.1));
            assert_eq!(
                found,
                [
                    (AccessKind::Write, "war.mlir:1:1".to_string()),
                    (AccessKind::Read, "war.mlir:2:2".to_string()),
                ],
                "{order:?}"
            );
            assert_eq!(race.space, Space::Shared);
            // The byte belongs to the slot of the writing thread. The index of the reading thread
            // is lower by `distance`.
            let (writes, reads) = match race.first_kind {
                AccessKind::Write => (race.first.thread[0], race.second.thread[0]),
                _ => (race.second.thread[0], race.first.thread[0]),
            };
            assert_eq!(race.place.offset, i64::from(4 * writes));
            assert_eq!((reads + distance) % 128, writes);
        }
    }
}

/// Barriers order accesses of one block to global memory, as to shared memory. A named barrier
/// orders only accesses of the participating warps.
#[test]
fn barriers_order_global_memory() {
    let program = program!("orders");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 128)
        };
        let mut buffers = Buffers::new(32);
        let out = buffers.out();
        let mut run = |count| {
            let params = [out, int(count)];
            program.launch("global_exchange", &launch, &params, &mut buffers.memory)
        };
        run(128).unwrap();
        for count in [32, 64, 96] {
            let race = race(run(count).unwrap_err());
            assert_eq!(
                (race.space, &*race.place.buffer),
                (Space::Global, "argument 0")
            );
            let other = race.first.thread[0].max(race.second.thread[0]);
            assert!(
                other >= count,
                "thread {other} was ordered by {count} threads"
            );
        }
    }
}

#[test]
fn warp_barriers_order_their_members() {
    let program = program!("orders");
    // In both orders, lane 0 writes before another lane reads.
    for order in [Order::Sequential, Order::RoundRobin] {
        let launch = Launch {
            order,
            ..launch(1, 32)
        };
        for (mask, reader, ordered) in [
            (!0, 31, true),
            (0xff, 7, true),
            (0xff, 8, false),
            (0x1_0001, 16, true),
            (0x1_0000, 16, false),
            (0x1_0002, 16, false),
        ] {
            let result = run(&program, "lanes_meet", &launch, &[int(mask), int(reader)]);
            match ordered {
                true => assert!(result.is_ok(), "{mask:#x} {reader}: {result:?}"),
                false => assert_eq!(race(result.unwrap_err()).second.thread[0], reader),
            }
        }
    }
}

/// Overlapping accesses of different widths race, and the first common byte is reported. Adjacent
/// accesses do not race.
#[test]
fn overlapping_accesses() {
    let program = program!("orders");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 2)
        };
        for (byte, wide) in [(16, false), (16, true), (4095, false)] {
            run(&program, "overlap", &launch, &[int(byte), bit(wide)]).unwrap();
        }
        for (byte, wide) in [(0, false), (7, false), (15, false), (0, true)] {
            let fault = run(&program, "overlap", &launch, &[int(byte), bit(wide)]).unwrap_err();
            let race = race(fault);
            assert_eq!(race.place.offset, i64::from(byte), "{order:?}");
            let there = if wide {
                "overlap.mlir:2:2"
            } else {
                "overlap.mlir:3:3"
            };
            let mut found = [&race.first, &race.second].map(|site| site.location.to_string());
            found.sort();
            assert_eq!(found, ["overlap.mlir:1:1", there]);
        }
        // A vector store to shared memory must be aligned, and must be inside its variable.
        let misaligned = run(&program, "overlap", &launch, &[int(24), bit(true)]).unwrap_err();
        assert!(matches!(misaligned, Fault::Misaligned(_)), "{misaligned}");
        let outside = run(&program, "overlap", &launch, &[int(4096), bit(true)]).unwrap_err();
        assert!(matches!(outside, Fault::OutOfBounds(_)), "{outside}");
    }
}

/// The end of a kernel orders all accesses of the kernel before all accesses of the next launch.
/// Any thread of the next launch may read and write the written memory.
#[test]
fn kernels_are_ordered() {
    let program = program!("barriers");
    for order in ORDERS {
        let mut buffers = Buffers::new(300);
        let out = buffers.out();
        for blocks in [3, 2, 3] {
            let launch = Launch {
                order,
                ..launch(blocks, 100)
            };
            program
                .launch("reverse", &launch, &[out], &mut buffers.memory)
                .unwrap();
            let one = Launch {
                order,
                ..crate::launch(1, 1)
            };
            program
                .launch("same_value", &one, &[out], &mut buffers.memory)
                .unwrap();
        }
    }
}
