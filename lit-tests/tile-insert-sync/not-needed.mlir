// RUN: tx-opt %s --tile-insert-sync

// None of these kernels needs or gets a barrier.

!S = memref<64xf32, #gpu.address_space<workgroup>>
!T = memref<128xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A thread needs no barrier for its own stores.
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

  // The ranges of threads are disjoint, also in a loop and for any arithmetic.
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

  // Accesses to different memory need no order.
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

  // Accesses to two halves of one tile need no order.
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

  // Different arguments of a kernel do not alias.
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

  // Private memory belongs to one thread.
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

  // A block of one thread needs no barrier.
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
