//! The launch plan of a program.

use crate::compile::{Source, top};
use crate::error::{Error, ErrorKind};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};
use std::collections::BTreeSet;
use tx_mlir::build::argument;
use tx_mlir::gpu::is_kernel;
use tx_mlir::memref::root;
use tx_mlir::{
    EffectKind, Op, Session, Val, argument_of, attribute, blocks, defining_op, error, integers, is,
    key, memory_effects, name, string_attribute, walk,
};
use tx_plan::{Argument, ArgumentType, EntryKind, Expr, Operand, Plan, Step, VERSION};

/// The plan of the program's entry; its chip is still to be filled in.
pub(crate) fn of(session: &Session, module: &Module<'_>, source: &Source) -> Result<Plan, Error> {
    let entry = find_entry(session, top(module), source)?;
    let name = string_attribute(entry, "sym_name").unwrap_or_default();
    let refuse = |message: String| {
        error(entry.location(), message).emit();
        Error::reported(
            ErrorKind::Unsupported,
            session.take_diagnostics(),
            "unsupported entry",
        )
    };
    if is(entry, "func.func") {
        return Err(refuse(format!(
            "`{name}` is a host function: launching its kernels is not implemented; name a kernel with --entry"
        )));
    }
    let Some(block) = attribute(entry, "known_block_size").and_then(integers) else {
        error(
            entry.location(),
            format!("kernel `{name}` has no block size"),
        )
        .note("add `attributes {known_block_size = array<i32: X, Y, Z>}`")
        .emit();
        return Err(Error::reported(
            ErrorKind::Entry,
            session.take_diagnostics(),
            "the kernel has no block size",
        ));
    };
    let grid = attribute(entry, "known_grid_size")
        .and_then(integers)
        .unwrap_or(vec![1, 1, 1]);

    let body = blocks(entry)[0];
    let inputs = attribute(entry, "function_type")
        .and_then(tx_mlir::type_value)
        .and_then(|t| melior::ir::r#type::FunctionType::try_from(t).ok())
        .map_or(0, |t| t.input_count())
        .min(body.argument_count());
    let written = written(entry);
    let arguments = (0..inputs)
        .map(|i| {
            let value = argument(body, i);
            let ty: ArgumentType = value.r#type().to_string().parse().map_err(|e| {
                refuse(format!(
                    "argument {i} of `{name}` cannot be passed from the host: {e}"
                ))
            })?;
            let written = matches!(ty, ArgumentType::Memref(_))
                && written.as_ref().is_none_or(|w| w.contains(&key(value)));
            Ok(Argument { ty, written })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let sizes = |sizes: &[i64]| -> [Expr; 3] {
        std::array::from_fn(|i| Expr::Const(sizes.get(i).copied().unwrap_or(1)))
    };
    Ok(Plan {
        version: VERSION,
        chip: String::new(),
        entry: name.clone(),
        entry_kind: EntryKind::Kernel,
        steps: vec![Step {
            kernel: name,
            grid: sizes(&grid),
            block: sizes(&block),
            cluster: None,
            dynamic_shared_bytes: Expr::Const(0),
            operands: (0..arguments.len()).map(Operand::Argument).collect(),
        }],
        arguments,
        temporaries: Vec::new(),
    })
}

fn is_entry(op: Op<'_>) -> bool {
    is_kernel(op) || (is(op, "func.func") && !blocks(op).is_empty())
}

fn find_entry<'m>(session: &Session, top: Op<'m>, source: &Source) -> Result<Op<'m>, Error> {
    let entries: Vec<Op<'m>> = walk(top).into_iter().filter(|op| is_entry(*op)).collect();
    let name = |op: &Op<'m>| string_attribute(*op, "sym_name").unwrap_or_default();
    let known = || match entries.len() {
        0 => "the file has none".to_owned(),
        _ => format!(
            "the file has {}",
            entries
                .iter()
                .map(|e| format!("`{}`", name(e)))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    let found: Vec<&Op<'m>> = match &source.entry {
        Some(wanted) => entries.iter().filter(|e| name(e) == *wanted).collect(),
        None => entries.iter().collect(),
    };
    match (found.as_slice(), &source.entry) {
        ([one], _) => return Ok(**one),
        ([], Some(wanted)) => {
            error(top.location(), format!("no entry named `{wanted}`"))
                .note(known())
                .emit();
        }
        ([], None) => {
            error(
                top.location(),
                "no entry: expected a kernel `gpu.func` or a `func.func` with a body",
            )
            .emit();
        }
        (several, wanted) => {
            let message = match wanted {
                Some(wanted) => format!("{} entries are named `{wanted}`", several.len()),
                None => format!(
                    "{} entries, expected one; choose with --entry",
                    several.len()
                ),
            };
            error(top.location(), message).note(known()).emit();
        }
    }
    Err(Error::reported(
        ErrorKind::Entry,
        session.take_diagnostics(),
        "no entry",
    ))
}

/// Ops that make memory which is no argument.
const OWN_MEMORY: [&str; 4] = [
    "memref.alloc",
    "memref.alloca",
    "memref.get_global",
    "gpu.dynamic_shared_memory",
];

fn is_kernel_argument(value: Val<'_>) -> bool {
    argument_of(value)
        .and_then(|(block, _)| block.parent_operation())
        .is_some_and(|owner| is_kernel(owner))
}

/// Memrefs that `func` may write, by key; `None` when an op may write anything.
fn written(func: Op<'_>) -> Option<BTreeSet<usize>> {
    let mut written = BTreeSet::new();
    for op in walk(func).into_iter().skip(1) {
        for effect in memory_effects(op)? {
            if effect.kind != EffectKind::Write {
                continue;
            }
            // An effect on memory without a name is a barrier's.
            if let Some(value) = effect.value {
                let memory = root(value);
                let known = defining_op(memory).map_or_else(
                    || is_kernel_argument(memory),
                    |op| OWN_MEMORY.contains(&name(op)),
                );
                // Selected, carried by a loop or loaded: it may be any argument.
                if !known {
                    return None;
                }
                written.insert(key(memory));
            }
        }
    }
    Some(written)
}
