//! Translation of the integer computations of a host function into expressions over the arguments
//! of the function.

use super::check::Checks;
use super::condition::{distance, integer_comparison};
use super::limits::check_size;
use super::types::{element_type, width};
use super::unsupported::unsupported_op;
use super::values::{MAX_WHOLE, Value, Values};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_mlir::{
    Affine, AffineMap, Failed, Op, Val, attribute, codes, defining_op, error, float_bits,
    integer_value, is, name, operands, results,
};
use tx_plan::{ElementType, Expr, Relation};

/// Returns the value of an `arith` or `affine` op. If the translation assumes that a value does not
/// wrap around, the function adds to `checks` a check that the value is in the range of its type.
pub(super) fn compute<'c>(
    values: &Values<'c>,
    checks: &mut Checks,
    op: Op<'c>,
) -> Result<Value, Failed> {
    Scalars { values, checks }.compute(op)
}

/// State of the translation of one op: the values that the op can read, and the checks of the
/// launch plan.
struct Scalars<'s, 'c> {
    values: &'s Values<'c>,
    checks: &'s mut Checks,
}

impl<'c> Scalars<'_, 'c> {
    fn compute(&mut self, op: Op<'c>) -> Result<Value, Failed> {
        let Some(result) = results(op).first().copied() else {
            return Err(unsupported_op(op));
        };
        let Some(ty) = element_type(result.r#type()) else {
            return Err(unsupported_op(op));
        };
        let value = match name(op) {
            "arith.constant" => constant(op, ty).ok_or_else(|| unsupported_op(op))?,
            "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui"
            | "arith.trunci" => Value::Integer(ty, self.cast(op, ty)?),
            "affine.apply" | "affine.min" | "affine.max" => Value::index(self.affine(op)?),
            "arith.cmpi" | "arith.andi" | "arith.ori" | "arith.xori" if ty == ElementType::I1 => {
                Value::Integer(ty, self.truth(op, result)?)
            }
            "arith.select" if !ty.is_float() => Value::Integer(ty, self.select(op)?),
            "arith.sitofp" | "arith.uitofp" | "arith.addf" | "arith.subf" | "arith.mulf"
                if ty == ElementType::F64 =>
            {
                Value::Whole(self.whole_result(op)?)
            }
            _ => Value::Integer(ty, self.arithmetic(op, ty)?),
        };
        if let Value::Integer(_, expr) = &value {
            check_size(op, [expr])?;
        }
        Ok(value)
    }

    /// Returns the value of an integer operand of any width. For a type narrower than 64 bits, the
    /// function adds to the launch plan a check that the value is in the range of the type. A value
    /// outside of the range of its type would wrap around in the compiled program.
    fn exact(&mut self, op: Op<'c>, value: Val<'c>) -> Result<Expr, Failed> {
        let (ty, expr) = self.values.integer(op, value)?;
        if ty != ElementType::I1 && width(ty) < 64 && !self.checks.is_in_branch() {
            self.check_fits(op, ty, &expr)?;
            return Ok(expr);
        }
        self.values.index(op, value)
    }

    fn check_fits(&mut self, op: Op<'c>, ty: ElementType, expr: &Expr) -> Result<(), Failed> {
        if self.values.fits(ty, expr) {
            return Ok(());
        }
        let highest = 1_i64 << (width(ty) - 1);
        self.check_range(op, expr, (-highest, highest - 1), &format!("fits in {ty}"))
    }

    /// Adds to the launch plan a check that a value is in the range from `low` to `high`. `op` is
    /// the op that uses or computes the value.
    fn check_range(
        &mut self,
        op: Op<'c>,
        expr: &Expr,
        (low, high): (i64, i64),
        fits: &str,
    ) -> Result<(), Failed> {
        if self.checks.is_in_branch() {
            return Err(unsupported_op(op));
        }
        let message = format!("a value of `{}` {fits}", name(op));
        if !expr.is_non_negative() {
            self.checks
                .require(op, Expr::Const(low), expr.clone(), message.clone())?;
        }
        self.checks
            .require(op, expr.clone(), Expr::Const(high), message)
    }

    /// Returns an expression whose value is 1 if `condition` is true, and 0 if `condition` is
    /// false.
    fn truth(&self, op: Op<'c>, condition: Val<'c>) -> Result<Expr, Failed> {
        let distance = distance(self.values, op, condition, 0)?;
        Ok(Expr::Const(1).minus(distance.max(Expr::Const(0)).min(Expr::Const(1))))
    }

    fn select(&self, op: Op<'c>) -> Result<Expr, Failed> {
        let [condition, yes, no] = operands(op)[..] else {
            return Err(unsupported_op(op));
        };
        let ((_, left), (_, right)) = (self.values.integer(op, yes)?, self.values.integer(op, no)?);
        if let Some(comparison) = defining_op(condition).filter(|op| is(*op, "arith.cmpi"))
            && let [a, b] = operands(comparison)[..]
            && (a == yes && b == no || a == no && b == yes)
        {
            let (_, relation, _) = integer_comparison(self.values, comparison)?;
            let is_less = matches!(relation, Relation::Less | Relation::LessOrEqual);
            if is_less || matches!(relation, Relation::Greater | Relation::GreaterOrEqual) {
                return Ok(if is_less == (a == yes) {
                    left.min(right)
                } else {
                    left.max(right)
                });
            }
        }
        Ok(match self.truth(op, condition)? {
            Expr::Const(0) => right,
            Expr::Const(_) => left,
            truth => right.clone().plus(truth.times(left.minus(right))),
        })
    }

    /// Translates an `f64` op on integer-valued operands. The results of `f64` ops are exact up to
    /// a magnitude of 2^53. The function adds to the launch plan a check that fails if the
    /// magnitude of the result exceeds 2^53.
    fn whole_result(&mut self, op: Op<'c>) -> Result<Expr, Failed> {
        let inputs = operands(op);
        let result = match (name(op), &inputs[..]) {
            ("arith.sitofp", [value]) => self.exact(op, *value)?,
            ("arith.uitofp", [value]) => self.exact(op, *value)?.non_negative(),
            (name, [left, right]) => {
                let (Some(left), Some(right)) = (
                    self.values.whole_number(*left),
                    self.values.whole_number(*right),
                ) else {
                    return Err(unsupported_op(op));
                };
                match name {
                    "arith.addf" => left.plus(right),
                    "arith.subf" => left.minus(right),
                    _ => left.times(right),
                }
            }
            _ => return Err(unsupported_op(op)),
        };
        if result
            .as_const()
            .is_none_or(|n| n.unsigned_abs() > MAX_WHOLE.unsigned_abs())
        {
            self.check_range(op, &result, (-MAX_WHOLE, MAX_WHOLE), "is exact in f64")?;
        }
        Ok(result)
    }

    fn arithmetic(&mut self, op: Op<'c>, ty: ElementType) -> Result<Expr, Failed> {
        type Build = fn(Expr, Expr) -> Expr;
        let (unsigned, build): (bool, Build) = match name(op) {
            "arith.addi" => (false, Expr::plus),
            "arith.subi" => (false, Expr::minus),
            "arith.muli" => (false, Expr::times),
            "arith.divui" => (true, Expr::floor_div),
            "arith.divsi" => (false, Expr::trunc_div),
            "arith.floordivsi" => (false, Expr::floor_div),
            "arith.ceildivui" => (true, Expr::ceil_div),
            "arith.ceildivsi" => (false, Expr::ceil_div),
            "arith.remui" => (true, Expr::modulo),
            "arith.remsi" => (false, Expr::trunc_rem),
            "arith.minui" => (true, Expr::min),
            "arith.minsi" => (false, Expr::min),
            "arith.maxui" => (true, Expr::max),
            "arith.maxsi" => (false, Expr::max),
            _ => return Err(unsupported_op(op)),
        };
        let [left, right] = operands(op)[..] else {
            return Err(unsupported_op(op));
        };
        let (left, right) = (self.exact(op, left)?, self.exact(op, right)?);
        let result = if unsigned {
            // An unsigned op treats a negative number as larger than every size.
            build(left.non_negative(), right.non_negative())
        } else {
            build(left, right)
        };
        if width(ty) < 64 {
            self.check_fits(op, ty, &result)?;
        }
        Ok(result)
    }

    /// Translates an integer cast. For a narrowing cast, the function returns the value of the
    /// operand without truncation. The launch plan contains checks that each value passed to a
    /// kernel is in the range of its type.
    fn cast(&mut self, op: Op<'c>, to: ElementType) -> Result<Expr, Failed> {
        let Some(operand) = operands(op).first().copied() else {
            return Err(unsupported_op(op));
        };
        let (from, value) = self.values.integer(op, operand)?;
        if width(from) >= width(to) || width(from) == 64 {
            return Ok(value);
        }
        if from != ElementType::I1 && !self.checks.is_in_branch() {
            self.check_fits(op, from, &value)?;
        } else if !self.values.fits(from, &value) && from != ElementType::I1 {
            return Err(error(
                op.location(),
                format!(
                    "`{}` extends a value that was truncated to {from}",
                    name(op)
                ),
            )
            .code(codes::TX0608)
            .note("use the value from before the truncation")
            .emit());
        }
        let unsigned = matches!(name(op), "arith.index_castui" | "arith.extui");
        Ok(match (from, unsigned) {
            // As a signed number, an `i1` is 0 or -1.
            (ElementType::I1, false) => Expr::Const(0).minus(value),
            (ElementType::I1, true) | (_, false) => value,
            (_, true) => value.modulo(Expr::Const(1 << width(from))),
        })
    }

    fn affine(&self, op: Op<'c>) -> Result<Expr, Failed> {
        let map = attribute(op, "map").and_then(AffineMap::of);
        let values = operands(op)
            .into_iter()
            .map(|value| self.values.index(op, value))
            .collect::<Result<Vec<_>, _>>()?;
        let combined = map.and_then(|map| {
            let (dims, symbols) = values.split_at_checked(map.dims)?;
            let results = map
                .results
                .iter()
                .map(|result| affine(result, dims, symbols))
                .collect::<Option<Vec<_>>>()?;
            results.into_iter().reduce(match name(op) {
                "affine.max" => Expr::max,
                _ => Expr::min,
            })
        });
        combined.ok_or_else(|| unsupported_op(op))
    }
}

