// RUN: tx-opt %s --gpu-module-to-ptx --split-input-file --verify-diagnostics

// The error names the op that is not lowered, and its module.
// expected-error @+1 {{LLVM emitted no PTX for this `gpu.module`: it cannot be translated to LLVM IR}}
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @+1 {{missing `LLVMTranslationDialectInterface` registration for dialect for op: arith.constant}}
    %c = arith.constant 1 : i32
    llvm.store %c, %p : i32, !llvm.ptr
    llvm.return
  }
}

// -----

// A PTX version that does not know the chip is refused: LLVM would end the process. MLIR's default is 6.0.
// expected-error @+2 {{sm_80 needs PTX 7.0 or newer, found PTX 6.0}}
// expected-note @+1 {{write the target as #nvvm.target<chip = "sm_80", features = "+ptx70">, or run `tile-attach-target`}}
gpu.module @too_old [#nvvm.target<chip = "sm_80">] {
}

// -----

// With several PTX versions, the newest one counts, as in LLVM.
gpu.module @newest [#nvvm.target<chip = "sm_80", features = "+ptx70,+ptx60">] {
}

// -----

// expected-error @+2 {{unknown target feature `+ptx999`}}
// expected-note @+1 {{known: +ptx32}}
gpu.module @no_version [#nvvm.target<chip = "sm_90", features = "+ptx999">] {
}
