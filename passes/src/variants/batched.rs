//! `batched`: each warp reduces several rows at once. The rows that a warp reduces at once are a
//! batch. The lanes of the warp exchange the partial results of all rows of a batch together.

use super::parts::{element_number, load_elements, source_index, store_result};
use super::shape::Shape;
use super::shared::align_sources;
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::combiner::Combiner;
use crate::emit::{delinearize, extents, index_as, product};
use crate::exchange::{Exchange, Pool, shuffle_cost};
use tx_mlir::{Builder, Index, Val};

const WARP: u64 = tx_target::WARP as u64;
/// Maximum number of results, and maximum row length in elements, in the cost estimate.
const LARGE: u64 = 1 << 40;

pub(crate) struct Batched;

impl Variant for Batched {
    fn name(&self) -> &'static str {
        "batched"
    }

    fn doc(&self) -> &'static str {
        "\
A warp reduces `rows` rows at once, and its lanes exchange the partial results of all rows together.

Each lane first combines its elements of every row. In each exchange step, two lanes swap half of their
partial results. After the last step, each lane has the result of one row. The exchange takes `rows - 1`
shuffles and a few more; a separate exchange for each row would take five shuffles per row. Neighbouring
lanes store neighbouring results. The variant is for many short rows."
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            checks::SHARED_SOURCE,
            checks::SEVERAL_THREADS,
            checks::KIND,
            Predicate {
                name: "warps",
                check: |r| {
                    if r.threads % WARP.cast_signed() == 0 && r.span == r.threads {
                        return Ok(());
                    }
                    Err(format!(
                        "{} thread{}, expected whole warps",
                        r.threads,
                        if r.threads == 1 { "" } else { "s" }
                    ))
                },
            },
            Predicate {
                name: "contiguous",
                check: |r| match r.contiguous() {
                    Some(d) if !r.reduced.contains(&d) => {
                        Err("neighbours in memory belong to different results".to_owned())
                    }
                    _ => Ok(()),
                },
            },
            Predicate {
                name: "rows",
                check: |r| {
                    if rows(r) < 2 {
                        return Err("fewer than two results for each warp".to_owned());
                    }
                    Ok(())
                },
            },
            Predicate {
                name: "determinism",
                check: |r| match r.batch_invariant() {
                    true => Err(
                        "`batch_invariant` requires the reduction tree of the variant `shared`"
                            .to_owned(),
                    ),
                    false => Ok(()),
                },
            },
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        let rows = rows(r);
        let warps = r.threads.unsigned_abs() / WARP;
        let results = r.results().unwrap_or(1 << 20).clamp(1, LARGE);
        let length = r.length().unwrap_or(1 << 20).clamp(1, LARGE);
        let vector = Shape::vector(r, WARP, length);
        let parts = r
            .view
            .accumulators()
            .map_or(1, |t| u64::try_from(t.len()).unwrap_or(1));
        let loads = length.div_ceil(WARP * vector);
        let words = (vector * r.element_bytes().unwrap_or(4)).div_ceil(4);
        let issue = rows * loads * (words + vector * parts) * warps.div_ceil(4);
        // The shuffles of one exchange step are independent, so their latencies overlap.
        let exchange = shuffle_cost(WARP) + rows * 6 * parts * warps.div_ceil(4);
        results
            .div_ceil(warps.max(1) * rows)
            .saturating_mul(30u64.saturating_add(issue).saturating_add(exchange))
    }

    fn params(&self, r: &Reduction<'_>) -> Params {
        let vector = Shape::vector(r, WARP, r.length().unwrap_or(u64::MAX));
        let both = [("rows", rows(r)), ("vector", vector)];
        both.into_iter()
            .map(|(name, n)| (name, n.cast_signed()))
            .collect()
    }

    fn check_params(&self, r: &Reduction<'_>, params: &dyn Fn(&str) -> i64) -> Result<(), String> {
        let rows = params("rows");
        if !(2..=32).contains(&rows) || !rows.unsigned_abs().is_power_of_two() {
            return Err(format!(
                "`rows` must be a power of two from 2 to {WARP}, found {rows}"
            ));
        }
        let widest = Shape::vector(r, WARP, r.length().unwrap_or(u64::MAX));
        let vector = params("vector").unsigned_abs();
        if !vector.is_power_of_two() || vector > widest {
            return Err(format!(
                "`vector` must be a power of two, and alignment and strides allow at most \
                 {widest}, found {vector}"
            ));
        }
        Ok(())
    }

    fn expand<'c>(&self, r: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        let Ok(combiner) = r.combiner() else { return };
        Expansion {
            r,
            combiner,
            rows: params("rows"),
            vector: params("vector").unsigned_abs(),
        }
        .run(b);
    }
}

/// Returns the number of rows that a warp reduces at once. The number of rows is the quotient of
/// the number of results and the number of warps, rounded up to a power of two, but at most 32.
fn rows(r: &Reduction<'_>) -> u64 {
    let warps = (r.threads.unsigned_abs() / WARP).max(1);
    let each = r.results().unwrap_or(LARGE).div_ceil(warps);
    each.next_power_of_two().min(WARP)
}

struct Expansion<'a, 'c> {
    r: &'a Reduction<'c>,
    combiner: Combiner<'c>,
    rows: i64,
    vector: u64,
}

