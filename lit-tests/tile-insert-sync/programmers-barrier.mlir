// RUN: tx-opt %s --tile-insert-sync

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A barrier of the program is used instead of a second one.
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

  // An unnecessary barrier of the program is removed.
  // CHECK-LABEL:   gpu.func @goes
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @goes(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    memref.store %x, %S[%t] : !S
    gpu.barrier
    %y = memref.load %S[%t] : !S
    gpu.return
  }

  // Next to an atomic it stays, because the atomic may communicate with other blocks.
  // CHECK-LABEL:   gpu.func @stays
  // CHECK-COUNT-1: gpu.barrier
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @stays(%G: memref<1xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %a = memref.atomic_rmw addi %one, %G[%c0] : (i32, memref<1xi32>) -> i32
    gpu.barrier
    gpu.return
  }

  // A conditional barrier does not order accesses if its condition fails. With the necessary barrier, it is
  // unnecessary.
  // CHECK-LABEL: gpu.func @does_not_count_behind_a_condition
  // CHECK:         memref.store
  // CHECK-NEXT:    scf.if
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

  // A warp barrier does not order accesses of different warps.
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

  // Barriers that only some threads reach stay, also if one of them pairs with another: their partners are
  // unknown. For the same reason, they order nothing, and a block barrier is inserted.
  // CHECK-LABEL: gpu.func @for_some
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK:         } else {
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  gpu.func @for_some(%x: f32, %y: memref<64xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %first = arith.cmpi ult, %t, %c32 : index
    memref.store %x, %S[%t] : !S
    scf.if %first {
      gpu.barrier
      %a = memref.load %S[%other] : !S
      memref.store %a, %y[%t] : memref<64xf32>
    } else {
      gpu.barrier
      %b = memref.load %S[%t] : !S
      memref.store %b, %y[%t] : memref<64xf32>
    }
    gpu.return
  }
}
