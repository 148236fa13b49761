//! Device memory and CUDA events. Dropping an `Event` destroys the CUDA event, and dropping a
//! `Memory` frees device memory.

use std::time::Duration;

use cudarc::driver::result as driver;
use cudarc::driver::sys;

use super::devices::{During, driver_error};
use crate::error::{CudaError, Error};

/// Device memory. Dropping a `Memory` frees the device memory, unless the caller of the runtime
/// owns the device memory.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) pointer: sys::CUdeviceptr,
    owned: bool,
}

impl Memory {
    pub(super) fn new(bytes: usize, what: &str) -> Result<Self, Error> {
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
                Err(driver_error(format!("allocating {bytes} bytes for {what}"), error).into())
            }
        }
    }

    pub(super) fn of_caller(pointer: sys::CUdeviceptr) -> Self {
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
    pub(super) fn new() -> Result<Self, CudaError> {
        driver::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)
            .map(Self)
            .during(|| "creating an event".to_owned())
    }

    pub(super) fn record(&self) -> Result<(), CudaError> {
        // SAFETY: the event lives as long as `self`; the null stream always exists.
        unsafe { driver::event::record(self.0, std::ptr::null_mut()) }
            .during(|| "recording an event".to_owned())
    }

    /// Returns the time from the event `self` to the event `end`. The events `self` and `end` must
    /// have completed.
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
