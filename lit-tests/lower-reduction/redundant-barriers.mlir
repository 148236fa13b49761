// RUN: tx-opt %s --lower-reduction
// RUN(STATS): tx-opt %s --lower-reduction --mlir-pass-statistics -o %t.mlir 2>&1

#shared = #gpu.address_space<workgroup>

// Unnecessary barriers of the program are removed, unless other blocks may depend on them.
// STATS-DAG: 2 removed - barriers of the program that nothing needs
gpu.module @kernels {
  // The exchange needs one barrier, and a barrier of the program serves for it. The other two are removed.
  // CHECK-LABEL: gpu.func @caution(
  // CHECK-COUNT-1: gpu.barrier
  // CHECK-NOT:     {{gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @caution(%A: memref<64xf32>, %B: memref<64xf32>) workgroup(%S: memref<64xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %x = memref.load %A[%t] : memref<64xf32>
    gpu.barrier
    memref.store %x, %S[%t] : memref<64xf32, #shared>
    gpu.barrier
    %y = memref.load %S[%other] : memref<64xf32, #shared>
    gpu.barrier
    memref.store %y, %B[%t] : memref<64xf32>
    gpu.return
  }

  // With an atomic in the kernel, all barriers of the program stay.
  // CHECK-LABEL: gpu.func @beside_an_atomic(
  // CHECK-COUNT-2: gpu.barrier
  // CHECK-NOT:     {{gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @beside_an_atomic(%A: memref<64xf32>, %B: memref<64xf32>, %count: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    gpu.barrier
    memref.store %x, %B[%t] : memref<64xf32>
    gpu.barrier
    %before = memref.atomic_rmw addi %one, %count[] : (i32, memref<i32>) -> i32
    gpu.return
  }
}
