//! Reference results of reductions, computed from the bits of the elements.
//!
//! The reference does not depend on threads, layouts or orders. Exact results have tolerance 0.
//! Float sums and products have a tolerance that bounds the error of any combination order.

pub(crate) use crate::combine::{Expected, Kind, Nan};
use crate::combine::{beats, extreme, integers};
use crate::element::{Element, power};

/// Reduction without its shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) kind: Kind,
    pub(crate) nan: Nan,
    pub(crate) source: Element,
    /// Accumulator type.
    pub(crate) acc: Element,
    pub(crate) destination: Element,
}

/// Returns the result of a row, or the reason why the result is not unique.
pub(crate) fn reduce(rule: Rule, row: &[u64], old: Option<u64>) -> Result<Expected, String> {
    if !rule.source.is_float() {
        let all = row.iter().copied().chain(old);
        let result = integers(rule.kind, rule.source, all);
        return Ok(Expected::exactly(rule.destination.wrap(result)));
    }
    if let Some(old) = old
        && rule.destination.precision() > rule.acc.precision()
        && !row.is_empty()
    {
        return onto_wider(rule, row, rule.destination.number(old));
    }
    let mut numbers: Vec<f64> = row.iter().map(|bits| rule.source.number(*bits)).collect();
    if let Some(old) = old {
        let old = rule.destination.number(old);
        if row.is_empty() && (old.is_nan() || (old == 0.0 && old.is_sign_negative())) {
            return Err("an old value combined with nothing".to_owned());
        }
        numbers.push(old);
    }
    let exactly = |number: f64| Ok(Expected::exactly(rule.destination.nearest(number)));
    match rule.kind {
        Kind::Sum => sum(rule, &numbers),
        Kind::Prod => product(rule, &numbers),
        Kind::Max => exactly(extreme(&numbers, rule.nan)),
        Kind::Min => {
            let negated: Vec<f64> = numbers.iter().map(|number| -number).collect();
            exactly(-extreme(&negated, rule.nan))
        }
        other => Err(format!("`{}` of floats", other.name())),
    }
}

/// If the type of an old value is wider than the accumulator, combines the result with the old
/// value in the wider type.
fn onto_wider(rule: Rule, row: &[u64], old: f64) -> Result<Expected, String> {
    let to = rule.destination;
    let new = reduce(rule, row, None)?;
    let value = to.number(new.bits);
    if rule.kind == Kind::Prod && old.is_infinite() && value.abs() <= new.tolerance {
        return Err("an infinity times what may be zero".to_owned());
    }
    let (both, error) = match rule.kind {
        Kind::Sum => (old + value, new.tolerance),
        Kind::Prod => (old * value, new.tolerance * old.abs()),
        Kind::Max => (extreme(&[old, value], rule.nan), 0.0),
        Kind::Min => (-extreme(&[-old, -value], rule.nan), 0.0),
        other => return Err(format!("`{}` of floats", other.name())),
    };
    let step = both.abs() * 2.0 * to.roundoff();
    Ok(Expected {
        bits: to.nearest(both),
        tolerance: if error > 0.0 && both.is_finite() {
            error + step
        } else {
            0.0
        },
    })
}

/// Returns the sum of a row, with infinities and NaN.
fn sum(rule: Rule, numbers: &[f64]) -> Result<Expected, String> {
    let to = rule.destination;
    if numbers.is_empty() {
        return Ok(Expected::exactly(to.nearest(0.0)));
    }
    let has = |wanted: f64| numbers.contains(&wanted);
    if numbers.iter().any(|n| n.is_nan()) || (has(f64::INFINITY) && has(f64::NEG_INFINITY)) {
        return Ok(Expected::exactly(to.nearest(f64::NAN)));
    }
    if let Some(infinity) = numbers.iter().find(|n| n.is_infinite()) {
        return Ok(Expected::exactly(to.nearest(*infinity)));
    }
    if numbers.iter().all(|n| *n == 0.0) {
        // A sum of -0.0 is -0.0; any other sum of zeros is +0.0.
        let negative = numbers.iter().all(|n| n.is_sign_negative());
        return Ok(Expected::exactly(to.nearest(if negative {
            -0.0
        } else {
            0.0
        })));
    }
    let (total, magnitudes) = add_up(numbers);
    if magnitudes > rule.acc.largest() {
        return Err(format!("a sum of magnitudes {magnitudes:e} overflows"));
    }
    // If every element is a multiple of one step, and the sum of the magnitudes is small enough, no
    // combination order rounds a partial sum.
    let step = numbers
        .iter()
        .filter(|n| **n != 0.0)
        .map(|n| last_place(*n))
        .min()
        .unwrap_or(0);
    let unrounded = step >= -1000 && magnitudes <= power((step + rule.acc.precision()).min(1023));
    let error = if unrounded {
        0.0
    } else {
        magnitudes * rule.acc.roundoff() * numbers.len() as f64
    };
    // An exact sum of zero is +0.0.
    rounded(rule, if total == 0.0 { 0.0 } else { total }, error)
}

