//! Partial results of a loop, kept in memory, and a second reduction that combines them.
//!
//! Records say which case they are about in `what` and nothing else, so sizes are ours. A schedule
//! puts the loop whose partial results are kept first among their dimensions. Where a record says
//! which place it has (`factor_axis`), the two reductions are written by hand as well.

use crate::Record;
use crate::case::Case;
use crate::cross_thread::{differences, rows_of};
use crate::element::{Element, Mt19937};
use crate::facts::{numbers, scan};
use crate::host::{Buffer, Generic, Host, Reduce, Schedule, region};
use crate::pairs::{Pairs, ties};
use crate::view::list;

const EACH: &str = "(i, j) -> (i, j)";
const ROW: &str = "(i, j) -> (i)";

pub(crate) fn rfactor_cases(record: &Record) -> Result<Vec<Case>, String> {
    let what = record.what.as_str().unwrap_or("");
    let axis = || scan("factor_axis #", what).map_or(0, |axis| axis[0]);
    // The first words are the case, and the rest are its numbers or a remark.
    let case = what.split(" (").next().unwrap_or("").trim();
    match case {
        "matmul" => Ok(vec![matmul()]),
        "matmul_with_let" => Ok(vec![matmul_with_names()]),
        "square_sum" => Ok(vec![
            square_sum(Root::No, true),
            square_sum_by_hand(axis())?,
        ]),
        "square_sum_square_root" => Ok(vec![
            square_sum(Root::Epilogue, true),
            square_sum(Root::Op, true),
            square_sum(Root::Op, false),
        ]),
        "factor_axis_range" => {
            let [lowest, dimensions] = numbers("-# accepted for ndim #", what, [3, 2]);
            if (lowest, dimensions) != (3, 2) {
                return Err(format!("there is no rule for `{what}`"));
            }
            (-3..3).map(|axis| factored(axis).map(Host::case)).collect()
        }
        "factor_axis 3 or -4 for ndim 2" => [3, -4]
            .into_iter()
            .map(|axis| {
                let text = format!("axis {axis} is out of range for rank 3");
                Ok(factored(axis)?.refused("tile.reduce sum %partial", &[&text]))
            })
            .collect(),
        "zero_dim" => Ok(zero_dimensions()),
        "outermost_loop_multiple_children" => chain(axis()),
        "spatial_only" => windows(axis()),
        "argmax" | "argmin init/update reordered" => {
            Ok(pairs(&what[..6], Element::I32, what.contains("reordered")).all())
        }
        "topi_argmax" => Ok(positions("argmax", Element::I32)),
        "topi_argmin" => Ok(positions("argmin", Element::I32)),
        "int64 indices" => {
            let mut cases = pairs("argmax", Element::I64, false).all();
            cases.extend(positions("argmin", Element::I64));
            Ok(cases)
        }
        "not_serial_loop" => Ok(not_serial()),
        "predicate" => Ok(uneven()),
        "argmax different access indices" => Ok(vec![two_orders()]),
        "not_same_buffer_access" => Ok(vec![another_start(split_by(32))]),
        "argmax init buffer mismatch" => {
            Ok(vec![pairs("argmax", Element::I32, false).onto_old_values()])
        }
        "argmax store value not a var" => Ok(vec![pairs("argmax", Element::I32, false).computed()]),
        "wrong_reduce_pattern 1-2" => {
            let schedule = split_by(32);
            let mut cases = differences(&schedule);
            cases.push(from_one(schedule));
            Ok(cases)
        }
        _ => refusals(case),
    }
}

