//! Devices, and programs loaded on them.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use tx_plan::{Artifact, Plan};

use crate::array::Array;
use crate::bind::Job;
use crate::cuda;
use crate::device_array::DeviceArg;
use crate::error::Error;
use crate::spec::Arg;

/// Device that runs programs.
#[derive(Clone, Debug)]
pub struct Device {
    backend: Backend,
    reason: String,
}

#[derive(Clone, Debug)]
enum Backend {
    #[cfg(feature = "simt")]
    Cpu,
    Cuda(cuda::Context),
}

impl Device {
    /// Opens the first CUDA device, or the CPU if no CUDA device exists. [`Device::reason`] returns
    /// why the device was chosen.
    ///
    /// # Errors
    /// Fails if no CUDA device exists and this build has no executor.
    pub fn auto() -> Result<Self, Error> {
        match cuda::Context::open(0) {
            Ok(context) => Ok(Self {
                backend: Backend::Cuda(context),
                reason: "it is the first CUDA device of the driver".to_owned(),
            }),
            Err(Error::NoDevice { reason, .. }) => {
                let cpu = Self::cpu().map_err(|_| Error::NoDevice {
                    device: "auto".to_owned(),
                    reason: format!(
                        "{reason}; and this build has no executor: enable the feature `simt`"
                    ),
                })?;
                Ok(Self { reason, ..cpu })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens the SIMT executor. The executor runs the lowered kernels thread by thread on the CPU,
    /// and reports races and other faults as errors.
    ///
    /// # Errors
    /// Fails if this build has no executor.
    pub fn cpu() -> Result<Self, Error> {
        #[cfg(feature = "simt")]
        return Ok(Self {
            backend: Backend::Cpu,
            reason: "it was asked for".to_owned(),
        });
        #[cfg(not(feature = "simt"))]
        Err(Error::NoDevice {
            device: "cpu".to_owned(),
            reason: "this build has no executor: enable the feature `simt`".to_owned(),
        })
    }

    /// Opens the CUDA device with this ordinal, from 0; `CUDA_VISIBLE_DEVICES` affects the
    /// numbering.
    ///
    /// # Errors
    /// Fails if the driver does not load, or has no such device.
    pub fn cuda(ordinal: usize) -> Result<Self, Error> {
        Ok(Self {
            backend: Backend::Cuda(cuda::Context::open(ordinal)?),
            reason: "it was asked for".to_owned(),
        })
    }

    /// Opens the device named `auto`, `cpu`, `cuda` (the first CUDA device) or `cuda:N`.
    ///
    /// # Errors
    /// Fails if the name is invalid, or the device does not exist.
    pub fn open(name: &str) -> Result<Self, Error> {
        match name {
            "auto" => Self::auto(),
            "cpu" => Self::cpu(),
            "cuda" => Self::cuda(0),
            _ => match name
                .strip_prefix("cuda:")
                .and_then(|ordinal| ordinal.parse().ok())
            {
                Some(ordinal) => Self::cuda(ordinal),
                None => Err(Error::UnknownDevice {
                    found: name.to_owned(),
                }),
            },
        }
    }

    /// Returns the name of the device: `cpu`, or `cuda:0 (NVIDIA H200, sm_90)`.
    pub fn name(&self) -> String {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => "cpu".to_owned(),
            Backend::Cuda(context) => context.to_string(),
        }
    }

    /// Returns the reason why this device was chosen.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the chip to compile for, such as `sm_90`; `None` for the CPU, which runs programs
    /// for any chip.
    pub fn chip(&self) -> Option<String> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => None,
            Backend::Cuda(context) => Some(context.device().chip()),
        }
    }

