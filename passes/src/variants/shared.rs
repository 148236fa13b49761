//! `shared`: the threads of the scope share the work on a tile that all of them see.
//!
//! Thread `t` of the scope works on column `t % stride`, is reduction lane `t / stride % group`,
//! and belongs to row group `t / (stride * group)`. Lanes lie along the contiguous dimension of
//! the source, whichever that is: along the reduced one, `stride` is 1 and the `group` lanes of a
//! result read neighbours; along a kept one, `stride` neighbours read different columns, each for
//! itself, and nothing is exchanged unless there are threads left over for a `group`. Either way
//! one access of a warp touches consecutive words: no bank conflicts, full lines of global memory.
//!
//! A group is wider than a warp when there are fewer results than warps; the exchange then goes
//! through shared memory. Shuffles stand outside of guards: threads without work carry the value
//! that changes nothing.

use super::{
    Params, Predicate, Reduction, Variant, checks, delinearize, expand_sequential, extents, load,
    product, shared_root, source_index, store_result,
};
use crate::analysis::kernel::align_attribution;
use crate::combiner::Combiner;
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::Scope;
use tx_mlir::build::Cond;
use tx_mlir::memref::Space;
use tx_mlir::{Builder, Index, Val, byte_width, i64_attribute};

/// Widest access of one thread, in bytes.
const WIDEST: u64 = 16;
/// Sizes from here on are all treated alike.
const LARGE: u64 = 1 << 40;
const WARP: u64 = tx_target::WARP as u64;

/// See the module.
pub(crate) struct Shared;

impl Variant for Shared {
    fn name(&self) -> &'static str {
        "shared"
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            Predicate {
                name: "storage",
                check: |r| {
                    checks::source_in(
                        r,
                        &[Space::Shared, Space::Global],
                        "shared or global memory",
                    )
                },
            },
            Predicate {
                name: "destination",
                check: checks::destination,
            },
            Predicate {
                name: "scope",
                check: checks::scope,
            },
            Predicate {
                name: "determinism",
                check: |r| {
                    let order = tx_mlir::attribute(r.view.op, "determinism").map(tx_mlir::keyword);
                    match order.as_deref() {
                        Some("batch_invariant") if r.view.scope != Scope::Thread => {
                            Err("`batch_invariant` is not implemented".to_owned())
                        }
                        _ => Ok(()),
                    }
                },
            },
            Predicate {
                name: "kind",
                check: checks::kind,
            },
            Predicate {
                name: "type",
                check: checks::element,
            },
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        let shape = Shape::choose(r);
        let results = r.results().unwrap_or(1).min(LARGE);
        let rounds = results.div_ceil((shape.stride * shape.groups).max(1));
        let loads = r
            .length()
            .unwrap_or(1024)
            .div_ceil((shape.group * shape.vector).max(1));
        // A load and a combine, then about 25 cycles a shuffle and 40 an exchange.
        let tree = u64::from(shape.group.min(WARP).next_power_of_two().ilog2()) * 25;
        let exchange = if shape.group * shape.stride > WARP {
            40
        } else {
            0
        };
        rounds.saturating_mul(loads.saturating_mul(8).saturating_add(tree + exchange))
    }

    fn params(&self, r: &Reduction<'_>) -> Params {
        let shape = Shape::choose(r);
        [
            ("group", shape.group),
            ("groups", shape.groups),
            ("stride", shape.stride),
            ("vector", shape.vector),
        ]
        .into_iter()
        .map(|(name, value)| (name, value.cast_signed()))
        .collect()
    }

    fn check_params(&self, r: &Reduction<'_>, params: &dyn Fn(&str) -> i64) -> Result<(), String> {
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
        Ok(())
    }

    fn expand<'c>(&self, r: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        if r.view.scope == Scope::Thread {
            return expand_sequential(b, r);
        }
        let shape = Shape::of(params);
        if let Ok(combiner) = r.combiner() {
            Expansion {
                b,
                r,
                combiner,
                shape,
            }
            .run();
        }
    }
}

/// How the threads of a scope are spread over a reduction.
#[derive(Clone, Copy)]
struct Shape {
    /// Threads that share one result.
    group: u64,
    /// Groups of `stride * group` threads.
    groups: u64,
    /// Neighbouring threads that work on different results.
    stride: u64,
    /// Elements that one load of a thread brings.
    vector: u64,
}

fn floor_power(n: u64) -> u64 {
    if n == 0 { 1 } else { 1 << n.ilog2() }
}

impl Shape {
    /// The shape that is recorded on an op.
    fn of(params: &dyn Fn(&str) -> i64) -> Self {
        let get = |name| params(name).unsigned_abs().max(1);
        Self {
            group: get("group"),
            groups: get("groups"),
            stride: get("stride"),
            vector: get("vector"),
        }
    }

