//! Reductions whose loops are bound to threads: a part in each thread, then across threads, and one
//! of them writes. Records say which case they are about in `what`, and its numbers in `facts`.
//!
//! Where a record is about what comes before or after the reduction (a softmax, a layer norm), that
//! is an op of the same host function, or the element or the epilogue of the reduction.

use crate::Record;
use crate::allreduce::{Groups, exchange};
use crate::case::Case;
use crate::element::{Element, Mt19937};
use crate::facts::numbers;
use crate::host::{Buffer, Generic, Host, Reduce, Schedule, region};
use crate::pairs::Pairs;

pub(crate) fn cross_thread_cases(record: &Record) -> Result<Vec<Case>, String> {
    let what = record.what.as_str().unwrap_or("");
    let facts = record.facts.as_str().unwrap_or("");
    // Of rows, where a record says nothing of it.
    let rows = numbers("[#,#]", facts, [128, 128])[0];
    let one = |case: Case| Ok(vec![case]);
    match what {
        "loop_split" => {
            let [rows, columns] = numbers("[#,#]", facts, [128, 128]);
            let [outer, inner] = numbers("k split #x#", facts, [4, 32]);
            whole(columns, [outer, inner])?;
            one(row_reduction(
                "sum",
                [rows, columns],
                Schedule::new().split("d1", inner).bind("d1.i", "thread_x"),
                [inner, 1, 1],
            ))
        }
        "no_normal_reduction" => {
            let [threads] = numbers("all # of k", facts, [128]);
            one(row_reduction(
                "sum",
                [rows, threads],
                Schedule::new().bind("d1", "thread_x"),
                [threads, 1, 1],
            ))
        }
        "two_bound_loops" => {
            let [outer, inner] = numbers("k = # on threadIdx.x * # on threadIdx.y", facts, [4, 32]);
            one(row_reduction(
                "sum",
                [rows, outer * inner],
                Schedule::new()
                    .split("d1", inner)
                    .bind("d1.o", "thread_x")
                    .bind("d1.i", "thread_y"),
                [outer, inner, 1],
            ))
        }
        "multiple_blocks_under_reduction_loop" => one(partial_results()),
        "with_block_predicate" => {
            let [length, padded] = numbers("length # of #", facts, [120, 128]);
            let [inner, guard] = numbers("ko*#+ki<#", facts, [32, length]);
            whole(guard, [1, length])?;
            one(row_reduction(
                "sum",
                [padded, length],
                Schedule::new().split("d1", inner).bind("d1.i", "thread_x"),
                [inner, 1, 1],
            ))
        }
        "single_reduction_loop_with_block_predicate" => {
            let [rows, columns, threads] =
                numbers("softmax #x# with # threads", facts, [256, 256, 512]);
            one(softmax([rows, columns], threads, false))
        }
        "softmax" => {
            let [rows, columns, threads] = numbers("#x# softmax, # threads", facts, [256, 256, 32]);
            one(softmax([rows, columns], threads, true))
        }
        "shared_memory_prefetch" => {
            let [rows, length, threads] =
                numbers("#x# matmul-like, threadIdx.x=#", facts, [128, 150_528, 2]);
            one(long_products([rows, length], threads))
        }
        "spatial_loop_predicate" => {
            let [rows, columns, y, x] = numbers("#x#, threads y=# x=#", facts, [2, 32, 16, 64]);
            let schedule = Schedule::new()
                .split("d0", y)
                .split("d1", x)
                .bind("d0.i", "thread_y")
                .bind("d1.i", "thread_x");
            one(row_reduction("sum", [rows, columns], schedule, [x, y, 1]))
        }
        "reducer_max" => {
            let [threads] = numbers("max over # threads", facts, [128]);
            one(row_reduction(
                "max",
                [rows, threads],
                Schedule::new().bind("d1", "thread_x"),
                [threads, 1, 1],
            ))
        }
        "zero_rank_buffer" => {
            let [threads] = numbers("reduce # to", facts, [128]);
            one(everything(threads))
        }
        "argmax_split" | "argmin_split_init_update_reordered" => {
            let [rows, columns] = numbers("[#,#]", facts, [128, 128]);
            let [outer, inner] = numbers("k #x#", facts, [4, 32]);
            whole(columns, [outer, inner])?;
            let pairs = Pairs {
                kind: &what[..6],
                shape: [rows, columns],
                index: Element::I32,
                schedule: Some(Schedule::new().split("d1", inner).bind("d1.i", "thread_x")),
                value_first: what.contains("reordered"),
                dynamic: false,
            };
            Ok(pairs.all())
        }
        "thread_broadcast_1" => one(plus_one()),
        "thread_broadcast_2" => Ok(vec![two_stages(true), two_stages(false)]),
        "no_thread_broadcast" => one(each_over_sum()),
        "layer_norm_tuple_sum" => one(layer_norm()),
        _ => refusals(what),
    }
}

