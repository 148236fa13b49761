// RUN: tx-opt %s --lower-reduction --mlir-timing -o %t.mlir 2>&1
// SNAPSHOT: none — how long a pass takes differs from run to run.

// The time of each pass is printed under its name, in execution order.
// CHECK: Execution time report
// CHECK: tile-attach-target
// CHECK: tile-analyze-scope
// CHECK: tile-select-variant
// CHECK: tile-expand-reduce
// CHECK: tile-expand-shuffle-tree
// CHECK: tile-insert-sync
// CHECK: convert-tile-to-gpu
// CHECK: Total
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
