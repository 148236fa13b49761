//! Isolation of MLIR from an installed CUDA toolkit.

/// Prevents MLIR from linking libdevice of an installed CUDA toolkit, which MLIR finds through
/// `CUDA_ROOT`, `CUDA_HOME` or `CUDA_PATH`. With libdevice, the output would depend on the
/// environment, and compilation would take longer. Compilation would also fail if LLVM cannot read
/// the installed version of libdevice.
///
/// MLIR uses the first of the three environment variables that is set; an empty value denotes no
/// toolkit. The option `toolkit` of `gpu-module-to-binary` is not sufficient, because MLIR reports
/// an error for a toolkit folder without libdevice.
///
/// # Safety
/// No other thread may access the environment during the call, so `main` must call the function
/// first.
pub unsafe fn ignore_cuda_toolkit() {
    // SAFETY: by the contract of this function.
    unsafe { std::env::set_var("CUDA_ROOT", "") };
}
