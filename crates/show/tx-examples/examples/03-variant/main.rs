//! 03: registers a custom variant (an implementation of a reduction) with the compiler.
//!
//! The module [`pairwise`] defines the predicates, the cost and the expansion of the variant. The
//! variant supports every reduction kind and element type, and contains no barriers and no PTX.
//!
//! ```console
//! cargo run -p tx-examples --example 03-variant
//! ```

mod pairwise;

use std::error::Error;

use tx_runtime::{Array, Device};

fn kernel(kind: &str, columns: usize) -> String {
    format!(
        "gpu.module @kernels {{
  gpu.func @rows(%A: memref<64x{columns}xf32>, %B: memref<64xf32>)
      kernel attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
    %t = gpu.thread_id x
    %row = memref.subview %A[%t, 0] [1, {columns}] [1, 1]
        : memref<64x{columns}xf32> to memref<{columns}xf32, strided<[1], offset: ?>>
    %to = memref.subview %B[%t] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: ?>>
    tile.reduce {kind} %row into %to axes [0] scope(thread)
        : memref<{columns}xf32, strided<[1], offset: ?>> into memref<f32, strided<[], offset: ?>>
    gpu.return
  }}
}}"
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    // The registration lasts for the rest of the process and affects every compilation.
    tx::register_variant(&pairwise::Pairwise)?;

    let device = Device::auto()?;
    let chip = device.chip().unwrap_or_else(|| "sm_80".to_owned());
    let compiler = tx::Compiler::new(tx::Target::parse(&chip)?)?.with_stages();

    // The explanation lists every variant with its cost, or the reasons of its rejection.
    let source = tx::Source::new("rows.mlir", kernel("sum", 16));
    for choice in compiler.explain(&source)?.choices {
        println!("{choice}");
    }

    let numbers: Vec<f32> = (0..64 * 16)
        .map(|i| ((i * 7919) % 1009) as f32 / 1009.0)
        .collect();
    let exact = |kind: &str, row: &[f32]| -> f64 {
        let row = row.iter().copied().map(f64::from);
        match kind {
            "sum" => row.sum(),
            _ => row.fold(f64::NEG_INFINITY, f64::max),
        }
    };
    for kind in ["sum", "max"] {
        let artifact = compiler.compile(&kernel(kind, 16))?;
        let chosen = artifact.ir_after("tile-select-variant").unwrap_or_default();
        if !chosen.contains("variant = \"pairwise\"") {
            return Err("another variant was chosen".into());
        }
        let outputs = device.load(&artifact)?.run(vec![
            Array::from_slice(&[64, 16], &numbers)?.into(),
            Array::from_slice(&[64], &[0_f32; 64])?.into(),
        ])?;
        let results: Vec<f32> = outputs.argument(1).ok_or("no results")?.to_vec()?;
        let worst = numbers
            .chunks(16)
            .zip(&results)
            .map(|(row, result)| (exact(kind, row) - f64::from(*result)).abs())
            .fold(0.0, f64::max);
        if worst > 1e-6 {
            return Err(format!("{kind}: off by {worst:e}").into());
        }
        println!(
            "{kind}: 64 rows by `pairwise` on {}, off by {worst:.1e} at most",
            device.name()
        );
    }

    // If the attribute `variant` forces the variant on a row that is too long, the error contains
    // the reasons why the variant rejects the row.
    let forced =
        kernel("sum", 100).replace("scope(thread)", "scope(thread) {variant = \"pairwise\"}");
    let error = compiler.compile(&forced).expect_err("too long a row");
    println!("-- refused\n{error}");
    Ok(())
}
