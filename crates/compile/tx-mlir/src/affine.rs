//! Affine maps and expressions as Rust values.

use crate::build::{Builder, Cond, Index, Predicate};
use crate::ir::Op;
use melior::Context;
use melior::ir::{Attribute, AttributeLike};
use mlir_sys::MlirAffineExpr;
use std::fmt;

/// Affine expression over dimensions and symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Affine {
    /// Dimension with this position.
    Dim(usize),
    /// Symbol with this position.
    Symbol(usize),
    /// Integer constant.
    Const(i64),
    /// Sum of two expressions.
    Add(Box<Self>, Box<Self>),
    /// Product of two expressions.
    Mul(Box<Self>, Box<Self>),
    /// Remainder, never negative.
    Mod(Box<Self>, Box<Self>),
    /// Quotient, rounded down.
    FloorDiv(Box<Self>, Box<Self>),
    /// Quotient, rounded up.
    CeilDiv(Box<Self>, Box<Self>),
}

/// Affine map from dimensions and symbols to results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffineMap {
    /// Number of dimensions.
    pub dims: usize,
    /// Number of symbols.
    pub symbols: usize,
    /// One expression per result.
    pub results: Vec<Affine>,
}

impl Affine {
    fn from_raw(raw: MlirAffineExpr) -> Option<Self> {
        let index = |n: isize| usize::try_from(n).ok();
        // SAFETY: the code checks the kind of the expression before it calls an accessor of this
        // kind, and expressions live as long as their context.
        unsafe {
            if mlir_sys::mlirAffineExprIsADim(raw) {
                return index(mlir_sys::mlirAffineDimExprGetPosition(raw)).map(Self::Dim);
            }
            if mlir_sys::mlirAffineExprIsASymbol(raw) {
                return index(mlir_sys::mlirAffineSymbolExprGetPosition(raw)).map(Self::Symbol);
            }
            if mlir_sys::mlirAffineExprIsAConstant(raw) {
                return Some(Self::Const(mlir_sys::mlirAffineConstantExprGetValue(raw)));
            }
            let left = Box::new(Self::from_raw(mlir_sys::mlirAffineBinaryOpExprGetLHS(raw))?);
            let right = Box::new(Self::from_raw(mlir_sys::mlirAffineBinaryOpExprGetRHS(raw))?);
            Some(if mlir_sys::mlirAffineExprIsAAdd(raw) {
                Self::Add(left, right)
            } else if mlir_sys::mlirAffineExprIsAMul(raw) {
                Self::Mul(left, right)
            } else if mlir_sys::mlirAffineExprIsAMod(raw) {
                Self::Mod(left, right)
            } else if mlir_sys::mlirAffineExprIsAFloorDiv(raw) {
                Self::FloorDiv(left, right)
            } else {
                Self::CeilDiv(left, right)
            })
        }
    }

    fn to_raw(&self, context: &Context) -> MlirAffineExpr {
        let both = |l: &Self, r: &Self| (l.to_raw(context), r.to_raw(context));
        // SAFETY: the context is alive, and expressions live as long as their context.
        unsafe {
            match self {
                Self::Dim(n) => mlir_sys::mlirAffineDimExprGet(context.to_raw(), n.cast_signed()),
                Self::Symbol(n) => {
                    mlir_sys::mlirAffineSymbolExprGet(context.to_raw(), n.cast_signed())
                }
                Self::Const(n) => mlir_sys::mlirAffineConstantExprGet(context.to_raw(), *n),
                Self::Add(l, r) => {
                    let (l, r) = both(l, r);
                    mlir_sys::mlirAffineAddExprGet(l, r)
                }
                Self::Mul(l, r) => {
                    let (l, r) = both(l, r);
                    mlir_sys::mlirAffineMulExprGet(l, r)
                }
                Self::Mod(l, r) => {
                    let (l, r) = both(l, r);
                    mlir_sys::mlirAffineModExprGet(l, r)
                }
                Self::FloorDiv(l, r) => {
                    let (l, r) = both(l, r);
                    mlir_sys::mlirAffineFloorDivExprGet(l, r)
                }
                Self::CeilDiv(l, r) => {
                    let (l, r) = both(l, r);
                    mlir_sys::mlirAffineCeilDivExprGet(l, r)
                }
            }
        }
    }

