// RUN: tx-opt %s --tile-select-variant

#cta20 = {active = array<i64: 0, 20>, block = 20 : i64, threads = 20 : i64}
#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#cta128 = {active = array<i64: 0, 128>, block = 128 : i64, threads = 128 : i64}

// If neighbours in memory belong to different results, neighbouring threads compute different
// results: `stride` threads. The remaining threads share results: `group` threads per result, with
// this stride.
gpu.module @kernels {
  // A warp has a lane for each of 32 columns, and no exchange.
  // CHECK-LABEL: gpu.func @one_lane_a_column
  // CHECK:       params = {group = 1 : i64, groups = 1 : i64, stride = 32 : i64, vector = 1 : i64}
  gpu.func @one_lane_a_column(%A: memref<8x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta32} : memref<8x32xf32> into memref<32xf32>
    gpu.return
  }

  // Four warps share the columns: each combines eight of 32 rows.
  // CHECK-LABEL: gpu.func @four_warps_share_columns
  // CHECK:       params = {group = 4 : i64, groups = 1 : i64, stride = 32 : i64, vector = 1 : i64}
  gpu.func @four_warps_share_columns(%A: memref<32x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta128} : memref<32x32xf32> into memref<32xf32>
    gpu.return
  }

  // Warps share columns only with at least four rows each: two warps have four of eight rows each.
  // CHECK-LABEL: gpu.func @short_columns
  // CHECK:       params = {group = 2 : i64, groups = 2 : i64, stride = 32 : i64, vector = 1 : i64}
  gpu.func @short_columns(%A: memref<8x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta128} : memref<8x32xf32> into memref<32xf32>
    gpu.return
  }

  // More columns than threads need several rounds.
  // CHECK-LABEL: gpu.func @many_columns
  // CHECK:       params = {group = 1 : i64, groups = 4 : i64, stride = 32 : i64, vector = 1 : i64}
  gpu.func @many_columns(%A: memref<32x256xf32>, %B: memref<256xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta128} : memref<32x256xf32> into memref<256xf32>
    gpu.return
  }

  // With four columns, each has eight lanes of a warp.
  // CHECK-LABEL: gpu.func @eight_lanes_a_column
  // CHECK:       params = {group = 8 : i64, groups = 1 : i64, stride = 4 : i64, vector = 1 : i64}
  gpu.func @eight_lanes_a_column(%A: memref<64x4xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta32} : memref<64x4xf32> into memref<4xf32>
    gpu.return
  }

  // Twenty threads reduce sixteen columns at a time.
  // CHECK-LABEL: gpu.func @twenty_threads
  // CHECK:       params = {group = 1 : i64, groups = 1 : i64, stride = 16 : i64, vector = 1 : i64}
  gpu.func @twenty_threads(%A: memref<8x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta20} : memref<8x32xf32> into memref<32xf32>
    gpu.return
  }

  // Strides determine the rows: here axis 0 is contiguous, so the lanes of a warp lie along axis 0, although
  // axis 1 is reduced.
  // CHECK-LABEL: gpu.func @transposed_rows
  // CHECK:       params = {group = 8 : i64, groups = 1 : i64, stride = 4 : i64, vector = 1 : i64}
  gpu.func @transposed_rows(%A: memref<4x8xf32, strided<[1, 4]>>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32}
      : memref<4x8xf32, strided<[1, 4]>> into memref<4xf32>
    gpu.return
  }

  // Here axis 0 is contiguous and reduced.
  // CHECK-LABEL: gpu.func @transposed_columns
  // CHECK:       params = {group = 4 : i64, groups = 8 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @transposed_columns(%A: memref<4x8xf32, strided<[1, 4]>>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta32}
      : memref<4x8xf32, strided<[1, 4]>> into memref<8xf32>
    gpu.return
  }

  // The innermost axis is the contiguous one, unless it has size 1.
  // CHECK-LABEL: gpu.func @last_axis_of_one_element
  // CHECK:       params = {group = 1 : i64, groups = 1 : i64, stride = 32 : i64, vector = 1 : i64}
  gpu.func @last_axis_of_one_element(%A: memref<8x32x1xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0, 2] scope(cta) {exec = #cta32} : memref<8x32x1xf32> into memref<32xf32>
    gpu.return
  }

  // Without reduced axes, threads copy one element each.
  // CHECK-LABEL: gpu.func @no_axes
  // CHECK:       params = {group = 1 : i64, groups = 1 : i64, stride = 32 : i64, vector = 1 : i64}
  gpu.func @no_axes(%A: memref<8x32xf32>, %B: memref<8x32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [] scope(cta) {exec = #cta32} : memref<8x32xf32> into memref<8x32xf32>
    gpu.return
  }

  // Columns of dynamic number and length have one lane each.
  // CHECK-LABEL: gpu.func @dynamic_sizes
  // CHECK:       params = {group = 1 : i64, groups = 4 : i64, stride = 32 : i64, vector = 1 : i64}
  gpu.func @dynamic_sizes(%A: memref<?x?xf32>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta128} : memref<?x?xf32> into memref<?xf32>
    gpu.return
  }
}
