//! Launch plan of a program.
//!
//! Module [`entry`] selects the entry. Module [`kernel`] returns the plan of a kernel entry, which
//! is launched once with its known block and grid sizes. Module [`host`] translates a host function
//! op by op: module [`launch`] translates launches, module [`view`] translates views of memrefs,
//! module [`scalar`] translates integers, module [`check`] translates assertions, and module
//! [`branch`] translates conditions of launches. The modules that translate ops read the symbolic
//! values in [`values`], and return the translated launches, views, integers, checks and
//! conditions. Module [`types`] translates argument types, module [`written`] finds the parameters
//! that a kernel may write, and module [`grid`] finds kernels with an unknown grid size.

mod branch;
mod check;
mod condition;
mod entry;
mod grid;
mod host;
mod kernel;
mod launch;
mod launch_plan;
mod limits;
mod liveness;
mod scalar;
mod types;
mod unsupported;
mod values;
mod view;
mod written;

pub(crate) use entry::{entry_names, is_private};
pub use grid::assumed_grid;
pub(crate) use launch_plan::{LaunchPlan, with_dynamic_shared};

use crate::error::{Error, ErrorKind};
use crate::source::Source;
use entry::find_entry;
use melior::ir::Module;
use melior::ir::operation::OperationLike;
use tx_mlir::gpu::{is_kernel, missing_block_size};
use tx_mlir::{Failed, Session, attribute, codes, error, integers, symbol_name, top};
use tx_plan::Warning;

pub(crate) enum Entry {
    Kernel(LaunchPlan),
    /// Name of a host function. The compiler must lower a host function before it creates the
    /// launch plan of the function.
    Function(String),
}

/// Returns the entry of a program. If the entry is a kernel, the result contains the launch plan of
/// the kernel.
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
    let name = symbol_name(op);
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
    kernel::plan(op, &name, &block)
        .map(Entry::Kernel)
        .map_err(|failed| unsupported(session, failed))
}

/// Returns the launch plan of a lowered host function.
pub(crate) fn of_function(
    session: &Session,
    module: &Module<'_>,
    name: &str,
) -> Result<LaunchPlan, Error> {
    host::plan(top(module), name).map_err(|failed| unsupported(session, failed))
}

fn unsupported(session: &Session, _: Failed) -> Error {
    Error::reported(
        ErrorKind::Unsupported,
        session.take_diagnostics(),
        "the entry cannot be launched",
    )
}

/// Returns a warning if the entry is launched with an assumed grid size.
pub(crate) fn unknown_grid(
    session: &Session,
    module: &Module<'_>,
    source: &Source,
) -> Option<Warning> {
    let entry = find_entry(top(module), source);
    // Errors about the entry are discarded here, because the compilation reports them.
    session.take_diagnostics();
    grid::unknown_grid(entry.ok()?)
}
