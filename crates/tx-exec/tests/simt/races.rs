use crate::{Buffers, ORDERS, bit, launch, locations, program, run};
use tx_exec::{AccessKind, Fault, Launch, Space};

/// Two threads that write one byte without a barrier between them race; both places, both threads and the byte are
/// named. The same exchange with a barrier is clean: see `reversal_through_shared_memory`.
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

/// A write after reads by all the other threads races with one of them, until a barrier comes between.
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

/// A warp barrier orders memory, a shuffle synchronises execution only.
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

/// Atomic additions by all threads of all blocks do not race with each other, but do with a plain read.
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

/// Blocks that write the same value to the same place race all the same, and the fault names the argument.
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

/// One seed gives one order: the same fault, to the letter.
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
