// RUN: tx-opt %s --tile-schedule
// RUN(PTX): tx compile %s --entry wide --chip sm_90 -o -
// RUN(FEW): tx compile %s --entry narrow --chip sm_80 -o -
// RUN(RIGHT): tx run %s --entry wide --device cpu --arg full:1:3x8xf32 --arg zeros:3xf32
// SNAPSHOT: none — the kernels are what they are without the step

// An occupancy target below the maximum: resident blocks per SM, also in PTX, from 1 to 32.
// CHECK-LABEL: gpu.func @wide_0(
// CHECK-SAME:    nvvm.minctasm = 8 : i32
// CHECK-LABEL: gpu.func @narrow_0(
// CHECK-SAME:    nvvm.minctasm = 32 : i32
// CHECK-LABEL: gpu.func @one_0(
// CHECK-SAME:    nvvm.minctasm = 1 : i32
// PTX:      .entry wide_0(
// PTX:      .reqntid 128, 1, 1
// PTX-NEXT: .minnctapersm 8
// FEW:      .entry narrow_0(
// FEW:      .minnctapersm 32
// RIGHT: [8. 8. 8.]
func.func @wide(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 128>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>, #tile.resident<1024>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}
func.func @narrow(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>, #tile.resident<2048>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}
func.func @one(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 128>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>, #tile.resident<1>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}
