// RUN: tx-opt %s --convert-linalg-to-tile
// COMPARE: @columns(T: NxMxf32, A: NxMxf32, B: Mxf32) B = B + sum(T * A, 0)

// Elements of columns are gathered at the loop indices, never beyond the last row or column.
// CHECK-LABEL: func.func @columns
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate element {
// CHECK:         memref.load
#ij = affine_map<(i, j) -> (i, j)>
#c = affine_map<(i, j) -> (j)>
func.func @columns(%T: memref<?x?xf32>, %A: memref<?x?xf32>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #c], iterator_types = ["reduction", "parallel"]} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) {
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
