use crate::analysis::kernel::Kernel;
use crate::analyze_scope::recorded_threads;
use crate::variants::{delinearize, extents, load, nest, product};
use melior::ir::operation::OperationLike;
use tx_dialect_tile::{Copy, Scope, is_tile_op};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Failed, Index, MemRef, Op, erase, error, name, walk};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Lower the tile ops that are left.
    ///
    /// ## What it does
    /// Replaces `tile.copy` by loads and stores: at scope `thread` in loops over the dimensions,
    /// else with the elements dealt out to the threads of the scope, neighbours to neighbours.
    ///
    /// ## Before
    /// ```mlir
    /// tile.copy %A to %S scope(cta)
    ///   {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
    ///   : memref<4x8xf32> to memref<4x8xf32, #gpu.address_space<workgroup>>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %row = arith.divui %t, %c8 : index
    /// %column = arith.remui %t, %c8 : index
    /// %x = memref.load %A[%row, %column] : memref<4x8xf32>
    /// memref.store %x, %S[%row, %column] : memref<4x8xf32, #gpu.address_space<workgroup>>
    /// ```
    ///
    /// ## Fails when
    /// A tile op is left that no pass lowers, or `exec` is missing.
    pub struct ConvertTileToGpu as "convert-tile-to-gpu" creates [arith, gpu, memref, scf] {
    } counts {
        /// copies lowered
        copies,
    }
}

impl Pass for ConvertTileToGpu {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut work = Vec::new();
        for op in walk(module) {
            if !is_tile_op(op) {
                continue;
            }
            let Some(copy) = Copy::of(op) else { return Err(unsupported(op)) };
            let kernel = Kernel::around(op)?;
            let threads = recorded_threads(op, &kernel)?;
            work.push((copy, kernel, threads));
        }
        for (copy, kernel, threads) in work {
            let b = Builder::before(copy.op);
            expand_copy(&b, &copy, &kernel, threads);
            erase(copy.op);
            counts.add("copies", 1);
        }
        Ok(())
    }
}

/// What is not lowered yet, or should have been by an earlier pass.
fn unsupported(op: Op<'_>) -> Failed {
    let report = error(op.location(), format!("`{}` is left", name(op)));
    match name(op) {
        "tile.reduce" => report.note("run `tile-select-variant` and `tile-expand-reduce` first"),
        "tile.all_reduce" => report.note("run `tile-expand-shuffle-tree` first"),
        _ => report.note("lowering fragments (`tile.load`, `tile.store`, `tile.splat`) is not implemented"),
    }
    .emit()
}

fn expand_copy<'c>(b: &Builder<'c>, copy: &Copy<'c>, kernel: &Kernel<'c>, threads: i64) {
    let (Some(from), Some(_)) = (MemRef::of(copy.source), MemRef::of(copy.destination)) else {
        return;
    };
    let dimensions: Vec<usize> = (0..from.rank()).collect();
    let sizes = extents(b, copy.source, &from, &dimensions);
    let element = |b: &Builder<'c>, index: &[Index<'c>]| {
        let index: Vec<_> = index.iter().map(|i| b.value(*i)).collect();
        let value = load(b, copy.source, from.element, &index);
        let mut all = vec![value, copy.destination];
        all.extend(index);
        b.create("memref.store").operands(&all).build();
    };
    if copy.scope == Scope::Thread {
        nest(b, &sizes, &mut Vec::new(), &[], &mut |b, index, _| {
            element(b, index);
            Vec::new()
        });
        return;
    }
    let count = product(b, &sizes);
    let t = kernel.position(b, kernel.thread(b), copy.scope);
    // Positions that only some groups have take no part.
    let span = kernel.threads_of(copy.scope).min(kernel.threads);
    let takes_part =
        if span > threads { b.less(t, Index::Const(threads)) } else { Cond::Const(true) };
    let rounds = b.ceildiv(count, Index::Const(threads));
    b.for_loop(Index::Const(0), rounds, Index::Const(1), &[], |b, round, _| {
        let at = b.add(b.mul(round, Index::Const(threads)), t);
        let exact = count.known().is_some_and(|n| n % threads == 0);
        let inside = if exact { Cond::Const(true) } else { b.less(at, count) };
        b.if_then(b.and(takes_part, inside), |b| {
            let index = delinearize(b, at, &sizes);
            element(b, &index);
        });
        Vec::new()
    });
}
