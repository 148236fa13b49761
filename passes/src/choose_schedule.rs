use crate::analysis::target::chip_option;
use crate::grid::plan::plan_module;
use tx_mlir::{Failed, Op};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Write the schedule of each op that works on whole arrays.
    ///
    /// ## What it does
    /// Chooses a `schedule` for every op of a host function that `tile-schedule` makes a kernel of and that has none,
    /// and writes it on the op, to be read and edited; that of a group of ops stands on its first op. A schedule that
    /// is written stays, and is checked.
    ///
    /// With `explain`, says of each op how it is scheduled, what that should take on `chip`, and how else it might
    /// be.
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
    /// `tile-schedule` refuses the module.
    pub struct ChooseSchedule as "tile-choose-schedule" creates [tile] {
        /// chip that schedules are chosen for, and whose speed explanations take
        chip: String = "sm_80",
        /// remark how each op is scheduled, and how else it might be
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
