// RUN: tx-opt %s --tensors-to-memrefs --convert-linalg-to-tile --tile-form-kernels=chip=sm_90
// SNAPSHOT: none — COMPARE states what the program computes, CHECK how many kernels it takes
// COMPARE: @rows(A: 5x1003xf32 in -9..9, B: 5x1003xf32) e = exp(A - max(A, 1, keep)); B = e / sum(e, 1, keep)
// COMPARE: @columns(A: 7x20x33xf32 in -9..9, B: 7x20x33xf32) e = exp(A - max(A, 1, keep)); B = e / sum(e, 1, keep)

// `linalg.softmax` over the innermost dimension is one kernel.
// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-3: tile.group = 0
// CHECK:       return
func.func @rows(%A: memref<5x1003xf32>, %B: memref<5x1003xf32>) {
  linalg.softmax dimension(1) ins(%A : memref<5x1003xf32>) outs(%B : memref<5x1003xf32>)
  return
}

// CHECK-LABEL: func.func @columns(
// CHECK-COUNT-2: tile.reduce
// CHECK:       linalg.generic
func.func @columns(%A: memref<7x20x33xf32>, %B: memref<7x20x33xf32>) {
  linalg.softmax dimension(1) ins(%A : memref<7x20x33xf32>) outs(%B : memref<7x20x33xf32>)
  return
}
