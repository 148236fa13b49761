// RUN: tx explain %s --chip sm_90 --entry bytes
// SNAPSHOT: none — lengths and times are checked.
// RUN(FLOATS): tx-opt %s --tile-choose-schedule="explain chip=sm_90" -o /dev/null 2>&1
// RUN(SPAN): not tx explain %s --chip sm_90 --entry floats 2>&1
// EXIT: 1

// An array of nearly 2^63 bytes is scheduled like others. So is one of nearly 2^63 elements, whose byte count
// overflows and which no host can pass.
// CHECK: remark: `tile.reduce` is scheduled by its shape
// CHECK: estimates are for the H200, which represents sm_90, and lengths of 9223372036854284288
// FLOATS: for 36893488147417137152 bytes
// SPAN: error: argument 0 of `floats` cannot be passed from the host: `memref<9223372036854284288xf32>` spans 2^63 bytes and more
func.func @bytes(%A: memref<9223372036854284288xi8>, %B: memref<i8>) {
  tile.reduce max %A into %B axes [0] scope(grid) : memref<9223372036854284288xi8> into memref<i8>
  return
}
func.func @floats(%A: memref<9223372036854284288xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<9223372036854284288xf32> into memref<f32>
  return
}
