// RUN: tx-opt %s --linalg-decompose-softmax
// SNAPSHOT: none — the op stays

// An attribute of one reduction cannot be copied to two, so `convert-linalg-to-tile` rejects the op.
// CHECK-LABEL: func.func @with_an_attribute(
// CHECK:         linalg.softmax {acc = f64} dimension(1)
// CHECK-NOT:     linalg.generic
func.func @with_an_attribute(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  linalg.softmax {acc = f64} dimension(1) ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>)
  return
}
