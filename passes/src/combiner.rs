//! What a reduction computes, as arith ops: identities and combines for every kind and type.
//!
//! This knows nothing of how a reduction is spread over threads.

use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::{Kind, Nan};
use tx_mlir::{Builder, Val, byte_width, vector_parts};

/// A kind of reduction on one accumulator type.
#[derive(Clone, Copy)]
pub struct Combiner<'c> {
    kind: Kind,
    nan: Nan,
    ty: Type<'c>,
    /// The arith op that combines two values.
    op: &'static str,
}

impl<'c> Combiner<'c> {
    /// The combiner, or what is missing to have one.
    ///
    /// # Errors
    /// Says which kind or type has no scalar combine.
    pub fn new(kind: Kind, nan: Nan, ty: Type<'c>) -> Result<Self, String> {
        let float = ty.is_float();
        if float && byte_width(ty).is_some_and(|w| w < 2) {
            return Err(format!(
                "partial results of type `{ty}` are not implemented"
            ));
        }
        let pick = |on_float: &'static str, on_int: &'static str| {
            let op = if float { on_float } else { on_int };
            (!op.is_empty()).then_some(op)
        };
        let op = match (kind, nan) {
            (Kind::Sum, _) => pick("arith.addf", "arith.addi"),
            (Kind::Prod, _) => pick("arith.mulf", "arith.muli"),
            (Kind::Max, Nan::Propagate) => pick("arith.maximumf", "arith.maxsi"),
            (Kind::Max, Nan::Ignore) => pick("arith.maxnumf", "arith.maxsi"),
            (Kind::Min, Nan::Propagate) => pick("arith.minimumf", "arith.minsi"),
            (Kind::Min, Nan::Ignore) => pick("arith.minnumf", "arith.minsi"),
            (Kind::UMax, _) => pick("", "arith.maxui"),
            (Kind::UMin, _) => pick("", "arith.minui"),
            (Kind::And, _) => pick("", "arith.andi"),
            (Kind::Or, _) => pick("", "arith.ori"),
            (Kind::Xor, _) => pick("", "arith.xori"),
            (Kind::ArgMax | Kind::ArgMin | Kind::Custom, _) => None,
        };
        match op {
            Some(op) => Ok(Self { kind, nan, ty, op }),
            None => Err(format!("`{kind}` of `{ty}` is not implemented")),
        }
    }

    /// The same combiner on a wider type of the same sort.
    #[must_use]
    pub fn with_type(&self, ty: Type<'c>) -> Self {
        Self { ty, ..*self }
    }

    /// Type of partial results.
    pub fn ty(&self) -> Type<'c> {
        self.ty
    }

    /// Combines two values, scalars or vectors.
    pub fn combine(&self, b: &Builder<'c>, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        b.binary(self.op, left, right)
    }

    /// The result of an empty reduction.
    pub fn identity(&self, b: &Builder<'c>) -> Val<'c> {
        if self.ty.is_float() {
            let value = match self.kind {
                Kind::Prod => 1.0,
                Kind::Max => f64::NEG_INFINITY,
                Kind::Min => f64::INFINITY,
                _ => 0.0,
            };
            return b.float(value, self.ty);
        }
        let bits = IntegerType::try_from(self.ty).map_or(64, |t| t.width());
        let value = match self.kind {
            Kind::Prod => 1,
            Kind::Max => i64::MIN >> (64 - bits),
            Kind::Min => i64::MAX >> (64 - bits),
            Kind::UMin | Kind::And => -1,
            _ => 0,
        };
        b.int(value, self.ty)
    }

    /// What partial results start from: leaves every value as it is when it is combined with it.
    /// This is the identity, except where NaN never wins: there it is NaN, so that a reduction of
    /// nothing but NaN gives NaN.
    pub fn start(&self, b: &Builder<'c>) -> Val<'c> {
        if self.starts_with_nan() {
            b.float(f64::NAN, self.ty)
        } else {
            self.identity(b)
        }
    }

    /// Whether [`Self::start`] differs from [`Self::identity`].
    pub fn starts_with_nan(&self) -> bool {
        self.ty.is_float() && self.nan == Nan::Ignore && matches!(self.kind, Kind::Max | Kind::Min)
    }

    /// `value` as a partial result.
    pub fn widen(&self, b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
        let unsigned = matches!(
            self.kind,
            Kind::UMax | Kind::UMin | Kind::And | Kind::Or | Kind::Xor
        );
        convert(b, value, self.ty, unsigned)
    }

    /// A partial result as an element of type `ty`.
    pub fn narrow(&self, b: &Builder<'c>, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
        convert(b, value, ty, false)
    }
}

/// `value` (a scalar, or a vector of scalars) with elements of type `ty`.
fn convert<'c>(b: &Builder<'c>, value: Val<'c>, ty: Type<'c>, unsigned: bool) -> Val<'c> {
    let (lanes, from) = match vector_parts(value.r#type()) {
        Some((lanes, element)) => (Some(lanes), element),
        None => (None, value.r#type()),
    };
    if from == ty {
        return value;
    }
    let wider = byte_width(ty) > byte_width(from);
    let op = match (ty.is_float(), wider) {
        (true, true) => "arith.extf",
        (true, false) => "arith.truncf",
        (false, true) if unsigned => "arith.extui",
        (false, true) => "arith.extsi",
        (false, false) => "arith.trunci",
    };
    let result = lanes.map_or(ty, |n| Type::vector(&[n], ty));
    b.create(op).operands(&[value]).result(result).value()
}
