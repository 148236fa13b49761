// RUN: tx-opt %s --lower-reduction

// In a loop, another thread of the warp accumulates into one element in each iteration. The thread depends on
// the loop, so iterations need a barrier in between.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @turns
  // CHECK:         scf.for
  // CHECK:           nvvm.bar.warp.sync
  // CHECK:           scf.if
  // CHECK:             memref.store
  gpu.func @turns(%A: memref<32x4xf32>, %B: memref<f32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c32 step %c1 {
      %mine = arith.cmpi eq, %t, %i : index
      scf.if %mine {
        %V = memref.subview %A[%i, 0] [1, 4] [1, 1] : memref<32x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        tile.reduce sum %V into %B axes [0] scope(thread) accumulate : memref<4xf32, strided<[1], offset: ?>> into memref<f32>
      }
    }
    gpu.return
  }
}
