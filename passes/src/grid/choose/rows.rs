//! Schedules of row reductions, in which neighbouring elements belong to one result. A group of
//! threads reduces each row.

use super::super::extent::ceildiv;
use super::super::steps::Case;
use super::chooser::{
    Blocks, Chooser, EXPENSIVE_OPS, LANES, MAX_SCALAR_ELEMENTS, MIN_LAST_BLOCK_ELEMENTS,
    MIN_SPLIT_BLOCKS, SPLIT_BLOCKS, SPLIT_BLOCKS_PER_ROW, THREADS_PER_BLOCK, VECTOR, Vectors,
    power_of_two,
};
use super::row_steps::Rows;
use super::row_tables::{
    CLUSTER_ROWS, COMPUTE_BOUND_ROWS, EXPENSIVE_ROWS, FEW_BLOCK_MAPPINGS, FEW_LONG_ROWS,
    LARGE_INPUT, LONGEST, MIN_ALWAYS_SPLIT_ELEMENTS, MIN_BUSY_BLOCKS, MIN_SPLIT_ELEMENTS, NARROW,
    ONE_BLOCK_MAPPINGS, ROWS, SMALL_BLOCK, SPLIT_ROW_GROUP, ThreadGroup, VECTORS_IN_FLIGHT,
    VECTORS_PER_THREAD, WORD,
};
use tx_plan::UpTo;

struct RowRequest {
    inner: usize,
    /// Whether all reduced dimensions are fused into one loop.
    together: bool,
    /// Whether one loop covers the whole row: the fused loop, or the loop of the only reduced
    /// dimension.
    is_whole: bool,
    vectors: Vectors,
    /// Maximum number of elements of a row, or of its inner dimension, if there is a static bound.
    most: Option<i64>,
    is_large_input: bool,
}

impl Chooser<'_, '_> {
    /// Makes one schedule for each range of dynamic row lengths.
    pub(super) fn rows_by_length(&mut self) -> Option<Vec<Case>> {
        let (grid_op, inner, kept) = (self.grid_op, self.inner(), self.kept.clone());
        let kept = kept.as_slice();
        let vectors = self.vectors(inner);
        if grid_op.axes != [inner]
            || grid_op.extents[inner].known().is_some()
            || vectors.width() == 1
        {
            return None;
        }
        let one_by_one = |(most, group): (i64, ThreadGroup), blocks: Blocks| Rows {
            blocks,
            ..Rows::new(group, Vectors::None, Some(most))
        };
        let is_large_input = kept.is_empty() && grid_op.weight() <= EXPENSIVE_OPS;
        let width = self.width().unwrap_or(VECTOR);
        let mut classes: Vec<(UpTo, Rows)> = Vec::new();
        let mut up_to =
            |class: Rows| classes.extend(class.most.map(|n| (UpTo::new(inner, n), class)));
        if kept.is_empty() {
            up_to(one_by_one(ONE_BLOCK_MAPPINGS[0], Blocks::One));
            let (most, group, blocks) = CLUSTER_ROWS.alone;
            if self.clusters {
                // A cluster reduces a row of dynamic length in a loop. Clusters therefore reduce
                // dynamic rows only up to half the maximum length of static rows.
                up_to(one_by_one((most / 2, group), Blocks::Cluster(blocks)));
            }
            FEW_BLOCK_MAPPINGS[1..]
                .iter()
                .for_each(|(most, group, cuts)| {
                    up_to(one_by_one((*most, *group), Blocks::LastBlock(*cuts)));
                });
            if is_large_input {
                up_to(Rows {
                    blocks: Blocks::SecondKernel(SPLIT_BLOCKS),
                    ..Rows::new(SPLIT_ROW_GROUP, vectors, Some(LARGE_INPUT.bytes / width))
                });
            }
        } else {
            let rows = match self.is_expensive() {
                true => EXPENSIVE_ROWS.as_slice(),
                false => ROWS.as_slice(),
            };
            let of_width = rows.iter().find(|(most, _)| width <= *most);
            for class in of_width.into_iter().flat_map(|(_, classes)| *classes) {
                let vectors = match class.by_vectors {
                    true => vectors.of(class.widest),
                    false => Vectors::None,
                };
                up_to(Rows {
                    resident: class.resident,
                    evict_first: class.evict_first,
                    ..Rows::new(class.group, vectors, Some(class.most))
                });
            }
        }
        // Each of the longest rows is reduced by one block, or by several blocks if there are few
        // rows. In a batch-invariant schedule, the blocks per row must not depend on the number of
        // rows.
        let mut longest = Rows::new(LONGEST, vectors, None);
        if let [number] = kept
            && !self.is_batch_invariant
        {
            let cut = |times: i64, blocks| Rows {
                blocks: Blocks::LastBlock(blocks),
                group: longest.group.wider(times),
                ..longest
            };
            match grid_op.extents[*number].known() {
                None => {
                    classes.extend(FEW_LONG_ROWS.map(|(most, times, blocks)| {
                        (UpTo::new(*number, most), cut(times, blocks))
                    }))
                }
                Some(results) => {
                    let few = FEW_LONG_ROWS.iter().find(|(most, _, _)| results <= *most);
                    longest = few.map_or(longest, |(_, times, blocks)| cut(*times, *blocks));
                }
            }
        }
        let mut cases = Vec::new();
        for (up_to, class) in classes {
            self.write_unrollable_rows(kept, inner, false, class);
            let steps = std::mem::take(&mut self.steps);
            cases.push(Case {
                up_to: Some(up_to),
                steps,
            });
        }
        let large = Rows {
            blocks: Blocks::LastBlock(LARGE_INPUT.blocks),
            ..Rows::new(LARGE_INPUT.group, vectors, None)
        };
        match kept.is_empty() {
            true if is_large_input => self.write_unrollable_rows(kept, inner, false, large),
            true => self.write_long_rows(),
            false => self.write_unrollable_rows(kept, inner, false, longest),
        }
        cases.push(Case::always(std::mem::take(&mut self.steps)));
        Some(cases)
    }

