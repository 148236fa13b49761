//! Launch plan of a host function: launches, branches, temporaries, views and index arithmetic.
//!
//! [`Host`] visits the ops of the function, and calls the other modules of `plan` to translate each
//! op.

use super::branch::{MAX_BRANCHES, is_choice, paths, too_many};
use super::check::Checks;
use super::launch::Kernels;
use super::launch_plan::LaunchPlan;
use super::limits::{check_no_address, check_size};
use super::liveness::needed;
use super::scalar::compute;
use super::types::argument_types;
use super::unsupported::{HOST_CODE, unsupported_op};
use super::values::{Value, Values};
use super::view::{address, exprs, is_view, metadata, view};
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use std::collections::BTreeSet;
use tx_mlir::build::argument;
use tx_mlir::{
    Blk, Failed, Op, attribute, blocks, codes, error, first_block, is, name, operands, parent,
    results, symbol_name, type_value, walk,
};
use tx_plan::{
    Argument, ArgumentType, Base, Condition, EntryKind, Expr, Layout, MemorySpace, MemrefType,
    Plan, Step, Symbol, Temporary, VERSION, View,
};

/// State of the translation of one host function.
struct Host<'c> {
    values: Values<'c>,
    checks: Checks,
    steps: Vec<Step>,
    /// Conditions of the branches that enclose the op that is being translated.
    path: Vec<Condition>,
    /// Number of translated branches.
    branches: usize,
    /// Number of choices (lists of alternative launch steps) that the translation has found so far.
    choices: usize,
    kernels: Kernels<'c>,
}

/// Returns the launch plan of the host function `entry`.
pub(super) fn plan(top: Op<'_>, entry: &str) -> Result<LaunchPlan, Failed> {
    let named: Vec<Op<'_>> = walk(top)
        .into_iter()
        .filter(|op| is(*op, "func.func") && symbol_name(*op) == entry)
        .collect();
    let at_the_top = named.iter().find(|op| parent(**op) == Some(top));
    let Some(function) = at_the_top.copied() else {
        let location = named.first().map_or(top.location(), |op| op.location());
        let message = format!("`{entry}` is not a function at the top level of the file");
        return Err(error(location, message)
            .code(codes::TX0601)
            .note(
                "a host function must be at the top level, next to the `gpu.module` of its kernels",
            )
            .emit());
    };
    let arguments = argument_types(function, entry)?;
    let mut host = Host {
        values: Values::new(arguments),
        checks: Checks::default(),
        steps: Vec::new(),
        path: Vec::new(),
        branches: 0,
        choices: 0,
        kernels: Kernels::new(top),
    };
    host.function(function, entry)?;
    let written = &host.kernels.written;
    let plan = Plan {
        version: VERSION,
        chip: String::new(),
        entry: entry.to_owned(),
        entry_kind: EntryKind::Function,
        arguments: host
            .values
            .arguments
            .into_iter()
            .enumerate()
            .map(|(i, ty)| Argument {
                ty,
                written: written.contains(&i),
            })
            .collect(),
        checks: host.checks.checks,
        temporaries: host.values.temporaries,
        steps: host.steps,
    };
    if let Err(found) = plan.validate() {
        return Err(error(function.location(), found.to_string())
            .code(codes::TX0602)
            .emit());
    }
    Ok(LaunchPlan {
        plan,
        gpu_module: host.kernels.gpu_module(),
    })
}

impl<'c> Host<'c> {
    fn function(&mut self, function: Op<'c>, entry: &str) -> Result<(), Failed> {
        let results = attribute(function, "function_type")
            .and_then(type_value)
            .and_then(|t| FunctionType::try_from(t).ok())
            .map_or(0, |t| t.result_count());
        if results > 0 {
            return Err(error(
                function.location(),
                format!(
                    "`{entry}` returns {results} result{}, expected none for a launch plan",
                    if results == 1 { "" } else { "s" }
                ),
            )
            .code(codes::TX0602)
            .note("write the result to an argument of memref type")
            .emit());
        }
        let [body] = blocks(function)[..] else {
            let found = blocks(function).len();
            return Err(error(
                function.location(),
                format!("`{entry}` has {found} blocks, expected one for a launch plan"),
            )
            .code(codes::TX0602)
            .note(HOST_CODE)
            .emit());
        };
        let arguments = self.values.arguments.clone();
        for (i, ty) in arguments.iter().enumerate().take(body.argument_count()) {
            let value = match ty {
                ArgumentType::Memref(memref) => Value::Memref(View::of_argument(i, memref)),
                ArgumentType::Scalar(ty) if ty.is_float() => Value::Argument(i),
                ArgumentType::Scalar(ty) => {
                    Value::Integer(*ty, Expr::Symbol(Symbol::Value { argument: i }))
                }
            };
            self.values.define(argument(body, i), value);
        }
        self.block(body)
    }

