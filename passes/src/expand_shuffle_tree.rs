use crate::analysis::kernel::Kernel;
use crate::analysis::threads::Threads;
use crate::combiner::Combiner;
use crate::exchange::{ClusterGroups, Exchange, Groups, Pool, redux};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tx_dialect_tile::{AllReduce, Scope};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Op, Val, codes, erase, error, replace_uses, string_attribute, walk,
};

pass! {
    /// Lower `tile.all_reduce` to shuffles and shared memory.
    ///
    /// ## What it does
    /// Replaces each `tile.all_reduce` by a butterfly of `gpu.shuffle xor` over the lanes of its
    /// group, with ascending distances. If a group is wider than a warp, each warp of the group
    /// stores one partial result in shared memory, and every thread combines the partial results of
    /// its group. The pass allocates shared memory for the partial results. If a group is a whole
    /// block of more than 16 warps (8 warps for pairs), only the first warp combines the partial
    /// results, and stores the total for the other warps. `tile-insert-sync` inserts barriers
    /// later. With `variant = "redux"`, the pass combines the lanes of a warp by `nvvm.redux.sync`.
    ///
    /// If a group extends beyond the last thread of the block, a lane reads values only from
    /// existing lanes, and the first lane of each group broadcasts the combined value.
    ///
    /// Some groups do not divide a warp into equal parts, such as groups with `width 12`, or with
    /// `width 8 stride 100`. For a group that does not divide a warp into equal parts, `gpu.shuffle
    /// idx` ops first combine the values of the group's lanes in each warp; the first of the lanes
    /// receives the result. The first lane of the group in each warp stores the partial result of
    /// the warp in shared memory. Every thread combines the partial results of its group, at most
    /// 33 partial results, in the order of the threads.
    ///
    /// At scope `cluster`, each block first combines the values of its own threads. Each block then
    /// stores its partial result in the shared memory of every block of its group (`nvvm.mapa`).
    /// Every thread combines the partial results that its block received, in the order of the
    /// blocks. All blocks arrive at a cluster barrier at the start of the kernel, and wait for the
    /// barrier before the first remote store. Without this barrier, a remote block might not have
    /// started before the store.
    ///
    /// ## Before
    /// ```mlir
    /// %s = tile.all_reduce sum %v scope(warp) width 8 stride 1 : f32 -> f32
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %s1, %p1 = gpu.shuffle xor %v, %c1, %c32 : f32
    /// %v1 = arith.addf %v, %s1 : f32
    /// %s2, %p2 = gpu.shuffle xor %v1, %c2, %c32 : f32
    /// %v2 = arith.addf %v1, %s2 : f32
    /// %s4, %p4 = gpu.shuffle xor %v2, %c4, %c32 : f32
    /// %v4 = arith.addf %v2, %s4 : f32
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects an op if its kind and type have no scalar combine operation, or if some
    /// threads of the scope do not reach the op. The pass rejects the variant `redux` if the
    /// variant does not support the reduction kind, the element type or the thread group.
    pub struct ExpandShuffleTree as "tile-expand-shuffle-tree"
    creates [arith, gpu, memref, nvvm, scf, vector] {
    } counts {
        /// shuffles written
        shuffles,
        /// `nvvm.redux.sync` written
        reduxes,
        /// bytes of shared memory allocated
        scratch_bytes,
    }
}

