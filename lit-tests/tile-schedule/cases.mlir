// RUN: tx-opt %s --tile-schedule
// RUN(SHORT): tx run %s --entry rows --device cpu --arg full:1:3x8xf32 --arg zeros:3xf32
// RUN(LONG): tx run %s --entry rows --device cpu --arg full:1:3x9xf32 --arg zeros:3xf32
// RUN(PLAN): tx compile %s --entry rows --plan - -o /dev/null

// Schedules for some lengths: a kernel for each, of which one is launched. The others are launches of no blocks.

// Up to eight columns are one thread's, and longer rows a warp's.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
// CHECK-LABEL: gpu.func @rows_1(
// CHECK-SAME:    known_block_size = array<i32: 32, 4, 1>
// CHECK-LABEL: func.func @rows(
// CHECK:         cf.assert
// CHECK:         gpu.launch_func @rows_kernels::@rows_0
// CHECK-NOT:     cf.assert
// CHECK:         gpu.launch_func @rows_kernels::@rows_1
// SHORT: [8. 8. 8.]
// LONG: [9. 9. 9.]
// PLAN: "min(ceildiv(arg0.dim0, 128), 2147483647) * max(min(9 - arg0.dim1, 1), 0)"
// PLAN: "min(ceildiv(arg0.dim0, 4), 2147483647) * max(min(arg0.dim1 - 8, 1), 0)"
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.case<"d1" to 8, [#tile.split<"d0" by 128>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]>,
                 #tile.otherwise<[#tile.split<"d0" by 4>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
                                  #tile.split<"d1" by 32>, #tile.bind<"d1.i" to thread_x>]>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}