/// Records of errors.
fn refusals(what: &str) -> Result<Vec<Case>, String> {
    let columns = |schedule| rows_of("sum", [128, 128], schedule, None);
    let one = |case: Case| Ok(vec![case]);
    match what {
        // One thread would need a partial result for every row.
        "reduction_block_not_deepest" => one(columns(
            Schedule::new()
                .split("d1", 32)
                .bind("d1.i", "thread_x")
                .reorder(&["d1.o", "d0"]),
        )
        .refused(
            "tile.reduce",
            &["`d0` lies within the reduced loop `d1.o`: its partial results would need memory"],
        )),
        "reduction_loop_bound_to_blockidx" => one(columns(Schedule::new().bind("d1", "block_x"))
            .refused(
                "tile.reduce",
                &[
                    "`d1` is reduced and bound to block_x: several blocks would write one result",
                    "#tile.rfactor<\"d1\">",
                ],
            )),
        "multiple_bufferstore" => one(two_stores()),
        // The place that is written depends on the loop that is reduced.
        "different_access_indices" => {
            let mut host = Host::new();
            let a = host.input("A", Element::F32, &[16, 16, 16], &[0.0; 4096]);
            let b = host.output("B", Element::F32, &[16, 16], &[0.0; 256]);
            host.push(Reduce {
                kind: "sum",
                from: vec![a],
                into: vec![b],
                axes: vec![2],
                maps: vec!["(i, j, k) -> (i, j, k)", "(i, j, k) -> (i, k)"],
                ..Reduce::default()
            });
            one(host.refused("tile.reduce", &["destination 0 is indexed by `d2`, expected each dimension that is not reduced once"]))
        }
        "invalid_reducer" => Ok(differences(
            &Schedule::new().split("d1", 32).bind("d1.i", "thread_x"),
        )),
        other => Err(format!("there is no rule for `{other}`")),
    }
}

/// A loop that adds to one result, and overwrites another in every iteration.
fn two_stores() -> Case {
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[128, 128], &[0.0; 128 * 128]);
    let b = host.output("B", Element::F32, &[128], &[0.0; 128]);
    let c = host.output("C", Element::F32, &[128], &[0.0; 128]);
    host.push(Generic {
        from: vec![a],
        into: vec![b, c],
        maps: vec!["(i, k) -> (i, k)", "(i, k) -> (i)", "(i, k) -> (i)"],
        reduced: vec![1],
        body: region(
            "%a: f32, %b: f32, %c: f32",
            &[
                "%s = arith.addf %b, %a : f32",
                "linalg.yield %s, %a : f32, f32",
            ],
        ),
        ..Generic::default()
    });
    host.refused(
        "linalg.generic",
        &["the result does not use the accumulator, argument 2 of its body"],
    )
}

