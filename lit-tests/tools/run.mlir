// RUN: tx run %s --device cpu --arg full:1.5:4x8xf32 --arg zeros:4xf32
// RUN(AGAIN): tx run %s --device cpu --arg full:1.5:4x8xf32 --arg zeros:4xf32 --out 1=%t.npy | tx run %s --device cpu --arg full:1:4x8xf32 --arg %t.npy
// SNAPSHOT: none — what is printed is checked as a whole.

// A program prints its results. Results written to a file can be arguments of the next
// run.
// CHECK:      argument 1: 4xf32
// CHECK-NEXT: [12. 12. 12. 12.]
// AGAIN:      argument 1: 4xf32
// AGAIN-NEXT: [20. 20. 20. 20.]
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) accumulate : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