    /// Measures the read bandwidth of device memory in bytes per second, over `bytes` bytes; `None`
    /// for the CPU.
    ///
    /// # Errors
    /// Fails if the memory cannot be allocated, or the driver reports an error.
    pub fn read_ceiling(&self, bytes: usize) -> Result<Option<f64>, Error> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => Ok(None),
            Backend::Cuda(context) => context.read_ceiling(bytes).map(Some),
        }
    }

    /// Returns the size of the L2 cache in bytes; `None` for the CPU.
    ///
    /// # Errors
    /// Fails if the driver reports an error.
    pub fn cache(&self) -> Result<Option<usize>, Error> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => Ok(None),
            Backend::Cuda(context) => context.cache().map(Some),
        }
    }

    /// Loads a program.
    ///
    /// # Errors
    /// Fails if the plan is inconsistent, the program was compiled for another chip, or the driver
    /// or the executor rejects its kernels.
    pub fn load(&self, artifact: &Artifact) -> Result<Executable, Error> {
        let _span = tracing::debug_span!("load", entry = artifact.plan.entry, device = self.name())
            .entered();
        artifact.plan.validate()?;
        let module = match &self.backend {
            // A program without steps has no kernels.
            _ if artifact.plan.steps.is_empty() => Module::Empty,
            #[cfg(feature = "simt")]
            Backend::Cpu => Module::Cpu(crate::cpu::Module::load(&artifact.device_ir)?),
            Backend::Cuda(context) => {
                context.check_chip(&artifact.plan.chip)?;
                Module::Cuda(cuda::Module::load(context, &artifact.ptx)?)
            }
        };
        Ok(Executable {
            module,
            plan: artifact.plan.clone(),
        })
    }
}

/// Program loaded on a device.
#[derive(Debug)]
pub struct Executable {
    module: Module,
    plan: Plan,
}

#[derive(Debug)]
enum Module {
    Empty,
    #[cfg(feature = "simt")]
    Cpu(crate::cpu::Module),
    Cuda(cuda::Module),
}

/// Options of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Grid of a kernel entry, in CTAs along x, y and z; replaces the grid of the plan.
    pub grid: Option<[u32; 3]>,
    /// Whether [`Executable::run_with`] launches through a CUDA graph (see [`Prepared::record`]).
    pub graph: bool,
    /// Execution order of threads and blocks on the executor.
    #[cfg(feature = "simt")]
    pub order: tx_exec::Order,
    /// Checks of the executor.
    #[cfg(feature = "simt")]
    pub checks: tx_exec::Checks,
    /// Maximum number of executed steps of a launch, as counted by [`tx_exec::Report::work`]. A
    /// launch that exceeds the limit is an error; without a limit, a launch may run forever.
    #[cfg(feature = "simt")]
    pub steps: Option<tx_exec::StepLimit>,
    /// Distance of each argument address from an aligned address in the executor's memory. A
    /// misaligned argument represents a view of a larger array.
    #[cfg(feature = "simt")]
    pub past: Past,
}

/// Number of elements by which the start of each array lies after a multiple of 256 bytes.
#[cfg(feature = "simt")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Distance of the first array from a multiple of 256 bytes, in elements.
    pub first: usize,
    /// Difference between the distances of consecutive arrays, in elements.
    pub each: usize,
    /// Index of the array to whose distance `by` is added. Indices count from the last array, which
    /// has index 0, and are taken modulo the number of arrays.
    pub one: usize,
    /// Additional distance of the start of the array that `one` selects, in elements.
    pub by: usize,
}

#[cfg(feature = "simt")]
impl Past {
    /// Returns a [`Past`] that places all arrays at the distance `elements`.
    pub const fn all(elements: usize) -> Self {
        Self {
            first: elements,
            each: 0,
            one: 0,
            by: 0,
        }
    }

    pub(crate) const fn of(self, number: usize, arrays: usize) -> usize {
        let is_one = arrays > 0 && number + 1 + self.one % arrays == arrays;
        self.first + number * self.each + if is_one { self.by } else { 0 }
    }
}

impl Executable {
    /// Returns the launch plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs the program once on copies of the arguments.
    ///
    /// # Errors
    /// Fails if the arguments do not match the plan, or if the run fails. If the arguments do not
    /// match the plan, no kernel is launched.
    pub fn run(&self, args: Vec<Arg>) -> Result<Outputs, Error> {
        self.run_with(args, &RunOptions::default())
    }

