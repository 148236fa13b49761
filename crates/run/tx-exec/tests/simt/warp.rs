use crate::{Buffers, ORDERS, int, launch, locations, program};
use tx_exec::{Fault, Launch, Program, Report};

fn redux(kind: &str, mask: u32, values: &[u32; 32]) -> Vec<u32> {
    let program = program!("warp");
    let mut buffers = Buffers::new(32);
    let input = buffers.add_words(values);
    let params = [buffers.out(), input, int(mask)];
    program
        .launch(
            kind,
            &launch(1, mask.count_ones()),
            &params,
            &mut buffers.memory,
        )
        .unwrap();
    buffers.words()[..mask.count_ones() as usize].to_vec()
}

/// Every integer kind of `redux.sync` combines all members, wraps on overflow, and distinguishes
/// signed and unsigned operands.
#[test]
fn integer_reductions() {
    let values: [u32; 32] =
        std::array::from_fn(|lane| 0x8000_0001u32.wrapping_mul(lane as u32 + 1) ^ 0x55);
    let fold = |combine: fn(u32, u32) -> u32| values.into_iter().reduce(combine).unwrap();
    for (kind, expected) in [
        ("add", fold(u32::wrapping_add)),
        ("and", fold(|a, b| a & b)),
        ("or", fold(|a, b| a | b)),
        ("xor", fold(|a, b| a ^ b)),
        ("umax", fold(u32::max)),
        ("umin", fold(u32::min)),
        ("max", fold(|a, b| (a as i32).max(b as i32) as u32)),
        ("min", fold(|a, b| (a as i32).min(b as i32) as u32)),
    ] {
        assert_eq!(redux(kind, !0, &values), [expected; 32], "{kind}");
    }
}

#[test]
fn reduction_of_a_partial_warp() {
    let values = std::array::from_fn(|lane| lane as u32 + 1);
    assert_eq!(redux("add", 0x1f, &values), [15; 5]);
}

/// Float reductions ignore NaN operands, unless the flag `NaN` is set.
#[test]
fn float_reductions() {
    let mut values: [u32; 32] = std::array::from_fn(|lane| (lane as f32 - 20.0).to_bits());
    assert_eq!(redux("fmin", !0, &values), [(-20f32).to_bits(); 32]);
    assert_eq!(redux("fmax", !0, &values), [20f32.to_bits(); 32]);
    values[3] = f32::NAN.to_bits();
    assert_eq!(redux("fmin", !0, &values), [(-20f32).to_bits(); 32]);
    assert_eq!(redux("fmax", !0, &values), [0x7fff_ffff; 32]);
}

/// Votes, matches and elections return the results of the PTX ISA for a predicate that is true in
/// the odd lanes.
#[test]
fn votes() {
    let program = program!("warp");
    let mut buffers = Buffers::new(7);
    let report = program
        .launch(
            "votes",
            &launch(1, 32),
            &[buffers.out()],
            &mut buffers.memory,
        )
        .unwrap();
    assert_eq!(report.votes, 7);
    // Expected results: ballot, any, all, uni, match.any of lane 1, match.all, and election (lane 0
    // is the leader, not lane 1).
    assert_eq!(buffers.words(), [0xaaaa_aaaa, 1, 0, 0, 0xaaaa_aaaa, !0, 0]);
}

