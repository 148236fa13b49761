//! The CUDA driver.
//!
//! The driver library is loaded when the first CUDA device is opened. cudarc panics without a
//! driver, so every entry point first checks for the library through [`CudaDriver::load`].

mod bandwidth;
mod context;
mod devices;
mod graph;
mod module;
mod resources;

pub(crate) use context::Context;
pub use devices::{CudaDevice, CudaDriver};
pub(crate) use graph::Graph;
pub(crate) use module::{Module, PreparedModule};
pub(crate) use resources::Event;
