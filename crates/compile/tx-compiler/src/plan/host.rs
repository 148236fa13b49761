//! Launch plan of a host function: launches, branches, temporaries, views and index arithmetic.

use super::branch::Branches;
use super::check::{Condition, conditions};
use super::scalar::width;
use super::view::{exprs, is_view};
use super::{Launches, argument_types, check_no_address, check_size, name_of, written};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::build::argument;
use tx_mlir::gpu::{LaunchOperands, is_kernel};
use tx_mlir::{
    Blk, Failed, Op, Val, attribute, blocks, codes, defining_op, error, integers, is, is_pure, key,
    name, operands, ops, parent, results, string_attribute, symbol_path, walk,
};
use tx_plan::{
    Argument, ArgumentType, Base, Check, ElementType, EntryKind, Expr, Layout, MemorySpace,
    MemrefType, Operand, Plan, Step, Symbol, Temporary, VERSION, View,
};

/// Symbolic value of an SSA value of a host function.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Memref(View),
    /// Integer value as a signed number; an `i1` is 0 or 1. After a narrowing cast such as
    /// `arith.trunci`, the value of the expression may exceed the range of the narrow type.
    Integer(ElementType, Expr),
    Float(ElementType, u64),
    /// Integer-valued `f64`.
    Whole(Expr),
    /// Scalar argument that the function only passes to kernels.
    Argument(usize),
}

impl Value {
    pub(super) fn index(expr: Expr) -> Self {
        Self::Integer(ElementType::Index, expr)
    }
}

pub(super) struct Host<'c> {
    top: Op<'c>,
    arguments: Vec<ArgumentType>,
    pub(super) checks: Vec<Check>,
    temporaries: Vec<Temporary>,
    /// Location of the `memref.dealloc` that frees each temporary.
    pub(super) freed: BTreeMap<usize, Location<'c>>,
    values: BTreeMap<usize, Value>,
    pub(super) steps: Vec<Step>,
    pub(super) branches: Branches,
    /// Name of the `gpu.module` with the kernels, and the location of the first kernel launch.
    gpu_module: Option<(String, Location<'c>)>,
    /// Map from each kernel name to the parameters that the kernel may write; `None` means that the
    /// kernel may write every parameter.
    writes: BTreeMap<String, Option<BTreeSet<usize>>>,
    written: BTreeSet<usize>,
}

/// Text of a note. The note lists the constructs of a host function that a launch plan supports.
pub(super) const HOST_CODE: &str = "host code holds `gpu.launch_func`, `scf.if` around launches, \
                                    `memref.alloc` and `memref.dealloc`, views of \
                         memrefs, `memref.dim`, arithmetic on `index`, and `cf.assert` of its comparisons";

pub(super) fn plan(top: Op<'_>, entry: &str) -> Result<Launches, Failed> {
    let named: Vec<Op<'_>> = walk(top)
        .into_iter()
        .filter(|op| is(*op, "func.func") && name_of(*op) == entry)
        .collect();
    let at_the_top = named.iter().find(|op| parent(**op) == Some(top));
    let Some(function) = at_the_top.copied() else {
        let location = named.first().map_or(top.location(), |op| op.location());
        let message = format!("`{entry}` is not a function at the top of the file");
        return Err(error(location, message)
            .code(codes::TX0601)
            .note("a host function stands beside the `gpu.module` of its kernels")
            .emit());
    };
    let arguments = argument_types(function, entry)?;
    let mut host = Host {
        top,
        values: BTreeMap::new(),
        checks: Vec::new(),
        temporaries: Vec::new(),
        freed: BTreeMap::new(),
        steps: Vec::new(),
        branches: Branches::default(),
        gpu_module: None,
        writes: BTreeMap::new(),
        written: BTreeSet::new(),
        arguments,
    };
    host.function(function, entry)?;
    let written = host.written;
    let plan = Plan {
        version: VERSION,
        chip: String::new(),
        entry: entry.to_owned(),
        entry_kind: EntryKind::Function,
        arguments: host
            .arguments
            .into_iter()
            .enumerate()
            .map(|(i, ty)| Argument {
                ty,
                written: written.contains(&i),
            })
            .collect(),
        checks: host.checks,
        temporaries: host.temporaries,
        steps: host.steps,
    };
    if let Err(found) = plan.validate() {
        return Err(error(function.location(), found.to_string())
            .code(codes::TX0602)
            .emit());
    }
    Ok(Launches {
        plan,
        gpu_module: host.gpu_module.map(|(name, _)| name),
    })
}

