//! Error for an op of a host function that a launch plan cannot contain.

use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, codes, error, name};

/// Text of a note. `HOST_CODE` lists the constructs of a host function that a launch plan supports.
pub(super) const HOST_CODE: &str = "a launch plan supports `gpu.launch_func`, `scf.if` around \
                                    launches, `memref.alloc` and `memref.dealloc`, views of \
                                    memrefs, `memref.dim`, arithmetic on `index`, and `cf.assert` \
                                    of its comparisons";

/// Reports that a launch plan cannot contain `op`, with a suggestion.
pub(super) fn unsupported_op(op: Op<'_>) -> Failed {
    let name = name(op);
    let dialect = name.split('.').next().unwrap_or(name);
    let (problem, hint) = match (name, dialect) {
        ("func.call" | "func.call_indirect", _) => ("calls a function", "inline it"),
        ("memref.get_global", _) => (
            "cannot be part of a launch plan",
            "read a `constant` array in the kernel, by a `memref.get_global` of a `memref.global` in its \
             `gpu.module`, or pass it as an argument",
        ),
        ("memref.load", _) => (
            "accesses elements, which are in device memory",
            "access elements in a kernel: pass the memref as an input to the `linalg.generic` that \
             uses the element; the map of a memref without dimensions is `(i) -> ()`",
        ),
        ("memref.reshape", _) => (
            "reads sizes from elements, which are in device memory",
            "pass the sizes as arguments and fill the shape with them in the function, or use \
             `memref.expand_shape` and `memref.collapse_shape`",
        ),
        (
            "memref.store"
            | "memref.copy"
            | "memref.atomic_rmw"
            | "memref.generic_atomic_rmw"
            | "vector.load"
            | "vector.store"
            | "vector.transfer_read"
            | "vector.transfer_write",
            _,
        ) => (
            "accesses elements, which are in device memory",
            "access elements in a kernel",
        ),
        ("gpu.launch", _) => (
            "contains the body of its kernel",
            "run `gpu-kernel-outlining` first",
        ),
        ("arith.select" | "arith.cmpi" | "arith.cmpf", _) => (
            "depends on a condition, but a launch plan supports conditions only for launches",
            "use `arith.minsi` or `arith.maxsi`, or pass the value as an argument",
        ),
        (_, "scf" | "cf") | ("affine.for" | "affine.if" | "affine.parallel", _) => (
            "is control flow that a launch plan does not support",
            "put the loop or the branch in a kernel, or choose between launches with `scf.if`",
        ),
        (_, "tile" | "linalg") => (
            "was not lowered to a kernel",
            "run the pipeline `lower-reduction`, or move the op into a kernel",
        ),
        _ => ("cannot be part of a launch plan", ""),
    };
    let hint = match hint {
        "" => HOST_CODE.to_owned(),
        hint => format!("{hint}; {HOST_CODE}"),
    };
    error(op.location(), format!("`{name}` {problem}"))
        .code(codes::TX0602)
        .note(hint)
        .emit()
}