    /// Runs the program once on copies of the arguments, with options.
    ///
    /// # Errors
    /// Returns the errors of [`Executable::run`]. Also fails if a grid is set for a host function,
    /// or if a graph is requested on the CPU.
    pub fn run_with(&self, args: Vec<Arg>, options: &RunOptions) -> Result<Outputs, Error> {
        let mut run = self.prepare(args, options)?;
        let runs = std::slice::from_mut(&mut run);
        let elapsed = match options.graph {
            true => Prepared::record(runs, 1)?.time(1)?,
            false => Prepared::time(runs, 1)?,
        };
        run.finish(elapsed)
    }

    /// Prepares any number of launches: copies the arguments to the device, and looks up the
    /// kernels.
    ///
    /// # Errors
    /// Fails if the arguments do not match the plan, or the device has not enough memory.
    pub fn prepare(&self, args: Vec<Arg>, options: &RunOptions) -> Result<Prepared<'_>, Error> {
        let _span = tracing::debug_span!("copy to device", entry = self.plan.entry).entered();
        let job = Job::new(&self.plan, args, options.grid)?;
        let resident = match &self.module {
            Module::Empty => Resident::Empty,
            #[cfg(feature = "simt")]
            Module::Cpu(module) => Resident::Cpu(module.prepare(&job, options)?),
            Module::Cuda(module) => Resident::Cuda(module.prepare(&job)?),
        };
        Ok(Prepared { job, resident })
    }
}

impl Executable {
    /// Binds the program to the caller's arrays in device memory, without copies.
    /// `prepare_in_place` allocates the temporaries of the program.
    ///
    /// [`Prepared::launch_on`] launches the program on a stream, and [`Prepared::record`] records
    /// it as a graph. The program writes results to the caller's arrays, which
    /// [`Prepared::into_outputs`] omits. [`Prepared::move_argument`] replaces an array by another
    /// array of equal shape.
    ///
    /// ```no_run
    /// # fn run(program: &tx_runtime::Executable, stream: *mut std::ffi::c_void, a: u64, b: u64) -> Result<(), tx_runtime::Error> {
    /// use tx_plan::ElementType::F32;
    /// use tx_runtime::{DeviceArray, RunOptions};
    ///
    /// // Addresses that this program got from the driver, or from another library.
    /// let args = vec![
    ///     DeviceArray::new(a, F32, &[1000, 300]).into(),
    ///     DeviceArray::new(b, F32, &[1000]).into(),
    /// ];
    /// // SAFETY: the arrays are as large as that, and live until the stream has come to its end.
    /// let sums = unsafe { program.prepare_in_place(args, &RunOptions::default()) }?;
    /// // SAFETY: the stream is one of this device, and is waited for before `sums` is dropped.
    /// unsafe { sums.launch_on(stream) }?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if the arguments do not match the plan (types, shapes, strides or addresses), the
    /// device has not enough memory for temporaries, or the device is the CPU
    /// ([`Error::NoDeviceMemory`]).
    ///
    /// # Safety
    /// From the start of each launch to its end, on any stream:
    /// * every address points to allocated memory that the device can access, with room for all
    ///   elements of the array;
    /// * no other code writes the arrays, or reads arrays that the plan marks as written
    ///   (`Plan::arguments`), unless a stream, an event or a wait orders this access with the
    ///   launch;
    /// * a written array shares no element with another argument, and its elements have distinct
    ///   addresses;
    /// * the returned value is not dropped, because it owns the temporaries.
    ///
    /// Two launches of one [`Prepared`] share its temporaries and must not overlap in time.
    pub unsafe fn prepare_in_place(
        &self,
        args: Vec<DeviceArg>,
        options: &RunOptions,
    ) -> Result<Prepared<'_>, Error> {
        let job = Job::in_place(&self.plan, args, options.grid)?;
        let resident = match &self.module {
            Module::Empty => Resident::Empty,
            #[cfg(feature = "simt")]
            Module::Cpu(_) => {
                return Err(Error::NoDeviceMemory {
                    device: "the CPU".to_owned(),
                });
            }
            Module::Cuda(module) => Resident::Cuda(module.prepare(&job)?),
        };
        Ok(Prepared { job, resident })
    }
}

