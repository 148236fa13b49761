// RUN: tx-opt %s --tile-insert-sync

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A barrier that the programmer wrote counts, so that there is no second one.
  // CHECK-LABEL: gpu.func @counts
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @counts(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    gpu.barrier
    %y = memref.load %S[%other] : !S
    gpu.return
  }

  // One that nothing is known to need stays: it may be there for what the compiler does not see.
  // CHECK-LABEL:   gpu.func @stays
  // CHECK-COUNT-1: gpu.barrier
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @stays() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.barrier
    gpu.return
  }

  // One that is behind a condition does not count where the condition does not hold.
  // CHECK-LABEL: gpu.func @does_not_count_behind_a_condition
  // CHECK:         memref.store
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @does_not_count_behind_a_condition(%c: i1, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    scf.if %c {
      gpu.barrier
    }
    %y = memref.load %S[%other] : !S
    gpu.return
  }

  // A barrier of warps does not separate the warps.
  // CHECK-LABEL: gpu.func @warp_barrier_is_not_enough
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @warp_barrier_is_not_enough(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %all = arith.constant -1 : i32
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    nvvm.bar.warp.sync %all : i32
    %y = memref.load %S[%other] : !S
    gpu.return
  }
}