    /// Returns the two operands of a binary expression; `None` for a dimension, a symbol or a
    /// constant.
    pub fn operands(&self) -> Option<(&Self, &Self)> {
        match self {
            Self::Dim(_) | Self::Symbol(_) | Self::Const(_) => None,
            Self::Add(l, r)
            | Self::Mul(l, r)
            | Self::Mod(l, r)
            | Self::FloorDiv(l, r)
            | Self::CeilDiv(l, r) => Some((l, r)),
        }
    }

    /// Returns whether the expression contains dimension `dim`.
    pub fn uses(&self, dim: usize) -> bool {
        match self.operands() {
            Some((l, r)) => l.uses(dim) || r.uses(dim),
            None => *self == Self::Dim(dim),
        }
    }

    /// Returns the expression with dimension `i` replaced by `dims[i]`.
    #[must_use]
    pub fn replace(&self, dims: &[Self]) -> Self {
        let both = |l: &Self, r: &Self| (Box::new(l.replace(dims)), Box::new(r.replace(dims)));
        match self {
            Self::Dim(d) => dims[*d].clone(),
            Self::Symbol(_) | Self::Const(_) => self.clone(),
            Self::Add(l, r) => {
                let (l, r) = both(l, r);
                Self::Add(l, r)
            }
            Self::Mul(l, r) => {
                let (l, r) = both(l, r);
                Self::Mul(l, r)
            }
            Self::Mod(l, r) => {
                let (l, r) = both(l, r);
                Self::Mod(l, r)
            }
            Self::FloorDiv(l, r) => {
                let (l, r) = both(l, r);
                Self::FloorDiv(l, r)
            }
            Self::CeilDiv(l, r) => {
                let (l, r) = both(l, r);
                Self::CeilDiv(l, r)
            }
        }
    }

    /// Returns the coefficient of dimension `dim`: the constant by which the value of the
    /// expression increases if the dimension increases by 1. Returns `None` if the function finds
    /// no constant coefficient.
    pub fn step(&self, dim: usize) -> Option<i64> {
        if !self.uses(dim) {
            return Some(0);
        }
        match self {
            Self::Dim(_) => Some(1),
            Self::Add(l, r) => l.step(dim)?.checked_add(r.step(dim)?),
            Self::Mul(l, r) => match (&**l, &**r) {
                (x, Self::Const(c)) | (Self::Const(c), x) => x.step(dim)?.checked_mul(*c),
                _ => None,
            },
            _ => None,
        }
    }
}

impl AffineMap {
    /// Reads an `affine_map` attribute; returns `None` for an attribute of any other kind.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        let count = |n: isize| usize::try_from(n).ok();
        // SAFETY: the accessors are called on an affine map, with positions of existing results.
        unsafe {
            if !mlir_sys::mlirAttributeIsAAffineMap(raw) {
                return None;
            }
            let map = mlir_sys::mlirAffineMapAttrGetValue(raw);
            Some(Self {
                dims: count(mlir_sys::mlirAffineMapGetNumDims(map))?,
                symbols: count(mlir_sys::mlirAffineMapGetNumSymbols(map))?,
                results: (0..mlir_sys::mlirAffineMapGetNumResults(map))
                    .map(|i| Affine::from_raw(mlir_sys::mlirAffineMapGetResult(map, i)))
                    .collect::<Option<_>>()?,
            })
        }
    }

    /// Returns the identity map over `dims` dimensions.
    pub fn identity(dims: usize) -> Self {
        Self::select(dims, 0..dims)
    }

    /// Returns the affine map from `dims` dimensions to the dimensions `results`.
    pub fn select(dims: usize, results: impl IntoIterator<Item = usize>) -> Self {
        Self {
            dims,
            symbols: 0,
            results: results.into_iter().map(Affine::Dim).collect(),
        }
    }

    /// Returns the dimension of each result of a projected permutation; `None` for any other map.
    pub fn as_projected_permutation(&self) -> Option<Vec<usize>> {
        let mut dims = Vec::new();
        for result in &self.results {
            match result {
                Affine::Dim(d) if !dims.contains(d) => dims.push(*d),
                _ => return None,
            }
        }
        Some(dims)
    }

    /// Returns a map with `dims` dimensions, in which the expression `by[i]` replaces each
    /// dimension `i` of the original map.
    #[must_use]
    pub fn replace(&self, dims: usize, by: &[Affine]) -> Self {
        Self {
            dims,
            symbols: self.symbols,
            results: self.results.iter().map(|r| r.replace(by)).collect(),
        }
    }

    /// Returns the map as an `affine_map` attribute.
    pub fn to_attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let mut results: Vec<MlirAffineExpr> =
            self.results.iter().map(|r| r.to_raw(context)).collect();
        // SAFETY: the context is alive, and expressions live as long as their context.
        unsafe {
            let map = mlir_sys::mlirAffineMapGet(
                context.to_raw(),
                self.dims.cast_signed(),
                self.symbols.cast_signed(),
                results.len().cast_signed(),
                results.as_mut_ptr(),
            );
            Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map))
        }
    }
}

