//! Devices and what is loaded on them.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use tx_plan::{Artifact, Plan};

use crate::array::Array;
use crate::bind::Job;
use crate::cuda;
use crate::device_array::DeviceArg;
use crate::error::Error;
use crate::spec::Arg;

/// Where programs run.
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
    /// The first CUDA device if the driver loads and there is one, else the CPU. [`Device::reason`] says why.
    ///
    /// # Errors
    /// When there is no CUDA device and this build has no executor.
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

    /// The SIMT executor: the lowered kernels, thread by thread, with races and faults as errors.
    ///
    /// # Errors
    /// When this build has no executor.
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

    /// A CUDA device, counted from 0 as the driver does (and as `CUDA_VISIBLE_DEVICES` arranges them).
    ///
    /// # Errors
    /// When the driver does not load or has no such device.
    pub fn cuda(ordinal: usize) -> Result<Self, Error> {
        Ok(Self {
            backend: Backend::Cuda(cuda::Context::open(ordinal)?),
            reason: "it was asked for".to_owned(),
        })
    }

    /// The device of a name: `auto`, `cpu`, `cuda` (the first) or `cuda:N`.
    ///
    /// # Errors
    /// When the text names no device, or there is no such device.
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

    /// What the device is called: `cpu`, or `cuda:0 (NVIDIA H200, sm_90)`.
    pub fn name(&self) -> String {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => "cpu".to_owned(),
            Backend::Cuda(context) => context.to_string(),
        }
    }

    /// Why this device was taken.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The chip to compile for, such as `sm_90`; `None` for the CPU, which runs what was compiled
    /// for any chip.
    pub fn chip(&self) -> Option<String> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => None,
            Backend::Cuda(context) => Some(context.device().chip()),
        }
    }

    /// The most bytes a second that the device reads of so many bytes of its memory, measured now;
    /// `None` for the CPU.
    ///
    /// # Errors
    /// When the device has no room, or refuses.
    pub fn read_ceiling(&self, bytes: usize) -> Result<Option<f64>, Error> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => Ok(None),
            Backend::Cuda(context) => context.read_ceiling(bytes).map(Some),
        }
    }

    /// Bytes of the largest cache that all of the device shares; `None` for the CPU.
    ///
    /// # Errors
    /// When the driver does not say.
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
    /// When the plan contradicts itself, the program was compiled for another chip, or the driver
    /// or the executor refuses it.
    pub fn load(&self, artifact: &Artifact) -> Result<Executable, Error> {
        let _span = tracing::debug_span!("load", entry = artifact.plan.entry, device = self.name())
            .entered();
        artifact.plan.validate()?;
        let module = match &self.backend {
            // There are no kernels to load either.
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

/// A program on a device.
#[derive(Debug)]
pub struct Executable {
    module: Module,
    plan: Plan,
}

#[derive(Debug)]
enum Module {
    /// Of a program that launches nothing.
    Empty,
    #[cfg(feature = "simt")]
    Cpu(crate::cpu::Module),
    Cuda(cuda::Module),
}

/// What a run may be told beyond its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// The grid of a kernel entry, in CTAs along x, y and z, in place of the one in the plan.
    pub grid: Option<[u32; 3]>,
    /// Whether [`Executable::run_with`] launches through a CUDA graph (see [`Prepared::record`]).
    pub graph: bool,
    /// In which order the executor runs threads and blocks; devices have an order of their own.
    #[cfg(feature = "simt")]
    pub order: tx_exec::Order,
    /// What the executor looks for.
    #[cfg(feature = "simt")]
    pub checks: tx_exec::Checks,
    /// Steps of all threads of a launch, as [`tx_exec::Report::work`] counts them, after which the
    /// executor takes it to have no end; without, it may take for ever.
    #[cfg(feature = "simt")]
    pub steps: Option<tx_exec::StepLimit>,
    /// Where the executor puts arguments, as a view of a larger array may begin.
    #[cfg(feature = "simt")]
    pub past: Past,
}

/// How many elements past a multiple of 256 bytes arrays begin.
#[cfg(feature = "simt")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// The first.
    pub first: usize,
    /// How much further each begins than the one before it.
    pub each: usize,
    /// Which begins further than that, counted from the last and round again.
    pub one: usize,
    /// By how much.
    pub by: usize,
}

#[cfg(feature = "simt")]
impl Past {
    /// All by so many elements.
    pub const fn all(elements: usize) -> Self {
        Self {
            first: elements,
            each: 0,
            one: 0,
            by: 0,
        }
    }

    /// What an array begins past such an address, of so many arrays.
    pub(crate) const fn of(self, number: usize, arrays: usize) -> usize {
        let is_one = arrays > 0 && number + 1 + self.one % arrays == arrays;
        self.first + number * self.each + if is_one { self.by } else { 0 }
    }
}