/// What the other compiler refuses, and is refused here as well.
fn refusals(case: &str) -> Result<Vec<Case>, String> {
    let rows = |schedule| rows_of("sum", [128, 128], schedule, None);
    let rfactor = |name: &str| Schedule::new().rfactor(name);
    match case {
        "not_reduction_block 1-3" => {
            let not_reduced = [
                "is not reduced, so it has no partial results",
                "`rfactor` takes a loop over a reduced dimension",
            ];
            let op = |axes: Vec<i64>, generic: bool| {
                let mut host = Host::new();
                let a = host.input("A", Element::F32, &[16, 16], &[0.0; 256]);
                let b = host.output("B", Element::F32, &[16, 16], &[0.0; 256]);
                let schedule = Some(rfactor("d1"));
                if generic {
                    host.push(Generic {
                        from: vec![a],
                        into: vec![b],
                        maps: vec![EACH; 2],
                        schedule,
                        body: region(
                            "%a: f32, %b: f32",
                            &["%s = arith.mulf %a, %a : f32", "linalg.yield %s : f32"],
                        ),
                        ..Generic::default()
                    });
                    return host.refused("linalg.generic", &not_reduced);
                }
                host.push(Reduce {
                    kind: "sum",
                    from: vec![a],
                    into: vec![b],
                    axes,
                    schedule,
                    ..Reduce::default()
                });
                host.refused("tile.reduce", &not_reduced)
            };
            Ok(vec![
                // The loop of another dimension; a reduction of nothing; an element-wise op.
                rows(rfactor("d0")).refused("tile.reduce", &not_reduced),
                op(vec![], false),
                op(vec![], true),
            ])
        }
        "wrong_loops 1-2" => Ok(vec![
            rows(rfactor("k")).refused(
                "tile.reduce",
                &[
                    "the schedule names an unknown loop `k`",
                    "loops here: `d0`, `d1`",
                ],
            ),
            rows(Schedule::new().fuse(&["d1", "d0"], "both").rfactor("both")).refused(
                "tile.reduce",
                &[
                    "`d1` and `d0` cannot be one loop",
                    "one is reduced and the other is not",
                ],
            ),
        ]),
        "argmax buffers of different shape" => Ok(vec![tuple(
            Tuple {
                shapes: [vec![1], vec![128]],
                ..Tuple::default()
            },
            &["gives [128] or [128, 1]", "has [1]"],
        )]),
        // A destination for both parts.
        "argmax init buffer duplicate" | "argmax one buffer updated twice" => Ok(vec![tuple(
            Tuple {
                types: ["f32", "f32"],
                destinations: vec!["%T1", "%T1"],
                ..Tuple::default()
            },
            &["two outputs overlap", "each result needs memory of its own"],
        )]),
        "argmax fewer binds than init" => Ok(vec![tuple(
            Tuple {
                results: vec!["%value"],
                at: "tile.yield",
                ..Tuple::default()
            },
            &["the combiner must yield 2 values, found 1"],
        )]),
        "argmax more binds than init" => Ok(vec![tuple(
            Tuple {
                results: vec!["%index", "%value", "%value"],
                at: "tile.yield",
                ..Tuple::default()
            },
            &["the combiner must yield 2 values, found 3"],
        )]),
        "argmax inconsistent store count" => Ok(vec![tuple(
            Tuple {
                destinations: vec!["%T1"],
                ..Tuple::default()
            },
            &["`custom` has 2 destinations, found 1"],
        )]),
        "argmax store value unbound var" => Ok(vec![tuple(
            Tuple {
                results: vec!["%index", "%other"],
                at: "tile.yield",
                ..Tuple::default()
            },
            &["use of undeclared SSA value name"],
        )]),
        other => Err(format!("there is no rule for `{other}`")),
    }
}

/// A loop is cut, and partial results of its inner part are kept.
fn split_by(factor: usize) -> Schedule {
    Schedule::new().split("d1", factor).rfactor("d1.i")
}

fn pairs(kind: &str, index: Element, value_first: bool) -> Pairs<'_> {
    Pairs {
        kind,
        shape: [128, 128],
        index,
        schedule: Some(split_by(32)),
        value_first,
        dynamic: false,
    }
}

// ---------------------------------------------------------------------------------------------
// Products
// ---------------------------------------------------------------------------------------------

