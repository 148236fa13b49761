//! Functions that list the candidate schedules of reductions, and that write selected schedules
//! into the program.

use crate::error::{Error, ErrorKind};
use crate::position::line_column;
use melior::ir::Module;
use tx_mlir::{
    Op, Session, attribute, elements, enclosing, float_bits, name, remove_attribute, set_attribute,
    string_attribute, top, walk,
};

/// Reduction with its candidate schedules.
#[derive(Debug, Clone)]
pub struct Tunable {
    /// Name of the function that contains the op.
    pub function: String,
    /// Name of the op.
    pub op: String,
    /// Source position of the op, if known.
    pub place: Option<tx_plan::LineColumn>,
    /// Candidate schedules; the first candidate is the default schedule.
    pub candidates: Vec<Candidate>,
    /// Name of the GPU for which [`Candidate::microseconds`] is estimated. In addition to the GPU
    /// name, `estimated_for` contains the sizes that the time estimates assume for dynamic
    /// dimensions.
    pub estimated_for: String,
}

/// Candidate schedule of a reduction.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Text of the attribute `schedule`.
    pub schedule: String,
    /// Estimated execution time in microseconds, for the sizes of dynamic dimensions in
    /// [`Tunable::estimated_for`].
    pub microseconds: f64,
}

/// Runs the pass `tile-list-candidates`, and returns the ops with candidate schedules. The function
/// then removes from each op the attribute that contains the candidate schedules. Returns `None` if
/// the pass fails.
pub(crate) fn tunables<'c>(
    session: &Session,
    module: &'c mut Module<'_>,
    chip: &str,
) -> Option<Vec<(Op<'c>, Tunable)>> {
    let pass = format!("tile-list-candidates{{chip={chip}}}");
    if !session.run(module, &pass) {
        // The error is discarded here, because the next pass reports it again.
        session.take_diagnostics();
        return None;
    }
    let mut found = Vec::new();
    for op in walk(top(module)) {
        let Some(listed) = attribute(op, tx_passes::CANDIDATES) else {
            continue;
        };
        let mut candidates = elements(listed).unwrap_or_default().into_iter();
        let estimated_for = candidates.next().map(|text| text.to_string());
        let candidates = candidates.filter_map(|candidate| {
            let [schedule, microseconds] = elements(candidate)?.try_into().ok()?;
            Some(Candidate {
                schedule: schedule.to_string(),
                microseconds: f64::from_bits(float_bits(microseconds)?),
            })
        });
        let function = enclosing(op, "func.func")
            .and_then(|function| string_attribute(function, "sym_name"))
            .unwrap_or_default();
        let tunable = Tunable {
            function,
            op: name(op).to_owned(),
            place: line_column(op),
            candidates: candidates.collect(),
            estimated_for: estimated_for
                .unwrap_or_default()
                .trim_matches('"')
                .to_owned(),
        };
        remove_attribute(op, tx_passes::CANDIDATES);
        found.push((op, tunable));
    }
    Some(found)
}

/// Sets the attribute `schedule` of each op for which a schedule is selected.
pub(crate) fn write_schedules(
    session: &Session,
    tunables: &[(Op<'_>, Tunable)],
    schedules: &[Option<String>],
) -> Result<(), Error> {
    let (found, most) = (schedules.len(), tunables.len());
    if found > most {
        let message = format!(
            "found {found} schedules, expected at most {most}: one for each reduction that `candidates` lists"
        );
        return Err(Error::plain(ErrorKind::Schedule, message));
    }
    for (i, ((op, _), schedule)) in tunables.iter().zip(schedules).enumerate() {
        let Some(schedule) = schedule else { continue };
        let parsed = session.parse_attribute(&format!("schedule {i}"), schedule);
        let parsed = parsed.ok_or_else(|| {
            let fallback = format!("schedule {i} is not an attribute: `{schedule}`");
            Error::reported(ErrorKind::Schedule, session.take_diagnostics(), &fallback)
        })?;
        if elements(parsed).is_none() {
            let message = format!(
                "schedule {i} is `{parsed}`, expected a list of steps, as `[#tile.split<\"d0\" by 32>]`"
            );
            return Err(Error::plain(ErrorKind::Schedule, message));
        }
        set_attribute(*op, "schedule", parsed);
    }
    Ok(())
}
