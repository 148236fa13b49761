// RUN: not tx-opt %s 2>&1
// EXIT: 1
// SNAPSHOT: none — the line says all.

// If a region cannot be parsed, an earlier op that uses one of its values is not checked: the value no
// longer exists.
// CHECK: error: redefinition of block '^bb0'
func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %x = arith.maximumf %ma, %mb : f32
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0xFF800000 : f32] combiner {
  ^bb0(%ma: f32, %mb: f32):
    %m = arith.maximumf %ma, %mb : f32
    tile.yield %m : f32
  ^bb0(%m: f32):
  } : memref<?x?xf32> into memref<?xf32>
  return
}