/// Rows of A times rows of B, all with all.
struct Product {
    host: Host,
    a: Buffer,
    b: Buffer,
    c: Buffer,
}

fn product(n: usize) -> Product {
    let mut random = Mt19937::new(0);
    let a = random.fill(Element::F32, n * n, 1.0);
    let b = random.fill(Element::F32, n * n, 1.0);
    let mut expected = Vec::new();
    for row in a.chunks(n) {
        for other in b.chunks(n) {
            expected.push(row.iter().zip(other).map(|(a, b)| a * b).sum());
        }
    }
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[n, n], &a);
    let b = host.input("B", Element::F32, &[n, n], &b);
    let c = host.output("C", Element::F32, &[n, n], &expected);
    host.within(0.0, 1e-5);
    Product { host, a, b, c }
}

/// The reduced loop is cut twice.
fn cut_twice() -> Schedule {
    Schedule::new()
        .split("d2", 32)
        .split("d2.i", 4)
        .rfactor("d2.i.i")
}

fn matmul() -> Case {
    let Product { mut host, a, b, c } = product(128);
    host.push(Reduce {
        kind: "sum",
        from: vec![a, b],
        into: vec![c],
        axes: vec![2],
        maps: vec![
            "(i, j, k) -> (i, k)",
            "(i, j, k) -> (j, k)",
            "(i, j, k) -> (i, j)",
        ],
        schedule: Some(cut_twice()),
        element: region(
            "%a: f32, %b: f32, %i: index, %j: index, %k: index",
            &["%p = arith.mulf %a, %b : f32", "tile.yield %p : f32"],
        ),
        ..Reduce::default()
    });
    host.case().with_plan(|plan| {
        plan.expect_temporaries(&[&["4", "128", "128"]])?;
        plan.expect_blocks_and_another(&[[1; 3]])
    })
}

/// As loops, whose body has names for what it computes in between.
fn matmul_with_names() -> Case {
    let Product { mut host, a, b, c } = product(128);
    host.fill(&c, "0.0 : f32");
    host.push(Generic {
        from: vec![a, b],
        into: vec![c],
        maps: vec![
            "(i, j, k) -> (i, k)",
            "(i, j, k) -> (j, k)",
            "(i, j, k) -> (i, j)",
        ],
        reduced: vec![2],
        schedule: Some(cut_twice()),
        body: region(
            "%a: f32, %b: f32, %c: f32",
            &[
                "%v0 = arith.mulf %a, %b : f32",
                "%v1 = arith.addf %c, %v0 : f32",
                "linalg.yield %v1 : f32",
            ],
        ),
    });
    host.case()
        .with_plan(|plan| plan.expect_temporaries(&[&["4", "128", "128"]]))
}

/// The two reductions by hand: the loop over four partial results has place `axis` among their
/// dimensions, counted from the end where it is negative.
fn factored(axis: i64) -> Result<Host, String> {
    let (n, factor) = (64, 4);
    let Product { mut host, a, b, c } = product(n);
    let outer = n / factor;
    let mut expand = |of: &Buffer, name: &str| {
        let ty = format!("memref<{n}x{outer}x{factor}xf32>");
        host.push(format!(
            "{name} = memref.expand_shape {} [[0], [1, 2]] output_shape [{n}, {outer}, {factor}] : {} into {ty}",
            of.name, of.ty
        ));
        Buffer {
            name: name.to_owned(),
            ty,
        }
    };
    let (a, b) = (expand(&a, "%A_cut"), expand(&b, "%B_cut"));
    // One that is out of range is refused for that, wherever the loop is.
    let place = usize::try_from(if axis < 0 { axis + 3 } else { axis })
        .unwrap_or(0)
        .min(2);
    let (mut loops, mut shape) = (vec!["i", "j"], vec![n, n]);
    loops.insert(place, "ki");
    shape.insert(place, factor);
    let partial = host.temporary("partial", Element::F32, &shape);
    let stored = format!("(i, j, ko, ki) -> ({})", loops.join(", "));
    host.push(Reduce {
        kind: "sum",
        from: vec![a, b],
        into: vec![partial.clone()],
        axes: vec![2],
        maps: vec![
            "(i, j, ko, ki) -> (i, ko, ki)",
            "(i, j, ko, ki) -> (j, ko, ki)",
            &stored,
        ],
        element: region(
            "%a: f32, %b: f32, %i: index, %j: index, %ko: index, %ki: index",
            &["%p = arith.mulf %a, %b : f32", "tile.yield %p : f32"],
        ),
        ..Reduce::default()
    });
    host.push(Reduce {
        kind: "sum",
        from: vec![partial],
        into: vec![c],
        axes: vec![axis],
        ..Reduce::default()
    });
    Ok(host)
}

