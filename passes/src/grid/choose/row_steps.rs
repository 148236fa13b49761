//! Schedule steps that distribute the elements of rows over blocks, threads, and loads of a thread.

use super::super::extent::ceildiv;
use super::super::steps::{Processor, Step};
use super::chooser::{Blocks, Chooser, EXPENSIVE_OPS, MIN_EVICT_FIRST_BYTES, VECTOR, Vectors};
use super::row_tables::{LARGE_INPUT, OCCUPANCY_TARGET_THREADS, ThreadGroup};

/// Distribution of the elements of rows over blocks, threads, and loads of a thread.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) group: ThreadGroup,
    pub(super) vectors: Vectors,
    pub(super) blocks: Blocks,
    /// Maximum number of elements of a row, if there is a static bound.
    pub(super) most: Option<i64>,
    pub(super) resident: Option<i64>,
    pub(super) evict_first: bool,
}

impl Rows {
    pub(super) const fn new(group: ThreadGroup, vectors: Vectors, most: Option<i64>) -> Self {
        Self {
            group,
            vectors,
            blocks: Blocks::One,
            most,
            resident: None,
            evict_first: false,
        }
    }
}

impl Chooser<'_, '_> {
    /// Adds the schedule steps of the distribution `rows`. Reduces the number of rows per thread
    /// and the number of loads in flight until a thread unrolls at most `MAX_UNROLLED_OPS` ops, if
    /// possible.
    pub(super) fn write_unrollable_rows(
        &mut self,
        kept: &[usize],
        inner: usize,
        together: bool,
        mut rows: Rows,
    ) {
        let Rows { group, vectors, .. } = &mut rows;
        while group.rows > 1 && self.exceeds_unroll_limit(group.rows * group.loads_in_flight) {
            group.rows /= 2;
        }
        while group.loads_in_flight > 1
            && self.exceeds_unroll_limit(group.loads_in_flight * vectors.width())
        {
            group.loads_in_flight /= 2;
        }
        self.write_rows(kept, inner, together, rows);
    }

    /// Adds the schedule steps for rows along dimension `inner`; if `together` is set, each row
    /// extends along all reduced dimensions.
    pub(super) fn write_rows(&mut self, kept: &[usize], inner: usize, together: bool, rows: Rows) {
        let grid_op = self.grid_op;
        let Rows {
            group,
            vectors,
            blocks,
            most,
            resident,
            evict_first,
        } = rows;
        let vector = vectors.width();
        let length = match together {
            true => self.total(&grid_op.axes),
            false => grid_op.extents[inner].known(),
        };
        // Blocks that share a row have consecutive block indices along x.
        let block = match blocks {
            Blocks::SecondKernel(_) | Blocks::LastBlock(_) => 1,
            Blocks::One | Blocks::GridStride(_) | Blocks::Cluster(_) => 0,
        };
        let grid = match blocks {
            Blocks::GridStride(grid) => Some(grid),
            _ => None,
        };
        if !kept.is_empty() {
            let results = self.fused(kept, None, "p");
            let side_by_side = group.threads / group.threads_per_row;
            if side_by_side * group.rows == 1 {
                self.bind_grid_stride(&results, block, grid);
            } else {
                self.steps
                    .push(Step::Split(results.clone(), side_by_side * group.rows));
                self.bind_grid_stride(&format!("{results}.o"), block, grid);
                let rows = format!("{results}.i");
                match group.rows {
                    1 => self.bind(&rows, Processor::Thread(1)),
                    _ => self.split(&rows, side_by_side, None, Some(1)),
                }
            }
        }
        let others: Vec<usize> = grid_op
            .axes
            .iter()
            .copied()
            .filter(|d| *d != inner)
            .collect();
        if !together && others.iter().any(|d| *d > inner) {
            // The loops over the other dimensions determine the first aligned address of a row, so
            // these loops precede the loop over dimension `inner`.
            let order = others.iter().chain([&inner]);
            self.steps
                .push(Step::Reorder(order.map(|d| format!("d{d}")).collect()));
        }
        let mut reduced = match vectors {
            Vectors::None => format!("d{inner}"),
            Vectors::Plain(n) => {
                self.steps.push(Step::Split(format!("d{inner}"), n));
                format!("d{inner}.o")
            }
            Vectors::Aligned(n) => {
                self.steps.push(Step::Align(format!("d{inner}"), n));
                format!("d{inner}.o")
            }
        };
        if together {
            let names = others
                .iter()
                .map(|d| format!("d{d}"))
                .chain([reduced])
                .collect();
            reduced = "r".to_owned();
            self.steps.push(Step::Fuse(names, reduced.clone()));
        }
        let tile = group.threads_per_row * group.loads_in_flight;
        if blocks.per_result() > 1 {
            reduced = self.split_across_blocks(&reduced, tile, blocks, 0);
        } else if length.is_none_or(|n| ceildiv(n, vector) > tile)
            || matches!(vectors, Vectors::Aligned(_))
        {
            self.steps.push(Step::Split(reduced.clone(), tile));
            reduced += ".i";
        }
        self.split(&reduced, group.threads_per_row, None, Some(0));
        let written = format!("{reduced}.o");
        if group.loads_in_flight > 1 || group.rows > 1 {
            self.steps.push(Step::Unroll(written.clone()));
        }
        if group.rows > 1 {
            let results = match kept {
                [one] => format!("d{one}.i.o"),
                _ => "p.i.o".to_owned(),
            };
            // `tiles` is the prefix of the name of the loop over the tiles of a row, if the row may
            // have several tiles.
            let tiles = written.strip_suffix(".i.o").filter(|_| length.is_none());
            let mut order: Vec<String> = tiles.map(|row| format!("{row}.o")).into_iter().collect();
            order.extend([written, results.clone()]);
            if vector > 1 {
                order.push(format!("d{inner}.i"));
            }
            self.steps.push(Step::Reorder(order));
            self.steps.push(Step::Unroll(results));
        }
        if vector > 1 {
            self.steps.push(Step::Vectorize(format!("d{inner}.i")));
        }
        let row_bytes = |n: i64| n.saturating_mul(self.width().unwrap_or(VECTOR));
        let lines = most.is_none_or(|n| row_bytes(n) >= MIN_EVICT_FIRST_BYTES);
        // A small array stays in the cache; evict-first loads would remove the array from the
        // cache.
        let is_small = kept.is_empty() && most.is_some_and(|n| row_bytes(n) <= LARGE_INPUT.bytes);
        // If each accumulator consists of several values, the number of registers limits the loads
        // in flight. An evict-first cache line may then be evicted before the threads have loaded
        // all elements of the line.
        let is_long = self.exchanges_parts() && grid_op.weight() > EXPENSIVE_OPS;
        // If each element needs many ops, evict-first loads are fast even if the threads of a row
        // load only half of [`MIN_EVICT_FIRST_BYTES`] bytes at once.
        let request = if is_long {
            MIN_EVICT_FIRST_BYTES / 2
        } else {
            MIN_EVICT_FIRST_BYTES
        };
        let is_late = vector > 1
            && self.exchanges_parts()
            && row_bytes(group.threads_per_row * vector) < request;
        let is_worth_it = lines && !is_small && !is_late;
        if evict_first || is_worth_it && (group.rows == 1 || group.loads_in_flight > 1) {
            self.evict_first();
        }
        let is_whole = length.is_some() && vector > 1 && !kept.is_empty();
        let resident =
            resident.or_else(|| (is_whole && is_long).then_some(OCCUPANCY_TARGET_THREADS));
        self.steps.extend(resident.map(Step::Resident));
    }
}
