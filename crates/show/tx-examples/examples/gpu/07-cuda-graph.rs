//! 07: captures launches on the program's stream in a CUDA graph, and replays the graph.

use std::time::Instant;

use cudarc::driver::{CudaContext, sys};
use tx_runtime::Device;

use crate::custom_operation::RowSums;
use crate::program::{check, exact, gpus, numbers, on_cpu, row_sums, sums_on_host};
use crate::{Failure, Options};

const ROWS: usize = 64;
const COLUMNS: usize = 1000;
const REPLAYS: u64 = 5;
const TIMED: u32 = 2000;

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let Some(ordinal) = options.device else {
        return run_on_cpu(options);
    };
    gpus()?;
    let context = CudaContext::new(ordinal)?;
    // A capturing stream must not wait for other streams, as the event tracking of cudarc would
    // require. SAFETY: all work is on one stream.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream()?;
    let device = Device::cuda(ordinal)?;
    println!("07 CUDA graph on {}", device.name());
    let program = device.load(&row_sums(options)?)?;
    let mut operation = RowSums::new(&program);

    let mut x = stream.alloc_zeros::<f32>(ROWS * COLUMNS)?;
    let mut sums = stream.alloc_zeros::<f32>(ROWS)?;
    let mut total = stream.alloc_zeros::<f32>(1)?;
    // The first call runs without capture, because the first call allocates memory, and a stream
    // cannot capture an allocation.
    operation.call(&stream, &x, COLUMNS, &mut sums)?;
    operation.call(&stream, &sums, ROWS, &mut total)?;

    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    let recorded = operation
        .call(&stream, &x, COLUMNS, &mut sums)
        .and_then(|()| operation.call(&stream, &sums, ROWS, &mut total));
    // The capture must end even after an error.
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0));
    recorded?;
    let graph = graph?.ok_or(Failure::Cannot("no graph was recorded".to_owned()))?;

    for replay in 0..REPLAYS {
        // Each replay reads new data from the same buffer.
        let host = numbers(ROWS * COLUMNS, replay);
        stream.memcpy_htod(&host, &mut x)?;
        graph.launch()?;
        let (sums, total) = (stream.clone_dtoh(&sums)?, stream.clone_dtoh(&total)?);
        stream.synchronize()?;
        let off = check("row sums", &sums, &exact(std::slice::from_ref(&host), ROWS))?;
        check("total", &total, &exact(&[host], 1))?;
        println!("replay {replay}: right, off by {off:.1e} of the magnitudes at most");
    }

    let micros = |start: Instant| start.elapsed().as_secs_f64() * 1e6 / f64::from(TIMED);
    let start = Instant::now();
    for _ in 0..TIMED {
        operation.call(&stream, &x, COLUMNS, &mut sums)?;
        operation.call(&stream, &sums, ROWS, &mut total)?;
    }
    stream.synchronize()?;
    let calls = micros(start);
    let start = Instant::now();
    for _ in 0..TIMED {
        graph.launch()?;
    }
    stream.synchronize()?;
    println!(
        "two calls {calls:.1} microseconds, their graph {:.1}",
        micros(start)
    );
    Ok(())
}

fn run_on_cpu(options: &Options) -> Result<(), Failure> {
    let program = on_cpu(options)?;
    println!("07 CUDA graph on cpu: no graphs here, the same sums one by one");
    for replay in 0..REPLAYS {
        let host = numbers(ROWS * COLUMNS, replay);
        let sums = sums_on_host(&program, &host, ROWS)?;
        let total = sums_on_host(&program, &sums, 1)?;
        let off = check("row sums", &sums, &exact(std::slice::from_ref(&host), ROWS))?;
        check("total", &total, &exact(&[host], 1))?;
        println!("replay {replay}: right, off by {off:.1e} of the magnitudes at most");
    }
    Ok(())
}
