// RUN: tx-opt %s --tile-expand-reduce

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#cta256 = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}

gpu.module @kernels {
  // The work is distributed as for shuffles, and the exchange is marked as `redux`.
  // CHECK-LABEL: gpu.func @whole_warp(
  // CHECK:         tile.all_reduce sum %{{.+}} scope(warp) width 32 stride 1 {{.*}}variant = "redux"{{.*}} : i32 -> i32
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         gpu.return
  gpu.func @whole_warp(%A: memref<1x128xi32>, %B: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "redux"}
      : memref<1x128xi32> into memref<1xi32>
    gpu.return
  }

  // Eight warps share a row: the exchange within and between warps is one op.
  // CHECK-LABEL: gpu.func @whole_block(
  // CHECK:         tile.all_reduce or %{{.+}} scope(cta) {{.*}}variant = "redux"{{.*}} : i32 -> i32
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         gpu.return
  gpu.func @whole_block(%A: memref<1x4096xi32>, %B: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce or %A into %B axes [1] scope(cta)
      {exec = #cta256, params = {group = 256 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "redux"}
      : memref<1x4096xi32> into memref<1xi32>
    gpu.return
  }
}
