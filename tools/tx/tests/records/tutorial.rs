//! The steps of the tutorial on reductions: sums of rows with the schedule of each step, a
//! convolution, and combiners of the program's own. Sizes are known at run time only, and each
//! program runs with sizes that no factor divides, and with those that the tutorial runs.

use crate::Record;
use crate::case::Case;
use crate::element::{Element, Mt19937};
use crate::facts::scan;
use crate::host::{Host, Reduce, Schedule, region};
use crate::pairs::Pairs;

/// Sizes that are multiples of nothing.
const ODD: [usize; 2] = [127, 1003];

/// What the facts of a record say.
struct Facts {
    row_factor: Option<usize>,
    reduce_factor: Option<usize>,
    /// Rows of a block, which are bound to blocks and threads.
    block: Option<usize>,
    /// Threads of a block along x, or along y and x.
    threads: Option<[usize; 2]>,
    /// Partial results are kept in memory.
    partials: bool,
    run: [usize; 2],
    rtol: f64,
}

impl Facts {
    fn of(record: &Record) -> Result<Self, String> {
        let number = |name: &str| record.facts[name].as_u64().map(|n| n as usize);
        let threads = &record.facts["threads"];
        let along = |axis: &str| threads[axis].as_u64().map(|n| n as usize);
        let block = match record.facts["block"].as_str() {
            None => None,
            Some(text) => match scan("ceildiv(n,#)", text).as_deref() {
                Some([rows]) => Some(*rows),
                _ => return Err(format!("there is no rule for the blocks `{text}`")),
            },
        };
        let threads = match (threads.as_u64(), along("y"), along("x")) {
            (Some(x), ..) => Some([1, x as usize]),
            (None, Some(y), Some(x)) => Some([y, x]),
            _ => None,
        };
        let reduce_factor = number("reduce_factor").or(match threads {
            Some([y, x]) if y > 1 => Some(x),
            _ => None,
        });
        let run: Option<Vec<usize>> = record.facts["run"].as_array().map(|sizes| {
            sizes
                .iter()
                .filter_map(|n| Some(n.as_u64()? as usize))
                .collect()
        });
        Ok(Self {
            row_factor: number("row_factor"),
            reduce_factor,
            block,
            threads,
            partials: match record.facts["rf_shape"][0].as_str() {
                None => false,
                factor if factor.and_then(|n| n.parse().ok()) == reduce_factor => true,
                Some(other) => return Err(format!("{other} partial results of a row")),
            },
            run: run
                .and_then(|run| run.try_into().ok())
                .unwrap_or([128, 128]),
            rtol: record.facts["rtol"].as_f64().unwrap_or(1e-4),
        })
    }
}

pub(crate) fn tutorial_cases(record: &Record) -> Result<Vec<Case>, String> {
    let facts = Facts::of(record)?;
    let filter: Option<Vec<usize>> = record.facts["filter"].as_array().map(|sizes| {
        sizes
            .iter()
            .filter_map(|n| Some(n.as_u64()? as usize))
            .collect()
    });
    let op = record.facts["op"].as_str();
    let mut cases = Vec::new();
    for sizes in [ODD, facts.run] {
        match (filter.as_deref(), op) {
            (Some([rows, columns]), _) => cases.extend(convolution(sizes, [*rows, *columns])),
            (None, Some("product")) => cases.extend(product(record, sizes, facts.rtol)?),
            (None, Some("argmax")) => cases.extend(largest(sizes)),
            (None, Some("sum") | None) => cases.extend(row_sum(&facts, sizes)?),
            other => return Err(format!("there is no rule for {other:?}")),
        }
    }
    Ok(cases)
}

fn sums(values: &[f64], length: usize) -> Vec<f64> {
    values.chunks(length).map(|row| row.iter().sum()).collect()
}

