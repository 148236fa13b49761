//! Kernels of groups whose values stay in registers between phases.
//!
//! Each thread processes the same elements of a row in every phase. An element that a phase loads
//! or computes is an SSA value that later phases use. Each thread of a row has the reduction
//! results of the row in registers. A kernel stores only values that later code reads from memory.
//! `tile-insert-sync` inserts the barriers for arrays in memory.
//!
//! If registers hold only reduction results, each phase loads the row again, and the outermost
//! loops of a thread need no unrolling. In each iteration, a thread processes unrolled vectors of
//! consecutive elements, called slots. A slot outside the row contains zeros; the kernel neither
//! combines nor stores these zeros. If the vectors of all phases are aligned, slots are loaded and
//! stored as vectors, otherwise element by element.

use super::body::{Body, EmitPoint};
use super::elements::element_index;
use super::group::{Group, Phase, captured, is_reduction};
use super::job::{Work, reads_argument};
use super::loops::Iteration;
use super::nest::{MAX_BLOCKS, Nest, Run};
use super::registers::turns;
use super::steps::Processor;
use super::vectors::WIDEST;
use crate::analysis::dataflow::Access;
use crate::emit::{OWNED, load, scalars, vector_of, zeros};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use tx_mlir::build::Cond;
use tx_mlir::{
    AffineMap, Builder, Index, Op, Val, byte_width, defining_op, i64_attribute, name,
    set_attribute, walk,
};

/// Number of slots (vectors of a thread) that share one branch, in rows of dynamic length. With a
/// branch for each slot, LLVM moves each load next to the store of the loaded value, so that only
/// one load is in flight. RMS norm of 65536x4096 f32 took 2079 µs on an H200 with a branch for each
/// slot.
const SLOTS_PER_BRANCH: usize = 8;

/// Elements of one operand in one thread.
#[derive(Clone)]
enum Elements<'c> {
    /// A single element that all points of a row use.
    Row(Val<'c>),
    /// One element for each point, as a list of slots; each slot is a list of elements.
    Each(Vec<Vec<Val<'c>>>),
}

impl<'c> Elements<'c> {
    fn get(&self, slot: usize, lane: usize) -> Val<'c> {
        match self {
            Self::Row(value) => *value,
            Self::Each(all) => all[slot][lane],
        }
    }
}

/// An array with elements in registers at the current position of the kernel.
struct Held<'c> {
    array: Val<'c>,
    /// Index map of the elements over the loops of the group.
    map: AffineMap,
    elements: Elements<'c>,
}

pub(crate) struct Resident<'a, 'c> {
    group: &'a Group<'c>,
    bodies: Vec<Body<'a, 'c>>,
    held: &'a [Val<'c>],
    internal: &'a [Val<'c>],
    /// Whether each phase loads the rows again, because no array in registers has several elements
    /// per row.
    reloads: bool,
    /// Condition that all vectors are aligned, and that no row ends inside a vector.
    aligned: Cond<'c>,
}

