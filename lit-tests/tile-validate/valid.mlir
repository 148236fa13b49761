// RUN: tx-opt %s --tile-validate --verify-diagnostics

// Lowered programs compute the same results, which is reported, and the module does not change: a grid-level
// op, and a kernel of the program.
// CHECK-LABEL: func.func @rows
// CHECK:         tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid)
// expected-remark @+1 {{`rows` is valid: }}
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}

// CHECK-LABEL: gpu.func @largest
// CHECK:         tile.reduce max %{{.+}} into %{{.+}} axes [0] scope(warp)
gpu.module @kernels {
  // expected-remark @+1 {{`largest` is valid: }}
  gpu.func @largest(%A: memref<20xf32>, %B: memref<f32>) kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.reduce max %A into %B axes [0] scope(warp) : memref<20xf32> into memref<f32>
    gpu.return
  }
}
