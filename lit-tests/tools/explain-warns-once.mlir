// RUN: tx explain %s --chip sm_80 --candidates none
// SNAPSHOT: none — schedules have tests of their own

// A warning that two passes report for one op is printed once, with its line.
// CHECK:      warning: the identity is not neutral for every value
// CHECK-NEXT:   tile.reduce custom
// CHECK:      remark: `tile.reduce` is scheduled by its shape
// CHECK-NOT:  warning:
func.func @least_number(%A: memref<?x34xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [-3.4028235e38 : f32] combiner {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %x, %y : f32
    tile.yield %z : f32
  } : memref<?x34xf32> into memref<?xf32>
  return
}
