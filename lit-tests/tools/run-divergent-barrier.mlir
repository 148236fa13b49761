// RUN: not tx run %s --device cpu --arg zeros:32xf32 2>&1
// EXIT: 3
// SNAPSHOT: none — which of many threads is met first is the executor's business.

// A barrier that only half of the threads reach is reported by its name in the program.
// CHECK: run-divergent-barrier.mlir:[[# @LINE + 10]]:7: error: divergent barrier: `gpu.barrier`
// CHECK-NOT: nvvm.barrier0
gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c16 : index
    scf.if %first {
      gpu.barrier
    }
    memref.store %zero, %A[%t] : memref<32xf32>
    gpu.return
  }
}
