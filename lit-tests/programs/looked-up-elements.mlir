// RUN: tx-opt %s --convert-linalg-to-tile
// COMPARE: @rows(T: NxMxf32, A: NxMxf32, B: Nxf32) B = B + sum(T * A, 1)

// Elements are gathered at the loop indices, never beyond the end of a row, even if operands are loaded at
// clamped indices there.
// CHECK-LABEL: func.func @rows
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK:         memref.load
#ij = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @rows(%T: memref<?x?xf32>, %A: memref<?x?xf32>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #r], iterator_types = ["parallel", "reduction"]} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = memref.load %T[%i, %j] : memref<?x?xf32>
    %y = arith.mulf %x, %a : f32
    %s = arith.addf %o, %y : f32
    linalg.yield %s : f32
  }
  return
}
