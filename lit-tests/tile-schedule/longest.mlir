// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — that there are schedules is the matter, whatever they are.

// The longest possible arrays are scheduled like others: no length is rounded up beyond the largest integer.
// CHECK-LABEL: gpu.func @fixed_0
func.func @fixed(%A: memref<4611686018427387905xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {determinism = #tile.determinism<batch_invariant>}
      : memref<4611686018427387905xf32> into memref<f32>
  return
}

// CHECK-LABEL: gpu.func @row_0
func.func @row(%A: memref<1x9223372036854775807xf32>, %B: memref<1xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<1x9223372036854775807xf32> into memref<1xf32>
  return
}

// CHECK-LABEL: gpu.func @results_0
func.func @results(%A: memref<9223372036854775807x1xf32>, %B: memref<9223372036854775807xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<9223372036854775807x1xf32> into memref<9223372036854775807xf32>
  return
}

// CHECK-LABEL: gpu.func @column_0
func.func @column(%A: memref<9223372036854775807x1xf32>, %B: memref<1xf32>) {
  tile.reduce max %A into %B axes [0] scope(grid) : memref<9223372036854775807x1xf32> into memref<1xf32>
  return
}