/// Returns the indexing maps of a `linalg` op, one per operand; `None` for an op of any other
/// dialect.
pub fn indexing_maps(op: Op<'_>) -> Option<Vec<AffineMap>> {
    // SAFETY: the op is alive; the C API returns null for ops of other dialects.
    let maps = unsafe {
        let raw = mlir_sys::mlirLinalgGetIndexingMapsAttribute(op.to_raw());
        if raw.ptr.is_null() {
            return None;
        }
        Attribute::from_raw(raw)
    };
    crate::ir::elements(maps)?
        .into_iter()
        .map(AffineMap::of)
        .collect()
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dim(d) => write!(f, "d{d}"),
            Self::Symbol(s) => write!(f, "s{s}"),
            // MLIR cannot parse the literal 2^63, but it folds this difference to the same
            // constant.
            Self::Const(i64::MIN) => write!(f, "({} - 1)", i64::MIN + 1),
            Self::Const(c) => write!(f, "{c}"),
            Self::Add(l, r) => write!(f, "({l} + {r})"),
            Self::Mul(l, r) => write!(f, "({l} * {r})"),
            Self::Mod(l, r) => write!(f, "({l} mod {r})"),
            Self::FloorDiv(l, r) => write!(f, "({l} floordiv {r})"),
            Self::CeilDiv(l, r) => write!(f, "({l} ceildiv {r})"),
        }
    }
}

impl fmt::Display for AffineMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &mut dyn Iterator<Item = String>| {
            f.write_str(&items.collect::<Vec<_>>().join(", "))
        };
        f.write_str("(")?;
        list(f, &mut (0..self.dims).map(|d| format!("d{d}")))?;
        f.write_str(")")?;
        if self.symbols > 0 {
            f.write_str("[")?;
            list(f, &mut (0..self.symbols).map(|s| format!("s{s}")))?;
            f.write_str("]")?;
        }
        f.write_str(" -> (")?;
        list(f, &mut self.results.iter().map(ToString::to_string))?;
        f.write_str(")")
    }
}

impl<'c> Builder<'c> {
    /// Emits ops that compute the value of an affine expression, with the elements of `point` as
    /// the values of the dimensions. The caller must not pass expressions with symbols, because the
    /// function replaces each symbol by 0.
    pub fn affine(&self, expr: &Affine, point: &[Index<'c>]) -> Index<'c> {
        let both = |l: &Affine, r: &Affine| (self.affine(l, point), self.affine(r, point));
        let op = |name: &str, l: Index<'c>, r: Index<'c>| {
            Index::Val(self.binary(name, self.value(l), self.value(r)))
        };
        match expr {
            Affine::Dim(d) => point[*d],
            Affine::Symbol(_) => Index::Const(0),
            Affine::Const(number) => Index::Const(*number),
            Affine::Add(l, r) => {
                let (l, r) = both(l, r);
                self.add(l, r)
            }
            Affine::Mul(l, r) => {
                let (l, r) = both(l, r);
                self.mul(l, r)
            }
            // The dividend may be negative, as in `d0 - d1`.
            Affine::Mod(l, r) => {
                let (l, r) = both(l, r);
                let rest = op("arith.remsi", l, r);
                let zero = self.value(Index::Const(0));
                let negative = self.compare(Predicate::Slt, self.value(rest), zero);
                self.select_index(Cond::Val(negative), self.add(rest, r), rest)
            }
            Affine::FloorDiv(l, r) => {
                let (l, r) = both(l, r);
                op("arith.floordivsi", l, r)
            }
            Affine::CeilDiv(l, r) => {
                let (l, r) = both(l, r);
                op("arith.ceildivsi", l, r)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_again() {
        let context = Context::new();
        for constant in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX] {
            let product = Affine::Mul(Box::new(Affine::Dim(0)), Box::new(Affine::Const(constant)));
            let map = AffineMap {
                dims: 1,
                symbols: 0,
                results: vec![product, Affine::Const(constant)],
            };
            let text = map.to_attribute(&context).to_string();
            let last = format!("{constant})>");
            assert!(text.ends_with(&last), "{text}, expected {last}");
        }
    }
}