    fn choose(r: &Reduction<'_>) -> Self {
        let threads = r.threads.unsigned_abs().max(1);
        if r.view.scope == Scope::Thread {
            return Self {
                group: 1,
                groups: 1,
                stride: 1,
                vector: 1,
            };
        }
        // An unknown size is taken to be large.
        let results = r.results().unwrap_or(1 << 20).clamp(1, LARGE);
        let length = r.length().unwrap_or(1 << 20).clamp(1, LARGE);
        let along_reduced = r.contiguous().is_none_or(|d| r.reduced.contains(&d));
        let (stride, group) = if along_reduced {
            (1, Self::rows(threads, results, length))
        } else {
            Self::columns(threads, results, length)
        };
        let vector = if along_reduced {
            Self::vector(r, group, length)
        } else {
            1
        };
        Self {
            group,
            groups: (threads / (stride * group)).max(1),
            stride,
            vector,
        }
    }

    /// Lanes along the reduced dimension.
    fn rows(threads: u64, results: u64, length: u64) -> u64 {
        // Several warps for one result, when there are warps to spare and work for them.
        if results == 1 && threads > WARP && length >= threads {
            return threads;
        }
        let spare = floor_power(threads / WARP / results);
        if threads / WARP > results && length > WARP {
            return WARP * spare.min(floor_power(length / WARP));
        }
        WARP.min(length.next_power_of_two())
            .min(floor_power(threads))
    }

    /// Lanes along a kept dimension: (stride, group).
    fn columns(threads: u64, results: u64, length: u64) -> (u64, u64) {
        let stride = WARP
            .min(results.next_power_of_two())
            .min(floor_power(threads));
        let spare = floor_power(threads / (stride * results.div_ceil(stride)).max(1));
        // Within a warp an exchange is cheap; between warps each thread should keep some work.
        let within = (WARP / stride).min(length.next_power_of_two());
        let between = floor_power((length / 4).max(1));
        (stride, spare.min(within.max(between)).max(1))
    }

    /// The widest load that alignment and strides allow, when every lane has work for it.
    fn vector(r: &Reduction<'_>, group: u64, length: u64) -> u64 {
        let Some(source) = &r.source else { return 1 };
        let (Some(bytes), Some(last)) = (byte_width(source.element), r.reduced.last()) else {
            return 1;
        };
        let mut vector = (WIDEST / bytes).max(1);
        while vector > 1 {
            let divides = |n: Option<i64>| n.is_some_and(|n| n.unsigned_abs() % vector == 0);
            let pitched = (0..source.rank())
                .filter(|d| d != last)
                .all(|d| source.shape[d] == Some(1) || divides(source.strides[d]));
            let row = source.shape[*last].is_some_and(|n| n % vector == 0);
            if source.strides[*last] == Some(1)
                && r.alignment >= vector * bytes
                && pitched
                && row
                && length >= group.saturating_mul(vector)
            {
                return vector;
            }
            vector /= 2;
        }
        1
    }
}

struct Expansion<'a, 'c> {
    b: &'a Builder<'c>,
    r: &'a Reduction<'c>,
    combiner: Combiner<'c>,
    shape: Shape,
}

fn constant<'c>(n: u64) -> Index<'c> {
    Index::Const(n.cast_signed())
}

