//! Lowering of float operations for which the host and PTX return different bits.
//!
//! * A minimum or maximum instruction of the host may return either zero for −0 and +0, and
//!   preserves the payload of a NaN. PTX orders −0 below +0 and returns a canonical NaN. The
//!   lowering therefore compares the bits of the operands as integers.
//! * LLVM's host code for a fused multiply-add of f16 or bf16 computes in f32, and therefore rounds
//!   the result twice.

use super::{
    emit::Emitter,
    layout::{scalar_bits, vector},
    operation::{internal, operand, result_type, unsupported_type},
};
use crate::fault::Error;
use melior::ir::{
    OperationRef, Type, TypeLike, Value, ValueLike,
    attribute::{DenseElementsAttribute, IntegerAttribute},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extremum {
    largest: bool,
    /// Whether the result of the minimum or maximum is NaN if one operand is NaN. If `nan_wins` is
    /// false and exactly one operand is a NaN, the result is the other operand.
    nan_wins: bool,
}

impl Extremum {
    const MAXIMUM: Self = Self::new(true, true);
    const MINIMUM: Self = Self::new(false, true);
    const MAXNUM: Self = Self::new(true, false);
    const MINNUM: Self = Self::new(false, false);

    const fn new(largest: bool, nan_wins: bool) -> Self {
        Self { largest, nan_wins }
    }

    /// Decodes the `bin_op` of an `llvm.atomicrmw` to a minimum or maximum operation; `None` for
    /// other operations.
    pub(super) fn of_atomic(bin_op: i64) -> Option<Self> {
        Some(match bin_op {
            13 => Self::MAXNUM,
            14 => Self::MINNUM,
            19 => Self::MAXIMUM,
            20 => Self::MINIMUM,
            _ => return None,
        })
    }
}

/// Emits the replacement of an operation, and returns the value that replaces the result of the
/// operation. Returns `None` if the host and PTX compute the same bits for the operation.
pub(super) fn lower<'c, 'a>(
    emitter: &Emitter<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    name: &str,
) -> Result<Option<Value<'c, 'a>>, Error> {
    let lowering = Lowering { emitter, operation };
    let pairwise = |kind| lowering.extremum(kind, operand(operation, 0)?, operand(operation, 1)?);
    let whole = |kind| lowering.reduction(kind);
    match name {
        "llvm.intr.maximum" => pairwise(Extremum::MAXIMUM),
        "llvm.intr.minimum" => pairwise(Extremum::MINIMUM),
        "llvm.intr.maxnum" => pairwise(Extremum::MAXNUM),
        "llvm.intr.minnum" => pairwise(Extremum::MINNUM),
        "llvm.intr.vector.reduce.fmaximum" => whole(Extremum::MAXIMUM),
        "llvm.intr.vector.reduce.fminimum" => whole(Extremum::MINIMUM),
        "llvm.intr.vector.reduce.fmax" => whole(Extremum::MAXNUM),
        "llvm.intr.vector.reduce.fmin" => whole(Extremum::MINNUM),
        // PTX always fuses a multiply-add.
        "llvm.intr.fma" | "llvm.intr.fmuladd" => return lowering.fused(name),
        _ => return Ok(None),
    }
    .map(Some)
}

pub(super) fn extremum<'c, 'a>(
    emitter: &Emitter<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    kind: Extremum,
    left: Value<'c, 'a>,
    right: Value<'c, 'a>,
) -> Result<Value<'c, 'a>, Error> {
    Lowering { emitter, operation }.extremum(kind, left, right)
}

struct Lowering<'e, 'c, 'a> {
    emitter: &'e Emitter<'c, 'a>,
    operation: OperationRef<'c, 'a>,
}

#[derive(Clone, Copy)]
struct Format {
    bits: u32,
    /// Bit mask in which all bits are set except the sign bit.
    magnitude: i64,
    infinity: i64,
    /// The canonical NaN of PTX operations. PTX specifies no canonical NaN for f64, so an f64
    /// operation returns one of its NaN operands.
    nan: i64,
    /// The quiet bit of an f64 NaN.
    quiet: Option<i64>,
}

impl Format {
    fn of(r#type: Type<'_>) -> Option<Self> {
        let bits = scalar_bits(r#type)? as u32;
        let magnitude = i64::MAX >> (64 - bits);
        let (mantissa, quiet) = if r#type.is_f16() {
            (10, None)
        } else if r#type.is_bf16() {
            (7, None)
        } else if r#type.is_f32() {
            (23, None)
        } else if r#type.is_f64() {
            (52, Some(1 << 51))
        } else {
            return None;
        };
        let infinity = magnitude >> mantissa << mantissa;
        Some(Self {
            bits,
            magnitude,
            infinity,
            nan: quiet.map_or(magnitude, |quiet| infinity | quiet),
            quiet,
        })
    }
}

/// Returns `scalar`, or a vector of `scalar` with the shape of `like`.
fn in_shape_of<'c>(like: Type<'c>, scalar: Type<'c>) -> Type<'c> {
    match vector(like) {
        None => scalar,
        Some((count, _)) => Type::vector(&[count], scalar),
    }
}

