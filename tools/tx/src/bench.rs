//! Command `tx bench`.

use std::time::Duration;

use tx_runtime::{Arg, Device, Executable, Prepared, RunOptions};

use crate::cli::{AssertOptions, Bench};
use crate::compile;
use crate::failure::Failure;
use crate::progress;
use crate::stderr::note;

/// Maximum number of bytes that `tx bench` reads to measure the read bandwidth of a device.
const MAX_READ_BYTES: usize = 1 << 30;
/// Minimum duration of one measurement. If one launch of the program is shorter than the minimum
/// duration of a measurement, one measurement consists of several launches.
const MIN_MEASUREMENT: Duration = Duration::from_millis(1);
/// Maximum run time of one launch for which `tx bench` uses a CUDA graph. Without a CUDA graph, the
/// launch overhead is comparable to run times below this maximum.
const MAX_GRAPH_RUN_TIME: Duration = Duration::from_micros(100);
/// Maximum number of launches in a CUDA graph.
const MAX_RECORDED_LAUNCHES: usize = 1024;
/// Number of run-time measurements of a program on a GPU.
const TIMES: u32 = 15;
/// Number of run-time measurements of a program on the CPU. A program is measured less often on the
/// CPU than on a GPU, because one run on the CPU may take seconds.
const TIMES_ON_THE_CPU: u32 = 3;
/// Number of warm-up launches.
const WARM_UP_LAUNCHES: usize = 3;
/// Maximum number of copies of the arguments. Consecutive launches use different copies, to avoid
/// cache hits.
const MAX_COPIES: usize = 64;

#[derive(serde::Serialize)]
struct Measurement {
    file: String,
    entry: String,
    device: String,
    kernels: usize,
    graph: bool,
    /// Total size of all memref arguments, in bytes.
    bytes: usize,
    /// Number of copies of the arguments. Consecutive launches use consecutive copies, and return
    /// to the first copy after the last copy.
    copies: usize,
    median_us: f64,
    fastest_us: f64,
    slowest_us: f64,
    /// Size of the arguments divided by the median run time, in gigabytes per second.
    gb_per_s: f64,
    /// Measured read bandwidth of the device, in gigabytes per second.
    ceiling_gb_per_s: Option<f64>,
}

pub(crate) fn run(options: &Bench) -> Result<(), Failure> {
    let text = compile::read(&options.program.file)?;
    let device = Device::open(&options.launch.device)?;
    let artifact = options.launch.compiled(
        &options.program,
        &options.kept,
        &text,
        &device,
        AssertOptions::default(),
    )?;
    let program = device.load(&artifact)?;
    options.launch.tell(&device);
    let times = repeats(options.times, TIMES, &device);
    let args = options.launch.arguments(&device)?;
    let how = options.launch.run_options(&args);
    let task = progress::start("bench", times.into());
    let timed = time(&device, &program, &args, &how, times, &|| task.step()).map_err(|error| {
        options
            .launch
            .refused(error, &options.program.file, &artifact.plan)
            .quoting(&options.program.file, &text)
    })?;
    drop(task);
    let measured = timed.measured(options, &device, &program);
    let ceiling = match &device.chip() {
        Some(_) => device.read_ceiling(measured.bytes.clamp(MAX_READ_BYTES / 4, MAX_READ_BYTES))?,
        None => None,
    };
    let measured = Measurement {
        ceiling_gb_per_s: ceiling.map(|bytes| bytes / 1e9),
        ..measured
    };
    let text = match options.json {
        true => format!("{}\n", serde_json::json!(measured)),
        false => describe(&measured),
    };
    crate::stdout::print(text.as_bytes())
}

/// Returns the number of run-time measurements: `asked`, or the default number for `device`. If the
/// device is the CPU, the function prints a note that the measured run times do not predict run
/// times on a GPU.
pub(crate) fn repeats(asked: Option<u32>, on_a_gpu: u32, device: &Device) -> u32 {
    let usual = match device.chip() {
        Some(_) => on_a_gpu,
        None => {
            note(
                "tx: the executor runs threads one by one: its times do not predict times on a \
                 GPU, and small arrays suffice",
            );
            TIMES_ON_THE_CPU
        }
    };
    asked.unwrap_or(usual)
}