/// Returns a kernel in which each lane with a non-zero mask executes one `redux.sync`, with its own
/// mask and value, and stores the result. Lanes from `%exits` on exit before.
fn groups(kind: &str, attributes: &str, r#type: &str) -> Program {
    let text = format!(
        r#"gpu.module @groups {{
             llvm.func @groups(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %masks: !llvm.ptr<1>, %exits: i32)
                 attributes {{gpu.kernel, nvvm.kernel}} {{
               %zero = llvm.mlir.constant(0 : i32) : i32
               %t = nvvm.read.ptx.sreg.tid.x : i32
               %stays = llvm.icmp "ult" %t, %exits : i32
               llvm.cond_br %stays, ^load, ^end
             ^load:
               %from_masks = llvm.getelementptr %masks[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
               %mask = llvm.load %from_masks : !llvm.ptr<1> -> i32
               %member = llvm.icmp "ne" %mask, %zero : i32
               llvm.cond_br %member, ^reduce, ^wait
             ^reduce:
               %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}
               %v = llvm.load %from : !llvm.ptr<1> -> {type}
               %r = nvvm.redux.sync {kind} %v, %mask {attributes} : {type} -> {type} loc("redux.mlir":1:1)
               %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}
               llvm.store %r, %at : {type}, !llvm.ptr<1>
               llvm.br ^wait
             ^wait:
               nvvm.barrier0 loc("cta.mlir":2:2)
               llvm.br ^end
             ^end:
               llvm.return
             }}
           }}"#
    );
    Program::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn reduce(
    program: &Program,
    launch: &Launch,
    values: &[u32],
    masks: &[u32],
    exits: u32,
) -> (Result<Report, Fault>, Vec<u32>) {
    let mut buffers = Buffers::new(values.len());
    let params = [
        buffers.out(),
        buffers.add_words(values),
        buffers.add_words(masks),
        int(exits),
    ];
    let report = program.launch("groups", launch, &params, &mut buffers.memory);
    (report, buffers.words())
}

/// Partitions of a warp into groups, as the mask of each lane. The mask 0 denotes a lane that does
/// not participate.
fn partitions() -> Vec<[u32; 32]> {
    let by = |group: fn(u32) -> Option<u32>| {
        std::array::from_fn(|lane| {
            let mine = group(lane as u32);
            let members = (0..32).filter(|&other| mine.is_some() && group(other) == mine);
            members.fold(0, |mask, other| mask | 1 << other)
        })
    };
    vec![
        by(|_| Some(0)),
        by(|lane| Some(lane / 8)),
        by(|lane| Some(lane % 2)),
        by(Some),
        by(|lane| (lane % 3 != 0).then_some(lane / 16)),
        by(|lane| Some(lane.count_ones())),
        by(|lane| Some(u32::from((1..31).contains(&lane)))),
    ]
}

/// If groups of a warp execute one `redux.sync` with separate masks, each group receives the result
/// of its own lanes. The test covers every kind, every order, and several warps.
#[test]
fn groups_of_a_warp_reduce_apart() {
    type Combine = fn(u32, u32) -> u32;
    let kinds: [(&str, Combine); 8] = [
        ("add", u32::wrapping_add),
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
        ("max", |a, b| (a as i32).max(b as i32) as u32),
        ("min", |a, b| (a as i32).min(b as i32) as u32),
        ("umax", u32::max),
        ("umin", u32::min),
    ];
    let values: Vec<u32> = (0..64)
        .map(|lane: u32| lane.wrapping_mul(0x9e37_79b9).rotate_left(lane))
        .collect();
    for (kind, combine) in kinds {
        let program = groups(kind, "", "i32");
        for masks in partitions() {
            let mut firsts: Vec<_> = masks.iter().filter(|&&mask| mask != 0).collect();
            firsts.sort();
            firsts.dedup();
            for order in ORDERS {
                let launch = Launch {
                    order,
                    ..launch(1, 64)
                };
                let (report, found) =
                    reduce(&program, &launch, &values, &[masks, masks].concat(), 64);
                assert_eq!(report.unwrap().reductions, 2 * firsts.len() as u64);
                for (warp, found) in found.chunks_exact(32).enumerate() {
                    for (lane, &found) in found.iter().enumerate() {
                        let members = (0..32).filter(|other| masks[lane] >> other & 1 != 0);
                        let expected = members
                            .map(|other| values[warp * 32 + other])
                            .reduce(combine);
                        assert_eq!(
                            found,
                            expected.unwrap_or(0),
                            "{kind} {masks:x?} lane {lane}"
                        );
                    }
                }
            }
        }
    }
}

