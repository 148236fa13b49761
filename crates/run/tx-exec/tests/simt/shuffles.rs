use crate::{Buffers, ORDERS, int, launch, locations, program, run};
use tx_exec::{Fault, Launch};

/// Returns the source lane according to CUDA's documentation of `__shfl_*_sync`, for a width and an
/// operand; `None` if the lane keeps its own value. This model follows the CUDA functions, not the
/// PTX instruction.
fn documented(kind: &str, lane: u32, operand: u32, width: u32) -> Option<u32> {
    let first = lane / width * width;
    match kind {
        "idx" => Some(first + operand % width),
        "up" => lane.checked_sub(operand).filter(|&source| source >= first),
        "down" => Some(lane + operand).filter(|&source| source < first + width),
        // A lane may read from a lower group, but not from a higher group.
        "bfly" => Some(lane ^ operand).filter(|&source| source < first + width),
        _ => unreachable!(),
    }
}

fn clamp(kind: &str, width: u32) -> u32 {
    (32 - width) << 8 | if kind == "up" { 0 } else { 31 }
}

/// For every kind, width and operand, a shuffle reads the lane that CUDA documents, and returns a
/// correct validity predicate.
#[test]
fn every_kind_width_and_operand() {
    let program = program!("shuffles");
    for kind in ["bfly", "up", "down", "idx"] {
        for width in [1, 2, 4, 8, 16, 32] {
            for operand in 0..32 {
                let mut buffers = Buffers::new(64);
                let params = [
                    buffers.out(),
                    int(!0),
                    int(operand),
                    int(clamp(kind, width)),
                ];
                let report = program
                    .launch(kind, &launch(1, 32), &params, &mut buffers.memory)
                    .unwrap();
                assert_eq!(report.shuffles, 1);
                for (lane, result) in (0..).zip(buffers.words().chunks_exact(2)) {
                    let source = documented(kind, lane, operand, width);
                    let expected = [100 + source.unwrap_or(lane), u32::from(source.is_some())];
                    assert_eq!(
                        result, expected,
                        "{kind} width {width} operand {operand} lane {lane}"
                    );
                }
            }
        }
    }
}

/// In every order, a last warp of 7 threads can shuffle if the mask contains only its existing
/// lanes.
#[test]
fn partial_last_warp() {
    let program = program!("shuffles");
    for order in ORDERS {
        let mut buffers = Buffers::new(14);
        let params = [buffers.out(), int(0x7f), int(3), int(31)];
        let launch = Launch {
            order,
            ..launch(1, 7)
        };
        program
            .launch("idx", &launch, &params, &mut buffers.memory)
            .unwrap();
        assert!(
            buffers
                .words()
                .chunks_exact(2)
                .all(|result| result == [103, 1])
        );
    }
}

/// A mask with lanes that do not exist is a fault, and a mask without the calling lane is also a
/// fault.
#[test]
fn masks_must_name_the_lanes_there_are() {
    let program = program!("shuffles");
    for (threads, mask) in [(7, 0xff), (32, 0xffff)] {
        let mut buffers = Buffers::new(64);
        let params = [buffers.out(), int(mask), int(0), int(31)];
        let fault = program
            .launch("idx", &launch(1, threads), &params, &mut buffers.memory)
            .unwrap_err();
        assert!(matches!(fault, Fault::WarpMask(_)), "{fault}");
    }
}

#[test]
fn inactive_source() {
    let program = program!("shuffles");
    let mut buffers = Buffers::new(64);
    // Lanes 0 to 6 are members, and lane 6 reads lane 7 in the butterfly shuffle.
    let params = [buffers.out(), int(0x7f), int(1), int(31)];
    let fault = program
        .launch("bfly", &launch(1, 7), &params, &mut buffers.memory)
        .unwrap_err();
    assert!(matches!(fault, Fault::InactiveLane(_)), "{fault}");
    assert!(fault.to_string().contains("lane 6 reads lane 7"), "{fault}");
}

#[test]
fn butterfly_sum() {
    let program = program!("shuffles");
    let mut buffers = Buffers::new(32);
    let report = program
        .launch("sum", &launch(1, 32), &[buffers.out()], &mut buffers.memory)
        .unwrap();
    assert_eq!(report.shuffles, 5);
    assert_eq!(buffers.words(), [496f32.to_bits(); 32]);
}

/// A mask must not contain a lane that exited before the shuffle, or that exits while other lanes
/// wait in the shuffle.
#[test]
fn exited_lanes() {
    let program = program!("shuffles");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 32)
        };
        run(&program, "exited", &launch, &[int(0xffff)]).unwrap();
        let fault = run(&program, "exited", &launch, &[int(!0)]).unwrap_err();
        assert!(matches!(fault, Fault::WarpMask(_)), "{fault}");
        assert!(fault.to_string().contains("has exited"), "{fault}");
    }
}

/// The halves of a warp can shuffle separately if each mask contains one half only. If the masks
/// overlap, the fault contains both locations.
#[test]
fn members_must_be_at_one_operation() {
    let program = program!("shuffles");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(1, 32)
        };
        let report = run(&program, "apart", &launch, &[int(0xffff), int(0xffff_0000)]).unwrap();
        assert_eq!(report.shuffles, 2);
        let fault = run(&program, "apart", &launch, &[int(!0), int(!0)]).unwrap_err();
        assert!(matches!(fault, Fault::DivergentWarp(_)), "{fault}");
        let (here, there) = locations(&fault);
        let mut both = [here, there.unwrap()];
        both.sort();
        assert_eq!(both, ["high.mlir:8:4", "low.mlir:7:3"]);
        // The low half waits for the high half, but the high half executes another shuffle and
        // exits.
        let fault = run(&program, "apart", &launch, &[int(!0), int(0xffff_0000)]).unwrap_err();
        assert!(
            matches!(fault, Fault::WarpMask(_) | Fault::DivergentWarp(_)),
            "{fault}"
        );
    }
}
