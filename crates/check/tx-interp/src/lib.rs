//! Reference interpreter for IR of any level: `linalg` and `tile.reduce` on whole arrays, kernels
//! with `tile` ops, and lowered kernels with loops, shuffles and barriers.
//!
//! The interpreter shares no code with the lowering. The implementation of each op follows the
//! documentation of the op. Running a module before and after a pass therefore validates the pass.
//!
//! All active lanes of a block execute an op before any lane executes the next op (lockstep).
//! Before the compiler inserts barriers, lockstep execution defines the results of a program,
//! because tile ops execute in program order. After the compiler has inserted barriers, the option
//! [`Options::races`] checks that the barriers order all conflicting accesses. The race check uses
//! [`tx_exec::happens_before`].
//!
//! Each float has a [`Bound`] on the difference that another order of combination can cause.
//!
//! ```no_run
//! use tx_interp::{Argument, Options, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let session = tx_mlir::Session::new(tx_dialect_tile::register);
//! let module = session.parse("sums.mlir", &std::fs::read("sums.mlir")?).ok_or("no MLIR")?;
//! let matrix = Argument::array(vec![7, 20], vec![20, 1], 0, vec![0; 7 * 20 * 4]);
//! let sums = Argument::array(vec![7], vec![1], 0, vec![0xa5; 7 * 4]);
//! let outcome = run(&module, "sums", &[matrix, sums], &Options::default())?;
//! println!("{:?}", outcome.arrays[1].bytes);
//! # Ok(())
//! # }
//! ```

mod build;
mod combiner;
mod laws;
mod layout;
mod machine;
mod memory;
mod ops;
mod points;
mod trouble;
mod value;

pub use combiner::{Combined, Combiner};
pub use laws::{Finding, Laws, laws};
pub use layout::{Holder, holders};
pub use trouble::{FaultKind, Site, Trouble};
pub use tx_scalar::{Bound, Float, Scalar, signed, truncated};

pub use tx_exec::StepLimit;
pub(crate) use tx_scalar::{bound, calc, number};

use build::Program;
use machine::{Exec, World};
use ops::gpu::{InterpretedKernel, Sizes};
use std::rc::Rc;
use tx_mlir::melior::ir::{Module, ValueLike};
use tx_mlir::memref::Space;
use tx_mlir::{MemRef, Op, string_attribute, walk};
use value::{Lanes, Value, View};

/// An argument of the entry function.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A memref.
    Array {
        /// Number of elements along each dimension.
        sizes: Vec<i64>,
        /// Stride of each dimension, in elements.
        strides: Vec<i64>,
        /// Offset of the first element, in elements.
        offset: i64,
        /// Contents of the buffer, in the memory format of the device.
        bytes: Vec<u8>,
    },
    /// Bits of a scalar argument.
    Number(u64),
}

impl Argument {
    /// Creates a memref argument.
    pub fn array(sizes: Vec<i64>, strides: Vec<i64>, offset: i64, bytes: Vec<u8>) -> Self {
        Self::Array {
            sizes,
            strides,
            offset,
            bytes,
        }
    }
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Set to check that barriers order conflicting accesses of different threads.
    pub races: bool,
    /// Set to compute the [`Bound`] of each float.
    pub bounds: bool,
    /// Number of blocks along x, y and z, if the entry is a kernel.
    pub grid: [u32; 3],
    /// Threads per block along x, y and z, if the kernel has no fixed block size.
    pub block: [u32; 3],
    /// Limit on executed ops, executed blocks of ops and accessed elements, summed over all
    /// threads.
    pub steps: StepLimit,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            races: false,
            bounds: false,
            grid: [1; 3],
            block: [1; 3],
            steps: StepLimit::new(1 << 28),
        }
    }
}

/// Contents of an array argument after a run.
#[derive(Clone, Debug)]
pub struct Array {
    /// Contents of the buffer.
    pub bytes: Vec<u8>,
    /// Error bound of each element of the buffer. `None` marks an exact element; if all elements
    /// are exact, the whole field is `None`.
    pub bounds: Option<Vec<Option<Bound>>>,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Contents of every argument, in order. Scalar arguments have empty contents.
    pub arrays: Vec<Array>,
    /// Number of executed ops and accessed elements, summed over all threads.
    pub work: u64,
}

