// RUN: tx-opt %s --tile-insert-sync
// RUN(STATS): tx-opt %s --tile-insert-sync --mlir-pass-statistics -o %t.mlir 2>&1

!S = memref<64xf32, #gpu.address_space<workgroup>>

// STATS-DAG: 0 named_barriers - barriers of some warps of the block
// STATS-DAG: 0 warp_barriers - barriers of single warps
// STATS-DAG: 1 cta_barriers - barriers of the whole block
// STATS-DAG: 3 removed - barriers of the program that nothing needs
gpu.module @kernels {
  // Ops that exchange registers touch no memory, whatever is known of them elsewhere: no barrier is needed
  // before or after them.
  // CHECK-LABEL: gpu.func @registers_only
  // CHECK:         memref.store
  // CHECK-NEXT:    nvvm.redux.sync
  // CHECK-NEXT:    gpu.shuffle
  // CHECK-NEXT:    nvvm.shfl.sync
  // CHECK-NEXT:    nvvm.vote.sync
  // CHECK-NEXT:    nvvm.read.ptx.sreg.tid.x
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     {{gpu.barrier|nvvm.bar}}
  // CHECK:         gpu.return
  gpu.func @registers_only(%v: i32, %x: f32, %R: memref<64xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %all = arith.constant -1 : i32
    %c1 = arith.constant 1 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    memref.store %x, %S[%t] : !S
    %r = nvvm.redux.sync add %v, %all : i32 -> i32
    %s, %p = gpu.shuffle xor %x, %c1, %c32 : f32
    %u = nvvm.shfl.sync bfly %all, %x, %c1, %c31 : f32 -> f32
    %w = nvvm.vote.sync ballot %all, %p -> i32
    %id = nvvm.read.ptx.sreg.tid.x : i32
    %y = memref.load %S[%t] : !S
    memref.store %y, %R[%t] : memref<64xf32>
    gpu.return
  }

  // A barrier of the program next to such ops is removed.
  // CHECK-LABEL: gpu.func @keep_nothing
  // CHECK:         memref.store
  // CHECK-NEXT:    nvvm.redux.sync
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     {{gpu.barrier|nvvm.bar}}
  // CHECK:         gpu.return
  gpu.func @keep_nothing(%v: i32, %x: f32, %R: memref<64xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %all = arith.constant -1 : i32
    memref.store %x, %S[%t] : !S
    gpu.barrier
    %r = nvvm.redux.sync add %v, %all : i32 -> i32
    %y = memref.load %S[%t] : !S
    memref.store %y, %R[%t] : memref<64xf32>
    gpu.return
  }

  // One of the three barriers of the program is necessary, and one stays.
  // CHECK-LABEL: gpu.func @one_of_three
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     {{gpu.barrier|nvvm.bar}}
  // CHECK:         gpu.return
  gpu.func @one_of_three(%x: f32, %R: memref<64xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    gpu.barrier
    gpu.barrier
    %y = memref.load %S[%other] : !S
    gpu.barrier
    memref.store %y, %R[%t] : memref<64xf32>
    gpu.return
  }

  // An op with unknown effects may access any memory: it gets a barrier before and after, and the barrier of
  // the program stays.
  // CHECK-LABEL: gpu.func @not_known
  // CHECK:         memref.store
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    nvvm.cp.async.wait.group
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     {{gpu.barrier|nvvm.bar}}
  // CHECK:         gpu.return
  gpu.func @not_known(%x: f32, %R: memref<64xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    memref.store %x, %S[%t] : !S
    gpu.barrier
    nvvm.cp.async.wait.group 0
    %y = memref.load %S[%t] : !S
    memref.store %y, %R[%t] : memref<64xf32>
    gpu.return
  }
}
