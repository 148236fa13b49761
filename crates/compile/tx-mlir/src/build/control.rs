//! Structured control flow: `scf.for` and `scf.if`.

use super::{Builder, Cond, Index, argument};
use crate::ir::{Val, blocks, results};
use melior::ir::{Block, Region, RegionLike, Type, ValueLike};

impl<'c> Builder<'c> {
    /// Emits an `scf.for` over `from..to` with iteration arguments `inits`. Returns the results of
    /// the loop. If the trip count is the constant 0 or 1, the function emits no `scf.for`.
    pub fn for_loop(
        &self,
        from: Index<'c>,
        to: Index<'c>,
        step: Index<'c>,
        inits: &[Val<'c>],
        body: impl FnOnce(&Self, Index<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        if let (Index::Const(from), Index::Const(to), Index::Const(step)) = (from, to, step) {
            if from >= to {
                return inits.to_vec();
            }
            if from + step >= to {
                return body(self, Index::Const(from), inits);
            }
        }
        let types: Vec<Type<'c>> = inits.iter().map(|v| v.r#type()).collect();
        let arguments: Vec<_> = std::iter::once(self.index_type())
            .chain(types.iter().copied())
            .map(|t| (t, self.location))
            .collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        let mut operands = vec![self.value(from), self.value(to), self.value(step)];
        operands.extend(inits);
        let op = self
            .create("scf.for")
            .operands(&operands)
            .results(&types)
            .region(region)
            .build();
        let block = blocks(op)[0];
        let inner = self.inside(block);
        let carried: Vec<Val<'c>> = (1..=inits.len()).map(|i| argument(block, i)).collect();
        let left = body(&inner, Index::Val(argument(block, 0)), &carried);
        inner.create("scf.yield").operands(&left).build();
        results(op)
    }

    /// Emits an `scf.if` without results. Returns one builder per branch of the `scf.if`. Each
    /// builder inserts ops before the `scf.yield` of its branch.
    pub fn branches(&self, condition: Val<'c>) -> [Self; 2] {
        let region = || {
            let region = Region::new();
            region.append_block(Block::new(&[]));
            region
        };
        let op = self
            .create("scf.if")
            .operands(&[condition])
            .region(region())
            .region(region())
            .build();
        [0, 1].map(|branch| {
            let mut inner = self.inside(blocks(op)[branch]);
            inner.before = Some(inner.create("scf.yield").build());
            inner
        })
    }

    /// Emits or folds an `scf.if` without an else branch.
    pub fn if_then(&self, condition: Cond<'c>, then: impl FnOnce(&Self)) {
        let run = |b: &Self| {
            then(b);
            Vec::new()
        };
        self.branch(condition, &[], false, run, |_| Vec::new());
    }

    /// Emits or folds an `scf.if` with both branches and no results.
    pub fn if_then_else(
        &self,
        condition: Cond<'c>,
        then: impl FnOnce(&Self),
        otherwise: impl FnOnce(&Self),
    ) {
        let then = |b: &Self| {
            then(b);
            Vec::new()
        };
        let otherwise = |b: &Self| {
            otherwise(b);
            Vec::new()
        };
        self.branch(condition, &[], true, then, otherwise);
    }

    /// Emits or folds an `scf.if` with results of types `types`.
    pub fn if_else(
        &self,
        condition: Cond<'c>,
        types: &[Type<'c>],
        then: impl FnOnce(&Self) -> Vec<Val<'c>>,
        otherwise: impl FnOnce(&Self) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        self.branch(condition, types, !types.is_empty(), then, otherwise)
    }

    fn branch(
        &self,
        condition: Cond<'c>,
        types: &[Type<'c>],
        has_else: bool,
        then: impl FnOnce(&Self) -> Vec<Val<'c>>,
        otherwise: impl FnOnce(&Self) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let condition = match condition {
            Cond::Const(true) => return then(self),
            Cond::Const(false) => return otherwise(self),
            Cond::Val(c) => c,
        };
        let (yes, no) = (Region::new(), Region::new());
        yes.append_block(Block::new(&[]));
        if has_else {
            no.append_block(Block::new(&[]));
        }
        let op = self
            .create("scf.if")
            .operands(&[condition])
            .results(types)
            .region(yes)
            .region(no)
            .build();
        let made = blocks(op);
        let inner = self.inside(made[0]);
        let values = then(&inner);
        inner.create("scf.yield").operands(&values).build();
        if let Some(block) = made.get(1) {
            let inner = self.inside(*block);
            let values = otherwise(&inner);
            inner.create("scf.yield").operands(&values).build();
        }
        results(op)
    }
}
