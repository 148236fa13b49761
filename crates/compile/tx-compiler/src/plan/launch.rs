//! Translation of the kernel launches of a host function into launch steps.

use super::kernel::cluster_of;
use super::limits::check_no_address;
use super::types::width;
use super::unsupported::unsupported_op;
use super::values::{Value, Values};
use super::written;
use melior::ir::Location;
use melior::ir::operation::OperationLike;
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::gpu::{LaunchOperands, is_kernel};
use tx_mlir::{
    Failed, Op, Val, attribute, blocks, codes, error, integers, is, ops, string_attribute,
    symbol_name, symbol_path,
};
use tx_plan::{ArgumentType, Base, Condition, ElementType, Expr, Operand, Step, Symbol, View};

/// Kernels that a host function launches.
pub(super) struct Kernels<'c> {
    top: Op<'c>,
    /// Name of the `gpu.module` that contains the kernels, and location of the first kernel launch.
    gpu_module: Option<(String, Location<'c>)>,
    /// Map from each kernel name to the parameters that the kernel may write; `None` means that the
    /// kernel may write every parameter.
    writes: BTreeMap<String, Option<BTreeSet<usize>>>,
    /// Arguments of the host function that a kernel may write.
    pub(super) written: BTreeSet<usize>,
}

impl<'c> Kernels<'c> {
    /// Creates an empty list of launched kernels; `top` is the module that contains the kernels.
    pub(super) fn new(top: Op<'c>) -> Self {
        Self {
            top,
            gpu_module: None,
            writes: BTreeMap::new(),
            written: BTreeSet::new(),
        }
    }

    /// Returns the name of the `gpu.module` that contains the kernels; `None` if the function
    /// launches no kernel.
    pub(super) fn gpu_module(self) -> Option<String> {
        self.gpu_module.map(|(name, _)| name)
    }

    /// Returns the launch step for a `gpu.launch_func`; the launch step runs only if all conditions
    /// in `when` are true.
    pub(super) fn step(
        &mut self,
        values: &Values<'c>,
        when: &[Condition],
        op: Op<'c>,
    ) -> Result<Step, Failed> {
        let Some(launch) = LaunchOperands::of(op) else {
            return Err(unsupported_op(op));
        };
        if launch.is_async {
            return Err(error(
                op.location(),
                "an asynchronous `gpu.launch_func` cannot be part of a launch plan",
            )
            .code(codes::TX0606)
            .note("launches run in program order: remove `async` and its tokens")
            .emit());
        }
        let (kernel, kernel_name) = self.kernel(op)?;
        let sizes = |of_each: [Val<'c>; 3]| -> Result<[Expr; 3], Failed> {
            let mut sizes = [const { Expr::Const(1) }; 3];
            for (size, value) in sizes.iter_mut().zip(of_each) {
                *size = values.integer(op, value)?.1;
            }
            Ok(sizes)
        };
        let grid = sizes(launch.grid)?;
        let block = sizes(launch.block)?;
        let cluster = match launch.cluster {
            Some(cluster) => Some(sizes(cluster)?),
            None => cluster_of(kernel),
        };
        agree(op, kernel, "known_block_size", "blocks of", &block)?;
        agree(op, kernel, "known_grid_size", "a grid of", &grid)?;
        if let Some(cluster) = &cluster {
            agree(op, kernel, "known_cluster_size", "clusters of", cluster)?;
        }
        let dynamic_shared_bytes = match launch.dynamic_shared {
            Some(value) => values.integer(op, value)?.1,
            None => Expr::Const(0),
        };
        let step_operands = launch
            .arguments
            .iter()
            .map(|value| operand(values, op, *value))
            .collect::<Result<Vec<_>, _>>()?;
        let sizes = grid.iter().chain(&block).chain(cluster.iter().flatten());
        let passed_integers = step_operands.iter().filter_map(|operand| match operand {
            Operand::Scalar { value, .. } => Some(value),
            _ => None,
        });
        check_no_address(
            op,
            sizes.chain([&dynamic_shared_bytes]).chain(passed_integers),
        )?;
        let writes = self
            .writes
            .entry(kernel_name.clone())
            .or_insert_with(|| written::parameters(kernel));
        for (i, value) in launch.arguments.iter().enumerate() {
            if let Some(Value::Memref(View {
                base: Base::Argument(argument),
                ..
            })) = values.known(*value)
                && writes.as_ref().is_none_or(|writes| writes.contains(&i))
            {
                self.written.insert(*argument);
            }
        }
        Ok(Step {
            module: kernel_name.clone(),
            kernel: kernel_name,
            choice: None,
            when: when.to_vec(),
            grid,
            block,
            cluster,
            dynamic_shared_bytes,
            operands: step_operands,
        })
    }

