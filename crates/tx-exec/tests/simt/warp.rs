use crate::{Buffers, int, launch, program};

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

/// Every integer kind of `redux.sync` combines all members, wraps around, and tells signed from unsigned.
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

/// A reduction over the 5 lanes of a partial warp sees those five only.
#[test]
fn reduction_of_a_partial_warp() {
    let values = std::array::from_fn(|lane| lane as u32 + 1);
    assert_eq!(redux("add", 0x1f, &values), [15; 5]);
}

/// Float reductions pass NaNs over, unless they are told to keep them.
#[test]
fn float_reductions() {
    let mut values: [u32; 32] = std::array::from_fn(|lane| (lane as f32 - 20.0).to_bits());
    assert_eq!(redux("fmin", !0, &values), [(-20f32).to_bits(); 32]);
    assert_eq!(redux("fmax", !0, &values), [20f32.to_bits(); 32]);
    values[3] = f32::NAN.to_bits();
    assert_eq!(redux("fmin", !0, &values), [(-20f32).to_bits(); 32]);
    assert_eq!(redux("fmax", !0, &values), [0x7fff_ffff; 32]);
}

/// Votes, matches and elections give what the PTX ISA says for a predicate that holds in the odd lanes.
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
    // Ballot, any, all, uni; the match of lane 1; the match of all; the leader is lane 0, not lane 1.
    assert_eq!(buffers.words(), [0xaaaa_aaaa, 1, 0, 0, 0xaaaa_aaaa, !0, 0]);
}
