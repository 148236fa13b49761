// RUN: tx-opt %s --tile-insert-sync
// RACE-FREE
// SNAPSHOT: none — it is the input, but for the barriers that are checked.

// Barriers stand in every region to which all threads come together.

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // All threads take the same case.
  // CHECK-LABEL: gpu.func @case_for_all
  // CHECK:         case 1 {
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @case_for_all(%n: index, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.index_switch %n
    case 1 {
      memref.store %x, %S[%t] : !S
      %y = memref.load %S[%other] : !S
      scf.yield
    }
    default {
      scf.yield
    }
    gpu.return
  }

  // No thread reads in one case what another one writes in another case; what comes behind all cases waits for each of them.
  // CHECK-LABEL: gpu.func @one_of_the_cases
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    scf.index_switch
  // CHECK:         case 1 {
  // CHECK-NEXT:      memref.store
  // CHECK:         case 2 {
  // CHECK-NEXT:      memref.load
  // CHECK:         default
  // CHECK-NOT:     gpu.barrier
  // CHECK:         }
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  // CHECK:         gpu.return
  gpu.func @one_of_the_cases(%n: index, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    scf.index_switch %n
    case 1 {
      memref.store %x, %S[%t] : !S
      scf.yield
    }
    case 2 {
      %y = memref.load %S[%other] : !S
      scf.yield
    }
    default {
      scf.yield
    }
    %z = memref.load %S[%other] : !S
    gpu.return
  }

  // Each warp has a case of its own, and its own barrier; the case for none of them is the third warp's.
  // CHECK-LABEL: gpu.func @case_for_each_warp
  // CHECK:         case 0 {
  // CHECK-NEXT:      memref.store
  // CHECK:           nvvm.bar.warp.sync
  // CHECK-NEXT:      memref.load
  // CHECK:         default {
  // CHECK-NEXT:      memref.store
  // CHECK:           nvvm.bar.warp.sync
  // CHECK-NEXT:      memref.load
  // CHECK:         gpu.return
  gpu.func @case_for_each_warp(%x: f32) workgroup(%S: memref<96xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c32 = arith.constant 32 : index
    %c31 = arith.constant 31 : index
    %c159 = arith.constant 159 : index
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    scf.index_switch %w
    case 0 {
      memref.store %x, %S[%t] : memref<96xf32, #gpu.address_space<workgroup>>
      %other = arith.subi %c31, %t : index
      %y = memref.load %S[%other] : memref<96xf32, #gpu.address_space<workgroup>>
      scf.yield
    }
    case 1 {
      scf.yield
    }
    default {
      memref.store %x, %S[%t] : memref<96xf32, #gpu.address_space<workgroup>>
      %other = arith.subi %c159, %t : index
      %y = memref.load %S[%other] : memref<96xf32, #gpu.address_space<workgroup>>
      scf.yield
    }
    gpu.return
  }

  // A region that is one block is run through once. What it has for a result is the same for all threads if that is.
  // CHECK-LABEL: gpu.func @region
  // CHECK:         scf.execute_region
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK:         gpu.return
  gpu.func @region(%n: index, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %c = scf.execute_region -> i1 {
      memref.store %x, %S[%t] : !S
      %y = memref.load %S[%other] : !S
      %c = arith.cmpi ult, %n, %c63 : index
      scf.yield %c : i1
    }
    scf.if %c {
      memref.store %x, %S[%t] : !S
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}
