//! 01: compiles MLIR text to PTX and a launch plan.
//!
//! ```console
//! cargo run -p tx-examples --example 01-compile
//! ```

/// Program that computes the row sums of a matrix with dynamic dimensions.
const SUMS: &str = "
func.func @sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}";

fn main() -> Result<(), tx::Error> {
    // One compiler object can compile many programs, also from several threads.
    let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?.with_stages();
    let artifact = compiler.compile(SUMS)?;

    println!("-- stages");
    for stage in &artifact.stages {
        let lines = stage.ir.as_deref().map_or(0, |ir| ir.lines().count());
        println!("{:<28} {lines:>5} lines", stage.name);
    }
    // `with_stages` keeps the IR after each stage.
    let scheduled = artifact.ir_after("tile-schedule").unwrap_or_default();
    println!("-- after tile-schedule");
    for line in scheduled.lines().filter(|line| line.contains("tile.")) {
        println!("{}", line.trim());
    }

    println!("-- PTX");
    for line in artifact.ptx.lines().filter(|line| line.starts_with('.')) {
        println!("{line}");
    }
    // The plan lists the kernel launches, with grids as expressions over argument sizes. A program
    // that launches the kernels needs no compiler.
    println!("-- plan");
    println!("{}", artifact.plan.to_json());

    // Errors carry source locations; the library prints nothing.
    let error = compiler
        .compile(&SUMS.replace("axes [1]", "axes [2]"))
        .expect_err("there is no axis 2");
    println!("-- a mistake\n{error}");
    Ok(())
}
