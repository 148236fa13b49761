//! Explanations of the choices of passes: data for callers of [`collect`], or remarks.

use std::cell::RefCell;

use melior::ir::operation::OperationLike;
use tx_mlir::{Op, name, remark, source_location};
use tx_plan::{Choice, Explanation, SourcePlace};

thread_local! {
    /// Explanations that the current thread has collected. If `COLLECTED` is `None`, the thread
    /// emits explanations as remarks.
    static COLLECTED: RefCell<Option<Vec<Explanation>>> = const { RefCell::new(None) };
}

/// Calls `run`, and collects the explanations of all passes that `run` executes on this thread. The
/// passes do not emit the collected explanations as remarks.
pub fn collect<R>(run: impl FnOnce() -> R) -> (R, Vec<Explanation>) {
    let before = COLLECTED.replace(Some(Vec::new()));
    let result = run();
    (result, COLLECTED.replace(before).unwrap_or_default())
}

/// Returns the source location of `op`; `None` if the location is unknown.
pub fn place(op: Op<'_>) -> Option<SourcePlace> {
    source_location(op.location()).map(|at| SourcePlace {
        file: at.file,
        line: at.line,
        column: at.column,
    })
}

pub(crate) fn explain(op: Op<'_>, choice: Choice) {
    let explanation = Explanation {
        op: name(op).to_owned(),
        place: place(op),
        choice,
    };
    let left = COLLECTED.with_borrow_mut(|collected| match collected {
        Some(all) => {
            all.push(explanation);
            None
        }
        None => Some(explanation),
    });
    if let Some(explanation) = left {
        let notes = explanation.notes().into_iter();
        notes
            .fold(
                remark(op.location(), explanation.message()),
                |report, note| report.note(note),
            )
            .emit();
    }
}