    /// Returns the kernel that `op` launches, and the name of the kernel.
    fn kernel(&mut self, op: Op<'c>) -> Result<(Op<'c>, String), Failed> {
        let path = attribute(op, "kernel")
            .and_then(symbol_path)
            .unwrap_or_default();
        let [module, kernel] = &path[..] else {
            return Err(error(
                op.location(),
                format!(
                    "kernel `@{}`, expected `@module::@kernel`",
                    path.join("::@")
                ),
            )
            .code(codes::TX0605)
            .emit());
        };
        let find = |holder: Op<'c>, symbol: &str| {
            blocks(holder)
                .into_iter()
                .flat_map(ops)
                .find(|op| string_attribute(*op, "sym_name").as_deref() == Some(symbol))
        };
        let found = find(self.top, module)
            .filter(|op| is(*op, "gpu.module"))
            .and_then(|gpu_module| find(gpu_module, kernel))
            .filter(|op| is_kernel(*op));
        let Some(found) = found else {
            return Err(error(
                op.location(),
                format!("no kernel `gpu.func` named `@{module}::@{kernel}` in the file"),
            )
            .code(codes::TX0605)
            .emit());
        };
        match &self.gpu_module {
            None => self.gpu_module = Some((module.clone(), op.location())),
            Some((first, at)) if first != module => {
                return Err(error(
                    op.location(),
                    format!(
                        "kernels of two modules are launched, `@{first}` and `@{module}`, expected one"
                    ),
                )
                .code(codes::TX0605)
                .note_at(*at, format!("a kernel of `@{first}` is launched here"))
                .note("put all kernels of a function into one `gpu.module`")
                .emit());
            }
            Some(_) => {}
        }
        Ok((found, kernel.clone()))
    }
}

/// Converts an operand of the launch op `op` to an operand of a launch step.
fn operand<'c>(values: &Values<'c>, op: Op<'c>, value: Val<'c>) -> Result<Operand, Failed> {
    Ok(match values.value(op, value)? {
        Value::Whole(_) => return Err(unsupported_op(op)),
        Value::Argument(argument) => Operand::Argument(*argument),
        Value::Float(ty, bits) => Operand::Constant {
            ty: *ty,
            bits: *bits,
        },
        Value::Memref(view) => whole(values, view).unwrap_or_else(|| Operand::View(view.clone())),
        Value::Integer(ty, expr) => match expr {
            Expr::Symbol(Symbol::Value { argument }) if values.has_type(*argument, *ty) => {
                Operand::Argument(*argument)
            }
            Expr::Const(value) => Operand::Constant {
                ty: *ty,
                bits: constant_bits(op, *ty, *value)?,
            },
            expr => Operand::Scalar {
                ty: *ty,
                value: expr.clone(),
            },
        },
    })
}

/// Returns the argument or temporary whose full view is equal to `view`.
fn whole(values: &Values<'_>, view: &View) -> Option<Operand> {
    match view.base {
        Base::Argument(i) => match values.arguments.get(i)? {
            ArgumentType::Memref(ty) => {
                (*view == View::of_argument(i, ty)).then_some(Operand::Argument(i))
            }
            ArgumentType::Scalar(_) => None,
        },
        Base::Temporary(i) => {
            let temporary = values.temporaries.get(i)?;
            (*view == View::of_temporary(i, temporary)).then_some(Operand::Temporary(i))
        }
    }
}

/// Returns the bits of a constant. Reports an error if the constant is outside of both the signed
/// and the unsigned range of the type `ty`.
fn constant_bits(op: Op<'_>, ty: ElementType, value: i64) -> Result<u64, Failed> {
    let bits = width(ty);
    if bits == 64 {
        return Ok(value.cast_unsigned());
    }
    let lowest = if bits == 1 { 0 } else { -1 << (bits - 1) };
    if (lowest..1 << bits).contains(&value) {
        Ok(value.cast_unsigned() & (u64::MAX >> (64 - bits)))
    } else {
        Err(error(
            op.location(),
            format!(
                "a kernel argument has the value {value} of type {ty}, which does not fit the type"
            ),
        )
        .code(codes::TX0608)
        .emit())
    }
}

/// Reports an error if a constant block or grid size of a launch differs from the size in the
/// attributes of the kernel.
fn agree(
    op: Op<'_>,
    kernel: Op<'_>,
    known: &str,
    what: &str,
    sizes: &[Expr; 3],
) -> Result<(), Failed> {
    let Some(expected) = attribute(kernel, known).and_then(integers) else {
        return Ok(());
    };
    let agrees = sizes
        .iter()
        .zip(&expected)
        .all(|(size, expected)| size.as_const().is_none_or(|size| size == *expected));
    if agrees {
        return Ok(());
    }
    let text = |sizes: Vec<String>| format!("({})", sizes.join(", "));
    Err(error(
        op.location(),
        format!(
            "kernel `{}` is launched with {what} {}, expected {}",
            symbol_name(kernel),
            text(sizes.iter().map(ToString::to_string).collect()),
            text(expected.iter().map(ToString::to_string).collect()),
        ),
    )
    .code(codes::TX0604)
    .note_at(
        kernel.location(),
        format!("`{known}` of the kernel is set here"),
    )
    .emit())
}
