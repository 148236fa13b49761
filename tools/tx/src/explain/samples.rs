//! Schedules for unit tests.

use tx_plan::{Candidate, Cost, ScheduleStep};

pub(super) fn cost(microseconds: f64) -> Cost {
    Cost {
        microseconds,
        bytes: 10.0,
        waves: 1.0,
        resident: 2048.0,
        memory: 1.0,
        latency: 2.0,
        instructions: 3.0,
    }
}

fn step(attribute: &str, words: &str, sort: &str) -> ScheduleStep {
    ScheduleStep {
        attribute: attribute.to_owned(),
        words: words.to_owned(),
        sort: sort.to_owned(),
    }
}

pub(super) fn split(dimension: u32, factor: u32) -> ScheduleStep {
    step(
        &format!("#tile.split<\"d{dimension}\" by {factor}>"),
        &format!("split d{dimension} by {factor}"),
        &format!("split d{dimension} by n"),
    )
}

pub(super) fn stream() -> ScheduleStep {
    step("#tile.stream", "stream", "stream")
}

pub(super) fn other(microseconds: f64, steps: Vec<ScheduleStep>) -> Candidate {
    Candidate {
        cost: cost(microseconds),
        cases: vec![(None, steps)],
    }
}
