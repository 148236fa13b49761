//! Semantics of the ops: one file per dialect or per family of ops.

pub(crate) mod access;
pub(crate) mod allocation;
pub(crate) mod barrier;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod gpu;
pub(crate) mod group;
pub(crate) mod launch;
pub(crate) mod linalg;
pub(crate) mod memref;
pub(crate) mod nvvm;
pub(crate) mod reduce;
pub(crate) mod scalar;
pub(crate) mod shuffle;
pub(crate) mod thread_index;
pub(crate) mod tile;
pub(crate) mod tile_all_reduce;
pub(crate) mod tile_operand;
pub(crate) mod tile_reduce;
pub(crate) mod vector;

use crate::build::Build;
use crate::code::OpClosure;
use crate::trouble::Trouble;
use tx_mlir::Op;

/// Compiles an op of a supported dialect. Returns `None` for an unsupported op.
pub(crate) fn compile<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let name = tx_mlir::name(op);
    let dialect = name.split('.').next().unwrap_or(name);
    match dialect {
        "arith" | "math" | "ub" => scalar::build(op, build),
        "vector" => vector::build(op, build),
        "memref" => memref::build(op, build),
        "scf" | "func" | "cf" => control::build(op, build),
        "gpu" => gpu::build(op, build),
        "nvvm" | "llvm" => nvvm::build(op, build),
        "tile" => tile::build(op, build),
        "linalg" => linalg::build(op, build),
        "builtin" => vector::build(op, build),
        _ => Ok(None),
    }
}
