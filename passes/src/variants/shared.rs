//! `shared`: the threads of the scope together reduce a tile in shared or global memory.
//!
//! In round `n`, thread `t` of the scope combines elements for the result number `(n * groups + t /
//! (stride * group)) * stride + t % stride`. Among the threads that share a result, the position
//! (`lane`) of thread `t` is `t / stride % group`. Consecutive threads access consecutive elements
//! along the contiguous dimension of the source.
//!
//! If the contiguous dimension is reduced, `stride` is 1, and the `group` threads of a result load
//! consecutive elements. If the contiguous dimension is parallel, `stride` consecutive threads load
//! elements of different results. Threads of different results exchange no values.
//!
//! Accesses to consecutive words form whole cache lines in global memory, and cause no bank
//! conflicts in shared memory.
//!
//! If there are fewer results than warps, threads of several warps share a result, and these warps
//! exchange partial results through shared memory. Shuffles are outside of all branches, so all
//! threads execute the shuffles. Threads without elements contribute the initial value of the
//! accumulator.

use super::parts::{element_number, expand_sequential, load_elements, source_index, store_result};
use super::reduction::shared_root;
use super::shape::{Shape, WARP};
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::analysis::shared_memory::align_attribution;
use crate::combiner::Combiner;
use crate::emit::{
    Group, all_reduce, delinearize, extents, index_as, load_vector, product, scalars,
};
use crate::exchange::shuffle_cost;
use melior::ir::Type;
use tx_dialect_tile::Scope;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val};

pub(crate) struct Shared;

impl Variant for Shared {
    fn name(&self) -> &'static str {
        "shared"
    }

    fn doc(&self) -> &'static str {
        "\
All threads of the scope reduce a tile in shared or global memory together.

A group of `group` threads, `stride` threads apart, computes each result. The threads load vectors of
`vector` elements. The threads of a group then exchange partial results: by shuffles, or through shared
memory if a group is wider than a warp. Consecutive lanes load along the contiguous dimension of the
source, so that one access of a warp is to consecutive words. `groups` groups of threads work at the
same time. The parameter `skew` makes neighbouring rows start at different elements, if their lanes
would otherwise load from the same banks."
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[checks::SHARED_SOURCE, checks::SCOPE, checks::KIND]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        Shape::choose(r, shuffle_cost).cost(r, shuffle_cost)
    }

    fn params(&self, r: &Reduction<'_>) -> Params {
        Shape::choose(r, shuffle_cost).params()
    }

    fn check_params(&self, r: &Reduction<'_>, params: &dyn Fn(&str) -> i64) -> Result<(), String> {
        let names = ["group", "groups", "stride", "vector"];
        if let Some(name) = names.into_iter().find(|name| params(name) < 1) {
            return Err(format!("`{name}` must be positive"));
        }
        if params("skew") < 0 {
            return Err("`skew` must not be negative".to_owned());
        }
        let shape = Shape::of(params);
        let threads = r.threads.unsigned_abs();
        let used = shape
            .group
            .checked_mul(shape.stride)
            .and_then(|n| n.checked_mul(shape.groups));
        if used.is_none_or(|n| n > threads) {
            return Err(format!(
                "`group` times `stride` times `groups` must be at most the {threads} threads of the scope"
            ));
        }
        let whole = shape.group == r.span.unsigned_abs();
        if !(whole || shape.group.is_power_of_two()) || !shape.stride.is_power_of_two() {
            return Err(
                "`group` (unless it is the whole scope) and `stride` must be powers of two"
                    .to_owned(),
            );
        }
        if shape.stride > WARP {
            return Err(format!("`stride` must be at most {WARP}"));
        }
        let widest = Shape::vector(r, shape.group, r.length().unwrap_or(u64::MAX));
        if !shape.vector.is_power_of_two() || shape.vector > widest {
            return Err(format!(
                "`vector` must be a power of two, and alignment and strides allow at most {widest}, found {}",
                shape.vector
            ));
        }
        let step = shape.group.saturating_mul(shape.vector);
        if shape.skew > 0 && r.length().is_none_or(|n| n % step != 0) {
            return Err(
                "`skew` needs a length that is a multiple of `group` times `vector`".to_owned(),
            );
        }
        Ok(())
    }

    fn expand<'c>(&self, r: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        if r.view.scope == Scope::Thread {
            return expand_sequential(b, r);
        }
        expand(r, params, b, None);
    }
}