/// Predicates of `llvm.icmp`.
const SIGNED_LESS: i64 = 2;
const SIGNED_GREATER: i64 = 4;
const UNSIGNED_GREATER: i64 = 8;

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    fn format(&self, r#type: Type<'c>) -> Result<Format, Error> {
        let scalar = vector(r#type).map_or(r#type, |(_, element)| element);
        Format::of(scalar).ok_or_else(|| unsupported_type(self.operation, r#type))
    }

    fn extremum(
        &self,
        kind: Extremum,
        left: Value<'c, 'a>,
        right: Value<'c, 'a>,
    ) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let float = left.r#type();
        let format = self.format(float)?;
        let bits = in_shape_of(float, emitter.integer_type(format.bits));
        let truth = in_shape_of(float, emitter.integer_type(1));
        let constant = |value| self.constant(value, format.bits, bits);
        let word = |name, operands: &[Value<'c, 'a>]| emitter.value(name, operands, &[], bits);
        let compare = |predicate, left, right| {
            let r#type = emitter.integer_type(64);
            let predicate = IntegerAttribute::new(r#type, predicate).into();
            let attributes = [("predicate", predicate)];
            emitter.value("llvm.icmp", &[left, right], &attributes, truth)
        };
        let select = |condition, yes, no| word("llvm.select", &[condition, yes, no]);

        let magnitude = constant(format.magnitude)?;
        let infinity = constant(format.infinity)?;
        let places = constant(i64::from(format.bits) - 1)?;
        let nan = constant(format.nan)?;
        let is_nan = |value| {
            let magnitude = word("llvm.and", &[value, magnitude])?;
            compare(UNSIGNED_GREATER, magnitude, infinity)
        };
        // The order of the keys as signed integers is the order of the floats, with −0 below +0.
        let key = |value| {
            let sign = word("llvm.ashr", &[value, places])?;
            let flipped = word("llvm.and", &[sign, magnitude])?;
            word("llvm.xor", &[value, flipped])
        };
        let left = emitter.cast("llvm.bitcast", left, bits)?;
        let right = emitter.cast("llvm.bitcast", right, bits)?;
        let (left_nan, right_nan) = (is_nan(left)?, is_nan(right)?);
        let predicate = if kind.largest {
            SIGNED_GREATER
        } else {
            SIGNED_LESS
        };
        let left_wins = compare(predicate, key(left)?, key(right)?)?;
        let number = select(left_wins, left, right)?;
        let result = if kind.nan_wins {
            let any = emitter.value("llvm.or", &[left_nan, right_nan], &[], truth)?;
            select(any, nan, number)?
        } else {
            let nan = match format.quiet {
                None => nan,
                // For two f64 NaNs, an H200 returns the second one with its quiet bit set.
                Some(quiet) => word("llvm.or", &[right, constant(quiet)?])?,
            };
            let both = emitter.value("llvm.and", &[left_nan, right_nan], &[], truth)?;
            let number = select(right_nan, left, number)?;
            let number = select(left_nan, right, number)?;
            select(both, nan, number)?
        };
        emitter.cast("llvm.bitcast", result, float)
    }

    fn reduction(&self, kind: Extremum) -> Result<Value<'c, 'a>, Error> {
        let source = operand(self.operation, 0)?;
        let (count, _) = vector(source.r#type())
            .ok_or_else(|| unsupported_type(self.operation, source.r#type()))?;
        let mut result = self.element(source, 0)?;
        for index in 1..count {
            result = self.extremum(kind, result, self.element(source, index)?)?;
        }
        Ok(result)
    }

    fn fused(&self, name: &str) -> Result<Option<Value<'c, 'a>>, Error> {
        let emitter = self.emitter;
        let r#type = result_type(self.operation)?;
        let operands = [
            operand(self.operation, 0)?,
            operand(self.operation, 1)?,
            operand(self.operation, 2)?,
        ];
        if self.format(r#type)?.bits != 16 {
            return match name {
                "llvm.intr.fma" => Ok(None),
                _ => emitter
                    .value("llvm.intr.fma", &operands, &[], r#type)
                    .map(Some),
            };
        }
        let Some((count, element)) = vector(r#type) else {
            return self.fused_narrow(operands, r#type).map(Some);
        };
        let mut result = emitter.value("llvm.mlir.poison", &[], &[], r#type)?;
        for index in 0..count {
            let [a, b, c] = operands;
            let parts = [
                self.element(a, index)?,
                self.element(b, index)?,
                self.element(c, index)?,
            ];
            let part = self.fused_narrow(parts, element)?;
            let index = emitter.constant(64, index as i64)?;
            let operands = [result, part, index];
            result = emitter.value("llvm.insertelement", &operands, &[], r#type)?;
        }
        Ok(Some(result))
    }

    /// Emits a fused multiply-add in f64 that rounds to odd, so that the subsequent rounding to the
    /// narrow type is correct.
    fn fused_narrow(
        &self,
        [a, b, c]: [Value<'c, 'a>; 3],
        narrow: Type<'c>,
    ) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let wide = Type::float64(emitter.context());
        let widen = |value| emitter.cast("llvm.fpext", value, wide);
        let arguments = [widen(a)?, widen(b)?, widen(c)?];
        let result = emitter
            .call("__tx_fma", &arguments, Some(wide))?
            .ok_or_else(|| internal("a call without its result"))?;
        emitter.cast("llvm.fptrunc", result, narrow)
    }

    fn element(&self, source: Value<'c, 'a>, index: u64) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let (_, element) = vector(source.r#type())
            .ok_or_else(|| unsupported_type(self.operation, source.r#type()))?;
        let index = emitter.constant(64, index as i64)?;
        emitter.value("llvm.extractelement", &[source, index], &[], element)
    }

    /// Emits an integer constant, splatted for a vector type.
    fn constant(&self, value: i64, bits: u32, r#type: Type<'c>) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let scalar = IntegerAttribute::new(emitter.integer_type(bits), value);
        let attribute = match vector(r#type) {
            None => scalar.into(),
            Some(_) => DenseElementsAttribute::new(r#type, &[scalar.into()])
                .map_err(|error| internal(&error.to_string()))?
                .into(),
        };
        emitter.value("llvm.mlir.constant", &[], &[("value", attribute)], r#type)
    }
}