// ---------------------------------------------------------------------------------------------
// Squares
// ---------------------------------------------------------------------------------------------

/// Where the square root is taken, if at all.
#[derive(Clone, Copy, PartialEq)]
enum Root {
    No,
    Epilogue,
    Op,
}

const SQUARES: [usize; 3] = [16, 64, 64];

/// Sums of squares of matrices.
fn squares(root: Root) -> (Host, Buffer, Buffer) {
    let count = SQUARES.iter().product();
    let inputs = Mt19937::new(0).fill(Element::F32, count, 1.0);
    let expected: Vec<f64> = inputs
        .chunks(SQUARES[1] * SQUARES[2])
        .map(|matrix| matrix.iter().map(|x| x * x).sum())
        .map(|sum: f64| if root == Root::No { sum } else { sum.sqrt() })
        .collect();
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &SQUARES, &inputs);
    let d = host.output("D", Element::F32, &SQUARES[..1], &expected);
    host.within(0.0, 1e-5);
    (host, a, d)
}

fn squared() -> String {
    region(
        "%x: f32, %b: index, %i: index, %j: index",
        &["%p = arith.mulf %x, %x : f32", "tile.yield %p : f32"],
    )
}

/// With `inner` the partial results of the last loop are kept, else those of both.
fn square_sum(root: Root, inner: bool) -> Case {
    let (mut host, a, d) = squares(root);
    let schedule = match inner {
        true => Schedule::new().rfactor("d2"),
        false => Schedule::new()
            .fuse(&["d1", "d2"], "r")
            .split("r", 119)
            .rfactor("r.o"),
    };
    let into = match root {
        Root::Op => host.temporary("C", Element::F32, &SQUARES[..1]),
        _ => d.clone(),
    };
    host.push(Reduce {
        kind: "sum",
        from: vec![a],
        into: vec![into.clone()],
        axes: vec![1, 2],
        maps: vec!["(b, i, j) -> (b, i, j)", "(b, i, j) -> (b)"],
        schedule: Some(schedule),
        element: squared(),
        epilogue: match root {
            Root::Epilogue => region(
                "%sum: f32, %b: index",
                &["%root = math.sqrt %sum : f32", "tile.yield %root : f32"],
            ),
            _ => String::new(),
        },
        ..Reduce::default()
    });
    if root == Root::Op {
        host.push(Generic {
            from: vec![into],
            into: vec![d],
            maps: vec!["(b) -> (b)"; 2],
            body: region(
                "%sum: f32, %old: f32",
                &["%root = math.sqrt %sum : f32", "linalg.yield %root : f32"],
            ),
            ..Generic::default()
        });
    }
    let partials = if inner { "64" } else { "35" };
    host.case().with_plan(move |plan| match root {
        Root::Op => plan.expect_temporaries(&[&["16"], &[partials, "16"]]),
        _ => plan.expect_temporaries(&[&[partials, "16"]]),
    })
}