    /// Returns the mapping of a full reduction that needs fewer than [`SPLIT_BLOCKS`] blocks.
    fn full_reduction(&self, kept: &[usize], length: i64) -> Option<Rows> {
        let is_alone = kept.is_empty() && length > MAX_SCALAR_ELEMENTS;
        let small = ONE_BLOCK_MAPPINGS.iter().find(|(most, _)| length <= *most);
        let medium = FEW_BLOCK_MAPPINGS
            .iter()
            .find(|(most, _, _)| length <= *most);
        let (group, blocks) = match (small, medium) {
            _ if !is_alone => return None,
            (Some((_, group)), _) => (*group, Blocks::One),
            _ if self.clusters && length <= CLUSTER_ROWS.alone.0 => {
                let (_, group, blocks) = CLUSTER_ROWS.alone;
                (group, Blocks::Cluster(blocks))
            }
            (None, Some((_, group, cuts))) => (*group, Blocks::LastBlock(*cuts)),
            (None, None) => return None,
        };
        Some(Rows {
            blocks,
            ..Rows::new(group, Vectors::None, Some(length))
        })
    }

    fn in_clusters(&self, kept: &[usize], length: Option<i64>, vectors: Vectors) -> Option<Rows> {
        let is_possible = self.clusters && !self.is_batch_invariant;
        let (results, length) = (self.total(kept)?, length?);
        if !is_possible || kept.is_empty() {
            return None;
        }
        let (_, blocks, least) = CLUSTER_ROWS
            .rows
            .iter()
            .find(|(most, _, _)| results <= *most)?;
        let (busy, few) = CLUSTER_ROWS.busy;
        let bytes = length.saturating_mul(self.width()?);
        if bytes < *least || results * blocks < busy && length > few {
            return None;
        }
        let number = CLUSTER_ROWS
            .groups
            .iter()
            .position(|(most, _)| length <= *most)?;
        let vectors = if number == 0 { Vectors::None } else { vectors };
        Some(Rows {
            blocks: Blocks::Cluster(*blocks),
            ..Rows::new(CLUSTER_ROWS.groups[number].1, vectors, Some(length))
        })
    }

