// RUN: not tx-opt %s 2>&1
// EXIT: 1
// RUN(PROGRAM): not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// A number is dropped as a list of others is: of grids and clusters too, which kernels may have none of. Its place is shown with
// the list that is meant, and with why.
// CHECK: sizes-that-are-numbers.mlir:[[# @LINE + 6]]:46: error: `known_grid_size` is `4`, expected `array<i32: 4, 1, 1>`
// CHECK-NEXT: note: MLIR takes no other, and drops it
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
