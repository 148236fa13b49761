//! Devices and what is loaded on them.

use std::time::{Duration, Instant};

use tx_plan::{Artifact, Plan};

use crate::array::Array;
use crate::bind::Job;
use crate::cuda;
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

    /// The chip to compile for, such as `sm_90`; `None` for the CPU, which runs what was compiled for any chip.
    pub fn chip(&self) -> Option<String> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => None,
            Backend::Cuda(context) => Some(context.device().chip()),
        }
    }

    /// The most bytes a second that the device reads of so many bytes of its memory, measured now; `None` for the CPU.
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
    /// When the plan contradicts itself, the program was compiled for another chip, or the driver or the executor
    /// refuses it.
    pub fn load(&self, artifact: &Artifact) -> Result<Executable, Error> {
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
    /// In which order the executor runs threads and blocks; devices have an order of their own.
    #[cfg(feature = "simt")]
    pub order: tx_exec::Order,
    /// What the executor looks for.
    #[cfg(feature = "simt")]
    pub checks: tx_exec::Checks,
    /// Iterations of loops, of all threads of a launch, after which the executor ends it.
    #[cfg(feature = "simt")]
    pub iterations: Option<u64>,
    /// Elements past a multiple of 256 bytes at which the executor puts arguments, as a view of a larger array may begin.
    #[cfg(feature = "simt")]
    pub past: usize,
    /// Elements that each argument is put further past such an address than the one before it.
    #[cfg(feature = "simt")]
    pub apart: usize,
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
    /// As [`Executable::run`], and when a grid is given for a function.
    pub fn run_with(&self, args: Vec<Arg>, options: &RunOptions) -> Result<Outputs, Error> {
        let mut run = self.prepare(args, options)?;
        let elapsed = Prepared::time(std::slice::from_mut(&mut run), 1)?;
        run.finish(elapsed)
    }

    /// Copies the arguments to the device and finds the kernels, so that the program can be launched several times.
    ///
    /// # Errors
    /// When the arguments do not fit the plan, or the device has no room for them.
    pub fn prepare(&self, args: Vec<Arg>, options: &RunOptions) -> Result<Prepared<'_>, Error> {
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

impl Prepared<'_> {
    /// Starts the program once, on the arguments as the launch before left them. A device may still be running it when this
    /// returns.
    ///
    /// # Errors
    /// When the device refuses a launch, or the executor finds a fault.
    pub fn launch(&mut self) -> Result<(), Error> {
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
        match &self.resident {
            Resident::Cuda(resident) => resident.wait(&self.job),
            _ => Ok(()),
        }
    }

    /// How long so many launches take, one after the other and of each of these in turn, from the start of the first
    /// kernel to the end of the last.
    ///
    /// # Errors
    /// As [`Prepared::launch`] and [`Prepared::wait`].
    pub fn time(runs: &mut [Self], launches: usize) -> Result<Duration, Error> {
        if runs.iter().all(|run| run.kernels() == 0) {
            return Ok(Duration::ZERO);
        }
        let mark = |runs: &[Self]| match runs.first().map(|run| &run.resident) {
            Some(Resident::Cuda(resident)) => resident.mark().map(Some),
            _ => Ok(None),
        };
        let (begin, start) = (Instant::now(), mark(runs)?);
        for i in 0..launches {
            let turn = i % runs.len().max(1);
            if let Some(run) = runs.get_mut(turn) {
                run.launch()?;
            }
        }
        let end = mark(runs)?;
        for run in runs.iter() {
            run.wait()?;
        }
        match (start, end) {
            (Some(start), Some(end)) => Ok(start.until(&end)?),
            _ => Ok(begin.elapsed()),
        }
    }

    /// Kernels of one launch.
    pub fn kernels(&self) -> usize {
        self.job.launches.len()
    }

    /// Bytes of all memref arguments on the device.
    pub fn argument_bytes(&self) -> usize {
        let buffers = self.job.buffers.iter();
        buffers
            .filter(|buffer| buffer.contents.is_some())
            .map(|buffer| buffer.bytes)
            .sum()
    }

    /// Reads the arguments back.
    ///
    /// # Errors
    /// As [`Prepared::wait`], and when they cannot be read.
    pub fn into_outputs(self) -> Result<Outputs, Error> {
        self.finish(Duration::ZERO)
    }

    fn finish(mut self, elapsed: Duration) -> Result<Outputs, Error> {
        self.wait()?;
        match &mut self.resident {
            Resident::Empty => {}
            #[cfg(feature = "simt")]
            Resident::Cpu(resident) => resident.read_back(&mut self.job)?,
            Resident::Cuda(resident) => resident.read_back(&mut self.job)?,
        }
        #[cfg(feature = "simt")]
        let work = match &self.resident {
            Resident::Cpu(resident) => resident.work(),
            _ => 0,
        };
        Ok(Outputs {
            arrays: self.job.into_arrays()?,
            elapsed,
            #[cfg(feature = "simt")]
            work,
        })
    }
}

/// The arguments after a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// One for each argument; `None` for a scalar.
    arrays: Vec<Option<(Array, bool)>>,
    elapsed: Duration,
    #[cfg(feature = "simt")]
    work: u64,
}

impl Outputs {
    /// An argument after the run, counted from 0; `None` for a scalar, and when there is no such argument.
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

    /// All arguments, in order; `None` for a scalar.
    pub fn into_arrays(self) -> Vec<Option<Array>> {
        self.arrays
            .into_iter()
            .map(|array| array.map(|(array, _)| array))
            .collect()
    }

    /// How long the kernels took, from the start of the first to the end of the last, without copies and allocations.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// What the executor had to do (see [`tx_exec::Report::work`]); 0 where another device ran it.
    #[cfg(feature = "simt")]
    pub fn work(&self) -> u64 {
        self.work
    }
}
