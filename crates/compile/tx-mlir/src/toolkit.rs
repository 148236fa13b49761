//! Isolation of MLIR from an installed CUDA toolkit.

/// Keeps MLIR from linking libdevice of the CUDA toolkit that `CUDA_ROOT`, `CUDA_HOME` or
/// `CUDA_PATH` names. With libdevice, the output would depend on the environment, compilation would
/// take longer, and would fail if LLVM cannot read that version.
///
/// MLIR uses the first of these variables that is set, and no toolkit if the value is empty. Naming
/// another folder in the `toolkit` option of `gpu-module-to-binary` does not help: MLIR reports a
/// missing libdevice.
///
/// # Safety
/// No other thread may access the environment during the call: call the function first in `main`.
pub unsafe fn ignore_cuda_toolkit() {
    // SAFETY: by the contract of this function.
    unsafe { std::env::set_var("CUDA_ROOT", "") };
}
