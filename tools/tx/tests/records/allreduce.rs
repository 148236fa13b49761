//! Reductions by the threads of one block, from global memory: which loops are bound to which
//! threads, and how these must exchange what they have.
//!
//! Reduced dimensions are on the threads that the record says reduce, innermost first, and the
//! others likewise on the threads that are left. A dimension that is longer than its threads goes on
//! in each thread; one that is shorter is guarded. What has no threads of its own is a loop around
//! it all, or, where the record says how many blocks there are, these blocks.

use std::collections::BTreeMap;

use crate::Record;
use crate::case::Case;
use crate::element::{Element, Mt19937};
use crate::host::{Host, Reduce, Schedule};
use crate::intrinsics::WARP;
use crate::ptx::Ptx;
use crate::view::{Reference, View, pick, reduced_dimensions};

const AXES: [char; 3] = ['x', 'y', 'z'];

/// Threads of a block, and who of them combines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups {
    pub(crate) block: [usize; 3],
    /// Axes along which the threads of one group lie.
    pub(crate) along: [bool; 3],
    /// Results that each group has, one after the other.
    pub(crate) rounds: usize,
}

/// What a record says, whichever suite it is from.
struct Work<'a> {
    source: &'a [usize],
    destination: &'a [usize],
    reduced: Vec<bool>,
}

impl<'a> Work<'a> {
    fn of(record: &'a Record) -> Result<Self, String> {
        let work = match record.shapes.as_slice() {
            [] => Self {
                source: &record.src_shape,
                destination: &record.dst_shape,
                reduced: reduced_dimensions(&record.axes, record.src_shape.len())?,
            },
            [source, destination] => Self {
                source,
                destination,
                reduced: left_out(source, destination)?,
            },
            other => return Err(format!("{} shapes, expected 2", other.len())),
        };
        if pick(work.source, &work.reduced, false) != work.destination {
            return Err(format!(
                "{:?} is not what is left of {:?}",
                work.destination, work.source
            ));
        }
        Ok(work)
    }
}

/// Dimensions of a source that a destination has not, the last ones where several could be meant.
fn left_out(source: &[usize], destination: &[usize]) -> Result<Vec<bool>, String> {
    let mut left = destination.iter().peekable();
    let reduced = source
        .iter()
        .map(|extent| left.next_if_eq(&extent).is_none())
        .collect();
    match left.next() {
        None => Ok(reduced),
        Some(extent) => Err(format!(
            "no dimension of {source:?} is the {extent} of {destination:?}"
        )),
    }
}

pub(crate) fn allreduce_case(record: &Record) -> Result<Case, String> {
    let work = Work::of(record)?;
    let (schedule, groups) = schedule(record, &work)?;
    check_class(record, &groups)?;
    let element = match record.dtype.as_str() {
        "" => Element::F32,
        dtype => Element::parse(dtype)?,
    };
    let inputs = inputs(&record.op, element, work.source.iter().product());
    let results: usize = work.destination.iter().product();
    let old: Vec<f64> = inputs.iter().copied().cycle().take(results).collect();
    let mut expected = old.clone();
    Reference {
        op: &record.op,
        accumulate: record.accum,
        element,
        source: &View::whole(work.source),
        reduced: &work.reduced,
        destination: &View::whole(work.destination),
    }
    .apply(&inputs, &mut expected)?;

    let mut host = Host::new();
    let a = host.input("A", element, work.source, &inputs);
    let b = match record.accum {
        true => host.output_onto("B", element, work.destination, &old, &expected),
        false => host.output("B", element, work.destination, &expected),
    };
    let (atol, rtol) = tolerance(record, element);
    host.within(atol, rtol);
    let axes = (0..).zip(&work.reduced).filter(|(_, r)| **r);
    host.push(Reduce {
        kind: &record.op,
        from: vec![a],
        into: vec![b],
        axes: axes.map(|(axis, _)| axis).collect(),
        accumulate: record.accum,
        schedule: Some(schedule),
        ..Reduce::default()
    });
    let blocks = record.grid.unwrap_or(1);
    Ok(host
        .case()
        .with_plan(move |plan| {
            plan.expect_blocks(&[groups.block])?;
            plan.expect_grid(0, blocks)
        })
        .with_ptx("sm_90", exchange(groups, words(element))))
}