impl<'c> Expansion<'_, 'c> {
    fn run(&self, b: &Builder<'c>) {
        let r = self.r;
        let Some(source) = r.source() else { return };
        if self.vector > 1 {
            align_sources(r);
        }
        let value = r.view.sources[0];
        let kept = extents(b, value, source, &r.kept);
        let reduced = extents(b, value, source, &r.reduced);
        let (results, length) = (product(b, &kept), product(b, &reduced));

        let warp_size = Index::Const(WARP.cast_signed());
        let warps = r.threads / WARP.cast_signed();
        let thread = r.kernel.thread(b);
        let t = r.kernel.position(b, thread, r.view.scope);
        let lane = r.kernel.lane(b, thread);
        let warp = if warps == 1 {
            Index::Const(0)
        } else {
            b.div(t, warp_size)
        };
        // Number of lanes that receive the result of the same row.
        let copies = WARP.cast_signed() / self.rows;

        let rounds = b.ceildiv(results, Index::Const(warps * self.rows));
        b.for_loop(
            Index::Const(0),
            rounds,
            Index::Const(1),
            &[],
            |b, round, _| {
                let batch = b.add(b.mul(round, Index::Const(warps)), warp);
                let first = b.mul(batch, Index::Const(self.rows));
                let partials = self.fold(b, first, results, lane, &kept, &reduced, length);
                let mut unused = Pool::default();
                let mut exchange = Exchange::new(b, r.kernel, self.combiner.clone(), &mut unused);
                let total = exchange.transpose(partials, lane);
                let own = b.div(lane, Index::Const(copies));
                let result = b.add(first, own);
                let first_copy = b.equal(b.rem(lane, Index::Const(copies)), Index::Const(0));
                let inside = b.less(result, results);
                b.if_then(b.and(first_copy, inside), |b| {
                    let index = delinearize(b, result, &kept);
                    store_result(b, r, &self.combiner, &total, length, &index);
                });
                Vec::new()
            },
        );
    }

    /// Emits the partial results of the current lane: one partial result for each row of a batch.
    #[expect(
        clippy::too_many_arguments,
        reason = "sizes and places, each used once"
    )]
    fn fold(
        &self,
        b: &Builder<'c>,
        first: Index<'c>,
        results: Index<'c>,
        lane: Index<'c>,
        kept: &[Index<'c>],
        reduced: &[Index<'c>],
        length: Index<'c>,
    ) -> Vec<Vec<Val<'c>>> {
        let combiner = &self.combiner;
        let parts = combiner.types().len();
        let rows: Vec<Vec<Index<'c>>> = (0..self.rows)
            .map(|k| {
                let row = b.add(first, Index::Const(k));
                // If a batch extends beyond the last row, lanes load the last row again, and do not
                // store its result again.
                let last = b.sub(results, Index::Const(1));
                let row = b.select_index(b.less(row, results), row, last);
                delinearize(b, row, kept)
            })
            .collect();
        let start = combiner.start(b);
        let starts: Vec<Val<'c>> = rows.iter().flat_map(|_| start.clone()).collect();
        let step = Index::Const(WARP.cast_signed() * self.vector.cast_signed());
        let full = b.mul(b.div(length, step), step);
        let mine = b.mul(lane, Index::Const(self.vector.cast_signed()));
        let folded = b.for_loop(Index::Const(0), full, step, &starts, |b, i, carried| {
            let at = b.add(i, mine);
            let rows = rows.iter().zip(carried.chunks(parts));
            rows.flat_map(|(row, carried)| {
                let elements = self.elements(b, row, reduced, at, self.vector);
                let own = combiner.combine_all(b, elements);
                combiner.combine(b, carried, &own)
            })
            .collect()
        });
        let rest = b.sub(length, full);
        let folded = if rest.known() == Some(0) {
            folded
        } else {
            let rounds = b.ceildiv(rest, Index::Const(WARP.cast_signed()));
            let one = Index::Const(1);
            b.for_loop(Index::Const(0), rounds, one, &folded, |b, i, carried| {
                let at = b.mul(i, Index::Const(WARP.cast_signed()));
                let at = b.add(full, b.add(at, lane));
                let types: Vec<_> = rows
                    .iter()
                    .flat_map(|_| combiner.types().to_vec())
                    .collect();
                b.if_else(
                    b.less(at, length),
                    &types,
                    |b| {
                        let rows = rows.iter().zip(carried.chunks(parts));
                        rows.flat_map(|(row, carried)| {
                            let elements = self.elements(b, row, reduced, at, 1);
                            combiner.combine(b, carried, &elements[0])
                        })
                        .collect()
                    },
                    |_| carried.to_vec(),
                )
            })
        };
        folded.chunks(parts).map(<[_]>::to_vec).collect()
    }

    /// Loads `vector` consecutive elements of a row, and converts each element to a partial result.
    fn elements(
        &self,
        b: &Builder<'c>,
        row: &[Index<'c>],
        reduced: &[Index<'c>],
        at: Index<'c>,
        vector: u64,
    ) -> Vec<Vec<Val<'c>>> {
        let r = self.r;
        let indices = delinearize(b, at, reduced);
        let place = source_index(b, r, row, &indices);
        let loaded = load_elements(b, r, &place, vector);
        (0i64..)
            .zip(&loaded)
            .map(|(offset, elements)| {
                self.combiner.partial(b, elements, |b, ty| {
                    let mut indices = indices.clone();
                    if let Some(last) = indices.last_mut() {
                        *last = b.add(*last, Index::Const(offset));
                    }
                    index_as(b, element_number(b, r, &indices, reduced), ty)
                })
            })
            .collect()
    }
}
