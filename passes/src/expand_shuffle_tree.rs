use crate::analysis::kernel::{Kernel, WARP_SIZE};
use crate::analysis::threads::Threads;
use crate::combiner::Combiner;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::ValueLike;
use std::collections::BTreeMap;
use tx_dialect_tile::{AllReduce, Scope, default_accumulator};
use tx_mlir::build::Cond;
use tx_mlir::{
    Builder, Failed, Index, Op, Val, attribute, blocks, context, enclosing, erase, error,
    parse_attribute, replace_uses, string_attribute, type_value, walk,
};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Exchange values between threads by shuffles and shared memory.
    ///
    /// ## What it does
    /// Replaces each `tile.all_reduce` by a tree of `gpu.shuffle xor` over the lanes of its group,
    /// nearest first. A group wider than a warp then leaves one value a warp in shared memory
    /// that this pass allocates, and every thread combines those of its group. The barrier
    /// between the two is left to `tile-insert-sync`.
    ///
    /// Where the last warp of a block is not full, a lane reads only lanes that exist, and the
    /// group's first lane, which always sees all of it, hands the result to the others.
    ///
    /// ## Before
    /// ```mlir
    /// %s = tile.all_reduce sum %v scope(warp) width 8 stride 1 : f32 -> f32
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %s1, %p1 = gpu.shuffle xor %v, %c1, %c8 : f32
    /// %v1 = arith.addf %v, %s1 : f32
    /// %s2, %p2 = gpu.shuffle xor %v1, %c2, %c8 : f32
    /// %v2 = arith.addf %v1, %s2 : f32
    /// %s4, %p4 = gpu.shuffle xor %v2, %c4, %c8 : f32
    /// %v4 = arith.addf %v2, %s4 : f32
    /// ```
    ///
    /// ## Fails when
    /// The kind or the type has no scalar combine, or not all threads of the scope get there.
    pub struct ExpandShuffleTree as "tile-expand-shuffle-tree" creates [arith, gpu, memref, scf] {
    } counts {
        /// shuffles written
        shuffles,
        /// bytes of shared memory allocated
        scratch_bytes,
    }
}

impl Pass for ExpandShuffleTree {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut work = Vec::new();
        let mut kernels: BTreeMap<usize, Threads<'c>> = BTreeMap::new();
        for op in walk(module) {
            let Some(view) = AllReduce::of(op) else { continue };
            let kernel = Kernel::around(op)?;
            let key = kernel.op.to_raw().ptr as usize;
            let threads = kernels.entry(key).or_insert_with(|| Threads::new(kernel));
            reached_together(op, view.scope, threads)?;
            let value = view.values[0].r#type();
            let acc = attribute(op, "acc").and_then(type_value).unwrap_or_else(|| default_accumulator(value));
            let combiner = Combiner::new(view.kind, view.nan, acc)
                .map_err(|e| error(op.location(), format!("`tile.all_reduce`: {e}")).emit())?;
            work.push((op, kernel, combiner));
        }
        for (op, kernel, combiner) in work {
            // Taken anew: an operand may be the result of an op that was replaced meanwhile.
            let Some(view) = AllReduce::of(op) else { continue };
            let b = Builder::before(op);
            let mut tree = Tree { b: &b, kernel, combiner, shuffles: 0, scratch_bytes: 0 };
            let value = combiner.widen(&b, view.values[0]);
            let value = tree.all_reduce(&view, value);
            let value = combiner.narrow(&b, value, view.results[0].r#type());
            replace_uses(view.results[0], value);
            erase(op);
            counts.add("shuffles", tree.shuffles);
            counts.add("scratch_bytes", tree.scratch_bytes);
        }
        Ok(())
    }
}

/// A shuffle or a barrier under a branch that splits its threads would hang or give garbage.
fn reached_together<'c>(op: Op<'c>, scope: Scope, threads: &Threads<'c>) -> Result<(), Failed> {
    let kernel = threads.kernel();
    if scope == Scope::Thread {
        return Ok(());
    }
    let active = threads.active(op);
    let size = kernel.threads_of(scope);
    let whole = active.splits(scope).is_none()
        && active.threads.groups(size).iter().all(|(g, complete)| {
            *complete && (scope != Scope::Warpgroup || kernel.threads - g * size >= size)
        });
    if whole {
        return Ok(());
    }
    let report = error(
        op.location(),
        format!("all threads of the `{scope}` must reach `tile.all_reduce` together"),
    );
    let branch = active.splits(scope).or_else(|| tx_mlir::enclosing(op, "scf.if"));
    Err(match branch {
        Some(branch) => report.note_at(branch.location(), "this splits them").emit(),
        None => report
            .note_at(kernel.op.location(), format!("a block of {} threads has no full groups", kernel.threads))
            .emit(),
    })
}

