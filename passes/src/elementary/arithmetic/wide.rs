//! Arithmetic on 64-bit integers. An operand is a 64-bit integer, or a vector with one 64-bit
//! integer for each element of the float vector.

use super::{Arithmetic, Float, Truth, Whole, convert, greatest};
use melior::ir::{Type, ValueLike};
use std::ops::{Add, BitAnd, BitOr, Mul, Sub};
use tx_mlir::{Index, Val};

/// A 64-bit integer, or a vector of 64-bit integers.
#[derive(Clone, Copy)]
pub(in crate::elementary) struct Wide<'a, 'c> {
    m: &'a Arithmetic<'a, 'c>,
    value: Val<'c>,
}

impl<'c> Arithmetic<'_, 'c> {
    fn wide_type(&self) -> Type<'c> {
        let element = self.b.int_type(64);
        self.lanes.map_or(element, |n| Type::vector(&[n], element))
    }

    pub(in crate::elementary) fn wide(&self, bits: u64) -> Wide<'_, 'c> {
        let ty = self.wide_type();
        Wide {
            m: self,
            value: self.b.int(bits.cast_signed(), ty),
        }
    }

    /// Emits a loop that applies the closure `step` to loop-carried values with the initial values
    /// `start`; the trip count is the largest element of `count`. The closure `step` receives, in
    /// addition to the loop-carried values, the values `constants`.
    pub(in crate::elementary) fn repeat<const N: usize>(
        &self,
        count: Wide<'_, 'c>,
        start: [Wide<'_, 'c>; N],
        constants: &[Wide<'_, 'c>],
        step: impl for<'i> FnOnce([Wide<'i, 'c>; N], &[Wide<'i, 'c>]) -> [Wide<'i, 'c>; N],
    ) -> [Wide<'_, 'c>; N] {
        let count = self
            .b
            .index_castui(greatest(self.b, count.value), self.b.index_type());
        let inits = start.map(|wide| wide.value);
        let (from, to) = (Index::Const(0), Index::Val(count));
        let left = self
            .b
            .for_loop(from, to, Index::Const(1), &inits, |b, _, carried| {
                let inner = &Arithmetic { b, ..*self };
                let of = |value| Wide { m: inner, value };
                let constants: Vec<_> = constants.iter().map(|wide| of(wide.value)).collect();
                let carried = std::array::from_fn(|i| of(carried[i]));
                step(carried, &constants).map(|wide| wide.value).to_vec()
            });
        std::array::from_fn(|i| Wide {
            m: self,
            value: left[i],
        })
    }
}

impl<'a, 'c> Whole<'a, 'c> {
    pub(in crate::elementary) fn widened(self) -> Wide<'a, 'c> {
        let (m, ty) = (self.m, self.m.wide_type());
        let value = if self.value.r#type() == ty {
            self.value
        } else {
            convert(m.b, "arith.extui", self.value, ty)
        };
        Wide { m, value }
    }
}

impl<'a, 'c> Float<'a, 'c> {
    /// Emits the conversion of an integral float, with a magnitude below 2^63, to a 64-bit integer.
    pub(in crate::elementary) fn to_wide(self) -> Wide<'a, 'c> {
        let m = self.m;
        Wide {
            m,
            value: convert(m.b, "arith.fptosi", self.value, m.wide_type()),
        }
    }
}

impl<'a, 'c> Wide<'a, 'c> {
    pub(in crate::elementary) fn arithmetic(self) -> &'a Arithmetic<'a, 'c> {
        self.m
    }

    fn apply(self, op: &str, other: Self) -> Self {
        Self {
            m: self.m,
            value: self.m.b.binary(op, self.value, other.value),
        }
    }

    pub(in crate::elementary) fn shift_left_by(self, places: Self) -> Self {
        self.apply("arith.shli", places)
    }

    pub(in crate::elementary) fn shift_right_by(self, places: Self) -> Self {
        self.apply("arith.shrui", places)
    }

    pub(in crate::elementary) fn shift_left(self, places: u64) -> Self {
        self.shift_left_by(self.m.wide(places))
    }

    pub(in crate::elementary) fn shift_right(self, places: u64) -> Self {
        self.shift_right_by(self.m.wide(places))
    }

    /// Emits an arithmetic right shift: division by a power of two, rounded down.
    pub(in crate::elementary) fn shift_right_signed(self, places: u64) -> Self {
        self.apply("arith.shrsi", self.m.wide(places))
    }

    pub(in crate::elementary) fn at_least(self, low: Self) -> Self {
        self.apply("arith.maxsi", low)
    }

    pub(in crate::elementary) fn at_most(self, high: Self) -> Self {
        self.apply("arith.minsi", high)
    }

    pub(in crate::elementary) fn divided_by(self, divisor: Self) -> Self {
        self.apply("arith.divui", divisor)
    }

    pub(in crate::elementary) fn modulo(self, divisor: Self) -> Self {
        self.apply("arith.remui", divisor)
    }

    /// Emits the truncation of this integer to the width of the floats; the integer must fit in
    /// this width.
    pub(in crate::elementary) fn narrowed(self) -> Whole<'a, 'c> {
        let m = self.m;
        let value = if m.whole == self.value.r#type() {
            self.value
        } else {
            convert(m.b, "arith.trunci", self.value, m.whole)
        };
        Whole { m, value }
    }

    pub(in crate::elementary) fn and(self, mask: u64) -> Self {
        self & self.m.wide(mask)
    }

    pub(in crate::elementary) fn has(self, mask: u64) -> Truth<'a, 'c> {
        self.and(mask).compare(1, self.m.wide(0))
    }

    pub(in crate::elementary) fn is_below(self, other: Self) -> Truth<'a, 'c> {
        self.compare(6, other)
    }

    fn compare(self, predicate: i64, other: Self) -> Truth<'a, 'c> {
        Truth {
            m: self.m,
            value: self.m.b.compare_ints(predicate, self.value, other.value),
        }
    }

    /// Emits the conversion of a signed integer to the nearest float.
    pub(in crate::elementary) fn to_float(self) -> Float<'a, 'c> {
        let m = self.m;
        m.value(convert(m.b, "arith.sitofp", self.value, m.float))
    }

    /// Emits the upper 64 bits of the unsigned product of `self` and `other`. `self` must be below
    /// 2^63.
    pub(in crate::elementary) fn times_high(self, other: Self) -> Self {
        const HALF: u64 = u32::MAX as u64;
        let (high, low) = (self.shift_right(32), self.and(HALF));
        let (other_high, other_low) = (other.shift_right(32), other.and(HALF));
        let cross = low * other_high;
        let middle = (low * other_low).shift_right(32) + cross.and(HALF) + high * other_low;
        high * other_high + cross.shift_right(32) + middle.shift_right(32)
    }
}

impl<'a, 'c> Truth<'a, 'c> {
    pub(in crate::elementary) fn select_wide(
        self,
        yes: Wide<'a, 'c>,
        no: Wide<'a, 'c>,
    ) -> Wide<'a, 'c> {
        Wide {
            m: self.m,
            value: self.choose(yes.value, no.value),
        }
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $op:literal;)*) => { $(
        impl $operator for Wide<'_, '_> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.apply($op, other)
            }
        }
    )* };
}

operators! {
    Add add "arith.addi";
    Sub sub "arith.subi";
    Mul mul "arith.muli";
    BitAnd bitand "arith.andi";
    BitOr bitor "arith.ori";
}
