// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Fragments across warps, and dimensions in registers.

gpu.module @kernels {
  // Groups of six lanes share a row.
  // COMPARE: @six_lanes(A: 5x6xf32, B: 5xf32) B = B + sum(A, [1])
  // COUNT: @six_lanes barriers = 0, shuffles = 4, warp barriers = 1, loads = 2, stores = 1, scf.if = 3
  gpu.func @six_lanes(%A: memref<5x6xf32>, %B: memref<5xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<5x6xf32> -> !tile.fragment<5x6xf32, #tile.layout<[<5 : 6 lane>, <6 : 1 lane>]>>
    %old = tile.load %B scope(warp) : memref<5xf32> -> !tile.fragment<5xf32, #tile.layout<[<5 : 6 lane>] replica [<6 : 1 lane>]>>
    %r = tile.reduce sum %x init(%old) axes [1] scope(warp) accumulate : !tile.fragment<5x6xf32, #tile.layout<[<5 : 6 lane>, <6 : 1 lane>]>> init !tile.fragment<5xf32, #tile.layout<[<5 : 6 lane>] replica [<6 : 1 lane>]>> -> !tile.fragment<5xf32, #tile.layout<[<5 : 6 lane>] replica [<6 : 1 lane>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<5xf32, #tile.layout<[<5 : 6 lane>] replica [<6 : 1 lane>]>> to memref<5xf32>
    gpu.return
  }

  // A reduction across the warps of a block.
  // COMPARE: @across_warps(A: 4x32xf32, B: 32xf32) B = B + sum(A, [0])
  // COUNT: @across_warps barriers = 1, shuffles = 0, loads = 6, shared loads = 4, stores = 2, shared stores = 1
  // COUNT: @across_warps scf.if = 1
  gpu.func @across_warps(%A: memref<4x32xf32>, %B: memref<32xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(cta) : memref<4x32xf32> -> !tile.fragment<4x32xf32, #tile.layout<[<4 : 1 warp>, <32 : 1 lane>]>>
    %old = tile.load %B scope(cta) : memref<32xf32> -> !tile.fragment<32xf32, #tile.layout<[<32 : 1 lane>] replica [<4 : 1 warp>]>>
    %r = tile.reduce sum %x init(%old) axes [0] scope(cta) accumulate : !tile.fragment<4x32xf32, #tile.layout<[<4 : 1 warp>, <32 : 1 lane>]>> init !tile.fragment<32xf32, #tile.layout<[<32 : 1 lane>] replica [<4 : 1 warp>]>> -> !tile.fragment<32xf32, #tile.layout<[<32 : 1 lane>] replica [<4 : 1 warp>]>>
    tile.store %r to %B scope(cta) : !tile.fragment<32xf32, #tile.layout<[<32 : 1 lane>] replica [<4 : 1 warp>]>> to memref<32xf32>
    gpu.return
  }

  // A subview whose rows begin at index 2 of the second dimension.
  // COMPARE: @part_of_a_view(A: 32x4x8xf32, B: 32x4x1xf32) B = put(B, 1, [0, 2, 1], slice(B, 1, [0, 2, 1]) + reshape(sum(slice(A, 1, [2, 4, 1]), [2]), [32, 2, 1]))
  // COUNT: @part_of_a_view barriers = 0, shuffles = 0, warp barriers = 1, loads = 18, stores = 2
  gpu.func @part_of_a_view(%A: memref<32x4x8xf32>, %B: memref<32x4x1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %from = memref.subview %A[0, 2, 0] [32, 2, 8] [1, 1, 1] : memref<32x4x8xf32> to memref<32x2x8xf32, strided<[32, 8, 1], offset: 16>>
    %x = tile.load %from scope(warp) : memref<32x2x8xf32, strided<[32, 8, 1], offset: 16>> -> !tile.fragment<32x2x8xf32, #tile.layout<[<32 : 1 lane>, <2 : 8 reg>, <8 : 1 reg>]>>
    %to = memref.subview %B[0, 0, 0] [32, 2, 1] [1, 1, 1] : memref<32x4x1xf32> to memref<32x2x1xf32, strided<[4, 1, 1]>>
    %old = tile.load %to scope(warp) : memref<32x2x1xf32, strided<[4, 1, 1]>> -> !tile.fragment<32x2x1xf32, #tile.layout<[<32 : 1 lane>, <2 : 1 reg>, <1 : 1 reg>]>>
    %r = tile.reduce sum %x init(%old) axes [2] scope(warp) accumulate : !tile.fragment<32x2x8xf32, #tile.layout<[<32 : 1 lane>, <2 : 8 reg>, <8 : 1 reg>]>> init !tile.fragment<32x2x1xf32, #tile.layout<[<32 : 1 lane>, <2 : 1 reg>, <1 : 1 reg>]>> -> !tile.fragment<32x2x1xf32, #tile.layout<[<32 : 1 lane>, <2 : 1 reg>, <1 : 1 reg>]>>
    tile.store %r to %to scope(warp) : !tile.fragment<32x2x1xf32, #tile.layout<[<32 : 1 lane>, <2 : 1 reg>, <1 : 1 reg>]>> to memref<32x2x1xf32, strided<[4, 1, 1]>>
    gpu.return
  }

  // A reduction of a middle dimension, which the result does not keep.
  // COMPARE: @middle_axis(A: 32x4x8xf32, B: 32x8xf32) B = B + sum(A, [1])
  // COUNT: @middle_axis barriers = 0, shuffles = 0, warp barriers = 1, loads = 40, stores = 8
  gpu.func @middle_axis(%A: memref<32x4x8xf32>, %B: memref<32x8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x4x8xf32> -> !tile.fragment<32x4x8xf32, #tile.layout<[<32 : 1 lane>, <4 : 8 reg>, <8 : 1 reg>]>>
    %old = tile.load %B scope(warp) : memref<32x8xf32> -> !tile.fragment<32x8xf32, #tile.layout<[<32 : 1 lane>, <8 : 1 reg>]>>
    %r = tile.reduce sum %x init(%old) axes [1] scope(warp) accumulate : !tile.fragment<32x4x8xf32, #tile.layout<[<32 : 1 lane>, <4 : 8 reg>, <8 : 1 reg>]>> init !tile.fragment<32x8xf32, #tile.layout<[<32 : 1 lane>, <8 : 1 reg>]>> -> !tile.fragment<32x8xf32, #tile.layout<[<32 : 1 lane>, <8 : 1 reg>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<32x8xf32, #tile.layout<[<32 : 1 lane>, <8 : 1 reg>]>> to memref<32x8xf32>
    gpu.return
  }

  // A reduction within lanes and across lanes of a warpgroup.
  // COMPARE: @warpgroup(A: 4x2x8x16x4x2xf32, B: 4x2x8xf32) B = B + sum(A, [3, 4, 5])
  // COUNT: @warpgroup barriers = 1, shuffles = 4, loads = 66, stores = 2, scf.if = 1
  gpu.func @warpgroup(%A: memref<4x2x8x16x4x2xf32>, %B: memref<4x2x8xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warpgroup) : memref<4x2x8x16x4x2xf32> -> !tile.fragment<4x2x8x16x4x2xf32, #tile.layout<[<4 : 1 warp_in_group>, <2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>>
    %old = tile.load %B scope(warpgroup) : memref<4x2x8xf32> -> !tile.fragment<4x2x8xf32, #tile.layout<[<4 : 1 warp_in_group>, <2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>>
    %r = tile.reduce sum %x init(%old) axes [3, 4, 5] scope(warpgroup) accumulate : !tile.fragment<4x2x8x16x4x2xf32, #tile.layout<[<4 : 1 warp_in_group>, <2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> init !tile.fragment<4x2x8xf32, #tile.layout<[<4 : 1 warp_in_group>, <2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>> -> !tile.fragment<4x2x8xf32, #tile.layout<[<4 : 1 warp_in_group>, <2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>>
    tile.store %r to %B scope(warpgroup) : !tile.fragment<4x2x8xf32, #tile.layout<[<4 : 1 warp_in_group>, <2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>> to memref<4x2x8xf32>
    gpu.return
  }

  // A reduction across the lanes of each warp of a warpgroup.
  // COMPARE: @warpgroup_replica(A: 4x32xf32, B: 4xf32) B = B + sum(A, [1])
  // COUNT: @warpgroup_replica barriers = 1, shuffles = 5, loads = 2, stores = 1, scf.if = 1
  gpu.func @warpgroup_replica(%A: memref<4x32xf32>, %B: memref<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warpgroup) : memref<4x32xf32> -> !tile.fragment<4x32xf32, #tile.layout<[<4 : 1 warp_in_group>, <32 : 1 lane>]>>
    %old = tile.load %B scope(warpgroup) : memref<4xf32> -> !tile.fragment<4xf32, #tile.layout<[<4 : 1 warp_in_group>] replica [<32 : 1 lane>]>>
    %r = tile.reduce sum %x init(%old) axes [1] scope(warpgroup) accumulate : !tile.fragment<4x32xf32, #tile.layout<[<4 : 1 warp_in_group>, <32 : 1 lane>]>> init !tile.fragment<4xf32, #tile.layout<[<4 : 1 warp_in_group>] replica [<32 : 1 lane>]>> -> !tile.fragment<4xf32, #tile.layout<[<4 : 1 warp_in_group>] replica [<32 : 1 lane>]>>
    tile.store %r to %B scope(warpgroup) : !tile.fragment<4xf32, #tile.layout<[<4 : 1 warp_in_group>] replica [<32 : 1 lane>]>> to memref<4xf32>
    gpu.return
  }

  // A reduction across all threads of a warpgroup.
  // COMPARE: @whole_warpgroup(A: 128xf32, B: 1xf32) B = B + reshape(sum(A, [0]), [1])
  // COUNT: @whole_warpgroup barriers = 1, shuffles = 5, loads = 6, shared loads = 4, stores = 2, shared stores = 1
  // COUNT: @whole_warpgroup scf.if = 2
  gpu.func @whole_warpgroup(%A: memref<128xf32>, %B: memref<1xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warpgroup) : memref<128xf32> -> !tile.fragment<128xf32, #tile.layout<[<128 : 1 thread_in_group>]>>
    %old = tile.load %B scope(warpgroup) : memref<1xf32> -> !tile.fragment<1xf32, #tile.layout<[<1 : 1 reg>] replica [<128 : 1 thread_in_group>]>>
    %r = tile.reduce sum %x init(%old) axes [0] scope(warpgroup) accumulate : !tile.fragment<128xf32, #tile.layout<[<128 : 1 thread_in_group>]>> init !tile.fragment<1xf32, #tile.layout<[<1 : 1 reg>] replica [<128 : 1 thread_in_group>]>> -> !tile.fragment<1xf32, #tile.layout<[<1 : 1 reg>] replica [<128 : 1 thread_in_group>]>>
    tile.store %r to %B scope(warpgroup) : !tile.fragment<1xf32, #tile.layout<[<1 : 1 reg>] replica [<128 : 1 thread_in_group>]>> to memref<1xf32>
    gpu.return
  }
}
