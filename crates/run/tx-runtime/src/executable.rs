//! Programs loaded on a device.

use tx_plan::Plan;

use crate::bind::BoundPlan;
use crate::cuda;
use crate::device_array::DeviceArg;
use crate::error::Error;
use crate::options::RunOptions;
use crate::outputs::Outputs;
use crate::prepared::{Prepared, PreparedModule};
use crate::spec::Arg;

/// Program loaded on a device.
#[derive(Debug)]
pub struct Executable {
    module: Module,
    plan: Plan,
}

#[derive(Debug)]
pub(crate) enum Module {
    Empty,
    #[cfg(feature = "simt")]
    Cpu(crate::cpu::Module),
    Cuda(cuda::Module),
}

impl Executable {
    pub(crate) fn new(module: Module, plan: Plan) -> Self {
        Self { module, plan }
    }

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
    /// Returns the errors of [`Executable::run`]. In addition, `run_with` fails if a grid is set
    /// for a host function, or if a graph is requested on the CPU.
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
        let bound = BoundPlan::new(&self.plan, args, options.grid)?;
        let module = match &self.module {
            Module::Empty => PreparedModule::Empty,
            #[cfg(feature = "simt")]
            Module::Cpu(module) => PreparedModule::Cpu(module.prepare(&bound, options)?),
            Module::Cuda(module) => PreparedModule::Cuda(module.prepare(&bound)?),
        };
        Ok(Prepared::new(bound, module))
    }

    /// Binds the program to the caller's arrays in device memory, without copies.
    /// `prepare_in_place` allocates the temporaries of the program.
    ///
    /// [`Prepared::launch_on`] launches the program on a stream, and [`Prepared::record`] records
    /// launches of the program as a graph. The program writes its results to the caller's arrays,
    /// so [`Prepared::into_outputs`] does not return these arrays. [`Prepared::move_argument`]
    /// replaces an array by another array of equal shape.
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
    /// The caller must guarantee the following conditions from the start of each launch to its end,
    /// on any stream:
    /// * Every address points to allocated memory that the device can access. The memory contains
    ///   all elements of the array.
    /// * No other code writes the arrays, or reads arrays that the plan marks as written
    ///   (`Plan::arguments`), unless a stream, an event or a wait orders this access with the
    ///   launch.
    /// * A written array shares no element with another argument, and its elements have distinct
    ///   addresses.
    /// * The caller does not drop the returned value, because this value owns the temporaries.
    ///
    /// Two launches of one [`Prepared`] must not overlap in time, because the launches share the
    /// temporaries.
    pub unsafe fn prepare_in_place(
        &self,
        args: Vec<DeviceArg>,
        options: &RunOptions,
    ) -> Result<Prepared<'_>, Error> {
        let bound = BoundPlan::in_place(&self.plan, args, options.grid)?;
        let module = match &self.module {
            Module::Empty => PreparedModule::Empty,
            #[cfg(feature = "simt")]
            Module::Cpu(_) => {
                return Err(Error::NoDeviceMemory {
                    device: "the CPU".to_owned(),
                });
            }
            Module::Cuda(module) => PreparedModule::Cuda(module.prepare(&bound)?),
        };
        Ok(Prepared::new(bound, module))
    }
}