/// Returns the value of an affine expression, with the given values for the dimensions and symbols
/// of the expression.
fn affine(expr: &Affine, dims: &[Expr], symbols: &[Expr]) -> Option<Expr> {
    let both = |l: &Affine, r: &Affine| {
        let pair = (affine(l, dims, symbols)?, affine(r, dims, symbols)?);
        // If a map uses dimensions several times, the composed expression can be exponentially
        // larger than the map.
        (pair.0.terms() + pair.1.terms() <= 4 * Expr::MAX_TERMS).then_some(pair)
    };
    Some(match expr {
        Affine::Dim(d) => dims.get(*d)?.clone(),
        Affine::Symbol(s) => symbols.get(*s)?.clone(),
        Affine::Const(c) => Expr::Const(*c),
        Affine::Add(l, r) => both(l, r).map(|(l, r)| l.plus(r))?,
        Affine::Mul(l, r) => both(l, r).map(|(l, r)| l.times(r))?,
        Affine::Mod(l, r) => both(l, r).map(|(l, r)| l.modulo(r))?,
        Affine::FloorDiv(l, r) => both(l, r).map(|(l, r)| l.floor_div(r))?,
        Affine::CeilDiv(l, r) => both(l, r).map(|(l, r)| l.ceil_div(r))?,
    })
}

fn constant(op: Op<'_>, ty: ElementType) -> Option<Value> {
    let value = attribute(op, "value")?;
    if ty.is_float() {
        let bits = float_bits(value)?;
        return Some(Value::Float(ty, bits));
    }
    let value = integer_value(value)?;
    let value = if ty == ElementType::I1 {
        value & 1
    } else {
        value
    };
    Some(Value::Integer(ty, Expr::Const(value)))
}
