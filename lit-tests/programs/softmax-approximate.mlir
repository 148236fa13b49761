// RUN: tx-opt %s --tensors-to-memrefs --convert-linalg-to-tile --tile-form-kernels=chip=sm_90
// RUN(PTX): tx compile %s --chip sm_90 --entry rows
// PTXAS: sm_90
// SNAPSHOT: none — COMPARE states what the program computes, CHECK which ops may be approximate
// COMPARE: @rows(A: 5x1003xf32 in -9..9, B: 5x1003xf32) e = exp(A - max(A, 1, keep)); B = e / sum(e, 1, keep)

// The exponential is a product and `ex2.approx`; all divisions of a row share one reciprocal.
// CHECK-LABEL: func.func @rows(
// CHECK:         math.exp %{{.+}} fastmath<afn> : f32
// CHECK:         arith.divf %{{.+}} fastmath<afn> : f32
// PTX-NOT:     div.
// PTX:         ex2.approx.ftz.f32
// PTX-COUNT-1: rcp.approx.f32
// PTX-NOT:     {{rcp|div}}.
func.func @rows(%A: memref<5x1003xf32>, %B: memref<5x1003xf32>) attributes {tile.math = #tile.math<approx>} {
  linalg.softmax dimension(1) ins(%A : memref<5x1003xf32>) outs(%B : memref<5x1003xf32>)
  return
}
