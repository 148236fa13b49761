//! Isolation of MLIR from an installed CUDA toolkit.

/// Prevents MLIR from linking libdevice. MLIR finds libdevice in the CUDA toolkit to which the
/// environment variable `CUDA_ROOT`, `CUDA_HOME` or `CUDA_PATH` points. If MLIR linked libdevice,
/// the emitted code would depend on environment variables, compilation would take longer, and
/// compilation would fail for a libdevice version that LLVM cannot read.
///
/// MLIR uses the first environment variable that is set, in the order `CUDA_ROOT`, `CUDA_HOME`,
/// `CUDA_PATH`. If the value of the first set environment variable is empty, MLIR uses no toolkit.
/// The option `toolkit` of `gpu-module-to-binary` cannot replace `ignore_cuda_toolkit`, because
/// MLIR reports an error if the toolkit folder contains no libdevice.
///
/// # Safety
/// No other thread may access the environment during a call of `ignore_cuda_toolkit`, so `main`
/// must call `ignore_cuda_toolkit` first.
pub unsafe fn ignore_cuda_toolkit() {
    // SAFETY: by the contract of this function.
    unsafe { std::env::set_var("CUDA_ROOT", "") };
}
