// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// SNAPSHOT: none — COMPARE states what the program computes, CHECK and COUNT what its kernels hold
// COMPARE: @variance(A: NxMxf32, mean: Nxf32, variance: Nxf32) mean = mean(A, 1); d = A - mean(A, 1, keep); variance = mean(d * d, 1)
// SIZES: NxM = 128x128 127x1003 1x1 7x20 33x1 1x4099 0x7

// Mean and variance of each row in one pass, by Welford's method. A partial result is a mean, a sum of
// squared differences from this mean, and a count. Unlike a sum of squares, this method is accurate for a
// large mean.
// CHECK-LABEL: gpu.func @variance_0
// CHECK-NOT:   tile.all_reduce
// CHECK:       memref.store
// CHECK-LABEL: gpu.func @variance_1
// CHECK:       tile.all_reduce custom %{{.+}}, %{{.+}}, %{{.+}} scope(warp) width 2 stride 1
// CHECK:       arith.divf
// CHECK-COUNT-2: memref.store
// CHECK-NOT:   memref.store
// CHECK:       gpu.return
// COUNT: @variance_0 barriers = 0, shuffles = 0, loads = 4, stores = 2, scf.for = 2, scf.if = 9
// COUNT: @variance_1 barriers = 0, shuffles = 0, loads = 8, stores = 2, scf.for = 2, scf.if = 15
// COUNT: @variance_2 barriers = 0, shuffles = 0, loads = 22, vector loads = 16, stores = 2, scf.for = 4, scf.if = 38
// COUNT: @variance_3 tile.all_reduce = 1, scf.for = 4, scf.if = 41, memref.load = 10, vector.load = 8
// COUNT: @variance_3 memref.store = 2, arith.select = 8
// COUNT: @variance_4 tile.all_reduce = 1, scf.for = 4, scf.if = 37, memref.load = 8, vector.load = 8
// COUNT: @variance_4 memref.store = 2, arith.select = 6
// COUNT: @variance_5 tile.all_reduce = 1, scf.for = 4, scf.if = 33, memref.load = 6, vector.load = 8
// COUNT: @variance_5 memref.store = 2, arith.select = 4
// COUNT: @variance_6 tile.all_reduce = 1, scf.for = 4, scf.if = 33, memref.load = 6, vector.load = 8
// COUNT: @variance_6 memref.store = 2, arith.select = 4
// COUNT: @variance_7 tile.all_reduce = 2, scf.for = 4, scf.if = 34, memref.load = 18, vector.load = 4
// COUNT: @variance_7 memref.store = 5, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 4
// COUNT: @variance_8 tile.all_reduce = 2, scf.for = 4, scf.if = 34, memref.load = 18, vector.load = 4
// COUNT: @variance_8 memref.store = 5, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 4
// COUNT: @variance_9 tile.all_reduce = 2, scf.for = 4, scf.if = 34, memref.load = 18, vector.load = 4
// COUNT: @variance_9 memref.store = 5, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 4
// COUNT: @variance_10 tile.all_reduce = 1, scf.for = 4, scf.if = 22, memref.load = 6, vector.load = 4
// COUNT: @variance_10 memref.store = 2, arith.select = 4
// COUNT: @variance gpu.launch_func = 11, memref.alloc = 12, cf.assert = 2
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