/// Returns the sum in double-double precision, and the sum of magnitudes.
fn add_up(numbers: &[f64]) -> (f64, f64) {
    let (mut high, mut low, mut magnitudes) = (0.0f64, 0.0f64, 0.0f64);
    for number in numbers {
        let next = high + number;
        low += if high.abs() >= number.abs() {
            (high - next) + number
        } else {
            (number - next) + high
        };
        high = next;
        magnitudes += number.abs();
    }
    (high + low, magnitudes)
}

/// Returns the exponent of the lowest set bit.
fn last_place(number: f64) -> i32 {
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let mantissa = bits & ((1 << 52) - 1);
    if exponent == 0 {
        -1074 + mantissa.trailing_zeros() as i32
    } else {
        exponent - 1075 + (mantissa | 1 << 52).trailing_zeros() as i32
    }
}

fn product(rule: Rule, numbers: &[f64]) -> Result<Expected, String> {
    let to = rule.destination;
    if numbers.is_empty() {
        return Ok(Expected::exactly(to.nearest(1.0)));
    }
    let zero = numbers.contains(&0.0);
    let infinite = numbers.iter().any(|n| n.is_infinite());
    if numbers.iter().any(|n| n.is_nan()) || (zero && infinite) {
        return Ok(Expected::exactly(to.nearest(f64::NAN)));
    }
    let negative = numbers.iter().filter(|n| n.is_sign_negative()).count() % 2 == 1;
    let sign = if negative { -1.0 } else { 1.0 };

    // Logarithms of the largest and the smallest magnitude that a partial product can have in any
    // combination order.
    let (mut up, mut down) = (0.0f64, 0.0f64);
    let mut mantissa = 1.0f64;
    let mut exponent = 0i32;
    for number in numbers.iter().filter(|n| **n != 0.0 && n.is_finite()) {
        let logarithm = number.abs().log2();
        up += logarithm.max(0.0);
        down -= logarithm.min(0.0);
        let (m, e) = split(mantissa * split(number.abs()).0);
        mantissa = m;
        exponent += e + split(number.abs()).1;
    }
    let format = rule.acc.format().ok_or("an accumulator of integers")?;
    let overflows = up >= f64::from(format.bias());
    let underflows = down >= f64::from(-format.smallest());
    if infinite && underflows || zero && overflows {
        return Err("a product whose parts may be infinity and zero".to_owned());
    }
    if infinite {
        return Ok(Expected::exactly(to.nearest(sign * f64::INFINITY)));
    }
    if zero {
        return Ok(Expected::exactly(to.nearest(sign * 0.0)));
    }
    if overflows && down > 0.0 || underflows && up > 0.0 {
        return Err(format!("a product that goes up 2^{up} and down 2^-{down}"));
    }
    let power_of_two = numbers.iter().all(|n| split(n.abs()).0 == 1.0);
    let relative = if power_of_two && !underflows {
        0.0
    } else {
        numbers.len() as f64 * rule.acc.roundoff() * 1.001
            + if rule.acc == Element::F64 { 2e-13 } else { 0.0 }
    };
    // The multiplication by the power of two consists of two steps, because the exponent may exceed
    // the range of f64.
    let value = if exponent > 1100 {
        f64::INFINITY
    } else {
        mantissa * power((exponent / 2).max(-1000)) * power((exponent - exponent / 2).max(-1000))
    };
    if overflows {
        // All factors are at least 1, so an infinite partial product stays infinite.
        let least = value * (1.0 - relative);
        if least > rule.acc.largest() {
            return Ok(Expected::exactly(to.nearest(sign * f64::INFINITY)));
        }
        if value * (1.0 + relative) > rule.acc.largest() {
            return Err("a product at the edge of overflow".to_owned());
        }
    }
    let mut error = value * relative;
    if underflows {
        // All factors are at most 1, so the error of subnormal results does not grow.
        error += numbers.len() as f64 * rule.acc.tiniest();
    }
    rounded(rule, sign * value, error)
}

