//! Verdicts on all stages of a program.

use crate::verdict::Verdict;
use std::collections::BTreeSet;
use tx_mlir::codes;

/// Verdict on one stage.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Name of the pass, or `parse`, `laws` (combiner properties) or `launch`.
    pub name: String,
    /// Verdict.
    pub verdict: Verdict,
}

/// Verdicts on all stages of a program.
#[derive(Clone, Debug)]
pub struct Validation {
    /// Name of the validated function or kernel.
    pub entry: String,
    /// Target chip.
    pub chip: String,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Number of inputs that were skipped because of the work limit.
    pub left_out: usize,
    /// Number of inputs whose results were not compared, because their error bounds are infinite.
    pub open: usize,
    /// Kernels that are launched for no input that ran. The validation does not check these
    /// kernels.
    pub unlaunched: Vec<String>,
    /// Grid that the validation assumes if the user specifies no grid: `one block` or `one
    /// cluster`.
    pub assumed: Option<&'static str>,
    /// All stages, in order.
    pub stages: Vec<Stage>,
    /// Variant of each reduction, in program order.
    pub variants: Vec<String>,
}

impl Validation {
    /// Returns true if no stage failed and the last stage was compared with the input program.
    pub fn is_good(&self) -> bool {
        let ends = [self.stages.first(), self.stages.last()];
        let known = |stage: &Option<&Stage>| {
            stage.is_some_and(|s| !matches!(s.verdict, Verdict::Unsupported(_)))
        };
        ends.iter().all(known) && !self.stages.iter().any(|s| s.verdict.is_bad())
    }

    /// Returns true if no stage failed but the last stage was not compared with the input program.
    pub fn is_open(&self) -> bool {
        !self.is_good() && !self.stages.iter().any(|s| s.verdict.is_bad())
    }

    /// Returns the property that a `custom` combiner violates, with the location of the combiner.
    /// The result is `None` unless the first failed stage has a wrong result.
    pub fn blamed(&self) -> Option<&str> {
        matches!(self.guilty()?.verdict, Verdict::Wrong(_)).then_some(())?;
        let mut told = self.stages.iter().filter_map(|stage| match &stage.verdict {
            Verdict::Conditional(laws) => laws.first(),
            _ => None,
        });
        told.find(|laws| laws.contains(CUSTOM)).map(String::as_str)
    }

    /// Returns whether a combiner property fails for some values. If a combiner property fails for
    /// some values, the verdicts are valid only for the tested inputs.
    pub fn is_conditional(&self) -> bool {
        let mut verdicts = self.stages.iter().map(|stage| &stage.verdict);
        verdicts.any(|verdict| matches!(verdict, Verdict::Conditional(_)))
    }

    /// Returns whether the program has a `custom` combiner for which all tested properties hold.
    fn holds_custom(&self) -> bool {
        self.stages.iter().any(|stage| match &stage.verdict {
            Verdict::Hold(laws) => laws.contains(CUSTOM),
            _ => false,
        })
    }

    /// Returns a note on possible causes of a failure other than a bug in the first failed stage.
    pub fn note(&self) -> Option<&'static str> {
        let guilty = self.guilty()?;
        match &guilty.verdict {
            _ if self.blamed().is_some_and(|law| law.contains(NOT_NEUTRAL)) => Some(
                "schedules combine the identity in place of missing elements: the identity is \
                 wrong, unless such values do not occur in these inputs",
            ),
            _ if self.blamed().is_some() => Some(
                "schedules combine elements in other orders, and the identity in place of missing \
                 elements: the combiner is wrong, unless such values do not occur in these inputs",
            ),
            Verdict::Wrong(_) if self.holds_custom() => Some(
                "the algebraic properties of `custom` combiners are tested, not proved: a combiner \
                 that depends on the order of elements, or an identity that is not neutral, also \
                 changes the result",
            ),
            // The interpreter and the executor both report this code.
            Verdict::Fault {
                code: Some(codes::TX0806),
                ..
            } => Some("if the program terminates, raise the step limit with `tx validate --steps`"),
            Verdict::Race(_) if guilty.name != "parse" => Some(
                "`tile-insert-sync` inserts the barriers between two ops, so several threads \
                 access one byte in one op: let only one thread access it (for a `tile.reduce`, in \
                 its variant); `tx validate --synchronized` checks the barriers of the input \
                 program",
            ),
            _ => None,
        }
    }

    /// Returns the first failed stage.
    pub fn guilty(&self) -> Option<&Stage> {
        self.stages.iter().find(|s| s.verdict.is_bad())
    }
}

/// Name of the reduction kind whose combiner is a region.
const CUSTOM: &str = "custom";

/// Phrase in every message about an identity that is not neutral.
const NOT_NEUTRAL: &str = "the identity is not neutral";

/// Replaces the verdict on a stage by `AsBefore` if the stage repeats the error of an earlier
/// stage. After the first data race, all later data races count as repeated errors, although the
/// messages of the stages differ.
pub(crate) fn tell_once(stages: &mut [Stage]) {
    let mut wrong = None;
    let mut faults = BTreeSet::new();
    let mut has_race = false;
    for Stage { verdict, .. } in stages {
        match verdict {
            Verdict::Wrong(difference) if wrong.as_ref() == Some(difference) => {
                *verdict = Verdict::AsBefore
            }
            Verdict::Wrong(difference) => wrong = Some(difference.clone()),
            Verdict::Fault { what, .. } if !faults.insert(what.clone()) => {
                *verdict = Verdict::AsBefore
            }
            Verdict::Race(_) if has_race => *verdict = Verdict::AsBefore,
            Verdict::Race(_) => has_race = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that two stages with equal faults count as one error, even if a stage between these
    /// two stages has a different verdict.
    #[test]
    fn faults_are_told_once() {
        let fault = |what: &str| Verdict::Fault {
            what: what.to_owned(),
            code: None,
        };
        let verdicts = [
            Verdict::Equal,
            fault("one"),
            Verdict::AsBefore,
            fault("one"),
            fault("another"),
            fault("one"),
        ];
        let stage = |verdict: &Verdict| Stage {
            name: "a pass".to_owned(),
            verdict: verdict.clone(),
        };
        let mut stages: Vec<Stage> = verdicts.iter().map(stage).collect();
        tell_once(&mut stages);
        let told: Vec<String> = stages.iter().map(|s| s.verdict.to_string()).collect();
        let expected = [
            "equal",
            "FAULT: one",
            "as before",
            "as before",
            "FAULT: another",
            "as before",
        ];
        assert_eq!(told, expected);
    }
}
