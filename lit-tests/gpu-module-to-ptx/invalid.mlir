// RUN: tx-opt %s --gpu-module-to-ptx --verify-diagnostics

// What is left of other dialects is named, and so is the module.
// expected-error @+1 {{no PTX was made of it: it cannot be translated to LLVM IR}}
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @+1 {{missing `LLVMTranslationDialectInterface` registration for dialect for op: arith.constant}}
    %c = arith.constant 1 : i32
    llvm.store %c, %p : i32, !llvm.ptr
    llvm.return
  }
}
