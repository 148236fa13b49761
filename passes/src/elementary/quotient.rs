//! Computation of the quotients of several numbers by one divisor. One multiplication by the
//! reciprocal of the divisor and a correction replace each division.
//!
//! Let r = 1 / s, rounded to nearest, q = x·r and e = q·s - x. Then q - e·r, rounded once, is x / s
//! rounded to nearest, if no intermediate result overflows or underflows (Markstein, "Computation
//! of elementary functions on the IBM RISC System/6000 processor", 1990; Brisebarre, Muller and
//! Raina, "Accelerating correctly rounded floating-point division when the divisor is known in
//! advance", 2004). The direction in which q - e·r is rounded depends only on the significands of x
//! and s. The exact value of q - e·r differs from x / s by less than 5 / (2s) ulp, if s denotes the
//! significand of the divisor as an integer of 24 bits. All 127,923,231 pairs of f32 significands
//! whose quotient is within 12 / (2s) ulp of the midpoint of two adjacent f32 numbers were tested;
//! each quotient was rounded correctly.
//!
//! The proof of correct rounding requires that x, r and x / s are normal numbers, and that e is
//! exact. If s is from 2^-126 to 2^29 and |x| is at least 2^-96, r is at least 2^-29, the quotient
//! is at least 2^-125, and the last bit of e is at least 2^-144. If the product x·r overflows or x
//! is infinite, e is infinite and q - e·r is NaN. If x is NaN, the quotient is NaN too. If x is
//! zero and s is positive, q and q - e·r are zeros with the sign of x. A division is therefore
//! necessary if x is nonzero with a magnitude below 2^-96, if s is not between 2^-126 and 2^29, or
//! if q - e·r is NaN.

use super::arithmetic::convert;
use melior::ir::ValueLike;
use melior::ir::{Type, TypeLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::build::{Cond, Predicate};
use tx_mlir::{
    Blk, Builder, Op, Val, attribute, blocks, defining_op, erase, has_flag, is, key, move_before,
    name, operands, replace_uses, results, walk,
};

/// Minimum number of quotients by one divisor for which the pass computes the reciprocal of the
/// divisor. The computation of a reciprocal needs as many instructions as one division, so a
/// reciprocal saves instructions only if several quotients share the divisor.
const MIN_QUOTIENTS: usize = 4;

/// Maximum number of quotients that one `scf.if` covers. An `scf.if` falls back to divisions for
/// all quotients that it covers if an operand of one of these quotients is out of range. On sm_90,
/// the kernel of a softmax of 4096 f32 columns, with 32 quotients per thread, uses 79 registers if
/// one `scf.if` covers all 32 quotients, 60 if each `scf.if` covers 8 quotients, and 58 if all
/// quotients are divisions.
const MAX_TOGETHER: usize = 8;

/// Bits of the smallest and the largest divisor that need no division: 2^-126 and 2^29.
const DIVISORS: [u32; 2] = [0x0080_0000, 0x4e00_0000];
/// Bits of 2^-96, the smallest nonzero dividend that needs no division, shifted left by one to
/// remove the sign bit.
const LEAST: i64 = 0x1f00_0000;

/// Ops of the dialect `vector` without side effects, which the pass can move before the first
/// quotient.
const MOVES: [&str; 5] = [
    "vector.broadcast",
    "vector.extract",
    "vector.extract_strided_slice",
    "vector.from_elements",
    "vector.shuffle",
];

/// Replaces quotients of f32 in a GPU module and returns the number of replaced quotients.
pub(crate) fn share_reciprocals(module: Op<'_>) -> i64 {
    // Collect the blocks before the first op is erased.
    let all: Vec<_> = walk(module).into_iter().flat_map(blocks).collect();
    all.into_iter().map(in_block).sum()
}

fn in_block(block: Blk<'_>) -> i64 {
    let all = tx_mlir::ops(block);
    let mut by_divisor: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, op) in all.iter().enumerate() {
        if is_quotient(*op) {
            by_divisor
                .entry(key(operands(*op)[1]))
                .or_default()
                .push(place);
        }
    }
    let mut groups: Vec<_> = by_divisor.into_values().collect();
    groups.retain(|group| group.len() >= MIN_QUOTIENTS);
    // The addresses of values are different in each run of the compiler.
    groups.sort_unstable();
    if groups.is_empty() {
        return 0;
    }
    let mut places: BTreeMap<usize, usize> = all
        .iter()
        .enumerate()
        .map(|(place, op)| (identity(*op), place))
        .collect();
    let mut divided = 0;
    for group in groups {
        let mut shared = None;
        let parts = group.len().div_ceil(MAX_TOGETHER);
        for part in group.chunks(group.len().div_ceil(parts)) {
            divided += in_part(&all, &mut places, part, &mut shared);
        }
    }
    divided
}

fn identity(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}

/// Returns whether `op` is a correctly rounded quotient of f32 by a non-constant divisor.
fn is_quotient(op: Op<'_>) -> bool {
    is(op, "arith.divf")
        && results(op)[0].r#type().is_f32()
        && !["afn", "arcp"]
            .iter()
            .any(|flag| has_flag(op, "fastmath", flag))
        && !defining_op(operands(op)[1]).is_some_and(|op| is(op, "arith.constant"))
}

