// RUN: tx-opt %s --convert-linalg-to-tile --tile-schedule

// The window of a pooling op only sets loop lengths: programs do not initialize it, and no kernel loads it.
// SNAPSHOT: none — kernels of sums have tests of their own
// CHECK-LABEL:   gpu.func @sums_0
// CHECK:         memref.load %arg0
// CHECK-NOT:     memref.load
// CHECK:         gpu.return
func.func @sums(%x: memref<1x1x5xf32>, %y: memref<1x1x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %window = memref.alloc() : memref<3xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<1x1x3xf32>)
  linalg.pooling_ncw_sum ins(%x, %window : memref<1x1x5xf32>, memref<3xf32>) outs(%y : memref<1x1x3xf32>)
  memref.dealloc %window : memref<3xf32>
  return
}

// Vector loads with windows of dynamic sizes.
// CHECK-LABEL: gpu.func @maxima_0
// CHECK-NOT:   memref.load %arg1
// CHECK-NOT:   vector.load %arg1
// CHECK:       gpu.return
func.func @maxima(%x: memref<?x?x?x?xf32>, %y: memref<?x?x?x?xf32>, %h: index, %w: index) {
  %least = arith.constant 0xFF800000 : f32
  %window = memref.alloc(%h, %w) : memref<?x?xf32>
  linalg.fill ins(%least : f32) outs(%y : memref<?x?x?x?xf32>)
  linalg.pooling_nchw_max ins(%x, %window : memref<?x?x?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?x?x?xf32>)
  memref.dealloc %window : memref<?x?xf32>
  return
}
