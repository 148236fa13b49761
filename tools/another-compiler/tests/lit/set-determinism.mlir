// RUN: my-opt %s --serving-set-determinism
// RUN(COUNTED): my-opt %s --serving-set-determinism --mlir-pass-statistics -o %t.mlir 2>&1
// RUN(TX): my-tx validate %s

// Reductions that say nothing become independent of the number of rows; `my-tx` runs the pass among the others.
// CHECK: tile.reduce sum {{.*}}determinism = #tile.determinism<batch_invariant>
// CHECK: tile.reduce max {{.*}}determinism = #tile.determinism<any>
// COUNTED: (S) 1 set - reductions that had none
// TX:    serving-set-determinism equal
// SNAPSHOT: none — what counts is said above.
gpu.module @kernels {
  gpu.func @both(%A: memref<8xf32>, %S: memref<f32>, %M: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %S axes [0] scope(cta) : memref<8xf32> into memref<f32>
    tile.reduce max %A into %M axes [0] scope(cta) {determinism = #tile.determinism<any>} : memref<8xf32> into memref<f32>
    gpu.return
  }
}
