// RUN: tx-opt %s --tile-insert-sync

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // In a loop, the next iteration writes elements that this one reads: two barriers per iteration.
  // CHECK-LABEL: gpu.func @loop_that_writes_and_reads
  // CHECK:         scf.for
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.return
  gpu.func @loop_that_writes_and_reads(%n: index, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %S[%t] : !S
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }

  // A writing loop and a reading loop need one barrier, between the loops.
  // CHECK-LABEL: gpu.func @barrier_between_two_loops
  // CHECK:         scf.for
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    scf.for
  // CHECK-NEXT:      memref.load
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.return
  gpu.func @barrier_between_two_loops(%n: index, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %S[%t] : !S
    }
    scf.for %i = %c0 to %n step %c1 {
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }

  // Accesses of one thread in a branch get a barrier before the branch, which all threads reach.
  // CHECK-LABEL: gpu.func @barrier_before_a_branch_of_one_thread
  // CHECK:         memref.store
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      memref.load
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @barrier_before_a_branch_of_one_thread(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    memref.store %x, %S[%t] : !S
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %y = memref.load %S[%c32] : !S
    }
    gpu.return
  }

  // Writes in a data-dependent branch get a barrier after the branch.
  // CHECK-LABEL: gpu.func @barrier_behind_a_branch_on_data
  // CHECK:         scf.if
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @barrier_behind_a_branch_on_data(%flags: memref<64xi1>, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %c = memref.load %flags[%t] : memref<64xi1>
    scf.if %c {
      memref.store %x, %S[%t] : !S
    }
    %y = memref.load %S[%other] : !S
    gpu.return
  }

  // Two regions of one branch need no barrier in between, but one after the branch.
  // CHECK-LABEL: gpu.func @either_arm
  // CHECK:         scf.if
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:    } else {
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @either_arm(%c: i1, %x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.if %c {
      memref.store %x, %S[%t] : !S
    } else {
      memref.store %x, %S[%other] : !S
    }
    %y = memref.load %S[%other] : !S
    gpu.return
  }
}