/// Replaces each quotient in `group` whose dividend can be computed before the first quotient of
/// `group`. `group` lists the positions of the quotients in the block. `shared` is the divisor of
/// the quotients that an earlier call replaced in this block, or `None` before the first
/// replacement.
fn in_part<'c>(
    all: &[Op<'c>],
    places: &mut BTreeMap<usize, usize>,
    group: &[usize],
    shared: &mut Option<Divisor<'c>>,
) -> i64 {
    let first = group[0];
    let mut members = vec![first];
    let mut earlier = BTreeSet::new();
    for &place in &group[1..] {
        let mut slice = BTreeSet::new();
        if is_movable(
            all,
            places,
            (first, group),
            operands(all[place])[0],
            &mut slice,
        ) {
            earlier.extend(slice);
            members.push(place);
        }
    }
    if shared.is_none() && members.len() < MIN_QUOTIENTS {
        return 0;
    }
    for place in earlier {
        move_before(all[place], all[first]);
        // After the move, the op dominates all later quotients of the block.
        places.remove(&identity(all[place]));
    }
    let quotients: Vec<_> = members.iter().map(|place| all[*place]).collect();
    let b = Builder::before(all[first]);
    let divisor = *shared.get_or_insert_with(|| Divisor::of(&b, operands(all[first])[1]));
    let values = divide(&b, &quotients, divisor);
    for (op, value) in quotients.iter().zip(values) {
        replace_uses(results(*op)[0], value);
    }
    for (op, place) in quotients.iter().zip(&members) {
        places.remove(&identity(all[*place]));
        erase(*op);
    }
    i64::try_from(members.len()).unwrap_or(0)
}

/// Returns whether the ops that compute a value can move before the op at position `first` of the
/// block. `slice` receives the positions of the ops that must move.
fn is_movable(
    all: &[Op<'_>],
    places: &BTreeMap<usize, usize>,
    (first, group): (usize, &[usize]),
    value: Val<'_>,
    slice: &mut BTreeSet<usize>,
) -> bool {
    let place = defining_op(value).and_then(|op| places.get(&identity(op)).copied());
    let Some(place) = place.filter(|place| *place >= first && !slice.contains(place)) else {
        return true;
    };
    let op = all[place];
    let computes = ["arith.", "math."]
        .iter()
        .any(|dialect| name(op).starts_with(dialect));
    if group.contains(&place) || !(computes || MOVES.contains(&name(op))) {
        return false;
    }
    slice.insert(place);
    operands(op)
        .into_iter()
        .all(|operand| is_movable(all, places, (first, group), operand, slice))
}

/// A divisor, and the values that all quotients by this divisor share.
#[derive(Clone, Copy)]
struct Divisor<'c> {
    value: Val<'c>,
    reciprocal: Val<'c>,
    negative: Val<'c>,
    fits: Val<'c>,
}

impl<'c> Divisor<'c> {
    fn of(b: &Builder<'c>, value: Val<'c>) -> Self {
        let single = value.r#type();
        let number = |bits: u32| b.constant(b.attribute(&format!("0x{bits:08X} : f32")), single);
        let reciprocal = b.binary("arith.divf", b.float(1.0, single), value);
        let [least, greatest] = DIVISORS;
        Self {
            value,
            reciprocal,
            negative: negated(b, reciprocal),
            fits: b.binary(
                "arith.andi",
                b.compare_floats(GREATER_OR_EQUAL, value, number(least)),
                b.compare_floats(LESS_OR_EQUAL, value, number(greatest)),
            ),
        }
    }
}

fn negated<'c>(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
    let negated = b.create("arith.negf").operands(&[value]);
    negated.result(value.r#type()).value()
}

fn divide<'c>(b: &Builder<'c>, quotients: &[Op<'c>], divisor: Divisor<'c>) -> Vec<Val<'c>> {
    let (single, word) = (divisor.value.r#type(), b.int_type(32));
    let fused = |x: Val<'c>, y: Val<'c>, z: Val<'c>| {
        b.create("math.fma")
            .operands(&[x, y, z])
            .result(single)
            .value()
    };
    let mut fits = divisor.fits;
    let offset = b.int(-LEAST, word);
    let (mut values, mut greatest) = (Vec::new(), None);
    for op in quotients {
        let x = operands(*op)[0];
        let rough = b.binary("arith.mulf", x, divisor.reciprocal);
        let error = fused(rough, divisor.value, negated(b, x));
        values.push(fused(error, divisor.negative, rough));
        // The addition of the bits to themselves removes the sign bit. The offset wraps all
        // dividends below the smallest allowed dividend, so their bits compare greater than the
        // bits of a zero dividend.
        let bits = convert(b, "arith.bitcast", x, word);
        let bits = b.binary("arith.addi", b.binary("arith.addi", bits, bits), offset);
        greatest = Some(match greatest {
            Some(greatest) => b.binary("arith.maxui", greatest, bits),
            None => bits,
        });
    }
    if let Some(greatest) = greatest {
        let above_zero = b.int(1 - LEAST, word);
        let is_far = b.compare_ints(Predicate::Ult as i64, greatest, above_zero);
        fits = b.binary("arith.andi", fits, is_far);
    }
    for pair in values.chunks(2) {
        let is_number = b.compare_floats(ORDERED, pair[0], pair[pair.len() - 1]);
        fits = b.binary("arith.andi", fits, is_number);
    }
    let types: Vec<Type<'c>> = vec![single; quotients.len()];
    let exact = |b: &Builder<'c>| {
        let each = quotients.iter().map(|op| {
            let flags = attribute(*op, "fastmath");
            let quotient = b.create("arith.divf").operands(&operands(*op));
            match flags {
                Some(flags) => quotient.attr("fastmath", flags),
                None => quotient,
            }
            .result(single)
            .value()
        });
        each.collect()
    };
    b.if_else(Cond::Val(fits), &types, |_| values.clone(), exact)
}

/// Predicates of `arith.cmpf`.
const GREATER_OR_EQUAL: i64 = 3;
const LESS_OR_EQUAL: i64 = 5;
const ORDERED: i64 = 7;