/// Emits a reduction whose elements are distributed over the threads of the scope. `exchange` is
/// the name of the exchange between lanes of a warp, or `None` for shuffles.
pub(crate) fn expand<'c>(
    r: &Reduction<'c>,
    params: &dyn Fn(&str) -> i64,
    b: &Builder<'c>,
    exchange: Option<&'static str>,
) {
    let Ok(combiner) = r.combiner() else { return };
    Expansion {
        b,
        r,
        combiner,
        shape: Shape::of(params),
        exchange,
        packed: None,
        store_total: &|b, combiner, total, length, kept| {
            store_result(b, r, combiner, total, length, kept);
        },
    }
    .run();
}

/// Closure that stores one result. The closure receives the total, the row length, and the indices
/// along the parallel dimensions.
pub(crate) type StoreResult<'a, 'c> =
    dyn Fn(&Builder<'c>, &Combiner<'c>, &[Val<'c>], Index<'c>, &[Index<'c>]) + 'a;

pub(crate) struct Expansion<'a, 'c> {
    pub(crate) b: &'a Builder<'c>,
    pub(crate) r: &'a Reduction<'c>,
    pub(crate) combiner: Combiner<'c>,
    pub(crate) shape: Shape,
    /// Name of the exchange between lanes of a warp, or `None` for shuffles.
    pub(crate) exchange: Option<&'static str>,
    /// Combiner of two vectors of elements, in the element type of the source. If `packed` is
    /// present, each thread combines whole vectors of elements.
    pub(crate) packed: Option<Combiner<'c>>,
    pub(crate) store_total: &'a StoreResult<'a, 'c>,
}

fn constant<'c>(n: u64) -> Index<'c> {
    Index::Const(n.cast_signed())
}

impl<'c> Expansion<'_, 'c> {
    pub(crate) fn run(&self) {
        let (b, r, shape) = (self.b, self.r, self.shape);
        let Some(source) = r.source() else { return };
        if shape.vector > 1 {
            align_sources(r);
        }
        let value = r.view.sources[0];
        let kept = extents(b, value, source, &r.kept);
        let reduced = extents(b, value, source, &r.reduced);
        let (results, length) = (product(b, &kept), product(b, &reduced));

        let thread = r.kernel.thread(b);
        let t = r.kernel.position(b, thread, r.view.scope);
        let column = b.rem(t, constant(shape.stride));
        let above = b.div(t, constant(shape.stride));
        // If one group spans the whole scope, computing the lane needs no remainder op, because all
        // threads belong to this group.
        let span = r.span.unsigned_abs();
        let whole = shape.group * shape.stride >= span;
        let lane = if whole {
            above
        } else {
            b.rem(above, constant(shape.group))
        };
        let row = if whole {
            Index::Const(0)
        } else {
            b.div(above, constant(shape.group))
        };
        let used = shape.groups * shape.group * shape.stride;
        let has_work = if used < span {
            b.less(t, constant(used))
        } else {
            Cond::Const(true)
        };

        let pace = shape.groups * shape.stride;
        let rounds = b.ceildiv(results, constant(pace));
        b.for_loop(
            Index::Const(0),
            rounds,
            Index::Const(1),
            &[],
            |b, round, _| {
                let first = b.mul(round, constant(pace));
                let first = b.add(first, b.mul(row, constant(shape.stride)));
                let result = b.add(first, column);
                // If all rounds are full, every thread has a result in each round.
                let exact = results
                    .known()
                    .is_some_and(|n| n.unsigned_abs() % pace == 0);
                let inside = if exact {
                    Cond::Const(true)
                } else {
                    b.less(result, results)
                };
                let valid = b.and(has_work, inside);
                let partial = b.if_else(
                    valid,
                    self.combiner.types(),
                    |b| {
                        let index = delinearize(b, result, &kept);
                        self.fold(b, result, &index, lane, &reduced, length)
                    },
                    |b| self.combiner.start(b),
                );
                let total = self.all_reduce(b, &partial);
                let writer = b.and(valid, b.equal(lane, Index::Const(0)));
                b.if_then(writer, |b| {
                    let index = delinearize(b, result, &kept);
                    (self.store_total)(b, &self.combiner, &total, length, &index);
                });
                Vec::new()
            },
        );
    }

    /// Emits the partial result of one thread, for the result with the parallel indices `kept`.
    fn fold(
        &self,
        b: &Builder<'c>,
        result: Index<'c>,
        kept: &[Index<'c>],
        lane: Index<'c>,
        reduced: &[Index<'c>],
        length: Index<'c>,
    ) -> Vec<Val<'c>> {
        let (group, vector) = (self.shape.group, self.shape.vector);
        let combiner = &self.combiner;
        let parts = combiner.types().len();

        // In a full step, every lane loads `vector` elements, each with a separate accumulator.
        let step = constant(group * vector);
        let full = b.mul(b.div(length, step), step);
        let mut mine = b.mul(lane, constant(vector));
        if self.shape.skew > 0 {
            let later = b.mul(b.div(result, constant(self.shape.skew)), step);
            mine = b.add(mine, later);
        }
        let position = |b: &Builder<'c>, i: Index<'c>| {
            let at = b.add(i, mine);
            if self.shape.skew > 0 {
                b.rem(at, length)
            } else {
                at
            }
        };
        let start = combiner.start(b);
        if let Some(packed) = &self.packed {
            return self.fold_vectors(b, packed, kept, reduced, (full, step), &position);
        }
        let starts: Vec<Val<'c>> = (0i64..)
            .take(usize::try_from(vector).unwrap_or(1))
            .flat_map(|v| {
                // The accumulator starts with the index of the first element. The following
                // combinations do not compare indices, so if an element equals the initial value,
                // the accumulator must already contain the correct index.
                if combiner.kind().is_arg() && self.in_order() {
                    let own = b.add(mine, Index::Const(v));
                    let alone = b.equal(full, Index::Const(0));
                    combiner.start_at(b, b.select_index(alone, lane, own))
                } else {
                    start.clone()
                }
            })
            .collect();
        let looped = b.for_loop(Index::Const(0), full, step, &starts, |b, i, carried| {
            let at = position(b, i);
            self.elements(b, kept, reduced, at, vector)
                .iter()
                .zip(carried.chunks(parts))
                .flat_map(|(element, carried)| self.combine(b, carried, element))
                .collect()
        });
        let folded = looped.chunks(parts).map(<[_]>::to_vec).collect();
        let partial = combiner.combine_all(b, folded);

        // The remainder is shorter than a full step, so each lane loads one element at a time.
        let rest = b.sub(length, full);
        if rest.known() == Some(0) {
            return partial;
        }
        let rounds = b.ceildiv(rest, constant(group));
        b.for_loop(
            Index::Const(0),
            rounds,
            Index::Const(1),
            &partial,
            |b, i, carried| {
                let at = b.add(full, b.add(b.mul(i, constant(group)), lane));
                let inside = b.less(at, length);
                b.if_else(
                    inside,
                    combiner.types(),
                    |b| {
                        let element = self.elements(b, kept, reduced, at, 1);
                        self.combine(b, carried, &element[0])
                    },
                    |_| carried.to_vec(),
                )
            },
        )
    }

    /// Returns whether a thread combines the elements of a result in ascending index order.
    fn in_order(&self) -> bool {
        self.shape.skew == 0 && self.r.reduced.is_sorted()
    }

    fn combine(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>]) -> Vec<Val<'c>> {
        if self.in_order() {
            self.combiner.combine_later(b, left, right)
        } else {
            self.combiner.combine(b, left, right)
        }
    }

    /// Emits the partial result of one thread that combines whole vectors of elements. The row
    /// length must be a multiple of the number of elements in one step (see [`Shape::is_exact`]).
    fn fold_vectors(
        &self,
        b: &Builder<'c>,
        packed: &Combiner<'c>,
        kept: &[Index<'c>],
        reduced: &[Index<'c>],
        (full, step): (Index<'c>, Index<'c>),
        position: &dyn Fn(&Builder<'c>, Index<'c>) -> Index<'c>,
    ) -> Vec<Val<'c>> {
        let vector = self.shape.vector;
        let Some(memref) = self.r.source() else {
            return Vec::new();
        };
        let ty = Type::vector(&[vector], memref.element);
        let start = b
            .create("vector.broadcast")
            .operands(&packed.start(b))
            .result(ty)
            .value();
        let folded = b.for_loop(Index::Const(0), full, step, &[start], |b, i, carried| {
            let indices = delinearize(b, position(b, i), reduced);
            let place = source_index(b, self.r, kept, &indices);
            let loaded = load_vector(b, self.r.view.sources[0], memref, &place, vector);
            packed.combine(b, carried, &[loaded])
        });
        // Combine the halves of the vector until two elements are left.
        let mut value = folded[0];
        let mut lanes = vector;
        while lanes > 2 {
            lanes /= 2;
            let numbers = |numbers: &[i64]| {
                let number = |n: &i64| tx_mlir::i64_attribute(b.context(), *n);
                let all: Vec<_> = numbers.iter().map(number).collect();
                melior::ir::attribute::ArrayAttribute::new(b.context(), &all).into()
            };
            let half = |offset: u64| {
                b.create("vector.extract_strided_slice")
                    .attr("offsets", numbers(&[offset.cast_signed()]))
                    .attr("sizes", numbers(&[lanes.cast_signed()]))
                    .attr("strides", numbers(&[1]))
                    .operands(&[value])
                    .result(Type::vector(&[lanes], memref.element))
                    .value()
            };
            value = packed.combine(b, &[half(0)], &[half(lanes)])[0];
        }
        let partials = scalars(b, value).into_iter().map(|v| vec![v]).collect();
        let total = packed.combine_all(b, partials);
        vec![self.combiner.widen(b, 0, total[0])]
    }

    /// Loads `vector` consecutive elements along the last reduced dimension, and converts each
    /// element to a partial result.
    fn elements(
        &self,
        b: &Builder<'c>,
        kept: &[Index<'c>],
        reduced: &[Index<'c>],
        at: Index<'c>,
        vector: u64,
    ) -> Vec<Vec<Val<'c>>> {
        let r = self.r;
        let indices = delinearize(b, at, reduced);
        let place = source_index(b, r, kept, &indices);
        let loaded = load_elements(b, r, &place, vector);
        let (b, mut offset) = (b, 0);
        loaded
            .iter()
            .map(|elements| {
                let partial = self.combiner.partial(b, elements, |b, ty| {
                    let mut indices = indices.clone();
                    if let Some(last) = indices.last_mut() {
                        *last = b.add(*last, Index::Const(offset));
                    }
                    // If the reduced dimensions are in ascending order, the position is the element
                    // index.
                    let number = if r.reduced.is_sorted() {
                        b.add(at, Index::Const(offset))
                    } else {
                        element_number(b, r, &indices, reduced)
                    };
                    index_as(b, number, ty)
                });
                offset += 1;
                partial
            })
            .collect()
    }

    /// Emits the exchange of partial results within the thread group of one result. Every thread of
    /// the group receives the total.
    fn all_reduce(&self, b: &Builder<'c>, partial: &[Val<'c>]) -> Vec<Val<'c>> {
        let (view, shape) = (&self.r.view, self.shape);
        if shape.group == 1 {
            return partial.to_vec();
        }
        let within = shape.group * shape.stride <= WARP;
        // If the group is the whole scope, the `tile.all_reduce` needs no width, and the scope may
        // have any number of threads.
        let explicit = within || shape.group < self.r.span.unsigned_abs();
        let group = Group {
            scope: if within { Scope::Warp } else { view.scope },
            width: explicit.then_some(shape.group.cast_signed()),
            stride: shape.stride.cast_signed(),
            variant: self.exchange,
        };
        all_reduce(b, &self.combiner, partial, group)
    }
}

/// Aligns the shared memory of the sources for vector loads.
pub(crate) fn align_sources(r: &Reduction<'_>) {
    for source in &r.view.sources {
        if let Some((kernel, index)) = shared_root(*source) {
            align_attribution(kernel, index);
        }
    }
}
