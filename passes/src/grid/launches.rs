//! The kernels of one op, in the order in which they are launched.

use super::choose::choose_one;
use super::finish;
use super::job::Job;
use super::launch::{Last, Launch, Lengths};
use super::nest::Nest;
use super::partials::{Phases, allocate};
use super::plan::{Planned, nest_of, refuse, starts_first};
use super::steps::Case;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::CLEARED;
use tx_mlir::build::Predicate;
use tx_mlir::{Builder, Failed, Index, Op, Val, defining_op, set_attribute};

/// The kernels that a plan takes; those for some lengths in the branches of an `scf.if`, which stands in front of
/// the op. The lengths of a launch select one.
pub(crate) fn launches<'c>(
    planned: &Planned<'c>,
    clusters: bool,
) -> Result<Vec<Launch<'c>>, Failed> {
    let job = &planned.job;
    let (mut all, mut at) = (Vec::new(), job.op);
    // What no case so far takes.
    let mut left: Vec<(Lengths, Val<'c>)> = Vec::new();
    for (case, nest) in &planned.cases {
        let mut only: Vec<Lengths> = left.iter().map(|(lengths, _)| *lengths).collect();
        let mut otherwise = None;
        if planned.cases.len() > 1
            && let Some((dim, most)) = case.most
        {
            let b = Builder::before(at);
            let known = left.iter().position(|(lengths, _)| lengths.dim == dim);
            let i = known.unwrap_or_else(|| {
                let all = Lengths {
                    dim,
                    above: None,
                    most: None,
                };
                left.push((all, b.value(job.length(&b, dim))));
                only.push(all);
                left.len() - 1
            });
            only[i].most = Some(most);
            left[i].0.above = Some(most);
            let limit = b.value(Index::Const(most));
            let condition = b.compare(Predicate::Sle, left[i].1, limit);
            let [then, other] = b.branches(condition).map(|branch| branch.next_op());
            at = then.unwrap_or(at);
            otherwise = other;
        }
        for mut launch in of_case(job, case, nest, at, clusters)? {
            launch.only.clone_from(&only);
            all.push(launch);
        }
        match otherwise {
            Some(other) => at = other,
            None => break,
        }
    }
    Ok(all)
}

/// The kernels of one case, launched in front of `at`.
fn of_case<'c>(
    job: &Job<'c>,
    case: &Case,
    nest: &Nest,
    at: Op<'c>,
    clusters: bool,
) -> Result<Vec<Launch<'c>>, Failed> {
    let launch = |job: &Job<'c>, nest: &Nest, case: &Case| Launch {
        job: job.clone(),
        nest: nest.clone(),
        steps: case.steps.clone(),
        only: Vec::new(),
        last: None,
        at,
        ends: Vec::new(),
    };
    if nest.global_rfactors().is_empty() {
        let mut all = Vec::new();
        if starts_first(nest)
            && let Some(start) = job.start()
            && let Some(case) = choose_one(&start, clusters).pop()
        {
            let nest = nest_of(&start, &case)?;
            all.push(launch(&start, &nest, &case));
        }
        all.push(launch(job, nest, case));
        return Ok(all);
    }
    let b = Builder::before(at).located(job.op.location());
    let counters = nest.last_block.then(|| {
        let groups = finish::groups(nest).value(&b, &|b, d| job.length(b, d));
        let counters = allocate(&b, &[groups], b.int_type(64));
        if let Some(op) = defining_op(counters) {
            set_attribute(op, CLEARED, Attribute::unit(b.context()));
        }
        counters
    });
    let Some(phases) = Phases::of(&b, job, nest, case)? else {
        return Ok(Vec::new());
    };
    let first = nest_of(&phases.first, &phases.schedule)?;
    let mut all = vec![launch(&phases.first, &first, &phases.schedule)];
    match counters {
        None => {
            let second = choose_one(&phases.second, clusters);
            let second = Planned::of(phases.second, second, true)?;
            for (case, nest) in &second.cases {
                all.extend(of_case(&second.job, case, nest, at, clusters)?);
            }
        }
        Some(counters) => {
            let steps = finish::schedule(job, nest, &case.steps);
            let steps = steps.map_err(|illegal| refuse(job.op, illegal))?;
            let nest = nest_of(&phases.second, &Case::always(steps))?;
            all[0].steps.clone_from(&case.steps);
            all[0].last = Some(Last {
                job: phases.second,
                nest,
                counters,
            });
        }
    }
    if let Some(last) = all.last_mut() {
        last.ends.extend(phases.partials);
        last.ends.extend(counters);
    }
    Ok(all)
}
