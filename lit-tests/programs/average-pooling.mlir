// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @average_pooling(A: Nx2*Px2*QxCxf32, window: 2x2xf32, B: NxPxQxCxf32) r = reshape(A, [N, P, 2, Q, 2, C]); B = sum(r, [2, 4]) * 0.25
// SIZES: NxPxQxC = 2x3x4x5 1x1x1x1 3x16x17x7 0x2x2x3

// Average pooling: a quarter of the sums over 2x2 windows with stride two. The window operand only provides
// its shape.
// CHECK-LABEL: func.func @average_pooling
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [4, 5] scope(grid)
// CHECK:       epilogue {
// CHECK:         arith.mulf
// CHECK-NOT:   linalg.generic
func.func @average_pooling(%A: memref<?x?x?x?xf32>, %window: memref<2x2xf32>, %B: memref<?x?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant 0.25 : f32
  linalg.fill ins(%zero : f32) outs(%B : memref<?x?x?x?xf32>)
  linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%A, %window : memref<?x?x?x?xf32>, memref<2x2xf32>) outs(%B : memref<?x?x?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%B : memref<?x?x?x?xf32>) {
  ^bb0(%s: f32):
    %a = arith.mulf %s, %quarter : f32
    linalg.yield %a : f32
  }
  return
}
