use crate::analysis::kernel::{Kernel, WARP_SIZE};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Builder, Failed, Index, Op, Val, erase, is, name, replace_uses, results, walk};

pass! {
    /// Compute warp ids from thread ids.
    ///
    /// ## What it does
    /// Replaces `gpu.subgroup_id` by the linear thread id divided by 32, and `gpu.num_subgroups`
    /// and `gpu.subgroup_size` by constants.
    ///
    /// ## Why
    /// MLIR has no lowering of `gpu.subgroup_id` and `gpu.num_subgroups` to NVVM. The pass does not
    /// read the warp id from the PTX register `%warpid`, because the value of `%warpid` may change
    /// while a warp runs.
    ///
    /// ## Before
    /// ```mlir
    /// %w = gpu.subgroup_id : index
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %t = gpu.thread_id x
    /// %w = arith.divui %t, %c32 : index
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects an op outside a kernel, or in a kernel without a known block size.
    pub struct ConvertSubgroup as "convert-gpu-subgroup-to-arith" creates [arith, gpu] {
    } counts {
        /// ops replaced
        replaced,
    }
}

const OPS: [&str; 3] = ["gpu.subgroup_id", "gpu.num_subgroups", "gpu.subgroup_size"];

impl Pass for ConvertSubgroup {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut work = Vec::new();
        for op in walk(module)
            .into_iter()
            .filter(|op| OPS.contains(&name(*op)))
        {
            work.push((op, Kernel::around(op)?));
        }
        for (op, kernel) in work {
            let b = Builder::before(op);
            replace_uses(results(op)[0], value(&b, op, &kernel));
            erase(op);
            counts.add("replaced", 1);
        }
        Ok(())
    }
}

fn value<'c>(b: &Builder<'c>, op: Op<'c>, kernel: &Kernel<'c>) -> Val<'c> {
    let index = if is(op, "gpu.subgroup_id") {
        if kernel.threads <= WARP_SIZE {
            Index::Const(0)
        } else {
            kernel.warp(b, kernel.thread(b))
        }
    } else if is(op, "gpu.num_subgroups") {
        Index::Const((kernel.threads + WARP_SIZE - 1) / WARP_SIZE)
    } else {
        Index::Const(WARP_SIZE)
    };
    b.value(index)
}
