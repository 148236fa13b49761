//! 02: runs a program on a GPU, or on the CPU if no GPU is present.
//!
//! On a GPU, the example launches the compiled PTX. On the CPU, the SIMT executor runs the kernels
//! thread by thread, and reports races.
//!
//! ```console
//! cargo run -p tx-examples --example 02-run
//! ```

use std::error::Error;

use tx_runtime::{Array, Device};

/// Program that computes the maximum of each row and the column index of the maximum.
const LARGEST: &str = "
func.func @largest(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
  return
}";

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::auto()?;
    println!("device: {}, since {}", device.name(), device.reason());

    // The executor on the CPU runs programs that were compiled for any chip.
    let chip = device.chip().unwrap_or_else(|| "sm_80".to_owned());
    let compiler = tx::Compiler::new(tx::Target::parse(&chip)?)?;
    let program = device.load(&compiler.compile(LARGEST)?)?;

    // A loaded program with dynamic sizes accepts matrices of any size.
    for (rows, columns) in [(3, 5), (40, 700)] {
        let numbers: Vec<f32> = (0..rows * columns)
            .map(|i| ((i * 7919) % 1009) as f32)
            .collect();
        let outputs = program.run(vec![
            Array::from_slice(&[rows, columns], &numbers)?.into(),
            Array::from_slice(&[rows], &vec![0_f32; rows])?.into(),
            Array::from_slice(&[rows], &vec![0_i32; rows])?.into(),
        ])?;
        let values: Vec<f32> = outputs.argument(1).ok_or("no values")?.to_vec()?;
        let places: Vec<i32> = outputs.argument(2).ok_or("no places")?.to_vec()?;

        for (row, numbers) in numbers.chunks(columns).enumerate() {
            let largest = numbers.iter().copied().fold(f32::MIN, f32::max);
            let place = numbers.iter().position(|n| *n == largest);
            if values[row] != largest || usize::try_from(places[row]).ok() != place {
                return Err(format!("row {row}: {} at {}", values[row], places[row]).into());
            }
        }
        println!(
            "{rows}x{columns}: {rows} rows right, the first has {} at {}",
            values[0], places[0]
        );
    }
    Ok(())
}
