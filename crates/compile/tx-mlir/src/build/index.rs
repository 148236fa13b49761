//! Index arithmetic, comparisons and selections. The builder folds index operations on constants.

use super::Builder;
use crate::ir::{Val, i64_attribute, vector_parts};
use melior::ir::{Type, ValueLike};

/// Index value: a compile-time constant or an SSA value.
#[derive(Clone, Copy)]
pub enum Index<'c> {
    /// Compile-time constant.
    Const(i64),
    /// SSA value of type `index`.
    Val(Val<'c>),
}

impl Index<'_> {
    /// Returns the constant, or `None` for an SSA value.
    pub fn known(self) -> Option<i64> {
        match self {
            Self::Const(n) => Some(n),
            Self::Val(_) => None,
        }
    }
}

/// Boolean condition: a compile-time constant or an SSA value.
#[derive(Clone, Copy)]
pub enum Cond<'c> {
    /// Compile-time constant.
    Const(bool),
    /// SSA value of type `i1`.
    Val(Val<'c>),
}

/// Predicates of `arith.cmpi`, with MLIR's encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are arith's own")]
pub enum Predicate {
    Eq = 0,
    Ne = 1,
    Slt = 2,
    Sle = 3,
    Sgt = 4,
    Sge = 5,
    Ult = 6,
}

impl<'c> Builder<'c> {
    /// Returns the index as an SSA value; a constant becomes an `arith.constant`.
    pub fn value(&self, index: Index<'c>) -> Val<'c> {
        match index {
            Index::Const(n) => self.int(n, self.index_type()),
            Index::Val(v) => v,
        }
    }

    fn fold(
        &self,
        name: &str,
        left: Index<'c>,
        right: Index<'c>,
        known: impl Fn(i64, i64) -> Option<i64>,
    ) -> Index<'c> {
        if let (Index::Const(l), Index::Const(r)) = (left, right)
            && let Some(n) = known(l, r)
        {
            return Index::Const(n);
        }
        Index::Val(self.binary(name, self.value(left), self.value(right)))
    }

