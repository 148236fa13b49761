//! Steps of handwritten kernels.

use super::*;

#[derive(Default)]
struct Maker(usize);

impl Maker {
    fn op(&mut self, name: &str, operands: &[usize], attributes: &[(&str, &str)]) -> Op {
        self.0 += 1;
        Op {
            name: name.to_owned(),
            attributes: attributes
                .iter()
                .map(|(n, a)| ((*n).to_owned(), (*a).to_owned()))
                .collect(),
            operands: operands.to_vec(),
            operand_types: vec!["f32".to_owned(); operands.len()],
            results: vec![self.0],
            result_types: vec!["f32".to_owned()],
            ..Op::default()
        }
    }

    fn constant(&mut self, n: i64) -> Op {
        Op {
            constant: Some(n),
            ..self.op("arith.constant", &[], &[])
        }
    }
}

fn kernel(block: [usize; 3], ops: Vec<Op>) -> ReportedKernel {
    ReportedKernel {
        lengths: None,
        name: "k".to_owned(),
        block,
        arguments: vec![(1000, "%arg0".to_owned())],
        body: Region {
            arguments: vec![],
            ops,
        },
    }
}

const XOR: (&str, &str) = ("mode", "xor");
const IDX: (&str, &str) = ("mode", "idx");

#[test]
fn a_butterfly_of_three_steps() {
    let mut m = Maker::default();
    let width = m.constant(32);
    let mut ops = vec![width.clone()];
    for distance in [1, 2, 4] {
        let offset = m.constant(distance);
        let shuffle = m.op(
            "gpu.shuffle",
            &[1000, offset.results[0], width.results[0]],
            &[XOR],
        );
        let add = m.op("arith.addf", &[1000, shuffle.results[0]], &[]);
        ops.extend([offset, shuffle, add]);
    }
    let found = steps(&kernel([32, 1, 1], ops));
    assert_eq!(found.len(), 3);
    for (step, by) in found.iter().zip([1, 2, 4]) {
        let KernelStep::Shuffle {
            distance,
            sources,
            alike,
            combine,
            ..
        } = step
        else {
            panic!("{step:?}")
        };
        assert_eq!(*distance, Some(by as i64));
        assert!(*alike);
        assert_eq!(combine.as_deref(), Some("arith.addf"));
        assert!((0..32).all(|lane| sources[lane] == Some(lane ^ by)));
    }
}

/// Checks that the description of a shuffle names all ops of a complex multiplication, but no op
/// that uses the product.
#[test]
fn all_ops_of_a_combiner_are_named() {
    let mut m = Maker::default();
    let width = m.constant(32);
    let mut ops = vec![width.clone()];
    let mut parts = [1000, 1001];
    for distance in [1, 2] {
        let offset = m.constant(distance);
        let [re, im] = parts.map(|part| {
            m.op(
                "gpu.shuffle",
                &[part, offset.results[0], width.results[0]],
                &[XOR],
            )
        });
        let [(a, b), (c, d)] = [(parts[0], parts[1]), (re.results[0], im.results[0])];
        ops.extend([offset, re, im]);
        let mut op = |name: &str, x: usize, y: usize| {
            ops.push(m.op(name, &[x, y], &[]));
            ops[ops.len() - 1].results[0]
        };
        let (rr, ii) = (op("arith.mulf", a, c), op("arith.mulf", b, d));
        let re = op("arith.subf", rr, ii);
        let (ri, ir) = (op("arith.mulf", a, d), op("arith.mulf", b, c));
        parts = [re, op("arith.addf", ri, ir)];
    }
    let mean = m.op("arith.divf", &parts, &[]);
    ops.push(mean);
    let found = steps(&kernel([32, 1, 1], ops));
    let told: Vec<String> = found.iter().map(describe).collect();
    let wanted = |n| {
        format!(
            "Shuffle: each lane with the one at distance {n} (xor), then arith.mulf, arith.subf \
             and arith.addf, 2 values"
        )
    };
    assert_eq!(told, [wanted(1), wanted(2)]);
}

/// Checks a shuffle with a computed source lane: each lane reads the next lane, except for the last
/// lane in each group of 12 lanes.
#[test]
fn computed_source_lanes_are_followed() {
    let mut m = Maker::default();
    let (thread, one, twelve, width) = (
        m.op("gpu.thread_id", &[], &[("dimension", "x")]),
        m.constant(1),
        m.constant(12),
        m.constant(32),
    );
    let within = m.op("arith.remui", &[thread.results[0], twelve.results[0]], &[]);
    let next = m.op("arith.addi", &[within.results[0], one.results[0]], &[]);
    let inside = m.op(
        "arith.cmpi",
        &[next.results[0], twelve.results[0]],
        &[("predicate", "6 : i64")],
    );
    let after = m.op("arith.addi", &[thread.results[0], one.results[0]], &[]);
    let source = m.op(
        "arith.select",
        &[inside.results[0], after.results[0], thread.results[0]],
        &[],
    );
    let cast = m.op("arith.index_cast", &source.results, &[]);
    let shuffle = m.op(
        "gpu.shuffle",
        &[1000, cast.results[0], width.results[0]],
        &[IDX],
    );
    let ops = vec![
        thread, one, twelve, width, within, next, inside, after, source, cast, shuffle,
    ];
    let found = steps(&kernel([24, 1, 1], ops));
    let [
        KernelStep::Shuffle {
            sources,
            distance: None,
            ..
        },
    ] = found.as_slice()
    else {
        panic!("{found:?}")
    };
    assert_eq!(sources.len(), 24);
    assert_eq!(
        (sources[0], sources[10], sources[11], sources[12]),
        (Some(1), Some(11), Some(11), Some(13))
    );
}

