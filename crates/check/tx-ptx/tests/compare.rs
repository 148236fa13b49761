//! Tests of the comparison: permitted and reported differences between IR and PTX.

use proptest::prelude::*;
use tx_ptx::{
    BarrierKind, Count, Direction, Fact, Facts, KernelFacts, LoopNesting, Module, ShuffleMode,
    Space, Threads, compare, vanished,
};

use LoopNesting::{InLoop, OutsideLoops};

fn barrier(id: u32) -> Fact {
    Fact::Barrier {
        kind: BarrierKind::Sync,
        id: Some(id),
        threads: Threads::All,
        aligned: true,
    }
}

fn shuffle(mask: Option<u32>) -> Fact {
    Fact::Shuffle {
        mode: ShuffleMode::Bfly,
        mask,
        clamp: Some(31),
    }
}

fn vector(space: Space, bytes: u32) -> Fact {
    Fact::VectorAccess {
        direction: Direction::Load,
        space,
        bytes,
    }
}

fn scalar(space: Space, bytes: u32) -> Fact {
    Fact::ScalarAccess {
        direction: Direction::Load,
        space,
        bytes,
    }
}

fn facts(all: &[(Fact, u64, u64)]) -> Facts {
    let mut facts = Facts::default();
    let kernel = facts.kernel("k");
    for (fact, outside, inside) in all {
        let count = Count {
            outside: *outside,
            inside: *inside,
            ..Count::default()
        };
        kernel.add_count(fact.clone(), count);
    }
    facts
}

fn differences(ir: &Facts, ptx: &Facts) -> Vec<String> {
    compare(ir, ptx).iter().map(ToString::to_string).collect()
}

/// Outside loops, the counts of PTX and IR must be equal.
#[test]
fn outside_loops_counts_are_equal() {
    let two = facts(&[(barrier(0), 2, 0)]);
    let three = facts(&[(barrier(0), 3, 0)]);
    assert_eq!(differences(&two, &two), [""; 0]);
    assert_eq!(
        differences(&three, &two),
        ["kernel `k`: `bar.sync 0`: found 2 outside loops, expected 3 outside loops: 1 too few"]
    );
    assert_eq!(
        differences(&two, &three),
        ["kernel `k`: `bar.sync 0`: found 3 outside loops, expected 2 outside loops: 1 too many"]
    );
}

/// The PTX may contain copies of a loop operation inside and outside loops, but not fewer instances
/// than the IR.
#[test]
fn loops_may_be_unrolled() {
    let ir = facts(&[(barrier(0), 1, 2)]);
    for (outside, inside) in [(1, 2), (1, 8), (9, 0), (3, 2)] {
        let ptx = facts(&[(barrier(0), outside, inside)]);
        assert_eq!(differences(&ir, &ptx), [""; 0]);
    }
    assert_eq!(
        differences(&ir, &facts(&[(barrier(0), 2, 0)])),
        [
            "kernel `k`: `bar.sync 0`: found 2 outside loops, expected 1 outside loops and at \
             least 2 from loops: 1 too few"
        ]
    );
    assert_eq!(
        differences(&ir, &facts(&[(barrier(0), 0, 3)])),
        [
            "kernel `k`: `bar.sync 0`: found 3 in loops, expected 1 outside loops and at least 2 \
             from loops: 1 too few"
        ]
    );
}

/// An operation that is outside loops in the IR may not be in a loop in the PTX.
#[test]
fn nothing_moves_into_loops() {
    let ir = facts(&[(barrier(0), 1, 0)]);
    let ptx = facts(&[(barrier(0), 0, 1)]);
    assert_eq!(
        differences(&ir, &ptx),
        [
            "kernel `k`: `bar.sync 0`: found 1 in loops, expected 1 outside loops: 1 too few and 1 too many"
        ]
    );
}

/// The PTX may not contain an operation that the IR does not contain with the same barrier number,
/// mask and mode.
#[test]
fn nothing_is_new() {
    let ir = facts(&[(barrier(0), 1, 0), (shuffle(Some(0xff)), 0, 1)]);
    let ptx = facts(&[
        (barrier(0), 1, 0),
        (barrier(1), 0, 1),
        (shuffle(Some(0xff)), 0, 1),
        (shuffle(Some(0xf)), 0, 1),
    ]);
    assert_eq!(
        differences(&ir, &ptx),
        [
            "kernel `k`: `bar.sync 1`: found 1 in loops, expected none: 1 too many",
            "kernel `k`: `shfl.sync.bfly` with mask 0xf and clamp 31: found 1 in loops, expected \
             none: 1 too many",
        ]
    );
}

