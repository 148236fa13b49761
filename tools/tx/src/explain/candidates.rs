//! Lists of the alternative schedules of an op, as lines of text.

use tx_plan::{Candidate, Cost};

/// Maximum number of schedule kinds listed for one op.
const MAX_KINDS: usize = 5;

/// Returns the estimated time in µs, rounded to the printed precision.
pub(super) fn printed_time(cost: &Cost) -> f64 {
    (cost.microseconds * 10.0).round() / 10.0
}

/// Returns a line with the number of schedules that were not chosen, and the range of their
/// estimated times. The line recommends `tx tune` if the shortest estimated time is below `own`,
/// the estimated time of the chosen schedule.
pub(super) fn summary(others: &[Candidate], own: f64) -> Option<String> {
    let times: Vec<f64> = others
        .iter()
        .map(|other| printed_time(&other.cost))
        .collect();
    let least = times.iter().copied().reduce(f64::min)?;
    let most = times.iter().copied().reduce(f64::max)?;
    // The percentage is rounded up to 0.1 %.
    let apart = ((most / least - 1.0) * 1000.0).ceil().max(1.0) / 10.0;
    let text = match times.len() {
        1 => format!("1 other schedule, estimated at {least:.1} µs"),
        n if apart > 100.0 => {
            format!("{n} other schedules, estimated at {least:.1} to {most:.1} µs")
        }
        n => format!(
            "{n} other schedules, estimated at {least:.1} to {most:.1} µs, within {apart:.1} % of each other"
        ),
    };
    match times.iter().any(|time| *time < own) {
        false => Some(text),
        true => Some(format!(
            "{text}; a lower estimate does not imply a lower time: `tx tune` measures the times"
        )),
    }
}

/// Returns one line per kind of schedule, with the fastest candidate of the kind. The last line
/// contains the number of omitted candidates.
pub(super) fn kinds(others: &[Candidate]) -> Vec<String> {
    let mut kinds: Vec<(String, &Candidate)> = Vec::new();
    for other in others {
        let kind = other.sort();
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, best)) if printed_time(&other.cost) < printed_time(&best.cost) => {
                *best = other
            }
            Some(_) => {}
            None => kinds.push((kind, other)),
        }
    }
    let listed = kinds.iter().take(MAX_KINDS);
    let mut lines: Vec<String> = listed.map(|(_, best)| short(best)).collect();
    let left = others.len() - lines.len();
    if left > 0 {
        let others = match kinds.len().saturating_sub(MAX_KINDS) {
            0 => "with other numbers".to_owned(),
            1 => "and of 1 more kind".to_owned(),
            n => format!("and of {n} more kinds"),
        };
        lines.push(format!(
            "{left} more of these kinds {others}: `tx explain --candidates short` lists all"
        ));
    }
    lines
}

pub(super) fn short(other: &Candidate) -> String {
    format!("{:.1} µs: {}", other.cost.microseconds, other.words())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::samples::{other, split, stream};

    #[test]
    fn candidates_have_a_short_form() {
        let one = other(692.61, vec![split(0, 8), stream()]);
        assert_eq!(short(&one), "692.6 µs: split d0 by 8, stream");
        assert_eq!(summary(&[], 1.0), None);
        assert_eq!(
            summary(std::slice::from_ref(&one), 692.6).as_deref(),
            Some("1 other schedule, estimated at 692.6 µs")
        );
        let three = [one, other(692.7, Vec::new()), other(693.5, Vec::new())];
        assert_eq!(
            summary(&three, 692.7).as_deref(),
            Some(
                "3 other schedules, estimated at 692.6 to 693.5 µs, within 0.2 % of each other; a \
                 lower estimate does not imply a lower time: `tx tune` measures the times"
            )
        );
    }

    #[test]
    fn candidates_of_one_kind_share_a_line() {
        let others = [
            other(3.0, vec![split(0, 8), stream()]),
            other(5.0, vec![split(1, 8)]),
            other(2.0, vec![split(0, 16), stream()]),
            other(2.5, vec![split(0, 32), stream()]),
        ];
        assert_eq!(
            kinds(&others),
            [
                "2.0 µs: split d0 by 16, stream",
                "5.0 µs: split d1 by 8",
                "2 more of these kinds with other numbers: `tx explain --candidates short` lists all"
            ]
        );
        assert_eq!(kinds(&others[1..3]).len(), 2);
        let many: Vec<Candidate> = (0..8).map(|dim| other(1.0, vec![split(dim, 8)])).collect();
        assert_eq!(
            kinds(&many).last().map(String::as_str),
            Some(
                "3 more of these kinds and of 3 more kinds: `tx explain --candidates short` lists \
                 all"
            )
        );
    }
}