/// Program with its arguments on a device.
#[derive(Debug)]
pub struct Prepared<'e> {
    job: Job,
    resident: Resident<'e>,
}

#[derive(Debug)]
enum Resident<'e> {
    Empty,
    #[cfg(feature = "simt")]
    Cpu(crate::cpu::Resident<'e>),
    Cuda(cuda::Resident<'e>),
}

impl<'e> Prepared<'e> {
    /// Starts the program once. The launch starts with the argument contents that the previous
    /// launch left. The call may return before the launch ends.
    ///
    /// # Errors
    /// Fails if the device rejects a launch, or the executor finds a fault.
    pub fn launch(&mut self) -> Result<(), Error> {
        let _span = tracing::debug_span!("launch", kernels = self.kernels()).entered();
        match &mut self.resident {
            Resident::Empty => Ok(()),
            #[cfg(feature = "simt")]
            Resident::Cpu(resident) => resident.launch(&self.job),
            Resident::Cuda(resident) => resident.launch(&self.job),
        }
    }

    /// Waits until every launch has ended.
    ///
    /// # Errors
    /// Fails if a launch failed.
    pub fn wait(&self) -> Result<(), Error> {
        let _span = tracing::debug_span!("wait").entered();
        match &self.resident {
            Resident::Cuda(resident) => resident.wait(&self.job),
            _ => Ok(()),
        }
    }

    /// Starts the program once on the caller's stream (a `CUstream`). The arguments have the
    /// contents that the previous launch left. If the stream is capturing, the launch becomes part
    /// of the captured CUDA graph.
    ///
    /// The caller must wait for the stream before the arguments are read back. `launch_on` makes
    /// the primary context of the device current in the calling thread.
    ///
    /// # Errors
    /// Fails if the device rejects a launch, or is the CPU.
    ///
    /// # Safety
    /// The stream belongs to the primary context of the device. A graph captured from the stream is
    /// not launched after `self` is dropped. Launches of one [`Prepared`] do not overlap in time:
    /// all launches use one stream, or events order the launches. For a program from
    /// [`Executable::prepare_in_place`], the safety conditions of that function also apply.
    pub unsafe fn launch_on(&self, stream: *mut c_void) -> Result<(), Error> {
        match &self.resident {
            Resident::Empty => Ok(()),
            #[cfg(feature = "simt")]
            Resident::Cpu(_) => Err(no_graph()),
            // SAFETY: by the contract of this function.
            Resident::Cuda(resident) => unsafe { resident.launch_on(&self.job, stream.cast()) },
        }
    }

    /// For later launches, replaces the address of argument `index` (counted from 0) of a program
    /// from [`Executable::prepare_in_place`]. The array at the new address must have the type,
    /// shape and strides of the previous array. CUDA graphs that were recorded earlier keep the
    /// replaced address.
    ///
    /// # Errors
    /// Fails if the argument is not an array in the caller's device memory, or the address is not
    /// aligned to the element size. After an error, the argument keeps its old address.
    ///
    /// # Safety
    /// The conditions of [`Executable::prepare_in_place`].
    pub unsafe fn move_argument(&mut self, index: usize, address: u64) -> Result<(), Error> {
        let buffer = self.job.at(index, address)?;
        self.job.buffers[buffer].address = Some(address);
        if let Resident::Cuda(resident) = &mut self.resident {
            resident.move_to(buffer, address);
        }
        Ok(())
    }

    /// Records `launches` launches as one CUDA graph. The launches use the elements of `runs`
    /// cyclically. One driver call launches a graph, independent of its number of kernels.
    ///
    /// ```no_run
    /// # fn run(program: &tx_runtime::Executable, args: Vec<tx_runtime::Arg>) -> Result<(), tx_runtime::Error> {
    /// use tx_runtime::{Prepared, RunOptions};
    ///
    /// let mut runs = [program.prepare(args, &RunOptions::default())?];
    /// let graph = Prepared::record(&mut runs, 1)?;
    /// for _ in 0..1000 {
    ///     graph.launch()?;
    /// }
    /// graph.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if the device reports an error, or is the CPU.
    pub fn record<'r>(runs: &'r mut [Self], launches: usize) -> Result<Graph<'r, 'e>, Error> {
        let _span = tracing::debug_span!("record", launches).entered();
        let on_device = runs.iter().map(|run| match &run.resident {
            _ if run.kernels() == 0 => Ok(None),
            Resident::Empty => Ok(None),
            #[cfg(feature = "simt")]
            Resident::Cpu(_) => Err(no_graph()),
            Resident::Cuda(resident) => Ok(Some((resident, &run.job))),
        });
        let on_device = on_device.collect::<Result<Vec<_>, Error>>()?;
        let first = on_device.iter().flatten().next();
        let recorded = first.map(|(resident, _)| {
            let turns = on_device.iter().copied().cycle().take(launches).flatten();
            cuda::Graph::record(resident.context(), turns)
        });
        let recorded = recorded.transpose()?;
        Ok(Graph { recorded, runs })
    }

    /// Returns the time of `launches` consecutive launches, from the start of the first kernel to
    /// the end of the last kernel. The launches use the elements of `runs` cyclically.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::launch`] and [`Prepared::wait`].
    pub fn time(runs: &mut [Self], launches: usize) -> Result<Duration, Error> {
        if runs.iter().all(|run| run.kernels() == 0) {
            return Ok(Duration::ZERO);
        }
        let (begin, start) = (Instant::now(), mark(runs)?);
        for i in 0..launches {
            let turn = i % runs.len().max(1);
            if let Some(run) = runs.get_mut(turn) {
                run.launch()?;
            }
        }
        until_end(runs, begin, start)
    }

    /// Returns the number of kernels that one launch of the program executes.
    pub fn kernels(&self) -> usize {
        let address = |buffer| match &self.resident {
            Resident::Empty => None,
            #[cfg(feature = "simt")]
            Resident::Cpu(resident) => resident.address(buffer),
            Resident::Cuda(resident) => resident.address(buffer),
        };
        self.job.launches(address).count()
    }

    /// Returns the total size in bytes of all memref arguments.
    pub fn argument_bytes(&self) -> usize {
        let buffers = self.job.buffers.iter();
        buffers
            .filter(|buffer| buffer.contents.is_some() || buffer.address.is_some())
            .map(|buffer| buffer.bytes)
            .sum()
    }

    /// Copies the arguments back to the host, except the caller's device arrays.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::wait`], and fails if a copy fails.
    pub fn into_outputs(self) -> Result<Outputs, Error> {
        self.finish(Duration::ZERO)
    }

    fn finish(mut self, elapsed: Duration) -> Result<Outputs, Error> {
        self.wait()?;
        let _span = tracing::debug_span!("read back").entered();
        match &mut self.resident {
            Resident::Empty => {}
            #[cfg(feature = "simt")]
            Resident::Cpu(resident) => resident.read_back(&mut self.job)?,
            Resident::Cuda(resident) => resident.read_back(&mut self.job)?,
        }
        #[cfg(feature = "simt")]
        let (work, printed) = match &mut self.resident {
            Resident::Cpu(resident) => (resident.work(), resident.take_printed()),
            _ => (0, String::new()),
        };
        Ok(Outputs {
            arrays: self.job.into_arrays()?,
            elapsed,
            #[cfg(feature = "simt")]
            work,
            #[cfg(feature = "simt")]
            printed,
        })
    }
}

