use crate::analysis::target::chip_option;
use crate::grid::plan::plan_module;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Failed, Op};

pass! {
    /// List alternative schedules of each reduction.
    ///
    /// ## What it does
    /// Adds the attribute `tile.candidates` to every reduction at scope `grid`, and to the first op
    /// of every group of ops that share a kernel. The first element of the attribute contains the
    /// name of the fastest GPU board with the chip `chip`, and the lengths for which the pass
    /// estimates times. Each element after the first is a pair: a schedule, and its estimated time
    /// in microseconds on the board that the first element names. The first pair contains the
    /// schedule of the op, or the default schedule of an op without a schedule; the other pairs are
    /// sorted by estimated time. The command `tx tune` measures the candidates.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @rows(%A: memref<512x1024xf32>, %B: memref<512xf32>) {
    ///   tile.reduce sum %A into %B axes [1] scope(grid) : memref<512x1024xf32> into memref<512xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @rows(%A: memref<512x1024xf32>, %B: memref<512xf32>) {
    ///   tile.reduce sum %A into %B axes [1] scope(grid) {tile.candidates = [...]}
    ///     : memref<512x1024xf32> into memref<512xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a module that `tile-schedule` would reject.
    pub struct ListCandidates as "tile-list-candidates" creates [tile] {
        /// chip for which schedules are chosen and times are estimated
        chip: String = "sm_80",
    } counts {
        /// schedules listed
        candidates,
    }
}

impl Pass for ListCandidates {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let chip = chip_option(module, &Self::INFO, &self.chip)?;
        for unit in plan_module(module, &chip)? {
            counts.add("candidates", unit.write_candidates(&chip));
        }
        Ok(())
    }
}
