//! Powers of integers, by squaring.

use super::arithmetic::{greatest, parts};
use super::constants::constant_integer;
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};
use tx_mlir::build::{Cond, Predicate};
use tx_mlir::{Builder, Index, Val, integer_width};

/// Maximum constant exponent for which the power is computed as an unrolled product.
const MAX_UNROLLED: i64 = 64;

/// Emits base^exponent modulo 2^bits. For a negative exponent, the power of the bases 1 and -1 is 1
/// or -1, the power of the base 0 is undefined, and the power of every other base is 0.
pub(super) fn ipowi<'c>(b: &Builder<'c>, base: Val<'c>, exponent: Val<'c>) -> Option<Val<'c>> {
    let ty = base.r#type();
    let (lanes, element) = parts(ty);
    if element.is_index() {
        let whole = b.int_type(64);
        let whole = lanes.map_or(whole, |n| Type::vector(&[n], whole));
        let power = ipowi(b, b.index_cast(base, whole), b.index_cast(exponent, whole))?;
        return Some(b.index_cast(power, ty));
    }
    let bits = integer_width(element)?;
    let constant = constant_integer(exponent).filter(|n| (0..=MAX_UNROLLED).contains(n));
    Some(match constant {
        Some(power) => unrolled(b, base, power.cast_unsigned()),
        None => by_squaring(b, base, exponent, bits, element),
    })
}

/// Emits a power as a product with one factor base^(2^i) for each set bit i of the exponent
/// `power`.
fn unrolled<'c>(b: &Builder<'c>, base: Val<'c>, power: u64) -> Val<'c> {
    let (mut product, mut square, mut rest) = (None, base, power);
    while rest > 0 {
        if rest & 1 == 1 {
            product = Some(product.map_or(square, |p| b.binary("arith.muli", p, square)));
        }
        rest >>= 1;
        if rest > 0 {
            square = b.binary("arith.muli", square, square);
        }
    }
    product.unwrap_or_else(|| b.int(1, base.r#type()))
}

fn by_squaring<'c>(
    b: &Builder<'c>,
    base: Val<'c>,
    exponent: Val<'c>,
    bits: u32,
    element: Type<'c>,
) -> Val<'c> {
    let ty = base.r#type();
    let (zero, one) = (b.int(0, ty), b.int(1, ty));
    let largest = greatest(b, exponent);
    let zeros = b.create("math.ctlz").operands(&[largest]).result(element);
    let digits = b.binary("arith.subi", b.int(i64::from(bits), element), zeros.value());
    let digits = Index::Val(b.index_castui(digits, b.index_type()));
    let inits = [one, base, exponent];
    let power = b.for_loop(
        Index::Const(0),
        digits,
        Index::Const(1),
        &inits,
        |b, _, carried| {
            let [product, square, rest] = carried[..] else {
                return carried.to_vec();
            };
            let one = b.int(1, ty);
            let digit = b.binary("arith.andi", rest, one);
            let is_set = b.compare_ints(Predicate::Eq as i64, digit, one);
            let longer = b.binary("arith.muli", product, square);
            vec![
                b.select(Cond::Val(is_set), longer, product),
                b.binary("arith.muli", square, square),
                b.binary("arith.shrui", rest, one),
            ]
        },
    )[0];
    // If the base is 1 or -1, the product is also correct for a negative exponent, which the loop
    // reads as a large unsigned exponent.
    let is_negative = b.compare_ints(Predicate::Slt as i64, exponent, zero);
    let minus_one = b.int(-1, ty);
    let is_one = b.compare_ints(Predicate::Eq as i64, base, one);
    let is_minus_one = b.compare_ints(Predicate::Eq as i64, base, minus_one);
    let is_unit = b.binary("arith.ori", is_one, is_minus_one);
    let of_negative = b.select(Cond::Val(is_unit), power, zero);
    b.select(Cond::Val(is_negative), of_negative, power)
}
