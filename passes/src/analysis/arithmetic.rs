//! Ranges and congruence classes of the results of integer ops.

use crate::analysis::classes::Class;
use crate::analysis::facts::{Classes, Fact, Range, combined};
use melior::ir::ValueLike;
use melior::ir::attribute::IntegerAttribute;
use std::rc::Rc;
use tx_mlir::{Op, Val, attribute, name, operands, results};

/// Returns the range of the result of a binary integer op in each thread; `None` if a range is
/// unknown, or if a result may wrap around.
pub(super) fn result_ranges(op: Op<'_>, facts: &[Fact]) -> Option<Rc<[Range]>> {
    let [left, right] = facts else {
        return None;
    };
    let (left, right) = (left.ranges.as_ref()?, right.ranges.as_ref()?);
    let result = results(op)[0];
    let predicate = attribute(op, "predicate")
        .and_then(|a| IntegerAttribute::try_from(a).ok())
        .map_or(-1, |a| a.value());
    // `true` is 1 in this analysis, but -1 as a signed `i1`.
    let signed = (2..=5).contains(&predicate) || matches!(name(op), "arith.minsi" | "arith.maxsi");
    if signed && operands(op).first().is_some_and(|v| is_i1(*v)) {
        return None;
    }
    let bits = width(result);
    let combine = combination(name(op), predicate);
    left.iter()
        .zip(right.iter())
        .map(|(l, r)| {
            // Narrow integers may wrap around.
            combine(*l, *r).filter(|range| fits(*range, bits))
        })
        .collect()
}

/// Returns the minimum and maximum of `f` over the four pairs of endpoints of two ranges.
fn corners(l: Range, r: Range, f: fn(i64, i64) -> Option<i64>) -> Option<Range> {
    let all = [f(l.0, r.0)?, f(l.0, r.1)?, f(l.1, r.0)?, f(l.1, r.1)?];
    Some((*all.iter().min()?, *all.iter().max()?))
}

/// Returns a function for the result range of `op`. The function computes the result range from two
/// operand ranges, and returns `None` if the result range is unknown.
fn combination(op: &str, predicate: i64) -> Box<dyn Fn(Range, Range) -> Option<Range>> {
    fn exactly(f: fn(i64, i64) -> i64) -> impl Fn(Range, Range) -> Option<Range> {
        move |l, r| (l.0 == l.1 && r.0 == r.1).then(|| (f(l.0, r.0), f(l.0, r.0)))
    }
    fn of_naturals(
        f: impl Fn(Range, Range) -> Option<Range>,
    ) -> impl Fn(Range, Range) -> Option<Range> {
        move |l, r| (l.0 >= 0 && r.0 >= 0).then(|| f(l, r)).flatten()
    }
    match op {
        "arith.addi" => Box::new(|l, r| corners(l, r, i64::checked_add)),
        "arith.subi" => Box::new(|l, r| corners(l, r, i64::checked_sub)),
        "arith.muli" => Box::new(|l, r| corners(l, r, i64::checked_mul)),
        "arith.divui" | "arith.divsi" | "arith.floordivsi" => Box::new(of_naturals(|l, r| {
            (r.0 > 0).then(|| corners(l, r, i64::checked_div)).flatten()
        })),
        "arith.ceildivui" | "arith.ceildivsi" => Box::new(of_naturals(|l, r| {
            let divide = |a: i64, b: i64| Some(a.checked_add(b - 1)? / b);
            (r.0 > 0).then(|| corners(l, r, divide)).flatten()
        })),
        "arith.remui" | "arith.remsi" => Box::new(of_naturals(|l, r| match r.0 > 0 {
            true if r.0 == r.1 && l.0 / r.0 == l.1 / r.0 => Some((l.0 % r.0, l.1 % r.0)),
            true => Some((0, (r.1 - 1).min(l.1))),
            false => None,
        })),
        "arith.minui" | "arith.minsi" => {
            Box::new(of_naturals(|l, r| Some((l.0.min(r.0), l.1.min(r.1)))))
        }
        "arith.maxui" | "arith.maxsi" => {
            Box::new(of_naturals(|l, r| Some((l.0.max(r.0), l.1.max(r.1)))))
        }
        "arith.andi" => {
            let same = exactly(|l, r| l & r);
            let any = of_naturals(|l, r| Some((0, l.1.min(r.1))));
            Box::new(move |l, r| same(l, r).or_else(|| any(l, r)))
        }
        "arith.ori" => Box::new(exactly(|l, r| l | r)),
        "arith.xori" => Box::new(exactly(|l, r| l ^ r)),
        "arith.shli" => Box::new(of_naturals(|l, r| {
            (r.1 < 32 && l.1 < (1 << 31)).then(|| (l.0 << r.0, l.1 << r.1))
        })),
        "arith.shrui" | "arith.shrsi" => Box::new(of_naturals(|l, r| {
            (r.1 < 63).then(|| (l.0 >> r.1, l.1 >> r.0))
        })),
        "arith.cmpi" => Box::new(move |l, r| compare(predicate, l, r)),
        _ => Box::new(|_, _| None),
    }
}

/// Returns the range of a comparison result: 0, 1 or both.
fn compare(predicate: i64, l: Range, r: Range) -> Option<Range> {
    let unsigned = predicate >= 6;
    if unsigned && (l.0 < 0 || r.0 < 0) {
        return None;
    }
    // One pair of flags for `l < r` and one for `l <= r`. The first flag of a pair is set if the
    // comparison is always true, and the second flag if the comparison is always false.
    let less = (l.1 < r.0, l.0 >= r.1);
    let less_equal = (l.1 <= r.0, l.0 > r.1);
    let equal = (l.0 == l.1 && l == r, l.1 < r.0 || r.1 < l.0);
    let (always, never) = match predicate {
        0 => equal,
        1 => (equal.1, equal.0),
        2 | 6 => less,
        3 | 7 => less_equal,
        4 | 8 => (less_equal.1, less_equal.0),
        5 | 9 => (less.1, less.0),
        _ => return None,
    };
    Some(match (always, never) {
        (true, _) => (1, 1),
        (_, true) => (0, 0),
        _ => (0, 1),
    })
}

/// Returns whether a signed integer of `bits` bits can represent all numbers of a range.
pub(super) fn fits(range: Range, bits: u32) -> bool {
    match bits {
        1 => range.0 >= 0 && range.1 <= 1,
        64.. => true,
        bits => range.0 >= -(1 << (bits - 1)) && range.1 < (1 << (bits - 1)),
    }
}

/// Returns the number of bits of an integer type, or 64 for `index`.
pub(super) fn width(value: Val<'_>) -> u32 {
    tx_mlir::integer_width(value.r#type()).unwrap_or(64)
}

pub(super) fn is_i1(value: Val<'_>) -> bool {
    tx_mlir::integer_width(value.r#type()) == Some(1)
}

/// Returns the congruence class of the result of a binary integer op in each thread. `stays` must
/// be set only if no result wraps around.
pub(super) fn result_classes(op: Op<'_>, facts: &[Fact], stays: bool) -> Classes {
    let combine = match name(op) {
        "arith.addi" => Class::plus,
        "arith.subi" => Class::minus,
        "arith.muli" => Class::times,
        "arith.shli" => Class::shifted,
        _ => return None,
    };
    let [left, right] = facts else {
        return None;
    };
    let bits = width(results(op)[0]);
    let stays = stays || tx_mlir::has_flag(op, "overflowFlags", "nsw");
    combined(left, right, |left, right| {
        let class = combine(left, right);
        if stays { class } else { class.wrapped(bits) }
    })
}
