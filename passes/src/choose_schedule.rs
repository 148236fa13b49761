use crate::analysis::target::chip_option;
use crate::grid::plan::plan_module;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Failed, Op};

pass! {
    /// Write the schedule of each grid-level op.
    ///
    /// ## What it does
    /// Chooses a `schedule` for each op of a host function that `tile-schedule` would lower to a
    /// kernel, unless the op already has a `schedule`. The pass writes the schedule as an attribute
    /// of the op, for inspection and editing. The schedule of ops that share a kernel
    /// (`tile.group`) is an attribute of the first of these ops. The pass checks existing
    /// schedules, but does not change them.
    ///
    /// With `explain`, a remark at each op states its schedule, the estimated time on `chip`, and
    /// alternative schedules.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>) {
    ///   tile.reduce sum %A into %B axes [1] scope(grid) : memref<4x8xf32> into memref<4xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>) {
    ///   tile.reduce sum %A into %B axes [1] scope(grid)
    ///     {schedule = [#tile.split<"d0" by 4>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]}
    ///     : memref<4x8xf32> into memref<4xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a module that `tile-schedule` would reject.
    pub struct ChooseSchedule as "tile-choose-schedule" creates [tile] {
        /// chip for which schedules are chosen and times are estimated
        chip: String = "sm_80",
        /// report the schedule of each op and its alternatives as a remark
        explain: bool = "false",
    } counts {
        /// schedules chosen
        chosen,
    }
}

impl Pass for ChooseSchedule {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let chip = chip_option(module, &Self::INFO, &self.chip)?;
        for unit in plan_module(module, &chip)? {
            if self.explain {
                unit.explain(&chip);
            }
            counts.add("chosen", i64::from(unit.is_chosen()));
            unit.write_schedule();
        }
        Ok(())
    }
}
