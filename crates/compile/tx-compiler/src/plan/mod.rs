//! Launch plan of a program.
//!
//! A kernel entry is launched once, with its known block and grid sizes. The plan of a host
//! function is built op by op. Module [`host`] translates launches, and module [`view`] translates
//! memrefs. Module [`scalar`] translates integers, and module [`check`] translates assertions.
//! Module [`branch`] translates conditions of launches, and module [`types`] translates argument
//! types. Module [`written`] finds the parameters that a kernel may write, and module [`grid`]
//! finds kernels with an unknown grid size.

mod branch;
mod check;
mod grid;
mod host;
mod scalar;
mod types;
mod view;
mod written;

pub use grid::assumed_grid;

use crate::error::{Error, ErrorKind};
use crate::source::Source;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};
use std::collections::BTreeSet;
use tx_mlir::build::argument;
use tx_mlir::gpu::{is_kernel, missing_block_size};
use tx_mlir::{
    Failed, Op, Session, attribute, blocks, codes, enclosing, error, integers, is, parent,
    string_attribute, symbol_path, top, type_value, walk,
};
use tx_plan::{
    Argument, ArgumentType, EntryKind, Expr, MemorySpace, Operand, Plan, Step, Symbol, VERSION,
    Warning,
};

pub(crate) enum Entry {
    Kernel(Launches),
    /// Name of a host function. The function must be lowered before its launch plan is created.
    Function(String),
}

pub(crate) struct Launches {
    pub(crate) plan: Plan,
    /// Name of the `gpu.module` with the kernels; `None` if nothing is launched.
    pub(crate) gpu_module: Option<String>,
}

pub(crate) fn find(
    session: &Session,
    module: &Module<'_>,
    source: &Source,
) -> Result<Entry, Error> {
    let op = find_entry(top(module), source).map_err(|_: Failed| {
        Error::reported(
            ErrorKind::Entry,
            session.take_diagnostics(),
            "there is no entry",
        )
    })?;
    let name = name_of(op);
    if !is_kernel(op) {
        return Ok(Entry::Function(name));
    }
    let Some(block) = attribute(op, "known_block_size").and_then(integers) else {
        error(op.location(), format!("kernel `{name}` has no block size"))
            .code(codes::TX0105)
            .note(missing_block_size(op))
            .emit();
        return Err(Error::reported(
            ErrorKind::Entry,
            session.take_diagnostics(),
            "the kernel has no block size",
        ));
    };
    of_kernel(op, &name, &block)
        .map(Entry::Kernel)
        .map_err(|failed| unsupported(session, failed))
}

pub(crate) fn of_function(
    session: &Session,
    module: &Module<'_>,
    name: &str,
) -> Result<Launches, Error> {
    host::plan(top(module), name).map_err(|failed| unsupported(session, failed))
}

fn unsupported(session: &Session, _: Failed) -> Error {
    Error::reported(
        ErrorKind::Unsupported,
        session.take_diagnostics(),
        "the entry cannot be launched",
    )
}

fn name_of(op: Op<'_>) -> String {
    string_attribute(op, "sym_name").unwrap_or_default()
}

fn of_kernel(kernel: Op<'_>, name: &str, block: &[i64]) -> Result<Launches, Failed> {
    let grid = attribute(kernel, "known_grid_size")
        .and_then(integers)
        .unwrap_or_default();
    let written = written::parameters(kernel);
    let arguments = argument_types(kernel, name)?
        .into_iter()
        .enumerate()
        .map(|(i, ty)| {
            let written = matches!(ty, ArgumentType::Memref(_))
                && written.as_ref().is_none_or(|written| written.contains(&i));
            Argument { ty, written }
        })
        .collect::<Vec<_>>();
    let sizes = |sizes: &[i64]| -> [Expr; 3] {
        std::array::from_fn(|i| Expr::Const(sizes.get(i).copied().unwrap_or(1)))
    };
    let cluster = cluster_of(kernel);
    // An unknown grid is assumed to be the smallest possible one.
    let grid = match (grid.is_empty(), &cluster) {
        (true, Some(cluster)) => cluster.clone(),
        _ => sizes(&grid),
    };
    Ok(Launches {
        plan: Plan {
            version: VERSION,
            chip: String::new(),
            entry: name.to_owned(),
            entry_kind: EntryKind::Kernel,
            steps: vec![Step {
                kernel: name.to_owned(),
                module: name.to_owned(),
                choice: None,
                when: Vec::new(),
                grid,
                block: sizes(block),
                cluster,
                dynamic_shared_bytes: Expr::Const(0),
                operands: (0..arguments.len()).map(Operand::Argument).collect(),
            }],
            arguments,
            checks: Vec::new(),
            temporaries: Vec::new(),
        },
        gpu_module: enclosing(kernel, "gpu.module").map(name_of),
    })
}

