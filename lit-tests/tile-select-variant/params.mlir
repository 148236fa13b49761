// RUN: tx-opt %s --tile-select-variant
// Explicit parameters are kept, and the variant computes the missing ones.

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

gpu.module @m {
  // CHECK-LABEL: gpu.func @all
  // CHECK: params = {group = 4 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"
  gpu.func @all(%A: memref<4x8xf32>, %B: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 4, groups = 4, stride = 1, vector = 1}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @some
  // CHECK: params = {group = 4 : i64, groups = {{[0-9]+}} : i64, stride = 1 : i64, vector = {{[0-9]+}} : i64}, variant = "shared"
  gpu.func @some(%A: memref<4x8xf32>, %B: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = {group = 4}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
