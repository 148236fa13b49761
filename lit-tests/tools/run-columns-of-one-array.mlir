// RUN: tx run %s --device cpu --entry linalg --arg full:1:64x9xf32
// RUN(TILE): tx run %s --device cpu --entry tile --arg full:1:64x9xf32
// VALIDATE
// SNAPSHOT: none — what is printed is checked.

// A column of an array does not overlap the other columns, although they are interleaved: sums of rows may be
// stored next to their elements. The strides show this, also for a dynamic number of rows.
// CHECK:      argument 0: 64x9xf32
// CHECK-NEXT: {{\[}}[8. 1. 1. 1. 1. 1. 1. 1. 1.]
// CHECK-NEXT: [8. 1.
// TILE:       argument 0: 64x9xf32
// TILE-NEXT:  {{\[}}[1. 1. 1. 1. 1. 1. 1. 1. 8.]
// TILE-NEXT:  [1. 1.
func.func @linalg(%A: memref<64x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.subview %A[0, 1] [64, 8] [1, 1] : memref<64x9xf32> to memref<64x8xf32, strided<[9, 1], offset: 1>>
  %d = memref.subview %A[0, 0] [64, 1] [1, 1] : memref<64x9xf32> to memref<64xf32, strided<[9]>>
  linalg.fill ins(%zero : f32) outs(%d : memref<64xf32, strided<[9]>>)
  linalg.reduce { arith.addf } ins(%s : memref<64x8xf32, strided<[9, 1], offset: 1>>)
      outs(%d : memref<64xf32, strided<[9]>>) dimensions = [1]
  return
}
func.func @tile(%A: memref<?x9xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x9xf32>
  %s = memref.subview %A[0, 0] [%n, 8] [1, 1] : memref<?x9xf32> to memref<?x8xf32, strided<[9, 1]>>
  %d = memref.subview %A[0, 8] [%n, 1] [1, 1] : memref<?x9xf32> to memref<?xf32, strided<[9], offset: 8>>
  tile.reduce sum %s into %d axes [1] scope(grid) : memref<?x8xf32, strided<[9, 1]>> into memref<?xf32, strided<[9], offset: 8>>
  return
}
