// RUN: tx-opt %s --tile-select-variant

#cta20 = {active = array<i64: 0, 20>, block = 20 : i64, threads = 20 : i64}
#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#cta48 = {active = array<i64: 0, 48>, block = 48 : i64, threads = 48 : i64}
#cta96 = {active = array<i64: 0, 96>, block = 96 : i64, threads = 96 : i64}
#cta128 = {active = array<i64: 0, 128>, block = 128 : i64, threads = 128 : i64}
#cta256 = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}
#cta1000 = {active = array<i64: 0, 1000>, block = 1000 : i64, threads = 1000 : i64}

// The lanes of a group load neighbours of a row: `group` lanes per row, `groups` rows at a time. The sources
// are in global memory of unknown alignment, so `vector` is 1.
gpu.module @kernels {
  // A row of eight elements has eight lanes; 32 threads reduce four rows.
  // CHECK-LABEL: gpu.func @eight_lanes_a_row
  // CHECK:       params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @eight_lanes_a_row(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // With at least as many rows as warps, a row has at most one warp.
  // CHECK-LABEL: gpu.func @one_warp_a_row
  // CHECK:       params = {group = 32 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @one_warp_a_row(%A: memref<32x1024xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta128, variant = "shared"} : memref<32x1024xf32> into memref<32xf32>
    gpu.return
  }

  // Eight warps and four long rows: two warps per row.
  // CHECK-LABEL: gpu.func @two_warps_a_row
  // CHECK:       params = {group = 64 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @two_warps_a_row(%A: memref<4x1024xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta256} : memref<4x1024xf32> into memref<4xf32>
    gpu.return
  }

  // A single row has the whole block.
  // CHECK-LABEL: gpu.func @whole_block_for_one_row
  // CHECK:       params = {group = 256 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @whole_block_for_one_row(%A: memref<1x4096xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta256} : memref<1x4096xf32> into memref<1xf32>
    gpu.return
  }

  // A single row has the whole block, even if the block size is no power of two.
  // CHECK-LABEL: gpu.func @whole_block_of_1000
  // CHECK:       params = {group = 1000 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @whole_block_of_1000(%A: memref<1x4096xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 1000, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta1000} : memref<1x4096xf32> into memref<1xf32>
    gpu.return
  }

  // A row shorter than the block leaves threads idle: 64 of 96 threads have an element.
  // CHECK-LABEL: gpu.func @row_shorter_than_the_block
  // CHECK:       params = {group = 64 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @row_shorter_than_the_block(%A: memref<1x64xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta96} : memref<1x64xf32> into memref<1xf32>
    gpu.return
  }

  // A row of three elements has four lanes, because groups are powers of two.
  // CHECK-LABEL: gpu.func @four_lanes_for_three_elements
  // CHECK:       params = {group = 4 : i64, groups = 8 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @four_lanes_for_three_elements(%A: memref<5x3xf32>, %B: memref<5xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<5x3xf32> into memref<5xf32>
    gpu.return
  }

  // A row of one element needs no exchange.
  // CHECK-LABEL: gpu.func @one_element
  // CHECK:       params = {group = 1 : i64, groups = 32 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @one_element(%A: memref<1x1xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<1x1xf32> into memref<1xf32>
    gpu.return
  }

  // A row without elements needs no exchange.
  // CHECK-LABEL: gpu.func @no_elements
  // CHECK:       params = {group = 1 : i64, groups = 32 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @no_elements(%A: memref<4x0xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x0xf32> into memref<4xf32>
    gpu.return
  }

  // Twenty threads reduce two rows with eight lanes each; four threads are idle.
  // CHECK-LABEL: gpu.func @twenty_threads
  // CHECK:       params = {group = 8 : i64, groups = 2 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @twenty_threads(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta20} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // A long row has the largest power of two of these threads.
  // CHECK-LABEL: gpu.func @twenty_threads_for_one_row
  // CHECK:       params = {group = 16 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @twenty_threads_for_one_row(%A: memref<1x64xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta20} : memref<1x64xf32> into memref<1xf32>
    gpu.return
  }

  // 48 threads reduce six rows with eight lanes each.
  // CHECK-LABEL: gpu.func @forty_eight_threads
  // CHECK:       params = {group = 8 : i64, groups = 6 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @forty_eight_threads(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta48} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // For one long row, 48 threads are one group with a partial last warp.
  // CHECK-LABEL: gpu.func @forty_eight_threads_for_one_row
  // CHECK:       params = {group = 48 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @forty_eight_threads_for_one_row(%A: memref<1x64xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta48} : memref<1x64xf32> into memref<1xf32>
    gpu.return
  }

  // Several reduced axes form one long row: 2 * 8 elements for each of 16 results.
  // CHECK-LABEL: gpu.func @two_axes
  // CHECK:       params = {group = 16 : i64, groups = 2 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @two_axes(%A: memref<2x16x8xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0, 2] scope(cta) {exec = #cta32, variant = "shared"} : memref<2x16x8xf32> into memref<16xf32>
    gpu.return
  }

  // A warp with many rows reduces up to 32 of them at once.
  // CHECK-LABEL: gpu.func @rows_at_once
  // CHECK:       params = {rows = 8 : i64, vector = 1 : i64}, variant = "batched"
  // CHECK:       params = {rows = 32 : i64, vector = 1 : i64}, variant = "batched"
  gpu.func @rows_at_once(%A: memref<32x1024xf32>, %B: memref<32xf32>, %C: memref<?x?xf32>, %D: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta128} : memref<32x1024xf32> into memref<32xf32>
    tile.reduce sum %C into %D axes [1] scope(cta) {exec = #cta128} : memref<?x?xf32> into memref<?xf32>
    gpu.return
  }

  // Dynamic sizes are assumed to be large: a warp for each of many rows.
  // CHECK-LABEL: gpu.func @dynamic_sizes
  // CHECK:       params = {group = 32 : i64, groups = 8 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @dynamic_sizes(%A: memref<?x?xf32>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta256, variant = "shared"} : memref<?x?xf32> into memref<?xf32>
    gpu.return
  }

  // Four rows of dynamic length have two warps each.
  // CHECK-LABEL: gpu.func @four_rows_of_any_length
  // CHECK:       params = {group = 64 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @four_rows_of_any_length(%A: memref<4x?xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta256} : memref<4x?xf32> into memref<4xf32>
    gpu.return
  }
}