/// A non-constant mask in the IR or the PTX matches any mask, but each operation matches one
/// instruction.
#[test]
fn unknown_masks_match_any() {
    let known = facts(&[(shuffle(Some(1)), 1, 0), (shuffle(Some(2)), 1, 0)]);
    let unknown = facts(&[(shuffle(None), 2, 0)]);
    let mixed = facts(&[(shuffle(None), 1, 0), (shuffle(Some(1)), 1, 0)]);
    for ir in [&known, &unknown, &mixed] {
        for ptx in [&known, &unknown, &mixed] {
            assert_eq!(differences(ir, ptx), [""; 0]);
        }
    }
    let ptx = facts(&[(shuffle(None), 1, 0), (shuffle(Some(2)), 2, 0)]);
    assert_eq!(
        differences(&known, &ptx),
        [
            "kernel `k`: `shfl.sync.bfly` with mask 0x2 and clamp 31: found 3 outside loops, \
             expected 1 outside loops: 1 too many"
        ]
    );
    // One instruction with an unknown mask cannot match two operations.
    let ptx = facts(&[(shuffle(None), 1, 0)]);
    assert_eq!(differences(&known, &ptx).len(), 1);
}

/// A barrier with an unknown number of threads does not match a barrier of all threads.
#[test]
fn a_count_of_threads_is_a_count() {
    let with = |threads| Fact::Barrier {
        kind: BarrierKind::Sync,
        id: Some(1),
        threads,
        aligned: true,
    };
    let count = facts(&[(with(Threads::Count(64)), 1, 0)]);
    let unknown = facts(&[(with(Threads::Unknown), 1, 0)]);
    let all = facts(&[(with(Threads::All), 1, 0)]);
    assert_eq!(differences(&unknown, &count), [""; 0]);
    assert_eq!(differences(&count, &unknown), [""; 0]);
    assert_eq!(differences(&unknown, &all).len(), 2);
}

/// A removable operation may be missing from the PTX, and is then reported as vanished. Other
/// operations must still match.
#[test]
fn removable_operations_may_vanish() {
    let mut ir = Facts::default();
    let kernel = ir.kernel("k");
    kernel.add(barrier(0), OutsideLoops);
    kernel.add_removable(barrier(0), OutsideLoops);
    kernel.add_removable(shuffle(None), InLoop);
    let one = facts(&[(barrier(0), 1, 0)]);
    assert_eq!(differences(&ir, &one), [""; 0]);
    let notes: Vec<String> = vanished(&ir, &one)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        notes,
        [
            "kernel `k`: `bar.sync 0`: 1 outside loops of the IR were removed, which is allowed",
            "kernel `k`: `shfl.sync.bfly` with a mask that is not constant and clamp 31: 1 in \
             loops of the IR were removed, which is allowed",
        ]
    );
    let all = facts(&[(barrier(0), 2, 0), (shuffle(Some(3)), 7, 0)]);
    assert_eq!(differences(&ir, &all), [""; 0]);
    assert_eq!(vanished(&ir, &all), []);
    assert_eq!(
        differences(&ir, &facts(&[(barrier(0), 3, 0)])),
        [
            "kernel `k`: `bar.sync 0`: found 3 outside loops, expected 1 to 2 outside loops: 1 too many"
        ]
    );
    assert_eq!(
        differences(&ir, &facts(&[(barrier(1), 1, 0)])),
        [
            "kernel `k`: `bar.sync 0`: found none, expected 1 to 2 outside loops: 1 too few",
            "kernel `k`: `bar.sync 1`: found 1 outside loops, expected none: 1 too many",
        ]
    );
}

