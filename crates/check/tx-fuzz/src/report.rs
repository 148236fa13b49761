//! Statistics of a fuzz run.

use crate::check::{Class, Outcome, kind_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, fs, io};

/// Counts of all outcomes.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Number of tested cases.
    pub cases: u64,
    /// Number of accepted cases.
    pub accepted: u64,
    /// Number of rejected test cases for each message of the compiler.
    pub refused: BTreeMap<String, u64>,
    /// Findings, by kind.
    pub findings: BTreeMap<String, Finding>,
    /// Number of failures that MLIR causes, by kind of failure; MLIR's own tools reproduce these
    /// failures.
    pub upstream: BTreeMap<String, u64>,
    /// Number of reductions per selected variant, in the compiled programs.
    pub variants: BTreeMap<String, u64>,
    /// Forced variant.
    pub forced: Option<String>,
    /// Number of skipped test cases. The fuzzer skips a test case if the forced variant applies to
    /// no reduction of its program.
    pub passed_over: u64,
    /// Duration and index of the slowest test case.
    pub slowest: Option<(Duration, u64)>,
}

/// Statistics of all test cases that have the same kind of finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// Number of cases.
    pub count: u64,
    /// Index of the first test case that the `Finding` counts.
    pub first: u64,
    /// Message of the first test case that the `Finding` counts; the message contains names from
    /// the program of the test case.
    pub said: String,
}

impl Summary {
    /// Creates an empty summary that lists the given variants. If a variant is forced, the summary
    /// lists only the forced variant.
    pub(crate) fn with_variants(
        names: impl IntoIterator<Item = &'static str>,
        forced: Option<String>,
    ) -> Self {
        // With a forced variant, other variants are not listed.
        let is_asked = |name: &&str| forced.as_deref().is_none_or(|forced| forced == *name);
        let names = names.into_iter().filter(is_asked);
        Self {
            variants: names.map(|name| (name.to_owned(), 0)).collect(),
            forced,
            ..Self::default()
        }
    }

    /// Counts a test case to which the forced variant does not apply.
    pub(crate) fn pass_over(&mut self) {
        self.passed_over += 1;
    }

    /// Records the duration of test case `index` if the test case is the slowest so far.
    pub(crate) fn time(&mut self, index: u64, time: Duration) {
        self.slowest = self.slowest.max(Some((time, index)));
    }

    pub(crate) fn count(&mut self, index: u64, outcome: &Outcome) {
        self.cases += 1;
        for name in &outcome.variants {
            *self.variants.entry(name.clone()).or_default() += 1;
        }
        let what = |said: &str| format!("{}: {said}", outcome.headline());
        let counts = match outcome.class {
            Class::Accepted => {
                self.accepted += 1;
                return;
            }
            Class::Refused => &mut self.refused,
            Class::Upstream => &mut self.upstream,
            _ => {
                let finding = self.findings.entry(outcome.kind()).or_default();
                finding.count += 1;
                // Processes finish in any order, so keep the lowest index.
                if finding.count == 1 || index < finding.first {
                    finding.first = index;
                    finding.said = what(outcome.message.lines().next().unwrap_or_default());
                }
                return;
            }
        };
        let what = match outcome.class {
            Class::Refused => format!("{}: {}", outcome.stage, kind_of(&outcome.message)),
            _ => outcome.kind(),
        };
        *counts.entry(what).or_default() += 1;
    }

    /// Returns whether the fuzz run has no findings.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

fn sorted(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut list: Vec<(&str, u64)> = counts.iter().map(|(what, n)| (what.as_str(), *n)).collect();
    list.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    list
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        for (name, count) in sorted(&self.variants) {
            let silent = if count == 0 {
                ": the variant is not tested"
            } else {
                ""
            };
            writeln!(f, "chosen {count}x {name}{silent}")?;
        }
        if let Some(forced) = &self.forced {
            let count = self.passed_over;
            writeln!(f, "skipped {count}x no reduction that {forced} supports")?;
        }
        for (title, counts) in [("refused", &self.refused), ("upstream", &self.upstream)] {
            for (what, count) in sorted(counts).into_iter().take(10) {
                writeln!(f, "{title} {count}x {what}")?;
            }
        }
        let mut findings: Vec<&Finding> = self.findings.values().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.count));
        for Finding { count, first, said } in findings {
            writeln!(f, "findings {count}x {said} (first in case {first})")?;
        }
        write!(
            f,
            "{} cases: {} accepted ({} %), {} refused, {} upstream's, {} findings",
            self.cases,
            self.accepted,
            100 * self.accepted / self.cases.max(1),
            sum(&self.refused),
            sum(&self.upstream),
            self.findings
                .values()
                .map(|finding| finding.count)
                .sum::<u64>()
        )
    }
}

