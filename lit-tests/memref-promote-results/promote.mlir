// RUN: tx-opt %s --memref-promote-results

// A temporary becomes the argument; a memref that is returned twice is copied.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[A:.+]]: memref<?xf32>, %[[B:.+]]: memref<?xf32>, %[[C:.+]]: memref<?xf32>) {
// CHECK-NOT:   memref.alloc
// CHECK:       %[[N:.+]] = memref.dim %[[A]]
// CHECK:       %[[D:.+]] = memref.dim %[[B]]
// CHECK:       %[[S:.+]] = arith.cmpi eq, %[[D]], %[[N]]
// CHECK-NEXT:  cf.assert %[[S]], "dimension 0 of result 0"
// CHECK:       linalg.exp ins(%[[A]] : memref<?xf32>) outs(%[[B]] : memref<?xf32>)
// CHECK-NEXT:  memref.copy %[[B]], %[[C]]
// CHECK-NEXT:  return
func.func @twice(%A: memref<?xf32>) -> (memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %B = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%A : memref<?xf32>) outs(%B : memref<?xf32>)
  return %B, %B : memref<?xf32>, memref<?xf32>
}

// A returned argument, or a view of a part, is copied. A result that is no memref stays.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    %[[A:.+]]: memref<4x2xf32> {mine.first}, %[[B:.+]]: memref<4x2xf32>, %[[C:.+]]: memref<4xf32>) -> (index {mine.size}) {
// CHECK:       memref.copy %[[A]], %[[B]]
// CHECK:       memref.copy %{{.+}}, %[[C]]
// CHECK-NEXT:  return %{{.+}} : index
func.func @others(%A: memref<4x2xf32> {mine.first}) -> (memref<4x2xf32>, index {mine.size}, memref<4xf32>) {
  %n = arith.constant 4 : index
  %T = memref.alloc() : memref<4x2xf32>
  linalg.exp ins(%A : memref<4x2xf32>) outs(%T : memref<4x2xf32>)
  %W = memref.collapse_shape %T [[0, 1]] : memref<4x2xf32> into memref<8xf32>
  %V = memref.subview %W[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %U = memref.cast %V : memref<4xf32, strided<[1]>> to memref<4xf32>
  return %A, %n, %U : memref<4x2xf32>, index, memref<4xf32>
}

// A reshaped temporary becomes a view of the argument.
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME:    %[[A:.+]]: memref<6x4xf32>, %[[B:.+]]: memref<2x12xf32>)
// CHECK:       %[[FLAT:.+]] = memref.collapse_shape %[[B]] {{\[\[}}0, 1]] : memref<2x12xf32> into memref<24xf32>
// CHECK:       %[[T:.+]] = memref.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [6, 4] : memref<24xf32> into memref<6x4xf32>
// CHECK:       linalg.exp ins(%[[A]] : memref<6x4xf32>) outs(%[[T]] : memref<6x4xf32>)
// CHECK-NOT:   memref.copy
func.func @reshaped(%A: memref<6x4xf32>) -> memref<2x12xf32> {
  %T = memref.alloc() : memref<6x4xf32>
  linalg.exp ins(%A : memref<6x4xf32>) outs(%T : memref<6x4xf32>)
  %F = memref.collapse_shape %T [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  %V = memref.expand_shape %F [[0, 1]] output_shape [2, 12] : memref<24xf32> into memref<2x12xf32>
  return %V : memref<2x12xf32>
}
