//! Length classes: row or vector lengths for which a program launches the same kernels.

use super::sizes::{Guess, most_dimensions, solve};
use std::collections::BTreeSet;
use tx_plan::{Condition, Plan};

/// Maximum length in the last length class. For a program that launches the same kernels for all
/// rows of at least [`LONGEST_ROW`] elements, the maximum is [`LONGEST_ROW`] instead of
/// [`LONGEST`].
pub(super) const LONGEST: usize = 270_001;
const LONGEST_ROW: usize = 33001;

/// Maximum number of row lengths that [`LengthClass::spread`] selects. A thread reads up to 32
/// consecutive elements of a row, and the last element of a row can be at each of these 32
/// positions.
const SPREAD: usize = 32;

/// Maximum period of the launched kernels (see [`Launches`]).
const MAX_PERIOD: usize = 64;

/// Pairs of a maximum row length and a number of rows. For an input with rows of `n` elements, the
/// number of rows comes from the first pair whose maximum row length is at least `n`. Inputs with
/// short rows have more rows than one block reduces. Inputs with long rows have few rows, so that
/// the work limit of a stage suffices for more lengths.
const LENGTH_ROWS: [(usize, usize); 4] = [(64, 257), (4096, 33), (16384, 8), (usize::MAX, 3)];

/// Returns the sizes of an array of the given rank whose last dimension has the given length.
pub(super) fn sizes_of(rank: usize, length: usize) -> [usize; 4] {
    let rows = LENGTH_ROWS.iter().find(|(most, _)| length <= *most);
    let (rows, more) = match (rank, rows) {
        (0 | 1, _) | (_, None) => (1, 1),
        (2, Some((_, rows))) => (*rows, 1),
        _ => (5, 3),
    };
    let mut sizes = [more; 4];
    sizes[0] = rows;
    sizes[rank.clamp(2, 4) - 1] = length;
    sizes
}

/// The kernels that a program launches for a length. Launch conditions such as `arg0.dim1 % 8 == 0`
/// have equal results for two lengths that differ by `period`.
#[derive(Clone, Copy)]
struct Launches<'p> {
    plan: &'p Plan,
    guess: Guess,
    period: usize,
}

impl Launches<'_> {
    fn of(&self, length: usize) -> Option<Vec<bool>> {
        let sizes = sizes_of(most_dimensions(self.plan), length);
        Some(solve(self.plan, &sizes, self.guess)?.launched())
    }
}

/// Row or vector lengths for which a program launches the same kernels.
pub(super) struct LengthClass<'p> {
    pub(super) least: usize,
    greatest: usize,
    launched: Option<Vec<bool>>,
    launches: Launches<'p>,
}

impl LengthClass<'_> {
    /// Returns a length of the class, at or near `length`.
    fn nearest(&self, length: usize) -> usize {
        let period = self.launches.period;
        let mut near = (0..period).flat_map(|i| [length + i, length.saturating_sub(i)]);
        let is_own = |n: &usize| {
            (self.least..=self.greatest).contains(n) && self.launches.of(*n) == self.launched
        };
        match period {
            1 => length,
            _ => near.find(is_own).unwrap_or(self.least),
        }
    }

    /// Returns up to four lengths: the minimum, the maximum, and two lengths between the minimum
    /// and the maximum.
    pub(super) fn lengths(&self) -> Vec<usize> {
        let part = |thirds: f64| {
            let (least, greatest) = (self.least as f64, self.greatest as f64);
            (least * (greatest / least).powf(thirds / 3.0)) as usize
        };
        // One more than a power of two exposes a truncated division; one less leaves the largest
        // remainder.
        let more = part(1.0).next_power_of_two() + 1;
        let less = part(2.0).next_power_of_two() - 1;
        let lengths = [self.least, more, less, self.greatest].into_iter();
        let inside = lengths.filter(|length| (self.least..=self.greatest).contains(length));
        let lengths: BTreeSet<usize> = inside.map(|length| self.nearest(length)).collect();
        lengths.into_iter().collect()
    }

    /// Returns up to eight lengths, or no lengths if the maximum exceeds the minimum by less than
    /// 2. For any three adjacent bits among the low bits of a length, the eight lengths contain all
    /// eight values of the three bits. If a thread reads 2, 4 or 8 elements per loop iteration, the
    /// eight lengths place the last element of a row at each of the 2, 4 or 8 positions. In a class
    /// of multiples, the low bits of a length are the low bits of a quotient.
    pub(super) fn tails(&self) -> Vec<usize> {
        // The entries are powers of a generator of GF(8): any three adjacent powers are linearly
        // independent.
        const CODE: [usize; 7] = [0b001, 0b010, 0b100, 0b011, 0b110, 0b111, 0b101];
        let step = self.step();
        let Some(bits) = ((self.greatest - self.least) / step / 2).checked_ilog2() else {
            return Vec::new();
        };
        let base = (self.least / step).next_multiple_of(1 << bits);
        let length = |number: usize| {
            let code = CODE.iter().cycle().take(bits as usize).enumerate();
            let quotient = code.fold(base, |quotient, (bit, code)| {
                quotient | ((code & number).count_ones() as usize % 2) << bit
            });
            self.nearest(quotient * step)
        };
        (0..8).map(length).collect()
    }

    /// Returns the period if all lengths of the class are multiples of the period, and otherwise 1.
    fn step(&self) -> usize {
        let period = self.launches.period;
        match self.least.is_multiple_of(period) && self.greatest.is_multiple_of(period) {
            true => period,
            false => 1,
        }
    }

    /// Returns up to [`SPREAD`] lengths at equal distances.
    pub(super) fn spread(&self) -> BTreeSet<usize> {
        let (least, greatest) = (self.least, self.greatest);
        let middle = |part| least + (2 * part + 1) * (greatest - least) / (2 * SPREAD);
        let middle = |part| self.nearest(middle(part));
        (0..SPREAD).map(middle).collect()
    }
}

