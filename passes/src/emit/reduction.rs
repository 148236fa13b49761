//! Ops that end a reduction: the exchange between threads, and the conversion to results.

use crate::combiner::Combiner;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::Scope;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val, i64_attribute};

/// Threads that `tile.all_reduce` combines.
#[derive(Clone, Copy)]
pub struct Group {
    /// Scope of the threads.
    pub scope: Scope,
    /// Number of threads per group; `None` means all threads of the scope.
    pub width: Option<i64>,
    /// Distance between consecutive threads of a group, in threads.
    pub stride: i64,
    /// Instructions that exchange values between lanes: `shuffle` or `redux`. If the field
    /// `variant` is `None`, `tile-select-variant` chooses the instructions.
    pub variant: Option<&'static str>,
}

/// Emits a `tile.all_reduce`, which returns the combined value of a group to every thread of the
/// group.
pub fn all_reduce<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    partial: &[Val<'c>],
    group: Group,
) -> Vec<Val<'c>> {
    let mut op = b
        .create("tile.all_reduce")
        .attr("kind", combiner.kind().to_attribute(b.context()))
        .attr("scope", group.scope.to_attribute(b.context()));
    let region = match combiner.region() {
        Some((block, identities)) => {
            let identities = ArrayAttribute::new(b.context(), identities);
            op = op.attr("identities", identities.into());
            b.copy_of(block)
        }
        None => {
            op = op
                .attr_type("acc", combiner.types()[0])
                .attr("nan", combiner.nan().to_attribute(b.context()));
            melior::ir::Region::new()
        }
    };
    if let Some(width) = group.width {
        op = op
            .attr("width", i64_attribute(b.context(), width))
            .attr("stride", i64_attribute(b.context(), group.stride));
    }
    if let Some(variant) = group.variant {
        op = op.attr("variant", StringAttribute::new(b.context(), variant).into());
    }
    let types: Vec<Type<'c>> = partial.iter().map(|v| v.r#type()).collect();
    tx_mlir::results(op.operands(partial).region(region).results(&types).build())
}

/// Converts the combined partial result `total` to the results of a reduction, with element types
/// `types`. If `old` contains the previous values of the outputs, the function combines `total`
/// with the previous values. The result of an empty reduction is the identity.
pub(crate) fn finish<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    total: &[Val<'c>],
    length: Index<'c>,
    old: Option<Vec<Val<'c>>>,
    types: &[Type<'c>],
) -> Vec<Val<'c>> {
    let is_empty = || b.equal(length, Index::Const(0));
    let total = match old {
        // If a row is empty, the combination with the initial value does not change the old values.
        // `argmax` and `argmin` are exceptions, because their initial index must belong to an
        // element.
        Some(old) => {
            let both = combiner.accumulate(b, &old, total);
            if combiner.kind().is_arg() && length.known().is_none() {
                let empty = is_empty();
                let old = combiner.widen_all(b, &old, &both);
                let pairs = old.iter().zip(&both);
                pairs
                    .map(|(old, both)| b.select(empty, *old, *both))
                    .collect()
            } else {
                both
            }
        }
        None if combiner.start_is_not_identity() => match b.equal(length, Index::Const(0)) {
            Cond::Const(false) => total.to_vec(),
            empty => combiner
                .identity(b)
                .into_iter()
                .zip(total)
                .map(|(i, t)| b.select(empty, i, *t))
                .collect(),
        },
        None => total.to_vec(),
    };
    combiner.narrow(b, &total, types)
}