/// Splits a positive number into a mantissa in [1, 2) and an exponent.
fn split(number: f64) -> (f64, i32) {
    if number < f64::MIN_POSITIVE {
        let (mantissa, exponent) = split(number * power(60));
        return (mantissa, exponent - 60);
    }
    let exponent = (number.to_bits() >> 52) as i32 - 1023;
    (number / power(exponent), exponent)
}

/// Rounds the result to the destination type.
fn rounded(rule: Rule, value: f64, error: f64) -> Result<Expected, String> {
    let to = rule.destination;
    let bits = to.nearest(value);
    if error == 0.0 {
        return Ok(Expected::exactly(bits));
    }
    let infinite = |bits: u64| to.number(bits).is_infinite();
    let (low, high) = (to.nearest(value - error), to.nearest(value + error));
    if infinite(low) || infinite(high) {
        return if low == high {
            Ok(Expected::exactly(low))
        } else {
            Err("a result at the edge of overflow".to_owned())
        };
    }
    // Reference and compiler each round once to the destination type.
    let step = (value.abs() * to.roundoff() * 2.0).max(to.tiniest());
    Ok(Expected {
        bits,
        tolerance: error + step,
    })
}

/// Element and its index.
pub(crate) type Indexed = (u64, i64);

/// Returns the winner of an argmax or argmin, as bits of the destination.
pub(crate) fn arg(rule: Rule, row: &[Indexed], old: Option<Indexed>) -> Result<Indexed, String> {
    let sign = if rule.kind == Kind::ArgMax { 1 } else { -1 };
    // Key by which two elements are compared. Zeros of both signs have the same key, and NaN is
    // handled separately.
    let numbers = |element: Element, bits: u64| {
        let float = element.number(bits) * f64::from(sign);
        let integer = i128::from(element.signed(bits)) * i128::from(sign);
        (float, integer)
    };
    let mut all: Vec<((f64, i128), u64, i64)> = row
        .iter()
        .map(|(bits, index)| {
            let key = numbers(rule.source, *bits);
            let bits = if rule.source.is_float() {
                rule.destination.nearest(rule.source.number(*bits))
            } else {
                *bits
            };
            (key, bits, *index)
        })
        .collect();
    if let Some((bits, index)) = old {
        if row.is_empty() && rule.destination.is_nan(bits) {
            return Err("an old value combined with nothing".to_owned());
        }
        if row.is_empty() && bits == worst(rule) {
            return Err("an old value that ties with nothing".to_owned());
        }
        if all.iter().any(|(_, _, other)| *other == index) {
            return Err("an old index that is an element's too".to_owned());
        }
        all.push((numbers(rule.destination, bits), bits, index));
    }
    let float = rule.source.is_float();
    // Returns whether the first element is chosen because of its value. Returns false for equal
    // elements.
    let beats = |a: &(f64, i128), b: &(f64, i128)| match float {
        true => beats(a.0, b.0, rule.nan),
        false => a.1 > b.1,
    };
    let mut best: Option<&((f64, i128), u64, i64)> = None;
    for candidate in &all {
        let wins = best.is_none_or(|best| {
            beats(&candidate.0, &best.0) || (!beats(&best.0, &candidate.0) && candidate.2 < best.2)
        });
        if wins {
            best = Some(candidate);
        }
    }
    Ok(best.map_or((worst(rule), 0), |best| (best.1, best.2)))
}

/// Returns the value that loses against every other value.
fn worst(rule: Rule) -> u64 {
    let least = i64::MIN >> (64 - rule.destination.bits());
    match (rule.source.is_float(), rule.kind == Kind::ArgMax) {
        (true, true) => rule.destination.nearest(f64::NEG_INFINITY),
        (true, false) => rule.destination.nearest(f64::INFINITY),
        (false, true) => rule.destination.wrap(least as u64),
        (false, false) => rule.destination.wrap(!least as u64),
    }
}
