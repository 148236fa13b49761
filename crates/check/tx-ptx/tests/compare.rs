//! Tests of the permitted differences between IR and PTX.

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

/// Outside of loops every count has to be the same.
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

/// Checks that operations of a loop may be repeated, in the loop and outside, but not removed.
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

/// Checks that operations outside of loops in the IR must not be in a loop in PTX.
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

/// Checks that PTX must not contain operations that the IR lacks, nor another number, mask or mode.
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

/// A mask that is not constant on one side matches any mask on the other. Each operation still matches
/// one instruction.
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
    // One unknown cannot be both.
    let ptx = facts(&[(shuffle(None), 1, 0)]);
    assert_eq!(differences(&known, &ptx).len(), 1);
}

/// A barrier whose number of threads is not known is not one of all threads.
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

/// Checks that removable operations may be missing, with a note, but no other operations.
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
            "kernel `k`: `bar.sync 0`: 1 outside loops of the IR were removed, as they may be",
            "kernel `k`: `shfl.sync.bfly` with a mask that is not constant and clamp 31: 1 in \
             loops of the IR were removed, \
             as they may be",
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

/// Vector accesses may be merged, repeated and hoisted, and scalars may become vectors; they may not be
/// split.
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
        // Two floats in a register of 64 bits.
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

/// A block of a loop is copied as a whole.
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
            "kernel `k`: what stands in one block of a loop is not copied alike: `bar.sync 0`: \
             found 3 from 1 in loops, \
             `shfl.sync.bfly` with mask 0x1 and clamp 31: found 20 from 5 in loops"
        ]
    );
    assert_eq!(differences(&ir, &made(5, 21)).len(), 1);
}

/// A vector load in a loop was unrolled four times, and one of the four loads was split: enough bytes
/// are moved, but too many by narrow loads.
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
    // Scalars in loops are unrolled too.
    assert_eq!(differences(&ir(1), &split), [""; 0]);
}

/// Vectors wider than 16 bytes become several of 16, or one where the chip has it.
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

/// Scalars of the IR do not stand in for its vectors.
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

/// Generic accesses of the IR may use any memory in PTX, in addition to the accesses of that memory.
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

/// Loads of one address are made once, and split ones show as narrow ones.
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

/// A vector may be replaced by scalars that another path loads from the same address, if there are at
/// most as many scalars as in the IR.
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

/// If the IR has narrow loads in loops, PTX may have any number of them. A missing vector load counts
/// as split if narrow loads move its bytes in addition to the loads of the loops. Otherwise, it was
/// removed.
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

/// Kernels have to be the same ones.
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

/// A loop of two barriers, five shuffles and a vector load that LLVM unrolled four times, and the same
/// loop with a barrier too many in it.
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

/// Returns random IR of a kernel, and permitted PTX. An operation of the IR has a mask, may be in a loop,
/// and may be removable. In PTX, its mask may be unknown, a removable operation may be missing, and an
/// operation of a loop may have copies inside and outside of the loop.
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
    /// Whatever LLVM may do is no difference; one instruction more of another kind, or one less outside of
    /// loops than has to be, is one.
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

    /// Counts alone are enough to see too few: PTX with fewer shuffles than the IR requires differs,
    /// whatever the masks.
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