/// The sums of columns of each matrix, and then the sums of these.
fn square_sum_by_hand(axis: usize) -> Result<Case, String> {
    let [b, _, j] = SQUARES;
    let (shape, map) = match axis {
        0 => ([j, b], "(b, i, j) -> (j, b)"),
        1 => ([b, j], "(b, i, j) -> (b, j)"),
        _ => return Err(format!("there is no place {axis} among two dimensions")),
    };
    let (mut host, a, d) = squares(Root::No);
    let partial = host.temporary("partial", Element::F32, &shape);
    host.push(Reduce {
        kind: "sum",
        from: vec![a],
        into: vec![partial.clone()],
        axes: vec![1],
        maps: vec!["(b, i, j) -> (b, i, j)", map],
        element: squared(),
        ..Reduce::default()
    });
    host.push(Reduce {
        kind: "sum",
        from: vec![partial],
        into: vec![d],
        axes: vec![i64::try_from(axis).unwrap_or(0)],
        ..Reduce::default()
    });
    Ok(host.case())
}

// ---------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------

/// Into an array without dimensions: partial results of all iterations, and of every eighth.
fn zero_dimensions() -> Vec<Case> {
    let inputs = Mt19937::new(0).fill(Element::F32, 128, 1.0);
    let parts = |schedule: Schedule, count: &'static str| {
        let mut host = Host::new();
        let a = host.input("A", Element::F32, &[128], &inputs);
        let b = host.output("B", Element::F32, &[], &[inputs.iter().sum()]);
        host.within(0.0, 1e-5);
        host.push(Reduce {
            kind: "sum",
            from: vec![a],
            into: vec![b],
            axes: vec![0],
            schedule: Some(schedule),
            ..Reduce::default()
        });
        host.case()
            .with_plan(move |plan| plan.expect_temporaries(&[&[count]]))
    };
    vec![
        parts(Schedule::new().rfactor("d0"), "128"),
        parts(Schedule::new().split("d0", 8).rfactor("d0.i"), "8"),
    ]
}

/// Reductions that each read what the one before gave, all over the same array: by the schedule, and
/// by hand.
fn chain(axis: usize) -> Result<Vec<Case>, String> {
    let n = 16;
    if axis != 2 {
        return Err(format!("there is no rule for place {axis}"));
    }
    let inputs = Mt19937::new(0).fill(Element::F32, n * n * n, 1.0);
    let mut results: Vec<Vec<f64>> = Vec::new();
    for step in 0..4 {
        let next = inputs.chunks(n).enumerate().map(|(place, row)| {
            let more = if step == 0 {
                0.0
            } else {
                results[step - 1][place]
            };
            row.iter().map(|x| x + more).sum()
        });
        results.push(next.collect());
    }
    let cases = [false, true].map(|by_hand| {
        let mut host = Host::new();
        let a = host.input("A", Element::F32, &[n, n, n], &inputs);
        let mut before: Option<Buffer> = None;
        for (name, expected) in ["C", "D", "E", "F"].into_iter().zip(&results) {
            let into = host.output(name, Element::F32, &[n, n], expected);
            host.within(0.0, 1e-5);
            let element = match before {
                None => String::new(),
                Some(_) => region(
                    "%a: f32, %more: f32, %i: index, %j: index, %k: index",
                    &["%s = arith.addf %a, %more : f32", "tile.yield %s : f32"],
                ),
            };
            let mut from = vec![a.clone()];
            let mut maps = vec!["(i, j, k) -> (i, j, k)"];
            if let Some(before) = before.replace(into.clone()) {
                from.push(before);
                maps.push("(i, j, k) -> (i, j)");
            }
            maps.push("(i, j, k) -> (i, j)");
            let reduce = Reduce {
                kind: "sum",
                from,
                into: vec![into.clone()],
                axes: vec![2],
                maps,
                element,
                ..Reduce::default()
            };
            if !by_hand {
                host.push(Reduce {
                    schedule: Some(Schedule::new().split("d2", 4).rfactor("d2.i")),
                    ..reduce
                });
                continue;
            }
            // Every element is a partial result, and the last dimension is theirs.
            let partial = host.temporary(&format!("{name}_partial"), Element::F32, &[n, n, n]);
            let maps: Vec<&str> = reduce
                .maps
                .split_last()
                .map_or(vec![], |(_, maps)| maps.to_vec());
            host.push(Reduce {
                into: vec![partial.clone()],
                axes: vec![],
                maps: [maps, vec!["(i, j, k) -> (i, j, k)"]].concat(),
                ..reduce
            });
            host.push(Reduce {
                kind: "sum",
                from: vec![partial],
                into: vec![into],
                axes: vec![2],
                ..Reduce::default()
            });
        }
        host.case()
    });
    Ok(cases.into())
}

