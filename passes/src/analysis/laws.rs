//! Whether a combiner that a program brings may be used in any order.

use crate::linalg::laws::{Law, check, instead};
use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, attribute, elements, enclosing, error, first_block, warning};

/// Refuses a `custom` combiner for which a law is seen to fail.
pub(crate) fn check_laws(op: Op<'_>) -> Result<(), Failed> {
    let identities = attribute(op, "identities")
        .and_then(elements)
        .unwrap_or_default();
    let Some(block) = first_block(op, 0).filter(|_| !identities.is_empty()) else {
        return Ok(());
    };
    let element = first_block(op, 1);
    let changed = check(block, element, &identities).map_err(|broken| {
        let report = error(op.location(), format!("{broken}: {}", broken.text));
        let (why, meant) = match broken.law {
            Law::Identity => (
                "threads without an element combine the identity, any number of times",
                None,
            ),
            _ => ("elements are combined in any order", instead(block)),
        };
        let meant = meant.into_iter();
        meant
            .fold(report, |report, meant| report.note(meant))
            .note(why)
            .emit()
    })?;
    // What `tile-schedule` made kernels of, it has looked at.
    let is_written = enclosing(op, "gpu.func").is_none_or(|k| attribute(k, "schedule").is_none());
    if let Some(changed) = changed.filter(|_| is_written) {
        warning(
            op.location(),
            format!("the identity is not neutral to every value: {}", changed.text),
        )
        .note("threads without an element combine the identity: results are right where such values do not occur")
        .emit();
    }
    Ok(())
}