struct Tree<'b, 'c> {
    b: &'b Builder<'c>,
    kernel: Kernel<'c>,
    combiner: Combiner<'c>,
    shuffles: i64,
    scratch_bytes: i64,
}

impl<'c> Tree<'_, 'c> {
    fn all_reduce(&mut self, view: &AllReduce<'c>, value: Val<'c>) -> Val<'c> {
        let size = self.kernel.threads_of(view.scope).min(self.kernel.threads);
        let (width, stride) = (view.width.unwrap_or(size), view.stride);
        if width == 1 || size == 1 {
            return value;
        }
        if width * stride <= WARP_SIZE {
            // A whole scope narrower than a warp is a group of the next power of two that lacks
            // its last lanes.
            return self.lanes(value, width.unsigned_abs().next_power_of_two().cast_signed(), stride);
        }
        let within = self.lanes(value, WARP_SIZE / stride.min(WARP_SIZE), stride.min(WARP_SIZE));
        self.warps(within, width, stride)
    }

    fn i32(&self, value: i64) -> Val<'c> {
        self.b.int(value, self.b.int_type(32))
    }

    fn shuffle(&mut self, mode: &str, value: Val<'c>, offset: Val<'c>, width: i64) -> Val<'c> {
        self.shuffles += 1;
        self.b
            .create("gpu.shuffle")
            .attr_text("mode", &format!("#gpu<shuffle_mode {mode}>"))
            .operands(&[value, offset, self.i32(width)])
            .result(value.r#type())
            .result(self.b.int_type(1))
            .value()
    }

    /// Combines over `width` lanes of a warp, `stride` apart; every lane gets the result.
    fn lanes(&mut self, value: Val<'c>, width: i64, stride: i64) -> Val<'c> {
        if width == 1 {
            return value;
        }
        let segment = width * stride;
        let left_over = self.kernel.threads % WARP_SIZE;
        let masks = std::iter::successors(Some(1), |m| Some(m * 2)).take_while(|m| *m < width);
        if left_over % segment == 0 {
            // Every lane of every group exists.
            return masks.fold(value, |v, mask| {
                let offset = self.i32(mask * stride);
                let other = self.shuffle("xor", v, offset, WARP_SIZE);
                self.combiner.combine(self.b, v, other)
            });
        }
        let b = self.b;
        let thread = self.kernel.thread(b);
        let lane = self.kernel.lane(b, thread);
        let warp_start = b.sub(thread, lane);
        let folded = masks.collect::<Vec<_>>().into_iter().fold(value, |v, mask| {
            let partner = b.binary("arith.xori", b.value(lane), b.value(Index::Const(mask * stride)));
            let exists =
                b.less(b.add(warp_start, Index::Val(partner)), Index::Const(self.kernel.threads));
            let from = b.select(exists, partner, b.value(lane));
            let from = b.index_cast(from, b.int_type(32));
            let other = self.shuffle("idx", v, from, WARP_SIZE);
            let both = self.combiner.combine(b, v, other);
            b.select(exists, both, v)
        });
        // The first lane of the group is right; where the group is complete all are.
        let in_segment = b.rem(lane, Index::Const(segment));
        let first = b.add(b.sub(lane, in_segment), b.rem(in_segment, Index::Const(stride)));
        let first = b.index_cast(b.value(first), b.int_type(32));
        self.shuffle("idx", folded, first, WARP_SIZE)
    }

    /// Combines over the warps of a group, once each warp has combined its lanes.
    ///
    /// A warp holds `columns` different values, one for each lane up to `stride`.
    fn warps(&mut self, value: Val<'c>, width: i64, stride: i64) -> Val<'c> {
        let b = self.b;
        let columns = stride.min(WARP_SIZE);
        let all_warps = (self.kernel.threads + WARP_SIZE - 1) / WARP_SIZE;
        // Warps of one group, and how far apart they are.
        let step = (stride / WARP_SIZE).max(1);
        let warps = ((width * stride + WARP_SIZE - 1) / WARP_SIZE / step).min(all_warps);
        let scratch = self.scratch(all_warps * columns);

        let thread = self.kernel.thread(b);
        let lane = self.kernel.lane(b, thread);
        let warp = self.kernel.warp(b, thread);
        let slot = b.add(b.mul(warp, Index::Const(columns)), lane);
        let leader = if columns == WARP_SIZE {
            Cond::Const(true)
        } else {
            b.less(lane, Index::Const(columns))
        };
        b.if_then(leader, |b| {
            b.create("memref.store").operands(&[value, scratch, b.value(slot)]).build();
        });

        // The first warp of this thread's group.
        let span = warps * step;
        let in_group = if span >= all_warps { warp } else { b.rem(warp, Index::Const(span)) };
        let above = b.sub(warp, in_group);
        let base = b.add(above, b.rem(in_group, Index::Const(step)));
        let column = if columns == WARP_SIZE { lane } else { b.rem(lane, Index::Const(columns)) };
        let combiner = self.combiner;
        let source = |b: &Builder<'c>, i: Index<'c>| b.add(base, b.mul(i, Index::Const(step)));
        // The lane that leaves a value exists, unless the group reaches beyond the block.
        let complete = self.kernel.threads % (span * WARP_SIZE) == 0;
        let exists = |b: &Builder<'c>, i: Index<'c>| {
            if complete {
                return Cond::Const(true);
            }
            let writer = b.add(b.mul(source(b, i), Index::Const(WARP_SIZE)), column);
            b.less(writer, Index::Const(self.kernel.threads))
        };
        let read = |b: &Builder<'c>, i: Index<'c>| {
            let slot = b.add(b.mul(source(b, i), Index::Const(columns)), column);
            b.create("memref.load").operands(&[scratch, b.value(slot)]).result(combiner.ty()).value()
        };
        let lanes = warps.unsigned_abs().next_power_of_two().cast_signed();
        if lanes * columns <= WARP_SIZE && !self.kernel.has_partial_warp() {
            // One slot a lane, then a tree.
            let i = b.rem(b.div(lane, Index::Const(columns)), Index::Const(lanes));
            let in_range =
                if lanes == warps { Cond::Const(true) } else { b.less(i, Index::Const(warps)) };
            let mine = b.if_else(
                b.and(in_range, exists(b, i)),
                &[combiner.ty()],
                |b| vec![read(b, i)],
                |b| vec![combiner.start(b)],
            );
            return self.lanes(mine[0], lanes, columns);
        }
        let first = read(b, Index::Const(0));
        b.for_loop(Index::Const(1), Index::Const(warps), Index::Const(1), &[first], |b, i, carried| {
            b.if_else(
                exists(b, i),
                &[combiner.ty()],
                |b| {
                    let next = read(b, i);
                    vec![combiner.combine(b, carried[0], next)]
                },
                |_| vec![carried[0]],
            )
        })[0]
    }

    /// Shared memory for `slots` values: a global of the module, seen by one block at a time.
    fn scratch(&mut self, slots: i64) -> Val<'c> {
        let b = self.b;
        let element = self.combiner.ty();
        self.scratch_bytes += slots * tx_mlir::byte_width(element).unwrap_or(8).cast_signed();
        let text = format!("memref<{slots}x{element}, #gpu.address_space<workgroup>>");
        let ty = type_value(parse_attribute(context(self.kernel.op), &text)).unwrap_or(element);
        let name = self.free_symbol();
        if let Some(module) = enclosing(self.kernel.op, "gpu.module") {
            let at = Builder::at_start(b.context(), blocks(module)[0], b.location());
            let string = |s: &str| StringAttribute::new(b.context(), s).into();
            at.create("memref.global")
                .attr("sym_name", string(&name))
                .attr("sym_visibility", string("private"))
                .attr_type("type", ty)
                .attr_text("initial_value", "unit")
                .attr_text("alignment", "16 : i64")
                .build();
        }
        b.create("memref.get_global").attr_text("name", &format!("@{name}")).result(ty).value()
    }

    /// A name that the module does not have yet.
    fn free_symbol(&self) -> String {
        let taken: Vec<String> = enclosing(self.kernel.op, "gpu.module")
            .map(|m| blocks(m).into_iter().flat_map(tx_mlir::ops).collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter_map(|op| string_attribute(op, "sym_name"))
            .collect();
        let stem = format!("{}_scratch", self.kernel.name());
        (0..)
            .map(|i| if i == 0 { stem.clone() } else { format!("{stem}_{i}") })
            .find(|n| !taken.contains(n))
            .unwrap_or(stem)
    }
}
