//! This host program computes row sums: it launches kernels from a launch plan and PTX, and depends
//! only on `tx-plan` and a CUDA driver binding.
//!
//! ```console
//! tx compile row_sums.mlir --chip sm_90 -o row_sums.ptx --plan row_sums.json
//! cargo run -p tx-runtime --no-default-features --example launch_plan -- row_sums.json row_sums.ptx
//! ```
//!
//! `row_sums.mlir` contains `func.func @row_sums(%A: memref<?x?xf32>, %B: memref<?xf32>)`. The host
//! program supports plans with any number of kernels and temporaries. In this example, the matrix A
//! has the shape 1000x300, and every element is 0.5. The example needs a GPU: cudarc panics if no
//! driver is installed.

use std::{env, error::Error, ffi::CString, fs, ptr};

use cudarc::driver::{result as cuda, sys};
use tx_plan::{Expr, ExprError, Plan, Symbol};

type Value<'a> = &'a dyn Fn(&Expr) -> Result<i64, ExprError>;

/// Launches the steps of a plan. `buffers` holds one device pointer per argument, and `value`
/// evaluates the expressions of the plan.
///
/// # Safety
/// Each device buffer must have the size of the corresponding argument.
unsafe fn launch(
    plan: &Plan,
    module: sys::CUmodule,
    buffers: &mut Vec<u64>,
    value: Value,
) -> Result<(), Box<dyn Error>> {
    for temporary in &plan.temporaries {
        // If the size of a temporary cannot be evaluated, only skipped steps use the temporary.
        let bytes = value(&temporary.bytes()).unwrap_or(0).max(1).try_into()?;
        let memory = unsafe { cuda::malloc_sync(bytes)? };
        if temporary.cleared {
            unsafe { cuda::memset_d8_sync(memory, 0, bytes)? };
        }
        buffers.push(memory);
    }
    for step in &plan.steps {
        let Some(extent) = step.extent(value)? else {
            continue;
        };
        let mut words = Vec::new();
        for operand in &step.operands {
            let view = plan.view(operand).ok_or("expected memrefs alone")?;
            words.extend(view.descriptor(buffers[plan.buffer(view.base)], value)?);
        }
        let mut params: Vec<_> = words.iter_mut().map(|w| ptr::from_mut(w).cast()).collect();
        let (grid, block) = (extent.grid.into(), extent.block.into());
        let shared = extent.dynamic_shared_bytes;
        unsafe {
            let kernel = cuda::module::get_function(module, CString::new(&*step.kernel)?)?;
            cuda::launch_kernel(kernel, grid, block, shared, ptr::null_mut(), &mut params)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = |i| env::args().nth(i).ok_or("launch_plan PLAN.json FILE.ptx");
    let plan = Plan::from_json(&fs::read_to_string(file(1)?)?)?;
    let ptx = CString::new(fs::read(file(2)?)?)?;
    let (a, mut b) = (vec![0.5_f32; 1000 * 300], vec![0_f32; 1000]);
    // All dynamic quantities of a plan are expressions over the sizes of A and B.
    let sizes = [[1000, 300], [1000, 1]];
    let size = |symbol| match symbol {
        Symbol::Dim { argument, dim } => Some(sizes[argument][dim]),
        _ => None,
    };
    let value = |expr: &Expr| expr.evaluate(size);
    // If a check fails, kernels may access memory out of bounds.
    plan.checks
        .iter()
        .try_for_each(|check| check.evaluate(size))?;
    // SAFETY: the buffers have the sizes that `value` uses.
    unsafe {
        cuda::init()?;
        cuda::ctx::set_current(cuda::primary_ctx::retain(cuda::device::get(0)?)?)?;
        let module = cuda::module::load_data(ptx.as_ptr().cast())?;
        let mut buffers = vec![
            cuda::malloc_sync(size_of_val(&*a))?,
            cuda::malloc_sync(size_of_val(&*b))?,
        ];
        cuda::memcpy_htod_sync(buffers[0], &a)?;
        launch(&plan, module, &mut buffers, &value)?;
        cuda::memcpy_dtoh_sync(&mut b, buffers[1])?;
    }
    let wrong = b.iter().filter(|sum| **sum != 150.0).count();
    println!("{} rows, {wrong} wrong", b.len());
    Ok(())
}
