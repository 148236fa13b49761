// RUN: not tx run %s --device cpu --arg zeros:64xf32 --arg zeros:64xf32 2>&1
// EXIT: 3
// RUN(GRID): not tx run %s --device cpu --grid 2 --arg zeros:64xf32 --arg zeros:64xf32 2>&1
// EXIT: 3
// SNAPSHOT: none — which of many threads is met first is the executor's business.

// Two threads that write one element at the same time are a data race, reported at the op, with status 3: the
// program compiled and ran, and is wrong.
// CHECK: run-race.mlir:[[# @LINE + 8]]:5: error: race on global memory
// GRID:  run-race.mlir:[[# @LINE + 7]]:5: error: race on global memory
gpu.module @kernels {
  gpu.func @race(%A: memref<64xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    memref.store %x, %B[%c0] : memref<64xf32>
    gpu.return
  }
}
