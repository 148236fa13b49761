//! Locations of ops in messages.

use std::cell::{Ref, RefCell};
use std::fmt;
use tx_mlir::Op;
use tx_mlir::melior::ir::operation::OperationLike;

/// Location of an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name of the op.
    pub op: String,
    /// Location in MLIR syntax, without `loc(…)`.
    pub location: String,
}

impl Site {
    pub(crate) fn of(op: Op<'_>) -> Self {
        let location = op.location().to_string();
        Self {
            op: tx_mlir::name(op).to_owned(),
            location: tx_mlir::source_location(op.location())
                .map(|l| format!("{}:{}:{}", l.file, l.line, l.column))
                .unwrap_or(location),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {}", self.op, self.location)
    }
}

/// Locations of all ops that access memory. The race check identifies an op by the index of its
/// location in the `SiteTable`.
#[derive(Default)]
pub(crate) struct SiteTable(RefCell<Vec<Site>>);

impl SiteTable {
    /// Adds an op. Returns the index of the op in the `SiteTable`, and the location of the op.
    pub(crate) fn add(&self, op: Op<'_>) -> (u32, Site) {
        let site = Site::of(op);
        let mut sites = self.0.borrow_mut();
        sites.push(site.clone());
        (sites.len() as u32 - 1, site)
    }

    /// Returns the locations of the registered ops, by index.
    pub(crate) fn sites(&self) -> Ref<'_, Vec<Site>> {
        self.0.borrow()
    }
}
