//! Tests of the step limit. A run that exceeds the step limit counts as endless.

use tx_interp::{Options, StepLimit, Trouble, run};
use tx_mlir::Session;

/// Runs a kernel whose threads execute a loop with the given number of iterations, once per grid.
/// Returns the exceeded step limit of each run.
fn ends(iterations: u32, grids: [u32; 2], steps: StepLimit) -> [Result<(), u64>; 2] {
    let text = format!(
        "gpu.module @m {{
           gpu.func @k() kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %n = arith.constant {iterations} : index
             scf.for %i = %c0 to %n step %c1 {{
               %sum = arith.addi %i, %n : index
             }}
             gpu.return
           }}
         }}"
    );
    let session = Session::new(tx_dialect_tile::register);
    let module = session
        .parse("steps.mlir", text.as_bytes())
        .expect("a module");
    grids.map(|blocks| {
        let options = Options {
            grid: [blocks, 1, 1],
            block: [32, 1, 1],
            steps,
            ..Options::default()
        };
        match run(&module, "k", &[], &options) {
            Ok(_) => Ok(()),
            Err(Trouble::TooLong { steps, .. }) => Err(steps),
            Err(other) => panic!("{other}"),
        }
    })
}

/// Many threads with few steps each exceed a fixed limit, but not a limit that grows with the
/// number of threads. Threads with many steps exceed either limit.
#[test]
fn a_limit_may_grow_with_the_threads() {
    let fixed = StepLimit::new(20_000);
    let growing = fixed.with_each_thread(100);
    assert_eq!(ends(10, [1, 100], fixed), [Ok(()), Err(20_000)]);
    assert_eq!(ends(10, [1, 100], growing), [Ok(()), Ok(())]);
    assert_eq!(
        ends(1000, [1, 100], growing),
        [Err(20_000 + 3_200), Err(20_000 + 320_000)]
    );
}
