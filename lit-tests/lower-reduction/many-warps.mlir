// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

gpu.module @kernels {
  // For up to sixteen warps, one barrier is enough: each thread combines the partial results of all warps by
  // itself or with its neighbours.
  // CHECK-LABEL: gpu.func @sixteen_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    vector.load
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT:         @sixteen_warps barriers = 1, shuffles = 7
  // COUNT: @sixteen_warps barriers = 1, shuffles = 7, loads = 2, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @sixteen_warps shared stores = 1, scf.if = 1
  gpu.func @sixteen_warps(%A: memref<512xf32>, %B: memref<512xf32>)
      kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<512xf32>
    %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<512xf32>
    gpu.return
  }

  // For more than sixteen warps, the first warp combines all partial results: one barrier before its loads,
  // and one before the other warps load the total. Both barriers are outside the branch.
  // CHECK-LABEL: gpu.func @thirty_two_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @{{.+}} : memref<32xf32, {{.+}}>
  // CHECK:         memref.store %{{.+}}, %[[SLOTS]]
  // CHECK:         %[[TOTAL:.+]] = memref.get_global @{{.+}} : memref<4xf32, {{.+}}>
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    scf.if
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK-COUNT-5:   gpu.shuffle xor
  // CHECK-NOT:       {{gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           memref.store %{{.+}}, %[[TOTAL]]
  // CHECK:         }{{$}}
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    memref.load %[[TOTAL]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT:         @thirty_two_warps barriers = 2, shuffles = 10
  // COUNT: @thirty_two_warps barriers = 2, shuffles = 10, loads = 3, shared loads = 2, stores = 3, shared stores = 2
  // COUNT: @thirty_two_warps scf.if = 4
  gpu.func @thirty_two_warps(%A: memref<1024xf32>, %B: memref<1024xf32>)
      kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<1024xf32>
    %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<1024xf32>
    gpu.return
  }

  // Two such exchanges in sequence: two barriers each, and none in between. After the first barrier of the
  // second exchange, all threads have loaded the first total.
  // CHECK-LABEL: gpu.func @twice(
  // CHECK-COUNT-4: gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @twice barriers = 4, shuffles = 20, loads = 5, shared loads = 4, stores = 5, shared stores = 4, scf.if = 8
  gpu.func @twice(%A: memref<1024xf32>, %B: memref<1024xf32>)
      kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<1024xf32>
    %m = tile.all_reduce max %x scope(cta) : f32 -> f32
    %y = arith.subf %x, %m : f32
    %s = tile.all_reduce sum %y scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<1024xf32>
    gpu.return
  }

  // Pairs of nine or more warps are combined by the first warp: two barriers.
  // CHECK-LABEL: gpu.func @pairs_of_nine_warps(
  // CHECK-COUNT-10: gpu.shuffle xor
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    scf.if
  // CHECK-COUNT-8:   gpu.shuffle xor
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    memref.load
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @pairs_of_nine_warps barriers = 2, shuffles = 18, loads = 5, shared loads = 4, stores = 5
  // COUNT: @pairs_of_nine_warps shared stores = 4, scf.if = 4
  gpu.func @pairs_of_nine_warps(%A: memref<288xf32>, %B: memref<288xi32>)
      kernel attributes {known_block_size = array<i32: 288, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %x = memref.load %A[%t] : memref<288xf32>
    %m, %j = tile.all_reduce argmax %x, %i scope(cta) : f32, i32 -> f32, i32
    memref.store %j, %B[%t] : memref<288xi32>
    gpu.return
  }

  // Pairs of eight warps are combined by every thread: one barrier.
  // CHECK-LABEL: gpu.func @pairs_of_eight_warps(
  // CHECK-COUNT-1: gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @pairs_of_eight_warps barriers = 1, shuffles = 12, loads = 3, shared loads = 2, vector loads = 2
  // COUNT: @pairs_of_eight_warps stores = 3, shared stores = 2, scf.if = 1
  gpu.func @pairs_of_eight_warps(%A: memref<256xf32>, %B: memref<256xi32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %x = memref.load %A[%t] : memref<256xf32>
    %m, %j = tile.all_reduce argmax %x, %i scope(cta) : f32, i32 -> f32, i32
    memref.store %j, %B[%t] : memref<256xi32>
    gpu.return
  }
}
