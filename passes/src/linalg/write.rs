//! Emission of the `tile.reduce` of a plan.

use super::attributes::handed_on;
use super::body::Copier;
use super::combiner::Element;
use super::plan::{Given, Input, Plan, Tail};
use super::producers::given;
use super::read::element_of;
use crate::analysis::dataflow::Access;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Attribute, Block, Identifier, Region, RegionLike, Type, TypeLike, ValueLike};
use tx_dialect_tile::{GROUP, Nan, Scope};
use tx_mlir::build::argument;
use tx_mlir::{
    Affine, AffineMap, Builder, MemRef, Op, Val, argument_of, attribute, byte_width, context,
    first_block, i32_array, i64_array,
};

#[derive(Clone, Copy, PartialEq)]
enum Stored {
    Part(usize),
    Computed,
}

/// Emits the `tile.reduce` of a plan.
///
/// # Panics
/// Panics if MLIR cannot create the `tile.reduce`, or if the op of the plan is in no block.
pub(crate) fn write<'c>(plan: &Plan<'c>) -> Op<'c> {
    let context = context(plan.loops.op);
    let location = plan.loops.op.location();
    let index = Type::index(context);
    let partials = plan.partial_types();

    let block = |types: Vec<Type<'c>>| {
        let arguments: Vec<_> = types.into_iter().map(|t| (t, location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        region
    };
    let elements_of = |operands: &[Access<'c>]| -> Vec<Type<'c>> {
        operands.iter().map(|o| element_of(o.value)).collect()
    };
    let (element, epilogue) = (needs_element(plan), needs_epilogue(plan, &partials));
    let combiner_region = match &plan.what.combiner {
        Some(c) => block([&c.types[..], &c.types[..]].concat()),
        None => Region::new(),
    };
    let element_region = if element {
        let indices = vec![index; plan.loops.dims];
        block([elements_of(&plan.sources), indices].concat())
    } else {
        Region::new()
    };
    let epilogue_region = if epilogue {
        let indices = vec![index; plan.loops.kept().len()];
        block([partials.clone(), elements_of(&plan.extras), indices].concat())
    } else {
        Region::new()
    };

    let operands = || {
        plan.sources
            .iter()
            .chain(&plan.destinations)
            .chain(&plan.extras)
    };
    let values: Vec<Val<'c>> = operands().map(|o| o.value).collect();
    let op = OperationBuilder::new("tile.reduce", location)
        .add_operands(&values)
        .add_attributes(&attributes(plan))
        .add_regions_vec(vec![combiner_region, element_region, epilogue_region])
        .build()
        .expect("the op has no results to infer");
    let place = plan.at.block().expect("a reduction stands in a block");
    let op: Op<'c> = place.insert_operation_before(plan.at, op);

    let fill = |region: usize, compute: &dyn Fn(&Copier<'_, 'c>, &[Val<'c>]) -> Vec<Val<'c>>| {
        let Some(into) = first_block(op, region) else {
            return;
        };
        let b = Builder::at_start(context, into, location);
        let arguments: Vec<Val<'c>> = (0..into.argument_count())
            .map(|i| argument(into, i))
            .collect();
        let yields = compute(&Copier { b: &b, into }, &arguments);
        b.create("tile.yield").operands(&yields).build();
    };
    if let Some(combiner) = &plan.what.combiner {
        fill(0, &|copier, arguments| combiner.write(copier, arguments));
    }
    fill(1, &|copier, arguments| {
        write_element(plan, copier, arguments)
    });
    fill(2, &|copier, arguments| {
        write_epilogue(plan, copier, arguments)
    });
    op
}

fn attributes<'c>(plan: &Plan<'c>) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    let op = plan.loops.op;
    let context = context(op);
    let numbers = |sizes: &[usize]| -> Vec<i64> {
        sizes
            .iter()
            .map(|n| i64::try_from(*n).unwrap_or(0))
            .collect()
    };
    let segments = [
        plan.sources.len(),
        plan.destinations.len(),
        0,
        plan.extras.len(),
    ];
    let mut found = vec![
        ("kind", plan.what.kind.to_attribute(context)),
        ("scope", Scope::Grid.to_attribute(context)),
        ("axes", i64_array(context, &numbers(&plan.loops.reduced))),
        (
            "operandSegmentSizes",
            i32_array(context, &numbers(&segments)),
        ),
    ];
    if plan.accumulate {
        found.push(("accumulate", Attribute::unit(context)));
    }
    if plan.what.nan == Some(Nan::Ignore) && attribute(op, "nan").is_none() {
        found.push(("nan", Nan::Ignore.to_attribute(context)));
    }
    if let (Some(identities), Some(combiner)) = (&plan.identities, &plan.what.combiner) {
        let all: Vec<Attribute<'c>> = identities
            .iter()
            .zip(&combiner.types)
            .map(|(v, ty)| v.to_attribute(context, *ty))
            .collect();
        found.push(("identities", ArrayAttribute::new(context, &all).into()));
    }
    if needs_maps(plan) {
        let operands = plan
            .sources
            .iter()
            .chain(&plan.destinations)
            .chain(&plan.extras);
        let maps: Vec<Attribute<'c>> = operands.map(|o| o.map.to_attribute(context)).collect();
        found.push(("maps", ArrayAttribute::new(context, &maps).into()));
    }
    found.extend(attribute(op, GROUP).map(|group| (GROUP, group)));
    found.extend(
        handed_on(op)
            .into_iter()
            .map(|(one, value)| (one.name, value)),
    );
    found
        .into_iter()
        .map(|(name, value)| (Identifier::new(context, name), value))
        .collect()
}

/// Returns whether the emitted `tile.reduce` needs explicit indexing maps in addition to `axes` and
/// shapes.
fn needs_maps(plan: &Plan<'_>) -> bool {
    let dims = plan.loops.dims;
    let shape = |v: Val<'_>| MemRef::of(v).map(|m| m.shape);
    let first = plan.sources.first().and_then(|s| shape(s.value));
    let whole = plan
        .sources
        .iter()
        .all(|s| s.map == AffineMap::identity(dims) && shape(s.value) == first);
    let removed = AffineMap::select(dims, plan.loops.kept());
    let mut ones = AffineMap::identity(dims);
    for d in &plan.loops.reduced {
        ones.results[*d] = Affine::Const(0);
    }
    // Without explicit maps, each reduced dimension of a destination must have size 1.
    let keeps_ones = |v: Val<'_>| {
        shape(v).is_some_and(|s| {
            plan.loops
                .reduced
                .iter()
                .all(|d| s.get(*d) == Some(&Some(1)))
        })
    };
    let plain = plan
        .destinations
        .iter()
        .all(|d| d.map == removed || d.map == ones && keeps_ones(d.value));
    !whole || !plain || !plan.extras.is_empty()
}

