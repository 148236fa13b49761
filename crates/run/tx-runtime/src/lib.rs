//! Runs compiled programs on CUDA devices, or on the SIMT executor.
//!
//! ```no_run
//! # fn run(artifact: tx_plan::Artifact) -> Result<(), tx_runtime::Error> {
//! use tx_runtime::{Array, Device};
//!
//! let input = Array::from_slice(&[2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
//! let output = Array::from_slice(&[2], &[0_f32; 2])?;
//!
//! let outputs = Device::auto()?.load(&artifact)?.run(vec![input.into(), output.into()])?;
//! for (index, array) in outputs.written() {
//!     println!("argument {index}: {array}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Arguments are [`Array`]s and [`Number`]s, or are parsed from text as [`Spec`]s. Arguments are
//! checked against the plan before a device is accessed. [`Executable::prepare_in_place`] binds
//! arrays that are already in device memory, without copies. Programs can be launched on the
//! caller's stream. The build of this crate needs no CUDA installation; only a run on a CUDA device
//! needs the CUDA driver.

mod array;
mod bind;
#[cfg(feature = "simt")]
mod cpu;
mod cuda;
mod device;
mod device_array;
mod error;
mod executable;
mod fault;
mod npy;
mod number;
mod options;
mod outputs;
mod placement;
mod prepared;
mod print;
mod ptx;
mod spec;

pub use array::{Array, HostElement};
pub use bind::{MAX_GRID, check_arguments, check_launch};
pub use cuda::{CudaDevice, CudaDriver};
pub use device::Device;
pub use device_array::{DeviceArg, DeviceArray};
pub use error::{CudaError, Error, ErrorKind, NpyError, SpecError};
pub use executable::Executable;
pub use fault::{Fault, FaultKind};
pub use npy::{read_npy, read_npy_from, write_npy, write_npy_to};
pub use number::{NotANumber, Number};
#[cfg(feature = "simt")]
pub use options::Past;
pub use options::RunOptions;
pub use outputs::Outputs;
pub use placement::Placement;
pub use prepared::{Graph, Prepared};
pub use spec::{Arg, ArrayType, Spec};
#[cfg(feature = "simt")]
pub use tx_exec::{Checks, Order, StepLimit};