/// Differences depend on the order of elements: refused as a combiner, and as the body of a loop.
pub(crate) fn differences(schedule: &Schedule) -> Vec<Case> {
    let start = || {
        let mut host = Host::new();
        let a = host.input("A", Element::F32, &[128, 128], &[0.0; 128 * 128]);
        let b = host.output("B", Element::F32, &[128], &[0.0; 128]);
        (host, a, b)
    };
    let texts = [
        "the combiner is not commutative",
        "combiner(1, 2) = -1",
        "in any order",
    ];
    let (mut combiner, a, b) = start();
    combiner.push(Reduce {
        kind: "custom",
        from: vec![a],
        into: vec![b],
        axes: vec![1],
        identity: "0.0 : f32",
        schedule: Some(schedule.clone()),
        combiner: region(
            "%x: f32, %y: f32",
            &["%d = arith.subf %x, %y : f32", "tile.yield %d : f32"],
        ),
        ..Reduce::default()
    });
    let (mut body, a, b) = start();
    body.fill(&b, "0.0 : f32");
    body.push(Generic {
        from: vec![a],
        into: vec![b],
        maps: vec!["(i, k) -> (i, k)", "(i, k) -> (i)"],
        reduced: vec![1],
        schedule: Some(schedule.clone()),
        body: region(
            "%a: f32, %b: f32",
            &["%d = arith.subf %b, %a : f32", "linalg.yield %d : f32"],
        ),
    });
    vec![
        combiner.refused("tile.reduce", &texts),
        body.refused("linalg.generic", &texts),
    ]
}

fn whole(length: usize, [outer, inner]: [usize; 2]) -> Result<(), String> {
    match length == outer * inner {
        true => Ok(()),
        false => Err(format!("{length} iterations are not {outer} times {inner}")),
    }
}

/// What is stored of a result: the region, and the same here.
type Epilogue<'a> = (&'a str, fn(f64) -> f64);

/// Sums or maxima of the rows of an array of f32.
pub(crate) fn rows_of(
    kind: &'static str,
    [rows, columns]: [usize; 2],
    schedule: Schedule,
    epilogue: Option<Epilogue<'_>>,
) -> Host {
    let inputs: Vec<f64> = Mt19937::new(0)
        .fill(Element::F32, rows * columns, 1.0)
        .iter()
        .map(|value| if kind == "max" { -value } else { *value })
        .collect();
    let expected: Vec<f64> = inputs
        .chunks(columns)
        .map(|row| match kind {
            "max" => row.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            _ => row.iter().sum(),
        })
        .map(|result| epilogue.map_or(result, |(_, then)| then(result)))
        .collect();
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[rows, columns], &inputs);
    let b = host.output("B", Element::F32, &[rows], &expected);
    host.within(0.0, 1e-5);
    host.push(Reduce {
        kind,
        from: vec![a],
        into: vec![b],
        axes: vec![1],
        schedule: Some(schedule),
        epilogue: epilogue.map_or(String::new(), |(text, _)| text.to_owned()),
        ..Reduce::default()
    });
    host
}

/// Rows by one block, each in its turn, unless they are bound to threads along y.
fn row_reduction(
    kind: &'static str,
    [rows, columns]: [usize; 2],
    schedule: Schedule,
    block: [usize; 3],
) -> Case {
    let rows_on_threads = format!("{schedule}").contains("\"d0.i\" to thread_y");
    let groups = Groups {
        block,
        along: [true, !rows_on_threads, false],
        rounds: match rows_on_threads {
            true => rows.div_ceil(block[1]),
            false => rows,
        },
    };
    rows_of(kind, [rows, columns], schedule, None)
        .case()
        .with_plan(move |plan| plan.expect_blocks(&[block]))
        .with_ptx("sm_90", exchange(groups, Some(1)))
}

/// Two dimensions are reduced, of which the first is cut: a thread's own results come first, and
/// are in registers.
fn partial_results() -> Case {
    let n = 16;
    let inputs = Mt19937::new(0).fill(Element::F32, n * n * n, 1.0);
    let sums: Vec<f64> = inputs.chunks(n * n).map(|part| part.iter().sum()).collect();
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[n, n, n], &inputs);
    let b = host.output("B", Element::F32, &[n], &sums);
    host.within(0.0, 1e-5);
    host.push(Reduce {
        kind: "sum",
        from: vec![a],
        into: vec![b],
        axes: vec![1, 2],
        schedule: Some(
            Schedule::new()
                .bind("d0", "block_x")
                .split("d1", 4)
                .rfactor("d1.o")
                .bind("d1.o", "thread_x"),
        ),
        ..Reduce::default()
    });
    let groups = Groups {
        block: [4, 1, 1],
        along: [true, false, false],
        rounds: 1,
    };
    host.case()
        .with_plan(move |plan| {
            plan.expect_blocks(&[groups.block])?;
            plan.expect_grid(0, n)?;
            plan.expect_temporaries(&[])
        })
        .with_ptx("sm_90", exchange(groups, Some(1)))
}

