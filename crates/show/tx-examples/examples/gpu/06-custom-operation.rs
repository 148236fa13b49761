//! 06: runs a reduction on CUDA buffers and streams that the program itself creates.
//!
//! The program creates its context, streams and buffers with cudarc. [`RowSums`] launches kernels
//! on the program's stream; the kernels access the program's buffers without copies.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut};
use tx_plan::ElementType::F32;
use tx_runtime::{Device, DeviceArray, Executable, Prepared, RunOptions};

use crate::program::{check, exact, gpus, numbers, on_cpu, row_sums, sums_on_host};
use crate::{Failure, Options};

/// Operation that computes the row sums of a matrix in a cudarc buffer.
pub(crate) struct RowSums<'p> {
    program: &'p Executable,
    /// Map from a stream and the number of rows and columns of a matrix to the prepared launch.
    /// Launches on one stream do not overlap, so all launches on a stream can share one
    /// [`Prepared`].
    prepared: BTreeMap<(usize, usize, usize), Prepared<'p>>,
}

impl<'p> RowSums<'p> {
    pub(crate) fn new(program: &'p Executable) -> Self {
        Self {
            program,
            prepared: BTreeMap::new(),
        }
    }

    /// Enqueues a launch on `stream`. The launch stores the row sums of the matrix `x` in `sums`;
    /// `x` has `columns` columns. `x` and `sums` must not be freed before the launch completes.
    pub(crate) fn call(
        &mut self,
        stream: &CudaStream,
        x: &CudaSlice<f32>,
        columns: usize,
        sums: &mut CudaSlice<f32>,
    ) -> Result<(), Failure> {
        let rows = sums.len();
        if x.len() != rows * columns {
            let (found, expected) = (x.len(), rows * columns);
            return Err(Failure::Cannot(format!(
                "x has {found} elements, expected {rows} rows of {columns}: {expected}"
            )));
        }
        // Requesting a device pointer registers the access with cudarc: the stream waits for writes
        // of `x` on other streams, and other streams wait for this launch.
        let (x, _reading) = x.device_ptr(stream);
        let (sums, _writing) = sums.device_ptr_mut(stream);
        let run = match self
            .prepared
            .entry((stream.cu_stream() as usize, rows, columns))
        {
            Entry::Occupied(entry) => {
                let run = entry.into_mut();
                // SAFETY: as below.
                unsafe {
                    run.move_argument(0, x)?;
                    run.move_argument(1, sums)?;
                }
                run
            }
            Entry::Vacant(entry) => {
                let args = vec![
                    DeviceArray::new(x, F32, &[rows, columns]).into(),
                    DeviceArray::new(sums, F32, &[rows]).into(),
                ];
                // SAFETY: the sizes of the slices were checked above, and the slices do not
                // overlap, because one slice is borrowed mutably. cudarc frees memory in stream
                // order.
                let run = unsafe {
                    self.program
                        .prepare_in_place(args, &RunOptions::default())?
                };
                entry.insert(run)
            }
        };
        // SAFETY: cudarc's streams belong to the primary context, and each prepared program is
        // launched on one stream only.
        unsafe { run.launch_on(stream.cu_stream().cast())? };
        Ok(())
    }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let shapes = [(64, 1000), (3, 70_000), (64, 1000)];
    let Some(ordinal) = options.device else {
        return run_on_cpu(options, &shapes);
    };
    gpus()?;
    // The program creates its context and streams without tx.
    let context = CudaContext::new(ordinal)?;
    let (upload, compute) = (context.new_stream()?, context.new_stream()?);

    let device = Device::cuda(ordinal)?;
    println!("06 custom operation on {}", device.name());
    let program = device.load(&row_sums(options)?)?;
    let mut operation = RowSums::new(&program);
    for (turn, (rows, columns)) in shapes.into_iter().enumerate() {
        let host = numbers(rows * columns, turn as u64);
        // The upload and the launch use different streams; cudarc inserts the wait between them.
        let x = upload.clone_htod(&host)?;
        let mut sums = compute.alloc_zeros::<f32>(rows)?;
        operation.call(&compute, &x, columns, &mut sums)?;
        // The row sums are the input of a second launch, which computes the total.
        let mut total = compute.alloc_zeros::<f32>(1)?;
        operation.call(&compute, &sums, rows, &mut total)?;
        let (sums, total) = (compute.clone_dtoh(&sums)?, compute.clone_dtoh(&total)?);
        compute.synchronize()?;

        let rows_exact = exact(std::slice::from_ref(&host), rows);
        let off = check("row sums", &sums, &rows_exact)?;
        check("total", &total, &exact(&[host], 1))?;
        println!(
            "{rows}x{columns}: {rows} row sums and their total right, off by {off:.1e} of the \
             magnitudes at most"
        );
    }
    let kept = operation.prepared.len();
    println!("prepared {kept} times for 6 calls; no copies");
    Ok(())
}

fn run_on_cpu(options: &Options, shapes: &[(usize, usize)]) -> Result<(), Failure> {
    let program = on_cpu(options)?;
    println!(
        "06 custom operation on cpu: no buffers of a GPU here, the same sums of arrays of the host"
    );
    for (turn, (rows, columns)) in shapes.iter().copied().enumerate() {
        let host = numbers(rows * columns, turn as u64);
        let sums = sums_on_host(&program, &host, rows)?;
        let total = sums_on_host(&program, &sums, 1)?;
        let off = check("row sums", &sums, &exact(std::slice::from_ref(&host), rows))?;
        check("total", &total, &exact(&[host], 1))?;
        println!(
            "{rows}x{columns}: {rows} row sums and their total right, off by {off:.1e} of the \
             magnitudes at most"
        );
    }
    Ok(())
}
