// RUN: not tx run %s --device cpu --arg zeros:?xf32 2>&1
// EXIT: 2
// RUN(SMALL): not tx run %s --device cpu --arg zeros:63xf32 2>&1
// EXIT: 3
// RUN(ENOUGH): tx run %s --device cpu --arg zeros:64xf32
// SNAPSHOT: none — every message is checked.

// A program that is right for 64 elements is not for 63: that is found when it runs, status 3. An
// array of unknown size cannot be made, status 2.
// CHECK:  `zeros:?xf32` is not an argument
// SMALL:  run-out-of-bounds.mlir:[[# @LINE + 7]]:5: error: out of bounds: write of 4 bytes
// ENOUGH: argument 0: 64xf32
gpu.module @kernels {
  gpu.func @fill(%B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %one = arith.constant 1.0 : f32
    memref.store %one, %B[%t] : memref<?xf32>
    gpu.return
  }
}
