// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// SNAPSHOT: none — COMPARE states what the program computes, CHECK and COUNT what its kernels hold
// COMPARE: @log_sum_exp(A: NxMxf32 in -20..20, B: Nxf32) m = max(A, 1, keep); B = log(sum(exp(A - m), 1)) + max(A, 1)
// SIZES: NxM = 128x128 127x1003 1x1 7x20 33x1 1x4099 0x7

// The logarithm of the sum of exponentials of each row, in one pass. A partial result is the maximum so far
// and the sum relative to this maximum; combining rescales the sums. Nothing overflows, and a row of -inf
// only gives -inf.
// CHECK-LABEL: gpu.func @log_sum_exp_0
// CHECK-NOT:   tile.all_reduce
// CHECK:       math.log
// CHECK-LABEL: gpu.func @log_sum_exp_1
// CHECK:       tile.all_reduce custom %{{.+}}, %{{.+}} scope(warp) width 2 stride 1
// CHECK:       math.log
// CHECK-COUNT-1: memref.store
// CHECK:       gpu.return
// COUNT: @log_sum_exp_0 barriers = 0, shuffles = 0, loads = 4, stores = 1, scf.for = 2, scf.if = 9
// COUNT: @log_sum_exp_1 barriers = 0, shuffles = 0, loads = 8, stores = 1, scf.for = 2, scf.if = 15
// COUNT: @log_sum_exp_2 barriers = 0, shuffles = 0, loads = 14, vector loads = 8, stores = 1, scf.for = 4
// COUNT: @log_sum_exp_2 scf.if = 37
// COUNT: @log_sum_exp_3 tile.all_reduce = 1, scf.for = 4, scf.if = 40, memref.load = 10, vector.load = 4
// COUNT: @log_sum_exp_3 memref.store = 1, arith.select = 35
// COUNT: @log_sum_exp_4 tile.all_reduce = 1, scf.for = 4, scf.if = 36, memref.load = 8, vector.load = 4
// COUNT: @log_sum_exp_4 memref.store = 1, arith.select = 31
// COUNT: @log_sum_exp_5 tile.all_reduce = 1, scf.for = 4, scf.if = 32, memref.load = 6, vector.load = 4
// COUNT: @log_sum_exp_5 memref.store = 1, arith.select = 27
// COUNT: @log_sum_exp_6 tile.all_reduce = 1, scf.for = 4, scf.if = 32, memref.load = 6, vector.load = 4
// COUNT: @log_sum_exp_6 memref.store = 1, arith.select = 27
// COUNT: @log_sum_exp_7 tile.all_reduce = 2, scf.for = 4, scf.if = 33, memref.load = 14, vector.load = 2
// COUNT: @log_sum_exp_7 memref.store = 3, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 23
// COUNT: @log_sum_exp_8 tile.all_reduce = 2, scf.for = 4, scf.if = 33, memref.load = 14, vector.load = 2
// COUNT: @log_sum_exp_8 memref.store = 3, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 23
// COUNT: @log_sum_exp_9 tile.all_reduce = 2, scf.for = 4, scf.if = 33, memref.load = 14, vector.load = 2
// COUNT: @log_sum_exp_9 memref.store = 3, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 23
// COUNT: @log_sum_exp_10 tile.all_reduce = 1, scf.for = 4, scf.if = 21, memref.load = 6, vector.load = 2
// COUNT: @log_sum_exp_10 memref.store = 1, arith.select = 19
// COUNT: @log_sum_exp gpu.launch_func = 11, memref.alloc = 9, cf.assert = 1
func.func @log_sum_exp(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0xFF800000 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %m = arith.maximumf %ma, %mb : f32
    // The difference of -inf and -inf would be NaN.
    %none = arith.cmpf oeq, %m, %lowest : f32
    %base = arith.select %none, %zero, %m : f32
    %da = arith.subf %ma, %base : f32
    %db = arith.subf %mb, %base : f32
    %ea = math.exp %da : f32
    %eb = math.exp %db : f32
    %ta = arith.mulf %sa, %ea : f32
    %tb = arith.mulf %sb, %eb : f32
    %s = arith.addf %ta, %tb : f32
    tile.yield %m, %s : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tile.yield %x, %one : f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %i: index):
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    tile.yield %r : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}
