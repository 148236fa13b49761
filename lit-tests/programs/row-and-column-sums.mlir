// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @row_and_column_sums(A: NxMxf32, rows: Nxf32, columns: Mxf32) rows = sum(A, 1); columns = sum(A, 0)

// Sums of the rows and of the columns of one matrix, in `linalg`. Each `linalg.fill` with zero is folded into
// the following reduction.
// CHECK-LABEL: func.func @row_and_column_sums
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [0] scope(grid) : memref<?x?xf32> into memref<?xf32>
func.func @row_and_column_sums(%A: memref<?x?xf32>, %rows: memref<?xf32>, %columns: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%rows : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x?xf32>) outs(%rows : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%zero : f32) outs(%columns : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x?xf32>) outs(%columns : memref<?xf32>) dimensions = [0]
  return
}
