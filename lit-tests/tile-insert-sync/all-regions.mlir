// RUN: tx-opt %s --tile-insert-sync
// RACE-FREE
// SNAPSHOT: none — it is the input, but for the barriers that are checked.

// Barriers can be in every region that all threads execute.

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // All threads select the same case.
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

  // Different cases do not conflict. Code after all cases needs a barrier for each of them.
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

  // Each warp has its own case with warp barriers; the default case is that of the third warp.
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

  // An `scf.execute_region` of one block is executed once. Its result is uniform if the yielded value is.
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
