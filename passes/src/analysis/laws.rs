//! Whether a combiner that a program brings may be used in any order.

use crate::linalg::laws::check;
use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, attribute, elements, error, first_block};

/// Refuses a `custom` combiner of single values for which a law is seen to fail.
///
/// Of combiners of several values only some of all tuples occur, such as a mean with its count, and
/// which these are is not known. Nor is which elements occur: 0 is neutral for a largest magnitude as
/// long as these are not negative. So identities are taken as they are given.
pub(crate) fn check_laws(op: Op<'_>) -> Result<(), Failed> {
    let identities = attribute(op, "identities")
        .and_then(elements)
        .unwrap_or_default();
    let alone = identities.len() == 1;
    let Some(block) = first_block(op, 0).filter(|_| alone) else {
        return Ok(());
    };
    check(block, None).map_err(|broken| {
        error(op.location(), format!("{broken}: {}", broken.text))
            .note("elements are combined in any order")
            .emit()
    })
}
