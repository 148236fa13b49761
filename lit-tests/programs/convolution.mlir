// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @convolution(A: NxNxf32, K: 3x3xf32, B: N-2xN-2xf32) B = sum(windows(A, [3, 3]) * K, [2, 3])
// SIZES: N = 128 3 4 33 2

// A 3x3 convolution: a reduction over the two dimensions of the filter. The indices of the input are sums of
// loop indices.
// CHECK:       #[[IN:.+]] = affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>
// CHECK-LABEL: func.func @convolution
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [2, 3] scope(grid) element {
// CHECK:         arith.mulf
// CHECK:       maps = [#[[IN]],
func.func @convolution(%A: memref<?x?xf32>, %K: memref<3x3xf32>, %B: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%B : memref<?x?xf32>)
  linalg.conv_2d ins(%A, %K : memref<?x?xf32>, memref<3x3xf32>) outs(%B : memref<?x?xf32>)
  return
}
