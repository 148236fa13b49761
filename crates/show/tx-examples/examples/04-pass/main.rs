//! 04: inserts a custom pass into the pipeline of the compiler.
//!
//! The module [`set_determinism`] declares the pass, with documentation, options and counters, and
//! implements its `run` function.
//!
//! ```console
//! cargo run -p tx-examples --example 04-pass
//! ```

mod set_determinism;

use set_determinism::SetDeterminism;

/// Program with two reductions; only the second reduction has the attribute `determinism`.
const PROGRAM: &str = "
func.func @rows(%A: memref<?x?xf32>, %sum: memref<?xf32>, %max: memref<?xf32>) {
  tile.reduce sum %A into %sum axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  tile.reduce max %A into %max axes [1] scope(grid) {determinism = #tile.determinism<any>}
      : memref<?x?xf32> into memref<?xf32>
  return
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // After the registration, every pipeline of this process can contain the pass, in any MLIR
    // context.
    tx::register_pass(&SetDeterminism::INFO)?;

    let info = &SetDeterminism::INFO;
    println!(
        "{}: {}",
        info.argument,
        info.doc.lines().next().unwrap_or_default().trim()
    );
    for option in info.options {
        println!("  option {}={}: {}", option.name, option.init, option.help);
    }

    // The pass runs before `tile-schedule`, because schedules depend on the attribute
    // `determinism`.
    let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?.with_stages();
    let serving = compiler
        .clone()
        .with_pass_before("tile-schedule", "serving-set-determinism")?;
    println!("pipeline: {}", serving.pipeline()?);

    let artifact = serving.compile(PROGRAM)?;
    println!("-- after serving-set-determinism");
    let ir = artifact.ir_after(info.argument).unwrap_or_default();
    for line in ir.lines().filter(|line| line.contains("tile.reduce")) {
        println!("{}", line.trim());
    }
    let said = |what: &str| ir.matches(what).count();
    if (said("<batch_invariant>"), said("<any>")) != (1, 1) {
        return Err("the pass did something else".into());
    }

    // An invalid option is an error of the pass; an unknown position or pass name is rejected
    // immediately.
    let wrong = compiler
        .clone()
        .with_pass_before("tile-schedule", "serving-set-determinism{to=maybe}")?;
    println!(
        "-- refused\n{}",
        wrong.compile(PROGRAM).expect_err("no such value")
    );
    let error = compiler
        .with_pass_before("schedule", "serving-set-determinism")
        .expect_err("no such pass");
    println!("{error}");
    Ok(())
}