/// Sets the dynamic shared memory size of each launch step to the number of bytes that the lowered
/// kernel accesses.
pub(crate) fn with_dynamic_shared(mut launches: Launches, module: &Module<'_>) -> Launches {
    for step in &mut launches.plan.steps {
        let kernel = walk(top(module)).into_iter().find(|op| {
            let gpu_module = enclosing(*op, "gpu.module").map(name_of);
            is_kernel(*op) && name_of(*op) == step.kernel && gpu_module == launches.gpu_module
        });
        let bytes = kernel.and_then(tx_mlir::gpu::dynamic_shared_bytes);
        step.dynamic_shared_bytes = Expr::Const(bytes.map_or(0, u64::cast_signed));
    }
    launches
}

fn cluster_of(kernel: Op<'_>) -> Option<[Expr; 3]> {
    let sizes = attribute(kernel, "known_cluster_size").and_then(integers)?;
    let sizes: [i64; 3] = sizes.try_into().ok()?;
    Some(sizes.map(Expr::Const))
}

/// Returns the argument types of an entry, or an error for a type that a host cannot pass.
fn argument_types(entry: Op<'_>, name: &str) -> Result<Vec<ArgumentType>, Failed> {
    let Some(body) = blocks(entry).first().copied() else {
        return Ok(Vec::new());
    };
    // In a kernel, workgroup and private attributions follow the arguments.
    let inputs = attribute(entry, "function_type")
        .and_then(type_value)
        .and_then(|t| melior::ir::r#type::FunctionType::try_from(t).ok())
        .map_or(0, |t| t.input_count())
        .min(body.argument_count());
    (0..inputs)
        .map(|i| {
            let ty = argument(body, i).r#type();
            let refuse = |reason: String| {
                let message =
                    format!("argument {i} of `{name}` cannot be passed from the host: {reason}");
                error(entry.location(), message).code(codes::TX0611).emit()
            };
            match types::argument_type(ty) {
                Ok(ArgumentType::Memref(memref)) if memref.space != MemorySpace::Global => {
                    Err(refuse(format!("`{ty}` is not in global memory")))
                }
                Ok(ArgumentType::Memref(memref)) if !memref.is_addressable() => {
                    Err(refuse(format!("`{ty}` spans 2^63 bytes and more")))
                }
                Ok(found) => Ok(found),
                Err(reason) => Err(refuse(format!("`{ty}` is not an argument type: {reason}"))),
            }
        })
        .collect()
}

fn is_entry(op: Op<'_>) -> bool {
    let is_host_function =
        || is(op, "func.func") && !blocks(op).is_empty() && enclosing(op, "gpu.module").is_none();
    is_kernel(op) || is_host_function()
}

fn launched(top: Op<'_>) -> BTreeSet<Vec<String>> {
    walk(top)
        .into_iter()
        .filter(|op| is(*op, "gpu.launch_func"))
        .filter_map(|op| symbol_path(attribute(op, "kernel")?))
        .collect()
}

pub(crate) fn is_private(op: &Op<'_>) -> bool {
    string_attribute(*op, "sym_visibility").as_deref() == Some("private")
}

/// Removes private functions, unless all entries are private.
fn without_private(entries: &mut Vec<Op<'_>>) {
    if !entries.iter().all(is_private) {
        entries.retain(|op| !is_private(op));
    }
}

/// Returns the entries of a program, without private functions and without kernels that a function
/// launches.
fn entries(top: Op<'_>) -> Vec<Op<'_>> {
    let launched = launched(top);
    let mut entries: Vec<Op<'_>> = walk(top).into_iter().filter(|op| is_entry(*op)).collect();
    without_private(&mut entries);
    entries.retain(|entry| {
        let module = parent(*entry).map(name_of).unwrap_or_default();
        !(is_kernel(*entry) && launched.contains(&vec![module, name_of(*entry)]))
    });
    entries
}

pub(crate) fn entry_names(module: &Module<'_>) -> Vec<String> {
    entries(top(module)).into_iter().map(name_of).collect()
}

pub(crate) fn unknown_grid(
    session: &Session,
    module: &Module<'_>,
    source: &Source,
) -> Option<Warning> {
    let entry = find_entry(top(module), source);
    // Errors about the entry are discarded here, because the compilation reports them.
    session.take_diagnostics();
    grid::unknown(entry.ok()?)
}

fn find_entry<'m>(top: Op<'m>, source: &Source) -> Result<Op<'m>, Failed> {
    let entries: Vec<Op<'m>> = walk(top).into_iter().filter(|op| is_entry(*op)).collect();
    let known = || match entries.len() {
        0 => "the file has none".to_owned(),
        _ => format!(
            "the file has {}",
            entries
                .iter()
                .map(|e| format!("`{}`", name_of(*e)))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    let mut found: Vec<Op<'m>> = match &source.entry {
        Some(wanted) => entries
            .iter()
            .copied()
            .filter(|e| name_of(*e) == *wanted)
            .collect(),
        None => {
            let mut public = entries.clone();
            without_private(&mut public);
            public
        }
    };
    // If a function and the kernel that it launches both match, the function is the entry.
    if found.len() > 1 && !found.iter().all(|entry| is_kernel(*entry)) {
        let launched = launched(top);
        found.retain(|entry| {
            let module = parent(*entry).map(name_of).unwrap_or_default();
            !(is_kernel(*entry) && launched.contains(&vec![module, name_of(*entry)]))
        });
    }
    match (found.as_slice(), &source.entry) {
        ([one], _) => Ok(*one),
        ([], Some(wanted)) => Err(error(top.location(), format!("no entry named `{wanted}`"))
            .code(codes::TX0601)
            .note(known())
            .emit()),
        ([], None) => {
            let message = "no entry: expected a kernel `gpu.func` or a `func.func` with a body";
            let functions = walk(top).into_iter().filter(|op| is(*op, "gpu.func"));
            let mut report = error(top.location(), message).code(codes::TX0601);
            if walk(top).len() == 1 {
                report = report.note(match source.text.trim_ascii().is_empty() {
                    true => "the file is empty",
                    false => "the file has comments and nothing else",
                });
            }
            let noted = functions.fold(report, |report, function| {
                let name = name_of(function);
                report.note_at(
                    function.location(),
                    format!(
                        "`{name}` is launched if `kernel` stands behind its arguments: \
                             `gpu.func @{name}(...) kernel`"
                    ),
                )
            });
            Err(noted.emit())
        }
        (several, wanted) => {
            let message = match wanted {
                Some(wanted) => format!("{} entries are named `{wanted}`", several.len()),
                None => format!(
                    "{} entries, expected one; choose with --entry",
                    several.len()
                ),
            };
            Err(error(top.location(), message)
                .code(codes::TX0601)
                .note(known())
                .emit())
        }
    }
}

/// Reports an error if an expression contains the address of an argument. Only conditions may use
/// addresses.
fn check_no_address<'e>(
    op: Op<'_>,
    exprs: impl IntoIterator<Item = &'e Expr>,
) -> Result<(), Failed> {
    let mut found = None;
    for expr in exprs {
        expr.for_each_symbol(&mut |symbol| {
            if matches!(symbol, Symbol::Address { .. }) {
                found = Some(symbol);
            }
        });
    }
    let Some(symbol) = found else {
        return Ok(());
    };
    let message = format!(
        "`{}` uses `{symbol}`, and an address is for conditions of `scf.if` alone",
        tx_mlir::name(op)
    );
    Err(error(op.location(), message).code(codes::TX0602).emit())
}

/// Reports an error if an expression has more than [`Expr::MAX_TERMS`] terms, because a plan with
/// this expression cannot be parsed.
fn check_size<'e>(op: Op<'_>, exprs: impl IntoIterator<Item = &'e Expr>) -> Result<(), Failed> {
    match exprs.into_iter().map(Expr::terms).max() {
        Some(terms) if terms > Expr::MAX_TERMS => Err(error(
            op.location(),
            format!(
                "`{}` makes an expression of {terms} terms over the arguments, and a launch plan holds {}",
                tx_mlir::name(op),
                Expr::MAX_TERMS
            ),
        )
        .code(codes::TX0608)
        .note("compute it before, and pass it as an argument")
        .emit()),
        _ => Ok(()),
    }
}