/// A vector into an array without dimensions.
fn everything(threads: usize) -> Case {
    let inputs = Mt19937::new(0).fill(Element::F32, threads, 1.0);
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[threads], &inputs);
    let b = host.output("B", Element::F32, &[], &[inputs.iter().sum()]);
    host.within(0.0, 1e-5);
    host.push(Reduce {
        kind: "sum",
        from: vec![a],
        into: vec![b],
        axes: vec![0],
        schedule: Some(Schedule::new().bind("d0", "thread_x")),
        ..Reduce::default()
    });
    let groups = Groups {
        block: [threads, 1, 1],
        along: [true, false, false],
        rounds: 1,
    };
    host.case()
        .with_plan(move |plan| plan.expect_blocks(&[groups.block]))
        .with_ptx("sm_90", exchange(groups, Some(1)))
}

/// The largest of each row, the sum of exponentials, and each over that: with `kept`, exponentials
/// are in memory in between, else they are computed twice.
fn softmax([rows, columns]: [usize; 2], threads: usize, kept: bool) -> Case {
    let inputs = Mt19937::new(0).fill(Element::F32, rows * columns, 8.0);
    let expected: Vec<f64> = inputs
        .chunks(columns)
        .flat_map(|row| {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let all: Vec<f64> = row.iter().map(|x| (x - largest).exp()).collect();
            let sum: f64 = all.iter().sum();
            all.into_iter().map(move |e| e / sum)
        })
        .collect();
    let schedule = Schedule::new()
        .bind("d0", "block_x")
        .split("d1", threads)
        .bind("d1.i", "thread_x");
    let (each, row) = ("(i, j) -> (i, j)", "(i, j) -> (i)");
    let difference = "%x = arith.subf %a, %m : f32";
    let exponential = "%exp = math.exp %x : f32";
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[rows, columns], &inputs);
    let b = host.output("B", Element::F32, &[rows, columns], &expected);
    host.within(0.0, 1e-5);
    let largest = host.temporary("largest", Element::F32, &[rows]);
    let sums = host.temporary("sums", Element::F32, &[rows]);
    host.push(Reduce {
        kind: "max",
        from: vec![a.clone()],
        into: vec![largest.clone()],
        axes: vec![1],
        schedule: Some(schedule.clone()),
        ..Reduce::default()
    });
    let sum = Reduce {
        kind: "sum",
        into: vec![sums.clone()],
        axes: vec![1],
        schedule: Some(schedule.clone()),
        ..Reduce::default()
    };
    let elementwise = |from: Vec<Buffer>, into: &Buffer, maps: Vec<&'static str>, body| Generic {
        from,
        into: vec![into.clone()],
        maps,
        schedule: Some(schedule.clone()),
        body,
        ..Generic::default()
    };
    if kept {
        let all = host.temporary("exponentials", Element::F32, &[rows, columns]);
        host.push(elementwise(
            vec![a, largest],
            &all,
            vec![each, row, each],
            region(
                "%a: f32, %m: f32, %old: f32",
                &[difference, exponential, "linalg.yield %exp : f32"],
            ),
        ));
        host.push(Reduce {
            from: vec![all.clone()],
            ..sum
        });
        host.push(elementwise(
            vec![all, sums],
            &b,
            vec![each, row, each],
            region(
                "%e: f32, %s: f32, %old: f32",
                &["%q = arith.divf %e, %s : f32", "linalg.yield %q : f32"],
            ),
        ));
    } else {
        host.push(Reduce {
            from: vec![a.clone(), largest.clone()],
            maps: vec![each, row, row],
            element: region(
                "%a: f32, %m: f32, %i: index, %j: index",
                &[difference, exponential, "tile.yield %exp : f32"],
            ),
            ..sum
        });
        host.push(elementwise(
            vec![a, largest, sums],
            &b,
            vec![each, row, row, each],
            region(
                "%a: f32, %m: f32, %s: f32, %old: f32",
                &[
                    difference,
                    exponential,
                    "%q = arith.divf %exp, %s : f32",
                    "linalg.yield %q : f32",
                ],
            ),
        ));
    }
    let kernels = if kept { 4 } else { 3 };
    host.case().with_plan(move |plan| {
        plan.expect_blocks(&vec![[threads, 1, 1]; kernels])?;
        (0..kernels).try_for_each(|kernel| plan.expect_grid(kernel, rows))
    })
}