/// Returns the length classes of a program. The result is empty if the program launches the same
/// kernels for all lengths.
pub(super) fn length_classes(plan: &Plan, guess: Guess) -> Vec<LengthClass<'_>> {
    let conditions = plan.steps.iter().flat_map(|step| &step.when);
    let divisors = conditions.flat_map(Condition::divisors);
    let divisors = divisors.filter_map(|by| usize::try_from(by).ok());
    let divisors: BTreeSet<usize> = divisors
        .filter(|by| (2..=MAX_PERIOD).contains(by))
        .collect();
    let period = divisors.iter().fold(1, |period, by| match period % by {
        0 => period,
        _ => (period * by).min(MAX_PERIOD),
    });
    let launches = Launches {
        plan,
        guess,
        period,
    };
    let residues: BTreeSet<usize> = [0, 1].into_iter().chain(divisors).collect();
    let residues = residues.into_iter().filter(|residue| *residue < period);
    let mut classes: Vec<LengthClass<'_>> = Vec::new();
    for residue in residues {
        // Lengths with different residues may belong to one class.
        let is_known = |class: &LengthClass<'_>, known: &[LengthClass<'_>]| {
            known.iter().any(|known| known.launched == class.launched)
        };
        let mut new = classes_of(launches, residue);
        new.retain(|class| !is_known(class, &classes));
        classes.extend(new);
    }
    match &classes[..] {
        [_] => Vec::new(),
        _ => classes,
    }
}

/// Returns the length classes that contain lengths with the given residue modulo the period.
fn classes_of(launches: Launches<'_>, residue: usize) -> Vec<LengthClass<'_>> {
    let period = launches.period;
    // Start at 2: in a row of one element, a NaN or infinity is not combined with anything.
    let nth = |number: usize| number * period + residue;
    let mut number = (2usize.saturating_sub(residue)).div_ceil(period);
    let last = (LONGEST - residue) / period;
    // The lengths with equal residues for which the program launches the same kernels are
    // contiguous.
    let mut classes: Vec<LengthClass<'_>> = Vec::new();
    let mut add = |first: usize, end: usize, launched: Option<Vec<bool>>| {
        // Lengths with other residues may belong to the class.
        let is_own = |length: &usize| launches.of(*length) == launched;
        let before = (nth(first).saturating_sub(period).max(1) + 1..nth(first)).find(is_own);
        let after = (nth(end) + 1..nth(end) + period).rev().find(is_own);
        classes.push(LengthClass {
            least: before.unwrap_or_else(|| nth(first)),
            greatest: after.unwrap_or_else(|| nth(end)),
            launched,
            launches,
        });
    };
    let mut first = number;
    while number < last {
        let next = (number + (number / 8).max(1)).min(last);
        let own = launches.of(nth(number));
        if launches.of(nth(next)) != own {
            let (mut inside, mut outside) = (number, next);
            while outside - inside > 1 {
                let middle = usize::midpoint(inside, outside);
                match launches.of(nth(middle)) == own {
                    true => inside = middle,
                    false => outside = middle,
                }
            }
            add(first, inside, own);
            first = outside;
        }
        number = next;
    }
    let is_row = most_dimensions(launches.plan) > 1 && nth(first) < LONGEST_ROW;
    let longest = if is_row { LONGEST_ROW } else { LONGEST };
    let end = (longest - residue) / period;
    add(first, end, launches.of(nth(first)));
    classes
}