/// Vector accesses may be merged, repeated and hoisted, and may become scalar accesses of equal
/// size, but may not be split.
#[test]
fn vector_accesses_keep_their_width() {
    let ir = facts(&[
        (vector(Space::Shared, 8), 2, 0),
        (vector(Space::Shared, 16), 0, 1),
    ]);
    for ptx in [
        facts(&[
            (vector(Space::Shared, 8), 2, 0),
            (vector(Space::Shared, 16), 1, 0),
        ]),
        facts(&[(vector(Space::Shared, 16), 2, 0)]),
        facts(&[
            (vector(Space::Shared, 8), 2, 0),
            (vector(Space::Shared, 16), 9, 9),
        ]),
        // A 64-bit scalar load replaces a vector of two floats.
        facts(&[
            (scalar(Space::Shared, 8), 2, 0),
            (vector(Space::Shared, 16), 1, 0),
        ]),
        facts(&[
            (vector(Space::Shared, 32), 1, 0),
            (vector(Space::Global, 16), 1, 0),
        ]),
    ] {
        assert_eq!(differences(&ir, &ptx), [""; 0], "{ptx:?}");
    }
    let split = facts(&[(vector(Space::Shared, 8), 4, 0)]);
    assert_eq!(
        differences(&ir, &split),
        [
            "kernel `k`: loads of 16 bytes or more in `.shared` memory: found 0 bytes moved by \
             them, expected at least 16: \
             vector accesses are narrower than in the IR"
        ]
    );
    let elsewhere = facts(&[(vector(Space::Global, 16), 9, 0)]);
    assert_eq!(differences(&ir, &elsewhere).len(), 2);
    let none = facts(&[(scalar(Space::Shared, 4), 8, 0)]);
    assert_eq!(differences(&ir, &none).len(), 2);
}

/// LLVM copies a basic block of a loop as a whole.
#[test]
fn blocks_are_copied_as_a_whole() {
    let mut ir = facts(&[(barrier(0), 1, 1), (shuffle(Some(1)), 0, 5)]);
    let block = [barrier(0)].into_iter().chain(vec![shuffle(Some(1)); 5]);
    ir.kernel("k").together(block);
    let made =
        |barriers, shuffles| facts(&[(barrier(0), barriers, 0), (shuffle(Some(1)), shuffles, 0)]);
    assert_eq!(differences(&ir, &made(2, 5)), [""; 0]);
    assert_eq!(differences(&ir, &made(5, 20)), [""; 0]);
    assert_eq!(
        differences(&ir, &made(4, 20)),
        [
            "kernel `k`: the operations of one block of a loop are not duplicated equally: \
             `bar.sync 0`: found 3 from 1 in loops, `shfl.sync.bfly` with mask 0x1 and clamp 31: \
             found 20 from 5 in loops"
        ]
    );
    assert_eq!(differences(&ir, &made(5, 21)).len(), 1);
}

/// A vector load in a loop is unrolled four times, and one copy is split. The comparison reports
/// the split, because narrow loads move too many bytes.
#[test]
fn split_vectors_among_unrolled_ones_are_seen() {
    let ir = |scalars_in_loops| {
        facts(&[
            (vector(Space::Shared, 16), 0, 1),
            (scalar(Space::Shared, 4), 1, scalars_in_loops),
        ])
    };
    let whole = facts(&[
        (vector(Space::Shared, 16), 4, 0),
        (scalar(Space::Shared, 4), 1, 0),
    ]);
    let split = facts(&[
        (vector(Space::Shared, 16), 3, 0),
        (scalar(Space::Shared, 4), 5, 0),
    ]);
    assert_eq!(differences(&ir(0), &whole), [""; 0]);
    assert_eq!(
        differences(&ir(0), &split),
        [
            "kernel `k`: loads of less than 16 bytes in `.shared` memory: found 20 bytes moved by \
             them, expected at \
             most 4: vector accesses are narrower than in the IR"
        ]
    );
    // If the IR has narrow loads in a loop, unrolling may cause the narrow loads of the PTX.
    assert_eq!(differences(&ir(1), &split), [""; 0]);
}

/// A vector wider than 16 bytes may become several 16-byte accesses, or one wide access if the chip
/// supports it.
#[test]
fn wide_vectors_may_be_split_into_16_bytes() {
    let ir = facts(&[(vector(Space::Global, 32), 1, 0)]);
    for ptx in [
        facts(&[(vector(Space::Global, 32), 1, 0)]),
        facts(&[(vector(Space::Global, 16), 2, 0)]),
    ] {
        assert_eq!(differences(&ir, &ptx), [""; 0]);
    }
    let ptx = facts(&[(vector(Space::Global, 8), 4, 0)]);
    assert_eq!(differences(&ir, &ptx).len(), 1);
}

