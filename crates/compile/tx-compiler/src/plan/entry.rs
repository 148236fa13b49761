//! Selection of the entry of a program: a kernel or a host function.

use crate::source::Source;
use melior::ir::Module;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_mlir::gpu::is_kernel;
use tx_mlir::{
    Failed, Op, attribute, blocks, codes, enclosing, error, is, parent, string_attribute,
    symbol_name, symbol_path, top, walk,
};

fn is_entry(op: Op<'_>) -> bool {
    let is_host_function =
        || is(op, "func.func") && !blocks(op).is_empty() && enclosing(op, "gpu.module").is_none();
    is_kernel(op) || is_host_function()
}

/// Returns the symbol paths of the kernels that a function launches.
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

/// Removes private functions from `entries`, unless all entries are private.
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
        let module = parent(*entry).map(symbol_name).unwrap_or_default();
        !(is_kernel(*entry) && launched.contains(&vec![module, symbol_name(*entry)]))
    });
    entries
}

pub(crate) fn entry_names(module: &Module<'_>) -> Vec<String> {
    entries(top(module)).into_iter().map(symbol_name).collect()
}

/// Returns the entry that `source` names. If `source` names no entry, returns the only entry of the
/// program.
pub(super) fn find_entry<'m>(top: Op<'m>, source: &Source) -> Result<Op<'m>, Failed> {
    let entries: Vec<Op<'m>> = walk(top).into_iter().filter(|op| is_entry(*op)).collect();
    let known = || match entries.len() {
        0 => "the file has none".to_owned(),
        _ => format!(
            "the file has {}",
            entries
                .iter()
                .map(|e| format!("`{}`", symbol_name(*e)))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    let mut found: Vec<Op<'m>> = match &source.entry {
        Some(wanted) => entries
            .iter()
            .copied()
            .filter(|e| symbol_name(*e) == *wanted)
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
            let module = parent(*entry).map(symbol_name).unwrap_or_default();
            !(is_kernel(*entry) && launched.contains(&vec![module, symbol_name(*entry)]))
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
                let name = symbol_name(function);
                report.note_at(
                    function.location(),
                    format!(
                        "to make `{name}` a kernel, write `kernel` after its arguments: `gpu.func \
                         @{name}(...) kernel`"
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
