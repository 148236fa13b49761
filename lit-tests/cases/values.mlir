// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Reductions of one value per thread, over groups of lanes and whole blocks. The value is thread id + 1.

gpu.module @kernels {
  // Groups of eight lanes of a warp.
  // COMPARE: @groups_of_eight(B: 32xf32) i = float(index(B, 0)) + 1.0; s = sum(reshape(i, [4, 8]), 1, keep); B = reshape(reshape(i, [4, 8]) * 0.0 + s, [32])
  // COUNT: @groups_of_eight barriers = 0, shuffles = 3, loads = 0, stores = 1
  gpu.func @groups_of_eight(%B: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %warp = arith.constant 32 : index
    %lane = arith.remui %thread, %warp : index
    %one = arith.constant 1 : index
    %next = arith.addi %lane, %one : index
    %int = arith.index_cast %next : index to i32
    %value = arith.sitofp %int : i32 to f32
    %result = tile.all_reduce sum %value scope(warp) width 8 : f32 -> f32
    memref.store %result, %B[%thread] : memref<32xf32>
    gpu.return
  }

  // Groups of four lanes of a warp.
  // COMPARE: @groups_of_four(B: 32xf32) i = float(index(B, 0)) + 1.0; s = max(reshape(i, [8, 4]), 1, keep); B = reshape(reshape(i, [8, 4]) * 0.0 + s, [32])
  // COUNT: @groups_of_four barriers = 0, shuffles = 2, loads = 0, stores = 1
  gpu.func @groups_of_four(%B: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %warp = arith.constant 32 : index
    %lane = arith.remui %thread, %warp : index
    %one = arith.constant 1 : index
    %next = arith.addi %lane, %one : index
    %int = arith.index_cast %next : index to i32
    %value = arith.sitofp %int : i32 to f32
    %result = tile.all_reduce max %value scope(warp) width 4 : f32 -> f32
    memref.store %result, %B[%thread] : memref<32xf32>
    gpu.return
  }

  // A block of four warps.
  // COMPARE: @block(B: 128xf32) i = float(index(B, 0)) + 1.0; B = i * 0.0 + sum(i, 0)
  // COUNT: @block barriers = 1, shuffles = 5, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @block shared stores = 1, scf.if = 1
  gpu.func @block(%B: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %one = arith.constant 1 : index
    %next = arith.addi %thread, %one : index
    %int = arith.index_cast %next : index to i32
    %value = arith.sitofp %int : i32 to f32
    %result = tile.all_reduce sum %value scope(cta) : f32 -> f32
    memref.store %result, %B[%thread] : memref<128xf32>
    gpu.return
  }

  // A minimum over all threads.
  // COMPARE: @block_minimum(B: 128xf32) i = float(index(B, 0)) + 1.0; B = i * 0.0 + min(i, 0)
  // COUNT: @block_minimum barriers = 1, shuffles = 5, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @block_minimum shared stores = 1, scf.if = 1
  gpu.func @block_minimum(%B: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %one = arith.constant 1 : index
    %next = arith.addi %thread, %one : index
    %int = arith.index_cast %next : index to i32
    %value = arith.sitofp %int : i32 to f32
    %result = tile.all_reduce min %value scope(cta) : f32 -> f32
    memref.store %result, %B[%thread] : memref<128xf32>
    gpu.return
  }
}
