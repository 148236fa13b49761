// RUN: tx-opt %s --lower-reduction

// Two exchanges use separate shared memory, so the second need not wait for the readers of the first: one
// barrier each is enough.
// CHECK-DAG:     memref.global "private" @[[FIRST:.+]] : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-DAG:     memref.global "private" @[[SECOND:.+]] : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: gpu.func @two_exchanges
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         arith.subf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// COUNT:         @two_exchanges barriers = 2, global loads = 1
// RACE-FREE
gpu.module @kernels {
  gpu.func @two_exchanges(%A: memref<96xf32>, %B: memref<96xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<96xf32>
    %m = tile.all_reduce max %x scope(cta) : f32 -> f32
    %d = arith.subf %x, %m : f32
    %s = tile.all_reduce sum %d scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<96xf32>
    gpu.return
  }
}
