// RUN: not tx-opt %s 2>&1
// EXIT: 1
// RUN(PROGRAM): not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// A single number is dropped like a list of another type, also for grids and clusters. The message shows its
// position, the intended list, and the reason.
// CHECK: sizes-that-are-numbers.mlir:[[# @LINE + 6]]:46: error: `known_grid_size` is `4`, expected `array<i32: 4, 1, 1>`
// CHECK-NEXT: note: MLIR silently drops an attribute of another type
// PROGRAM: sizes-that-are-numbers.mlir:[[# @LINE + 4]]:46: error: `known_grid_size` is `4`, expected `array<i32: 4, 1, 1>`
// PROGRAM: TX0036
gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %x: f32, %i: index) kernel
      attributes {known_block_size = #block, known_grid_size = 4} {
    memref.store %x, %A[%i] : memref<32xf32>
    gpu.return
  }
}
#block = array<i32: 32, 1, 1>
