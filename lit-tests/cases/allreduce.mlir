// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Reductions along x in blocks of one, two and three dimensions: over part of a warp, one warp, several
// warps, and groups that do not divide a warp.

// Nine groups of 100 threads.
// COMPARE: @hundred_threads(A: 1x3x3x100xf32, B: 1x3x3xf32) B = sum(A, [3])
// COUNT: @hundred_threads_0 barriers = 1, shuffles = 5, loads = 5, shared loads = 4, stores = 2, shared stores = 1
// COUNT: @hundred_threads_0 scf.if = 2
// COUNT: @hundred_threads gpu.launch_func = 1
func.func @hundred_threads(%A: memref<1x3x3x100xf32>, %B: memref<1x3x3xf32>) {
  tile.reduce sum %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x3x3x100xf32> into memref<1x3x3xf32>
  return
}

// Four groups of 12 threads.
// COMPARE: @twelve_threads(A: 1x4x1x12xf32, B: 1x4x1xf32) B = sum(A, [3])
// COUNT: @twelve_threads_0 barriers = 1, shuffles = 4, loads = 3, shared loads = 2, stores = 2, shared stores = 1
// COUNT: @twelve_threads_0 scf.if = 3
// COUNT: @twelve_threads gpu.launch_func = 1
func.func @twelve_threads(%A: memref<1x4x1x12xf32>, %B: memref<1x4x1xf32>) {
  tile.reduce sum %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x4x1x12xf32> into memref<1x4x1xf32>
  return
}

// Twelve groups of 48 threads.
// COMPARE: @forty_eight_threads(A: 1x3x4x48xf32, B: 1x3x4xf32) B = max(A, [3])
// COUNT: @forty_eight_threads_0 barriers = 1, shuffles = 5, loads = 3, shared loads = 2, stores = 2
// COUNT: @forty_eight_threads_0 shared stores = 1, scf.if = 2
// COUNT: @forty_eight_threads gpu.launch_func = 1
func.func @forty_eight_threads(%A: memref<1x3x4x48xf32>, %B: memref<1x3x4xf32>) {
  tile.reduce max %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x3x4x48xf32> into memref<1x3x4xf32>
  return
}

// Four groups of four warps.
// COMPARE: @four_warps(A: 1x4x1x128xf32, B: 1x4x1xf32) B = max(A, [3])
// COUNT: @four_warps_0 barriers = 1, shuffles = 5, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @four_warps_0 shared stores = 1, scf.if = 2
// COUNT: @four_warps gpu.launch_func = 1
func.func @four_warps(%A: memref<1x4x1x128xf32>, %B: memref<1x4x1xf32>) {
  tile.reduce max %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x4x1x128xf32> into memref<1x4x1xf32>
  return
}

// Twelve groups of two warps.
// COMPARE: @two_warps(A: 1x4x3x64xf32, B: 1x4x3xf32) B = max(A, [3])
// COUNT: @two_warps_0 barriers = 1, shuffles = 5, loads = 3, shared loads = 2, stores = 2, shared stores = 1
// COUNT: @two_warps_0 scf.if = 2
// COUNT: @two_warps gpu.launch_func = 1
func.func @two_warps(%A: memref<1x4x3x64xf32>, %B: memref<1x4x3xf32>) {
  tile.reduce max %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x4x3x64xf32> into memref<1x4x3xf32>
  return
}

// Twelve groups, which three warps contain.
// COMPARE: @eight_threads(A: 1x3x4x8xf32, B: 1x3x4xf32) B = sum(A, [3])
// COUNT: @eight_threads_0 barriers = 0, shuffles = 3, loads = 1, stores = 1, scf.if = 1
// COUNT: @eight_threads gpu.launch_func = 1
func.func @eight_threads(%A: memref<1x3x4x8xf32>, %B: memref<1x3x4xf32>) {
  tile.reduce sum %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x3x4x8xf32> into memref<1x3x4xf32>
  return
}

// Nine groups of two threads.
// COMPARE: @two_threads(A: 1x3x3x2xf32, B: 1x3x3xf32) B = max(A, [3])
// COUNT: @two_threads_0 barriers = 0, shuffles = 1, loads = 1, stores = 1, scf.if = 1
// COUNT: @two_threads gpu.launch_func = 1
func.func @two_threads(%A: memref<1x3x3x2xf32>, %B: memref<1x3x3xf32>) {
  tile.reduce max %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x3x3x2xf32> into memref<1x3x3xf32>
  return
}