    /// Emits or folds `left + right`.
    pub fn add(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (Index::Const(0), x) | (x, Index::Const(0)) => x,
            _ => self.fold("arith.addi", left, right, i64::checked_add),
        }
    }

    /// Emits or folds `left - right`.
    pub fn sub(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (x, Index::Const(0)) => x,
            (Index::Val(l), Index::Val(r)) if l == r => Index::Const(0),
            _ => self.fold("arith.subi", left, right, i64::checked_sub),
        }
    }

    /// Emits or folds `left * right`.
    pub fn mul(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (Index::Const(0), _) | (_, Index::Const(0)) => Index::Const(0),
            (Index::Const(1), x) | (x, Index::Const(1)) => x,
            _ => self.fold("arith.muli", left, right, i64::checked_mul),
        }
    }

    /// Emits or folds `left / right` of non-negative indices, rounded down.
    pub fn div(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (x, Index::Const(1)) => x,
            _ => self.fold("arith.divui", left, right, i64::checked_div),
        }
    }

    /// Emits or folds `left % right` of non-negative indices.
    pub fn rem(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (_, Index::Const(1)) => Index::Const(0),
            _ => self.fold("arith.remui", left, right, i64::checked_rem),
        }
    }

    /// Emits or folds `left / right` of non-negative indices, rounded up.
    pub fn ceildiv(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (x, Index::Const(1)) => x,
            (Index::Const(l), Index::Const(r)) if r > 0 => Index::Const((l + r - 1) / r),
            _ => Index::Val(self.binary("arith.ceildivui", self.value(left), self.value(right))),
        }
    }

    /// Emits or folds `left < right` of non-negative indices.
    pub fn less(&self, left: Index<'c>, right: Index<'c>) -> Cond<'c> {
        match (left, right) {
            (Index::Const(l), Index::Const(r)) => Cond::Const(l < r),
            (_, Index::Const(0)) => Cond::Const(false),
            _ => Cond::Val(self.compare(Predicate::Ult, self.value(left), self.value(right))),
        }
    }

    /// Emits or folds `left == right`.
    pub fn equal(&self, left: Index<'c>, right: Index<'c>) -> Cond<'c> {
        match (left, right) {
            (Index::Const(l), Index::Const(r)) => Cond::Const(l == r),
            _ => Cond::Val(self.compare(Predicate::Eq, self.value(left), self.value(right))),
        }
    }

    /// Emits or folds `!condition`.
    pub fn negate(&self, condition: Cond<'c>) -> Cond<'c> {
        match condition {
            Cond::Const(c) => Cond::Const(!c),
            Cond::Val(v) => Cond::Val(self.not(v)),
        }
    }

    /// Emits or folds `left && right`.
    pub fn and(&self, left: Cond<'c>, right: Cond<'c>) -> Cond<'c> {
        match (left, right) {
            (Cond::Const(false), _) | (_, Cond::Const(false)) => Cond::Const(false),
            (Cond::Const(true), x) | (x, Cond::Const(true)) => x,
            (Cond::Val(l), Cond::Val(r)) => Cond::Val(self.binary("arith.andi", l, r)),
        }
    }

    /// Emits an `arith.cmpi` of scalars.
    pub fn compare(&self, predicate: Predicate, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.create("arith.cmpi")
            .attr("predicate", i64_attribute(self.context, predicate as i64))
            .operands(&[left, right])
            .result(self.int_type(1))
            .value()
    }

    /// Emits an `arith.cmpi` of integers or integer vectors. `predicate` is MLIR's integer encoding
    /// of the comparison predicate, such as 0 for `eq`.
    pub fn compare_ints(&self, predicate: i64, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.compare_as("arith.cmpi", predicate, left, right)
    }

    /// Emits an `arith.cmpf` of floats or float vectors. `predicate` is MLIR's integer encoding of
    /// the comparison predicate, such as 1 for `oeq`.
    pub fn compare_floats(&self, predicate: i64, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.compare_as("arith.cmpf", predicate, left, right)
    }

    fn compare_as(&self, op: &str, predicate: i64, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        let truth = self.int_type(1);
        let ty = match vector_parts(left.r#type()) {
            Some((lanes, _)) => Type::vector(&[lanes], truth),
            None => truth,
        };
        self.create(op)
            .attr("predicate", i64_attribute(self.context, predicate))
            .operands(&[left, right])
            .result(ty)
            .value()
    }

    /// Emits the negation of an `i1`.
    pub fn not(&self, value: Val<'c>) -> Val<'c> {
        self.binary("arith.xori", value, self.int(1, self.int_type(1)))
    }

    /// Emits or folds an `arith.select`.
    pub fn select(&self, condition: Cond<'c>, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        match condition {
            Cond::Const(true) => yes,
            Cond::Const(false) => no,
            Cond::Val(c) => self
                .create("arith.select")
                .operands(&[c, yes, no])
                .result(yes.r#type())
                .value(),
        }
    }

    /// Emits or folds an `arith.select` of two indices.
    pub fn select_index(&self, condition: Cond<'c>, yes: Index<'c>, no: Index<'c>) -> Index<'c> {
        match condition {
            Cond::Const(true) => yes,
            Cond::Const(false) => no,
            Cond::Val(_) => Index::Val(self.select(condition, self.value(yes), self.value(no))),
        }
    }

    /// Emits an `arith.index_cast` to or from `index`.
    pub fn index_cast(&self, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
        if value.r#type() == ty {
            return value;
        }
        self.create("arith.index_cast")
            .operands(&[value])
            .result(ty)
            .value()
    }

    /// Emits an `arith.index_castui` to or from `index`.
    pub fn index_castui(&self, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
        self.create("arith.index_castui")
            .operands(&[value])
            .result(ty)
            .value()
    }
}
