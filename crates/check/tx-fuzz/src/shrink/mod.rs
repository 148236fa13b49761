//! Reduction of a failing test case to a smaller test case with the same kind of failure.

mod host;
mod kernel;
mod operands;
mod rows;

use crate::check::Outcome;
use crate::description::{Case, Program};
use crate::shrink::host::hosts;
use crate::shrink::kernel::kernels;
use crate::shrink::rows::smaller_rows;
use std::io;
use std::time::Instant;

/// Returns the smallest failing test case that the function finds before the time `stop`.
pub(crate) fn shrink(
    case: Case,
    outcome: &Outcome,
    stop: Instant,
    check: &mut dyn FnMut(&Case) -> io::Result<Outcome>,
) -> io::Result<(Case, Outcome)> {
    let mut best = (case, outcome.clone());
    let mut at = 0;
    // The loop terminates, because each candidate is smaller in one property and larger in no
    // property.
    loop {
        let candidates = smaller(&best.0);
        let mut found = None;
        for step in 0..candidates.len() {
            if Instant::now() > stop {
                return Ok(best);
            }
            // Resume at the index of the last success, because the candidates before this index
            // failed recently.
            let place = (at + step) % candidates.len();
            let candidate = &candidates[place];
            if *candidate == best.0 || candidate.text().is_err() {
                continue;
            }
            let outcome = check(candidate)?;
            if outcome.is_like(&best.1) {
                found = Some((candidate.clone(), outcome));
                at = place;
                break;
            }
        }
        match found {
            Some(better) => best = better,
            None => return Ok(best),
        }
    }
}

/// Returns modified copies of the test case. In each copy, one property is smaller, such as the
/// shape or the number of ops.
fn smaller(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut push = |program: Program| {
        all.push(Case {
            program,
            ..case.clone()
        });
    };
    match &case.program {
        Program::Kernel(kernel) => kernels(kernel)
            .into_iter()
            .map(Program::Kernel)
            .for_each(&mut push),
        Program::Host(host) => hosts(host)
            .into_iter()
            .map(Program::Host)
            .for_each(&mut push),
        Program::Rows(rows) => smaller_rows(rows)
            .into_iter()
            .map(Program::Rows)
            .for_each(&mut push),
    }
    if case.chip != "sm_80" {
        all.push(Case {
            chip: "sm_80".to_owned(),
            ..case.clone()
        });
    }
    if case.seed != 0 {
        all.push(Case {
            seed: 0,
            ..case.clone()
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Class;
    use crate::combine::{Combine, Kind};
    use crate::description::{KernelOp, Source, View};
    use crate::element::Element;
    use crate::generate;
    use std::time::Duration;

    /// Returns whether a kernel computes the maximum of more than one element along some dimension.
    fn has_maximum(case: &Case) -> bool {
        let Program::Kernel(kernel) = &case.program else {
            return false;
        };
        let is = |at: usize| match &kernel.work[at].op {
            KernelOp::Reduce(op) => {
                op.combine.kind == Kind::Max
                    && kernel
                        .seen(at)
                        .is_ok_and(|shape| op.axes.iter().any(|axis| shape[*axis] > 1))
            }
            _ => false,
        };
        (0..kernel.work.len()).any(is)
    }

    /// The shrinker removes every part of a test case that does not affect the failure.
    #[test]
    fn what_goes_wrong_is_all_that_is_left() {
        let mut tried = 0;
        for case in (0..2000)
            .map(|index| generate(7, index, None))
            .filter(has_maximum)
        {
            let wrong = Outcome::new(Class::Wrong, "a-pass", "");
            let stop = Instant::now() + Duration::from_secs(60);
            let mut check = |case: &Case| {
                Ok(match has_maximum(case) {
                    true => wrong.clone(),
                    false => Outcome::new(Class::Accepted, "", ""),
                })
            };
            let (small, outcome) = shrink(case, &wrong, stop, &mut check).unwrap();
            assert_eq!(outcome, wrong);
            let Program::Kernel(kernel) = &small.program else {
                panic!("{small:?}");
            };
            let [work] = &kernel.work[..] else {
                panic!("{kernel:?}");
            };
            let KernelOp::Reduce(op) = &work.op else {
                panic!("{work:?}");
            };
            let Source::Fresh(tile) = &op.source else {
                panic!("{op:?}");
            };
            assert_eq!(tile.shape, [2], "{small:?}");
            assert_eq!(tile.view, View::default(), "{small:?}");
            assert_eq!(op.combine, Combine::plain(Kind::Max, Element::F32));
            assert_eq!((small.chip.as_str(), small.seed), ("sm_80", 0));
            tried += 1;
            if tried == 20 {
                return;
            }
        }
        panic!("only {tried} maxima");
    }
}