// Four groups of one warp.
// COMPARE: @one_warp(A: 1x4x1x32xf32, B: 1x4x1xf32) B = sum(A, [3])
// COUNT: @one_warp_0 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.if = 1
// COUNT: @one_warp gpu.launch_func = 1
func.func @one_warp(%A: memref<1x4x1x32xf32>, %B: memref<1x4x1xf32>) {
  tile.reduce sum %A into %B axes [3] scope(grid) {
      schedule = [#tile.bind<"d3" to thread_x>,
        #tile.bind<"d2" to thread_y>,
        #tile.bind<"d1" to thread_z>,
        #tile.bind<"d0" to block_x>]}
      : memref<1x4x1x32xf32> into memref<1x4x1xf32>
  return
}

// One warp reduces 128 rows in a loop.
// COMPARE: @a_warp_for_each_row(A: 128x32xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @a_warp_for_each_row_0 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 1, scf.if = 1
// COUNT: @a_warp_for_each_row gpu.launch_func = 1
func.func @a_warp_for_each_row(%A: memref<128x32xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.bind<"d1" to thread_x>]}
      : memref<128x32xf32> into memref<128xf32>
  return
}

// Each thread reduces four elements, then the warp combines the partial results.
// COMPARE: @four_elements_of_a_thread(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @four_elements_of_a_thread_0 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT: @four_elements_of_a_thread gpu.launch_func = 1
func.func @four_elements_of_a_thread(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// 32 warps, with one row each.
// COMPARE: @thirty_two_warps(A: 32x32xf32, B: 32xf32) B = sum(A, [1])
// COUNT: @thirty_two_warps_0 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.if = 1
// COUNT: @thirty_two_warps gpu.launch_func = 1
func.func @thirty_two_warps(%A: memref<32x32xf32>, %B: memref<32xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.bind<"d1" to thread_x>,
        #tile.bind<"d0" to thread_y>]}
      : memref<32x32xf32> into memref<32xf32>
  return
}

// Rows of eight elements.
// COMPARE: @quarters_of_warps(A: 32x8xf32, B: 32xf32) B = sum(A, [1])
// COUNT: @quarters_of_warps_0 barriers = 0, shuffles = 3, loads = 1, stores = 1, scf.if = 1
// COUNT: @quarters_of_warps gpu.launch_func = 1
func.func @quarters_of_warps(%A: memref<32x8xf32>, %B: memref<32xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.bind<"d1" to thread_x>,
        #tile.bind<"d0" to thread_y>]}
      : memref<32x8xf32> into memref<32xf32>
  return
}

// Four warps reduce 128 rows in a loop, and reuse the same shared memory in each iteration.
// COMPARE: @four_warps_in_a_loop(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @four_warps_in_a_loop_0 barriers = 2, shuffles = 5, loads = 2, shared loads = 1, vector loads = 1
// COUNT: @four_warps_in_a_loop_0 stores = 2, shared stores = 1, scf.for = 1, scf.if = 2
// COUNT: @four_warps_in_a_loop gpu.launch_func = 1
func.func @four_warps_in_a_loop(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.bind<"d1" to thread_x>]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// One row of 1024 elements.
// COMPARE: @a_whole_block(A: 1x1024xf32, B: 1xf32) B = sum(A, [1])
// COUNT: @a_whole_block_0 barriers = 2, shuffles = 10, loads = 3, shared loads = 2, stores = 3, shared stores = 2
// COUNT: @a_whole_block_0 scf.if = 5
// COUNT: @a_whole_block gpu.launch_func = 1
func.func @a_whole_block(%A: memref<1x1024xf32>, %B: memref<1xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.bind<"d1" to thread_x>]}
      : memref<1x1024xf32> into memref<1xf32>
  return
}

// 512 threads reduce 70 elements.
// COMPARE: @guarded(A: 2x70xf32, B: 2xf32) B = sum(A, [1])
// COUNT: @guarded_0 barriers = 1, shuffles = 7, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @guarded_0 shared stores = 1, scf.if = 3
// COUNT: @guarded gpu.launch_func = 1
func.func @guarded(%A: memref<2x70xf32>, %B: memref<2xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 512>,
        #tile.bind<"d1.i" to thread_x>,
        #tile.bind<"d0" to thread_y>]}
      : memref<2x70xf32> into memref<2xf32>
  return
}
