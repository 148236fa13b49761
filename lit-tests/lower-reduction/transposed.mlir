// RUN: tx-opt %s --lower-reduction

// Contiguous elements may be along another dimension than the last, as in a transposed view. A vector load
// cannot read along this dimension, so elements are loaded one by one.

#s = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @transposed
  // CHECK-NOT:     vector.load
  // CHECK:         memref.load
  // CHECK-NOT:     vector.load
  // CHECK:         gpu.return
  gpu.func @transposed(%B: memref<32xf32>) workgroup(%A: memref<32x8x4xf32, #s>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = memref.transpose %A (d0, d1, d2) -> (d2, d1, d0)
        : memref<32x8x4xf32, #s> to memref<4x8x32xf32, strided<[1, 4, 32]>, #s>
    tile.reduce sum %t into %B axes [0, 1] scope(cta)
        : memref<4x8x32xf32, strided<[1, 4, 32]>, #s> into memref<32xf32>
    gpu.return
  }
}
