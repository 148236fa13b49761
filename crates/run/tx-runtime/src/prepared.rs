//! Programs with their arguments on a device, and recorded graphs of their launches.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use crate::bind::BoundPlan;
use crate::cuda;
use crate::error::Error;
use crate::outputs::Outputs;

/// Program with its arguments on a device.
#[derive(Debug)]
pub struct Prepared<'e> {
    bound: BoundPlan,
    module: PreparedModule<'e>,
}

#[derive(Debug)]
pub(crate) enum PreparedModule<'e> {
    Empty,
    #[cfg(feature = "simt")]
    Cpu(crate::cpu::PreparedModule<'e>),
    Cuda(cuda::PreparedModule<'e>),
}

impl<'e> Prepared<'e> {
    pub(crate) fn new(bound: BoundPlan, module: PreparedModule<'e>) -> Self {
        Self { bound, module }
    }

    /// Starts the program once. At the start of the launch, the arguments have the contents that
    /// the previous launch left. The call of `launch` may return before the launch ends.
    ///
    /// # Errors
    /// Fails if the device rejects a launch, or the executor finds a fault.
    pub fn launch(&mut self) -> Result<(), Error> {
        let _span = tracing::debug_span!("launch", kernels = self.kernels()).entered();
        match &mut self.module {
            PreparedModule::Empty => Ok(()),
            #[cfg(feature = "simt")]
            PreparedModule::Cpu(module) => module.launch(&self.bound),
            PreparedModule::Cuda(module) => module.launch(&self.bound),
        }
    }

    /// Waits until every launch has ended.
    ///
    /// # Errors
    /// Fails if a launch failed.
    pub fn wait(&self) -> Result<(), Error> {
        let _span = tracing::debug_span!("wait").entered();
        match &self.module {
            PreparedModule::Cuda(module) => module.wait(&self.bound),
            _ => Ok(()),
        }
    }

    /// Starts the program once on the caller's stream (a `CUstream`). At the start of the launch,
    /// the arguments have the contents that the previous launch left. If the stream is capturing,
    /// the launch becomes part of the captured CUDA graph.
    ///
    /// The caller must wait for the stream before the arguments are read back. `launch_on` makes
    /// the primary context of the device current in the calling thread.
    ///
    /// # Errors
    /// Fails if the device rejects a launch, or if the device is the CPU.
    ///
    /// # Safety
    /// The stream belongs to the primary context of the device. A graph captured from the stream is
    /// not launched after `self` is dropped. Launches of one [`Prepared`] do not overlap in time:
    /// all launches use one stream, or events order the launches. For a program from
    /// [`Executable::prepare_in_place`], the safety conditions of that function also apply.
    ///
    /// [`Executable::prepare_in_place`]: crate::Executable::prepare_in_place
    pub unsafe fn launch_on(&self, stream: *mut c_void) -> Result<(), Error> {
        match &self.module {
            PreparedModule::Empty => Ok(()),
            #[cfg(feature = "simt")]
            PreparedModule::Cpu(_) => Err(no_graph()),
            // SAFETY: by the contract of this function.
            PreparedModule::Cuda(module) => unsafe { module.launch_on(&self.bound, stream.cast()) },
        }
    }

    /// Replaces the address of argument `index` (counted from 0) in all later launches. The program
    /// `self` must come from [`Executable::prepare_in_place`]. The array at the new address must
    /// have the type, shape and strides of the previous array. CUDA graphs that were recorded
    /// before the call still use the previous address.
    ///
    /// # Errors
    /// Fails if the argument is not an array in the caller's device memory, or the address is not
    /// aligned to the element size. After an error, the argument keeps its previous address.
    ///
    /// # Safety
    /// The conditions of [`Executable::prepare_in_place`] also apply to the new address.
    ///
    /// [`Executable::prepare_in_place`]: crate::Executable::prepare_in_place
    pub unsafe fn move_argument(&mut self, index: usize, address: u64) -> Result<(), Error> {
        let buffer = self.bound.at(index, address)?;
        self.bound.buffers[buffer].address = Some(address);
        if let PreparedModule::Cuda(module) = &mut self.module {
            module.move_to(buffer, address);
        }
        Ok(())
    }

    /// Records `launches` launches as one CUDA graph. Launch number `i` (counted from 0) runs the
    /// program `runs[i % runs.len()]`. One driver call launches a graph, independent of its number
    /// of kernels.
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
    /// Fails if the device reports an error, or if the device is the CPU.
    pub fn record<'r>(runs: &'r mut [Self], launches: usize) -> Result<Graph<'r, 'e>, Error> {
        let _span = tracing::debug_span!("record", launches).entered();
        let on_device = runs.iter().map(|run| match &run.module {
            _ if run.kernels() == 0 => Ok(None),
            PreparedModule::Empty => Ok(None),
            #[cfg(feature = "simt")]
            PreparedModule::Cpu(_) => Err(no_graph()),
            PreparedModule::Cuda(module) => Ok(Some((module, &run.bound))),
        });
        let on_device = on_device.collect::<Result<Vec<_>, Error>>()?;
        let first = on_device.iter().flatten().next();
        let recorded = first.map(|(module, _)| {
            let turns = on_device.iter().copied().cycle().take(launches).flatten();
            cuda::Graph::record(module.context(), turns)
        });
        let recorded = recorded.transpose()?;
        Ok(Graph { recorded, runs })
    }

    /// Returns the time of `launches` consecutive launches, from the start of the first kernel to
    /// the end of the last kernel. Launch number `i` (counted from 0) runs the program
    /// `runs[i % runs.len()]`.
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
        let address = |buffer| match &self.module {
            PreparedModule::Empty => None,
            #[cfg(feature = "simt")]
            PreparedModule::Cpu(module) => module.address(buffer),
            PreparedModule::Cuda(module) => module.address(buffer),
        };
        self.bound.launches(address).count()
    }

    /// Returns the total size in bytes of all memref arguments.
    pub fn argument_bytes(&self) -> usize {
        let buffers = self.bound.buffers.iter();
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

    /// Returns the arguments after the run. `elapsed` is the run time.
    pub(crate) fn finish(mut self, elapsed: Duration) -> Result<Outputs, Error> {
        self.wait()?;
        let _span = tracing::debug_span!("read back").entered();
        match &mut self.module {
            PreparedModule::Empty => {}
            #[cfg(feature = "simt")]
            PreparedModule::Cpu(module) => module.read_back(&mut self.bound)?,
            PreparedModule::Cuda(module) => module.read_back(&mut self.bound)?,
        }
        #[cfg(feature = "simt")]
        let (work, printed) = match &mut self.module {
            PreparedModule::Cpu(module) => (module.work(), module.take_printed()),
            _ => (0, String::new()),
        };
        Ok(Outputs {
            arrays: self.bound.into_arrays()?,
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
    match runs.first().map(|run| &run.module) {
        Some(PreparedModule::Cuda(module)) => module.mark().map(Some),
        _ => Ok(None),
    }
}

/// Waits for all launches. Returns the time since the event `start` on a GPU, and the time since
/// `begin` on the CPU.
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

/// CUDA graph of recorded launches (see [`Prepared::record`]). The graph borrows the recorded
/// [`Prepared`] programs.
#[derive(Debug)]
pub struct Graph<'r, 'e> {
    /// CUDA graph; `None` if the programs launch no kernels. Rust must drop the CUDA graph before
    /// the programs that the graph launches, so the field of the graph is declared first.
    recorded: Option<cuda::Graph>,
    runs: &'r mut [Prepared<'e>],
}

impl Graph<'_, '_> {
    /// Starts all launches. The call of `launch` may return before the launches of the graph end.
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
