//! The CUDA driver.
//!
//! The driver library is loaded when the first CUDA device is opened. cudarc panics without a
//! driver, so every entry point first checks for the library through [`CudaDriver::load`].

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::result as driver;
use cudarc::driver::sys::{self, CUdevice_attribute, CUfunction_attribute, CUjit_option};

use crate::bind::{Job, Launch, Param};
use crate::ceiling;
use crate::error::Error;
use crate::ptx;

mod graph;

pub(crate) use graph::Graph;

/// Error of the CUDA driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {name} ({message})")]
pub struct CudaError {
    /// Operation that failed.
    pub what: String,
    /// Name of the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub name: String,
    /// Description by the driver.
    pub message: String,
}

impl CudaError {
    fn new(what: impl Into<String>, error: driver::DriverError) -> Self {
        let text =
            |text: Result<&std::ffi::CStr, _>| text.map(|text| text.to_string_lossy().into_owned());
        Self {
            what: what.into(),
            name: text(error.error_name()).unwrap_or_else(|_| format!("{:?}", error.0)),
            message: text(error.error_string())
                .unwrap_or_else(|_| "unknown to the driver".to_owned()),
        }
    }
}

/// Adds a description of the failed operation to a driver error.
trait During<T> {
    fn during(self, what: impl FnOnce() -> String) -> Result<T, CudaError>;
}

impl<T> During<T> for Result<T, driver::DriverError> {
    fn during(self, what: impl FnOnce() -> String) -> Result<T, CudaError> {
        self.map_err(|error| CudaError::new(what(), error))
    }
}

/// Loaded CUDA driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaDriver {
    /// Newest CUDA version that the driver supports, as a pair of major and minor version.
    pub version: (u32, u32),
    /// Visible devices.
    pub devices: Vec<CudaDevice>,
}

/// CUDA device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaDevice {
    /// Ordinal, from 0.
    pub ordinal: usize,
    /// Product name, such as `NVIDIA H200`.
    pub name: String,
    /// Compute capability of the device, as a pair of major and minor number.
    pub compute_capability: (u32, u32),
    /// Memory size in bytes.
    pub memory: usize,
}

impl CudaDevice {
    /// Returns the chip to compile for, such as `sm_90`.
    pub fn chip(&self) -> String {
        format!(
            "sm_{}{}",
            self.compute_capability.0, self.compute_capability.1
        )
    }
}

impl CudaDriver {
    /// Loads the driver of this machine, and queries its devices.
    ///
    /// # Errors
    /// Fails if no driver is installed, or its initialization fails.
    pub fn load() -> Result<Self, Error> {
        Self::start()?;
        let mut version = 0;
        // SAFETY: the driver is loaded, and `version` outlives the call.
        unsafe { sys::cuDriverGetVersion(&mut version) }
            .result()
            .during(|| "asking for the driver's version".to_owned())?;
        let count = driver::device::get_count().during(|| "counting devices".to_owned())?;
        let devices = (0..count).map(CudaDevice::ask).collect::<Result<_, _>>()?;
        let version = version.unsigned_abs();
        Ok(Self {
            version: (version / 1000, version % 1000 / 10),
            devices,
        })
    }

    fn start() -> Result<(), Error> {
        let missing = |reason: String| Error::NoDevice {
            device: "cuda".to_owned(),
            reason,
        };
        // SAFETY: loading the CUDA driver library runs its initializers, which have no
        // preconditions.
        if !unsafe { sys::is_culib_present() } {
            return Err(missing(
                "no CUDA driver (libcuda.so.1) was found; it comes with NVIDIA's driver".to_owned(),
            ));
        }
        driver::init().map_err(|error| {
            missing(format!(
                "the CUDA driver does not start: {}",
                CudaError::new("cuInit", error)
            ))
        })
    }
}

