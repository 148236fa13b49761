// RUN: my-opt %s --lower-reduction
// RUN(CHOICE): my-tx explain %s

// Short rows of a thread each are summed by neighbours, without a loop, and the sums are right.
// CHECK-LABEL: gpu.func @rows
// CHECK-NOT:   scf.for
// COUNT:       @rows loads = 4, stores = 1, barriers = 0
// CHOICE:      variant `pairwise`
// SNAPSHOT: none — what counts is said above, and is all there is.
// VALIDATE
// RACE-FREE
gpu.module @kernels {
  gpu.func @rows(%A: memref<8x4xf32>, %B: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %t = gpu.thread_id x
    %row = memref.subview %A[%t, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %to = memref.subview %B[%t] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
    tile.reduce sum %row into %to axes [0] scope(thread)
        : memref<4xf32, strided<[1], offset: ?>> into memref<f32, strided<[], offset: ?>>
    gpu.return
  }
}