    fn row_request(&self) -> RowRequest {
        let (grid_op, inner) = (self.grid_op, self.inner());
        let row = grid_op.extents[inner].known();
        // All reduced dimensions are fused if the indices of the fused loop need no division by a
        // dynamic length, or if there are too few rows to keep all SMs busy.
        let few = !self.is_batch_invariant
            && self.total(&self.kept).is_some_and(|n| n <= MIN_BUSY_BLOCKS);
        let together = grid_op.axes.len() > 1 && (row.is_some() || few);
        let is_whole = together || grid_op.axes.len() == 1;
        let narrow = self.width().filter(|width| *width < WORD);
        let vectors = match self.vectors(inner) {
            Vectors::Aligned(_) if together => Vectors::None,
            _ if together && row.is_none() => Vectors::None,
            // In a short row, head and tail elements take longer than scalar loads of the whole
            // row. For elements narrower than a register, scalar loads take even longer. Such
            // elements use shorter vectors, which leave fewer head and tail elements.
            Vectors::Aligned(n) if row.is_some_and(|row| row <= LANES * n) => match narrow {
                Some(width) if row.is_some_and(|row| row > NARROW) => {
                    Vectors::Aligned(VECTOR / 2 / width)
                }
                _ => Vectors::None,
            },
            other => other,
        };
        let most = if is_whole {
            self.total(&grid_op.axes)
        } else {
            row
        };
        let all: Vec<usize> = (0..grid_op.extents.len()).collect();
        // A batch-invariant schedule must not depend on the number of rows.
        let is_large_input = grid_op.weight() <= EXPENSIVE_OPS
            && match self.is_batch_invariant && !self.kept.is_empty() {
                true => most.is_some_and(|n| n >= MIN_ALWAYS_SPLIT_ELEMENTS),
                false => self.is_large_input(&all),
            };
        RowRequest {
            inner,
            together,
            is_whole,
            vectors,
            most,
            is_large_input,
        }
    }

    pub(super) fn one_result(&mut self) -> Option<Vec<Case>> {
        let (request, kept) = (self.row_request(), self.kept.clone());
        let rows = self.full_reduction(&kept, request.most?)?;
        self.write_unrollable_rows(&kept, request.inner, request.together, rows);
        Some(self.take_schedule())
    }

    pub(super) fn rows_that_a_cluster_shares(&mut self) -> Option<Vec<Case>> {
        let (request, kept) = (self.row_request(), self.kept.clone());
        let shared = self.in_clusters(&kept, request.most, request.vectors);
        let rows = shared.filter(|_| request.is_whole && !request.is_large_input)?;
        self.write_unrollable_rows(&kept, request.inner, request.together, rows);
        Some(self.take_schedule())
    }

    /// Makes a schedule in which a group of threads computes each result. Long rows are split
    /// across blocks if there are few rows.
    pub(super) fn rows(&mut self) -> Option<Vec<Case>> {
        self.write_long_rows();
        Some(self.take_schedule())
    }

    fn write_long_rows(&mut self) {
        let RowRequest {
            inner,
            together,
            is_whole,
            vectors,
            most,
            is_large_input,
        } = self.row_request();
        let kept = self.kept.clone();
        let kept = kept.as_slice();
        let vector = vectors.width();
        let all: Vec<usize> = (0..self.grid_op.extents.len()).collect();
        let is_large = self
            .total(&all)
            .is_some_and(|n| n >= MIN_LAST_BLOCK_ELEMENTS);
        let pieces = most.map(|n| ceildiv(n, vector));
        let cuts = self
            .blocks_per_row(kept, most, vector, is_large_input)
            .filter(|_| is_whole);
        let group = match cuts {
            Some(_) if is_large_input => LARGE_INPUT.group,
            _ => self.group(kept, pieces, vectors, cuts.is_some()),
        };
        let (group, vectors) = match (vectors, pieces) {
            (Vectors::Plain(n), Some(pieces)) if self.has_partial_round(kept, &group, pieces) => {
                let loads_in_flight = pieces / group.threads_per_row;
                (
                    ThreadGroup {
                        loads_in_flight,
                        ..group
                    },
                    Vectors::Aligned(n),
                )
            }
            _ => (group, vectors),
        };
        let rows = Rows {
            blocks: match cuts {
                None => Blocks::One,
                Some(n) if is_large || self.is_batch_invariant => Blocks::LastBlock(n),
                Some(n) => Blocks::SecondKernel(n),
            },
            ..Rows::new(group, vectors, most)
        };
        self.write_rows(kept, inner, together, rows);
    }

    /// Returns whether the elements along `dims` have a static total size of at least
    /// `LARGE_INPUT.bytes` bytes.
    fn is_large_input(&self, dims: &[usize]) -> bool {
        let bytes = |n: i64| n.saturating_mul(self.width().unwrap_or(1));
        self.total(dims)
            .is_some_and(|n| bytes(n) >= LARGE_INPUT.bytes)
    }