/// Windows of 7x7, as one loop; dimensions of 1 are kept.
fn windows(axis: usize) -> Result<Vec<Case>, String> {
    let shape = [1, 512, 7, 7];
    let inputs = Mt19937::new(0).fill(Element::F32, 512 * 49, 1.0);
    let expected: Vec<f64> = inputs
        .chunks(49)
        .map(|window| window.iter().sum())
        .collect();
    let start = || {
        let mut host = Host::new();
        let a = host.input("A", Element::F32, &shape, &inputs);
        let b = host.output("B", Element::F32, &[1, 512, 1, 1], &expected);
        host.within(0.0, 1e-5);
        (host, a, b)
    };
    let (mut scheduled, a, b) = start();
    scheduled.push(Reduce {
        kind: "sum",
        from: vec![a],
        into: vec![b],
        axes: vec![2, 3],
        schedule: Some(
            Schedule::new()
                .fuse(&["d2", "d3"], "window")
                .rfactor("window"),
        ),
        ..Reduce::default()
    });
    // The partial results are the elements, copied to where the window has its place.
    let (mut by_hand, a, b) = start();
    let mut loops = vec!["z", "c", "y", "x"];
    if axis > loops.len() {
        return Err(format!(
            "there is no place {axis} among {} dimensions",
            loops.len()
        ));
    }
    loops.insert(axis, "w");
    let mut sizes = vec![1, 512, 1, 1];
    sizes.insert(axis, 49);
    let flat = "memref<1x512x49xf32>";
    by_hand.push(format!(
        "%flat = memref.collapse_shape {} [[0], [1], [2, 3]] : {} into {flat}",
        a.name, a.ty
    ));
    let partial = by_hand.temporary("partial", Element::F32, &sizes);
    let stored = format!("(z, c, y, x, w) -> ({})", loops.join(", "));
    by_hand.push(Reduce {
        kind: "sum",
        from: vec![Buffer {
            name: "%flat".to_owned(),
            ty: flat.to_owned(),
        }],
        into: vec![partial.clone()],
        maps: vec!["(z, c, y, x, w) -> (z, c, w)", &stored],
        ..Reduce::default()
    });
    by_hand.push(Reduce {
        kind: "sum",
        from: vec![partial],
        into: vec![b],
        axes: vec![i64::try_from(axis).unwrap_or(0)],
        ..Reduce::default()
    });
    Ok(vec![scheduled.case(), by_hand.case()])
}

/// Loops that do not run one iteration after the other: on threads, on blocks, written out, at once.
fn not_serial() -> Vec<Case> {
    let rows = |schedule| rows_of("sum", [128, 128], schedule, None).case();
    vec![
        rows(Schedule::new().rfactor("d1").bind("d1", "thread_x"))
            .with_plan(|plan| plan.expect_temporaries(&[])),
        rows(Schedule::new().rfactor("d1").bind("d1", "block_x")).with_plan(|plan| {
            plan.expect_temporaries(&[&["128", "128"]])?;
            plan.expect_grid(0, 128)
        }),
        rows(
            Schedule::new()
                .split("d1", 8)
                .rfactor("d1.i")
                .unroll("d1.i"),
        )
        .with_plan(|plan| plan.expect_temporaries(&[&["8", "128"]])),
        rows(
            Schedule::new()
                .split("d1", 8)
                .rfactor("d1.o")
                .vectorize("d1.i"),
        )
        .with_plan(|plan| plan.expect_temporaries(&[&["16", "128"]])),
    ]
}