/// `uniform[0,1)`, negated for `max`: then nothing that a thread may start from is larger by chance.
/// Products stay near 1, and are of signs where elements are integers.
fn inputs(op: &str, element: Element, count: usize) -> Vec<f64> {
    let mut random = Mt19937::new(0);
    (0..count)
        .map(|_| {
            let number = random.uniform();
            element.round(match (op, element.is_float()) {
                ("max", true) => -number,
                ("prod", true) => 0.75 + number / 2.0,
                (_, true) => number,
                ("max", false) => -(100.0 * number).floor() - 1.0,
                ("prod", false) => 1.0 - 2.0 * number.round(),
                (_, false) => (100.0 * number).floor(),
            })
        })
        .collect()
}

/// Shuffles that one value takes; none where there may be an instruction for the whole warp instead.
fn words(element: Element) -> Option<usize> {
    element.is_float().then(|| element.size().div_ceil(4))
}

/// What the record says, but never less than what the order of operations and the last rounding
/// can change.
fn tolerance(record: &Record, element: Element) -> (f64, f64) {
    let rounding = match (element, record.op.as_str()) {
        (Element::F16, _) => 1e-3,
        (Element::BF16, _) => 1e-2,
        (Element::F32, "prod") => 1e-5,
        (Element::F32, _) => 1e-6,
        _ => 0.0,
    };
    (record.atol, record.rtol.unwrap_or(0.0).max(rounding))
}

