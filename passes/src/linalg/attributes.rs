//! Attributes of linalg ops that are copied to `tile` ops.

use super::read::Loops;
use crate::grid::steps::{Case, Step};
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::{Determinism, Nan};
use tx_mlir::{
    Failed, Op, attribute, codes, discardable_attributes, elements, error, is_of_dialect, name,
    nearest, type_value,
};

/// An attribute of a linalg op that the conversion copies to the emitted `tile.reduce` or kernel.
pub(crate) struct HandedOn {
    pub(crate) name: &'static str,
    /// True if the attribute is also permitted on linalg ops that are not reductions.
    pub(crate) is_for_all: bool,
    fits: fn(Attribute<'_>) -> bool,
    expected: &'static str,
}

/// All attributes of a linalg op that the conversion copies to the emitted `tile.reduce` or kernel.
pub(crate) const HANDED_ON: [HandedOn; 4] = [
    HandedOn {
        name: "acc",
        is_for_all: false,
        fits: |value| type_value(value).is_some(),
        expected: "a type, as `f32`",
    },
    HandedOn {
        name: "determinism",
        is_for_all: false,
        fits: |value| Determinism::of(value).is_some(),
        expected: "`#tile.determinism<any>`, `<run_to_run>` or `<batch_invariant>`",
    },
    HandedOn {
        name: "nan",
        is_for_all: false,
        fits: |value| Nan::of(value).is_some(),
        expected: "`#tile.nan<propagate>` or `<ignore>`",
    },
    HandedOn {
        name: "schedule",
        is_for_all: true,
        fits: |value| {
            let is_step = |a: &Attribute<'_>| {
                Step::of(*a).is_some()
                    || ['d', 'r']
                        .iter()
                        .any(|loops| Case::of(*a, *loops).is_some())
            };
            elements(value).is_some_and(|steps| steps.iter().all(is_step))
        },
        expected: "a list of steps, as `[#tile.split<\"d0\" by 32>]`",
    },
];

/// Attributes that only a `tile.reduce` accepts.
const OF_TILE: [&str; 3] = ["variant", "params", "accumulate"];

/// Returns the attributes of `op` that the conversion copies to the `tile` op.
pub(crate) fn handed_on<'c>(op: Op<'c>) -> Vec<(&'static HandedOn, Attribute<'c>)> {
    let found = |one: &'static HandedOn| Some((one, attribute(op, one.name)?));
    HANDED_ON.iter().filter_map(found).collect()
}

/// Checks the attributes of a linalg op. `acc`, `determinism`, `nan` and `schedule` must have the
/// right type. `acc`, `determinism` and `nan` are permitted only on reductions. Misspelt
/// attributes, and attributes that only a `tile.reduce` accepts, cause an error, because the
/// conversion would drop such attributes silently.
pub(crate) fn check_attributes(op: Op<'_>) -> Result<(), Failed> {
    for (found, value) in discardable_attributes(op) {
        if found.contains('.') {
            continue;
        }
        let text = value.to_string();
        if let Some(one) = HANDED_ON.iter().find(|one| one.name == found) {
            if !(one.fits)(value) {
                let message = format!("attribute `{found}` is `{text}`, expected {}", one.expected);
                return Err(error(op.location(), message).code(codes::TX0035).emit());
            }
            if !one.is_for_all && !reduces(op) {
                return Err(of_no_reduction(op, &found));
            }
            continue;
        }
        let names = || HANDED_ON.iter().map(|one| one.name);
        let meant = nearest(&found, names());
        if meant.is_none() && !is_of_dialect(value, "tile") && !OF_TILE.contains(&found.as_str()) {
            continue;
        }
        let report = error(
            op.location(),
            format!("attribute `{found}` of a linalg op is not copied to the reduction"),
        )
        .code(codes::TX0035);
        let report = match meant {
            Some(meant) => report.note(format!("did you mean `{meant}`?")),
            None => report,
        };
        let known = names().collect::<Vec<_>>().join(", ");
        return Err(report
            .note(format!(
                "attributes that are copied: {known}; `tile.reduce` accepts more"
            ))
            .emit());
    }
    Ok(())
}

/// Returns whether an op is a reduction: at least one of its loops indexes no output.
pub(crate) fn reduces(op: Op<'_>) -> bool {
    Loops::of(op).is_some_and(|loops| !loops.reduced.is_empty())
}

pub(crate) fn of_no_reduction(op: Op<'_>, attribute: &str) -> Failed {
    error(
        op.location(),
        format!(
            "attribute `{attribute}` is only for reductions, and `{}` is not a reduction",
            name(op)
        ),
    )
    .code(codes::TX0035)
    .note("remove the attribute, or set it on the reduction")
    .emit()
}
