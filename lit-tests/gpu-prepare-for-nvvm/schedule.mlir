// RUN: tx-opt %s --tile-schedule --lower-reduction --gpu-prepare-for-nvvm

// A tool that does not know the dialect can read what is left: the schedule is no longer on the kernel.
// CHECK-NOT:   #tile
// CHECK:       gpu.func @sums_0
// CHECK-NOT:   #tile
func.func @sums(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<4x8xf32> into memref<4xf32>
  return
}
