// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @count(mask: NxMxi1, counts: Nxi32) counts = sum(-i32(mask), 1)

// The number of set elements in each row of a mask: bits, counted as 32-bit integers.
// CHECK-LABEL: func.func @count
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) element {
// CHECK:         arith.extui %{{.+}} : i1 to i32
func.func @count(%mask: memref<?x?xi1>, %counts: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%counts : memref<?xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%mask : memref<?x?xi1>) outs(%counts : memref<?xi32>) {
  ^bb0(%b: i1, %n: i32):
    %one = arith.extui %b : i1 to i32
    %m = arith.addi %n, %one : i32
    linalg.yield %m : i32
  }
  return
}
