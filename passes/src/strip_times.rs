use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Failed, Op, is, walk};

pass! {
    /// Remove compile times from GPU binaries.
    ///
    /// ## What it does
    /// In each `#gpu.object`, `gpu-module-to-binary` records the time that LLVM needed to compile
    /// the object. This pass removes the recorded time, so that equal input gives equal output.
    ///
    /// ## Before
    /// ```mlir
    /// gpu.binary @m [#gpu.object<#nvvm.target, properties = {LLVMIRToISATimeInMs = 6 : i64, O = 2 : i32}, assembly = "...">]
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// gpu.binary @m [#gpu.object<#nvvm.target, properties = {O = 2 : i32}, assembly = "...">]
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct StripTimes as "gpu-binary-strip-times" creates [gpu] {
    } counts {
        /// notes removed
        removed,
    }
}

impl Pass for StripTimes {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module).into_iter().filter(|op| is(*op, "gpu.binary")) {
            counts.add("removed", tx_mlir::gpu::strip_object_times(op));
        }
        Ok(())
    }
}
