//! Modules loaded from PTX, and their launches with prepared arguments.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};

use cudarc::driver::result as driver;
use cudarc::driver::sys::{self, CUfunction_attribute, CUjit_option};

use super::context::Context;
use super::devices::{During, driver_error};
use super::resources::{Event, Memory};
use crate::bind::{BoundPlan, Launch, Param};
use crate::error::{CudaError, Error};
use crate::ptx;

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
                    error: driver_error("loading the module", error),
                    log: String::from_utf8_lossy(&log[..end]).trim_end().to_owned(),
                })
            }
        }
    }

    pub(crate) fn prepare(&self, bound: &BoundPlan) -> Result<PreparedModule<'_>, Error> {
        self.context.make_current()?;
        let mut buffers = Vec::with_capacity(bound.buffers.len());
        for buffer in &bound.buffers {
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
        let functions = bound
            .possible()
            .iter()
            .map(|launch| self.function(launch))
            .collect::<Result<Vec<_>, Error>>()?;
        // A non-blocking stream of the caller does not wait for the null stream, which copied and
        // cleared memory. SAFETY: the null stream always exists.
        unsafe { driver::stream::synchronize(std::ptr::null_mut()) }
            .during(|| "waiting for the arguments".to_owned())?;
        Ok(PreparedModule {
            module: self,
            buffers,
            functions,
        })
    }

    /// Looks up the kernel of a launch, and sets the attributes that the launch requires.
    pub(super) fn function(&self, launch: &Launch) -> Result<sys::CUfunction, Error> {
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
    /// passed parameters match. If a parameter were missing, the driver would read beyond the list
    /// of passed parameters.
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
pub(crate) struct PreparedModule<'m> {
    module: &'m Module,
    buffers: Vec<Memory>,
    functions: Vec<sys::CUfunction>,
}

impl PreparedModule<'_> {
    /// Starts the launches of `bound` in order. `self` must be the result of [`Module::prepare`]
    /// for `bound`.
    pub(crate) fn launch(&self, bound: &BoundPlan) -> Result<(), Error> {
        // SAFETY: the null stream always exists, and the driver frees memory only after the kernels
        // on it have ended.
        unsafe { self.launch_on(bound, std::ptr::null_mut()) }
    }

    /// Starts the launches of `bound` on a stream.
    ///
    /// # Safety
    /// The stream belongs to the device's primary context. If a graph is captured from the stream,
    /// the caller must not launch the graph after `self` is dropped.
    pub(crate) unsafe fn launch_on(
        &self,
        bound: &BoundPlan,
        stream: sys::CUstream,
    ) -> Result<(), Error> {
        self.module.context.make_current()?;
        for launch in bound.launches(|buffer| self.address(buffer)) {
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

    pub(crate) fn wait(&self, bound: &BoundPlan) -> Result<(), Error> {
        self.module.context.make_current()?;
        driver::ctx::synchronize().during(|| {
            let mut kernels: Vec<&str> = (bound.launches(|buffer| self.address(buffer)).flatten())
                .map(|(_, launch)| launch.kernel.as_str())
                .collect();
            kernels.dedup();
            format!("running `{}`", kernels.join("`, `"))
        })?;
        Ok(())
    }

    /// Records an event on the null stream.
    pub(crate) fn mark(&self) -> Result<Event, Error> {
        self.module.context.make_current()?;
        let event = Event::new()?;
        event.record()?;
        Ok(event)
    }

    pub(crate) fn read_back(&self, bound: &mut BoundPlan) -> Result<(), Error> {
        self.module.context.make_current()?;
        for (buffer, memory) in bound.buffers.iter_mut().zip(&self.buffers) {
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

/// Launches a kernel with the addresses of `buffers`.
///
/// # Safety
/// The stream belongs to the current context.
pub(super) unsafe fn launch_kernel(
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