impl Pass for ExpandShuffleTree {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut work = Vec::new();
        let mut kernels: BTreeMap<usize, Threads<'c>> = BTreeMap::new();
        for op in walk(module) {
            let Some(view) = AllReduce::of(op) else {
                continue;
            };
            let kernel = Kernel::around(op)?;
            let key = kernel.op.to_raw().ptr as usize;
            let threads = kernels.entry(key).or_insert_with(|| Threads::new(kernel));
            reached_together(op, view.scope, threads)?;
            let combiner = Combiner::of_all_reduce(&view).map_err(|e| {
                error(op.location(), format!("`tile.all_reduce`: {e}"))
                    .code(codes::TX0006)
                    .emit()
            })?;
            let groups = groups(&view, &kernel)?;
            check_variant(&view, &kernel, &combiner, &groups)?;
            work.push((op, kernel, combiner));
        }
        let mut scratch = Pool::default();
        for (op, kernel, combiner) in work {
            // The pass reads the operands again, because a previous expansion may have replaced one
            // of them.
            let Some(view) = AllReduce::of(op) else {
                continue;
            };
            let b = Builder::before(op);
            let mut exchange = Exchange::new(&b, kernel, combiner.clone(), &mut scratch);
            exchange.redux = variant(op).as_deref() == Some("redux");
            let values: Vec<Val<'c>> = view
                .values
                .iter()
                .enumerate()
                .map(|(i, v)| combiner.widen(&b, i, *v))
                .collect();
            let total = exchange.all_reduce(&view, values);
            for (name, count) in exchange.counts() {
                counts.add(name, count);
            }
            let types: Vec<_> = view.results.iter().map(|r| r.r#type()).collect();
            for (old, new) in view.results.iter().zip(combiner.narrow(&b, &total, &types)) {
                replace_uses(*old, new);
            }
            erase(op);
        }
        Ok(())
    }
}

fn variant(op: Op<'_>) -> Option<String> {
    string_attribute(op, "variant")
}

fn groups<'c>(view: &AllReduce<'c>, kernel: &Kernel<'c>) -> Result<Groups, Failed> {
    if view.scope != Scope::Cluster {
        return Ok(Groups::of(kernel, view));
    }
    if kernel.blocks.is_none() {
        return Err(error(view.op.location(), "the kernel has no cluster size")
            .code(codes::TX0108)
            .note_at(
                kernel.op.location(),
                "add `attributes {known_cluster_size = array<i32: X, Y, Z>}` to this `gpu.func`",
            )
            .emit());
    }
    let chip = kernel.chip();
    if !chip.clusters {
        let what = format!("{chip} has no clusters, expected sm_90 or later");
        return Err(error(view.op.location(), what).code(codes::TX0120).emit());
    }
    ClusterGroups::of(kernel, view)
        .map(|groups| *groups.within())
        .map_err(|(code, reason)| error(view.op.location(), reason).code(code).emit())
}

fn check_variant<'c>(
    view: &AllReduce<'c>,
    kernel: &Kernel<'c>,
    combiner: &Combiner<'c>,
    groups: &Groups,
) -> Result<(), Failed> {
    let op = view.op;
    match variant(op).as_deref() {
        None | Some("shuffle") => Ok(()),
        Some("redux") => redux::check(&kernel.chip(), combiner)
            .and_then(|()| groups.check_redux())
            .map_err(|reason| {
                error(
                    op.location(),
                    "variant `redux` cannot lower this `tile.all_reduce`",
                )
                .code(codes::TX0202)
                .note(reason)
                .emit()
            }),
        Some(other) => {
            let near = tx_mlir::nearest(other, ["redux", "shuffle"]);
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let message = format!(
                "no variant of `tile.all_reduce` named `{other}`; known variants: redux, shuffle{near}"
            );
            Err(error(op.location(), message).code(codes::TX0203).emit())
        }
    }
}

/// Checks that all threads of the scope reach `op`, because divergent shuffles and barriers have
/// undefined behaviour.
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
    )
    .code(codes::TX0101);
    let branch = active
        .splits(scope)
        .or_else(|| tx_mlir::enclosing(op, "scf.if"));
    Err(match branch {
        Some(branch) => report
            .note_at(branch.location(), "this branch separates the threads")
            .emit(),
        None => report
            .note_at(
                kernel.op.location(),
                format!("a block of {} threads has no full groups", kernel.threads),
            )
            .emit(),
    })
}