/// Long rows of weights times a vector, by few threads a row. Weights repeat along a row, so that
/// they need little memory. There is no step of a schedule that copies to shared memory first.
///
/// Numbers are small and whole: their sums are exact in any order.
fn long_products([rows, length]: [usize; 2], threads: usize) -> Case {
    let period = (1..=1024)
        .rev()
        .find(|n| length.is_multiple_of(*n))
        .unwrap_or(1);
    let mut random = Mt19937::new(0);
    let mut fill = |count: usize| -> Vec<f64> {
        (0..count)
            .map(|_| (random.uniform() * 5.0).floor() - 2.0)
            .collect()
    };
    let (vector, weights) = (fill(length), fill(rows * period));
    let expected: Vec<f64> = weights
        .chunks(period)
        .map(|row| {
            vector
                .iter()
                .zip(row.iter().cycle())
                .map(|(x, w)| x * w)
                .sum()
        })
        .collect();
    let mut host = Host::new();
    let x = host.input("X", Element::F32, &[length], &vector);
    let w = host.input("W", Element::F32, &[rows, period], &weights);
    let y = host.output("Y", Element::F32, &[rows], &expected);
    let again = format!("(i, k) -> (i, k mod {period})");
    host.push(Reduce {
        kind: "sum",
        from: vec![x, w],
        into: vec![y],
        axes: vec![1],
        maps: vec!["(i, k) -> (k)", &again, "(i, k) -> (i)"],
        schedule: Some(
            Schedule::new()
                .bind("d0", "block_x")
                .split("d1", threads)
                .bind("d1.i", "thread_x"),
        ),
        element: region(
            "%x: f32, %w: f32, %i: index, %k: index",
            &["%p = arith.mulf %x, %w : f32", "tile.yield %p : f32"],
        ),
        ..Reduce::default()
    });
    host.case().with_plan(move |plan| {
        plan.expect_blocks(&[[threads, 1, 1]])?;
        plan.expect_grid(0, rows)
    })
}

/// The threads of a block have the sum of a row; what is stored is computed from it.
fn plus_one() -> Case {
    let n = 256;
    let schedule = Schedule::new().bind("d0", "block_x").bind("d1", "thread_x");
    let epilogue = region(
        "%sum: f32, %i: index",
        &[
            "%one = arith.constant 1.0 : f32",
            "%more = arith.addf %sum, %one : f32",
            "tile.yield %more : f32",
        ],
    );
    let groups = Groups {
        block: [n, 1, 1],
        along: [true, false, false],
        rounds: 1,
    };
    rows_of("sum", [n, n], schedule, Some((&epilogue, |sum| sum + 1.0)))
        .case()
        .with_plan(move |plan| {
            plan.expect_blocks(&[groups.block])?;
            plan.expect_grid(0, n)
        })
        .with_ptx("sm_90", exchange(groups, Some(1)))
}

