// RUN: tx-opt %s --gpu-expand-math --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects invalid operands.
gpu.module @kernels {
  gpu.func @integers(%a: i32) kernel {
    // expected-error @below {{must be floating-point-like}}
    %0 = "math.exp"(%a) : (i32) -> i32
    gpu.return
  }
}
