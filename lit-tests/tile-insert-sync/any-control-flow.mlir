// RUN: tx-opt %s --tile-insert-sync

gpu.module @kernels {
  // An atomic update needs no barrier before or after another atomic update.
  // CHECK-LABEL: gpu.func @atomics_need_none
  // CHECK-NOT:     {{gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @atomics_need_none(%S: memref<1024xf32, 3>, %x: f32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.atomic_rmw addf %x, %S[%c0] : (f32, memref<1024xf32, 3>) -> f32
    %b = memref.atomic_rmw addf %x, %S[%c0] : (f32, memref<1024xf32, 3>) -> f32
    gpu.return
  }

  // A plain load after an atomic update needs a barrier.
  // CHECK-LABEL: gpu.func @load_after_atomic
  // CHECK:         memref.atomic_rmw
  // CHECK:         gpu.barrier
  // CHECK:         memref.load
  gpu.func @load_after_atomic(%S: memref<1024xf32, 3>, %B: memref<64xf32>, %x: f32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %a = memref.atomic_rmw addf %x, %S[%c0] : (f32, memref<1024xf32, 3>) -> f32
    %y = memref.load %S[%c0] : memref<1024xf32, 3>
    memref.store %y, %B[%t] : memref<64xf32>
    gpu.return
  }

  // An atomic update with a region needs no barrier either.
  // CHECK-LABEL: gpu.func @load_after_region
  // CHECK:         memref.generic_atomic_rmw
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @load_after_region(%S: memref<1024xf32, 3>, %B: memref<64xf32>, %x: f32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %a = memref.generic_atomic_rmw %S[%c0] : memref<1024xf32, 3> {
    ^bb0(%old: f32):
      %new = arith.mulf %old, %x : f32
      memref.atomic_yield %new : f32
    }
    %y = memref.load %S[%c0] : memref<1024xf32, 3>
    memref.store %y, %B[%t] : memref<64xf32>
    gpu.return
  }

  // A loop with an exit in the middle: the barrier in its second part does not follow its last store, so a
  // barrier after the loop is necessary. The one in the loop is then unnecessary.
  // CHECK-LABEL: gpu.func @exit_before_the_barrier
  // CHECK:         scf.while
  // CHECK-NOT:       gpu.barrier
  // CHECK:           scf.yield
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @exit_before_the_barrier(%S: memref<1024xf32, 3>, %B: memref<64xf32>, %c: i1, %x: f32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %r = arith.subi %c63, %t : index
    scf.while : () -> () {
      memref.store %x, %S[%t] : memref<1024xf32, 3>
      scf.condition(%c)
    } do {
      gpu.barrier
      scf.yield
    }
    %l = memref.load %S[%r] : memref<1024xf32, 3>
    memref.store %l, %B[%t] : memref<64xf32>
    gpu.return
  }

  // One of several cases has a barrier, which does not order the other cases. With one barrier for all cases,
  // it is unnecessary.
  // CHECK-LABEL: gpu.func @barrier_in_one_case
  // CHECK:         scf.index_switch
  // CHECK-NOT:       gpu.barrier
  // CHECK:         default
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @barrier_in_one_case(%S: memref<1024xf32, 3>, %B: memref<64xf32>, %n: index, %x: f32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %r = arith.subi %c63, %t : index
    scf.index_switch %n
    case 1 {
      gpu.barrier
      scf.yield
    }
    default {
      memref.store %x, %S[%t] : memref<1024xf32, 3>
      scf.yield
    }
    %l = memref.load %S[%r] : memref<1024xf32, 3>
    memref.store %l, %B[%t] : memref<64xf32>
    gpu.return
  }

  // A kernel without shared accesses needs no barrier and no block size.
  // CHECK-LABEL: gpu.func @private_only
  // CHECK-NOT:     {{gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @private_only(%x: f32) private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    %c0 = arith.constant 0 : index
    memref.store %x, %p[%c0] : memref<4xf32, #gpu.address_space<private>>
    gpu.return
  }
}