/// A vector times a matrix, plus a bias, plus what is carried over: in one kernel, or by two
/// element-wise ops after it.
fn two_stages(fused: bool) -> Case {
    let [rows, length] = [64, 320];
    let threads = 64;
    let mut random = Mt19937::new(0);
    let mut fill = |count: usize| random.fill(Element::F32, count, 1.0);
    let (vector, weights) = (fill(length), fill(rows * length));
    let (bias, carried) = (fill(rows), fill(rows));
    let expected: Vec<f64> = weights
        .chunks(length)
        .zip(bias.iter().zip(&carried))
        .map(|(row, (b, c))| row.iter().zip(&vector).map(|(w, x)| w * x).sum::<f64>() + b + c)
        .collect();
    let mut host = Host::new();
    let x = host.input("X", Element::F32, &[length], &vector);
    let w = host.input("W", Element::F32, &[rows, length], &weights);
    let bias = host.input("bias", Element::F32, &[rows], &bias);
    let carried = host.input("carried", Element::F32, &[rows], &carried);
    let y = host.output("Y", Element::F32, &[rows], &expected);
    host.within(0.0, 1e-5);
    let (row, each) = ("(i, k) -> (i)", "(i, k) -> (i, k)");
    let product = Reduce {
        kind: "sum",
        from: vec![x, w],
        axes: vec![1],
        maps: vec!["(i, k) -> (k)", each, row],
        schedule: Some(
            Schedule::new()
                .bind("d0", "block_x")
                .split("d1", threads)
                .bind("d1.i", "thread_x"),
        ),
        element: region(
            "%x: f32, %w: f32, %i: index, %k: index",
            &["%p = arith.mulf %x, %w : f32", "tile.yield %p : f32"],
        ),
        ..Reduce::default()
    };
    if fused {
        host.push(Reduce {
            into: vec![y],
            with: vec![bias, carried],
            maps: [product.maps.clone(), vec![row, row]].concat(),
            epilogue: region(
                "%sum: f32, %b: f32, %c: f32, %i: index",
                &[
                    "%first = arith.addf %sum, %b : f32",
                    "%second = arith.addf %first, %c : f32",
                    "tile.yield %second : f32",
                ],
            ),
            ..product
        });
        return host
            .case()
            .with_plan(move |plan| plan.expect_blocks(&[[threads, 1, 1]]));
    }
    let sums = host.temporary("sums", Element::F32, &[rows]);
    let biased = host.temporary("biased", Element::F32, &[rows]);
    host.push(Reduce {
        into: vec![sums.clone()],
        ..product
    });
    for (from, into) in [([sums, bias], biased.clone()), ([biased, carried], y)] {
        host.push(Generic {
            from: from.to_vec(),
            into: vec![into],
            maps: vec!["(i) -> (i)"; 3],
            body: region(
                "%a: f32, %b: f32, %old: f32",
                &["%s = arith.addf %a, %b : f32", "linalg.yield %s : f32"],
            ),
            ..Generic::default()
        });
    }
    host.case()
}

/// The sum of each row, and then each element over it, by threads along the row: the same threads
/// as before.
fn each_over_sum() -> Case {
    let n = 256;
    let inputs = Mt19937::new(0).fill(Element::F32, n * n, 1.0);
    let expected: Vec<f64> = inputs
        .chunks(n)
        .flat_map(|row| {
            let sum: f64 = row.iter().sum();
            row.iter().map(move |x| x / sum)
        })
        .collect();
    let schedule = Schedule::new().bind("d0", "block_x").bind("d1", "thread_x");
    let mut host = Host::new();
    let a = host.input("A", Element::F32, &[n, n], &inputs);
    let b = host.output("B", Element::F32, &[n, n], &expected);
    host.within(0.0, 1e-5);
    let sums = host.temporary("sums", Element::F32, &[n]);
    host.push(Reduce {
        kind: "sum",
        from: vec![a.clone()],
        into: vec![sums.clone()],
        axes: vec![1],
        schedule: Some(schedule.clone()),
        ..Reduce::default()
    });
    host.push(Generic {
        from: vec![a, sums],
        into: vec![b],
        maps: vec!["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i, j)"],
        schedule: Some(schedule),
        body: region(
            "%x: f32, %s: f32, %old: f32",
            &["%q = arith.divf %x, %s : f32", "linalg.yield %q : f32"],
        ),
        ..Generic::default()
    });
    host.case()
        .with_plan(move |plan| plan.expect_blocks(&[[n, 1, 1]; 2]))
}

