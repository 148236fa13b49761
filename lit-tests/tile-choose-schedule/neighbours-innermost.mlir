// RUN: tx-opt %s --convert-linalg-to-tile --tile-choose-schedule
// RUN(SUMS): tx run %s --entry pixels --device cpu --arg full:1:3x5x7xf32 --arg zeros:5xf32

// If contiguous elements are along another reduced loop than the last, this loop becomes innermost: the outer
// loops determine where an aligned row begins.
// SNAPSHOT: none — schedules of rows have tests of their own
// SUMS:      argument 1: 5xf32
// SUMS-NEXT: [21. 21. 21. 21. 21.]

// CHECK-LABEL: @pixels
// CHECK:       #tile.reorder<"d2", "d1">, #tile.align<"d1" to 4>
func.func @pixels(%x: memref<?x?x?xf32>, %s: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(c, p, n) -> (n, c, p)>, affine_map<(c, p, n) -> (c)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : memref<?x?x?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  }
  return
}

// CHECK-LABEL: @two_around
// CHECK:       #tile.reorder<"d2", "d3", "d0">, #tile.align<"d0" to 4>
func.func @two_around(%x: memref<?x?x?x?xf32>, %s: memref<?xf32>) {
  tile.reduce sum %x into %s axes [0, 2, 3] scope(grid)
      {maps = [affine_map<(d0, d1, d2, d3) -> (d1, d3, d2, d0)>, affine_map<(d0, d1, d2, d3) -> (d1)>]}
      : memref<?x?x?x?xf32> into memref<?xf32>
  return
}

// The loops are already in the right order.
// CHECK-LABEL: @last
// CHECK-NOT:   reorder
// CHECK:       #tile.align<"d2" to 4>
func.func @last(%x: memref<?x?x?xf32>, %s: memref<?xf32>) {
  tile.reduce sum %x into %s axes [0, 2] scope(grid) : memref<?x?x?xf32> into memref<?xf32>
  return
}
