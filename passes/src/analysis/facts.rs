//! Facts: known properties of a value in each thread.

use crate::analysis::classes::Class;
use std::rc::Rc;
use tx_dialect_tile::Scope;

/// Minimum and maximum of a value in one thread.
pub(crate) type Range = (i64, i64);

/// Known properties of a value in each thread.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Widest scope in which one execution of the defining op yields the same value in all
    /// executing threads.
    pub(crate) same: Scope,
    /// Range of the value in each thread; `None` if unknown.
    pub(crate) ranges: Option<Rc<[Range]>>,
    /// Congruence class of the value in each thread; `None` if only the ranges are known.
    pub(super) classes: Classes,
}

/// Congruence classes of a value, one for each thread; `None` if each class contains all integers.
pub(super) type Classes = Option<Rc<[Class]>>;

impl Fact {
    pub(super) fn unknown(same: Scope) -> Self {
        Self {
            same,
            ranges: None,
            classes: None,
        }
    }

    pub(super) fn with_classes(mut self, classes: Classes) -> Self {
        self.classes = classes;
        self
    }

    /// Returns the congruence classes of the value, one for each thread; `None` if each class
    /// contains all integers.
    pub(crate) fn classes(&self) -> Classes {
        let exact = || Some(self.exact()?.into_iter().map(Class::exactly).collect());
        self.classes.clone().or_else(exact)
    }

    /// Returns the value in each thread; `None` unless the value is known exactly in all threads.
    pub(crate) fn exact(&self) -> Option<Vec<i64>> {
        self.ranges
            .as_ref()?
            .iter()
            .map(|(lo, hi)| (lo == hi).then_some(*lo))
            .collect()
    }
}

/// Applies `combine` to the congruence classes of two values, separately for each thread. Returns
/// `None` if each resulting class contains all integers.
pub(super) fn combined(
    left: &Fact,
    right: &Fact,
    combine: impl Fn(Class, Class) -> Class,
) -> Classes {
    let (left, right) = (left.classes(), right.classes());
    let count = left.as_ref().or(right.as_ref())?.len();
    let of = |classes: &Classes, t: usize| classes.as_ref().map_or(Class::ANY, |all| all[t]);
    let all: Rc<[Class]> = (0..count)
        .map(|t| combine(of(&left, t), of(&right, t)))
        .collect();
    Some(all).filter(|all| all.iter().any(|class| *class != Class::ANY))
}

/// Returns, for each thread, the smallest congruence class that contains all values that `left` or
/// `right` permits.
pub(super) fn either(left: &Fact, right: &Fact) -> Classes {
    combined(left, right, Class::join)
}
