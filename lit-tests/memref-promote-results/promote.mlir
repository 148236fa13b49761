// RUN: tx-opt %s --memref-promote-results

// A temporary becomes the argument; a memref that is returned again is copied.
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

// An argument and a view are copied; a result that is no memref stays.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    %[[A:.+]]: memref<4x2xf32> {mine.first}, %[[B:.+]]: memref<4x2xf32>, %[[C:.+]]: memref<8xf32>) -> (index {mine.size}) {
// CHECK:       memref.copy %[[A]], %[[B]]
// CHECK:       memref.copy %{{.+}}, %[[C]]
// CHECK-NEXT:  return %{{.+}} : index
func.func @others(%A: memref<4x2xf32> {mine.first}) -> (memref<4x2xf32>, index {mine.size}, memref<8xf32>) {
  %n = arith.constant 4 : index
  %T = memref.alloc() : memref<4x2xf32>
  linalg.exp ins(%A : memref<4x2xf32>) outs(%T : memref<4x2xf32>)
  %V = memref.collapse_shape %T [[0, 1]] : memref<4x2xf32> into memref<8xf32>
  return %A, %n, %V : memref<4x2xf32>, index, memref<8xf32>
}
