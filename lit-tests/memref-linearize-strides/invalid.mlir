// RUN: tx-opt %s --memref-linearize-strides --split-input-file --verify-diagnostics

// The pass refuses nothing; an access with too few indices is refused by the dialect before.
gpu.module @m {
  gpu.func @f(%A: memref<8x8xf32, strided<[-8, 1], offset: 56>>, %i: index) kernel {
    // expected-error @below {{incorrect number of indices for load, expected 2 but got 1}}
    %x = "memref.load"(%A, %i) : (memref<8x8xf32, strided<[-8, 1], offset: 56>>, index) -> f32
    gpu.return
  }
}
