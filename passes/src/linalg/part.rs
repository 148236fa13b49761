//! Emission of new ops that compute some results of an existing `linalg` op.

use super::attributes::handed_on;
use super::body::{Copier, free_values, slice};
use super::fills::overwritten;
use super::generic::{Generic, iterators};
use super::read::{Loops, element_of};
use crate::analysis::dataflow::Access;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Block, Region, RegionLike, Type};
use std::collections::BTreeSet;
use tx_mlir::build::argument;
use tx_mlir::{
    Affine, AffineMap, Builder, Op, Val, context, erase, first_block, key, set_attribute,
    value_location,
};

/// An operand of the emitted op, and the corresponding block argument of the original body, if any.
pub(super) type Operand<'c> = (Access<'c>, Option<Val<'c>>);

/// A new op that computes some results of the op `loops`.
pub(super) struct Part<'a, 'c> {
    pub(super) loops: &'a Loops<'c>,
    pub(super) dims: usize,
    /// Index of each loop of the original op, as an expression of the loop indices of the new op.
    pub(super) by: Vec<Affine>,
    /// Inputs of the new op, with indexing maps over the loops of the original op.
    pub(super) inputs: Vec<Operand<'c>>,
    pub(super) outputs: Vec<Operand<'c>>,
}

impl<'a, 'c> Part<'a, 'c> {
    /// Creates an op with the given outputs and with the loops of the op `loops`. The inputs of the
    /// new op are the operands from which the values `roots` of the body are computed.
    pub(super) fn of(
        loops: &'a Loops<'c>,
        roots: &[Val<'c>],
        outputs: Vec<Operand<'c>>,
    ) -> Option<Self> {
        let body = loops.body?;
        let used: BTreeSet<usize> = slice(body, roots, |_| false)
            .into_iter()
            .flat_map(free_values)
            .chain(roots.iter().copied())
            .map(key)
            .collect();
        let is_own = |value: Val<'c>| outputs.iter().any(|(_, own)| *own == Some(value));
        let operands = loops.all().cloned().enumerate();
        let operands = operands.map(|(i, access)| (access, argument(body, i)));
        let (mut inputs, others): (Vec<_>, Vec<_>) = operands
            .filter(|(_, value)| !is_own(*value))
            .partition(|(_, value)| used.contains(&key(*value)));
        // The trip count of a loop follows only from the sizes of operands that the loop indexes.
        for d in 0..loops.dims {
            let gives = |access: &Access<'c>| access.map.results.contains(&Affine::Dim(d));
            let mut known = inputs
                .iter()
                .map(|(access, _)| access)
                .chain(outputs.iter().map(|(access, _)| access));
            if !known.any(gives)
                && let Some(other) = others.iter().find(|(access, _)| gives(access))
            {
                inputs.push(other.clone());
            }
        }
        Some(Self {
            loops,
            dims: loops.dims,
            by: (0..loops.dims).map(Affine::Dim).collect(),
            inputs: inputs
                .into_iter()
                .map(|(access, value)| (access, Some(value)))
                .collect(),
            outputs,
        })
    }

    /// Emits the new op. `compute` receives the new body and its block arguments, and returns the
    /// yielded values.
    pub(super) fn write(
        &self,
        b: &Builder<'c>,
        compute: impl FnOnce(&Body<'_, 'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Op<'c> {
        let operands = || self.inputs.iter().chain(&self.outputs);
        let values: Vec<Val<'c>> = operands().map(|(access, _)| access.value).collect();
        let maps: Vec<AffineMap> = operands()
            .map(|(access, _)| access.map.replace(self.dims, &self.by))
            .collect();
        let location = b.location();
        let types: Vec<(Type<'c>, _)> = operands()
            .map(|(access, own)| {
                let location = own.map_or(location, value_location);
                (element_of(access.value), location)
            })
            .collect();
        let region = Region::new();
        region.append_block(Block::new(&types));
        let outputs = &maps[self.inputs.len()..];
        let reduces = |d: usize| {
            let mut all = outputs.iter();
            !all.any(|map| map.results.iter().any(|r| r.uses(d)))
        };
        let made = Generic {
            operands: &values,
            maps: &maps,
            inputs: self.inputs.len(),
            iterators: iterators(b, self.dims, reduces),
            results: &[],
            body: region,
        }
        .build(b);
        if (0..self.dims).any(reduces) {
            for (one, value) in handed_on(self.loops.op) {
                set_attribute(made, one.name, value);
            }
        }
        if let Some(into) = first_block(made, 0) {
            let b = Builder::at_end(context(made), into, location);
            let arguments: Vec<Val<'c>> = (0..values.len()).map(|i| argument(into, i)).collect();
            let known = operands().zip(&arguments);
            let known = known.filter_map(|((_, own), new)| Some(((*own)?, *new)));
            let body = Body {
                part: self,
                copier: Copier { b: &b, into },
                known: known.collect(),
            };
            let yields = compute(&body, &arguments);
            b.create("linalg.yield").operands(&yields).build();
        }
        made
    }

    pub(super) fn write_roots(&self, b: &Builder<'c>, roots: &[Val<'c>]) -> Op<'c> {
        self.write(b, |body, _| body.copy(roots, &[]))
    }

    /// Emits a new op that overwrites its outputs. If a constant fill initializes an output,
    /// `compute` also receives the fill constant, and the new op replaces the fill.
    pub(super) fn overwrite(
        &self,
        b: &Builder<'c>,
        compute: impl FnOnce(&Body<'_, 'c>, &[Val<'c>], &[(Val<'c>, Val<'c>)]) -> Vec<Val<'c>>,
    ) -> Op<'c> {
        let outputs: Vec<&Access<'c>> = self.outputs.iter().map(|(access, _)| access).collect();
        let fills = overwritten(self.loops.op, &outputs);
        let made = self.write(b, |body, given| {
            let outputs = self.outputs.iter().zip(&fills);
            let known = outputs.filter_map(|((access, own), fill)| {
                let (own, (_, value)) = (*own).zip(*fill)?;
                let ty = element_of(access.value);
                let b = body.builder();
                Some((own, b.constant(value.to_attribute(b.context(), ty), ty)))
            });
            let known: Vec<_> = known.collect();
            compute(body, given, &known)
        });
        let mut gone: Vec<Op<'c>> = Vec::new();
        for (fill, _) in fills.into_iter().flatten() {
            if !gone.contains(&fill) {
                gone.push(fill);
            }
        }
        gone.into_iter().for_each(erase);
        made
    }
}

pub(super) struct Body<'b, 'c> {
    part: &'b Part<'b, 'c>,
    copier: Copier<'b, 'c>,
    known: Vec<(Val<'c>, Val<'c>)>,
}

impl<'c> Body<'_, 'c> {
    pub(super) fn builder(&self) -> &Builder<'c> {
        self.copier.b
    }

    /// Copies the computation of `roots` from the original body; `more` lists additional values of
    /// the original body with their replacements.
    pub(super) fn copy(&self, roots: &[Val<'c>], more: &[(Val<'c>, Val<'c>)]) -> Vec<Val<'c>> {
        let Some(body) = self.part.loops.body else {
            return Vec::new();
        };
        let known: Vec<_> = self.known.iter().chain(more).copied().collect();
        self.copier
            .copy(body, &known, &|dim| self.index(dim), roots)
    }

    pub(super) fn index(&self, dim: usize) -> Val<'c> {
        let b = self.copier.b;
        match self.part.by[dim] {
            Affine::Dim(own) => {
                let ty = IntegerType::new(b.context(), 64).into();
                b.create("linalg.index")
                    .attr("dim", IntegerAttribute::new(ty, own as i64).into())
                    .result(b.index_type())
                    .value()
            }
            _ => b.int(0, b.index_type()),
        }
    }
}