/// The schedule, and who combines.
fn schedule(record: &Record, work: &Work<'_>) -> Result<(Schedule, Groups), String> {
    let threads = threads(&record.block_dim)?;
    let letters = reducing(record)?;
    let along = AXES.map(|axis| letters.contains(&axis));
    let available = |wanted: bool| {
        let all = AXES.iter().zip(threads).zip(along);
        all.filter(|((axis, _), along)| {
            *along == wanted && record.block_dim.contains_key(&axis.to_string())
        })
        .map(|((axis, threads), _)| (*axis, threads))
        .collect::<Vec<_>>()
    };
    let mut schedule = Schedule::new();
    let (mut rounds, mut left) = (1, Vec::new());
    for wanted in [true, false] {
        let mut axes = available(wanted).into_iter();
        let mut dimensions: Vec<usize> = (0..work.source.len())
            .filter(|d| work.reduced[*d] == wanted)
            .rev()
            .collect();
        // The outermost dimension that has threads takes all axes that are left.
        let bound = axes.len().min(dimensions.len());
        for (place, dimension) in dimensions.drain(..bound).enumerate() {
            let mine: Vec<(char, usize)> = match place + 1 == bound {
                true => axes.by_ref().collect(),
                false => axes.by_ref().take(1).collect(),
            };
            let extent = work.source[dimension];
            schedule = schedule.over_threads(&format!("d{dimension}"), extent, &mine);
            if !wanted {
                let threads: usize = mine.iter().map(|(_, threads)| threads).product();
                rounds *= extent.div_ceil(threads);
            }
        }
        if !wanted {
            left = dimensions;
        }
        if axes.any(|(_, threads)| threads > 1) {
            return Err("more axes of threads than dimensions".to_owned());
        }
    }
    if record.grid.is_some() {
        left.reverse();
        let names: Vec<String> = left.iter().map(|d| format!("d{d}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        schedule = match names.as_slice() {
            [] => schedule,
            [one] => schedule.bind(one, "block_x"),
            all => schedule.fuse(all, "blocks").bind("blocks", "block_x"),
        };
    } else {
        rounds *= left.iter().map(|d| work.source[*d]).product::<usize>();
    }
    let groups = Groups {
        block: threads,
        along,
        rounds,
    };
    Ok((schedule, groups))
}

fn threads(block_dim: &BTreeMap<String, usize>) -> Result<[usize; 3], String> {
    if let Some(other) = block_dim
        .keys()
        .find(|name| !["x", "y", "z"].contains(&name.as_str()))
    {
        return Err(format!("threads along `{other}`"));
    }
    Ok(AXES.map(|axis| block_dim.get(&axis.to_string()).copied().unwrap_or(1)))
}

/// The axes whose threads combine.
fn reducing(record: &Record) -> Result<Vec<char>, String> {
    let bound = record.reduce_axis_binding.as_ref();
    let names = bound
        .iter()
        .map(|name| name.trim_start_matches("threadIdx."));
    let all: Vec<&str> = names
        .chain(record.reduce_threads.iter().map(String::as_str))
        .collect();
    all.iter()
        .map(|name| match name.chars().collect::<Vec<_>>().as_slice() {
            [axis] if AXES.contains(axis) => Ok(*axis),
            _ => Err(format!("a reduction on `{name}`")),
        })
        .collect()
}

impl Groups {
    /// The members of each group, as numbers of threads.
    fn members(&self) -> Vec<Vec<usize>> {
        let [x, y, z] = self.block;
        let mut groups: BTreeMap<[usize; 3], Vec<usize>> = BTreeMap::new();
        for thread in 0..x * y * z {
            let mut place = [thread % x, thread / x % y, thread / (x * y)];
            for (coordinate, along) in place.iter_mut().zip(self.along) {
                if along {
                    *coordinate = 0;
                }
            }
            groups.entry(place).or_default().push(thread);
        }
        groups.into_values().collect()
    }

    fn width(&self) -> usize {
        let all = self.block.iter().zip(self.along);
        all.filter(|(_, along)| *along).map(|(n, _)| n).product()
    }

    /// Whether each has all of its members in one warp.
    pub(crate) fn within_warps(&self) -> bool {
        self.members()
            .iter()
            .all(|members| members.iter().all(|m| m / WARP == members[0] / WARP))
    }
}

/// Compares what the record says about the way values are exchanged with the threads it has.
fn check_class(record: &Record, groups: &Groups) -> Result<(), String> {
    let expect = record
        .expect
        .as_ref()
        .and_then(|e| e.as_str())
        .unwrap_or("");
    let path = record.lowering_path_cuda.as_deref().unwrap_or("");
    let width = groups.width();
    let single =
        path == "warp_shuffle_single" || expect == "shuffle" || expect.contains("sub-warp");
    let several = path == "warp_shuffle_two_level" || expect.contains("two-level");
    let warps = crate::facts::scan("# warps", expect);
    let wrong = single && !groups.within_warps()
        || several && groups.within_warps()
        || expect.contains("sub-warp") && width >= WARP
        || warps.is_some_and(|warps| warps != [width / WARP]);
    match wrong {
        true => Err(format!("{groups:?} do not exchange by `{path}{expect}`")),
        false => Ok(()),
    }
}

/// What threads must do: in one warp they shuffle, without shared memory or barriers; in several
/// they meet at a barrier, or at two, for each result. Shuffles are counted where a value takes so
/// many `words`.
pub(crate) fn exchange(
    groups: Groups,
    words: Option<usize>,
) -> impl Fn(&Ptx<'_>) -> Result<(), String> + Send + Sync + 'static {
    move |ptx| {
        let rounds = groups.rounds;
        let width = groups.width();
        let trace = ptx.trace([0; 3], groups.block)?;
        let barriers = trace.barriers.len();
        let within = groups.within_warps();
        match (within, barriers, ptx.has_shared()) {
            (true, 0, false) => {}
            (true, ..) => {
                return Err(format!(
                    "{barriers} barriers within warps, or shared memory"
                ));
            }
            (false, n, true) if (1..=2 * rounds).contains(&n) => {}
            (false, ..) => {
                return Err(format!(
                    "{barriers} barriers for {rounds} results of several warps"
                ));
            }
        }
        if within
            && width.is_power_of_two()
            && let Some(words) = words
        {
            let found = trace.butterflies.len();
            if found != width.ilog2() as usize * rounds * words {
                return Err(format!(
                    "{found} shuffles for {rounds} results of {width} lanes"
                ));
            }
        }
        Ok(())
    }
}
