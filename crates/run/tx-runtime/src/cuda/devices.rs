//! The loaded CUDA driver, the devices of the driver, and the errors that the driver returns.

use cudarc::driver::result as driver;
use cudarc::driver::sys::{self, CUdevice_attribute};

use crate::error::{CudaError, Error};

/// Returns an error that describes the operation `what` and the driver error of this operation.
pub(super) fn driver_error(what: impl Into<String>, error: driver::DriverError) -> CudaError {
    let text =
        |text: Result<&std::ffi::CStr, _>| text.map(|text| text.to_string_lossy().into_owned());
    CudaError {
        what: what.into(),
        name: text(error.error_name()).unwrap_or_else(|_| format!("{:?}", error.0)),
        message: text(error.error_string()).unwrap_or_else(|_| "unknown to the driver".to_owned()),
    }
}

/// Adds a description of the failed operation to a driver error.
pub(super) trait During<T> {
    fn during(self, what: impl FnOnce() -> String) -> Result<T, CudaError>;
}

impl<T> During<T> for Result<T, driver::DriverError> {
    fn during(self, what: impl FnOnce() -> String) -> Result<T, CudaError> {
        self.map_err(|error| driver_error(what(), error))
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
    /// Loads the CUDA driver of this machine, and queries the devices of the driver.
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
                driver_error("cuInit", error)
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
