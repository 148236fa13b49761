// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Tiles reduced by some threads of a block, and blocks of several shapes.

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // One of eight warps reduces a tile, accumulated into old values.
  // COMPARE: @one_warp(A: 4x8xf32, B: 4xf32) B = B + sum(A, [1])
  // COUNT: @one_warp barriers = 2, shuffles = 3, loads = 5, shared loads = 3, stores = 4, shared stores = 3
  // COUNT: @one_warp scf.if = 5
  gpu.func @one_warp(%A: memref<4x8xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x8xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    %thread = gpu.thread_id x
    %threads = arith.constant 32 : index
    %who = arith.divui %thread, %threads : index
    %chosen = arith.constant 5 : index
    %is_chosen = arith.cmpi eq, %who, %chosen : index
    scf.if %is_chosen {
      tile.reduce sum %At into %Bt axes [-1] scope(warp) accumulate : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    }
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // One of two warpgroups reduces a tile.
  // COMPARE: @one_warpgroup(A: 4x8xf32, B: 4xf32) B = min(A, [1])
  // COUNT: @one_warpgroup barriers = 2, shuffles = 3, loads = 4, shared loads = 2, stores = 4, shared stores = 3
  // COUNT: @one_warpgroup scf.if = 6
  gpu.func @one_warpgroup(%A: memref<4x8xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x8xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    %thread = gpu.thread_id x
    %threads = arith.constant 128 : index
    %who = arith.divui %thread, %threads : index
    %chosen = arith.constant 0 : index
    %is_chosen = arith.cmpi eq, %who, %chosen : index
    scf.if %is_chosen {
      tile.reduce min %At into %Bt axes [-1] scope(warpgroup) : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    }
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // One of 256 threads reduces a tile.
  // COMPARE: @one_thread(A: 4x8xf32, B: 4xf32) B = minimum(B, min(A, [1]))
  // COUNT: @one_thread barriers = 2, shuffles = 0, loads = 5, shared loads = 3, stores = 4, shared stores = 3
  // COUNT: @one_thread scf.for = 2, scf.if = 4
  gpu.func @one_thread(%A: memref<4x8xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x8xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    %thread = gpu.thread_id x
    %chosen = arith.constant 65 : index
    %is_chosen = arith.cmpi eq, %thread, %chosen : index
    scf.if %is_chosen {
      tile.reduce min %At into %Bt axes [-1] scope(thread) accumulate : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    }
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // A block of one and a half warps.
  // COMPARE: @forty_eight_threads(A: 4x32xf32, B: 4xf32) B = B + sum(A, [1])
  // COUNT: @forty_eight_threads barriers = 2, shuffles = 1, loads = 5, shared loads = 3, vector loads = 1, stores = 4
  // COUNT: @forty_eight_threads shared stores = 3, scf.for = 2, scf.if = 5
  gpu.func @forty_eight_threads(%A: memref<4x32xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x32xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 48, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x32xf32> to memref<4x32xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    tile.reduce sum %At into %Bt axes [-1] scope(cta) accumulate : memref<4x32xf32, #shared> into memref<4xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // A block of less than one warp.
  // COMPARE: @twenty_threads(A: 4x32xf32, B: 4xf32) B = B + sum(A, [1])
  // COUNT: @twenty_threads barriers = 0, shuffles = 1, warp barriers = 2, loads = 5, shared loads = 3
  // COUNT: @twenty_threads vector loads = 1, stores = 4, shared stores = 3, scf.for = 2, scf.if = 5
  gpu.func @twenty_threads(%A: memref<4x32xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x32xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 20, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x32xf32> to memref<4x32xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    tile.reduce sum %At into %Bt axes [-1] scope(cta) accumulate : memref<4x32xf32, #shared> into memref<4xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // A block of 32x4 threads.
  // COMPARE: @block_of_two_dimensions(A: 4x8xf32, B: 4xf32) B = B + sum(A, [1])
  // COUNT: @block_of_two_dimensions barriers = 2, shuffles = 3, loads = 5, shared loads = 3, stores = 4
  // COUNT: @block_of_two_dimensions shared stores = 3, scf.if = 5
  gpu.func @block_of_two_dimensions(%A: memref<4x8xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x8xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 32, 4, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    tile.reduce sum %At into %Bt axes [-1] scope(cta) accumulate : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // All 256 threads share one row.
  // COMPARE: @one_long_row(A: 1x4096xf32, B: 1xf32) B = sum(A, [1])
  // COUNT: @one_long_row barriers = 3, shuffles = 6, loads = 5, shared loads = 3, vector loads = 2, stores = 5
  // COUNT: @one_long_row shared stores = 4, scf.for = 2, scf.if = 4
  gpu.func @one_long_row(%A: memref<1x4096xf32>, %B: memref<1xf32>) workgroup(%At : memref<1x4096xf32, #shared>, %Bt : memref<1xf32, #shared>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<1x4096xf32> to memref<1x4096xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<1xf32> to memref<1xf32, #shared>
    tile.reduce sum %At into %Bt axes [-1] scope(cta) : memref<1x4096xf32, #shared> into memref<1xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<1xf32, #shared> to memref<1xf32>
    gpu.return
  }

  // Both warpgroups of a block reduce a tile, without a branch.
  // COMPARE: @two_warpgroups(A: 2x2x4x8xf32, B: 2x2x4xf32) B = put(B, 1, [0, 1, 1], sum(slice(A, 1, [0, 1, 1]), 3))
  // COUNT: @two_warpgroups barriers = 2, shuffles = 3, loads = 3, shared loads = 2, stores = 3, shared stores = 2
  // COUNT: @two_warpgroups scf.if = 4
  gpu.func @two_warpgroups(%A: memref<2x2x4x8xf32>, %B: memref<2x2x4xf32>) workgroup(%As: memref<2x4x8xf32, #shared>, %Bs: memref<2x4xf32, #shared>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %threads = arith.constant 128 : index
    %one = arith.constant 1 : index
    %group = arith.divui %thread, %threads : index
    %tile = memref.subview %As[%group, 0, 0] [1, 4, 8] [1, 1, 1]
        : memref<2x4x8xf32, #shared> to memref<4x8xf32, strided<[8, 1], offset: ?>, #shared>
    %sums = memref.subview %Bs[%group, 0] [1, 4] [1, 1]
        : memref<2x4xf32, #shared> to memref<4xf32, strided<[1], offset: ?>, #shared>
    %from = memref.subview %A[%group, 0, 0, 0] [1, 1, 4, 8] [1, 1, 1, 1]
        : memref<2x2x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %B[%group, 0, 0] [1, 1, 4] [1, 1, 1]
        : memref<2x2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    tile.copy %from to %tile scope(warpgroup) : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %sums axes [1] scope(warpgroup) : memref<4x8xf32, strided<[8, 1], offset: ?>, #shared> into memref<4xf32, strided<[1], offset: ?>, #shared>
    tile.copy %sums to %to scope(warpgroup) : memref<4xf32, strided<[1], offset: ?>, #shared> to memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // The second warpgroup reduces twice, so warpgroups need separate barriers.
  // COMPARE: @second_does_it_twice(A: 2x2x4x8xf32, B: 2x2x4xf32) s = sum(A, 3); B = put(put(B, 1, [0, 1, 1], slice(s, 1, [0, 1, 1])), 0, [1, 2, 1], slice(s, 0, [1, 2, 1]))
  // COUNT: @second_does_it_twice barriers = 5, shuffles = 6, loads = 6, shared loads = 4, stores = 6
  // COUNT: @second_does_it_twice shared stores = 4, scf.if = 9
  gpu.func @second_does_it_twice(%A: memref<2x2x4x8xf32>, %B: memref<2x2x4xf32>) workgroup(%As: memref<2x4x8xf32, #shared>, %Bs: memref<2x4xf32, #shared>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %threads = arith.constant 128 : index
    %one = arith.constant 1 : index
    %group = arith.divui %thread, %threads : index
    %tile = memref.subview %As[%group, 0, 0] [1, 4, 8] [1, 1, 1]
        : memref<2x4x8xf32, #shared> to memref<4x8xf32, strided<[8, 1], offset: ?>, #shared>
    %sums = memref.subview %Bs[%group, 0] [1, 4] [1, 1]
        : memref<2x4xf32, #shared> to memref<4xf32, strided<[1], offset: ?>, #shared>
    %from = memref.subview %A[%group, 0, 0, 0] [1, 1, 4, 8] [1, 1, 1, 1]
        : memref<2x2x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %B[%group, 0, 0] [1, 1, 4] [1, 1, 1]
        : memref<2x2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    tile.copy %from to %tile scope(warpgroup) : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %sums axes [1] scope(warpgroup) : memref<4x8xf32, strided<[8, 1], offset: ?>, #shared> into memref<4xf32, strided<[1], offset: ?>, #shared>
    tile.copy %sums to %to scope(warpgroup) : memref<4xf32, strided<[1], offset: ?>, #shared> to memref<4xf32, strided<[1], offset: ?>>
    %again = arith.cmpi eq, %group, %one : index
    scf.if %again {
    %next = memref.subview %A[%group, 1, 0, 0] [1, 1, 4, 8] [1, 1, 1, 1]
        : memref<2x2x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %then = memref.subview %B[%group, 1, 0] [1, 1, 4] [1, 1, 1]
        : memref<2x2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    tile.copy %next to %tile scope(warpgroup) : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %sums axes [1] scope(warpgroup) : memref<4x8xf32, strided<[8, 1], offset: ?>, #shared> into memref<4xf32, strided<[1], offset: ?>, #shared>
    tile.copy %sums to %then scope(warpgroup) : memref<4xf32, strided<[1], offset: ?>, #shared> to memref<4xf32, strided<[1], offset: ?>>
    }
    gpu.return
  }

  // The sum of a warp and the sum of the block in one kernel.
  // COMPARE: @warp_and_block(A: 128xf32, W: 128xf32, C: 128xf32) w = reshape(A, [4, 32]); W = reshape(w * 0.0 + sum(w, 1, keep), [128]); C = C * 0.0 + sum(A, 0)
  // COUNT: @warp_and_block barriers = 1, shuffles = 10, loads = 2, shared loads = 1, vector loads = 1, stores = 3
  // COUNT: @warp_and_block shared stores = 1, scf.if = 1
  gpu.func @warp_and_block(%A: memref<128xf32>, %W: memref<128xf32>, %C: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %x = memref.load %A[%thread] : memref<128xf32>
    %w = tile.all_reduce sum %x scope(warp) : f32 -> f32
    %c = tile.all_reduce sum %x scope(cta) : f32 -> f32
    memref.store %w, %W[%thread] : memref<128xf32>
    memref.store %c, %C[%thread] : memref<128xf32>
    gpu.return
  }
}