/// The schedule that the facts say, and the threads of a block along x, y and z.
fn schedule_of(facts: &Facts) -> Result<(Option<Schedule>, [usize; 3]), String> {
    let mut schedule = Schedule::new();
    let mut block = [1; 3];
    let rows = match (facts.row_factor, facts.block) {
        (Some(one), Some(two)) if one != two => {
            return Err(format!("rows are split by {one} and by {two}"));
        }
        (one, two) => one.or(two),
    };
    if rows.is_none() && facts.reduce_factor.is_none() {
        return Ok((None, block));
    }
    if let Some(rows) = rows {
        schedule = schedule.split("d0", rows);
    }
    if let Some(factor) = facts.reduce_factor {
        schedule = schedule.split("d1", factor);
    }
    if let (Some(rows), Some([y, x])) = (facts.block, facts.threads) {
        schedule = schedule.bind("d0.o", "block_x");
        block = [x, y, 1];
        match (facts.reduce_factor, y) {
            // The partial results of 16 threads are in registers, and the first stores their sum.
            (Some(factor), y) if y > 1 => {
                if (factor, rows) != (x, y) {
                    return Err(format!("{x}x{y} threads for parts of {rows}x{factor}"));
                }
                schedule = schedule
                    .rfactor("d1.i")
                    .bind("d0.i", "thread_y")
                    .bind("d1.i", "thread_x");
            }
            _ if x == rows => schedule = schedule.bind("d0.i", "thread_x"),
            _ => return Err(format!("{x} threads for {rows} rows")),
        }
    }
    if facts.partials {
        schedule = schedule.rfactor("d1.i");
    }
    Ok((Some(schedule), block))
}

fn row_sum(facts: &Facts, [n, m]: [usize; 2]) -> Result<Vec<Case>, String> {
    let (schedule, block) = schedule_of(facts)?;
    let inputs = Mt19937::new(0).fill(Element::F32, n * m, 1.0);
    let program = |schedule: Option<Schedule>| {
        let mut host = Host::dynamic();
        let a = host.input("A", Element::F32, &[n, m], &inputs);
        let b = host.output("B", Element::F32, &[n], &sums(&inputs, m));
        host.within(0.0, facts.rtol);
        host.push(Reduce {
            kind: "sum",
            from: vec![a],
            into: vec![b],
            axes: vec![1],
            schedule,
            ..Reduce::default()
        });
        host.case()
    };
    // The first step has no schedule: the loops as they stand, and what is chosen here.
    let Some(schedule) = schedule else {
        let serial = program(Some(Schedule::new())).with_plan(|plan| {
            plan.expect_blocks(&[[1; 3]])?;
            plan.expect_grid(0, 1)
        });
        return Ok(vec![program(None), serial]);
    };
    let (factor, rows, partials) = (facts.reduce_factor, facts.block, facts.partials);
    let mut case = program(Some(schedule)).with_plan(move |plan| {
        match partials {
            true => plan.expect_blocks_and_another(&[block])?,
            false => plan.expect_blocks(&[block])?,
        }
        match rows {
            Some(1) => plan.expect_grid(0, "arg0.dim0")?,
            Some(rows) => plan.expect_grid(0, format!("ceildiv(arg0.dim0, {rows})"))?,
            None => plan.expect_grid(0, 1)?,
        }
        match factor.filter(|_| partials) {
            Some(factor) => plan.expect_temporaries(&[&[&factor.to_string(), "arg0.dim0"]]),
            None => plan.expect_temporaries(&[]),
        }
    });
    if let Some([_, x]) = facts.threads.filter(|[y, _]| *y > 1) {
        case = case.with_ptx("sm_90", move |ptx| {
            let shuffles = ptx.count("shfl.sync.bfly");
            let barriers = ptx.count("bar.sync") + ptx.count("barrier.sync");
            match (shuffles, barriers, ptx.has_shared()) {
                (n, 0, false) if n == x.ilog2() as usize => Ok(()),
                found => Err(format!("shuffles, barriers, shared memory: {found:?}")),
            }
        });
    }
    Ok(vec![case])
}

