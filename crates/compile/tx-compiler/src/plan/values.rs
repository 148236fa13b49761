//! Symbolic values of the SSA values of a host function.

use super::types::width;
use super::unsupported::{HOST_CODE, unsupported_op};
use melior::ir::operation::OperationLike;
use melior::ir::{Location, ValueLike};
use std::collections::BTreeMap;
use tx_mlir::{Failed, Op, Val, codes, error, key, name};
use tx_plan::{ArgumentType, Base, ElementType, Expr, Symbol, Temporary, View};

/// Largest `n` such that `f64` represents every integer of magnitude up to `n` exactly.
pub(super) const MAX_WHOLE: i64 = 1 << 53;

/// Symbolic value of an SSA value of a host function.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Memref(View),
    /// Integer value as a signed number; an `i1` is 0 or 1. After a narrowing cast such as
    /// `arith.trunci`, the value of the expression may exceed the range of the narrow type.
    Integer(ElementType, Expr),
    Float(ElementType, u64),
    /// Integer-valued `f64`.
    Whole(Expr),
    /// Scalar argument that the host function passes to kernels, and uses for no other purpose.
    Argument(usize),
}

impl Value {
    pub(super) fn index(expr: Expr) -> Self {
        Self::Integer(ElementType::Index, expr)
    }
}

/// Arguments, temporaries and SSA values of a host function.
pub(super) struct Values<'c> {
    pub(super) arguments: Vec<ArgumentType>,
    pub(super) temporaries: Vec<Temporary>,
    /// Location of the `memref.dealloc` that frees each temporary.
    pub(super) freed: BTreeMap<usize, Location<'c>>,
    values: BTreeMap<usize, Value>,
}

impl<'c> Values<'c> {
    /// Creates `Values` for a function with the given argument types, without temporaries and
    /// symbolic values.
    pub(super) fn new(arguments: Vec<ArgumentType>) -> Self {
        Self {
            arguments,
            temporaries: Vec::new(),
            freed: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }

    /// Sets the symbolic value of an SSA value.
    pub(super) fn define(&mut self, result: Val<'c>, value: Value) {
        self.values.insert(key(result), value);
    }

    /// Returns the symbolic value of an operand of `op`, or an error if the value is unknown or
    /// refers to freed memory.
    pub(super) fn value(&self, op: Op<'c>, value: Val<'c>) -> Result<&Value, Failed> {
        let known = self.values.get(&key(value)).ok_or_else(|| {
            error(
                op.location(),
                format!(
                    "`{}` uses a value of type `{}` that a launch plan cannot compute",
                    name(op),
                    value.r#type()
                ),
            )
            .code(codes::TX0611)
            .note(HOST_CODE)
            .emit()
        })?;
        if let Value::Memref(View {
            base: Base::Temporary(i),
            ..
        }) = known
            && let Some(freed) = self.freed.get(i)
        {
            return Err(error(
                op.location(),
                format!("`{}` uses memory that was freed before", name(op)),
            )
            .code(codes::TX0607)
            .note_at(*freed, "it is freed here")
            .emit());
        }
        Ok(known)
    }

    /// Returns the view of an operand of memref type.
    pub(super) fn memref(&self, op: Op<'c>, value: Val<'c>) -> Result<&View, Failed> {
        let Value::Memref(view) = self.value(op, value)? else {
            return Err(unsupported_op(op));
        };
        Ok(view)
    }

    /// Returns the argument type and the symbolic value of an integer operand of `op`.
    pub(super) fn integer(
        &self,
        op: Op<'c>,
        value: Val<'c>,
    ) -> Result<(ElementType, Expr), Failed> {
        match self.value(op, value)? {
            Value::Integer(ty, expr) => Ok((*ty, expr.clone())),
            _ => Err(unsupported_op(op)),
        }
    }

    /// Returns the value of an operand of type `index` or `i64`.
    pub(super) fn index(&self, op: Op<'c>, value: Val<'c>) -> Result<Expr, Failed> {
        match self.integer(op, value)? {
            (ElementType::Index | ElementType::I64, expr) => Ok(expr),
            (ty, _) => Err(error(
                op.location(),
                format!(
                    "`{}` computes with {ty}, but a launch plan computes with 64-bit integers",
                    name(op)
                ),
            )
            .code(codes::TX0608)
            .note("cast to `index` with `arith.index_cast` first")
            .emit()),
        }
    }

    /// Returns the symbolic value of an SSA value; `None` if the symbolic value is unknown.
    pub(super) fn known(&self, value: Val<'c>) -> Option<&Value> {
        self.values.get(&key(value))
    }

    /// Returns whether argument `argument` is a scalar of type `ty`.
    pub(super) fn has_type(&self, argument: usize, ty: ElementType) -> bool {
        self.arguments.get(argument) == Some(&ArgumentType::Scalar(ty))
    }

    /// Returns whether the expression `value` is known to be in the signed range of the type `ty`.
    pub(super) fn fits(&self, ty: ElementType, value: &Expr) -> bool {
        let highest = 1_i64 << (width(ty) - 1);
        match value {
            Expr::Const(value) if ty == ElementType::I1 => (0..=1).contains(value),
            Expr::Const(value) => (-highest..highest).contains(value),
            Expr::Symbol(Symbol::Value { argument }) => self.has_type(*argument, ty),
            _ => false,
        }
    }

    /// Returns an integer-valued `f64` as an expression. -0 becomes 0, because no translated op
    /// distinguishes -0 from 0.
    pub(super) fn whole_number(&self, value: Val<'c>) -> Option<Expr> {
        match self.known(value)? {
            Value::Whole(expr) => Some(expr.clone()),
            Value::Float(ElementType::F64, bits) => {
                let float = f64::from_bits(*bits);
                let is_whole = float.fract() == 0.0 && float.abs() <= MAX_WHOLE as f64;
                is_whole.then_some(Expr::Const(float as i64))
            }
            _ => None,
        }
    }

    /// Returns the value of an `f32` or `f64` constant.
    pub(super) fn float(&self, value: Val<'c>) -> Option<f64> {
        match self.known(value)? {
            Value::Float(ElementType::F64, bits) => Some(f64::from_bits(*bits)),
            Value::Float(ElementType::F32, bits) => {
                Some(f64::from(f32::from_bits(u32::try_from(*bits).ok()?)))
            }
            _ => None,
        }
    }
}
