// RUN: tx-opt %s --convert-gpu-math-to-llvm --split-input-file --verify-diagnostics

// The pass refuses nothing; what has no intrinsic is refused by the dialect before.
gpu.module @math {
  gpu.func @integers(%a: i32) kernel {
    // expected-error @below {{must be floating-point-like}}
    %0 = "math.absf"(%a) : (i32) -> i32
    gpu.return
  }
}
