//! 01: MLIR text becomes PTX and a launch plan.
//!
//! ```console
//! cargo run -p tx-examples --example 01-compile
//! ```

/// The sum of each row, of any size.
const SUMS: &str = "
func.func @sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}";

fn main() -> Result<(), tx::Error> {
    // What to compile for. A compiler is kept: it is used for many programs, from any number of threads.
    let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?.with_stages();
    let artifact = compiler.compile(SUMS)?;

    println!("-- stages");
    for stage in &artifact.stages {
        let lines = stage.ir.as_deref().map_or(0, |ir| ir.lines().count());
        println!("{:<28} {lines:>5} lines", stage.name);
    }
    // With `with_stages`, the IR after each stage is there.
    let scheduled = artifact.ir_after("tile-schedule").unwrap_or_default();
    println!("-- after tile-schedule");
    for line in scheduled.lines().filter(|line| line.contains("tile.")) {
        println!("{}", line.trim());
    }

    println!("-- PTX");
    for line in artifact.ptx.lines().filter(|line| line.starts_with('.')) {
        println!("{line}");
    }
    // What to launch, with grids over the sizes of the arguments: all that a program needs that has
    // no compiler.
    println!("-- plan");
    println!("{}", artifact.plan.to_json());

    // What is wrong with a program is an error with locations. Nothing is printed by the library.
    let error = compiler
        .compile(&SUMS.replace("axes [1]", "axes [2]"))
        .expect_err("there is no axis 2");
    println!("-- a mistake\n{error}");
    Ok(())
}
