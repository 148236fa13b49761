use crate::analysis::target::chip_option;
use crate::grid::plan::plan_module;
use tx_mlir::{Failed, Op};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// List schedules that each reduction might have.
    ///
    /// ## What it does
    /// Notes on every reduction over whole arrays, and on the first op of every group that shares a kernel, as
    /// `tile.candidates`, what the estimates are for, and then pairs of a schedule and the microseconds that it
    /// should take on the fastest board with `chip`: first the schedule that the op or the group has or gets, then
    /// others, the best of these first. `tx tune` measures them.
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
    /// `tile-schedule` refuses the module.
    pub struct ListCandidates as "tile-list-candidates" creates [tile] {
        /// chip that schedules are for, and whose speed estimates take
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
