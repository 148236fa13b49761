// RUN: tx validate %s
// SNAPSHOT: none — the verdict is what matters.

// `nan` on a linalg op overrides the op of its body, also in the reference program of the validation.
// CHECK:      @ignored
// CHECK:      convert-linalg-to-tile
// CHECK-SAME: equal
// CHECK:      @propagated
// CHECK:      convert-linalg-to-tile
// CHECK-SAME: equal
func.func @ignored(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  %lo = arith.constant 0xFF800000 : f32
  linalg.fill ins(%lo : f32) outs(%B : memref<4xf32>)
  linalg.reduce {arith.maximumf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {nan = #tile.nan<ignore>}
  return
}
func.func @propagated(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  %hi = arith.constant 0x7F800000 : f32
  linalg.fill ins(%hi : f32) outs(%B : memref<4xf32>)
  linalg.reduce {arith.minnumf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {nan = #tile.nan<propagate>}
  return
}
