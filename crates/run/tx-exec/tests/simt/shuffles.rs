use crate::{Buffers, ORDERS, int, launch, locations, program, run};
use tx_exec::{Fault, Launch};

/// The lane that CUDA's documentation of `__shfl_*_sync` says is read, with a width and an operand;
/// absent where the lane keeps its own value. Written from the description of the functions, not of
/// the PTX instruction.
fn documented(kind: &str, lane: u32, operand: u32, width: u32) -> Option<u32> {
    let first = lane / width * width;
    match kind {
        "idx" => Some(first + operand % width),
        "up" => lane.checked_sub(operand).filter(|&source| source >= first),
        "down" => Some(lane + operand).filter(|&source| source < first + width),
        // A lane of a lower group may be read, one of a higher group not.
        "bfly" => Some(lane ^ operand).filter(|&source| source < first + width),
        _ => unreachable!(),
    }
}

fn clamp(kind: &str, width: u32) -> u32 {
    (32 - width) << 8 | if kind == "up" { 0 } else { 31 }
}

/// Every kind of shuffle with every width and operand reads the lane that CUDA documents and says
/// whether it is valid.
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

/// A last warp of 7 threads shuffles among the lanes that exist, in every order, if the mask names
/// just those.
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

/// A mask that names lanes which do not exist is a fault, and so is one that omits its caller.
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

/// A shuffle that reads a lane which is not a member is a fault that names both lanes.
#[test]
fn inactive_source() {
    let program = program!("shuffles");
    let mut buffers = Buffers::new(64);
    // Lanes 0 to 6 are members and the butterfly of lane 6 reads lane 7.
    let params = [buffers.out(), int(0x7f), int(1), int(31)];
    let fault = program
        .launch("bfly", &launch(1, 7), &params, &mut buffers.memory)
        .unwrap_err();
    assert!(matches!(fault, Fault::InactiveLane(_)), "{fault}");
    assert!(fault.to_string().contains("lane 6 reads lane 7"), "{fault}");
}

/// A butterfly of f32 without a predicate gives every lane the sum of all.
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

/// Lanes that have exited may not be named in a mask, whether they left before or while the others wait.
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

/// Halves of a warp may shuffle apart if each names itself only; if they name each other, both
/// places are reported.
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
        // One-sided: the low half waits for the high half, which goes its own way and ends.
        let fault = run(&program, "apart", &launch, &[int(!0), int(0xffff_0000)]).unwrap_err();
        assert!(
            matches!(fault, Fault::WarpMask(_) | Fault::DivergentWarp(_)),
            "{fault}"
        );
    }
}
