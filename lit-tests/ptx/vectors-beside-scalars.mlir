// RUN: tx compile %s --chip sm_80
// PTXAS: sm_80 sm_90 sm_100

// A short dot product loads vectors if both arrays are aligned, and scalars otherwise. LLVM keeps both paths,
// and moves no load in front of the branch.
// CHECK:         .visible .entry dot_0(
// CHECK-NOT:     ld.global
// CHECK:         bra
// CHECK-COUNT-8: ld.global.b64
// CHECK-NOT:     ld.global.b64
// CHECK-COUNT-4: ld.global.v2.b64
// CHECK-NOT:     ld.global
func.func @dot(%x: memref<1x4xf64>, %y: memref<1x4xf64>, %out: memref<1xf64>) {
  tile.reduce sum %x, %y into %out axes [1] scope(grid) element {
  ^bb0(%a: f64, %b: f64, %r: index, %c: index):
    %product = arith.mulf %a, %b : f64
    tile.yield %product : f64
  } {schedule = [#tile.vectorize<"d1">]} : memref<1x4xf64>, memref<1x4xf64> into memref<1xf64>
  return
}