impl<'c> Expansion<'_, 'c> {
    fn run(&self) {
        let (b, r, shape) = (self.b, self.r, self.shape);
        let Some(source) = &r.source else { return };
        if shape.vector > 1 {
            self.align();
        }
        let value = r.view.sources[0];
        let kept = extents(b, value, source, &r.kept);
        let reduced = extents(b, value, source, &r.reduced);
        let (results, length) = (product(b, &kept), product(b, &reduced));

        let thread = r.kernel.thread(b);
        let t = r.kernel.position(b, thread, r.view.scope);
        let column = b.rem(t, constant(shape.stride));
        let above = b.div(t, constant(shape.stride));
        // The last group has everything above it, so that a whole scope needs no remainder.
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
                // Every thread of a full round has a result.
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
                    &[self.combiner.ty()],
                    |b| {
                        let index = delinearize(b, result, &kept);
                        vec![self.fold(b, value, &index, lane, &reduced, length)]
                    },
                    |b| vec![self.combiner.start(b)],
                );
                let total = self.all_reduce(b, partial[0]);
                let writer = b.and(valid, b.equal(lane, Index::Const(0)));
                b.if_then(writer, |b| {
                    let index = delinearize(b, result, &kept);
                    store_result(b, r, &self.combiner, total, length, &index);
                });
                Vec::new()
            },
        );
    }

    /// What one thread combines by itself for the result at `kept`.
    fn fold(
        &self,
        b: &Builder<'c>,
        source: Val<'c>,
        kept: &[Index<'c>],
        lane: Index<'c>,
        reduced: &[Index<'c>],
        length: Index<'c>,
    ) -> Val<'c> {
        let (group, vector) = (self.shape.group, self.shape.vector);
        let combiner = &self.combiner;
        let start = combiner.start(b);

        // Full steps: every lane of the group has `vector` elements.
        let step = constant(group * vector);
        let full = b.mul(b.div(length, step), step);
        let mine = b.mul(lane, constant(vector));
        let widened = if vector > 1 {
            let ty = Type::vector(&[vector], combiner.ty());
            b.create("vector.broadcast")
                .operands(&[start])
                .result(ty)
                .value()
        } else {
            start
        };
        let looped = b.for_loop(Index::Const(0), full, step, &[widened], |b, i, carried| {
            let at = b.add(i, mine);
            let element = self.element(b, source, kept, reduced, at, vector);
            vec![combiner.combine(b, carried[0], element)]
        });
        let mut partial = self
            .lanes(b, looped[0])
            .into_iter()
            .reduce(|l, r| combiner.combine(b, l, r))
            .unwrap_or(start);

        // What is left is less than a full step: one element a lane at a time.
        let rest = b.sub(length, full);
        if rest.known() != Some(0) {
            let rounds = b.ceildiv(rest, constant(group));
            let done = b.for_loop(
                Index::Const(0),
                rounds,
                Index::Const(1),
                &[partial],
                |b, i, carried| {
                    let at = b.add(full, b.add(b.mul(i, constant(group)), lane));
                    let inside = b.less(at, length);
                    b.if_else(
                        inside,
                        &[combiner.ty()],
                        |b| {
                            let element = self.element(b, source, kept, reduced, at, 1);
                            vec![combiner.combine(b, carried[0], element)]
                        },
                        |_| vec![carried[0]],
                    )
                },
            );
            partial = done[0];
        }
        partial
    }

    /// One element, or `vector` neighbours along the last reduced dimension, as partial results.
    fn element(
        &self,
        b: &Builder<'c>,
        source: Val<'c>,
        kept: &[Index<'c>],
        reduced: &[Index<'c>],
        at: Index<'c>,
        vector: u64,
    ) -> Val<'c> {
        let Some(memref) = &self.r.source else {
            return source;
        };
        let index = delinearize(b, at, reduced);
        let index = source_index(b, self.r, kept, &index);
        let loaded = if vector > 1 {
            let bytes = byte_width(memref.element).unwrap_or(1) * vector;
            let mut all = vec![source];
            all.extend(index);
            b.create("vector.load")
                .attr("alignment", i64_attribute(b.context(), bytes.cast_signed()))
                .operands(&all)
                .result(Type::vector(&[vector], memref.element))
                .value()
        } else {
            load(b, source, memref.element, &index)
        };
        self.combiner.widen(b, loaded)
    }

    /// The elements of a vector, or the scalar itself.
    fn lanes(&self, b: &Builder<'c>, value: Val<'c>) -> Vec<Val<'c>> {
        if tx_mlir::vector_parts(value.r#type()).is_none() {
            return vec![value];
        }
        (0..self.shape.vector)
            .map(|i| {
                b.create("vector.extract")
                    .attr_text("static_position", &format!("array<i64: {i}>"))
                    .operands(&[value])
                    .result(self.combiner.ty())
                    .value()
            })
            .collect()
    }

    /// The group's total, in every thread of it.
    fn all_reduce(&self, b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
        let (view, shape) = (&self.r.view, self.shape);
        if shape.group == 1 {
            return value;
        }
        let within = shape.group * shape.stride <= WARP;
        let scope = if within { Scope::Warp } else { view.scope };
        let mut op = b
            .create("tile.all_reduce")
            .attr_text("kind", &format!("#tile.kind<{}>", view.kind))
            .attr_text("scope", &format!("#tile.scope<{scope}>"))
            .attr_type("acc", self.combiner.ty())
            .attr_text("nan", &format!("#tile.nan<{}>", view.nan));
        // A group that is the whole scope needs no width, which may then be any number.
        if within || shape.group < self.r.span.unsigned_abs() {
            op = op
                .attr(
                    "width",
                    i64_attribute(b.context(), shape.group.cast_signed()),
                )
                .attr(
                    "stride",
                    i64_attribute(b.context(), shape.stride.cast_signed()),
                );
        }
        op.operands(&[value])
            .region(melior::ir::Region::new())
            .result(value.r#type())
            .value()
    }

    /// Gives the source's shared memory the alignment that vector loads count on.
    fn align(&self) {
        if let Some((kernel, index)) = shared_root(self.r.view.sources[0]) {
            align_attribution(kernel, index);
        }
    }
}