    fn block(&mut self, block: Blk<'c>) -> Result<(), Failed> {
        let needed = needed(block, &mut BTreeSet::new());
        needed.into_iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: Op<'c>) -> Result<(), Failed> {
        match name(op) {
            "func.return" | "scf.yield" => Ok(()),
            "scf.if" => self.branch(op),
            "memref.dealloc" => self.free(op),
            "memref.alloc" | "memref.alloca" => self.allocate(op),
            "memref.extract_strided_metadata" => {
                let results = metadata(&self.values, op)?;
                self.define(op, results)
            }
            "memref.extract_aligned_pointer_as_index" => {
                let address = address(&self.values, op)?;
                self.define(op, results(op).iter().map(|_| address.clone()))
            }
            "memref.dim" => self.dim(op),
            "gpu.launch_func" => {
                let step = self.kernels.step(&self.values, &self.path, op)?;
                self.steps.push(step);
                Ok(())
            }
            "cf.assert" => self.checks.assert(&self.values, op),
            _ if is_view(op) => {
                let view = view(&self.values, op)?;
                self.define(op, [Value::Memref(view)])
            }
            name if name.starts_with("arith.") || name.starts_with("affine.") => {
                let value = compute(&self.values, &mut self.checks, op)?;
                self.define(op, [value])
            }
            _ => Err(unsupported_op(op)),
        }
    }

    /// Stores a symbolic value for each result of `op`.
    fn define(
        &mut self,
        op: Op<'c>,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<(), Failed> {
        for (result, value) in results(op).into_iter().zip(values) {
            self.values.define(result, value);
        }
        Ok(())
    }

    /// Translates an `scf.if`. Each launch in a branch becomes a launch step. At run time, the
    /// launcher runs the launch step only if the conditions of the branch are true.
    fn branch(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let [condition] = operands(op)[..] else {
            return Err(unsupported_op(op));
        };
        if !results(op).is_empty() {
            return Err(error(
                op.location(),
                "`scf.if` yields values, but a launch plan can select only launches",
            )
            .code(codes::TX0602)
            .note("launch a kernel in each branch, with the values of the branch")
            .emit());
        }
        let first = self.steps.len();
        let mut freed = self.values.freed.clone();
        for (region, wanted) in [true, false].into_iter().enumerate() {
            let Some(block) = first_block(op, region) else {
                continue;
            };
            for conditions in paths(&self.values, op, condition, wanted, 0)? {
                self.branches += 1;
                if self.branches > MAX_BRANCHES {
                    return Err(too_many(op));
                }
                let before = (self.path.len(), self.values.freed.clone());
                self.path.extend(conditions);
                self.checks.branch_depth += 1;
                self.block(block)?;
                self.checks.branch_depth -= 1;
                self.path.truncate(before.0);
                freed.append(&mut std::mem::replace(&mut self.values.freed, before.1));
            }
        }
        self.values.freed = freed;
        if !self.checks.is_in_branch() {
            self.mark_choice(first);
        }
        Ok(())
    }

    /// Marks the launch steps with indices of at least `first` as one choice if exactly one of
    /// these launch steps runs for any arguments.
    fn mark_choice(&mut self, first: usize) {
        let steps = &mut self.steps[first..];
        if is_choice(steps) {
            for step in steps {
                step.choice = Some(self.choices);
            }
            self.choices += 1;
        }
    }

    fn free(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let Some(memory) = operands(op).first().copied() else {
            return Err(unsupported_op(op));
        };
        match self.values.memref(op, memory)?.base {
            Base::Temporary(i) => {
                self.values.freed.insert(i, op.location());
                Ok(())
            }
            Base::Argument(_) => Err(error(
                op.location(),
                "an argument cannot be freed: the caller owns its memory",
            )
            .code(codes::TX0607)
            .note("free only the results of `memref.alloc`")
            .emit()),
        }
    }

    fn allocate(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let Some(result) = results(op).first().copied() else {
            return Err(unsupported_op(op));
        };
        // The function translates a branch once per list of conditions, but each `memref.alloc` in
        // the branch becomes a single temporary.
        if self.values.known(result).is_some() {
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
            return Err(refuse(format!("`{ty}` has a layout that is not row-major")));
        }
        if ty.space != MemorySpace::Global {
            return Err(refuse(format!("`{ty}` is not in global memory")));
        }
        if let Some(alignment) = tx_mlir::integer_attribute(op, "alignment").filter(|n| *n > 256) {
            return Err(refuse(format!(
                "its alignment of {alignment} bytes exceeds 256 bytes"
            )));
        }
        let mut dynamic = operands(op).into_iter();
        let shape = ty
            .shape
            .iter()
            .map(|size| match size.known() {
                Some(size) => Ok(Expr::Const(size)),
                None => match dynamic.next() {
                    Some(value) => self.values.index(op, value),
                    None => Err(unsupported_op(op)),
                },
            })
            .collect::<Result<Vec<_>, _>>()?;
        let temporary = Temporary {
            element: ty.element,
            shape,
            cleared: attribute(op, tx_dialect_tile::CLEARED).is_some(),
        };
        let view = View::of_temporary(self.values.temporaries.len(), &temporary);
        check_size(op, exprs(&view).chain([&temporary.bytes()]))?;
        check_no_address(op, &temporary.shape)?;
        self.values.temporaries.push(temporary);
        self.values.define(result, Value::Memref(view));
        Ok(())
    }

    fn dim(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let ([source, dim], [result]) = (&operands(op)[..], &results(op)[..]) else {
            return Err(unsupported_op(op));
        };
        let sizes = &self.values.memref(op, *source)?.sizes;
        let dim = self.values.index(op, *dim)?;
        let size = dim
            .as_const()
            .and_then(|dim| sizes.get(usize::try_from(dim).ok()?));
        let Some(size) = size.cloned() else {
            return Err(error(
                op.location(),
                format!(
                    "`memref.dim` reads dimension `{dim}`, expected a constant below {}",
                    sizes.len()
                ),
            )
            .code(codes::TX0609)
            .emit());
        };
        self.values.define(*result, Value::index(size));
        Ok(())
    }
}
