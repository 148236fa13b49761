//! Fusion of chains of element-wise ops.

use super::body::Copier;
use super::converted_ops::ConvertedOps;
use super::generic::{Generic, iterators};
use super::plan::Found;
use super::producers::{gather, given};
use super::read::{Loops, element_of};
use crate::analysis::dataflow::Dataflow;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Block, Region, RegionLike, Type};
use tx_mlir::build::argument;
use tx_mlir::{AffineMap, Builder, Op, Val, first_block};

/// An element-wise op and its fused producers. Only ops of the chain read the results of the
/// producers.
pub(crate) struct Chain<'c> {
    loops: Loops<'c>,
    found: Found<'c>,
}

impl<'c> Chain<'c> {
    /// Returns the chain that ends with the op `loops`; `None` if no producer of this op can be
    /// fused.
    pub(crate) fn ending(
        loops: Loops<'c>,
        flow: &Dataflow<'c>,
        converted: &ConvertedOps,
    ) -> Option<Self> {
        let found = gather(&loops, Some((flow, converted)));
        (!found.stages.is_empty()).then_some(Self { loops, found })
    }

    pub(crate) fn gone(&self) -> impl Iterator<Item = Op<'c>> {
        self.found.gone.iter().copied().chain([self.loops.op])
    }

    /// Returns the number of fused producers.
    pub(crate) fn computed(&self) -> usize {
        self.found.stages.len()
    }

    pub(crate) fn write(&self) {
        let op = self.loops.op;
        let b = Builder::before(op);
        let output = &self.loops.outputs[0];
        let operands = || self.found.sources.iter().chain([output]);
        let values: Vec<Val<'c>> = operands().map(|o| o.value).collect();
        let maps: Vec<AffineMap> = operands().map(|o| o.map.clone()).collect();
        let types: Vec<(Type<'c>, _)> = operands()
            .map(|o| (element_of(o.value), op.location()))
            .collect();
        let body = Region::new();
        body.append_block(Block::new(&types));
        let generic = Generic {
            operands: &values,
            maps: &maps,
            inputs: self.found.sources.len(),
            iterators: iterators(&b, self.loops.dims, |_| false),
            results: &[],
            body,
        };
        self.write_body(generic.build(&b));
    }

    fn write_body(&self, made: Op<'c>) {
        let Some(into) = first_block(made, 0) else {
            return;
        };
        let b = Builder::at_start(tx_mlir::context(made), into, made.location());
        let copier = Copier { b: &b, into };
        let sources = self.found.sources.len();
        let elements: Vec<Val<'c>> = (0..sources).map(|i| argument(into, i)).collect();
        let index = |dim: usize| {
            let number =
                IntegerAttribute::new(IntegerType::new(b.context(), 64).into(), dim as i64);
            b.create("linalg.index")
                .attr("dim", number.into())
                .result(b.index_type())
                .value()
        };
        let computed = (&self.found.stages[..], &self.found.inputs[..]);
        let given = given(computed, &copier, &elements, self.loops.dims, &index);
        let result = match self.loops.body {
            None => given[0],
            Some(body) => {
                let given = given.into_iter().enumerate();
                let given = given.map(|(i, value)| (argument(body, i), value));
                let old = self
                    .loops
                    .old_value(0)
                    .map(|old| (old, argument(into, sources)));
                let known: Vec<_> = given.chain(old).collect();
                copier.copy(body, &known, &index, &self.loops.yielded())[0]
            }
        };
        b.create("linalg.yield").operands(&[result]).build();
    }
}
