//! Builder methods that copy ops and blocks, and that create regions of one block.

use super::{Builder, argument};
use crate::ir::{Blk, Op, Val, copy, key, name, operands, ops, results, set_operand, walk};
use melior::ir::block::BlockLike;
use melior::ir::{Block, Region, RegionLike, Type, ValueLike};
use std::collections::BTreeMap;

impl<'c> Builder<'c> {
    /// Copies the ops of `block` with the values `arguments` in place of the block arguments.
    /// Returns the operands of the terminator of `block`, with each copied value replaced by its
    /// copy.
    pub fn inline(&self, block: Blk<'c>, arguments: &[Val<'c>]) -> Vec<Val<'c>> {
        let arguments: Vec<_> = arguments.iter().copied().enumerate().collect();
        self.inline_with(block, &arguments, &|_| None)
    }

    /// Copies the ops of `block` like [`Self::inline`]. `arguments` contains pairs: the index of a
    /// block argument, and its replacement. The function does not copy an op for which the closure
    /// `known` returns values; these values replace the results of the op.
    pub fn inline_with(
        &self,
        block: Blk<'c>,
        arguments: &[(usize, Val<'c>)],
        known: &dyn Fn(Op<'c>) -> Option<Vec<Val<'c>>>,
    ) -> Vec<Val<'c>> {
        let mut copies: BTreeMap<usize, Val<'c>> = arguments
            .iter()
            .map(|(i, v)| (key(argument(block, *i)), *v))
            .collect();
        let all = ops(block);
        let Some((last, rest)) = all.split_last() else {
            return Vec::new();
        };
        for op in rest {
            let made = known(*op).unwrap_or_else(|| {
                let copy = self.insert(copy(*op));
                for inner in walk(copy) {
                    for (i, operand) in operands(inner).into_iter().enumerate() {
                        if let Some(new) = copies.get(&key(operand)) {
                            set_operand(inner, i, *new);
                        }
                    }
                }
                results(copy)
            });
            copies.extend(results(*op).into_iter().map(key).zip(made));
        }
        operands(*last)
            .into_iter()
            .map(|v| copies.get(&key(v)).copied().unwrap_or(v))
            .collect()
    }

    /// Copies `op` with operands `inputs`, and returns the results of the copy. `op` must have no
    /// regions.
    pub fn copy_with(&self, op: Op<'c>, inputs: &[Val<'c>]) -> Vec<Val<'c>> {
        let copy = self.insert(copy(op));
        for (i, input) in inputs.iter().enumerate() {
            set_operand(copy, i, *input);
        }
        results(copy)
    }

    /// Creates a region of one block with arguments of types `arguments`. The values that `body`
    /// returns become the operands of the region's terminator.
    pub fn region_of(
        &self,
        arguments: &[Type<'c>],
        terminator: &str,
        body: impl FnOnce(&Self, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Region<'c> {
        let types: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        let region = Region::new();
        let made = region.append_block(Block::new(&types));
        // SAFETY: the block belongs to the region, which is returned and outlives this use.
        let made = unsafe { Blk::from_raw(made.to_raw()) };
        let inner = self.inside(made);
        let arguments: Vec<Val<'c>> = (0..types.len()).map(|i| argument(made, i)).collect();
        let results = body(&inner, &arguments);
        inner.create(terminator).operands(&results).build();
        region
    }

    /// Creates a region whose only block is a copy of `block`.
    pub fn copy_of(&self, block: Blk<'c>) -> Region<'c> {
        let types: Vec<Type<'c>> = (0..block.argument_count())
            .map(|i| argument(block, i).r#type())
            .collect();
        let terminator = ops(block).last().map_or("tile.yield", |last| name(*last));
        self.region_of(&types, terminator, |b, arguments| {
            b.inline(block, arguments)
        })
    }

    /// Copies `op` with its regions. The copy has the same operands as `op`.
    pub fn copy(&self, op: Op<'c>) -> Op<'c> {
        self.insert(copy(op))
    }
}