impl<'a, 'c> Resident<'a, 'c> {
    pub(crate) fn new(
        group: &'a Group<'c>,
        nests: &'a [Nest],
        held: &'a [Val<'c>],
        internal: &'a [Val<'c>],
        b: &Builder<'c>,
    ) -> Self {
        let phases = group.phases.iter().zip(nests);
        let bodies: Vec<Body<'a, 'c>> = phases
            .map(|(phase, nest)| Body::new(&phase.job, nest, b))
            .collect();
        let mut aligned = Cond::Const(true);
        for body in &bodies {
            let mut vectors = body.alignment.sources.iter();
            if vectors.any(|is| *is) || body.alignment.destinations.contains(&true) {
                aligned = b.and(aligned, body.alignment.holds);
                for (length, width) in parts(body) {
                    let rest = b.rem(length, Index::Const(width));
                    aligned = b.and(aligned, b.equal(rest, Index::Const(0)));
                }
            }
        }
        Self {
            group,
            bodies,
            held,
            internal,
            reloads: !held.iter().any(|array| group.varies_along_rows(*array)),
            aligned,
        }
    }

    pub(crate) fn write(&self, b: &Builder<'c>) {
        let places = self.bodies.iter().map(|body| body.threads(b)).collect();
        self.blocks(b, 0, places);
    }

    /// Emits the loops over rows: grid-stride loops if the grid may have fewer blocks than rows.
    fn blocks(&self, b: &Builder<'c>, dimension: usize, places: Vec<EmitPoint<'c>>) {
        if dimension == MAX_BLOCKS.len() {
            return self.row(b, &places);
        }
        let processor = Processor::Block(dimension);
        let first = &self.bodies[self.group.leader()];
        let Some(node) = first.nest.on(processor) else {
            return self.blocks(b, dimension + 1, places);
        };
        first.grid_stride_loop(b, dimension, node, |b, block| {
            let each = self.bodies.iter().zip(&places);
            let entered = each.map(|(body, place)| match body.nest.on(processor) {
                Some(node) => body.enter(b, place, node, block),
                None => place.clone(),
            });
            self.blocks(b, dimension + 1, entered.collect());
        });
    }

    fn row(&self, b: &Builder<'c>, places: &[EmitPoint<'c>]) {
        let mut known: Vec<Held<'c>> = Vec::new();
        for (number, phase) in self.group.phases.iter().enumerate() {
            let b = &b.located(phase.job.op.location());
            let job = &phase.job;
            let place = &places[number];
            let row = self.row_operands(b, &mut known, number, place);
            let results = match is_reduction(job) {
                true => self.reduce(b, &mut known, number, place, &row),
                false => self.compute(b, &mut known, number, places, &row),
            };
            for (destination, elements) in job.destinations.iter().zip(results) {
                known.retain(|held| held.array != destination.value);
                if let Some(elements) = elements
                    && self.held.contains(&destination.value)
                {
                    known.push(Held {
                        array: destination.value,
                        map: phase.shared_map(destination),
                        elements,
                    });
                }
            }
        }
    }

    /// Emits, before the loop over a row, the loads of the operands that are equal at all points of
    /// the row.
    fn row_operands(
        &self,
        b: &Builder<'c>,
        known: &mut Vec<Held<'c>>,
        number: usize,
        place: &EmitPoint<'c>,
    ) -> Vec<Option<Elements<'c>>> {
        let (phase, body) = (&self.group.phases[number], &self.bodies[number]);
        let loops = !self.turns(body).is_empty();
        let sources = phase.job.sources.iter().enumerate();
        sources
            .map(|(i, source)| {
                let is_needed = loops && phase.job.reads(i) && !phase.varies(source);
                is_needed.then(|| self.elements(b, known, number, source, false, (place, &[])))
            })
            .collect()
    }

    /// Returns the points that a thread computes in one iteration of the loops of a phase, with the
    /// loaded elements.
    fn points(
        &self,
        b: &Builder<'c>,
        known: &mut Vec<Held<'c>>,
        number: usize,
        place: &EmitPoint<'c>,
        row: &[Option<Elements<'c>>],
    ) -> Vec<Vec<EmitPoint<'c>>> {
        let body = &self.bodies[number];
        let job = body.job;
        let slots = slots(b, body, &self.turns(body), place);
        let sources: Vec<Option<Elements<'c>>> = job
            .sources
            .iter()
            .enumerate()
            .map(|(i, source)| {
                let loaded = row.get(i).cloned().flatten();
                loaded.or_else(|| {
                    let is_vector = body.alignment.sources[i];
                    job.reads(i).then(|| {
                        let points = (place, slots.as_slice());
                        self.elements(b, known, number, source, is_vector, points)
                    })
                })
            })
            .collect();
        with(slots, |slot, lane, place| EmitPoint {
            loaded: sources
                .iter()
                .map(|source| source.as_ref().map(|e| e.get(slot, lane)))
                .collect(),
            ..place
        })
    }

    /// Returns the loops of a phase over a row that are not unrolled.
    fn turns(&self, body: &Body<'a, 'c>) -> Vec<usize> {
        match self.reloads {
            true => turns(body.nest),
            false => Vec::new(),
        }
    }

    /// Emits the loops of a phase over a row, with loop-carried values.
    fn each_turn(
        &self,
        b: &Builder<'c>,
        number: usize,
        place: &EmitPoint<'c>,
        carried: Vec<Val<'c>>,
        iteration: &mut Iteration<'_, 'c>,
    ) -> Vec<Val<'c>> {
        let body = &self.bodies[number];
        self.turn(b, body, &self.turns(body), place, carried, iteration)
    }

    fn turn(
        &self,
        b: &Builder<'c>,
        body: &Body<'a, 'c>,
        loops: &[usize],
        place: &EmitPoint<'c>,
        carried: Vec<Val<'c>>,
        iteration: &mut Iteration<'_, 'c>,
    ) -> Vec<Val<'c>> {
        match loops {
            [] => iteration(b, place, carried),
            [first, rest @ ..] => {
                let mut inner = |b: &Builder<'c>, place: &EmitPoint<'c>, carried: Vec<Val<'c>>| {
                    self.turn(b, body, rest, place, carried, iteration)
                };
                body.iterate(b, *first, place, true, carried, &mut inner)
            }
        }
    }

    fn find<'h>(
        &self,
        known: &'h [Held<'c>],
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
    fn elements(
        &self,
        b: &Builder<'c>,
        known: &mut Vec<Held<'c>>,
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
            known.push(Held {
                array: access.value,
                map: phase.shared_map(access),
                elements: elements.clone(),
            });
        }
        elements
    }

    fn load(
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
                    self.own(b, number, access, value)
                }
                // All threads of the row load this element, and one thread may store it.
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
            if parts(body).is_empty() {
                let all = |b: &Builder<'c>| slot.iter().map(|place| one(b, place)).collect();
                return b.if_else(inside(b, body, slot), &types, all, |b| nothing(b, &types));
            }
            let each = slot.iter().zip(insides(b, body, slot));
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
            let each = slots.chunks(self.together(number)).flat_map(|some| {
                let all = |b: &Builder<'c>| -> Vec<Val<'c>> {
                    let places = some.iter().flatten();
                    places.map(|place| one(b, place)).collect()
                };
                let types = vec![element; some.len() * width];
                let singly =
                    |b: &Builder<'c>| some.iter().flat_map(|slot| singly(b, slot)).collect();
                let all = match some.last() {
                    Some(last) if some.len() > 1 => {
                        b.if_else(inside(b, body, last), &types, all, singly)
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
        let is_even = parts(body).is_empty();
        let all = |b: &Builder<'c>, is_aligned: bool| -> Vec<Val<'c>> {
            let each = slots.iter().map(|slot| {
                if !is_aligned && !is_even {
                    return vector_of(b, &singly(b, slot));
                }
                let loaded = |b: &Builder<'c>| match is_aligned {
                    true => {
                        let value = body.load_vector(b, access, &slot[0], count, element);
                        vec![self.own(b, number, access, value)]
                    }
                    false => {
                        let all: Vec<Val<'c>> = slot.iter().map(|place| one(b, place)).collect();
                        vec![vector_of(b, &all)]
                    }
                };
                let inside = inside(b, body, slot);
                b.if_else(inside, &[vector], loaded, |b| nothing(b, &[vector]))[0]
            });
            each.collect()
        };
        let all = b.if_else(self.aligned, &types, |b| all(b, true), |b| all(b, false));
        Elements::Each(all.into_iter().map(|vector| scalars(b, vector)).collect())
    }

    /// Returns the number of slots that share one branch for loads and stores. In rows of dynamic
    /// length, several slots share a branch. In rows of static length, only the last slot of a
    /// thread can be outside the row.
    fn together(&self, number: usize) -> usize {
        let (phase, body) = (&self.group.phases[number], &self.bodies[number]);
        let is_unknown = |dim: &usize| body.extents[*dim].known().is_none();
        match phase.row.iter().any(is_unknown) {
            true => SLOTS_PER_BRANCH,
            false => 1,
        }
    }

    /// Sets the attribute `OWNED` on an access to an array that the group writes.
    fn own(&self, b: &Builder<'c>, number: usize, access: &Access<'c>, value: Val<'c>) -> Val<'c> {
        if let (Some(owner), Some(op)) = (self.owner(number, access), defining_op(value)) {
            set_attribute(op, OWNED, i64_attribute(b.context(), owner));
        }
        value
    }

    /// Returns the value of the attribute `OWNED` for an access. For each element, a single thread
    /// executes all accesses with the same attribute value. Returns `None` if the group does not
    /// write the array.
    fn owner(&self, number: usize, access: &Access<'c>) -> Option<i64> {
        let phases = &self.group.phases;
        let is_it = |a: &&Access<'c>| a.value == access.value;
        let is_written = phases
            .iter()
            .any(|phase| phase.job.destinations.iter().any(|d| is_it(&d)));
        if !is_written {
            return None;
        }
        let map = phases[number].shared_map(access);
        let rows = phases[number].shared.len();
        let mut maps = phases.iter().flat_map(|phase| {
            let job = &phase.job;
            let all = job.sources.iter().chain(&job.extras);
            let all = all.chain(&job.destinations).filter(is_it);
            all.map(|a| phase.shared_map(a)).collect::<Vec<_>>()
        });
        // The first thread of a row stores the reduction result; the other threads load the result
        // if registers do not hold it.
        let varies = (rows..map.dims).any(|d| map.results.iter().any(|index| index.uses(d)));
        let is_one_threads = varies && maps.all(|other| other == map);
        Some(match is_one_threads {
            true => 0,
            false => i64::try_from(number + 1).unwrap_or(1),
        })
    }

    /// Emits a reduction. Each thread of a row receives the results of the row.
    fn reduce(
        &self,
        b: &Builder<'c>,
        known: &mut Vec<Held<'c>>,
        number: usize,
        place: &EmitPoint<'c>,
        row: &[Option<Elements<'c>>],
    ) -> Vec<Option<Elements<'c>>> {
        let body = &self.bodies[number];
        let job = body.job;
        let (Work::Combine(work), Some(combiner)) = (&job.work, &body.combiner) else {
            return vec![None; job.destinations.len()];
        };
        let start = match body.ascends {
            true => combiner.start_at(b, Index::Const(0)),
            false => combiner.start(b),
        };
        let lanes = body.lanes();
        let partial: Vec<Val<'c>> = (0..lanes).flat_map(|_| start.clone()).collect();
        let always = may_run_for_nothing(job.op);
        let before = known.len();
        let mut combine = |b: &Builder<'c>, place: &EmitPoint<'c>, mut partial: Vec<Val<'c>>| {
            for slot in self.points(b, known, number, place, row) {
                for (place, inside) in slot.iter().zip(insides(b, body, &slot)) {
                    let place = EmitPoint {
                        start: start.clone(),
                        ..place.clone()
                    };
                    if !always {
                        partial = body.combine_where(b, inside, &place, partial);
                        continue;
                    }
                    let new = body.combine_where(b, Cond::Const(true), &place, partial.clone());
                    let both = new.into_iter().zip(&partial);
                    partial = both
                        .map(|(new, old)| match new == *old {
                            true => new,
                            false => b.select(inside, new, *old),
                        })
                        .collect();
                }
            }
            partial
        };
        let partial = self.each_turn(b, number, place, partial, &mut combine);
        self.forget(known, number, before);
        let mut totals = body.fold_lanes(b, combiner, partial);
        body.exchange(b, combiner, &mut totals);
        let is_row = body.guard(b, place, false);
        let whole = &work.combiner;
        let total = whole.narrow(b, &totals[0], whole.types());
        let point: Vec<Index<'c>> = (0..job.extents.len())
            .map(|d| match job.axes.contains(&d) {
                true => Index::Const(0),
                false => place.index[&d],
            })
            .collect();
        let extras: Vec<Val<'c>> = job
            .extras
            .iter()
            .map(|extra| {
                self.elements(b, known, number, extra, false, (place, &[]))
                    .get(0, 0)
            })
            .collect();
        let places: Vec<Vec<Val<'c>>> = job
            .destinations
            .iter()
            .map(|d| [vec![d.value], element_index(b, d, &point)].concat())
            .collect();
        let types = job.stored_types();
        let results = b.if_else(
            is_row,
            &types,
            |b| body.finish(b, work, &total, &places, &point, Some(&extras)),
            |b| types.iter().map(|ty| zeros(b, *ty)).collect(),
        );
        let stores = body.first_thread(b, is_row, place);
        for ((value, index), destination) in results.iter().zip(places).zip(&job.destinations) {
            if self.internal.contains(&destination.value) {
                continue;
            }
            let owner = self.owner(number, destination).unwrap_or(0);
            b.if_then(stores, |b| {
                b.create("memref.store")
                    .attr(OWNED, i64_attribute(b.context(), owner))
                    .operands(&[vec![*value], index].concat())
                    .build();
            });
        }
        results
            .into_iter()
            .map(|value| Some(Elements::Row(value)))
            .collect()
    }

    /// Removes values that were loaded inside loops of a phase: these values are not available
    /// after the loops.
    fn forget(&self, known: &mut Vec<Held<'c>>, number: usize, before: usize) {
        if !self.turns(&self.bodies[number]).is_empty() {
            known.truncate(before);
        }
    }

    fn compute(
        &self,
        b: &Builder<'c>,
        known: &mut Vec<Held<'c>>,
        number: usize,
        places: &[EmitPoint<'c>],
        row: &[Option<Elements<'c>>],
    ) -> Vec<Option<Elements<'c>>> {
        let before = known.len();
        let mut results = Vec::new();
        let mut compute = |b: &Builder<'c>, place: &EmitPoint<'c>, carried: Vec<Val<'c>>| {
            let slots = self.points(b, known, number, place, row);
            results = self.compute_slots(b, known, number, slots, (place, places));
            carried
        };
        self.each_turn(b, number, &places[number], Vec::new(), &mut compute);
        self.forget(known, number, before);
        match self.turns(&self.bodies[number]).is_empty() {
            true => results,
            false => vec![None; self.bodies[number].job.destinations.len()],
        }
    }

    /// Emits an element-wise op at the points of one iteration.
    fn compute_slots(
        &self,
        b: &Builder<'c>,
        known: &mut Vec<Held<'c>>,
        number: usize,
        slots: Vec<Vec<EmitPoint<'c>>>,
        (place, places): (&EmitPoint<'c>, &[EmitPoint<'c>]),
    ) -> Vec<Option<Elements<'c>>> {
        let body = &self.bodies[number];
        let job = body.job;
        let old: Vec<Option<Elements<'c>>> = job
            .destinations
            .iter()
            .enumerate()
            .map(|(i, destination)| {
                let Work::Body(block) = job.work else {
                    return None;
                };
                let is_vector = body.alignment.destinations[i];
                reads_argument(block, job.sources.len() + i).then(|| {
                    let points = (place, slots.as_slice());
                    self.elements(b, known, number, destination, is_vector, points)
                })
            })
            .collect();
        let slots = with(slots, |slot, lane, place| EmitPoint {
            old: old
                .iter()
                .map(|old| old.as_ref().map(|e| e.get(slot, lane)))
                .collect(),
            ..place
        });
        let types = job.stored_types();
        let always = may_run_for_nothing(job.op);
        let indices = vec![Vec::new(); job.destinations.len()];
        let is_row = self.group.phases[number].row.is_empty();
        let is_held = job
            .destinations
            .iter()
            .any(|d| self.held.contains(&d.value));
        let values: Vec<Vec<Vec<Val<'c>>>> = slots
            .iter()
            .map(|slot| {
                let conditions = match always {
                    true => vec![Cond::Const(true); slot.len()],
                    // If registers do not hold an element, only the thread that stores the element
                    // computes the element.
                    false if is_row && !is_held => {
                        vec![self.stores(b, number, slot, places); slot.len()]
                    }
                    false => insides(b, body, slot),
                };
                let each = slot.iter().zip(conditions).map(|(place, condition)| {
                    let nothing = |b: &Builder<'c>| types.iter().map(|ty| zeros(b, *ty)).collect();
                    let compute =
                        |b: &Builder<'c>| body.compute(b, place, &body.point(place), &indices);
                    b.if_else(condition, &types, compute, nothing)
                });
                each.collect()
            })
            .collect();
        let results = (0..job.destinations.len()).map(|i| {
            let of_slot = |slot: &Vec<Vec<Val<'c>>>| slot.iter().map(|all| all[i]).collect();
            let all: Vec<Vec<Val<'c>>> = values.iter().map(of_slot).collect();
            let to = &job.destinations[i];
            let is_needless = self.internal.contains(&to.value)
                || self.group.is_overwritten(self.held, number, to);
            if !is_needless {
                self.store(b, number, i, &slots, &all, places);
            }
            Some(match is_row {
                true => Elements::Row(all[0][0]),
                false => Elements::Each(all),
            })
        });
        results.collect()
    }

    /// Emits the condition under which a thread stores the elements of a slot: the elements are
    /// inside the row. The first thread of a row stores the element of an op with one element per
    /// row.
    fn stores(
        &self,
        b: &Builder<'c>,
        number: usize,
        slot: &[EmitPoint<'c>],
        places: &[EmitPoint<'c>],
    ) -> Cond<'c> {
        let inside = inside(b, &self.bodies[number], slot);
        let phases = &self.group.phases;
        match phases.iter().position(|phase| is_reduction(&phase.job)) {
            Some(total) if phases[number].row.is_empty() => {
                self.bodies[total].first_thread(b, inside, &places[total])
            }
            _ => inside,
        }
    }

    /// Emits the stores of the elements of destination `i` that are inside the row.
    fn store(
        &self,
        b: &Builder<'c>,
        number: usize,
        i: usize,
        slots: &[Vec<EmitPoint<'c>>],
        values: &[Vec<Val<'c>>],
        places: &[EmitPoint<'c>],
    ) {
        let body = &self.bodies[number];
        let destination = &body.job.destinations[i];
        let owner = self.owner(number, destination).unwrap_or(0);
        let owned = i64_attribute(b.context(), owner);
        let index = |b: &Builder<'c>, place: &EmitPoint<'c>| {
            let index = element_index(b, destination, &body.point(place));
            [vec![destination.value], index].concat()
        };
        let is_even = parts(body).is_empty();
        let single = |b: &Builder<'c>, place: &EmitPoint<'c>, value: Val<'c>| {
            b.create("memref.store")
                .attr(OWNED, owned)
                .operands(&[vec![value], index(b, place)].concat())
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
                b.if_then(self.stores(b, number, slot, places), |b| {
                    if is_vector {
                        let element = values[0].r#type();
                        let bytes = byte_width(element).unwrap_or(1) * values.len() as u64;
                        let bytes = i64::try_from(bytes).unwrap_or(WIDEST).min(WIDEST);
                        b.create("vector.store")
                            .attr(OWNED, owned)
                            .attr("alignment", i64_attribute(b.context(), bytes))
                            .operands(&[vec![vector_of(b, values)], index(b, &slot[0])].concat())
                            .build();
                        return;
                    }
                    for (place, value) in slot.iter().zip(values) {
                        single(b, place, *value);
                    }
                });
            }
        };
        let store = |b: &Builder<'c>, is_vector: bool| {
            let together = match is_vector {
                true => 1,
                false => self.together(number),
            };
            for (slots, values) in slots.chunks(together).zip(values.chunks(together)) {
                match slots.last() {
                    Some(last) if slots.len() > 1 => b.if_then_else(
                        self.stores(b, number, last, places),
                        |b| {
                            let places = slots.iter().flatten();
                            for (place, value) in places.zip(values.iter().flatten()) {
                                single(b, place, *value);
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

/// Returns the points of a thread as slots: vectors of consecutive elements.
fn slots<'c>(
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
        .filter(|node| body.nest.nodes[**node].run == Run::Vectorized);
    let width = vector.map_or(1, |node| body.count(*node).max(1));
    points
        .chunks(width)
        .map(<[EmitPoint<'c>]>::to_vec)
        .collect()
}

fn with<'c>(
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

/// Returns pairs of a row length and a vector width, if the row length may not be a multiple of the
/// vector width.
fn parts<'c>(body: &Body<'_, 'c>) -> Vec<(Index<'c>, i64)> {
    let nodes = &body.nest.nodes;
    let mut serial = body.nest.serial().into_iter();
    let vector = serial.find(|node| nodes[*node].run == Run::Vectorized);
    let width = vector.and_then(|node| nodes[node].extent.known());
    let (Some(vector), Some(width)) = (vector, width) else {
        return Vec::new();
    };
    let guards = body.nest.guards().into_iter();
    guards
        .filter(|guard| body.nest.loops_of(*guard).contains(&vector))
        .map(|guard| (body.extents[guard], width))
        .filter(|(length, width)| length.known().is_none_or(|n| n % width != 0))
        .collect()
}

/// Emits, for each element of a slot, the condition that the element is inside the row.
fn insides<'c>(b: &Builder<'c>, body: &Body<'_, 'c>, slot: &[EmitPoint<'c>]) -> Vec<Cond<'c>> {
    match parts(body).is_empty() {
        true => vec![inside(b, body, slot); slot.len()],
        false => slot
            .iter()
            .map(|place| inside(b, body, std::slice::from_ref(place)))
            .collect(),
    }
}

/// Emits the condition that a slot is inside the row. Indices ascend in a slot, so only the last
/// element is checked.
fn inside<'c>(b: &Builder<'c>, body: &Body<'_, 'c>, slot: &[EmitPoint<'c>]) -> Cond<'c> {
    match slot.last() {
        Some(place) => b.and(body.guard(b, place, false), body.guard(b, place, true)),
        None => Cond::Const(false),
    }
}

/// Returns whether the bodies of an op may run on out-of-range elements: the bodies contain no
/// loads and no integer division.
fn may_run_for_nothing(op: Op<'_>) -> bool {
    let divides = |op: &Op<'_>| {
        let name = name(*op);
        let parts = ["div", "rem"];
        name.starts_with("arith.")
            && parts.iter().any(|part| name.contains(part))
            && !name.ends_with('f')
    };
    captured(op).is_empty() && !walk(op).iter().any(divides)
}
