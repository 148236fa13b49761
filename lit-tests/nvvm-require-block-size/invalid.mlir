// RUN: tx-opt %s --nvvm-require-block-size --split-input-file --verify-diagnostics

// The pass refuses nothing; a kernel that is no function is refused by the dialect before.
gpu.module @kernels {
  // expected-error @below {{'nvvm.kernel' attribute attached to unexpected op}}
  gpu.func @no_llvm_function() attributes {nvvm.kernel} {
    gpu.return
  }
}
