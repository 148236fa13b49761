//! Removal of functions with ops of unregistered dialects. A compiled function must not contain ops
//! of unregistered dialects.

use crate::plan::is_private;
use crate::source::Source;
use melior::ir::Module;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_mlir::{
    Failed, Op, attributes, codes, erase, error, first_block, is, is_unregistered, name, ops,
    string_attribute, symbol_path, top, walk,
};

/// Function or `gpu.module`, with the symbols that the function or module defines and the symbols
/// that it uses.
struct Unit<'c> {
    op: Op<'c>,
    defines: BTreeSet<String>,
    uses: BTreeSet<String>,
    unregistered: Option<Op<'c>>,
}

impl<'c> Unit<'c> {
    fn of(op: Op<'c>) -> Self {
        let all = walk(op);
        let names = all
            .iter()
            .filter_map(|op| string_attribute(*op, "sym_name"));
        let paths = all.iter().flat_map(|op| attributes(*op));
        let paths = paths.filter_map(|(_, value)| symbol_path(value)?.into_iter().next());
        Self {
            op,
            defines: names.collect(),
            uses: paths.collect(),
            unregistered: all.iter().copied().find(|op| is_unregistered(*op)),
        }
    }

    fn uses(&self, other: &Self) -> bool {
        !self.uses.is_disjoint(&other.defines)
    }
}

/// Removes each function that contains ops of unregistered dialects, and each function that refers
/// to a removed function.
///
/// # Errors
/// Emits an error if a function that must be compiled contains an op of an unregistered dialect.
pub(crate) fn remove(module: &Module<'_>, source: &Source) -> Result<(), Failed> {
    let Some(body) = first_block(top(module), 0) else {
        return Ok(());
    };
    let units: Vec<Unit<'_>> = ops(body)
        .into_iter()
        .filter(|op| is(*op, "func.func") || is(*op, "gpu.module"))
        .map(Unit::of)
        .collect();
    if units.iter().all(|unit| unit.unregistered.is_none()) {
        return Ok(());
    }
    let is_entry = |unit: &Unit<'_>| match &source.entry {
        Some(entry) => unit.defines.contains(entry),
        None => !is_private(&unit.op),
    };
    let compiled = closure(&units, is_entry, |known, unit| known.uses(unit));
    for unit in compiled.iter().map(|i| &units[*i]) {
        if let Some(op) = unit.unregistered {
            return Err(refuse(op));
        }
    }
    let gone = closure(
        &units,
        |unit| unit.unregistered.is_some(),
        |known, unit| unit.uses(known),
    );
    gone.into_iter().for_each(|i| erase(units[i].op));
    Ok(())
}

/// Returns the indices of all reachable units (functions and GPU modules). The search starts at the
/// units that the callback `starts` selects. A unit `b` is reachable from a unit `a` if the
/// callback `follows` returns true for `a` and `b`.
fn closure<'u, 'c>(
    units: &'u [Unit<'c>],
    starts: impl Fn(&Unit<'c>) -> bool,
    follows: impl Fn(&Unit<'c>, &Unit<'c>) -> bool,
) -> BTreeSet<usize> {
    let mut next: Vec<usize> = (0..units.len()).filter(|i| starts(&units[*i])).collect();
    let mut found = BTreeSet::new();
    while let Some(i) = next.pop() {
        if found.insert(i) {
            next.extend((0..units.len()).filter(|other| follows(&units[i], &units[*other])));
        }
    }
    found
}

fn refuse(op: Op<'_>) -> Failed {
    let dialect = name(op).split('.').next().unwrap_or_default();
    error(
        op.location(),
        format!(
            "`{}` is an op of the dialect `{dialect}`, which is not registered",
            name(op)
        ),
    )
    .code(codes::TX0613)
    .note("convert it before to ops of `linalg`, `tensor`, `arith` and `math`")
    .emit()
}