/// Sums and sums of squares together; then each element less the mean, over the deviation, times a
/// weight and plus a bias.
fn layer_norm() -> Case {
    let [rows, length, threads] = [128, 768, 32];
    let mut random = Mt19937::new(0);
    let mut fill = |count: usize| random.fill(Element::F32, count, 1.0);
    let (data, gamma, beta) = (fill(rows * length), fill(length), fill(length));
    let count = length as f64;
    let sum = |row: &[f64]| row.iter().sum::<f64>();
    let square_sum = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
    let sums: Vec<f64> = data.chunks(length).map(sum).collect();
    let square_sums: Vec<f64> = data.chunks(length).map(square_sum).collect();
    let expected: Vec<f64> = data
        .chunks(length)
        .flat_map(|row| {
            let mean = sum(row) / count;
            let variance = square_sum(row) / count - mean * mean;
            let scales = gamma.iter().zip(&beta);
            let normal = move |x: &f64| (x - mean) / (variance + 1e-5).sqrt();
            row.iter()
                .zip(scales)
                .map(move |(x, (g, b))| normal(x) * g + b)
        })
        .collect();
    let mut host = Host::new();
    let x = host.input("X", Element::F32, &[rows, length], &data);
    let g = host.input("gamma", Element::F32, &[length], &gamma);
    let b = host.input("beta", Element::F32, &[length], &beta);
    let s = host.output("S", Element::F32, &[rows], &sums);
    host.within(0.0, 1e-5);
    let q = host.output("Q", Element::F32, &[rows], &square_sums);
    host.within(0.0, 1e-5);
    let y = host.output("Y", Element::F32, &[rows, length], &expected);
    host.within(1e-4, 1e-4);
    let (each, row, column) = ("(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (j)");
    host.push(Reduce {
        kind: "custom",
        from: vec![x.clone()],
        into: vec![s.clone(), q.clone()],
        axes: vec![1],
        maps: vec![each, row, row],
        identity: "0.0 : f32, 0.0 : f32",
        combiner: region(
            "%s: f32, %q: f32, %t: f32, %r: f32",
            &[
                "%sum = arith.addf %s, %t : f32",
                "%squares = arith.addf %q, %r : f32",
                "tile.yield %sum, %squares : f32, f32",
            ],
        ),
        schedule: Some(
            Schedule::new()
                .bind("d0", "block_x")
                .split("d1", threads)
                .bind("d1.i", "thread_x"),
        ),
        element: region(
            "%x: f32, %i: index, %j: index",
            &[
                "%square = arith.mulf %x, %x : f32",
                "tile.yield %x, %square : f32, f32",
            ],
        ),
        ..Reduce::default()
    });
    let n = format!("%n = arith.constant {count:?} : f32");
    host.push(Generic {
        from: vec![x, s, q, g, b],
        into: vec![y],
        maps: vec![each, row, row, column, column, each],
        body: region(
            "%x: f32, %s: f32, %q: f32, %g: f32, %b: f32, %old: f32",
            &[
                &n,
                "%epsilon = arith.constant 1.0e-5 : f32",
                "%mean = arith.divf %s, %n : f32",
                "%mean_of_squares = arith.divf %q, %n : f32",
                "%square = arith.mulf %mean, %mean : f32",
                "%variance = arith.subf %mean_of_squares, %square : f32",
                "%positive = arith.addf %variance, %epsilon : f32",
                "%deviation = math.sqrt %positive : f32",
                "%difference = arith.subf %x, %mean : f32",
                "%normal = arith.divf %difference, %deviation : f32",
                "%scaled = arith.mulf %normal, %g : f32",
                "%shifted = arith.addf %scaled, %b : f32",
                "linalg.yield %shifted : f32",
            ],
        ),
        ..Generic::default()
    });
    host.case()
}
