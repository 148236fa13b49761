// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// COMPARE: @variance(A: NxMxf32, mean: Nxf32, variance: Nxf32) mean = mean(A, 1); d = A - mean(A, 1, keep); variance = mean(d * d, 1)
// SIZES: NxM = 128x128 127x1003 1x1 7x20 33x1 1x4099 0x7

// Mean and variance of each row in one pass, after Welford: partial results are a mean, a sum of
// squared differences from it, and a count. Unlike a sum of squares this loses nothing where the
// mean is large.
// CHECK-LABEL: gpu.func @variance_0
// CHECK-NOT:   tile.all_reduce
// CHECK:       memref.store
// CHECK-LABEL: gpu.func @variance_1
// CHECK:       tile.all_reduce custom %{{.+}}, %{{.+}}, %{{.+}} scope(warp) width 2 stride 1
// CHECK:       arith.divf
// CHECK-COUNT-2: memref.store
// CHECK-NOT:   memref.store
// CHECK:       gpu.return
func.func @variance(%A: memref<?x?xf32>, %mean: memref<?xf32>, %variance: memref<?xf32>) {
  tile.reduce custom %A into %mean, %variance axes [1] scope(grid)
    identity [0.0 : f32, 0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %na: f32, %mb: f32, %sb: f32, %nb: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %na, %nb : f32
    %some = arith.maximumf %n, %one : f32
    %delta = arith.subf %mb, %ma : f32
    %share = arith.divf %nb, %some : f32
    %step = arith.mulf %delta, %share : f32
    %m = arith.addf %ma, %step : f32
    %cross = arith.mulf %na, %step : f32
    %square = arith.mulf %delta, %cross : f32
    %both = arith.addf %sa, %sb : f32
    %s = arith.addf %both, %square : f32
    tile.yield %m, %s, %n : f32, f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    tile.yield %x, %zero, %one : f32, f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %n: f32, %i: index):
    %v = arith.divf %s, %n : f32
    tile.yield %m, %v : f32, f32
  } : memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}
