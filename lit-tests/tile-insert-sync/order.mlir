// RUN: tx-opt %s --tile-insert-sync

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A thread reads what another one wrote: a barrier stands between the two.
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

  // A thread writes what another one may not have read yet.
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

  // Of two writes the later one wins.
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

  // Two reads have no order.
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

  // Threads of a block see each other's writes to global memory, too.
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

  // A memref that may be one of two is taken for both.
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