#[cfg(feature = "simt")]
fn no_graph() -> Error {
    Error::NoGraph {
        device: "the CPU".to_owned(),
    }
}

fn mark(runs: &[Prepared<'_>]) -> Result<Option<cuda::Event>, Error> {
    match runs.first().map(|run| &run.resident) {
        Some(Resident::Cuda(resident)) => resident.mark().map(Some),
        _ => Ok(None),
    }
}

/// Waits for all launches, and returns the time since the event `start`, or on the CPU since the
/// time `begin`.
fn until_end(
    runs: &[Prepared<'_>],
    begin: Instant,
    start: Option<cuda::Event>,
) -> Result<Duration, Error> {
    let end = mark(runs)?;
    for run in runs {
        run.wait()?;
    }
    match (start, end) {
        (Some(start), Some(end)) => Ok(start.until(&end)?),
        _ => Ok(begin.elapsed()),
    }
}

/// Recorded launches (see [`Prepared::record`]). The graph borrows the [`Prepared`] programs whose
/// launches it records.
#[derive(Debug)]
pub struct Graph<'r, 'e> {
    /// CUDA graph; `None` if the programs launch nothing. The graph must be dropped before the
    /// programs that it launches, and is therefore declared first.
    recorded: Option<cuda::Graph>,
    runs: &'r mut [Prepared<'e>],
}

impl Graph<'_, '_> {
    /// Starts all launches. The call may return before the launches end.
    ///
    /// # Errors
    /// Fails if the device reports an error.
    pub fn launch(&self) -> Result<(), Error> {
        self.recorded.as_ref().map_or(Ok(()), cuda::Graph::launch)
    }

    /// Waits until all started launches have ended.
    ///
    /// # Errors
    /// Fails if a launch failed.
    pub fn wait(&self) -> Result<(), Error> {
        self.runs.iter().try_for_each(Prepared::wait)
    }

    /// Returns the time of `times` launches of the graph, from the start of the first kernel to the
    /// end of the last kernel.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::launch`] and [`Graph::wait`].
    pub fn time(&self, times: usize) -> Result<Duration, Error> {
        if self.recorded.is_none() {
            return Ok(Duration::ZERO);
        }
        let (begin, start) = (Instant::now(), mark(self.runs)?);
        for _ in 0..times {
            self.launch()?;
        }
        until_end(self.runs, begin, start)
    }
}

/// Arguments after a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Contents of each argument after the run; `None` for a scalar, and for a caller's device
    /// array.
    arrays: Vec<Option<(Array, bool)>>,
    elapsed: Duration,
    #[cfg(feature = "simt")]
    work: u64,
    #[cfg(feature = "simt")]
    printed: String,
}

