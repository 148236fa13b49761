// RUN: tx-opt %s --lower-reduction

#private = #gpu.address_space<private>

// At scope `thread`, a reduction is loops, loads and stores; 32 threads execute it independently.
// CHECK-NOT: {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
gpu.module @kernels {
  // Through private memory: a copy in, the maximum of each row, and a copy out.
  // CHECK-LABEL: gpu.func @private_tile
  // CHECK-SAME:    private(%[[P:.+]] : memref<4x8xf32, #gpu.address_space<private>>, %[[Q:.+]] : memref<4xf32, #gpu.address_space<private>>)
  // CHECK:         memref.store %{{.+}}, %[[P]]
  // CHECK:         %[[M:.+]] = scf.for
  // CHECK:           %[[X:.+]] = memref.load %[[P]]
  // CHECK:           arith.maximumf %{{.+}}, %[[X]]
  // CHECK:         memref.store %[[M]], %[[Q]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @private_tile(%A: memref<32x4x8xf32>, %B: memref<32x4xf32>)
      private(%a: memref<4x8xf32, #private>, %b: memref<4xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %V = memref.subview %A[%t, 0, 0] [1, 4, 8] [1, 1, 1]
      : memref<32x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %W = memref.subview %B[%t, 0] [1, 4] [1, 1]
      : memref<32x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    tile.copy %V to %a scope(thread)
      : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32, #private>
    tile.reduce max %a into %b axes [1] scope(thread)
      : memref<4x8xf32, #private> into memref<4xf32, #private>
    tile.copy %b to %W scope(thread)
      : memref<4xf32, #private> to memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // From global memory to global memory: each thread uses its own part of both arrays.
  // CHECK-LABEL: gpu.func @global_tile
  // CHECK:         %[[S:.+]] = scf.for
  // CHECK:           memref.load
  // CHECK:           arith.addf
  // CHECK:         memref.store %[[S]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @global_tile(%A: memref<32x4x8xf32>, %B: memref<32x4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %V = memref.subview %A[%t, 0, 0] [1, 4, 8] [1, 1, 1]
      : memref<32x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %W = memref.subview %B[%t, 0] [1, 4] [1, 1]
      : memref<32x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    tile.reduce sum %V into %W axes [1] scope(thread)
      : memref<4x8xf32, strided<[8, 1], offset: ?>> into memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
