//! Errors about necessary barriers that not all threads would reach.

use crate::analysis::active::Split;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::Scope;
use tx_mlir::{Failed, Op, codes, error, name};

pub(super) struct Reason {
    pub(super) what: &'static str,
    /// Text that describes the effect of the branch on the threads.
    pub(super) branch: &'static str,
    pub(super) advice: &'static str,
}

impl Reason {
    pub(super) fn of(split: Option<Split<'_>>) -> Self {
        let Some(split) = split else {
            return Self {
                what: "a barrier is needed here, but not all lanes of the warp get here",
                branch: "a branch around it splits the threads of a warp",
                advice: "let one thread do the work, or let the branch take whole warps",
            };
        };
        let unknown = "a barrier is needed here, but whether all threads get here is not known";
        match name(split.op) {
            "gpu.func" => Self {
                what: unknown,
                branch: "this kernel has unstructured control flow",
                advice: "write its branches as `scf.if` and its loops as `scf.for` or `scf.while`",
            },
            "scf.execute_region" => Self {
                what: unknown,
                branch: "this region has unstructured control flow",
                advice: "write its branches as `scf.if` and its loops as `scf.for` or `scf.while`",
            },
            "scf.if" | "scf.index_switch" | "scf.for" | "scf.while" | "scf.parallel"
            | "affine.for"
                if split.together >= Scope::Warp =>
            {
                Self {
                    what: "a barrier is needed here, but which warps of the block get here is not known",
                    branch: "warps may take this differently",
                    advice: "let it depend on what the whole block shares, or on thread ids and \
                             constants alone",
                }
            }
            "scf.if" | "scf.index_switch" => Self {
                what: "a barrier is needed here, but not all lanes of the warp get here",
                branch: "this splits the threads of a warp",
                advice: "let one thread do the work, or let the branch take whole warps",
            },
            "scf.for" | "scf.while" | "scf.parallel" | "affine.for" => Self {
                what: "a barrier is needed here, but not all lanes of the warp get here",
                branch: "this splits the threads of a warp",
                advice: "let one thread do the work, or let all threads go round equally often",
            },
            _ => Self {
                what: unknown,
                branch: "what this op does to threads is not known",
                advice: "write it as `scf.if`, `scf.for` or `scf.while`",
            },
        }
    }
}

/// Emits the error for two arms that different threads execute at the same time and that access the
/// same memory.
pub(super) fn side_by_side<'c>(branch: Op<'c>, earlier: Op<'c>, later: Op<'c>) -> Failed {
    error(
        later.location(),
        "this touches memory that the other arm of a branch touches at the same time",
    )
    .code(codes::TX0117)
    .note_at(earlier.location(), "the other access")
    .note_at(
        branch.location(),
        "threads take both arms of this branch side by side",
    )
    .note("put the two into branches one after the other")
    .emit()
}
