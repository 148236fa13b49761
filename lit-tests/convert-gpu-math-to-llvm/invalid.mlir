// RUN: tx-opt %s --convert-gpu-math-to-llvm --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect already rejects invalid ops.
gpu.module @math {
  gpu.func @integers(%a: i32) kernel {
    // expected-error @below {{must be floating-point-like}}
    %0 = "math.absf"(%a) : (i32) -> i32
    gpu.return
  }
}
