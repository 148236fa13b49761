// RUN: tx-opt %s --lower-reduction

gpu.module @kernels {
  // Two warpgroups without a branch exchange values at separate barriers: thread 200 is in the second
  // warpgroup, and waits at barrier 2 for 128 threads. Neither group waits for the other.
  // CHECK-LABEL: gpu.func @two_warpgroups(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[N:.+]] = arith.constant 128 : index
  // CHECK-NEXT:    %[[G:.+]] = arith.divui %{{.+}}, %[[N]]
  // CHECK:         %[[ID:.+]] = arith.addi %[[G]], %{{.*}}c1
  // CHECK-NEXT:    %[[ID32:.+]] = arith.index_cast %[[ID]]
  // CHECK:         %[[COUNT:.+]] = arith.constant 128 : i32
  // CHECK-NEXT:    nvvm.barrier id = %[[ID32]] number_of_threads = %[[COUNT]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @two_warpgroups(%A: memref<256xf32>, %B: memref<256xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<256xf32>
    %s = tile.all_reduce sum %x scope(warpgroup) : f32 -> f32
    memref.store %s, %B[%t] : memref<256xf32>
    gpu.return
  }

  // Accesses of one group to values of the other are ordered for the whole block.
  // CHECK-LABEL: gpu.func @and_then_the_block(
  // CHECK-COUNT-1: nvvm.barrier id =
  // CHECK-COUNT-1: gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @and_then_the_block(%A: memref<256xf32>, %B: memref<256xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<256xf32>
    %m = tile.all_reduce max %x scope(warpgroup) : f32 -> f32
    %s = tile.all_reduce sum %m scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<256xf32>
    gpu.return
  }
}
