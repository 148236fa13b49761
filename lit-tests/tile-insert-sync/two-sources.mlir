// RUN: tx-opt %s --tile-insert-sync
// SNAPSHOT: none — it is the input, and one barrier.

// An op reads two parts of one memref: each thread stores to the second part, for another thread.
// CHECK-LABEL: gpu.func @sum_of_two
// CHECK:         linalg.add
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    memref.store
!S = memref<128xf32, #gpu.address_space<workgroup>>
!V = memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @sum_of_two(%x: f32) workgroup(%S: !S) private(%P: memref<1xf32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %u = arith.addi %t, %c64 : index
    memref.store %x, %S[%t] : !S
    memref.store %x, %S[%u] : !S
    %low = memref.subview %S[%t] [1] [1] : !S to !V
    %high = memref.subview %S[%u] [1] [1] : !S to !V
    %other = arith.subi %c127, %t : index
    linalg.add ins(%low, %high : !V, !V) outs(%P : memref<1xf32, #gpu.address_space<private>>)
    memref.store %x, %S[%other] : !S
    gpu.return
  }
}
