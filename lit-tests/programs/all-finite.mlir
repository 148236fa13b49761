// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// COMPARE: @all_finite(A: NxMx3xf16 of special, finite: i1) finite = and(abs(A) < 65505.0, [0, 1, 2])

// Whether a tensor is free of infinities and NaN, as a loss scaler asks after every step.
// CHECK-LABEL: gpu.func @all_finite_0
// CHECK:       tile.all_reduce and %{{.+}} scope(cta)
// CHECK-SAME:    : i1 -> i1
// CHECK-LABEL: gpu.func @all_finite_1
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