impl<'c> Host<'c> {
    fn function(&mut self, function: Op<'c>, entry: &str) -> Result<(), Failed> {
        let results = attribute(function, "function_type")
            .and_then(tx_mlir::type_value)
            .and_then(|t| melior::ir::r#type::FunctionType::try_from(t).ok())
            .map_or(0, |t| t.result_count());
        if results > 0 {
            return Err(error(
                function.location(),
                format!(
                    "`{entry}` returns {results} result{}, and a launch plan has none",
                    if results == 1 { "" } else { "s" }
                ),
            )
            .code(codes::TX0602)
            .note("return through an argument of memref type")
            .emit());
        }
        let [body] = blocks(function)[..] else {
            let found = blocks(function).len();
            return Err(error(
                function.location(),
                format!("`{entry}` has {found} blocks, and a launch plan is made of one"),
            )
            .code(codes::TX0602)
            .note(HOST_CODE)
            .emit());
        };
        for (i, ty) in self
            .arguments
            .iter()
            .enumerate()
            .take(body.argument_count())
        {
            let value = match ty {
                ArgumentType::Memref(memref) => Value::Memref(View::of_argument(i, memref)),
                ArgumentType::Scalar(ty) if ty.is_float() => Value::Argument(i),
                ArgumentType::Scalar(ty) => {
                    Value::Integer(*ty, Expr::Symbol(Symbol::Value { argument: i }))
                }
            };
            self.values.insert(key(argument(body, i)), value);
        }
        self.block(body)
    }

    pub(super) fn block(&mut self, block: Blk<'c>) -> Result<(), Failed> {
        let needed = needed(block, &mut BTreeSet::new());
        needed.into_iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: Op<'c>) -> Result<(), Failed> {
        match name(op) {
            "func.return" | "scf.yield" => Ok(()),
            "scf.if" => self.branch(op),
            "memref.dealloc" => self.free(op),
            "memref.alloc" | "memref.alloca" => self.allocate(op),
            "memref.extract_strided_metadata" => self.metadata(op),
            "memref.extract_aligned_pointer_as_index" => self.address(op),
            "memref.dim" => self.dim(op),
            "gpu.launch_func" => self.launch(op),
            "cf.assert" => self.assert(op),
            _ if is_view(op) => self.view(op),
            name if name.starts_with("arith.") || name.starts_with("affine.") => self.compute(op),
            _ => Err(self.unknown(op)),
        }
    }

    /// Reports that a launch plan cannot contain `op`, with a suggestion.
    pub(super) fn unknown(&self, op: Op<'c>) -> Failed {
        let name = name(op);
        let dialect = name.split('.').next().unwrap_or(name);
        let (problem, hint) = match (name, dialect) {
            ("func.call" | "func.call_indirect", _) => ("calls a function", "inline it"),
            ("memref.get_global", _) => (
                "cannot be part of a launch plan",
                "read a `constant` array in the kernel, by a `memref.get_global` of a `memref.global` in its \
                 `gpu.module`, or pass it as an argument",
            ),
            ("memref.load", _) => (
                "accesses elements, which are in the memory of the device",
                "do it in a kernel: give the memref to the `linalg.generic` that uses the \
                 element, as an input; the map of a memref \
                 without dimensions is `(i) -> ()`",
            ),
            ("memref.reshape", _) => (
                "takes sizes from elements, which are in the memory of the device",
                "pass the sizes as arguments and fill the shape with them in the function, or use \
                 `memref.expand_shape` and `memref.collapse_shape`",
            ),
            (
                "memref.store"
                | "memref.copy"
                | "memref.atomic_rmw"
                | "memref.generic_atomic_rmw"
                | "vector.load"
                | "vector.store"
                | "vector.transfer_read"
                | "vector.transfer_write",
                _,
            ) => (
                "accesses elements, which are in the memory of the device",
                "do it in a kernel",
            ),
            ("gpu.launch", _) => (
                "has the kernel inside of it",
                "run `gpu-kernel-outlining` first",
            ),
            ("arith.select" | "arith.cmpi" | "arith.cmpf", _) => (
                "depends on a condition, and only launches of a launch plan do",
                "use `arith.minsi` or `arith.maxsi`, or pass the value as an argument",
            ),
            (_, "scf" | "cf") | ("affine.for" | "affine.if" | "affine.parallel", _) => (
                "is control flow that a launch plan cannot hold",
                "put the loop or the branch in a kernel, or choose between launches with `scf.if`",
            ),
            (_, "tile" | "linalg") => (
                "was not made a kernel",
                "run the pipeline `lower-reduction`, or put it in a kernel",
            ),
            _ => ("cannot be part of a launch plan", ""),
        };
        let hint = match hint {
            "" => HOST_CODE.to_owned(),
            hint => format!("{hint}; {HOST_CODE}"),
        };
        error(op.location(), format!("`{name}` {problem}"))
            .code(codes::TX0602)
            .note(hint)
            .emit()
    }

    pub(super) fn define(&mut self, result: Val<'c>, value: Value) {
        self.values.insert(key(result), value);
    }

    fn value(&self, op: Op<'c>, value: Val<'c>) -> Result<&Value, Failed> {
        let known = self.values.get(&key(value)).ok_or_else(|| {
            error(
                op.location(),
                format!(
                    "`{}` uses a value of type `{}` that is not known here",
                    name(op),
                    value.r#type()
                ),
            )
            .code(codes::TX0611)
            .note(HOST_CODE)
            .emit()
        })?;
        if let Value::Memref(View {
            base: Base::Temporary(i),
            ..
        }) = known
            && let Some(freed) = self.freed.get(i)
        {
            return Err(error(
                op.location(),
                format!("`{}` uses memory that was freed before", name(op)),
            )
            .code(codes::TX0607)
            .note_at(*freed, "it is freed here")
            .emit());
        }
        Ok(known)
    }

    pub(super) fn memref(&self, op: Op<'c>, value: Val<'c>) -> Result<&View, Failed> {
        let Value::Memref(view) = self.value(op, value)? else {
            return Err(self.unknown(op));
        };
        Ok(view)
    }

    fn free(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let Some(memory) = operands(op).first().copied() else {
            return Err(self.unknown(op));
        };
        match self.memref(op, memory)?.base {
            Base::Temporary(i) => {
                self.freed.insert(i, op.location());
                Ok(())
            }
            Base::Argument(_) => Err(error(
                op.location(),
                "an argument cannot be freed: it is the caller's",
            )
            .code(codes::TX0607)
            .note("free what `memref.alloc` gave")
            .emit()),
        }
    }

    pub(super) fn integer(
        &self,
        op: Op<'c>,
        value: Val<'c>,
    ) -> Result<(ElementType, Expr), Failed> {
        match self.value(op, value)? {
            Value::Integer(ty, expr) => Ok((*ty, expr.clone())),
            _ => Err(self.unknown(op)),
        }
    }

    pub(super) fn known(&self, value: Val<'c>) -> Option<&Value> {
        self.values.get(&key(value))
    }

    pub(super) fn has_type(&self, argument: usize, ty: ElementType) -> bool {
        self.arguments.get(argument) == Some(&ArgumentType::Scalar(ty))
    }

    fn allocate(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let Some(result) = results(op).first().copied() else {
            return Err(self.unknown(op));
        };
        // A branch is translated once per list of conditions, but its temporaries are allocated
        // only once.
        if self.values.contains_key(&key(result)) {
            return Ok(());
        }
        let refuse = |reason: String| {
            error(
                op.location(),
                format!("`{}` cannot be a temporary: {reason}", name(op)),
            )
            .code(codes::TX0603)
            .note("a temporary is row-major, in global memory, and aligned to 256 bytes")
            .emit()
        };
        let ty: MemrefType = result
            .r#type()
            .to_string()
            .parse()
            .map_err(|error: tx_plan::TypeError| refuse(error.to_string()))?;
        if ty.layout != Layout::Identity {
            return Err(refuse(format!("`{ty}` has a layout of its own")));
        }
        if ty.space != MemorySpace::Global {
            return Err(refuse(format!("`{ty}` is not in global memory")));
        }
        if let Some(alignment) = tx_mlir::integer_attribute(op, "alignment").filter(|n| *n > 256) {
            return Err(refuse(format!("it is to be aligned to {alignment} bytes")));
        }
        let mut dynamic = operands(op).into_iter();
        let shape = ty
            .shape
            .iter()
            .map(|size| match size.known() {
                Some(size) => Ok(Expr::Const(size)),
                None => match dynamic.next() {
                    Some(value) => self.index(op, value),
                    None => Err(self.unknown(op)),
                },
            })
            .collect::<Result<Vec<_>, _>>()?;
        let temporary = Temporary {
            element: ty.element,
            shape,
            cleared: attribute(op, tx_dialect_tile::CLEARED).is_some(),
        };
        let view = View::of_temporary(self.temporaries.len(), &temporary);
        check_size(op, exprs(&view).chain([&temporary.bytes()]))?;
        check_no_address(op, &temporary.shape)?;
        self.temporaries.push(temporary);
        self.define(result, Value::Memref(view));
        Ok(())
    }

    fn dim(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let ([source, dim], [result]) = (&operands(op)[..], &results(op)[..]) else {
            return Err(self.unknown(op));
        };
        let sizes = &self.memref(op, *source)?.sizes;
        let dim = self.index(op, *dim)?;
        let size = dim
            .as_const()
            .and_then(|dim| sizes.get(usize::try_from(dim).ok()?));
        let Some(size) = size.cloned() else {
            return Err(error(
                op.location(),
                format!(
                    "`memref.dim` asks for dimension `{dim}`, expected a constant below {}",
                    sizes.len()
                ),
            )
            .code(codes::TX0609)
            .emit());
        };
        self.define(*result, Value::index(size));
        Ok(())
    }

    fn launch(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let Some(launch) = LaunchOperands::of(op) else {
            return Err(self.unknown(op));
        };
        if launch.is_async {
            return Err(error(
                op.location(),
                "an asynchronous `gpu.launch_func` cannot be part of a launch plan",
            )
            .code(codes::TX0606)
            .note("launches run one after the other: leave `async` and its tokens out")
            .emit());
        }
        let (kernel, kernel_name) = self.kernel(op)?;
        let sizes = |of_each: [Val<'c>; 3]| -> Result<[Expr; 3], Failed> {
            let mut sizes = [const { Expr::Const(1) }; 3];
            for (size, value) in sizes.iter_mut().zip(of_each) {
                *size = self.integer(op, value)?.1;
            }
            Ok(sizes)
        };
        let grid = sizes(launch.grid)?;
        let block = sizes(launch.block)?;
        let cluster = match launch.cluster {
            Some(cluster) => Some(sizes(cluster)?),
            None => super::cluster_of(kernel),
        };
        agree(op, kernel, "known_block_size", "blocks of", &block)?;
        agree(op, kernel, "known_grid_size", "a grid of", &grid)?;
        if let Some(cluster) = &cluster {
            agree(op, kernel, "known_cluster_size", "clusters of", cluster)?;
        }
        let dynamic_shared_bytes = match launch.dynamic_shared {
            Some(value) => self.integer(op, value)?.1,
            None => Expr::Const(0),
        };
        let step_operands = launch
            .arguments
            .iter()
            .map(|value| self.operand(op, *value))
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
            })) = self.values.get(&key(*value))
                && writes.as_ref().is_none_or(|writes| writes.contains(&i))
            {
                self.written.insert(*argument);
            }
        }
        self.steps.push(Step {
            module: kernel_name.clone(),
            kernel: kernel_name,
            choice: None,
            when: self.branches.path.clone(),
            grid,
            block,
            cluster,
            dynamic_shared_bytes,
            operands: step_operands,
        });
        Ok(())
    }

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

    fn operand(&self, op: Op<'c>, value: Val<'c>) -> Result<Operand, Failed> {
        Ok(match self.value(op, value)? {
            Value::Whole(_) => return Err(self.unknown(op)),
            Value::Argument(argument) => Operand::Argument(*argument),
            Value::Float(ty, bits) => Operand::Constant {
                ty: *ty,
                bits: *bits,
            },
            Value::Memref(view) => self
                .whole(view)
                .unwrap_or_else(|| Operand::View(view.clone())),
            Value::Integer(ty, expr) => match expr {
                Expr::Symbol(Symbol::Value { argument }) if self.has_type(*argument, *ty) => {
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

    /// Returns the argument or temporary whose elements are exactly the elements of the view.
    fn whole(&self, view: &View) -> Option<Operand> {
        match view.base {
            Base::Argument(i) => match self.arguments.get(i)? {
                ArgumentType::Memref(ty) => {
                    (*view == View::of_argument(i, ty)).then_some(Operand::Argument(i))
                }
                ArgumentType::Scalar(_) => None,
            },
            Base::Temporary(i) => {
                let temporary = self.temporaries.get(i)?;
                (*view == View::of_temporary(i, temporary)).then_some(Operand::Temporary(i))
            }
        }
    }
}

/// Returns the ops of a block that a plan needs, except unused ops that earlier passes did not
/// erase. A plan needs the operands of a comparison, but not its result. The function adds the
/// operands of the returned ops to `values`.
fn needed<'c>(block: Blk<'c>, values: &mut BTreeSet<usize>) -> Vec<Op<'c>> {
    let mut needed: Vec<Op<'c>> = ops(block)
        .into_iter()
        .rev()
        .filter(|op| {
            let is_needed = !is_pure(*op)
                || results(*op)
                    .iter()
                    .any(|result| values.contains(&key(*result)));
            if is_needed {
                used(*op, values);
            }
            is_needed
        })
        .collect();
    needed.reverse();
    needed
}

/// Adds the operands of `op` that a plan uses.
fn used(op: Op<'_>, values: &mut BTreeSet<usize>) {
    if !is(op, "cf.assert") && !is(op, "scf.if") {
        values.extend(walk(op).into_iter().flat_map(operands).map(key));
        return;
    }
    let compared = conditions(op).into_iter().flat_map(Condition::comparisons);
    for value in compared.flat_map(operands) {
        values.insert(key(value));
        // The translation of a comparison also reads the operands of an `arith.remsi`.
        let remainder = defining_op(value).filter(|op| is(*op, "arith.remsi"));
        values.extend(remainder.into_iter().flat_map(operands).map(key));
    }
    for block in blocks(op) {
        needed(block, values);
    }
}

/// Returns the bits of a constant, which must be in the signed or the unsigned range of its type.
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
            format!("a kernel is given {value} as {ty}, which does not fit"),
        )
        .code(codes::TX0608)
        .emit())
    }
}

/// Reports an error if constant launch sizes differ from the known sizes of the kernel.
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
            name_of(kernel),
            text(sizes.iter().map(ToString::to_string).collect()),
            text(expected.iter().map(ToString::to_string).collect()),
        ),
    )
    .code(codes::TX0604)
    .note_at(kernel.location(), format!("its `{known}` stands here"))
    .emit())
}
