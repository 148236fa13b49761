//! A conflict is a pair of threads that may access the same element.

use crate::analysis::access::Access;
use crate::analysis::classes::common_divisor;
use crate::analysis::facts::Range;
use crate::analysis::indices::{ANYWHERE, Span};
use crate::analysis::kernel::{WARP_SIZE, WARPGROUP};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Kinds of thread pairs in which the two threads may access the same element: threads of one warp,
/// of two warps, or of two warpgroups.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub(crate) between_warpgroups: bool,
    pub(crate) between_warps: bool,
    pub(crate) within_warp: bool,
}

impl Conflict {
    const BETWEEN_ALL: Self = Self {
        between_warpgroups: true,
        between_warps: true,
        within_warp: true,
    };

    pub(crate) fn is_possible(self) -> bool {
        self.between_warpgroups || self.between_warps || self.within_warp
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            between_warpgroups: self.between_warpgroups || other.between_warpgroups,
            between_warps: self.between_warps || other.between_warps,
            within_warp: self.within_warp || other.within_warp,
        }
    }
}

impl Access<'_> {
    /// Returns the kinds of thread pairs in which the access `self` of one thread conflicts with
    /// the access `other` of the other thread.
    pub(crate) fn conflict(&self, other: &Self) -> Conflict {
        let budget = &mut ComparisonBudget::unlimited();
        Compared::new(self).conflict(&Compared::new(other), budget)
    }

    /// Returns a copy of the access with unknown indices: each thread may access any element.
    pub(crate) fn anywhere(&self) -> Self {
        Self {
            indices: self.indices.iter().map(|_| None).collect(),
            ..self.clone()
        }
    }

    /// Returns the indices that each thread may access, sorted by the key `by`.
    fn parts(&self, by: Option<Order>) -> Vec<Part<'_>> {
        let mut parts: Vec<Part<'_>> = Vec::new();
        for thread in self.by.iter() {
            let place = self.place(thread);
            let along = |by: Order| Some(by.along(place?));
            let all = by.and_then(along).unwrap_or([Some(ANYWHERE), None]);
            parts.extend(all.into_iter().flatten().map(|along| Part {
                thread,
                along,
                place,
            }));
        }
        parts.sort_by_key(|p| (p.along, p.thread));
        parts
    }

    /// Returns the indices that one thread may access; `None` if the indices are unknown.
    fn place(&self, thread: i64) -> Option<&[Span]> {
        self.indices.get(usize::try_from(thread).ok()?)?.as_deref()
    }

    /// Returns whether the known indices of both accesses overlap in at least one thread.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.of_op.memory == other.of_op.memory
            && self.by.iter().any(|thread| {
                let at = |access: &Self| {
                    let thread = usize::try_from(thread).ok()?;
                    access.indices.get(thread)?.clone()
                };
                matches!((at(self), at(other)), (Some(a), Some(b)) if overlap(Some(&a), Some(&b)))
            })
    }
}

/// An access with cached sort keys, for comparison with other accesses.
///
/// Two accesses are sorted by the key with the most distinct values, so that each thread of one
/// access is compared with few threads of the other access.
pub(crate) struct Compared<'a, 'c> {
    access: &'a Access<'c>,
    /// Greatest common divisor of the moduli of the congruence classes of all threads, for each
    /// dimension.
    divisors: Vec<i64>,
    /// Cache of sorted indices, by sort key.
    sorted: RefCell<BTreeMap<Option<Order>, Rc<Sorted<'a>>>>,
}

/// Indices of all threads, sorted by one key, and the number of distinct key values.
struct Sorted<'a> {
    parts: Vec<Part<'a>>,
    distinct: usize,
}

impl<'a, 'c> Compared<'a, 'c> {
    pub(crate) fn new(access: &'a Access<'c>) -> Self {
        let places = || access.indices.iter().flatten();
        let rank = places().next().map_or(0, Vec::len);
        let classes = |dimension: usize| {
            places().filter_map(move |place| place.get(dimension).map(|span| span.class))
        };
        let divisor =
            |dimension| classes(dimension).fold(0, |divisor, class| class.divisor(divisor));
        Self {
            access,
            divisors: (0..rank).map(divisor).collect(),
            sorted: RefCell::default(),
        }
    }

    /// Returns the kinds of thread pairs in which both threads may access the same element. Returns
    /// all kinds of thread pairs if more than `budget` comparisons are necessary.
    pub(crate) fn conflict(&self, other: &Self, budget: &mut ComparisonBudget) -> Conflict {
        let by = self.sort_key(other);
        find_conflict(&self.sorted(by).parts, &other.sorted(by).parts, budget)
    }

