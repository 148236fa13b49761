// RUN: tx-opt %s --gpu-expand-math --split-input-file --verify-diagnostics

// The verifier of the dialect rejects operands that are not floats.
gpu.module @kernels {
  gpu.func @integers(%a: i32) kernel {
    // expected-error @below {{must be floating-point-like}}
    %0 = "math.exp"(%a) : (i32) -> i32
    gpu.return
  }
}

// -----

// The expansion of conversions depends on the chip. The pass rejects an unknown chip.
// expected-error @below {{unknown chip `sm_91`}}
gpu.module @kernels [#nvvm.target<chip = "sm_91">] {
}
