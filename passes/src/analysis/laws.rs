//! Whether a combiner that a program brings may be used in any order.

use crate::linalg::laws::{Law, check};
use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, attribute, elements, error, first_block};

/// Refuses a `custom` combiner for which a law is seen to fail.
pub(crate) fn check_laws(op: Op<'_>) -> Result<(), Failed> {
    let identities = attribute(op, "identities")
        .and_then(elements)
        .unwrap_or_default();
    let Some(block) = first_block(op, 0).filter(|_| !identities.is_empty()) else {
        return Ok(());
    };
    check(block, &identities).map_err(|broken| {
        error(op.location(), format!("{broken}: {}", broken.text))
            .note(match broken.law {
                Law::Identity => {
                    "threads without an element combine the identity, any number of times"
                }
                _ => "elements are combined in any order",
            })
            .emit()
    })
}
