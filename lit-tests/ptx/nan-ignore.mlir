// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// If NaN never wins, plain PTX `max` and `min` suffice: no library function is called.
// CHECK-NOT: __nv_
// CHECK:     max.f32
// CHECK:     min.f32
// CHECK-NOT: __nv_
gpu.module @kernels {
  gpu.func @ignoring(%A: memref<4x100xf32>, %B: memref<4xf32>, %C: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) {nan = #tile.nan<ignore>}
        : memref<4x100xf32> into memref<4xf32>
    tile.reduce min %A into %C axes [1] scope(cta) {nan = #tile.nan<ignore>}
        : memref<4x100xf32> into memref<4xf32>
    gpu.return
  }
}
