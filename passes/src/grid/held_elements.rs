//! Emits loads of row elements into registers, and stores of row elements from registers to memory.

use super::body::EmitPoint;
use super::elements::element_index;
use super::grid_op::is_reduction;
use super::held_rows::{Elements, HeldArray, HeldRows};
use super::phase::Phase;
use super::slots::{element_guards, partial_vectors, slot_guard};
use super::vectors::WIDEST;
use crate::analysis::dataflow::Access;
use crate::emit::{OWNED, load, scalars, vector_of, zeros};
use melior::ir::{Type, ValueLike};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val, byte_width, defining_op, i64_attribute, set_attribute};

/// Number of slots (vectors of a thread) whose loads or stores share one bounds-check branch, in
/// rows of dynamic length. If each slot had a separate branch, LLVM would move each load next to
/// the store of the loaded value, so that only one load would be in flight. With a separate branch
/// for each slot, an RMS norm of 65536x4096 f32 took 2079 µs on an H200 (1033 GB/s).
const SLOTS_PER_BRANCH: usize = 8;

impl<'c> HeldRows<'_, 'c> {
    pub(super) fn find<'h>(
        &self,
        known: &'h [HeldArray<'c>],
        phase: &Phase<'c>,
        access: &Access<'c>,
    ) -> Option<&'h Elements<'c>> {
        let map = phase.shared_map(access);
        let held = known
            .iter()
            .find(|held| held.array == access.value && held.map == map);
        held.map(|held| &held.elements)
    }

    /// Returns the elements of an operand at the points of a phase. Elements that are not in
    /// registers are loaded.
    pub(super) fn elements(
        &self,
        b: &Builder<'c>,
        known: &mut Vec<HeldArray<'c>>,
        number: usize,
        access: &Access<'c>,
        is_vector: bool,
        (row, slots): (&EmitPoint<'c>, &[Vec<EmitPoint<'c>>]),
    ) -> Elements<'c> {
        if access.memref.is_none() {
            return Elements::Row(access.value);
        }
        let phase = &self.group.phases[number];
        if let Some(elements) = self.find(known, phase, access) {
            return elements.clone();
        }
        let elements = self.load(b, number, access, is_vector, (row, slots));
        if self.held.contains(&access.value) {
            known.push(HeldArray {
                array: access.value,
                map: phase.shared_map(access),
                elements: elements.clone(),
            });
        }
        elements
    }

    pub(super) fn load(
        &self,
        b: &Builder<'c>,
        number: usize,
        access: &Access<'c>,
        is_vector: bool,
        (row, slots): (&EmitPoint<'c>, &[Vec<EmitPoint<'c>>]),
    ) -> Elements<'c> {
        let (phase, body) = (&self.group.phases[number], &self.bodies[number]);
        let Some(element) = access.memref.as_ref().map(|memref| memref.element) else {
            return Elements::Row(access.value);
        };
        let varies = phase.varies(access);
        let one = |b: &Builder<'c>, place: &EmitPoint<'c>| {
            let index = element_index(b, access, &body.point(place));
            match varies {
                true => {
                    let value = body.load_at(b, access, || index);
                    self.mark_owned(b, number, access, value)
                }
                // All threads of the row load this element, so the load gets no attribute `OWNED`:
                // one thread may also store the element.
                false => load(b, access.value, element, &index),
            }
        };
        let nothing = |b: &Builder<'c>, types: &[Type<'c>]| -> Vec<Val<'c>> {
            types.iter().map(|ty| zeros(b, *ty)).collect()
        };
        if !varies {
            // The row may be empty, so this index does not depend on the dimensions of the row.
            let mut place = row.clone();
            place
                .index
                .extend(phase.row.iter().map(|dim| (*dim, Index::Const(0))));
            let (place, types) = (&place, [element]);
            let inside = body.guard(b, place, false);
            let loaded = b.if_else(
                inside,
                &types,
                |b| vec![one(b, place)],
                |b| nothing(b, &types),
            );
            return Elements::Row(loaded[0]);
        }
        let width = slots.first().map_or(1, Vec::len);
        // Loads the elements of a slot one by one.
        let singly = |b: &Builder<'c>, slot: &[EmitPoint<'c>]| -> Vec<Val<'c>> {
            let types = vec![element; slot.len()];
            if partial_vectors(body).is_empty() {
                let all = |b: &Builder<'c>| slot.iter().map(|place| one(b, place)).collect();
                return b.if_else(slot_guard(b, body, slot), &types, all, |b| {
                    nothing(b, &types)
                });
            }
            let each = slot.iter().zip(element_guards(b, body, slot));
            let each = each.map(|(place, inside)| {
                let types = &types[..1];
                b.if_else(
                    inside,
                    types,
                    |b| vec![one(b, place)],
                    |b| nothing(b, types),
                )[0]
            });
            each.collect()
        };
        if !is_vector || width == 1 {
            let each = slots
                .chunks(self.slots_per_branch(number))
                .flat_map(|some| {
                    let all = |b: &Builder<'c>| -> Vec<Val<'c>> {
                        let places = some.iter().flatten();
                        places.map(|place| one(b, place)).collect()
                    };
                    let types = vec![element; some.len() * width];
                    let singly =
                        |b: &Builder<'c>| some.iter().flat_map(|slot| singly(b, slot)).collect();
                    let all = match some.last() {
                        Some(last) if some.len() > 1 => {
                            b.if_else(slot_guard(b, body, last), &types, all, singly)
                        }
                        _ => singly(b),
                    };
                    all.chunks(width)
                        .map(<[Val<'c>]>::to_vec)
                        .collect::<Vec<_>>()
                });
            return Elements::Each(each.collect());
        }
        let count = u64::try_from(width).unwrap_or(1);
        let vector = Type::vector(&[count], element);
        let types = vec![vector; slots.len()];
        let is_even = partial_vectors(body).is_empty();
        let whole = |b: &Builder<'c>, slot: &[EmitPoint<'c>]| {
            let value = body.load_vector(b, access, &slot[0], count, element);
            self.mark_owned(b, number, access, value)
        };
        let some = |b: &Builder<'c>, is_aligned: bool, slots: &[Vec<EmitPoint<'c>>]| {
            let each = slots.iter().map(|slot| {
                if !is_aligned && !is_even {
                    return vector_of(b, &singly(b, slot));
                }
                let loaded = |b: &Builder<'c>| match is_aligned {
                    true => vec![whole(b, slot)],
                    false => {
                        let all: Vec<Val<'c>> = slot.iter().map(|place| one(b, place)).collect();
                        vec![vector_of(b, &all)]
                    }
                };
                let inside = slot_guard(b, body, slot);
                b.if_else(inside, &[vector], loaded, |b| nothing(b, &[vector]))[0]
            });
            each.collect::<Vec<_>>()
        };
        let all = |b: &Builder<'c>, is_aligned: bool| -> Vec<Val<'c>> {
            let chunks = slots.chunks(self.slots_per_branch(number));
            let each = chunks.map(|slots| match slots.last() {
                Some(last) if is_aligned && slots.len() > 1 => b.if_else(
                    slot_guard(b, body, last),
                    &vec![vector; slots.len()],
                    |b| slots.iter().map(|slot| whole(b, slot)).collect(),
                    |b| some(b, is_aligned, slots),
                ),
                _ => some(b, is_aligned, slots),
            });
            each.flatten().collect()
        };
        let all = b.if_else(self.aligned, &types, |b| all(b, true), |b| all(b, false));
        Elements::Each(all.into_iter().map(|vector| scalars(b, vector)).collect())
    }

    /// Returns the number of slots whose loads or stores share one bounds-check branch. In rows of
    /// dynamic length, several slots share a branch. In rows of static length, only the last slot
    /// of a thread can be outside the row.
    pub(super) fn slots_per_branch(&self, number: usize) -> usize {
        let (phase, body) = (&self.group.phases[number], &self.bodies[number]);
        let is_unknown = |dim: &usize| body.extents[*dim].known().is_none();
        match phase.row.iter().any(is_unknown) {
            true => SLOTS_PER_BRANCH,
            false => 1,
        }
    }

    /// Sets the attribute `OWNED` on the op that defines `value`, if an op of the group writes the
    /// array of `access`.
    pub(super) fn mark_owned(
        &self,
        b: &Builder<'c>,
        number: usize,
        access: &Access<'c>,
        value: Val<'c>,
    ) -> Val<'c> {
        if let (Some(owner), Some(op)) = (self.owner(number, access), defining_op(value)) {
            set_attribute(op, OWNED, i64_attribute(b.context(), owner));
        }
        value
    }

    /// Returns the value of the attribute `OWNED` for an access. For each element, a single thread
    /// executes all accesses with the same value of `OWNED`. Returns `None` if the group does not
    /// write the array.
    pub(super) fn owner(&self, number: usize, access: &Access<'c>) -> Option<i64> {
        let phases = &self.group.phases;
        let is_it = |a: &&Access<'c>| a.value == access.value;
        let is_written = phases
            .iter()
            .any(|phase| phase.grid_op.destinations.iter().any(|d| is_it(&d)));
        if !is_written {
            return None;
        }
        let map = phases[number].shared_map(access);
        let rows = phases[number].shared.len();
        let mut maps = phases.iter().flat_map(|phase| {
            let grid_op = &phase.grid_op;
            let all = grid_op.sources.iter().chain(&grid_op.extras);
            let all = all.chain(&grid_op.destinations).filter(is_it);
            all.map(|a| phase.shared_map(a)).collect::<Vec<_>>()
        });
        // The first thread of a row stores the reduction result. The other threads load the result
        // if the result is not in registers.
        let varies = (rows..map.dims).any(|d| map.results.iter().any(|index| index.uses(d)));
        let is_one_threads = varies && maps.all(|other| other == map);
        Some(match is_one_threads {
            true => 0,
            false => i64::try_from(number + 1).unwrap_or(1),
        })
    }

    /// Emits the condition under which a thread stores the elements of a slot: the elements are
    /// inside the row. The first thread of a row stores the element of an op with one element per
    /// row.
    pub(super) fn stores(
        &self,
        b: &Builder<'c>,
        number: usize,
        slot: &[EmitPoint<'c>],
        places: &[EmitPoint<'c>],
    ) -> Cond<'c> {
        let inside = slot_guard(b, &self.bodies[number], slot);
        let phases = &self.group.phases;
        match phases.iter().position(|phase| is_reduction(&phase.grid_op)) {
            Some(total) if phases[number].row.is_empty() => {
                self.bodies[total].first_thread(b, inside, &places[total])
            }
            _ => inside,
        }
    }

    /// Emits the stores of the elements of destination `i` that are inside the row.
    pub(super) fn store(
        &self,
        b: &Builder<'c>,
        number: usize,
        i: usize,
        slots: &[Vec<EmitPoint<'c>>],
        values: &[Vec<Val<'c>>],
        places: &[EmitPoint<'c>],
    ) {
        let body = &self.bodies[number];
        let destination = &body.grid_op.destinations[i];
        let owner = self.owner(number, destination).unwrap_or(0);
        let owned = i64_attribute(b.context(), owner);
        let index = |b: &Builder<'c>, place: &EmitPoint<'c>| {
            let index = element_index(b, destination, &body.point(place));
            [vec![destination.value], index].concat()
        };
        let is_even = partial_vectors(body).is_empty();
        let single = |b: &Builder<'c>, place: &EmitPoint<'c>, value: Val<'c>| {
            b.create("memref.store")
                .attr(OWNED, owned)
                .operands(&[vec![value], index(b, place)].concat())
                .build();
        };
        let whole =
            |b: &Builder<'c>, is_vector: bool, slot: &[EmitPoint<'c>], values: &[Val<'c>]| {
                if !is_vector {
                    for (place, value) in slot.iter().zip(values) {
                        single(b, place, *value);
                    }
                    return;
                }
                let bytes = byte_width(values[0].r#type()).unwrap_or(1) * values.len() as u64;
                let bytes = i64::try_from(bytes).unwrap_or(WIDEST).min(WIDEST);
                b.create("vector.store")
                    .attr(OWNED, owned)
                    .attr("alignment", i64_attribute(b.context(), bytes))
                    .operands(&[vec![vector_of(b, values)], index(b, &slot[0])].concat())
                    .build();
            };
        let some = |b: &Builder<'c>,
                    is_vector: bool,
                    slots: &[Vec<EmitPoint<'c>>],
                    values: &[Vec<Val<'c>>]| {
            for (slot, values) in slots.iter().zip(values) {
                if !is_vector && !is_even {
                    for (place, value) in slot.iter().zip(values) {
                        let one = std::slice::from_ref(place);
                        let stores = self.stores(b, number, one, places);
                        b.if_then(stores, |b| single(b, place, *value));
                    }
                    continue;
                }
                let stores = self.stores(b, number, slot, places);
                b.if_then(stores, |b| whole(b, is_vector, slot, values));
            }
        };
        let store = |b: &Builder<'c>, is_vector: bool| {
            let together = self.slots_per_branch(number);
            for (slots, values) in slots.chunks(together).zip(values.chunks(together)) {
                match slots.last() {
                    Some(last) if slots.len() > 1 => b.if_then_else(
                        self.stores(b, number, last, places),
                        |b| {
                            for (slot, values) in slots.iter().zip(values) {
                                whole(b, is_vector, slot, values);
                            }
                        },
                        |b| some(b, is_vector, slots, values),
                    ),
                    _ => some(b, is_vector, slots, values),
                }
            }
        };
        let width = slots.first().map_or(1, Vec::len);
        match body.alignment.destinations[i] && width > 1 {
            true => b.if_then_else(self.aligned, |b| store(b, true), |b| store(b, false)),
            false => store(b, false),
        }
    }
}