/// Scalar loads of the IR do not count as replacements of its vector loads.
#[test]
fn scalars_are_not_vectors() {
    let ir = facts(&[
        (vector(Space::Global, 8), 1, 0),
        (scalar(Space::Global, 8), 2, 0),
    ]);
    let split = facts(&[
        (scalar(Space::Global, 4), 2, 0),
        (scalar(Space::Global, 8), 2, 0),
    ]);
    assert_eq!(
        differences(&ir, &split),
        [
            "kernel `k`: loads of 8 bytes or more in `.global` memory: found 0 bytes moved by \
             them, expected at least 8: \
             vector accesses are narrower than in the IR"
        ]
    );
    let kept = facts(&[(scalar(Space::Global, 8), 3, 0)]);
    assert_eq!(differences(&ir, &kept), [""; 0]);
}

/// The PTX may perform a generic access of the IR in any memory space. This access adds to the IR's
/// own accesses to this memory space.
#[test]
fn generic_memory_is_any() {
    let ir = facts(&[
        (vector(Space::Generic, 16), 1, 0),
        (vector(Space::Shared, 16), 1, 0),
    ]);
    let ptx = facts(&[
        (vector(Space::Global, 16), 1, 0),
        (vector(Space::Shared, 16), 1, 0),
    ]);
    assert_eq!(differences(&ir, &ptx), [""; 0]);
    let ptx = facts(&[
        (vector(Space::Shared, 16), 1, 0),
        (scalar(Space::Global, 4), 4, 0),
    ]);
    assert_eq!(
        differences(&ir, &ptx),
        [
            "kernel `k`: loads of 16 bytes or more in all memory: found 16 bytes moved by them, \
             expected at least 32: \
             vector accesses are narrower than in the IR"
        ]
    );
}

/// LLVM may merge loads from one address. The comparison detects a split load, because the PTX then
/// has narrow loads.
#[test]
fn equal_loads_are_merged() {
    let ir = facts(&[(vector(Space::Shared, 8), 32, 0)]);
    let merged = facts(&[(vector(Space::Shared, 8), 1, 0)]);
    assert_eq!(differences(&ir, &merged), [""; 0]);
    let split = facts(&[
        (vector(Space::Shared, 8), 31, 0),
        (scalar(Space::Shared, 4), 2, 0),
    ]);
    assert_eq!(differences(&ir, &split).len(), 1);
}

/// A vector load may be merged with scalar loads from the same address, if the PTX has no more
/// scalar loads than the IR.
#[test]
fn vectors_are_merged_with_scalars() {
    let ir = facts(&[
        (vector(Space::Global, 8), 1, 0),
        (scalar(Space::Global, 4), 2, 0),
    ]);
    let merged = facts(&[(scalar(Space::Global, 4), 2, 0)]);
    assert_eq!(differences(&ir, &merged), [""; 0]);
    let split = facts(&[(scalar(Space::Global, 4), 4, 0)]);
    assert_eq!(differences(&ir, &split).len(), 1);
}

/// If the IR has narrow loads in loops, the PTX may have any number of narrow loads. If the narrow
/// loads move enough bytes to replace the missing vector loads, the missing vector loads count as
/// split. Otherwise, the missing vector loads count as removed.
#[test]
fn loads_that_nobody_gets_to_are_gone() {
    let ir = facts(&[
        (vector(Space::Shared, 8), 32, 0),
        (scalar(Space::Shared, 4), 0, 1),
    ]);
    let gone = facts(&[
        (vector(Space::Shared, 8), 1, 0),
        (scalar(Space::Shared, 4), 2, 0),
    ]);
    assert_eq!(differences(&ir, &gone), [""; 0]);
    let split = facts(&[
        (vector(Space::Shared, 8), 1, 0),
        (scalar(Space::Shared, 4), 63, 0),
    ]);
    assert_eq!(differences(&ir, &split).len(), 1);
}

/// PTX and IR must have the same kernels.
#[test]
fn kernels_have_names() {
    let mut a = Facts::default();
    a.kernel("a");
    let mut b = Facts::default();
    b.kernel("b");
    assert_eq!(
        differences(&a, &b),
        [
            "kernel `a`: found no such entry in the PTX, expected one",
            "kernel `b`: found an entry in the PTX, expected none, since the IR has no such kernel",
        ]
    );
}

