//! Execution of an entry function with given arguments.

use crate::build::Program;
use crate::machine::{Exec, World};
use crate::ops;
use crate::ops::launch::{InterpretedKernel, Sizes};
use crate::options::Options;
use crate::site::Site;
use crate::trouble::Trouble;
use crate::value::{Lanes, Value, View};
use std::rc::Rc;
use tx_mlir::melior::ir::{Module, ValueLike};
use tx_mlir::memref::Space;
use tx_mlir::{MemRef, Op, string_attribute, walk};
use tx_scalar::{Bound, Scalar};

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

/// Contents of an array argument after an interpreter run.
#[derive(Clone, Debug)]
pub struct Array {
    /// Contents of the buffer.
    pub bytes: Vec<u8>,
    /// Error bound of each element of the buffer. An entry of `bounds` is `None` if the element is
    /// exact. The field `bounds` is `None` if all elements are exact.
    pub bounds: Option<Vec<Option<Bound>>>,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Contents of every argument, in the order of the parameters. Scalar arguments have empty
    /// contents.
    pub arrays: Vec<Array>,
    /// Number of executed ops, executed MLIR blocks and accessed elements, summed over all threads.
    pub work: u64,
}

/// Runs a `func.func` or a kernel `gpu.func`.
///
/// # Errors
/// Returns [`Trouble`] if an op is unsupported, if the arguments do not match the entry function,
/// or if the program has a fault.
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
    let program = Rc::new(Program::new(top, ops::compile));
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
    let mut world = World::new(program.sites.clone(), options);
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
        cluster: None,
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
        function.code.run(&mut exec)?;
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
