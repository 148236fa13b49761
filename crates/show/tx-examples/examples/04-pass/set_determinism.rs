//! The pass `serving-set-determinism`.

use tx::melior::ir::operation::OperationLike;
use tx::mlir::{Failed, Op, attribute, context, error, is, parse_attribute, set_attribute, walk};
use tx::pass::{Counts, Pass};

const KNOWN: [&str; 3] = ["any", "run_to_run", "batch_invariant"];

tx::pass! {
    /// Give reductions a determinism if the program specifies none.
    ///
    /// ## What it does
    /// A server that computes the same row in batches of different sizes needs row results whose
    /// bits do not depend on the number of rows. The input programs of the server do not request
    /// results that are independent of the batch size. The pass adds `determinism` to every
    /// `tile.reduce` without the attribute.
    ///
    /// ## Before
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    ///   : memref<?x?xf32> into memref<?xf32>
    /// ```
    ///
    /// ## Fails when
    /// The value of the option `to` is not `any`, `run_to_run` or `batch_invariant`.
    pub struct SetDeterminism as "serving-set-determinism" creates [tile] {
        /// `any`, `run_to_run` or `batch_invariant`
        to: String = "batch_invariant",
    } counts {
        /// reductions that had none
        set,
    }
}

impl Pass for SetDeterminism {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        if !KNOWN.contains(&self.to.as_str()) {
            let found = format!(
                "option `to` is `{}`, expected one of {}",
                self.to,
                KNOWN.join(", ")
            );
            return Err(error(module.location(), found).emit());
        }
        let silent = walk(module)
            .into_iter()
            .filter(|op| is(*op, "tile.reduce") && attribute(*op, "determinism").is_none());
        for op in silent {
            let determinism = format!("#tile.determinism<{}>", self.to);
            set_attribute(
                op,
                "determinism",
                parse_attribute(context(op), &determinism),
            );
            counts.add("set", 1);
        }
        Ok(())
    }
}