/// Parts that reach beyond the end of the loop.
fn uneven() -> Vec<Case> {
    let rows = |schedule| rows_of("sum", [128, 128], schedule, None).case();
    let cut = || Schedule::new().split("d1", 10);
    vec![
        rows(cut().rfactor("d1.o")).with_plan(|plan| plan.expect_temporaries(&[&["13", "128"]])),
        rows(cut().rfactor("d1.i")).with_plan(|plan| plan.expect_temporaries(&[&["10", "128"]])),
        rows(cut().rfactor("d1.o").bind("d1.o", "thread_x"))
            .with_plan(|plan| plan.expect_blocks(&[[13, 1, 1]])),
    ]
}

// ---------------------------------------------------------------------------------------------
// Values and indices
// ---------------------------------------------------------------------------------------------

/// The index is that of the element, and not an argument.
fn positions(kind: &'static str, index: Element) -> Vec<Case> {
    [[1, 32], [10, 1000]]
        .into_iter()
        .map(|[rows, columns]| {
            let inputs = ties(rows * columns);
            let (mut places, mut values) = (Vec::new(), Vec::new());
            for row in inputs.chunks(columns) {
                let best = row.iter().copied().reduce(match kind {
                    "argmax" => f64::max,
                    _ => f64::min,
                });
                let best = best.unwrap_or(f64::NAN);
                values.push(best);
                places.push(row.iter().take_while(|value| **value != best).count() as f64);
            }
            let mut host = Host::new();
            let a = host.input("A", Element::F32, &[rows, columns], &inputs);
            let v = host.output("V", Element::F32, &[rows], &values);
            let i = host.output("I", index, &[rows], &places);
            host.push(Reduce {
                kind,
                from: vec![a],
                into: vec![v, i],
                axes: vec![1],
                schedule: Some(split_by(8)),
                ..Reduce::default()
            });
            host.case()
        })
        .collect()
}

/// Values go where (i, j) is, and their indices where (j, i) is.
fn two_orders() -> Case {
    let shape = [4, 6, 128];
    let inputs = ties(shape.iter().product());
    let (mut values, mut indices) = (vec![0.0; 24], vec![0.0; 24]);
    for (place, row) in inputs.chunks(shape[2]).enumerate() {
        let best = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (i, j) = (place / shape[1], place % shape[1]);
        values[place] = best;
        indices[j * shape[0] + i] = row.iter().take_while(|v| **v != best).count() as f64;
    }
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &shape, &inputs);
    let v = host.output("V", Element::F32, &shape[..2], &values);
    let i = host.output("I", Element::I32, &[shape[1], shape[0]], &indices);
    host.push(Reduce {
        kind: "argmax",
        from: vec![a],
        into: vec![v, i],
        axes: vec![2],
        maps: vec![
            "(i, j, k) -> (i, j, k)",
            "(i, j, k) -> (i, j)",
            "(i, j, k) -> (j, i)",
        ],
        schedule: Some(Schedule::new().split("d2", 32).rfactor("d2.i")),
        ..Reduce::default()
    });
    host.case()
}

/// What is filled is not what is summed into: one is zero then, and the other starts from what it
/// was.
fn another_start(schedule: Schedule) -> Case {
    let mut random = Mt19937::new(0);
    let inputs = random.fill(Element::F32, 128 * 128, 1.0);
    let old = random.fill(Element::F32, 128, 100.0);
    let expected: Vec<f64> = inputs
        .chunks(128)
        .zip(&old)
        .map(|(row, old)| old + row.iter().sum::<f64>())
        .collect();
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[128, 128], &inputs);
    let b = host.output_onto("B", Element::F32, &[128], &old, &expected);
    host.within(0.0, 1e-5);
    let c = host.output("C", Element::F32, &[128], &[0.0; 128]);
    host.fill(&c, "0.0 : f32");
    host.push(sum_of_rows(a, b, schedule));
    host.case()
}