impl CudaDevice {
    fn ask(ordinal: i32) -> Result<Self, CudaError> {
        let what = || format!("asking for device {ordinal}");
        let device = driver::device::get(ordinal).during(what)?;
        // SAFETY: `device` comes from `get`.
        let attribute =
            |attribute| unsafe { driver::device::get_attribute(device, attribute) }.during(what);
        Ok(Self {
            ordinal: ordinal.unsigned_abs() as usize,
            name: driver::device::get_name(device).during(what)?,
            compute_capability: (
                attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
                    .unsigned_abs(),
                attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?
                    .unsigned_abs(),
            ),
            // SAFETY: `device` comes from `get`.
            memory: unsafe { driver::device::total_mem(device) }.during(what)?,
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Context(Arc<Retained>);

#[derive(Debug)]
struct Retained {
    device: CudaDevice,
    handle: sys::CUdevice,
    context: sys::CUcontext,
}

// SAFETY: driver functions may be called from any thread; the context is made current before each
// use.
unsafe impl Send for Retained {}
// SAFETY: as above; the fields are immutable after construction.
unsafe impl Sync for Retained {}

impl Drop for Retained {
    fn drop(&mut self) {
        // SAFETY: `Context::open` retained the context, which is released once.
        if let Err(error) = unsafe { driver::primary_ctx::release(self.handle) } {
            tracing::warn!("{}", CudaError::new("releasing the context", error));
        }
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device();
        write!(
            f,
            "cuda:{} ({}, {})",
            device.ordinal,
            device.name,
            device.chip()
        )
    }
}

impl Context {
    pub(crate) fn open(ordinal: usize) -> Result<Self, Error> {
        let CudaDriver { devices, .. } = CudaDriver::load()?;
        let count = devices.len();
        let device = devices
            .into_iter()
            .nth(ordinal)
            .ok_or_else(|| Error::NoDevice {
                device: format!("cuda:{ordinal}"),
                reason: match count {
                    0 => "the CUDA driver shows no device; check `nvidia-smi` and \
                      CUDA_VISIBLE_DEVICES"
                        .to_owned(),
                    _ => format!("the CUDA driver shows {count}, counted from 0"),
                },
            })?;
        let what = || format!("opening cuda:{ordinal}");
        let handle = driver::device::get(ordinal as i32).during(what)?;
        // SAFETY: `handle` comes from `get`.
        let context = unsafe { driver::primary_ctx::retain(handle) }.during(what)?;
        Ok(Self(Arc::new(Retained {
            device,
            handle,
            context,
        })))
    }

    pub(crate) fn device(&self) -> &CudaDevice {
        &self.0.device
    }

    fn make_current(&self) -> Result<(), CudaError> {
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { driver::ctx::set_current(self.0.context) }
            .during(|| "making the context current".to_owned())
    }

    /// Checks whether PTX for the chip `compiled` runs on this device. PTX for a chip without
    /// suffix runs on this chip and on later chips. PTX for a chip with suffix `a` runs on this
    /// chip only. PTX for a chip with suffix `f` also runs on later chips of its family.
    pub(crate) fn check_chip(&self, compiled: &str) -> Result<(), Error> {
        if runs_on(compiled, self.device().compute_capability) {
            Ok(())
        } else {
            Err(Error::Chip {
                compiled: compiled.to_owned(),
                found: self.device().chip(),
                device: self.device().name.clone(),
            })
        }
    }
}

/// Returns whether PTX for the chip `compiled` runs on a device. Returns true if the name of the
/// chip does not have the form `sm_NN`, because the driver itself rejects unsuitable PTX.
fn runs_on(compiled: &str, device: (u32, u32)) -> bool {
    let Some(number) = compiled.strip_prefix("sm_") else {
        return true;
    };
    let (number, suffix) = number.split_at(
        number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len()),
    );
    let Ok(number) = number.parse::<u32>() else {
        return true;
    };
    let compiled = (number / 10, number % 10);
    match suffix {
        "a" => compiled == device,
        "f" => compiled.0 == device.0 && compiled <= device,
        _ => compiled <= device,
    }
}

#[derive(Debug)]
pub(crate) struct Module {
    context: Context,
    module: sys::CUmodule,
    /// Sizes in bytes of the parameters of each kernel.
    parameters: BTreeMap<String, Vec<usize>>,
}

// SAFETY: as for `Retained`.
unsafe impl Send for Module {}
// SAFETY: as for `Retained`.
unsafe impl Sync for Module {}

impl Drop for Module {
    fn drop(&mut self) {
        // After a fault, every driver call fails, and the driver destroys the module with its
        // context.
        if self.context.make_current().is_ok() {
            // SAFETY: `load` loaded the module, which is unloaded once; the driver waits for its
            // running kernels.
            let _ = unsafe { driver::module::unload(self.module) };
        }
    }
}

impl Module {
    pub(crate) fn load(context: &Context, ptx: &str) -> Result<Self, Error> {
        context.make_current()?;
        let parameters = ptx::parameters(ptx);
        let ptx = CString::new(ptx).map_err(|_| Error::Ptx {
            error: CudaError {
                what: "reading the PTX".to_owned(),
                name: "CUDA_ERROR_INVALID_PTX".to_owned(),
                message: "it contains a NUL byte".to_owned(),
            },
            log: String::new(),
        })?;
        let mut log = vec![0_u8; 16 << 10];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
        let mut module = std::ptr::null_mut();
        // SAFETY: the PTX ends with NUL; options, values and the log buffer have the given lengths
        // and outlive the call.
        let result = unsafe {
            sys::cuModuleLoadDataEx(
                &mut module,
                ptx.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match result.result() {
            Ok(()) => Ok(Self {
                context: context.clone(),
                module,
                parameters,
            }),
            Err(error) => {
                let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
                Err(Error::Ptx {
                    error: CudaError::new("loading the module", error),
                    log: String::from_utf8_lossy(&log[..end]).trim_end().to_owned(),
                })
            }
        }
    }

    pub(crate) fn prepare(&self, job: &Job) -> Result<Resident<'_>, Error> {
        self.context.make_current()?;
        let mut buffers = Vec::with_capacity(job.buffers.len());
        for buffer in &job.buffers {
            let memory = match buffer.address {
                Some(address) => Memory::of_caller(address),
                None => Memory::new(buffer.bytes, &buffer.label)?,
            };
            if let Some(contents) = buffer
                .contents
                .as_deref()
                .filter(|contents| !contents.is_empty())
            {
                // SAFETY: the device memory has the size of the buffer's contents.
                unsafe { driver::memcpy_htod_sync(memory.pointer, contents) }
                    .during(|| format!("copying {} to the device", buffer.label))?;
            } else if buffer.cleared && buffer.bytes > 0 {
                // SAFETY: the device memory has the size of the buffer.
                unsafe { driver::memset_d8_sync(memory.pointer, 0, buffer.bytes) }
                    .during(|| format!("clearing {}", buffer.label))?;
            }
            buffers.push(memory);
        }
        let functions = job
            .possible()
            .iter()
            .map(|launch| self.function(launch))
            .collect::<Result<Vec<_>, Error>>()?;
        // A non-blocking stream of the caller does not wait for the null stream, which copied and
        // cleared memory. SAFETY: the null stream always exists.
        unsafe { driver::stream::synchronize(std::ptr::null_mut()) }
            .during(|| "waiting for the arguments".to_owned())?;
        Ok(Resident {
            module: self,
            buffers,
            functions,
        })
    }

    fn function(&self, launch: &Launch) -> Result<sys::CUfunction, Error> {
        let what = || format!("looking for kernel `{}`", launch.kernel);
        let name = CString::new(launch.kernel.as_str()).map_err(|_| CudaError {
            what: what(),
            name: "CUDA_ERROR_NOT_FOUND".to_owned(),
            message: "the name contains a NUL byte".to_owned(),
        })?;
        // SAFETY: the module is loaded as long as `self` lives.
        let function = unsafe { driver::module::get_function(self.module, name) }.during(what)?;
        let set = |attribute, value: i32| {
            // SAFETY: the function was just found.
            unsafe { driver::function::set_function_attribute(function, attribute, value) }
                .during(|| format!("preparing kernel `{}`", launch.kernel))
        };
        self.check_parameters(launch)?;
        // Every device supports 48 KiB of dynamic shared memory without this attribute.
        if launch.dynamic_shared > 48 << 10 {
            let bytes = i32::try_from(launch.dynamic_shared).unwrap_or(i32::MAX);
            set(
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                bytes,
            )?;
        }
        // Cluster sizes above 8 are not portable, and require a kernel attribute.
        if launch
            .cluster
            .is_some_and(|cluster| cluster.iter().product::<u32>() > 8)
        {
            set(
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                1,
            )?;
        }
        Ok(function)
    }

    /// Checks that the launch passes every parameter of the kernel, and that the sizes of the
    /// passed parameters match. If a parameter were missing, the driver would read out of bounds.
    fn check_parameters(&self, launch: &Launch) -> Result<(), Error> {
        let Some(expected) = self.parameters.get(&launch.kernel) else {
            return Ok(());
        };
        let found: Vec<usize> = launch
            .params
            .iter()
            .map(|param| match param {
                Param::Address(_) => size_of::<sys::CUdeviceptr>(),
                Param::Value { size, .. } => *size,
            })
            .collect();
        if found == *expected {
            Ok(())
        } else {
            Err(Error::Parameters {
                kernel: launch.kernel.clone(),
                found,
                expected: expected.clone(),
            })
        }
    }
}

#[derive(Debug)]
pub(crate) struct Resident<'m> {
    module: &'m Module,
    buffers: Vec<Memory>,
    functions: Vec<sys::CUfunction>,
}

impl Resident<'_> {
    /// Starts the launches of `job` in order. The buffers must have been prepared for `job`.
    pub(crate) fn launch(&self, job: &Job) -> Result<(), Error> {
        // SAFETY: the null stream always exists, and the driver frees memory only after the kernels
        // on it have ended.
        unsafe { self.launch_on(job, std::ptr::null_mut()) }
    }

    /// Starts the launches of `job` on a stream.
    ///
    /// # Safety
    /// The stream belongs to the device's primary context. If a graph is captured from the stream,
    /// the caller must not launch the graph after `self` is dropped.
    pub(crate) unsafe fn launch_on(&self, job: &Job, stream: sys::CUstream) -> Result<(), Error> {
        self.module.context.make_current()?;
        for launch in job.launches(|buffer| self.address(buffer)) {
            let (at, launch) = launch?;
            // SAFETY: by the contract of this function.
            unsafe { launch_kernel(launch, self.functions[at], &self.buffers, stream) }?;
        }
        Ok(())
    }

    pub(crate) fn address(&self, buffer: usize) -> Option<u64> {
        self.buffers.get(buffer).map(|memory| memory.pointer)
    }

    pub(crate) fn move_to(&mut self, buffer: usize, address: u64) {
        self.buffers[buffer] = Memory::of_caller(address);
    }

    pub(crate) fn context(&self) -> &Context {
        &self.module.context
    }

    pub(crate) fn wait(&self, job: &Job) -> Result<(), Error> {
        self.module.context.make_current()?;
        driver::ctx::synchronize().during(|| {
            let mut kernels: Vec<&str> = (job.launches(|buffer| self.address(buffer)).flatten())
                .map(|(_, launch)| launch.kernel.as_str())
                .collect();
            kernels.dedup();
            format!("running `{}`", kernels.join("`, `"))
        })?;
        Ok(())
    }

    pub(crate) fn mark(&self) -> Result<Event, Error> {
        self.module.context.make_current()?;
        let event = Event::new()?;
        event.record()?;
        Ok(event)
    }

    pub(crate) fn read_back(&self, job: &mut Job) -> Result<(), Error> {
        self.module.context.make_current()?;
        for (buffer, memory) in job.buffers.iter_mut().zip(&self.buffers) {
            if let Some(contents) = buffer
                .contents
                .as_mut()
                .filter(|contents| buffer.read_back && !contents.is_empty())
            {
                // SAFETY: the device memory has the size of the buffer's contents.
                unsafe { driver::memcpy_dtoh_sync(contents, memory.pointer) }
                    .during(|| format!("copying {} from the device", buffer.label))?;
            }
        }
        Ok(())
    }
}

/// # Safety
/// The stream belongs to the current context.
unsafe fn launch_kernel(
    launch: &Launch,
    function: sys::CUfunction,
    buffers: &[Memory],
    stream: sys::CUstream,
) -> Result<(), CudaError> {
    let mut words: Vec<u64> = launch
        .params
        .iter()
        .map(|param| match param {
            Param::Address(buffer) => buffers[*buffer].pointer,
            // On a little-endian host, the first bytes of the word are the value of a narrower
            // parameter.
            Param::Value { bits, .. } => *bits,
        })
        .collect();
    let mut params: Vec<*mut c_void> = words
        .iter_mut()
        .map(|word| std::ptr::from_mut(word).cast())
        .collect();
    let ([x, y, z], [bx, by, bz]) = (launch.grid, launch.block);
    let mut attributes = Vec::new();
    if let Some([x, y, z]) = launch.cluster {
        // SAFETY: zero bytes are a valid value of this C struct; padding and the unused part of the
        // union stay zero.
        let mut attribute: sys::CUlaunchAttribute = unsafe { std::mem::zeroed() };
        attribute.id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
        attributes.push(attribute);
    }
    let result = if attributes.is_empty() {
        // SAFETY: the module of the function is loaded, `params` points to one word per parameter,
        // and all of them outlive the call.
        unsafe {
            driver::launch_kernel(
                function,
                (x, y, z),
                (bx, by, bz),
                launch.dynamic_shared,
                stream,
                &mut params,
            )
        }
    } else {
        let config = sys::CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: bx,
            blockDimY: by,
            blockDimZ: bz,
            sharedMemBytes: launch.dynamic_shared,
            hStream: stream,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        // SAFETY: as above; the configuration and its attributes outlive the call.
        unsafe {
            sys::cuLaunchKernelEx(&config, function, params.as_mut_ptr(), std::ptr::null_mut())
        }
        .result()
    };
    result.during(|| {
        format!(
            "launching `{}` with grid {x}x{y}x{z} and block {bx}x{by}x{bz}",
            launch.kernel
        )
    })
}

impl Context {
    /// Measures the read bandwidth of the device in bytes per second, over `bytes` bytes. The
    /// returned bandwidth is the median of several measurements with the fastest block size.
    pub(crate) fn read_ceiling(&self, bytes: usize) -> Result<f64, Error> {
        self.make_current()?;
        let module = Module::load(self, &ceiling::ptx())?;
        let memory = Memory::new(bytes, "the bytes that are read")?;
        let out = Memory::new(4, "what was read")?;
        // Pseudorandom contents, because reads of zeros may be faster.
        let mut state = 1_u64;
        let chunk: Vec<u64> = (0..CHUNK / 8)
            .map(|_| {
                state = state
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f);
                state
            })
            .collect();
        for at in (0..bytes / CHUNK * CHUNK).step_by(CHUNK) {
            // SAFETY: the whole chunk is within the memory.
            unsafe { driver::memcpy_htod_sync(memory.pointer + at as u64, &chunk) }
                .during(|| "filling memory".to_owned())?;
        }
        let buffers = [memory, out];
        let mut best = 0.0_f64;
        for threads in [128, 256, 512, 1024] {
            let tile = 16 * ceiling::VECTORS * threads;
            let Ok(blocks) = u32::try_from(bytes / tile) else {
                continue;
            };
            let launch = Launch {
                kernel: ceiling::KERNEL.to_owned(),
                when: Vec::new(),
                place: ceiling::KERNEL.to_owned(),
                grid: [blocks, 1, 1],
                block: [threads as u32, 1, 1],
                cluster: None,
                dynamic_shared: 0,
                params: vec![Param::Address(0), Param::Address(1)],
            };
            let function = module.function(&launch)?;
            let mut times = Vec::new();
            for _ in 0..TIMES {
                let (start, end) = (Event::new()?, Event::new()?);
                start.record()?;
                // SAFETY: the null stream always exists.
                unsafe { launch_kernel(&launch, function, &buffers, std::ptr::null_mut()) }?;
                end.record()?;
                driver::ctx::synchronize().during(|| "reading memory".to_owned())?;
                times.push(start.until(&end)?);
            }
            times.sort();
            best = best.max((bytes / tile * tile) as f64 / times[TIMES / 2].as_secs_f64());
        }
        Ok(best)
    }

    pub(crate) fn cache(&self) -> Result<usize, Error> {
        Ok(self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as usize)
    }

    fn attribute(&self, attribute: CUdevice_attribute) -> Result<u32, CudaError> {
        // SAFETY: the handle comes from the driver.
        let value = unsafe { driver::device::get_attribute(self.0.handle, attribute) };
        Ok(value
            .during(|| "asking what the device has".to_owned())?
            .unsigned_abs())
    }
}

/// Size in bytes of a pseudorandom block; copies of this block fill the measured memory.
const CHUNK: usize = 16 << 20;
const TIMES: usize = 11;

/// Device memory. Dropping the value frees the memory, unless a caller owns the memory.
#[derive(Debug)]
struct Memory {
    pointer: sys::CUdeviceptr,
    owned: bool,
}

impl Memory {
    fn new(bytes: usize, what: &str) -> Result<Self, Error> {
        // The driver cannot allocate 0 bytes, but an empty memref needs an address. SAFETY: the
        // context is current.
        match unsafe { driver::malloc_sync(bytes.max(1)) } {
            Ok(pointer) => Ok(Self {
                pointer,
                owned: true,
            }),
            Err(driver::DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                Err(Error::OutOfMemory {
                    what: format!("{what} on the device"),
                    bytes: Some(bytes),
                })
            }
            Err(error) => {
                Err(CudaError::new(format!("allocating {bytes} bytes for {what}"), error).into())
            }
        }
    }
}

impl Memory {
    fn of_caller(pointer: sys::CUdeviceptr) -> Self {
        Self {
            pointer,
            owned: false,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        // After a fault, every driver call fails, and the driver frees the memory with its context.
        // SAFETY: `new` allocated the memory, which is freed once; the driver waits for running
        // kernels.
        let _ = unsafe { driver::free_sync(self.pointer) };
    }
}

pub(crate) struct Event(sys::CUevent);

impl Event {
    fn new() -> Result<Self, CudaError> {
        driver::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)
            .map(Self)
            .during(|| "creating an event".to_owned())
    }

