//! Launches with `Checks::Off`: disabled checks, and checks that stay enabled.

use crate::{Buffers, ORDERS, bit, int, launch, locations, program, run};
use tx_exec::{Checks, Fault, Launch, Memory, Param};

fn long(value: i64) -> Param {
    Param::Int {
        bits: 64,
        value: value as u64,
    }
}

fn unchecked(blocks: u32, threads: u32) -> Launch {
    Launch {
        checks: Checks::Off,
        ..launch(blocks, threads)
    }
}

/// In every order, a program without faults has the same results and the same counters with and
/// without checks.
#[test]
fn results_and_counts_do_not_depend_on_checks() {
    let program = program!("barriers");
    for order in ORDERS {
        let mut results = [Checks::All, Checks::Off].map(|checks| {
            let launch = Launch {
                order,
                checks,
                ..launch(3, 100)
            };
            let mut buffers = Buffers::new(300);
            let report = program
                .launch("reverse", &launch, &[buffers.out()], &mut buffers.memory)
                .unwrap();
            (report, buffers.words())
        });
        let [all, off] = &mut results;
        assert_eq!(all, off, "{order:?}");
    }
}

/// Without checks, races and reads of uninitialised memory are not detected, neither in shared nor
/// in global memory.
#[test]
fn races_and_values_are_not_looked_for() {
    let barriers = program!("barriers");
    let memory = program!("memory");
    for order in ORDERS {
        let racing = Launch {
            order,
            ..unchecked(2, 64)
        };
        run(&barriers, "war", &racing, &[bit(false)]).unwrap();
        let mut buffers = Buffers::new(1);
        let params = [buffers.out()];
        barriers
            .launch("same_value", &racing, &params, &mut buffers.memory)
            .unwrap();
        run(&memory, "shared", &racing, &[int(3), int(4)]).unwrap();
    }
    let mut temporary = Memory::new();
    let buffer = temporary.alloc_uninitialized("temporary 0", 4, 16).unwrap();
    let params = [Param::Pointer(temporary.address(buffer).unwrap()), long(0)];
    memory
        .launch("read", &unchecked(1, 1), &params, &mut temporary)
        .unwrap();
}

/// Without checks, operations that would corrupt or stop the host process are still faults with
/// locations.
#[test]
fn what_the_process_needs_is_looked_for() {
    let program = program!("memory");
    let mut buffers = Buffers::new(8);
    let out = buffers.out();
    let mut fault = |kernel, params: &[Param]| {
        let launch = unchecked(1, 1);
        program
            .launch(kernel, &launch, params, &mut buffers.memory)
            .unwrap_err()
    };
    let read = fault("read", &[out, long(8)]);
    assert!(matches!(read, Fault::OutOfBounds(_)), "{read}");
    assert_eq!(locations(&read).0, "read.mlir:5:9");
    for outside in [
        fault("read", &[out, long(1 << 40)]),
        fault("write16", &[out, long(24)]),
        fault("shared", &[int(1 << 20), int(0)]),
        fault("shared", &[int(8), int(0)]),
        fault("private", &[out, int(100_000)]),
    ] {
        assert!(matches!(outside, Fault::OutOfBounds(_)), "{outside}");
    }
    let misaligned = fault("write16", &[out, long(4)]);
    assert!(matches!(misaligned, Fault::Misaligned(_)), "{misaligned}");
    let constant = fault("constants", &[out, bit(true)]);
    assert!(matches!(constant, Fault::ReadOnly(_)), "{constant}");
    let division = fault("divide", &[out, int(1), int(0)]);
    assert!(matches!(division, Fault::Division(_)), "{division}");
    let deep = fault("recursive", &[out, int(1_000_000)]);
    assert!(matches!(deep, Fault::StackOverflow(_)), "{deep}");
}

/// Without checks, deadlocks and divergence at barriers and warp operations are still reported.
#[test]
fn who_waits_for_whom_is_looked_for() {
    let barriers = program!("barriers");
    let shuffles = program!("shuffles");
    for order in ORDERS {
        let with = |threads| Launch {
            order,
            ..unchecked(1, threads)
        };
        let divergent = run(&barriers, "divergent", &with(64), &[]).unwrap_err();
        assert!(
            matches!(divergent, Fault::DivergentBarrier(_)),
            "{divergent}"
        );
        let exit = run(&barriers, "early_exit", &with(96), &[int(64)]).unwrap_err();
        assert!(matches!(exit, Fault::DivergentBarrier(_)), "{exit}");
        let crossed = run(&barriers, "barrier_and_warp", &with(32), &[]).unwrap_err();
        assert!(matches!(crossed, Fault::DivergentWarp(_)), "{crossed}");
        let exited = run(&shuffles, "exited", &with(32), &[int(!0)]).unwrap_err();
        assert!(matches!(exited, Fault::WarpMask(_)), "{exited}");
        let mut buffers = Buffers::new(64);
        let params = [buffers.out(), int(0x7f), int(1), int(31)];
        let inactive = shuffles
            .launch("bfly", &with(7), &params, &mut buffers.memory)
            .unwrap_err();
        assert!(matches!(inactive, Fault::InactiveLane(_)), "{inactive}");
    }
}

/// An uninitialised buffer counts as initialised after an unchecked launch has written to it, also
/// for later launches with checks. A buffer without a write stays uninitialised.
#[test]
fn checked_and_unchecked_launches_mix() {
    let program = program!("memory");
    let mut memory = Memory::new();
    let [written, untouched] = ["temporary 0", "temporary 1"].map(|label| {
        let buffer = memory.alloc_uninitialized(label, 100, 16).unwrap();
        Param::Pointer(memory.address(buffer).unwrap())
    });
    program
        .launch(
            "write16",
            &unchecked(1, 1),
            &[written, long(16)],
            &mut memory,
        )
        .unwrap();
    program
        .launch("read", &launch(1, 1), &[written, long(4)], &mut memory)
        .unwrap();
    let fault = program
        .launch("read", &launch(1, 1), &[untouched, long(4)], &mut memory)
        .unwrap_err();
    assert!(matches!(fault, Fault::Uninitialized(_)), "{fault}");
}