    /// Returns the number of blocks across which a row is split, or `None` for one block.
    fn blocks_per_row(
        &self,
        kept: &[usize],
        length: Option<i64>,
        vector: i64,
        is_large_input: bool,
    ) -> Option<i64> {
        let (most, cuts) = match (self.total(kept), length) {
            (Some(results), Some(n))
                if is_large_input && (kept.is_empty() || !self.is_batch_invariant) =>
            {
                let cuts = power_of_two(LARGE_INPUT.blocks / results.max(1));
                (n >= MIN_SPLIT_ELEMENTS, cuts)
            }
            _ if kept.is_empty() => (length.is_none_or(|n| n >= MIN_SPLIT_ELEMENTS), SPLIT_BLOCKS),
            (_, length) if self.is_batch_invariant => (
                length.is_some_and(|n| n >= MIN_ALWAYS_SPLIT_ELEMENTS),
                SPLIT_BLOCKS_PER_ROW,
            ),
            (Some(results), length)
                if length.map_or(self.grid_op.axes.len() > 1, |n| n >= MIN_SPLIT_ELEMENTS) =>
            {
                (
                    results <= MIN_BUSY_BLOCKS,
                    ceildiv(2 * SPLIT_BLOCKS, results.max(1)).max(MIN_SPLIT_BLOCKS),
                )
            }
            (None, Some(n)) => (n >= MIN_ALWAYS_SPLIT_ELEMENTS, SPLIT_BLOCKS_PER_ROW),
            _ => (false, 1),
        };
        let ThreadGroup {
            threads_per_row,
            loads_in_flight,
            ..
        } = if is_large_input {
            LARGE_INPUT.group
        } else {
            SPLIT_ROW_GROUP
        };
        let whole = length.map_or(i64::MAX, |n| {
            n / (vector * threads_per_row * loads_in_flight)
        });
        (most && cuts.min(whole) > 1).then(|| cuts.min(whole))
    }

    /// Returns the thread group (fields as in [`ROWS`]) for rows of `pieces` vectors.
    fn group(
        &self,
        kept: &[usize],
        pieces: Option<i64>,
        vectors: Vectors,
        is_cut: bool,
    ) -> ThreadGroup {
        let alone = kept.is_empty();
        // Partial results of several values are expensive to exchange, so fewer threads share a
        // row, and each thread has more loads in flight.
        let most = match (vectors, self.exchanges_parts() && pieces.is_some()) {
            (Vectors::None, false) => 2 * VECTORS_IN_FLIGHT,
            (_, false) => VECTORS_IN_FLIGHT,
            (_, true) => 2 * VECTORS_IN_FLIGHT,
        };
        // In measurements of short rows, only elements of at most 4 bytes are faster with two loads
        // in flight; the cause is unknown.
        let is_wide = self.width().is_none_or(|width| width > 4);
        let results = self.total(kept).filter(|_| !self.is_batch_invariant);
        let few = results.is_some_and(|n| n <= MAX_SCALAR_ELEMENTS);
        let is_aligned = matches!(vectors, Vectors::Aligned(_));
        let costly = pieces
            .filter(|n| *n > LANES / 2 && !alone && !few && self.is_compute_bound())
            .map(|n| n * vectors.width())
            .and_then(|n| {
                COMPUTE_BOUND_ROWS
                    .iter()
                    .find(|(most, _)| n <= most[usize::from(is_aligned)])
            });
        // Number of loads that a thread has in flight in a short row. The fewer loads in flight
        // each thread has, the more threads share the row. More threads are faster unless the
        // combiner has many ops.
        let apart = match self.grid_op.weight() > EXPENSIVE_OPS {
            true => VECTORS_IN_FLIGHT,
            false => VECTORS_IN_FLIGHT / 2,
        };
        let (threads_per_row, rows) = match (pieces, vectors) {
            _ if is_cut => (THREADS_PER_BLOCK, 1),
            (None, _) if alone => (THREADS_PER_BLOCK, 1),
            (None, _) => (LANES, 1),
            _ if costly.is_some() => (
                costly.map_or(LANES, |(_, threads_per_row)| *threads_per_row),
                1,
            ),
            (Some(n), _) if alone => (power_of_two(ceildiv(n, 2)).clamp(1, THREADS_PER_BLOCK), 1),
            (Some(n), Vectors::Aligned(vector))
                if n <= 2 * LANES && !self.exchanges_parts() && self.is_short(vector) =>
            {
                (power_of_two(ceildiv(n, VECTORS_IN_FLIGHT)), 1)
            }
            (Some(n), Vectors::None) if n <= 2 * LANES => (power_of_two(n).min(8), 4),
            (Some(n), Vectors::None) if n <= 4 * LANES => (LANES / 2, 1),
            (Some(n), Vectors::None) if n <= 16 * LANES => (LANES, 1),
            (Some(n), Vectors::None) if n <= LANES * THREADS_PER_BLOCK => (THREADS_PER_BLOCK, 1),
            (Some(n), _) if n <= LANES / 2 && self.exchanges_parts() => {
                (power_of_two(ceildiv(n, apart)), 1)
            }
            (Some(n), _) if n <= LANES / 2 && is_wide => (power_of_two(n), 4),
            (Some(n), _) if n <= LANES / 2 => (power_of_two(n).min(8), 4),
            (Some(n), _) if n <= 2 * LANES && self.exchanges_parts() => (8, 1),
            (Some(n), _) if n <= 2 * LANES => (LANES / 2, 1),
            (Some(n), _) if n < 4 * LANES => (LANES, 1),
            (Some(n), _) => (self.threads_per_long_row(n, is_aligned), 1),
        };
        let mut loads_in_flight =
            pieces.map_or(most, |n| ceildiv(n, threads_per_row).clamp(1, most));
        let mut rows = rows;
        while rows > 1 && self.exceeds_unroll_limit(rows * loads_in_flight * vectors.width()) {
            rows /= 2;
        }
        while loads_in_flight > 1 && self.exceeds_unroll_limit(loads_in_flight * vectors.width()) {
            loads_in_flight /= 2;
        }
        // A thread loads several rows together only if there are many rows, and the thread loads
        // all its elements of a row at once.
        let is_unrolled = pieces.is_some_and(|n| n <= threads_per_row * loads_in_flight);
        let has_fixed_order = self.is_batch_invariant && vectors.width() > 1;
        if !is_unrolled || few || is_aligned || has_fixed_order {
            rows = 1;
        }
        let is_expensive = self.exchanges_parts() && self.grid_op.weight() > EXPENSIVE_OPS;
        let most = match rows {
            // If several warps share a row, the whole block waits while the warps exchange partial
            // results. If the exchange is cheap, a block has at least four warps, because a block
            // of two warps with little work ends before the SM starts the next block.
            1 if threads_per_row > LANES && self.exchanges_parts() => threads_per_row,
            1 if threads_per_row > LANES => threads_per_row.max(THREADS_PER_BLOCK / 2),
            // If the reduction of a row takes long, a block has only one warp: finished warps of a
            // larger block would keep their registers until the last warp ends.
            1 if threads_per_row == LANES && is_expensive => LANES,
            1 if is_expensive && (is_aligned || !self.is_compute_bound()) => SMALL_BLOCK,
            1 => THREADS_PER_BLOCK,
            _ => THREADS_PER_BLOCK / 2,
        };
        let side_by_side = results.map_or(most, power_of_two);
        ThreadGroup {
            threads_per_row,
            loads_in_flight,
            rows,
            threads: threads_per_row.max(most.min(threads_per_row * side_by_side)),
        }
    }