/// Runs a `func.func` or a kernel `gpu.func`.
///
/// # Errors
/// Returns [`Trouble`] if an op is unsupported, if the arguments do not match the entry, or if the
/// program has a fault.
pub fn run(
    module: &Module<'_>,
    entry: &str,
    arguments: &[Argument],
    options: &Options,
) -> Result<Outcome, Trouble> {
    // SAFETY: the op lives as long as the module.
    let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
    run_op(top, entry, arguments, options)
}

fn run_op<'c>(
    top: Op<'c>,
    entry: &str,
    arguments: &[Argument],
    options: &Options,
) -> Result<Outcome, Trouble> {
    let entry_op = walk(top)
        .into_iter()
        .find(|op| {
            matches!(tx_mlir::name(*op), "func.func" | "gpu.func")
                && string_attribute(*op, "sym_name").as_deref() == Some(entry)
        })
        .ok_or_else(|| Trouble::Call(format!("no function named `{entry}`")))?;
    let program = Rc::new(Program::new(top));
    let function = program.function(entry_op)?;
    let block = tx_mlir::region_blocks(entry_op, 0);
    let types: Vec<_> = (0..function.code.arguments.len())
        .map(|i| tx_mlir::build::argument(block[0], i))
        .collect();
    if types.len() != arguments.len() {
        return Err(Trouble::Call(format!(
            "`{entry}` is given {} arguments, expected {}",
            arguments.len(),
            types.len()
        )));
    }
    let mut world = World::new(program.clone(), options);
    world.variables = ops::memref::variables(top, &mut world.memory)?;
    let mut values = Vec::new();
    let mut arrays = Vec::new();
    for (i, (value, argument)) in types.iter().zip(arguments).enumerate() {
        match argument {
            Argument::Number(bits) => values.push(Value::Numbers(Lanes::one(*bits))),
            Argument::Array {
                sizes,
                strides,
                offset,
                bytes,
            } => {
                let ty = MemRef::of(*value).filter(|ty| ty.rank() == sizes.len());
                let scalar = ty.and_then(|ty| Scalar::of(ty.element));
                let Some(scalar) = scalar else {
                    return Err(Trouble::Call(format!(
                        "argument {i} is an array of rank {}, expected {}",
                        sizes.len(),
                        value.r#type()
                    )));
                };
                let label = format!("argument {i}");
                let own = (0, bytes.len() as i64);
                let buffer = world.memory.hold(label, Space::Global, bytes.clone());
                arrays.push((i, buffer, scalar));
                values.push(Value::Views(vec![Rc::new(View {
                    offset: *offset,
                    strides: strides.clone(),
                    ..View::row_major(buffer, own, sizes.clone())
                })]));
            }
        }
    }
    let site = Site::of(entry_op);
    let mut exec = Exec {
        world: &mut world,
        slots: vec![Value::Nothing; function.slots],
        lanes: 1,
        active: Rc::from([0]),
        cta: None,
        threads: false,
        unordered: false,
    };
    if tx_mlir::is(entry_op, "gpu.func") {
        let kernel = InterpretedKernel::new(entry_op, function)?;
        let block = kernel.block_size.unwrap_or(options.block);
        let sizes = Sizes {
            grid: options.grid.map(i64::from),
            block: block.map(i64::from),
            cluster: None,
            dynamic_shared: tx_mlir::gpu::dynamic_shared_bytes(entry_op)
                .map_or(0, u64::cast_signed),
        };
        kernel.launch(&mut exec, sizes, values, &site)?;
    } else {
        for (slot, value) in function.code.arguments.iter().zip(values) {
            exec.slots[*slot] = value;
        }
        exec.run(&function.code)?;
    }
    let mut out = vec![
        Array {
            bytes: Vec::new(),
            bounds: None,
        };
        arguments.len()
    ];
    for (i, buffer, scalar) in arrays {
        out[i] = Array {
            bounds: world.memory.bounds(buffer, scalar),
            bytes: std::mem::take(&mut world.memory.buffers[buffer].bytes),
        };
    }
    Ok(Outcome {
        arrays: out,
        work: world.work(),
    })
}
