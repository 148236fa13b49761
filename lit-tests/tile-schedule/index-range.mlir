// RUN: tx-opt %s --tile-schedule

// Element indices have the index type. With `i32`, dynamic lengths are asserted to fit: the host checks the
// product after each dimension, before it can overflow 64 bits. With `i64`, or with indices from `element`,
// no assertion is necessary.
// CHECK-LABEL: func.func @narrow_index(
// CHECK:         %[[ROWS:.+]] = memref.dim
// CHECK:         %[[MOST:.+]] = arith.constant 2147483648 : index
// CHECK:         %[[FIT:.+]] = arith.cmpi sle, %[[ROWS]], %[[MOST]] : index
// CHECK:         cf.assert %[[FIT]], "an `i32` index distinguishes at most 2147483648 elements; the reduction needs an `i64` index"
// CHECK:         %[[ALL:.+]] = arith.muli %[[ROWS]], %{{.+}} : index
// CHECK:         %[[FIT:.+]] = arith.cmpi sle, %[[ALL]], %{{.+}} : index
// CHECK:         cf.assert %[[FIT]], "an `i32` index distinguishes at most
// CHECK-LABEL: func.func @wide_index(
// CHECK-NOT:     cf.assert %{{.+}}, "an `i32`
// CHECK:         gpu.launch_func
// CHECK-LABEL: func.func @given_index(
// CHECK-NOT:     cf.assert %{{.+}}, "an `i32`
// CHECK:         gpu.launch_func
func.func @narrow_index(%A: memref<?x?xf32>, %V: memref<f32>, %I: memref<i32>) {
  tile.reduce argmax %A into %V, %I axes [0, 1] scope(grid) {schedule = []}
    : memref<?x?xf32> into memref<f32>, memref<i32>
  return
}
func.func @wide_index(%A: memref<?x?xf32>, %V: memref<f32>, %I: memref<i64>) {
  tile.reduce argmax %A into %V, %I axes [0, 1] scope(grid) {schedule = []}
    : memref<?x?xf32> into memref<f32>, memref<i64>
  return
}
func.func @given_index(%A: memref<?xf32>, %K: memref<?xi32>, %V: memref<f32>, %I: memref<i32>) {
  tile.reduce argmax %A, %K into %V, %I axes [0] scope(grid) {schedule = []}
    : memref<?xf32>, memref<?xi32> into memref<f32>, memref<i32>
  return
}