impl Outputs {
    /// Returns argument `index` (from 0) after the run; `None` for a scalar, for a caller's device
    /// array, and for an index out of range.
    pub fn argument(&self, index: usize) -> Option<&Array> {
        self.arrays.get(index)?.as_ref().map(|(array, _)| array)
    }

    /// Returns the array arguments that the program may have written, each with its argument index.
    pub fn written(&self) -> impl Iterator<Item = (usize, &Array)> {
        self.arrays.iter().enumerate().filter_map(|(index, array)| {
            array
                .as_ref()
                .filter(|(_, written)| *written)
                .map(|(array, _)| (index, array))
        })
    }

    /// Returns all arguments after the run, in order; `None` for a scalar, and for a caller's
    /// device array.
    pub fn into_arrays(self) -> Vec<Option<Array>> {
        self.arrays
            .into_iter()
            .map(|array| array.map(|(array, _)| array))
            .collect()
    }

    /// Returns the run time, from the start of the first kernel to the end of the last kernel,
    /// without copies and allocations.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Returns the output of `gpu.printf` on the executor. On a GPU, the driver writes the text of
    /// `gpu.printf` to standard output.
    #[cfg(feature = "simt")]
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// Returns the number of steps that the executor ran (see [`tx_exec::Report::work`]); 0 on a
    /// GPU.
    #[cfg(feature = "simt")]
    pub fn work(&self) -> u64 {
        self.work
    }
}
