// RUN(TILE): tx-opt %s --convert-linalg-to-tile
// RUN: tx-opt %s --convert-linalg-to-tile --tile-schedule
// COMPARE: @product(A: NxMxf32 in 0.9..1.1, B: Nxf32) B = prod(A, 1)

// ## The same in `linalg`
//
// There the combiner is the body, and the identity is what the output was filled with.

func.func @product(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%B : memref<?xf32>)
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] {schedule = []}
    (%x: f32, %y: f32) {
      %xy = arith.mulf %x, %y : f32
      linalg.yield %xy : f32
    }
  return
}

// SHOW: TILE tile.reduce
//
// A combiner that has a name is found out.
// TILE-LABEL: func.func @product(
// TILE-NOT:   linalg
// TILE:       tile.reduce prod %{{.+}} into %{{.+}} axes [1] scope(grid) {schedule = []}
//
// The kernel is that of above.
// CHECK-LABEL: gpu.func @product_0(
// CHECK:       scf.for
// CHECK:         %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:         scf.for {{.+}} iter_args(%[[ACC:.+]] = %[[ONE]]) -> (f32)
// CHECK:           %[[X:.+]] = memref.load
// CHECK:           arith.mulf %[[ACC]], %[[X]]
// CHECK:         memref.store