pub(crate) struct RunTimes {
    kernels: usize,
    graph: bool,
    bytes: usize,
    copies: usize,
    /// Measured run times in seconds per run, in ascending order.
    seconds: Vec<f64>,
}

/// Measures the run time of a program `times` times. Calls `step` after each run-time measurement.
pub(crate) fn time(
    device: &Device,
    program: &Executable,
    args: &[Arg],
    how: &RunOptions,
    times: u32,
    step: &dyn Fn(),
) -> Result<RunTimes, tx_runtime::Error> {
    let prepare = || program.prepare(args.to_vec(), how);
    let mut runs = vec![prepare()?];
    let bytes = runs[0].argument_bytes();
    // With this number of copies, the L2 cache no longer contains a copy when a later launch uses
    // that copy again.
    let copies = match device.cache()? {
        Some(cache) => (4 * cache).div_ceil(bytes.max(1)).clamp(1, MAX_COPIES),
        None => 1,
    };
    while runs.len() < copies {
        runs.push(prepare()?);
    }
    // On the CPU, one warm-up launch suffices: the executor compiles a kernel at its first launch.
    let warm = match device.chip() {
        Some(_) => WARM_UP_LAUNCHES,
        None => {
            Prepared::time(&mut runs, 1)?;
            1
        }
    };
    let first = Prepared::time(&mut runs, warm)? / warm as u32;
    let launches = (MIN_MEASUREMENT.as_nanos() / first.as_nanos().max(1)).clamp(1, 10_000) as usize;
    let launches = launches.next_multiple_of(if launches > copies { copies } else { 1 });
    let kernels = runs[0].kernels();
    let graph = device.chip().is_some() && kernels > 0 && first < MAX_GRAPH_RUN_TIME;
    let mut seconds = Vec::new();
    if graph {
        let recorded = launches.min(MAX_RECORDED_LAUNCHES / copies * copies);
        let graph_launches = launches.div_ceil(recorded);
        let graph = Prepared::record(&mut runs, recorded)?;
        graph.time(1)?;
        for _ in 0..times {
            let all = graph.time(graph_launches)?;
            seconds.push(all.as_secs_f64() / (recorded * graph_launches) as f64);
            step();
        }
    } else {
        for _ in 0..times {
            seconds.push(Prepared::time(&mut runs, launches)?.as_secs_f64() / launches as f64);
            step();
        }
    }
    seconds.sort_by(f64::total_cmp);
    Ok(RunTimes {
        kernels,
        graph,
        bytes,
        copies,
        seconds,
    })
}

impl RunTimes {
    pub(crate) fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    fn measured(&self, options: &Bench, device: &Device, program: &Executable) -> Measurement {
        let microseconds = |seconds: Option<&f64>| seconds.map_or(0.0, |seconds| seconds * 1e6);
        Measurement {
            file: options.program.file.display().to_string(),
            entry: program.plan().entry.clone(),
            device: device.name(),
            kernels: self.kernels,
            graph: self.graph,
            bytes: self.bytes,
            copies: self.copies,
            median_us: self.median() * 1e6,
            fastest_us: microseconds(self.seconds.first()),
            slowest_us: microseconds(self.seconds.last()),
            // The run time of a program without launches is 0.
            gb_per_s: match self.median() > 0.0 {
                true => self.bytes as f64 / self.median() / 1e9,
                false => 0.0,
            },
            ceiling_gb_per_s: None,
        }
    }
}

fn describe(measured: &Measurement) -> String {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let ceiling = match measured.ceiling_gb_per_s {
        Some(ceiling) => format!(
            ", {:.3} of the measured read ceiling of {ceiling:.0} GB/s",
            measured.gb_per_s / ceiling
        ),
        None => String::new(),
    };
    format!(
        "{}: @{} on {}\n  time   {:.1} µs, the median ({:.1} to {:.1}); {} kernel{}{}\n  speed  \
         {:.1} GB/s{ceiling}\n         {} bytes of arguments, {} set{} used alternately\n",
        measured.file,
        measured.entry,
        measured.device,
        measured.median_us,
        measured.fastest_us,
        measured.slowest_us,
        measured.kernels,
        plural(measured.kernels),
        if measured.graph {
            ", launched by a CUDA graph"
        } else {
            ""
        },
        measured.gb_per_s,
        measured.bytes,
        measured.copies,
        plural(measured.copies),
    )
}