/// LLVM unrolls a loop with two barriers, five shuffles and a vector load four times. The test
/// compares the PTX with the loop, and with the loop and additional barriers.
#[test]
fn an_unrolled_kernel() {
    let module = Module::parse(include_str!("ptx/unrolled.ptx")).expect("PTX");
    let ptx = Facts::of(&module).expect("facts");
    let mut ir = Facts::default();
    let kernel = ir.kernel("in_a_loop");
    for _ in 0..2 {
        kernel.add(barrier(0), InLoop);
    }
    for _ in 0..5 {
        kernel.add(shuffle(Some(u32::MAX)), InLoop);
    }
    kernel.add(vector(Space::Shared, 16), InLoop);
    assert_eq!(differences(&ir, &ptx), [""; 0]);
    ir.kernel("in_a_loop").add(barrier(0), OutsideLoops);
    assert_eq!(differences(&ir, &ptx), [""; 0]);
    for _ in 0..7 {
        ir.kernel("in_a_loop").add(barrier(0), InLoop);
    }
    assert_eq!(
        differences(&ir, &ptx),
        [
            "kernel `in_a_loop`: `bar.sync 0`: found 8 outside loops, expected 1 outside loops \
             and at least 9 from loops: \
             2 too few"
        ]
    );
}

/// Generates the facts of an IR, and facts of PTX that LLVM may emit for this IR. An operation of
/// the IR has a random mask, may be in a loop, and may be removable. In the PTX, the mask may be
/// unknown, a removable operation may be missing, and an operation in a loop may have several
/// copies.
fn allowed() -> impl Strategy<Value = (KernelFacts, KernelFacts)> {
    let mask = prop::option::of(0..3_u32);
    let operation = (
        mask,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        0..3_u64,
        0..3_u64,
    );
    prop::collection::vec(operation, 0..8).prop_map(|operations| {
        let mut ir = KernelFacts::default();
        let mut ptx = KernelFacts::default();
        for (mask, in_loop, removable, forgotten, gone, inside, outside) in operations {
            let place = if in_loop { InLoop } else { OutsideLoops };
            if removable {
                ir.add_removable(shuffle(mask), place);
            } else {
                ir.add(shuffle(mask), place);
            }
            if removable && gone {
                continue;
            }
            let count = if in_loop && inside + outside > 0 {
                Count {
                    inside,
                    outside,
                    ..Count::default()
                }
            } else if in_loop {
                Count {
                    inside: 1,
                    ..Count::default()
                }
            } else {
                Count {
                    outside: 1,
                    ..Count::default()
                }
            };
            ptx.add_count(shuffle(if forgotten { None } else { mask }), count);
        }
        (ir, ptx)
    })
}

fn of_kernel(kernel: KernelFacts) -> Facts {
    let mut facts = Facts::default();
    *facts.kernel("k") = kernel;
    facts
}

proptest! {
    /// Permitted transformations cause no difference. An additional instruction of another kind, or
    /// a missing instruction outside loops, causes one difference.
    #[test]
    fn what_is_allowed_is_no_difference((ir, ptx) in allowed()) {
        let (ir, ptx) = (of_kernel(ir), of_kernel(ptx));
        prop_assert_eq!(differences(&ir, &ptx), [""; 0]);
        let mut more = ptx.clone();
        more.kernel("k").add(barrier(0), InLoop);
        prop_assert_eq!(differences(&ir, &more).len(), 1);
        let mut required = ir.clone();
        required.kernel("k").add(barrier(0), OutsideLoops);
        prop_assert_eq!(differences(&required, &ptx).len(), 1);
    }

    /// The comparison reports PTX with fewer shuffles than the IR requires, for all masks.
    #[test]
    fn too_few_are_seen((ir, ptx) in allowed()) {
        let required: u64 = ir.iter().map(|(_, count)| count.required()).sum();
        let found: u64 = ptx.iter().map(|(_, count)| count.total()).sum();
        let mut more = ir.clone();
        for _ in required..=found {
            more.add(shuffle(None), InLoop);
        }
        prop_assert!(!differences(&of_kernel(more), &of_kernel(ptx)).is_empty());
    }
}
