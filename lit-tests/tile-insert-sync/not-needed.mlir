// RUN: tx-opt %s --tile-insert-sync

// None of these kernels needs a barrier, and none gets one.

!S = memref<64xf32, #gpu.address_space<workgroup>>
!T = memref<128xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A thread knows what it wrote itself.
  // CHECK-LABEL: gpu.func @own_element
  // CHECK-NOT:   {{barrier|nvvm}}
  // CHECK:       gpu.return
  gpu.func @own_element(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    memref.store %x, %S[%t] : !S
    %y = memref.load %S[%t] : !S
    memref.store %y, %S[%t] : !S
    gpu.return
  }

  // Also in a loop, and by any arithmetic that gives each thread its own range.
  // CHECK-LABEL: gpu.func @own_range_in_a_loop
  // CHECK-NOT:   {{barrier|nvvm}}
  // CHECK:       gpu.return
  gpu.func @own_range_in_a_loop(%x: f32) workgroup(%S: !T) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %first = arith.muli %t, %c4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %at = arith.addi %first, %i : index
      memref.store %x, %S[%at] : !T
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %at = arith.addi %first, %i : index
      %y = memref.load %S[%at] : !T
    }
    gpu.return
  }

  // Different memory has no order.
  // CHECK-LABEL: gpu.func @other_memory
  // CHECK-NOT:   {{barrier|nvvm}}
  // CHECK:       gpu.return
  gpu.func @other_memory(%x: f32) workgroup(%S: !S, %T: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    %y = memref.load %T[%other] : !S
    gpu.return
  }

  // Nor do two halves of one tile.
  // CHECK-LABEL: gpu.func @other_half
  // CHECK-NOT:   {{barrier|nvvm}}
  // CHECK:       gpu.return
  gpu.func @other_half(%x: f32) workgroup(%S: !T) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %high = memref.subview %S[64] [64] [1] : !T to memref<64xf32, strided<[1], offset: 64>, #gpu.address_space<workgroup>>
    memref.store %x, %high[%t] : memref<64xf32, strided<[1], offset: 64>, #gpu.address_space<workgroup>>
    %y = memref.load %S[%other] : !T
    gpu.return
  }

  // Distinct arguments of a kernel do not overlap.
  // CHECK-LABEL: gpu.func @other_argument
  // CHECK-NOT:   {{barrier|nvvm}}
  // CHECK:       gpu.return
  gpu.func @other_argument(%A: memref<?xf32>, %B: memref<?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %x = memref.load %A[%other] : memref<?xf32>
    memref.store %x, %B[%t] : memref<?xf32>
    gpu.return
  }

  // Private memory is nobody else's.
  // CHECK-LABEL: gpu.func @private_memory
  // CHECK-NOT:   {{barrier|nvvm}}
  // CHECK:       gpu.return
  gpu.func @private_memory(%x: f32) private(%P: memref<4xf32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    memref.store %x, %P[%c0] : memref<4xf32, #gpu.address_space<private>>
    %y = memref.load %P[%c0] : memref<4xf32, #gpu.address_space<private>>
    gpu.return
  }

  // A block of one thread has nobody to wait for.
  // CHECK-LABEL: gpu.func @one_thread
  // CHECK-NOT:   {{barrier|nvvm}}
  // CHECK:       gpu.return
  gpu.func @one_thread(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    memref.store %x, %S[%c0] : !S
    %y = memref.load %S[%c0] : !S
    gpu.return
  }
}
