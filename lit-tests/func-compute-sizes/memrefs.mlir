// RUN: tx-opt %s --func-compute-sizes --canonicalize
// RUN(GROUPED): tx run %s --entry grouped --device cpu --arg full:3:5x4x6xf32 --arg zeros:5x2xf32
// RUN(STORED): tx run %s --entry stored --device cpu --arg full:3:7xf32 --arg 4 --arg zeros:7xf32
// SNAPSHOT: none — CHECK lines state what is left of the memory of the host

// Stores of a host function to its own memory are evaluated at compile time, and the memory is removed.
// CHECK-LABEL: func.func @grouped(
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.store
// CHECK:         memref.collapse_shape %{{.+}} {{\[\[}}0], [1, 2]] : memref<?x4x6xf32> into memref<?x24xf32>
// CHECK:         memref.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [%{{.+}}, 2, 12]
// CHECK-NOT:     memref.dealloc
// GROUPED:       argument 1: 5x2xf32
// GROUPED-NEXT:  {{\[\[}}36. 36.]
func.func @grouped(%A: memref<?x4x6xf32>, %B: memref<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %n = memref.dim %A, %c0 : memref<?x4x6xf32>
  %shape = memref.alloc() : memref<3xindex>
  memref.store %n, %shape[%c0] : memref<3xindex>
  memref.store %c2, %shape[%c1] : memref<3xindex>
  memref.store %c12, %shape[%c2] : memref<3xindex>
  %C = memref.reshape %A(%shape) : (memref<?x4x6xf32>, memref<3xindex>) -> memref<?x2x12xf32>
  linalg.reduce {arith.addf} ins(%C : memref<?x2x12xf32>) outs(%B : memref<?x2xf32>) dimensions = [2]
  memref.dealloc %shape : memref<3xindex>
  return
}

// A load gets the last value stored before it.
// CHECK-LABEL: func.func @stored(
// CHECK-NOT:     memref.alloca
// CHECK-NOT:     memref.load
// STORED:        argument 2: 7xf32
// STORED-NEXT:   [3. 3. 3. 3. 0. 0. 0.]
func.func @stored(%A: memref<7xf32>, %n: index, %B: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sizes = memref.alloca() : memref<2xindex>
  memref.store %c1, %sizes[%c1] : memref<2xindex>
  memref.store %n, %sizes[%c1] : memref<2xindex>
  memref.store %c0, %sizes[%c0] : memref<2xindex>
  %size = memref.load %sizes[%c1] : memref<2xindex>
  memref.store %c1, %sizes[%c1] : memref<2xindex>
  %from = memref.subview %A[0] [%size] [1] : memref<7xf32> to memref<?xf32, strided<[1]>>
  %to = memref.subview %B[0] [%size] [1] : memref<7xf32> to memref<?xf32, strided<[1]>>
  memref.copy %from, %to : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  return
}

// A store at an index that depends on an argument, or in a branch, is not evaluated.
// CHECK-LABEL: func.func @not_known(
// CHECK:         memref.load
func.func @not_known(%i: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %sizes = memref.alloca() : memref<2xindex>
  memref.store %n, %sizes[%c0] : memref<2xindex>
  memref.store %i, %sizes[%i] : memref<2xindex>
  %size = memref.load %sizes[%c0] : memref<2xindex>
  return %size : index
}
