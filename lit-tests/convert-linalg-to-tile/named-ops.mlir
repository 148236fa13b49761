// RUN: tx-opt %s --convert-linalg-to-tile

// Named ops have a body and maps like `linalg.generic`.
// CHECK-DAG: #[[$LHS:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$RHS:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$OUT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$IMAGE:.+]] = affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>
// CHECK-DAG: #[[$POOL:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>

// CHECK-LABEL: func.func @matmul
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [2] scope(grid) accumulate element {
// CHECK:         arith.mulf
// CHECK:       } {maps = [#[[$LHS]], #[[$RHS]], #[[$OUT]]]} : memref<?x?xf16>, memref<?x?xf16> into memref<?x?xf32>
func.func @matmul(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  linalg.matmul ins(%A, %B : memref<?x?xf16>, memref<?x?xf16>) outs(%C : memref<?x?xf32>)
  return
}

// CHECK-LABEL: func.func @vectors
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate element
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element
func.func @vectors(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %s: memref<f32>) {
  linalg.dot ins(%x, %y : memref<?xf32>, memref<?xf32>) outs(%s : memref<f32>)
  linalg.matvec ins(%A, %x : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  linalg.vecmat ins(%x, %A : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?xf32>)
  return
}

// A vector multiplied by itself is one source.
// CHECK-LABEL: func.func @square
// CHECK:       tile.reduce sum %{{[^,]+}} into %{{.+}} axes [0] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f32, %{{.+}}: index):
// CHECK-NEXT:    arith.mulf %[[X]], %[[X]] : f32
func.func @square(%x: memref<?xf32>, %s: memref<f32>) {
  linalg.dot ins(%x, %x : memref<?xf32>, memref<?xf32>) outs(%s : memref<f32>)
  return
}

// CHECK-LABEL: func.func @batch
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [3] scope(grid) accumulate element
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [2] scope(grid) accumulate element
func.func @batch(%A: memref<2x?x?xi32>, %B: memref<2x?x?xi32>, %C: memref<2x?x?xi32>, %v: memref<2x?xi32>, %w: memref<2x?xi32>) {
  linalg.batch_matmul ins(%A, %B : memref<2x?x?xi32>, memref<2x?x?xi32>) outs(%C : memref<2x?x?xi32>)
  linalg.batch_matvec ins(%A, %v : memref<2x?x?xi32>, memref<2x?xi32>) outs(%w : memref<2x?xi32>)
  return
}

// A convolution reads its image at sums of loop indices.
// CHECK-LABEL: func.func @convolution
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [2, 3] scope(grid) accumulate element
// CHECK:       {maps = [#[[$IMAGE]],
func.func @convolution(%A: memref<?x?xf32>, %K: memref<3x3xf32>, %B: memref<?x?xf32>) {
  linalg.conv_2d ins(%A, %K : memref<?x?xf32>, memref<3x3xf32>) outs(%B : memref<?x?xf32>)
  return
}

// A convolution also reduces its channels; strides and dilations are in the maps.
// CHECK-LABEL: func.func @channels
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [4, 5, 6] scope(grid) accumulate element
func.func @channels(%A: memref<1x?x?x8xf32>, %K: memref<3x3x8x16xf32>, %B: memref<1x?x?x16xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : vector<2xi64>, dilations = dense<2> : vector<2xi64>}
      ins(%A, %K : memref<1x?x?x8xf32>, memref<3x3x8x16xf32>) outs(%B : memref<1x?x?x16xf32>)
  return
}

// The window of a pooling op only provides its shape: it stays a source without used elements.
// CHECK-LABEL: func.func @pooling
// CHECK:       tile.reduce max %{{.+}}, %{{.+}} into %{{.+}} axes [4, 5] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[X:[^:]+]]: f32, %{{[^:]+}}: f32,
// CHECK-NEXT:    tile.yield %[[X]] : f32
// CHECK-NEXT:  } {maps = [#[[$POOL]],
// CHECK:       tile.reduce sum
// CHECK:       tile.reduce min
// CHECK:       tile.reduce umax
func.func @pooling(%A: memref<1x8x8x4xf32>, %B: memref<1x8x8x4xi8>, %w: memref<2x2xf32>, %v: memref<2x2xi8>, %C: memref<1x4x4x4xf32>, %D: memref<1x4x4x4xi8>) {
  linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>}
      ins(%A, %w : memref<1x8x8x4xf32>, memref<2x2xf32>) outs(%C : memref<1x4x4x4xf32>)
  linalg.pooling_nhwc_sum {strides = dense<2> : vector<2xi64>}
      ins(%A, %w : memref<1x8x8x4xf32>, memref<2x2xf32>) outs(%C : memref<1x4x4x4xf32>)
  linalg.pooling_nhwc_min {strides = dense<2> : vector<2xi64>}
      ins(%A, %w : memref<1x8x8x4xf32>, memref<2x2xf32>) outs(%C : memref<1x4x4x4xf32>)
  linalg.pooling_nhwc_max_unsigned {strides = dense<2> : vector<2xi64>}
      ins(%B, %v : memref<1x8x8x4xi8>, memref<2x2xi8>) outs(%D : memref<1x4x4x4xi8>)
  return
}
