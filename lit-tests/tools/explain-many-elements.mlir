// RUN: tx explain %s --chip sm_90

// An array of nearly 2^63 elements has more bytes than can be counted; it is scheduled all the same.
// CHECK: remark: `tile.reduce` is scheduled by its shape
// CHECK: estimates are for the H200 and 9223372036854284288
func.func @all(%A: memref<9223372036854284288xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<9223372036854284288xf32> into memref<f32>
  return
}