/// Returns whether the emitted `tile.reduce` needs an `element` region, because the combined values
/// differ from the source elements.
fn needs_element(plan: &Plan<'_>) -> bool {
    let elements = &plan.what.elements;
    let is_source = |(i, element): (usize, &Element<'_>)| {
        let Element::Value(value) = element else {
            return false;
        };
        argument_of(*value).is_some_and(|(block, number)| {
            Some(block) == plan.loops.body
                && matches!(plan.inputs.get(number), Some(Input::Source(s)) if *s == i)
        })
    };
    elements.len() != plan.sources.len() || !elements.iter().enumerate().all(is_source)
}

fn write_element<'c>(
    plan: &Plan<'c>,
    copier: &Copier<'_, 'c>,
    arguments: &[Val<'c>],
) -> Vec<Val<'c>> {
    let (sources, indices) = arguments.split_at(plan.sources.len());
    let Some(body) = plan.loops.body else {
        return Vec::new();
    };
    let computed = (&plan.stages[..], &plan.inputs[..]);
    let given = given(computed, copier, sources, plan.loops.dims, &|d| indices[d]);
    let given = given
        .into_iter()
        .enumerate()
        .map(|(i, value)| (argument(body, i), value));
    let olds = plan.old_values.iter();
    let olds = olds.map(|(old, neutral)| (*old, copier.b.constant(*neutral, old.r#type())));
    let known: Vec<_> = given.chain(olds).collect();
    let roots: Vec<Val<'c>> = plan.what.elements.iter().flat_map(|e| e.values()).collect();
    let mut values = copier
        .copy(body, &known, &|d| indices[d], &roots)
        .into_iter();
    let elements = plan.what.elements.iter();
    elements
        .map(|element| {
            let own: Vec<_> = values.by_ref().take(element.values().len()).collect();
            element.write(copier.b, &own)
        })
        .collect()
}

/// Returns the origin of the value that each destination stores: a component of the result, or a
/// value that the epilogue computes. A consumer that only copies a component of the result needs no
/// epilogue.
fn stored(plan: &Plan<'_>) -> Vec<Stored> {
    let mut stored: Vec<Stored> = (0..plan.what.order.len()).map(Stored::Part).collect();
    for tail in &plan.tails {
        let moved = match tail.loops.body {
            None => tail.inputs.first(),
            Some(body) => match tail.loops.yielded()[..] {
                [value] => argument_of(value)
                    .filter(|(block, _)| *block == body)
                    .and_then(|(_, number)| tail.inputs.get(number)),
                _ => None,
            },
        };
        let value = match moved {
            Some(Given::Result(i)) => stored[*i],
            _ => Stored::Computed,
        };
        take(&mut stored, tail, value);
    }
    stored
}

/// Replaces the first destination that a consumer reads by the output of the consumer, and removes
/// all other destinations that the consumer reads.
fn take<T>(values: &mut Vec<T>, tail: &Tail<'_>, value: T) {
    if let Some((first, rest)) = tail.takes.split_first() {
        values[*first] = value;
        for i in rest.iter().rev() {
            values.remove(*i);
        }
    }
}

/// Returns whether the emitted `tile.reduce` needs an `epilogue` region, because the stored values
/// differ from the combined values.
fn needs_epilogue<'c>(plan: &Plan<'c>, partials: &[Type<'c>]) -> bool {
    let stored = stored(plan);
    let parts: Vec<Stored> = (0..plan.what.order.len()).map(Stored::Part).collect();
    if stored != parts || !plan.extras.is_empty() {
        return true;
    }
    let fits = |(i, partial): (usize, &Type<'c>)| {
        let to = element_of(plan.destinations[i].value);
        let from = plan.what.elements.get(i).map_or(*partial, |e| e.ty());
        let wider = from.is_float() && to.is_float() && byte_width(from) < byte_width(to);
        from == to || wider
    };
    !partials.iter().enumerate().all(fits)
}

fn write_epilogue<'c>(
    plan: &Plan<'c>,
    copier: &Copier<'_, 'c>,
    arguments: &[Val<'c>],
) -> Vec<Val<'c>> {
    let parts = plan.what.order.len();
    let mut results = arguments[..parts].to_vec();
    let (extras, indices) = arguments[parts..].split_at(plan.extras.len());
    let kept = plan.loops.kept();
    let index = |dim: usize| {
        let place = kept.iter().position(|k| *k == dim).unwrap_or(0);
        indices[place]
    };
    for tail in &plan.tails {
        let inputs = tail.loops.inputs.iter().zip(&tail.inputs);
        let given: Vec<Val<'c>> = inputs
            .map(|(operand, given)| match given {
                Given::Result(i) => resize(copier.b, results[*i], element_of(operand.value)),
                Given::Extra(i) => extras[*i],
                Given::Scalar(v) => copier.captured(*v),
            })
            .collect();
        let result = match tail.loops.body {
            None => given[0],
            Some(body) => {
                let mut known: Vec<_> = given
                    .iter()
                    .enumerate()
                    .map(|(i, v)| (argument(body, i), *v))
                    .collect();
                if let (Some(old), Some(argument)) = (tail.old, tail.loops.old_value(0)) {
                    known.push((argument, resize(copier.b, results[old], argument.r#type())));
                }
                let index = |d: usize| index(tail.dims[d]);
                copier.copy(body, &known, &index, &tail.loops.yielded())[0]
            }
        };
        take(&mut results, tail, result);
    }
    results
        .into_iter()
        .zip(&plan.destinations)
        .map(|(v, d)| resize(copier.b, v, element_of(d.value)))
        .collect()
}

fn resize<'c>(b: &Builder<'c>, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
    let from = value.r#type();
    if from == ty {
        return value;
    }
    let op = match (ty.is_float(), byte_width(from) < byte_width(ty)) {
        (true, true) => "arith.extf",
        (true, false) => "arith.truncf",
        (false, true) => "arith.extsi",
        (false, false) => "arith.trunci",
    };
    b.create(op).operands(&[value]).result(ty).value()
}
