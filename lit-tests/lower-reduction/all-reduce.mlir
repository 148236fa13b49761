// RUN: tx-opt %s --lower-reduction

gpu.module @kernels {
  // Eight lanes with a stride of four: the shuffle distances are 4, 8 and 16.
  // CHECK-LABEL: gpu.func @width_8_stride_4
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         %[[C4:.+]] = arith.constant 4 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[C4]],
  // CHECK:         %[[C8:.+]] = arith.constant 8 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[C8]],
  // CHECK:         %[[C16:.+]] = arith.constant 16 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[C16]],
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @width_8_stride_4(%A: memref<64xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %s = tile.all_reduce sum %x scope(warp) width 8 stride 4 : f32 -> f32
    memref.store %s, %B[%t] : memref<64xf32>
    gpu.return
  }

  // Three warps store three sums, which every thread loads and adds up. There is no second round of shuffles,
  // and no lane represents a fourth warp.
  // CHECK-LABEL: gpu.func @cta_of_3_warps
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.get_global @{{.+}} : memref<4xf32, #gpu.address_space<workgroup>>
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-3: memref.load %{{.+}} : memref<4xf32, #gpu.address_space<workgroup>>
  // CHECK-COUNT-2: arith.addf
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|addf}}
  gpu.func @cta_of_3_warps(%A: memref<96xf32>, %B: memref<96xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<96xf32>
    %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<96xf32>
    gpu.return
  }

  // In a loop, each iteration overwrites the exchange memory, so a faster warp must wait until all others
  // have read it: a second barrier before the store.
  // CHECK-LABEL: gpu.func @in_a_loop
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         scf.for
  // CHECK-COUNT-5:   gpu.shuffle xor
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           %[[S:.+]] = memref.get_global
  // CHECK:           gpu.barrier
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:             memref.store %{{.+}}, %[[S]]
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           gpu.barrier
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-3:   memref.load %[[S]]
  // CHECK-COUNT-2:   arith.addf
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|addf}}
  gpu.func @in_a_loop(%A: memref<4x96xf32>, %B: memref<4x96xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c4 step %c1 {
      %x = memref.load %A[%i, %t] : memref<4x96xf32>
      %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
      memref.store %s, %B[%i, %t] : memref<4x96xf32>
    }
    gpu.return
  }

  // A block of one warp needs no shared memory.
  // CHECK-LABEL: gpu.func @cta_of_1_warp
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|get_global}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|get_global}}
  gpu.func @cta_of_1_warp(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce max %x scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }

  // A block of one thread needs no exchange.
  // CHECK-LABEL: gpu.func @thread
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|get_global}}
  // CHECK:         %[[X:.+]] = memref.load
  // CHECK-NEXT:    memref.store %[[X]]
  gpu.func @thread(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %x scope(thread) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