impl Executable {
    /// How the program is launched.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs the program once, from beginning to end, on copies of the arguments.
    ///
    /// # Errors
    /// When the arguments do not fit the plan (nothing has run then), or the run fails.
    pub fn run(&self, args: Vec<Arg>) -> Result<Outputs, Error> {
        self.run_with(args, &RunOptions::default())
    }

    /// Runs the program once with options.
    ///
    /// # Errors
    /// As [`Executable::run`], when a grid is given for a function, and when a graph is asked for
    /// where there are none.
    pub fn run_with(&self, args: Vec<Arg>, options: &RunOptions) -> Result<Outputs, Error> {
        let mut run = self.prepare(args, options)?;
        let runs = std::slice::from_mut(&mut run);
        let elapsed = match options.graph {
            true => Prepared::record(runs, 1)?.time(1)?,
            false => Prepared::time(runs, 1)?,
        };
        run.finish(elapsed)
    }

    /// Copies the arguments to the device and finds the kernels, so that the program can be
    /// launched several times.
    ///
    /// # Errors
    /// When the arguments do not fit the plan, or the device has no room for them.
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
    /// Binds the program to arrays that are on the device already, and are the caller's: nothing is
    /// copied, neither there nor back. What the plan needs beside them, such as temporaries, is
    /// allocated. The arguments are then launched as any other ([`Prepared::launch_on`] on a stream
    /// of the caller's, [`Prepared::record`] as a graph), and results are where the arguments are:
    /// [`Prepared::into_outputs`] has none of them.
    ///
    /// What is launched again with arrays of the same shapes is prepared once, and told where they are now:
    /// [`Prepared::move_argument`].
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
    /// When the arguments do not fit the plan (by their types, shapes, strides or addresses), the
    /// device has no room for temporaries, or is the CPU ([`Error::NoDeviceMemory`]).
    ///
    /// # Safety
    /// From each launch until it has ended, on whatever stream:
    /// * every address is one of memory that this device can access, which holds all elements of
    ///   the array that starts there, and stays allocated;
    /// * nobody else writes the arrays, nor reads those that the plan says are written
    ///   (`Plan::arguments`), unless ordered with the launch by the stream, by events or by
    ///   waiting;
    /// * an array that is written shares no element with another argument, nor two of its own
    ///   elements a place;
    /// * what this returns is not dropped, as its temporaries go with it.
    ///
    /// Two launches of one [`Prepared`] must not run at the same time, as they share its temporaries.
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

/// A program with its arguments on a device, ready to be launched.
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
    /// Starts the program once, on the arguments as the launch before left them. A device may still
    /// be running it when this returns.
    ///
    /// # Errors
    /// When the device refuses a launch, or the executor finds a fault.
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
    /// When one of them failed.
    pub fn wait(&self) -> Result<(), Error> {
        let _span = tracing::debug_span!("wait").entered();
        match &self.resident {
            Resident::Cuda(resident) => resident.wait(&self.job),
            _ => Ok(()),
        }
    }

    /// Starts the program once on a stream of the caller's (a `CUstream`), on the arguments as the
    /// launch before left them. Where the stream records a CUDA graph, the launch becomes a part of
    /// it.
    ///
    /// Nothing else of this waits for the stream: the caller does, before the arguments are read
    /// back. The primary context of the device is the current one of this thread afterwards.
    ///
    /// # Errors
    /// When the device refuses a launch, or is the CPU.
    ///
    /// # Safety
    /// The stream must be one of the primary context of the device. A graph that records it must
    /// not be launched after this is dropped. A launch must have ended before another of the same
    /// [`Prepared`] begins: they are on one stream, or ordered by events. Where it was made by
    /// [`Executable::prepare_in_place`], what is said there holds.
    pub unsafe fn launch_on(&self, stream: *mut c_void) -> Result<(), Error> {
        match &self.resident {
            Resident::Empty => Ok(()),
            #[cfg(feature = "simt")]
            Resident::Cpu(_) => Err(no_graph()),
            // SAFETY: the caller's promise.
            Resident::Cuda(resident) => unsafe { resident.launch_on(&self.job, stream.cast()) },
        }
    }

    /// Puts another address in the place of an argument (counted from 0) of
    /// [`Executable::prepare_in_place`], for launches from here on: of an array of the same type,
    /// shape and strides. Graphs that were recorded before keep the old one.
    ///
    /// # Errors
    /// When the argument is no array of the caller's, or the address no multiple of the size of its
    /// elements. Nothing has changed then.
    ///
    /// # Safety
    /// As for [`Executable::prepare_in_place`].
    pub unsafe fn move_argument(&mut self, index: usize, address: u64) -> Result<(), Error> {
        let buffer = self.job.at(index, address)?;
        self.job.buffers[buffer].address = Some(address);
        if let Resident::Cuda(resident) = &mut self.resident {
            resident.move_to(buffer, address);
        }
        Ok(())
    }