    /// Returns whether some threads would be idle in the last round of loads of a row, because the
    /// round has fewer vectors than threads. If threads would be idle in the last round, the
    /// elements of this round are distributed over all threads of the row, like head and tail
    /// elements.
    fn has_partial_round(&self, kept: &[usize], group: &ThreadGroup, pieces: i64) -> bool {
        let is_one_tile = pieces <= group.threads_per_row * group.loads_in_flight;
        let is_possible = !kept.is_empty() && !self.is_batch_invariant && group.rows == 1;
        let has_all_some = pieces > group.threads_per_row && pieces % group.threads_per_row > 0;
        is_possible && is_one_tile && has_all_some && self.is_compute_bound()
    }

    fn is_short(&self, vector: i64) -> bool {
        self.width().is_some_and(|width| vector * width < VECTOR)
    }

    /// Returns the number of threads that share a long row of `pieces` vectors. Each thread loads a
    /// few vectors, and the number of threads is rounded down to a power of two.
    fn threads_per_long_row(&self, pieces: i64, is_aligned: bool) -> i64 {
        let is_expensive = self.grid_op.weight() > EXPENSIVE_OPS;
        let (each, widest) = match self.exchanges_parts() {
            true if self.is_compute_bound() => (VECTORS_PER_THREAD[3], 2),
            true if is_expensive && is_aligned => (VECTORS_PER_THREAD[2], 2),
            true if is_expensive => (VECTORS_PER_THREAD[1], 2),
            true => (VECTORS_PER_THREAD[1], 4),
            false => (VECTORS_PER_THREAD[0], 4),
        };
        let most = (pieces + pieces / LANES) / each;
        (power_of_two(most + 1) / 2).clamp(LANES, widest * THREADS_PER_BLOCK)
    }
}