/// As loops.
fn sum_of_rows(a: Buffer, b: Buffer, schedule: Schedule) -> Generic<'static> {
    Generic {
        from: vec![a],
        into: vec![b],
        maps: vec![EACH, ROW],
        reduced: vec![1],
        schedule: Some(schedule),
        body: region(
            "%a: f32, %b: f32",
            &["%s = arith.addf %b, %a : f32", "linalg.yield %s : f32"],
        ),
    }
}

/// A sum that starts from 1: what is written into the destination before is an old value, not an
/// identity, and counts once.
fn from_one(schedule: Schedule) -> Case {
    let inputs = Mt19937::new(0).fill(Element::F32, 128 * 128, 1.0);
    let expected: Vec<f64> = inputs
        .chunks(128)
        .map(|row| 1.0 + row.iter().sum::<f64>())
        .collect();
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[128, 128], &inputs);
    let b = host.output("B", Element::F32, &[128], &expected);
    host.within(0.0, 1e-5);
    host.fill(&b, "1.0 : f32");
    host.push(sum_of_rows(a, b, schedule));
    host.case()
}

/// A combiner of an index and a value, with something wrong.
struct Tuple {
    types: [&'static str; 2],
    shapes: [Vec<usize>; 2],
    destinations: Vec<&'static str>,
    results: Vec<&'static str>,
    /// Where the error stands.
    at: &'static str,
}

impl Default for Tuple {
    fn default() -> Self {
        Self {
            types: ["i32", "f32"],
            shapes: [vec![128], vec![128]],
            destinations: vec!["%T0", "%T1"],
            results: vec!["%index", "%value"],
            at: "tile.reduce",
        }
    }
}

fn tuple(wrong: Tuple, texts: &[&str]) -> Case {
    let [index, _] = wrong.types;
    let buffer = |name: &str, shape: &[usize], ty: &str| Buffer {
        name: name.to_owned(),
        ty: format!("memref<{}x{ty}>", list(shape).replace(", ", "x")),
    };
    let from = wrong
        .types
        .iter()
        .zip(["%I", "%V"])
        .map(|(ty, name)| buffer(name, &[128, 128], ty));
    let from: Vec<Buffer> = from.collect();
    let places = [
        buffer("%T0", &wrong.shapes[0], index),
        buffer("%T1", &wrong.shapes[1], "f32"),
    ];
    let into = wrong
        .destinations
        .iter()
        .map(|name| places[usize::from(*name == "%T1")].clone());
    let types: Vec<&str> = wrong
        .results
        .iter()
        .map(|name| if *name == "%index" { index } else { "f32" })
        .collect();
    let choice = match index {
        "f32" => "%index = arith.maximumf %i, %j : f32",
        _ => "%index = arith.select %left, %i, %j : i32",
    };
    let reduce = Reduce {
        kind: "custom",
        from: from.clone(),
        into: into.collect(),
        axes: vec![1],
        identity: match index {
            "f32" => "0.0 : f32, 0xFF800000 : f32",
            _ => "2147483647 : i32, 0xFF800000 : f32",
        },
        schedule: Some(split_by(32)),
        combiner: region(
            &format!("%i: {index}, %v: f32, %j: {index}, %w: f32"),
            &[
                "%left = arith.cmpf ogt, %v, %w : f32",
                "%value = arith.select %left, %v, %w : f32",
                choice,
                &format!(
                    "tile.yield {} : {}",
                    wrong.results.join(", "),
                    types.join(", ")
                ),
            ],
        ),
        ..Reduce::default()
    };
    let mut host = Host::new();
    for buffer in from.iter().chain(&places) {
        host.parameter(buffer);
    }
    host.push(reduce);
    host.refused(wrong.at, texts)
}
