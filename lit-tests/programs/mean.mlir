// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @mean(A: NxMxf32, mean: Nxf32) mean = mean(A, 1)
// SIZES: NxM = 128x128 127x1003 1x1 7x20 33x1 1x4099 0x7

// The mean of each row: a sum, and a division in the epilogue. The row length comes from the
// matrix.
// CHECK-LABEL: func.func @mean
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) epilogue {
// CHECK-NEXT:  ^bb0(%[[SUM:.+]]: f32, %{{.+}}: index):
// CHECK-NEXT:    arith.divf %[[SUM]], %
// CHECK-NOT:   linalg.generic
func.func @mean(%A: memref<?x?xf32>, %mean: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  %i = arith.index_cast %m : index to i64
  %n = arith.sitofp %i : i64 to f32
  linalg.fill ins(%zero : f32) outs(%mean : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x?xf32>) outs(%mean : memref<?xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%mean : memref<?xf32>) {
  ^bb0(%sum: f32):
    %q = arith.divf %sum, %n : f32
    linalg.yield %q : f32
  }
  return
}
