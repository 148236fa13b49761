//! Code that the GPU examples share: the launched program, its input, and the expected results.

use tx_plan::Artifact;
use tx_runtime::{Array, CudaDriver, Device, Executable};

use crate::{Failure, Options};

/// Returns the row-sum program. The function reads the program from the files that the options
/// `ptx` and `plan` name; `tx compile` writes such files. Without these options, the function
/// compiles the program; this requires a build with the compiler.
pub(crate) fn row_sums(options: &Options) -> Result<Artifact, Failure> {
    let (Some(ptx), Some(plan)) = (&options.ptx, &options.plan) else {
        return compiled();
    };
    let read = |file: &std::path::Path| {
        std::fs::read_to_string(file)
            .map_err(|error| Failure::Cannot(format!("{}: {error}", file.display())))
    };
    let refuse = |error| Failure::Cannot(format!("{}: {error}", plan.display()));
    Ok(Artifact {
        ptx: read(ptx)?,
        plan: tx_plan::Plan::from_json(&read(plan)?).map_err(refuse)?,
        device_ir: String::new(),
        stages: Vec::new(),
        warnings: Vec::new(),
        modules: Vec::new(),
    })
}

#[cfg(feature = "compiler")]
fn compiled() -> Result<Artifact, Failure> {
    let compile = || {
        // PTX for `sm_80` runs on every later chip.
        let compiler = tx::Compiler::new(tx::Target::parse("sm_80")?)?;
        compiler.compile(include_str!("row_sums.mlir"))
    };
    compile().map_err(|error: tx::Error| Failure::Cannot(error.to_string()))
}

#[cfg(not(feature = "compiler"))]
fn compiled() -> Result<Artifact, Failure> {
    Err(Failure::Cannot(
        "this build has no compiler: give it `--ptx` and `--plan`, as `tx compile row_sums.mlir \
         --chip sm_80 -o row_sums.ptx \
         --plan row_sums.json` makes them"
            .to_owned(),
    ))
}

pub(crate) fn gpus() -> Result<usize, Failure> {
    let none = |reason: String| {
        Failure::Cannot(format!(
            "no GPU: {reason}. `--device cpu` computes the same without one, where this build has \
             the compiler"
        ))
    };
    match CudaDriver::load() {
        Ok(driver) if driver.devices.is_empty() => Err(none("the driver shows none".to_owned())),
        Ok(driver) => Ok(driver.devices.len()),
        Err(error) => Err(none(error.to_string())),
    }
}

pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    (0..count)
        .map(|_| {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        })
        .collect()
}

/// Returns two f64 values for each row: the sum of the elements, and the sum of the absolute values
/// of the elements. Each entry of `parts` contains some of the columns of the matrix, for all rows.
pub(crate) fn exact(parts: &[Vec<f32>], rows: usize) -> Vec<(f64, f64)> {
    let row_of = |row: usize, part: &Vec<f32>| {
        let columns = part.len() / rows;
        part[row * columns..(row + 1) * columns].to_vec()
    };
    (0..rows)
        .map(|row| {
            let row = parts.iter().flat_map(|part| row_of(row, part));
            row.map(f64::from)
                .fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()))
        })
        .collect()
}

/// Returns the largest relative error of a row sum. The error is relative to the sum of the
/// absolute values of the row.
pub(crate) fn check(what: &str, sums: &[f32], exact: &[(f64, f64)]) -> Result<f64, Failure> {
    if sums.len() != exact.len() {
        return Err(Failure::Wrong(format!(
            "{what}: {} sums, expected {}",
            sums.len(),
            exact.len()
        )));
    }
    let mut worst = 0.0_f64;
    for (row, (sum, (exact, size))) in sums.iter().zip(exact).enumerate() {
        let off = (f64::from(*sum) - exact).abs() / size.max(f64::MIN_POSITIVE);
        // A NaN fails every comparison.
        if off.is_nan() || off > 1e-6 {
            return Err(Failure::Wrong(format!(
                "{what}: the sum of row {row} is {sum}, expected {exact}"
            )));
        }
        worst = worst.max(off);
    }
    Ok(worst)
}

/// Returns the row sums of a host array, computed on the device of `program`.
pub(crate) fn sums_on_host(
    program: &Executable,
    numbers: &[f32],
    rows: usize,
) -> Result<Vec<f32>, Failure> {
    let outputs = program.run(vec![
        Array::from_slice(&[rows, numbers.len() / rows], numbers)?.into(),
        Array::from_slice(&[rows], &vec![0_f32; rows])?.into(),
    ])?;
    let sums = outputs.argument(1).map(Array::to_vec::<f32>);
    Ok(sums.transpose()?.unwrap_or_default())
}

/// Loads the row-sum program on the SIMT executor (CPU). Fails if the options specify PTX, because
/// the CPU does not run PTX.
pub(crate) fn on_cpu(options: &Options) -> Result<Executable, Failure> {
    let device = Device::cpu()?;
    if options.ptx.is_some() {
        return Err(Failure::Cannot(
            "the CPU runs no PTX: leave out `--ptx` and `--plan`".to_owned(),
        ));
    }
    Ok(device.load(&row_sums(options)?)?)
}