#[test]
fn guards_narrow_and_unknown_conditions_are_said() {
    let mut m = Maker::default();
    let (thread, lanes, zero) = (
        m.op("gpu.thread_id", &[], &[("dimension", "x")]),
        m.constant(32),
        m.constant(0),
    );
    let lane = m.op("arith.remui", &[thread.results[0], lanes.results[0]], &[]);
    let first = m.op(
        "arith.cmpi",
        &[lane.results[0], zero.results[0]],
        &[("predicate", "0 : i64")],
    );
    let shared = "memref<6xf32, #gpu.address_space<workgroup>>";
    let memory = Op {
        result_types: vec![shared.to_owned()],
        ..m.op("memref.get_global", &[], &[("name", "@scratch")])
    };
    let mut store = m.op("memref.store", &[1000, memory.results[0]], &[]);
    store.operand_types[1] = shared.to_owned();
    store.results.clear();
    let barrier = m.op("gpu.barrier", &[], &[]);
    let guard = Op {
        regions: vec![Region {
            arguments: vec![],
            ops: vec![store.clone()],
        }],
        ..m.op("scf.if", &first.results, &[])
    };
    let unknown = Op {
        regions: vec![Region {
            arguments: vec![],
            ops: vec![store],
        }],
        ..m.op("scf.if", &[999], &[])
    };
    let ops = vec![
        thread, lanes, zero, lane, first, memory, guard, barrier, unknown,
    ];
    let said: Vec<String> = steps(&kernel([192, 1, 1], ops))
        .iter()
        .map(describe)
        .collect();
    assert_eq!(
        said,
        [
            "Store to shared @scratch: lane 0 of each of 6 warps (f32)",
            "Barrier of the block (gpu.barrier)",
            "Store to shared @scratch: all 192 threads, where a condition holds (f32)",
        ]
    );
}

/// Checks that a conjunction with one known and one unknown operand restricts the active threads to
/// the threads for which the known operand is true.
#[test]
fn a_part_of_a_condition_narrows() {
    let mut m = Maker::default();
    let (thread, four) = (
        m.op("gpu.thread_id", &[], &[("dimension", "x")]),
        m.constant(4),
    );
    let few = m.op(
        "arith.cmpi",
        &[thread.results[0], four.results[0]],
        &[("predicate", "6 : i64")],
    );
    let both = m.op("arith.andi", &[999, few.results[0]], &[]);
    let barrier = m.op("nvvm.bar.warp.sync", &[], &[]);
    let guard = Op {
        regions: vec![Region {
            arguments: vec![],
            ops: vec![barrier],
        }],
        ..m.op("scf.if", &both.results, &[])
    };
    let found = steps(&kernel([32, 1, 1], vec![thread, four, few, both, guard]));
    assert_eq!(
        found.iter().map(describe).collect::<Vec<_>>(),
        ["Barrier of each warp (nvvm.bar.warp.sync): lanes 0–3, where a condition holds"]
    );
}

#[test]
fn loops_hold_their_steps_and_those_of_one_turn_are_none() {
    let mut m = Maker::default();
    let (zero, one, eight) = (m.constant(0), m.constant(1), m.constant(8));
    let barrier = m.op("nvvm.bar.warp.sync", &[], &[]);
    let body = || {
        vec![Region {
            arguments: vec![500],
            ops: vec![barrier.clone()],
        }]
    };
    let bounds = [zero.results[0], eight.results[0], one.results[0]];
    let long = Op {
        regions: body(),
        ..m.op("scf.for", &bounds, &[])
    };
    let bounds = [zero.results[0], one.results[0], one.results[0]];
    let once = Op {
        regions: body(),
        ..m.op("scf.for", &bounds, &[])
    };
    let found = steps(&kernel([32, 1, 1], vec![zero, one, eight, long, once]));
    let [
        KernelStep::Loop {
            trips: Some(8),
            steps,
        },
        KernelStep::Barrier {
            scope: BarrierScope::Warp,
            ..
        },
    ] = found.as_slice()
    else {
        panic!("{found:?}")
    };
    assert_eq!(steps.len(), 1);
}

/// Checks that alternating loads of two arrays, as in an unrolled loop, are counted as two steps.
/// Checks that a load after a store is counted as a new step.
#[test]
fn loads_in_turns_are_counted() {
    let mut m = Maker::default();
    let load = |m: &mut Maker, memory: usize| Op {
        operand_types: vec!["memref<f32>".to_owned()],
        ..m.op("memref.load", &[memory], &[])
    };
    let mut ops: Vec<Op> = (0..6).map(|i| load(&mut m, 1000 + i % 2)).collect();
    ops.push(Op {
        operand_types: vec!["f32".to_owned(), "memref<f32>".to_owned()],
        ..m.op("memref.store", &[999, 1000], &[])
    });
    ops.push(load(&mut m, 1000));
    let found = steps(&kernel([32, 1, 1], ops));
    let counts: Vec<usize> = found
        .iter()
        .filter_map(|step| match step {
            KernelStep::Memory { count, .. } => Some(*count),
            _ => None,
        })
        .collect();
    assert_eq!(counts, [3, 3, 1, 1], "{found:?}");
}

#[test]
fn what_is_not_known_is_not_made_up() {
    let mut m = Maker::default();
    let width = m.constant(32);
    let shuffle = m.op("gpu.shuffle", &[1000, 999, width.results[0]], &[XOR]);
    let found = steps(&kernel([32, 1, 1], vec![width, shuffle]));
    let [step @ KernelStep::Shuffle { sources, .. }] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert!(sources.iter().all(Option::is_none));
    assert_eq!(
        describe(step),
        "Shuffle: from lanes that are known at run time (xor)"
    );
}
