//! Slots: vectors of consecutive elements of a row that one thread processes.

use super::body::{Body, EmitPoint};
use super::nest::LoopKind;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index};

/// Returns the iteration points of a thread as slots: vectors of consecutive elements.
pub(super) fn slots<'c>(
    b: &Builder<'c>,
    body: &Body<'_, 'c>,
    entered: &[usize],
    place: &EmitPoint<'c>,
) -> Vec<Vec<EmitPoint<'c>>> {
    let loops = || {
        let all = body.outer.iter().chain(&body.inner);
        all.filter(|node| !entered.contains(node))
    };
    let points = loops().fold(vec![place.clone()], |points, node| {
        let each = |place: &EmitPoint<'c>| body.unrolled(b, *node, place);
        points.iter().flat_map(each).collect()
    });
    let vector = loops()
        .next_back()
        .filter(|node| body.nest.nodes[**node].kind == LoopKind::Vectorized);
    let width = vector.map_or(1, |node| body.count(*node).max(1));
    points
        .chunks(width)
        .map(<[EmitPoint<'c>]>::to_vec)
        .collect()
}

pub(super) fn map_places<'c>(
    slots: Vec<Vec<EmitPoint<'c>>>,
    change: impl Fn(usize, usize, EmitPoint<'c>) -> EmitPoint<'c>,
) -> Vec<Vec<EmitPoint<'c>>> {
    let slots = slots.into_iter().enumerate();
    slots
        .map(|(slot, places)| {
            let places = places.into_iter().enumerate();
            places
                .map(|(lane, place)| change(slot, lane, place))
                .collect()
        })
        .collect()
}

/// Returns all pairs of a row length and a vector width for which the last vector of a row may be
/// partial.
pub(super) fn partial_vectors<'c>(body: &Body<'_, 'c>) -> Vec<(Index<'c>, i64)> {
    let nodes = &body.nest.nodes;
    let mut serial = body.nest.serial().into_iter();
    let vector = serial.find(|node| nodes[*node].kind == LoopKind::Vectorized);
    let width = vector.and_then(|node| nodes[node].extent.known());
    let (Some(vector), Some(width)) = (vector, width) else {
        return Vec::new();
    };
    let guards = body.nest.guards().into_iter();
    guards
        .filter(|guard| body.nest.loops_of(*guard).contains(&vector))
        .filter(|guard| !nodes[*guard].extent.is_multiple_of(width))
        .map(|guard| (body.extents[guard], width))
        .collect()
}

/// Emits, for each element of a slot, the condition that the element is inside the row.
pub(super) fn element_guards<'c>(
    b: &Builder<'c>,
    body: &Body<'_, 'c>,
    slot: &[EmitPoint<'c>],
) -> Vec<Cond<'c>> {
    match partial_vectors(body).is_empty() {
        true => vec![slot_guard(b, body, slot); slot.len()],
        false => slot
            .iter()
            .map(|place| slot_guard(b, body, std::slice::from_ref(place)))
            .collect(),
    }
}

/// Emits the condition that a slot is inside the row. Indices ascend in a slot, so the condition
/// depends only on the last element of the slot.
pub(super) fn slot_guard<'c>(
    b: &Builder<'c>,
    body: &Body<'_, 'c>,
    slot: &[EmitPoint<'c>],
) -> Cond<'c> {
    match slot.last() {
        Some(place) => b.and(body.guard(b, place, false), body.guard(b, place, true)),
        None => Cond::Const(false),
    }
}
