//! What a run found, in numbers.

use crate::check::{Class, Outcome, kind_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fmt, fs, io};

/// How often each thing happened.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases that were tried.
    pub cases: u64,
    /// Cases that passed.
    pub accepted: u64,
    /// Cases that were refused, by what was said.
    pub refused: BTreeMap<String, u64>,
    /// Cases in which something is wrong, by what.
    pub findings: BTreeMap<String, u64>,
    /// What is wrong in MLIR itself, and as wrong in its own tools.
    pub upstream: BTreeMap<String, u64>,
}

impl Summary {
    pub(crate) fn count(&mut self, outcome: &Outcome) {
        self.cases += 1;
        let counts = match outcome.class {
            Class::Accepted => {
                self.accepted += 1;
                return;
            }
            Class::Refused => &mut self.refused,
            Class::Upstream => &mut self.upstream,
            _ => &mut self.findings,
        };
        let what = match outcome.class {
            Class::Refused => format!("{}: {}", outcome.stage, kind_of(&outcome.message)),
            _ => format!("{}: {}", outcome.headline(), kind_of(&outcome.message)),
        };
        *counts.entry(what).or_default() += 1;
    }

    /// Adds what another run found.
    pub fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.accepted += other.accepted;
        for (to, from) in [
            (&mut self.refused, other.refused),
            (&mut self.findings, other.findings),
            (&mut self.upstream, other.upstream),
        ] {
            for (what, count) in from {
                *to.entry(what).or_default() += count;
            }
        }
    }

    /// Whether nothing has to be mended.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

/// The most frequent first.
fn sorted(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut list: Vec<(&str, u64)> = counts.iter().map(|(what, n)| (what.as_str(), *n)).collect();
    list.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    list
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        for (title, counts, most) in [
            ("refused", &self.refused, 10),
            ("upstream", &self.upstream, 10),
            ("findings", &self.findings, usize::MAX),
        ] {
            for (what, count) in sorted(counts).into_iter().take(most) {
                writeln!(f, "{title} {count}x {what}")?;
            }
        }
        write!(
            f,
            "{} cases: {} accepted ({} %), {} refused, {} upstream's, {} findings",
            self.cases,
            self.accepted,
            100 * self.accepted / self.cases.max(1),
            sum(&self.refused),
            sum(&self.upstream),
            sum(&self.findings)
        )
    }
}

/// How many findings of each kind were kept.
#[derive(Debug, Default)]
pub(crate) struct Findings(Mutex<BTreeMap<String, usize>>);

impl Findings {
    /// Whether another one of this kind is to be kept.
    pub(crate) fn take(&self, kind: &str, most: usize) -> bool {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = kinds.entry(kind.to_owned()).or_default();
        *count += 1;
        *count <= most
    }
}

/// The folder for findings, which is there as long as there is something in it.
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether somebody made it before: it is theirs, empty or not.
    was_there: bool,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let was_there = path.is_dir();
        fs::create_dir_all(path)?;
        Ok(Self {
            path: path.to_owned(),
            was_there,
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.was_there {
            // A folder with something in it stays.
            let _ = fs::remove_dir(&self.path);
        }
    }
}
