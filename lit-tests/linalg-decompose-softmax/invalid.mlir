// RUN: tx-opt %s --linalg-decompose-softmax
// SNAPSHOT: none — the op stays

// An attribute that is for a reduction cannot be handed on to two: `convert-linalg-to-tile` refuses the op.
// CHECK-LABEL: func.func @with_an_attribute(
// CHECK:         linalg.softmax {acc = f64} dimension(1)
// CHECK-NOT:     linalg.generic
func.func @with_an_attribute(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  linalg.softmax {acc = f64} dimension(1) ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>)
  return
}
