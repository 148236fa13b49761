use tx_mlir::{Failed, Op, is, walk};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Remove clock readings from GPU binaries.
    ///
    /// ## What it does
    /// `gpu-module-to-binary` notes in each object how long LLVM took. This pass removes the note,
    /// so that the output is a function of the input.
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
    /// Never.
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
