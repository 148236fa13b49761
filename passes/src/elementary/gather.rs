//! Combines conversions of adjacent 8-bit floats into conversions of vectors.

use super::arithmetic::{convert, parts};
use super::narrow::f8_of;
use crate::emit::vector_of;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use tx_mlir::{
    Builder, Op, Val, attribute, defining_op, erase, is, operands, replace_uses, results, users,
    walk,
};

/// Combines conversions of adjacent elements in a GPU module into conversions of vectors, because
/// one GPU instruction converts a pair of elements.
pub(crate) fn gather(module: Op<'_>) {
    let all = walk(module);
    let of = |wanted: &'static str| all.iter().copied().filter(move |op| is(*op, wanted));
    let rounded: Vec<_> = of("vector.from_elements").collect();
    let widened: Vec<_> = of("arith.extf").filter_map(Element::of).collect();
    // The pass forms all groups before it erases the first op.
    let mut groups: Vec<Vec<&Element<'_>>> = Vec::new();
    for element in &widened {
        match groups
            .iter_mut()
            .find(|group| group[0].is_of_same_vector(element))
        {
            Some(group) => group.push(element),
            None => groups.push(vec![element]),
        }
    }
    for group in groups.iter().filter(|group| group.len() > 1) {
        gather_widened(group);
    }
    rounded.into_iter().for_each(gather_rounded);
}

/// Replaces the rounding of each element of a `vector.from_elements` by one rounding of the whole
/// vector.
fn gather_rounded(op: Op<'_>) {
    let result = results(op)[0];
    let is_rounded = |value: &Val<'_>| {
        defining_op(*value).is_some_and(|op| is(op, "arith.truncf")) && users(*value).len() == 1
    };
    let elements = operands(op);
    if f8_of(result.r#type()).is_none() || elements.len() < 2 || !elements.iter().all(is_rounded) {
        return;
    }
    let rounded: Vec<_> = elements.iter().filter_map(|e| defining_op(*e)).collect();
    let sources: Vec<_> = rounded.iter().map(|op| operands(*op)[0]).collect();
    if sources
        .iter()
        .any(|source| source.r#type() != sources[0].r#type())
    {
        return;
    }
    let b = Builder::before(op);
    let whole = convert(&b, "arith.truncf", vector_of(&b, &sources), result.r#type());
    replace_uses(result, whole);
    erase(op);
    rounded.into_iter().for_each(erase);
}

/// A conversion of an element that is extracted from a vector of 8-bit floats.
struct Element<'c> {
    op: Op<'c>,
    extract: Op<'c>,
    vector: Val<'c>,
}

impl<'c> Element<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let extract = defining_op(operands(op)[0]).filter(|op| is(*op, "vector.extract"))?;
        let [vector] = operands(extract)[..] else {
            return None;
        };
        let is_whole = users(results(extract)[0]).len() == 1 && parts(vector.r#type()).0.is_some();
        (is_whole && f8_of(vector.r#type()).is_some()).then_some(Self {
            op,
            extract,
            vector,
        })
    }

    /// Returns whether two conversions have the same source vector and result type, and are in the
    /// same MLIR block.
    fn is_of_same_vector(&self, other: &Self) -> bool {
        self.vector == other.vector
            && self.op.block() == other.op.block()
            && results(self.op)[0].r#type() == results(other.op)[0].r#type()
    }
}

/// Inserts one conversion of the whole vector before the first of `elements`, and replaces the
/// conversion of each element by an extraction from the converted vector.
fn gather_widened(elements: &[&Element<'_>]) {
    let Some(first) = elements.first() else {
        return;
    };
    let (lanes, _) = parts(first.vector.r#type());
    let to = results(first.op)[0].r#type();
    let b = Builder::before(first.op);
    let whole = Type::vector(&[lanes.unwrap_or(1)], to);
    let whole = convert(&b, "arith.extf", first.vector, whole);
    for Element { op, extract, .. } in elements {
        let element = b.create("vector.extract").operands(&[whole]).result(to);
        let element = match attribute(*extract, "static_position") {
            Some(position) => element.attr("static_position", position),
            None => element,
        };
        replace_uses(results(*op)[0], element.value());
    }
    for Element { op, extract, .. } in elements {
        erase(*op);
        erase(*extract);
    }
}