/// Number of findings of each kind.
#[derive(Debug, Default)]
pub(crate) struct Findings(Mutex<BTreeMap<String, usize>>);

impl Findings {
    /// Counts a finding, and returns whether the finding should be saved.
    pub(crate) fn take(&self, kind: &str, most: usize) -> bool {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = kinds.entry(kind.to_owned()).or_default();
        *count += 1;
        *count <= most
    }
}

/// Directory to which the fuzzer writes findings; the fuzzer removes an empty directory at the end
/// of the run.
pub(crate) struct Folder {
    path: PathBuf,
    /// Set if the directory for findings existed before the run. The fuzzer does not remove a
    /// directory that existed before the run.
    was_there: bool,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let was_there = path.is_dir();
        fs::create_dir_all(path).map_err(|error| {
            let said = format!(
                "{}: the folder for findings cannot be made: {error}",
                path.display()
            );
            io::Error::new(error.kind(), said)
        })?;
        Ok(Self {
            path: path.to_owned(),
            was_there,
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.was_there {
            // A non-empty directory cannot be removed this way.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The summary does not depend on the order in which test cases finish. The summary counts how
    /// often each variant is selected in all programs together. The message of a finding contains
    /// names from the program. The message of a rejected program contains placeholders instead of
    /// names. Two wrong results of the same stage are findings of the same kind, even if the wrong
    /// values differ.
    #[test]
    fn what_is_chosen_is_counted_and_findings_keep_names() {
        let outcome = |class, message: &str, variants: &[&str]| Outcome {
            variants: variants.iter().map(|name| (*name).to_owned()).collect(),
            ..Outcome::new(class, "tile-expand-reduce", message)
        };
        let mut cases = vec![
            outcome(Class::Accepted, "", &["shuffle", "pairwise"]),
            outcome(Class::Wrong, "`@sums` of 3\nmore", &["pairwise"]),
            outcome(Class::Wrong, "`@rows`: [0] is -inf", &["sequential"]),
            outcome(Class::Refused, "`@rows` has 4", &[]),
        ];
        let told = |cases: &[(u64, Outcome)]| {
            let mut summary = Summary::with_variants(["parallel", "sequential", "shuffle"], None);
            for (index, outcome) in cases {
                summary.count(*index, outcome);
            }
            assert!(!summary.is_clean());
            summary.to_string()
        };
        let mut cases: Vec<_> = (5..).zip(cases.drain(..)).collect();
        let text = told(&cases);
        assert_eq!(
            text,
            "chosen 2x pairwise\n\
             chosen 1x sequential\n\
             chosen 1x shuffle\n\
             chosen 0x parallel: the variant is not tested\n\
             refused 1x tile-expand-reduce: `…` has N\n\
             findings 2x wrong in tile-expand-reduce: `@sums` of 3 (first in case 6)\n\
             4 cases: 1 accepted (25 %), 1 refused, 0 upstream's, 2 findings"
        );
        cases.reverse();
        assert_eq!(told(&cases), text);
    }

    /// If the fuzz run forces a variant, the summary counts the test cases to which the forced
    /// variant does not apply. The summary lists a variant other than the forced variant only if a
    /// program selects this variant.
    #[test]
    fn what_a_forced_variant_does_not_take_is_passed_over() {
        let mut summary = Summary::with_variants(["local", "shared"], Some("local".to_owned()));
        summary.pass_over();
        let none = "chosen 0x local: the variant is not tested\n\
                    skipped 1x no reduction that local supports\n\
                    0 cases: 0 accepted (0 %), 0 refused, 0 upstream's, 0 findings";
        assert_eq!(summary.to_string(), none);
        let variants = vec!["local".to_owned(), "redux".to_owned()];
        let outcome = Outcome {
            variants,
            ..Outcome::new(Class::Accepted, "", "")
        };
        summary.count(7, &outcome);
        assert_eq!(
            summary.to_string(),
            "chosen 1x local\n\
             chosen 1x redux\n\
             skipped 1x no reduction that local supports\n\
             1 cases: 1 accepted (100 %), 0 refused, 0 upstream's, 0 findings"
        );
    }
}
