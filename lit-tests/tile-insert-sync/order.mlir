// RUN: tx-opt %s --tile-insert-sync

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A barrier between a store and another thread's load.
  // CHECK-LABEL: gpu.func @read_after_write
  // CHECK:         memref.store
  // CHECK-NOT:     memref.load
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @read_after_write(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    %y = memref.load %S[%other] : !S
    gpu.return
  }

  // A barrier between a load and another thread's store.
  // CHECK-LABEL: gpu.func @write_after_read
  // CHECK:         memref.load
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.store
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @write_after_read(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %y = memref.load %S[%other] : !S
    memref.store %y, %S[%t] : !S
    gpu.return
  }

  // A barrier between two stores to one element.
  // CHECK-LABEL: gpu.func @write_after_write
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.store
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @write_after_write(%x: f32, %y: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    memref.store %y, %S[%other] : !S
    gpu.return
  }

  // Two loads need no order.
  // CHECK-LABEL: gpu.func @read_after_read
  // CHECK-NOT:     gpu.barrier
  // CHECK-NOT:     nvvm
  // CHECK:         gpu.return
  gpu.func @read_after_read() workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %x = memref.load %S[%c0] : !S
    %y = memref.load %S[%t] : !S
    gpu.return
  }

  // Accesses of a block to global memory need barriers, too.
  // CHECK-LABEL: gpu.func @global_memory
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @global_memory(%A: memref<?xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %A[%t] : memref<?xf32>
    %y = memref.load %A[%other] : memref<?xf32>
    gpu.return
  }

  // A selected memref may be either operand, so both are considered.
  // CHECK-LABEL: gpu.func @selected_memory
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @selected_memory(%c: i1, %x: f32) workgroup(%S: !S, %T: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %one_of_both = arith.select %c, %S, %T : !S
    memref.store %x, %one_of_both[%t] : !S
    %y = memref.load %S[%other] : !S
    gpu.return
  }
}
