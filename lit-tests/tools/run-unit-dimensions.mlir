// RUN: tx run %s --device cpu --arg zeros:3x2xf32 --arg zeros:3x2xf32
// VALIDATE

// A view of a view with a size-1 dimension made of two: no address depends on its stride, which is 2 in the
// types.
// CHECK:      argument 1
// CHECK-NEXT: {{\[\[}}1. 1.]
func.func @views(%A: memref<?x2xf32>, %B: memref<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %A, %c0 : memref<?x2xf32>
  %t = memref.alloc(%n) : memref<?x1x1x2xf32>
  linalg.fill ins(%one : f32) outs(%t : memref<?x1x1x2xf32>)
  %k = memref.collapse_shape %t [[0], [1, 2], [3]] : memref<?x1x1x2xf32> into memref<?x1x2xf32>
  %s = memref.subview %k[0, 0, 0] [%n, 1, 2] [1, 1, 1] : memref<?x1x2xf32> to memref<?x1x2xf32, strided<[2, 2, 1]>>
  %c = memref.collapse_shape %s [[0, 1], [2]] : memref<?x1x2xf32, strided<[2, 2, 1]>> into memref<?x2xf32, strided<[2, 1]>>
  memref.copy %c, %B : memref<?x2xf32, strided<[2, 1]>> to memref<?x2xf32>
  memref.dealloc %t : memref<?x1x1x2xf32>
  return
}