/// `Output[i, j]` is the sum of `Input[i + di, j + dj] * Filter[di, dj]`: as it stands, and with
/// loops bound, and the filter's written out.
fn convolution([n, m]: [usize; 2], [rows, columns]: [usize; 2]) -> Vec<Case> {
    let mut random = Mt19937::new(0);
    let image = random.fill(Element::F32, n * m, 1.0);
    let filter = random.fill(Element::F32, rows * columns, 1.0);
    let [height, width] = [n + 1 - rows, m + 1 - columns];
    let mut expected = Vec::new();
    for i in 0..height {
        for j in 0..width {
            let products = (0..rows * columns)
                .map(|at| image[(i + at / columns) * m + j + at % columns] * filter[at]);
            expected.push(products.sum());
        }
    }
    let bound = Schedule::new()
        .split("d1", 32)
        .bind("d0", "block_y")
        .bind("d1.o", "block_x")
        .bind("d1.i", "thread_x");
    [None, Some(Schedule::new()), Some(bound)]
        .into_iter()
        .map(|schedule| {
            let mut host = Host::dynamic();
            let input = host.input("Input", Element::F32, &[n, m], &image);
            let weights = host.known_input("Filter", Element::F32, &[rows, columns], &filter);
            let output = host.output("Output", Element::F32, &[height, width], &expected);
            host.within(0.0, 1e-5);
            host.push(Reduce {
                kind: "sum",
                from: vec![input, weights],
                into: vec![output],
                axes: vec![2, 3],
                maps: vec![
                    "(i, j, di, dj) -> (i + di, j + dj)",
                    "(i, j, di, dj) -> (di, dj)",
                    "(i, j, di, dj) -> (i, j)",
                ],
                schedule,
                element: region(
                    "%a: f32, %f: f32, %i: index, %j: index, %di: index, %dj: index",
                    &["%p = arith.mulf %a, %f : f32", "tile.yield %p : f32"],
                ),
                ..Reduce::default()
            });
            host.case()
        })
        .collect()
}

/// A combiner of the program's own, with its identity.
fn product(record: &Record, [n, m]: [usize; 2], rtol: f64) -> Result<Vec<Case>, String> {
    let identity = record.facts["identity"].as_f64().unwrap_or(1.0);
    let mut random = Mt19937::new(0);
    let inputs: Vec<f64> = (0..n * m)
        .map(|_| Element::F32.round(0.75 + random.uniform() / 2.0))
        .collect();
    let expected: Vec<f64> = inputs.chunks(m).map(|row| row.iter().product()).collect();
    let threads = Schedule::new()
        .split("d0", 8)
        .split("d1", 32)
        .bind("d0.o", "block_x")
        .bind("d0.i", "thread_y")
        .bind("d1.i", "thread_x");
    let partials = Schedule::new().split("d1", 16).rfactor("d1.i");
    Ok([None, Some(threads), Some(partials)]
        .into_iter()
        .map(|schedule| {
            let mut host = Host::dynamic();
            let a = host.input("A", Element::F32, &[n, m], &inputs);
            let b = host.output("B", Element::F32, &[n], &expected);
            host.within(0.0, rtol);
            host.push(Reduce {
                kind: "custom",
                from: vec![a],
                into: vec![b],
                axes: vec![1],
                identity: &format!("{identity:?} : f32"),
                combiner: region(
                    "%x: f32, %y: f32",
                    &["%p = arith.mulf %x, %y : f32", "tile.yield %p : f32"],
                ),
                schedule,
                ..Reduce::default()
            });
            host.case()
        })
        .collect())
}

/// A tuple of an index and a value, of which both are arguments. Where values are equal the lower
/// index wins, as it does for who keeps the left of the two and goes from left to right; so the
/// combiner may combine in any order.
fn largest(sizes: [usize; 2]) -> Vec<Case> {
    let threads = Schedule::new()
        .split("d0", 8)
        .split("d1", 32)
        .bind("d0.o", "block_x")
        .bind("d0.i", "thread_y")
        .bind("d1.i", "thread_x");
    let partials = Schedule::new().split("d1", 16).rfactor("d1.i");
    [None, Some(threads), Some(partials)]
        .into_iter()
        .flat_map(|schedule| {
            Pairs {
                kind: "argmax",
                shape: sizes,
                index: Element::I32,
                schedule,
                value_first: false,
                dynamic: true,
            }
            .all()
        })
        .collect()
}
