// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// SNAPSHOT: none — COMPARE states what the program computes, CHECK and COUNT what its kernels hold
// COMPARE: @all_finite(A: NxMx3xf16 of special, finite: i1) finite = and(abs(A) < 65505.0, [0, 1, 2])

// Whether a tensor contains no infinity and no NaN, which a loss scaler checks after every step.
// CHECK-LABEL: gpu.func @all_finite_0
// CHECK:       tile.all_reduce and %{{.+}} scope(cta)
// CHECK-SAME:    : i1 -> i1
// CHECK-LABEL: gpu.func @all_finite_1
// COUNT: @all_finite_0 tile.all_reduce = 1, scf.for = 1, scf.if = 18, memref.load = 16, memref.store = 1
// COUNT: @all_finite_1 tile.all_reduce = 1, scf.if = 3, memref.load = 3, memref.store = 1
// COUNT: @all_finite gpu.launch_func = 2, memref.alloc = 1
func.func @all_finite(%A: memref<?x?x?xf16>, %finite: memref<i1>) {
  tile.reduce and %A into %finite axes [0, 1, 2] scope(grid) element {
  ^bb0(%x: f16, %i: index, %j: index, %k: index):
    %infinity = arith.constant 0x7C00 : f16
    %size = math.absf %x : f16
    %is = arith.cmpf olt, %size, %infinity : f16
    tile.yield %is : i1
  } : memref<?x?x?xf16> into memref<i1>
  return
}
