// RUN: tx-opt %s --lower-reduction

gpu.module @kernels {
  // Each iteration writes other rows, so the threads that own an element change. Each iteration has one
  // barrier, outside the branch of the writing threads.
  // CHECK-LABEL: gpu.func @moving_destination
  // CHECK:         scf.for
  // CHECK-COUNT-1:   gpu.barrier
  // CHECK:           scf.if
  // CHECK:             memref.store
  // CHECK-NOT:     gpu.barrier
  // CHECK-NOT:     tile.
  gpu.func @moving_destination(%A: memref<64x8xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %r = memref.subview %A[%i, 0] [32, 8] [1, 1]
          : memref<64x8xf32> to memref<32x8xf32, strided<[8, 1], offset: ?>>
      %o = memref.subview %B[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
      tile.reduce sum %r into %o axes [1] scope(cta)
          : memref<32x8xf32, strided<[8, 1], offset: ?>> into memref<32xf32, strided<[1], offset: ?>>
    }
    gpu.return
  }
}
