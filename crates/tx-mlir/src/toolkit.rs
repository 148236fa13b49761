//! The CUDA toolkit that MLIR would look for.

/// Keeps MLIR from linking libdevice of the CUDA toolkit that `CUDA_ROOT`, `CUDA_HOME` or
/// `CUDA_PATH` names: what is compiled would depend on the environment, take longer, and fail where
/// LLVM cannot read that version.
///
/// MLIR takes the first of these variables that is there, and no toolkit where it is empty. To name
/// another folder in the option `toolkit` of `gpu-module-to-binary` makes it complain that there is
/// no libdevice.
///
/// # Safety
/// No other thread may read or write the environment meanwhile: call it first in `main`.
pub unsafe fn ignore_cuda_toolkit() {
    // SAFETY: the caller's promise.
    unsafe { std::env::set_var("CUDA_ROOT", "") };
}
