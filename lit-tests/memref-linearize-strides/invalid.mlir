// RUN: tx-opt %s --memref-linearize-strides --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects accesses with too few indices.
gpu.module @m {
  gpu.func @f(%A: memref<8x8xf32, strided<[-8, 1], offset: 56>>, %i: index) kernel {
    // expected-error @below {{incorrect number of indices for load, expected 2 but got 1}}
    %x = "memref.load"(%A, %i) : (memref<8x8xf32, strided<[-8, 1], offset: 56>>, index) -> f32
    gpu.return
  }
}