    /// Returns the sort key with the most distinct values in both accesses.
    fn sort_key(&self, other: &Self) -> Option<Order> {
        let rank = Some(self.divisors.len()).filter(|rank| *rank == other.divisors.len())?;
        let dimensions = || 0..rank;
        let classes = dimensions().filter_map(|dimension| {
            let [own, others] = [self, other].map(|compared| compared.divisors[dimension]);
            let divisor = common_divisor(own, others);
            (divisor > 1).then_some(Order::Class { dimension, divisor })
        });
        let all = (dimensions().len() > 1).then_some(Order::All);
        let ranges = dimensions().map(|dimension| Order::Range { dimension });
        let distinct = |order: &Order| {
            let [own, others] = [self, other].map(|all| all.sorted(Some(*order)).distinct);
            own.min(others)
        };
        // If several keys have the most distinct values, `max_by_key` returns the last key.
        classes.chain(all).chain(ranges).max_by_key(distinct)
    }

    fn sorted(&self, by: Option<Order>) -> Rc<Sorted<'a>> {
        let sort = || {
            let parts = self.access.parts(by);
            let mut distinct: Vec<Range> = parts.iter().map(|part| part.along).collect();
            distinct.dedup();
            let distinct = distinct.len();
            Sorted { parts, distinct }
        };
        let mut sorted = self.sorted.borrow_mut();
        Rc::clone(sorted.entry(by).or_insert_with(|| Rc::new(sort())))
    }
}

/// Number of thread pairs that [`find_conflict`] may still compare; `None` if this number is
/// unlimited.
pub(crate) struct ComparisonBudget(Option<usize>);

impl ComparisonBudget {
    pub(crate) fn new(most: usize) -> Self {
        Self(Some(most))
    }

    fn unlimited() -> Self {
        Self(None)
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.0 == Some(0)
    }

    fn spend(&mut self) {
        self.0 = self.0.map(|left| left.saturating_sub(1));
    }
}

/// Sort key of the threads of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// Residue of the index along `dimension` modulo `divisor`.
    Class { dimension: usize, divisor: i64 },
    /// All indices, packed as bit fields into one number. If the last index is a range, the sort
    /// key is a range of packed numbers.
    All,
    /// Range of the index along `dimension`.
    Range { dimension: usize },
}

impl Order {
    /// Returns the value of the sort key for the indices `place`: one range of numbers, or two
    /// ranges if the residues wrap around.
    fn along(self, place: &[Span]) -> [Option<Range>; 2] {
        let along = match self {
            Self::Class { dimension, divisor } => {
                return place
                    .get(dimension)
                    .map_or([Some(ANYWHERE), None], |span| span.ranges_modulo(divisor));
            }
            Self::All => all_indices(place),
            Self::Range { dimension } => place.get(dimension).map(|span| span.range()),
        };
        [Some(along.unwrap_or(ANYWHERE)), None]
    }
}

/// Packs the indices `place` into one range of numbers. Returns `None` if an index is negative or
/// needs more than 60 / rank bits. Returns `None` if any index except the last index is not known
/// exactly.
fn all_indices(place: &[Span]) -> Option<Range> {
    let bits = 60 / u32::try_from(place.len()).ok()?.max(1);
    let (last, others) = place.split_last()?;
    let is_small = |(least, most): Range| least >= 0 && most < 1 << bits;
    let mut before = 0;
    for span in others {
        let range = span.range();
        before =
            (before + Some(range.0).filter(|_| is_small(range) && range.0 == range.1)?) << bits;
    }
    let (least, most) = Some(last.range()).filter(|range| is_small(*range))?;
    Some((before + least, before + most))
}

/// One thread, the indices that the thread may access, and the value of the sort key for these
/// indices.
struct Part<'a> {
    thread: i64,
    along: Range,
    place: Option<&'a [Span]>,
}

/// Compares two lists of indices that are sorted by one key, and returns the kinds of thread pairs
/// with conflicting accesses.
fn find_conflict(
    mine: &[Part<'_>],
    theirs: &[Part<'_>],
    budget: &mut ComparisonBudget,
) -> Conflict {
    let mut found = Conflict::default();
    let longest = theirs
        .iter()
        .map(|p| p.along.1.saturating_sub(p.along.0))
        .max()
        .unwrap_or(0);
    let mut from = 0;
    for a in mine {
        let begins_before = |b: &Part<'_>| b.along.0 < a.along.0.saturating_sub(longest);
        from += theirs[from..]
            .iter()
            .take_while(|b| begins_before(b))
            .count();
        for b in theirs[from..].iter().take_while(|b| b.along.0 <= a.along.1) {
            budget.spend();
            if budget.is_exhausted() {
                return Conflict::BETWEEN_ALL;
            }
            if a.thread == b.thread {
                continue;
            }
            let together = |size: i64| a.thread / size == b.thread / size;
            let known = if together(WARP_SIZE) {
                &mut found.within_warp
            } else if together(WARPGROUP) {
                &mut found.between_warps
            } else {
                &mut found.between_warpgroups
            };
            if *known || !overlap(a.place, b.place) {
                continue;
            }
            *known = true;
            if found.within_warp && found.between_warps && found.between_warpgroups {
                return found;
            }
        }
    }
    found
}

fn overlap(a: Option<&[Span]>, b: Option<&[Span]>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) if a.len() == b.len() => a.iter().zip(b).all(|(a, b)| a.meets(*b)),
        _ => true,
    }
}
