// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @dot_and_matvec(A: NxMxf32, x: Mxf32, y: Nxf32, dot: f32) y = y + sum(A * x, 1); dot = dot + sum(x * x, 0)

// A dot product, and a product of a matrix and a vector, both added to old values of the outputs.
// CHECK-LABEL: func.func @dot_and_matvec
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate element {
func.func @dot_and_matvec(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %dot: memref<f32>) {
  linalg.matvec ins(%A, %x : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  linalg.dot ins(%x, %x : memref<?xf32>, memref<?xf32>) outs(%dot : memref<f32>)
  return
}
