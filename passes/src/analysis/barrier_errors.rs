//! Errors for required barriers that some threads would not reach.

use crate::analysis::active::Split;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::Scope;
use tx_mlir::{Failed, Op, codes, error, name};

pub(super) struct Reason {
    pub(super) what: &'static str,
    /// Text of the note that explains why some threads may not reach the op: for example, the
    /// threads may diverge at a branch.
    pub(super) branch: &'static str,
    pub(super) advice: &'static str,
}

impl Reason {
    pub(super) fn of(split: Option<Split<'_>>) -> Self {
        let Some(split) = split else {
            return Self {
                what: "a barrier is required here, but not all lanes of the warp reach this op",
                branch: "a branch around this op separates the threads of a warp",
                advice: "let one thread execute the op, or make the condition uniform within each \
                         warp",
            };
        };
        let unknown = "a barrier is required here, but it is not known whether all threads reach \
                       this op";
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
                    what: "a barrier is required here, but it is not known which warps of the \
                           block reach this op",
                    branch: "warps may take different paths here",
                    advice: "make the condition uniform across the block, or compute it from \
                             thread ids and constants only",
                }
            }
            "scf.if" | "scf.index_switch" => Self {
                what: "a barrier is required here, but not all lanes of the warp reach this op",
                branch: "threads of one warp may take different paths here",
                advice: "let one thread execute the op, or make the condition uniform within each \
                         warp",
            },
            "scf.for" | "scf.while" | "scf.parallel" | "affine.for" => Self {
                what: "a barrier is required here, but not all lanes of the warp reach this op",
                branch: "threads of one warp may take different paths here",
                advice: "let one thread execute the op, or make the number of iterations equal for \
                         all threads",
            },
            _ => Self {
                what: unknown,
                branch: "the control flow of this op is not known",
                advice: "write it as `scf.if`, `scf.for` or `scf.while`",
            },
        }
    }
}

/// Emits the error for two arms of a branch that access the same memory while different threads
/// execute the two arms at the same time.
pub(super) fn side_by_side<'c>(branch: Op<'c>, earlier: Op<'c>, later: Op<'c>) -> Failed {
    error(
        later.location(),
        "this op accesses memory that the other arm of the branch accesses at the same time",
    )
    .code(codes::TX0117)
    .note_at(earlier.location(), "the other access")
    .note_at(
        branch.location(),
        "different threads execute the two arms of this branch at the same time",
    )
    .note("move the two accesses into two consecutive branches")
    .emit()
}
