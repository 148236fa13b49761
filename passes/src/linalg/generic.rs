//! Builder of `linalg.generic` ops.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Region, Type};
use tx_mlir::{AffineMap, Builder, Op, Val, parse_attribute};

pub(crate) const ITERATORS: &str = "iterator_types";

/// Returns the iterator types of `dims` loops; `reduces` selects the reduction loops.
pub(crate) fn iterators<'c>(
    b: &Builder<'c>,
    dims: usize,
    reduces: impl Fn(usize) -> bool,
) -> Attribute<'c> {
    let of = |kind: &str| parse_attribute(b.context(), &format!("#linalg.iterator_type<{kind}>"));
    let (parallel, reduction) = (of("parallel"), of("reduction"));
    let each = (0..dims).map(|d| if reduces(d) { reduction } else { parallel });
    ArrayAttribute::new(b.context(), &each.collect::<Vec<_>>()).into()
}

pub(crate) struct Generic<'a, 'c> {
    /// Inputs, then outputs.
    pub(crate) operands: &'a [Val<'c>],
    pub(crate) maps: &'a [AffineMap],
    pub(crate) inputs: usize,
    pub(crate) iterators: Attribute<'c>,
    pub(crate) results: &'a [Type<'c>],
    pub(crate) body: Region<'c>,
}

impl<'c> Generic<'_, 'c> {
    pub(crate) fn build(self, b: &Builder<'c>) -> Op<'c> {
        let maps = self.maps.iter().map(|map| map.to_attribute(b.context()));
        let maps = ArrayAttribute::new(b.context(), &maps.collect::<Vec<_>>());
        b.create("linalg.generic")
            .operands(self.operands)
            .results(self.results)
            .attr("indexing_maps", maps.into())
            .attr(ITERATORS, self.iterators)
            .segments(&[self.inputs, self.operands.len() - self.inputs])
            .region(self.body)
            .build()
    }
}