/// Float reductions of groups with all flags: −0 is below +0, NaN operands are ignored or
/// propagated, absolute values are computed first, and a NaN result is the canonical NaN.
#[test]
fn groups_reduce_floats() {
    let special = [
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::from_bits(0xff80_0001),
        f32::from_bits(1),
        -1.5,
    ];
    let values: Vec<u32> = (0..32)
        .map(|lane: usize| special[(lane * 5 + lane / 8) % 8].to_bits())
        .collect();
    for (kind, largest) in [("fmin", false), ("fmax", true)] {
        for (abs, nan) in [(false, false), (false, true), (true, false), (true, true)] {
            let program = groups(kind, &format!("{{abs = {abs}, nan = {nan}}}"), "f32");
            for masks in partitions() {
                let (report, found) = reduce(&program, &launch(1, 32), &values, &masks, 32);
                report.unwrap();
                for (lane, &found) in found.iter().enumerate() {
                    if masks[lane] == 0 {
                        continue;
                    }
                    let members = (0..32).filter(|other| masks[lane] >> other & 1 != 0);
                    let members: Vec<f32> = members
                        .map(|other| f32::from_bits(values[other]))
                        .map(|value| if abs { value.abs() } else { value })
                        .collect();
                    let numbers = members.iter().copied().filter(|value| !value.is_nan());
                    let expected = if largest {
                        numbers.max_by(f32::total_cmp)
                    } else {
                        numbers.min_by(f32::total_cmp)
                    };
                    let nan_wins = nan && members.iter().any(|value| value.is_nan());
                    let expected = expected.filter(|_| !nan_wins);
                    assert_eq!(
                        found,
                        expected.map_or(0x7fff_ffff, f32::to_bits),
                        "{kind} abs {abs} nan {nan} {members:?}"
                    );
                }
            }
        }
    }
}

/// In every order, an invalid mask is a fault: a mask without its caller, a mask with a lane that
/// does not exist, has exited or waits in another operation, and different masks with common lanes.
#[test]
fn reductions_with_wrong_masks() {
    let program = groups("add", "", "i32");
    let all = |change: fn(usize) -> u32| -> Vec<u32> { (0..32).map(change).collect() };
    let fault = |order, threads, masks: &[u32], exits| {
        let launch = Launch {
            order,
            ..launch(1, threads)
        };
        let (report, _) = reduce(&program, &launch, &[1; 32], masks, exits);
        report.expect_err("a fault")
    };
    for order in ORDERS {
        let without_itself = fault(order, 32, &all(|lane| !(u32::from(lane == 7) << 7)), 32);
        // Only lane 7 has an invalid mask, but a lane that waits for lane 7 may be reported first.
        assert!(
            matches!(without_itself, Fault::WarpMask(_) | Fault::DivergentWarp(_)),
            "{without_itself}"
        );
        let alone = fault(order, 32, &all(|lane| u32::from(lane == 7) << 8), 32);
        assert!(matches!(alone, Fault::WarpMask(_)), "{alone}");
        assert!(alone.to_string().contains("own lane 7"), "{alone}");

        let missing = fault(order, 16, &all(|_| 0x1_ffff), 16);
        assert!(matches!(missing, Fault::WarpMask(_)), "{missing}");
        assert!(missing.to_string().contains("16 threads"), "{missing}");

        let exited = fault(order, 32, &all(|lane| u32::from(lane < 9) * 0x3ff), 9);
        assert!(
            matches!(exited, Fault::WarpMask(_) | Fault::DivergentBarrier(_)),
            "{exited}"
        );

        let elsewhere = fault(order, 32, &all(|lane| u32::from(lane != 5) * !0), 32);
        assert!(matches!(elsewhere, Fault::DivergentWarp(_)), "{elsewhere}");
        let (here, there) = locations(&elsewhere);
        assert_eq!(
            (here.as_str(), there.as_deref()),
            ("redux.mlir:1:1", Some("cta.mlir:2:2"))
        );

        // The mask of lanes 0 to 7 excludes lane 8, but the mask of lane 8 contains lanes 0 to 7.
        let differ = fault(
            order,
            32,
            &all(|lane| [0xff, 0x1ff][usize::from(lane == 8)]),
            9,
        );
        assert!(
            matches!(
                differ,
                Fault::WarpMask(_) | Fault::DivergentWarp(_) | Fault::DivergentBarrier(_)
            ),
            "{differ}"
        );
        let differ = fault(
            order,
            32,
            &all(|lane| if lane < 4 { 0x0f } else { 0x1f } * u32::from(lane < 5)),
            32,
        );
        assert!(matches!(differ, Fault::DivergentWarp(_)), "{differ}");
        let mutual = fault(order, 32, &all(|lane| if lane < 16 { !0 } else { !1 }), 32);
        assert!(matches!(mutual, Fault::DivergentWarp(_)), "{mutual}");
    }
}
