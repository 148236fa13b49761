// RUN: tx compile %s --chip sm_90 -o -
// SNAPSHOT: none — branches are counted.

// Welford rows have as many branches as tails. `canonicalize` before `convert-gpu-to-nvvm` would add
// branches: four in one kernel, which became 10 % slower on an H100.
// CHECK:           .entry variance_0
// CHECK-COUNT-18:  bra
// CHECK-NOT:       bra
func.func @variance(%A: memref<512x1001xf32>, %mean: memref<512xf32>, %variance: memref<512xf32>) {
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
  } : memref<512x1001xf32> into memref<512xf32>, memref<512xf32>
  return
}
