use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Failed, Op, ancestors, erase, is, name, walk};

pass! {
    /// Remove assertions from the bodies of linalg ops.
    ///
    /// ## What it does
    /// Removes each `cf.assert` in the body of a linalg op. `canonicalize` later removes the ops
    /// that compute the condition of the assertion. Front ends emit an assertion for each index of
    /// a gather. Each assertion costs a branch per element. MLIR does not fuse an op with an
    /// assertion in its body. The pass does not remove assertions outside of the bodies of linalg
    /// ops, because these assertions become checks of the launch plan.
    ///
    /// With the option `keep`, the pass removes no assertion. With the option `keep`, each thread
    /// checks the conditions of the assertions for its elements, and calls `__assertfail` if a
    /// condition is false. `tx compile --asserts` and `tensors-to-memrefs{asserts}` set this
    /// option.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @f(%A: tensor<8xi32>, %E: tensor<8xi32>) -> tensor<8xi32> {
    ///   %zero = arith.constant 0 : i32
    ///   %R = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    ///                       iterator_types = ["parallel"]} ins(%A : tensor<8xi32>) outs(%E : tensor<8xi32>) {
    ///   ^bb0(%a: i32, %e: i32):
    ///     %good = arith.cmpi sge, %a, %zero : i32
    ///     cf.assert %good, "negative"
    ///     linalg.yield %a : i32
    ///   } -> tensor<8xi32>
    ///   return %R : tensor<8xi32>
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    ///   %zero = arith.constant 0 : i32
    ///   %R = linalg.generic ...
    ///   ^bb0(%a: i32, %e: i32):
    ///     %good = arith.cmpi sge, %a, %zero : i32
    ///     linalg.yield %a : i32
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct DropAsserts as "linalg-drop-asserts" creates [] {
        /// keep all assertions
        keep: bool = "false",
    } counts {
        /// assertions removed
        removed,
    }
}

impl Pass for DropAsserts {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        if self.keep {
            return Ok(());
        }
        for op in walk(module).into_iter().filter(|op| is_body_assert(*op)) {
            erase(op);
            counts.add("removed", 1);
        }
        Ok(())
    }
}

/// Returns whether the body of a linalg op in `module` has an assertion.
pub fn has_body_asserts(module: Op<'_>) -> bool {
    walk(module).into_iter().any(is_body_assert)
}

fn is_body_assert(op: Op<'_>) -> bool {
    is(op, "cf.assert") && ancestors(op).any(|around| name(around).starts_with("linalg."))
}
