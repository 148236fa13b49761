//! Launches row sums with nothing but their launch plan and their PTX: what a host program does that wants no more of tx
//! than `tx-plan`.
//!
//! ```console
//! tx compile row_sums.mlir --chip sm_90 -o row_sums.ptx --plan row_sums.json
//! cargo run -p tx-runtime --no-default-features --example launch_plan -- row_sums.json row_sums.ptx
//! ```
//!
//! `row_sums.mlir` has a `func.func @row_sums(%A: memref<?x?xf32>, %B: memref<?xf32>)`, of any number of kernels and
//! temporaries. Here A is 1000x300, all of it 0.5. There must be a GPU: cudarc panics where no driver is.

use std::{env, error::Error, ffi::CString, fs, ptr};

use cudarc::driver::{result as cuda, sys};
use tx_plan::{Base, Expr, ExprError, Plan, Symbol};

/// Launches the steps of a plan on buffers for its arguments, with the `value` of expressions.
///
/// # Safety
/// The buffers are those that the plan's arguments ask for.
unsafe fn launch(
    plan: &Plan,
    module: sys::CUmodule,
    mut buffers: Vec<u64>,
    value: impl Fn(&Expr) -> Result<i64, ExprError>,
) -> Result<(), Box<dyn Error>> {
    for temporary in &plan.temporaries {
        let bytes = value(&temporary.bytes())?.max(1).try_into()?;
        buffers.push(unsafe { cuda::malloc_sync(bytes)? });
    }
    for step in &plan.steps {
        let size = |e| -> Result<u32, Box<dyn Error>> { Ok(value(e)?.try_into()?) };
        let [grid, block] = [&step.grid, &step.block].map(|d| d.each_ref().map(size));
        let ([x, y, z], [bx, by, bz]) = (grid, block);
        let (grid, block) = ((x?, y?, z?), (bx?, by?, bz?));
        if grid.0 == 0 || grid.1 == 0 || grid.2 == 0 {
            continue;
        }
        let mut words: Vec<u64> = Vec::new();
        for operand in &step.operands {
            // A memref is passed as its descriptor: two pointers, the offset, sizes and strides.
            let view = plan.view(operand).ok_or("expected memrefs alone")?;
            let buffer = match view.base {
                Base::Argument(i) => buffers[i],
                Base::Temporary(i) => buffers[plan.arguments.len() + i],
            };
            words.extend([buffer, buffer]);
            for number in [&view.offset]
                .into_iter()
                .chain(&view.sizes)
                .chain(&view.strides)
            {
                words.push(value(number)?.cast_unsigned());
            }
        }
        let mut params: Vec<_> = words.iter_mut().map(|w| ptr::from_mut(w).cast()).collect();
        let name = CString::new(&*step.kernel)?;
        let shared = size(&step.dynamic_shared_bytes)?;
        unsafe {
            let kernel = cuda::module::get_function(module, name)?;
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
    // Everything that varies is an expression over the sizes of A and B.
    let sizes = [[1000, 300], [1000, 1]];
    let size = |symbol| match symbol {
        Symbol::Dim { argument, dim } => Some(sizes[argument][dim]),
        _ => None,
    };
    let value = |expr: &Expr| expr.evaluate(size);
    // Kernels may access memory out of bounds where a check does not hold.
    plan.checks
        .iter()
        .try_for_each(|check| check.evaluate(size))?;
    // SAFETY: the buffers have the sizes that `value` says.
    unsafe {
        cuda::init()?;
        cuda::ctx::set_current(cuda::primary_ctx::retain(cuda::device::get(0)?)?)?;
        let module = cuda::module::load_data(ptx.as_ptr().cast())?;
        let buffers = vec![
            cuda::malloc_sync(size_of_val(&*a))?,
            cuda::malloc_sync(size_of_val(&*b))?,
        ];
        cuda::memcpy_htod_sync(buffers[0], &a)?;
        launch(&plan, module, buffers.clone(), value)?;
        cuda::memcpy_dtoh_sync(&mut b, buffers[1])?;
    }
    let wrong = b.iter().filter(|sum| **sum != 150.0).count();
    println!("{} rows, {wrong} wrong", b.len());
    Ok(())
}