    fn record(&self) -> Result<(), CudaError> {
        // SAFETY: the event lives as long as `self`; the null stream always exists.
        unsafe { driver::event::record(self.0, std::ptr::null_mut()) }
            .during(|| "recording an event".to_owned())
    }

    /// Returns the time from this event to `end`. The events `self` and `end` must have completed.
    pub(crate) fn until(&self, end: &Self) -> Result<Duration, CudaError> {
        // SAFETY: both events are alive, and were recorded on the same stream.
        let millis = unsafe { driver::event::elapsed(self.0, end.0) }
            .during(|| "reading the time".to_owned())?;
        Ok(Duration::from_secs_f64(f64::from(millis.max(0.0)) / 1e3))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed once.
        let _ = unsafe { driver::event::destroy(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::runs_on;

    /// Checks that PTX is accepted on its own chip and on later chips. If the chip has a suffix,
    /// PTX is accepted only on the chips that the suffix permits.
    #[test]
    fn chips_are_compatible_upwards() {
        for (compiled, device, runs) in [
            ("sm_80", (9, 0), true),
            ("sm_90", (9, 0), true),
            ("sm_90", (8, 6), false),
            ("sm_90a", (9, 0), true),
            ("sm_90a", (10, 0), false),
            ("sm_100f", (10, 3), true),
            ("sm_100f", (12, 0), false),
            ("sm_100", (9, 0), false),
            ("gfx90a", (9, 0), true),
        ] {
            assert_eq!(runs_on(compiled, device), runs, "{compiled} on {device:?}");
        }
    }
}