    /// Records so many launches, one after the other and of each of these in turn, as one CUDA
    /// graph: to launch it is one call of the driver, however many kernels it has.
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
    /// When the device refuses, or is the CPU.
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

    /// How long so many launches take, one after the other and of each of these in turn, from the
    /// start of the first kernel to the end of the last.
    ///
    /// # Errors
    /// As [`Prepared::launch`] and [`Prepared::wait`].
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

    /// Kernels of one launch.
    pub fn kernels(&self) -> usize {
        let address = |buffer| match &self.resident {
            Resident::Empty => None,
            #[cfg(feature = "simt")]
            Resident::Cpu(resident) => resident.address(buffer),
            Resident::Cuda(resident) => resident.address(buffer),
        };
        self.job.launches(address).count()
    }

    /// Bytes of all memref arguments on the device.
    pub fn argument_bytes(&self) -> usize {
        let buffers = self.job.buffers.iter();
        buffers
            .filter(|buffer| buffer.contents.is_some() || buffer.address.is_some())
            .map(|buffer| buffer.bytes)
            .sum()
    }

    /// Reads the arguments back, except those that are the caller's.
    ///
    /// # Errors
    /// As [`Prepared::wait`], and when they cannot be read.
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

/// A point in time on the device, where there is one.
fn mark(runs: &[Prepared<'_>]) -> Result<Option<cuda::Event>, Error> {
    match runs.first().map(|run| &run.resident) {
        Some(Resident::Cuda(resident)) => resident.mark().map(Some),
        _ => Ok(None),
    }
}

/// Waits for what was started since `begin`, and says how long it took.
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

/// Launches that were recorded (see [`Prepared::record`]). The prepared programs are free again
/// when it is dropped.
#[derive(Debug)]
pub struct Graph<'r, 'e> {
    /// Before what it launches, which must outlive it; nothing where no program launches anything.
    recorded: Option<cuda::Graph>,
    runs: &'r mut [Prepared<'e>],
}

impl Graph<'_, '_> {
    /// Starts all launches. A device may still be running them when this returns.
    ///
    /// # Errors
    /// When the device refuses.
    pub fn launch(&self) -> Result<(), Error> {
        self.recorded.as_ref().map_or(Ok(()), cuda::Graph::launch)
    }

    /// Waits until everything that was started has ended.
    ///
    /// # Errors
    /// When one of the launches failed.
    pub fn wait(&self) -> Result<(), Error> {
        self.runs.iter().try_for_each(Prepared::wait)
    }

    /// How long it takes to launch all so many times, from the start of the first kernel to the end
    /// of the last.
    ///
    /// # Errors
    /// As [`Graph::launch`] and [`Graph::wait`].
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

/// The arguments after a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// One for each argument; `None` for a scalar, and for an array of the caller's.
    arrays: Vec<Option<(Array, bool)>>,
    elapsed: Duration,
    #[cfg(feature = "simt")]
    work: u64,
    #[cfg(feature = "simt")]
    printed: String,
}

impl Outputs {
    /// An argument after the run, counted from 0; `None` for a scalar, for an array of the
    /// caller's, and when there is no such argument.
    pub fn argument(&self, index: usize) -> Option<&Array> {
        self.arrays.get(index)?.as_ref().map(|(array, _)| array)
    }

    /// The arguments that the program may have written, each with its index.
    pub fn written(&self) -> impl Iterator<Item = (usize, &Array)> {
        self.arrays.iter().enumerate().filter_map(|(index, array)| {
            array
                .as_ref()
                .filter(|(_, written)| *written)
                .map(|(array, _)| (index, array))
        })
    }

    /// All arguments, in order; `None` for a scalar, and for an array of the caller's.
    pub fn into_arrays(self) -> Vec<Option<Array>> {
        self.arrays
            .into_iter()
            .map(|array| array.map(|(array, _)| array))
            .collect()
    }

    /// How long the kernels took, from the start of the first to the end of the last, without
    /// copies and allocations.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// What threads printed with `gpu.printf`, where the executor ran them. A GPU's driver writes
    /// it to the standard output of the process by itself.
    #[cfg(feature = "simt")]
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// What the executor had to do (see [`tx_exec::Report::work`]); 0 where another device ran it.
    #[cfg(feature = "simt")]
    pub fn work(&self) -> u64 {
        self.work
    }
}
