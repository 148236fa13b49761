// RUN: tx-opt %s --tile-schedule --lower-reduction --gpu-prepare-for-nvvm

// The schedule attribute is removed from the kernel, so that tools without the dialect can read the module.
// CHECK-NOT:   #tile
// CHECK:       gpu.func @sums_0
// CHECK-NOT:   #tile
func.func @sums(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<4x8xf32> into memref<4xf32>
  return
}
