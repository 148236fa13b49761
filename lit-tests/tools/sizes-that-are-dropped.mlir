// RUN: not tx-opt %s 2>&1
// EXIT: 1
// RUN(PROGRAM): not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// MLIR drops a block size that is not `i32`, and the kernel would run with one thread.
// CHECK: error: `known_block_size` is `array<i64: 32, 1, 1>`, expected `array<i32: 32, 1, 1>`
// PROGRAM: sizes-that-are-dropped.mlir:[[# @LINE + 5]]:74: error: `known_block_size` is `array<i64: 32, 1, 1>`, expected `array<i32: 32, 1, 1>`
// PROGRAM: note: MLIR silently drops an attribute of another type
// PROGRAM: TX0036
// Comments are not reported: known_block_size = array<i64: 32, 1, 1>
gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %x: f32, %i: index) kernel attributes {known_block_size = array<i64: 32, 1, 1>} {
    memref.store %x, %A[%i] : memref<32xf32>
    gpu.return
  }
}
