//! Primary contexts of devices.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::result as driver;
use cudarc::driver::sys::{self, CUdevice_attribute};

use super::devices::{CudaDevice, CudaDriver, During, driver_error};
use crate::error::{CudaError, Error};

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
            tracing::warn!("{}", driver_error("releasing the context", error));
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
                    _ => format!("the number of CUDA devices is {count}, counted from 0"),
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

    pub(super) fn make_current(&self) -> Result<(), CudaError> {
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { driver::ctx::set_current(self.0.context) }
            .during(|| "making the context current".to_owned())
    }

    /// Checks whether PTX for the chip `compiled` runs on this device. PTX for a chip without
    /// suffix runs on the chip itself and on later chips. PTX for a chip with suffix `a` runs only
    /// on the chip itself. PTX for a chip with suffix `f` runs on the chip itself and on later
    /// chips of the same family.
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

    /// Returns the size of the L2 cache in bytes.
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

#[cfg(test)]
mod tests {
    use super::runs_on;

    /// Checks that PTX is accepted on the chip that it is compiled for, and on later chips. Checks
    /// that PTX for a chip with a suffix is accepted only on the chips that the suffix permits.
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
