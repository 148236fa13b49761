// RUN: tx validate %s --chip sm_80
// SNAPSHOT: none — whether there is an assembler is not the matter.

// Dependent sizes may have a product beyond 64 bits. Such inputs are too large, and others are chosen.
// CHECK: launch {{ *}}equal
func.func @pooling(%A: memref<?x?x?x?xf32>, %window: memref<2x2xf32>, %B: memref<?x?x?x?xf32>) {
  linalg.pooling_nhwc_sum {strides = dense<2147483647> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%A, %window : memref<?x?x?x?xf32>, memref<2x2xf32>) outs(%B : memref<?x?x?x?xf32>)
  return
}
