// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Fragments with rows in registers or across lanes: replicas, and parts of tiles.

gpu.module @kernels {
  // Each lane holds one row.
  // COMPARE: @rows_of_lanes(A: 32x64xf32, B: 32x1xf32) B = reshape(sum(A, [1]), [32, 1])
  // COUNT: @rows_of_lanes barriers = 0, shuffles = 0, loads = 64, stores = 1
  gpu.func @rows_of_lanes(%A: memref<32x64xf32>, %B: memref<32x1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x64xf32> -> !tile.fragment<32x64xf32, #tile.layout<[<32 : 1 lane>, <64 : 1 reg>]>>
    %r = tile.reduce sum %x axes [1] scope(warp) : !tile.fragment<32x64xf32, #tile.layout<[<32 : 1 lane>, <64 : 1 reg>]>> -> !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>> to memref<32x1xf32>
    gpu.return
  }

  // The result is accumulated into old values.
  // COMPARE: @rows_of_lanes_onto_old(A: 32x64xf32, B: 32x1xf32) B = minimum(B, reshape(min(A, [1]), [32, 1]))
  // COUNT: @rows_of_lanes_onto_old barriers = 0, shuffles = 0, warp barriers = 1, loads = 65, stores = 1
  gpu.func @rows_of_lanes_onto_old(%A: memref<32x64xf32>, %B: memref<32x1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x64xf32> -> !tile.fragment<32x64xf32, #tile.layout<[<32 : 1 lane>, <64 : 1 reg>]>>
    %old = tile.load %B scope(warp) : memref<32x1xf32> -> !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>>
    %r = tile.reduce min %x init(%old) axes [1] scope(warp) accumulate : !tile.fragment<32x64xf32, #tile.layout<[<32 : 1 lane>, <64 : 1 reg>]>> init !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>> -> !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>> to memref<32x1xf32>
    gpu.return
  }

  // Each lane holds part of a row.
  // COMPARE: @part_of_rows(A: 32x64xf32, B: 32x1xf32) B = reshape(sum(slice(A, 1, [16, 32, 1]), [1]), [32, 1])
  // COUNT: @part_of_rows barriers = 0, shuffles = 0, loads = 16, stores = 1
  gpu.func @part_of_rows(%A: memref<32x64xf32>, %B: memref<32x1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %from = memref.subview %A[0, 16] [32, 16] [1, 1] : memref<32x64xf32> to memref<32x16xf32, strided<[64, 1], offset: 16>>
    %x = tile.load %from scope(warp) : memref<32x16xf32, strided<[64, 1], offset: 16>> -> !tile.fragment<32x16xf32, #tile.layout<[<32 : 1 lane>, <16 : 1 reg>]>>
    %r = tile.reduce sum %x axes [1] scope(warp) : !tile.fragment<32x16xf32, #tile.layout<[<32 : 1 lane>, <16 : 1 reg>]>> -> !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<32x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>]>> to memref<32x1xf32>
    gpu.return
  }

  // Two dimensions are in registers.
  // COMPARE: @two_axes(A: 32x4x8xf32, B: 32x1x1xf32) B = reshape(sum(A, [1, 2]), [32, 1, 1])
  // COUNT: @two_axes barriers = 0, shuffles = 0, loads = 32, stores = 1
  gpu.func @two_axes(%A: memref<32x4x8xf32>, %B: memref<32x1x1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x4x8xf32> -> !tile.fragment<32x4x8xf32, #tile.layout<[<32 : 1 lane>, <4 : 8 reg>, <8 : 1 reg>]>>
    %r = tile.reduce sum %x axes [1, 2] scope(warp) : !tile.fragment<32x4x8xf32, #tile.layout<[<32 : 1 lane>, <4 : 8 reg>, <8 : 1 reg>]>> -> !tile.fragment<32x1x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>, <1 : 1 reg>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<32x1x1xf32, #tile.layout<[<32 : 1 lane>, <1 : 1 reg>, <1 : 1 reg>]>> to memref<32x1x1xf32>
    gpu.return
  }

  // A reduction of the last of three dimensions.
  // COMPARE: @last_axis(A: 32x4x8xf32, B: 32x4x1xf32) B = reshape(min(A, [2]), [32, 4, 1])
  // COUNT: @last_axis barriers = 0, shuffles = 0, loads = 32, stores = 4
  gpu.func @last_axis(%A: memref<32x4x8xf32>, %B: memref<32x4x1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x4x8xf32> -> !tile.fragment<32x4x8xf32, #tile.layout<[<32 : 1 lane>, <4 : 8 reg>, <8 : 1 reg>]>>
    %r = tile.reduce min %x axes [2] scope(warp) : !tile.fragment<32x4x8xf32, #tile.layout<[<32 : 1 lane>, <4 : 8 reg>, <8 : 1 reg>]>> -> !tile.fragment<32x4x1xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>, <1 : 1 reg>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<32x4x1xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>, <1 : 1 reg>]>> to memref<32x4x1xf32>
    gpu.return
  }

  // A maximum over lanes, of which every lane gets the result.
  // COMPARE: @replica(A: 32x4xf32, B: 4xf32) B = max(A, [0])
  // COUNT: @replica barriers = 0, shuffles = 20, loads = 4, stores = 4, scf.if = 1
  gpu.func @replica(%A: memref<32x4xf32>, %B: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x4xf32> -> !tile.fragment<32x4xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>]>>
    %r = tile.reduce max %x axes [0] scope(warp) : !tile.fragment<32x4xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>]>> -> !tile.fragment<4xf32, #tile.layout<[<4 : 1 reg>] replica [<32 : 1 lane>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<4xf32, #tile.layout<[<4 : 1 reg>] replica [<32 : 1 lane>]>> to memref<4xf32>
    gpu.return
  }

  // A sum over lanes, accumulated into old values.
  // COMPARE: @replica_onto_old(A: 32x4xf32, B: 4xf32) B = B + sum(A, [0])
  // COUNT: @replica_onto_old barriers = 0, shuffles = 20, warp barriers = 1, loads = 8, stores = 4, scf.if = 1
  gpu.func @replica_onto_old(%A: memref<32x4xf32>, %B: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x4xf32> -> !tile.fragment<32x4xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>]>>
    %old = tile.load %B scope(warp) : memref<4xf32> -> !tile.fragment<4xf32, #tile.layout<[<4 : 1 reg>] replica [<32 : 1 lane>]>>
    %r = tile.reduce sum %x init(%old) axes [0] scope(warp) accumulate : !tile.fragment<32x4xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>]>> init !tile.fragment<4xf32, #tile.layout<[<4 : 1 reg>] replica [<32 : 1 lane>]>> -> !tile.fragment<4xf32, #tile.layout<[<4 : 1 reg>] replica [<32 : 1 lane>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<4xf32, #tile.layout<[<4 : 1 reg>] replica [<32 : 1 lane>]>> to memref<4xf32>
    gpu.return
  }

  // Lanes of a row have a stride of four.
  // COMPARE: @columns_of_lanes(A: 8x4xf32, B: 4xf32) B = B + sum(A, [0])
  // COUNT: @columns_of_lanes barriers = 0, shuffles = 3, warp barriers = 1, loads = 2, stores = 1, scf.if = 1
  gpu.func @columns_of_lanes(%A: memref<8x4xf32>, %B: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x4xf32> -> !tile.fragment<8x4xf32, #tile.layout<[<8 : 4 lane>, <4 : 1 lane>]>>
    %old = tile.load %B scope(warp) : memref<4xf32> -> !tile.fragment<4xf32, #tile.layout<[<4 : 1 lane>] replica [<8 : 4 lane>]>>
    %r = tile.reduce sum %x init(%old) axes [0] scope(warp) accumulate : !tile.fragment<8x4xf32, #tile.layout<[<8 : 4 lane>, <4 : 1 lane>]>> init !tile.fragment<4xf32, #tile.layout<[<4 : 1 lane>] replica [<8 : 4 lane>]>> -> !tile.fragment<4xf32, #tile.layout<[<4 : 1 lane>] replica [<8 : 4 lane>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<4xf32, #tile.layout<[<4 : 1 lane>] replica [<8 : 4 lane>]>> to memref<4xf32>
    gpu.return
  }

  // A reduction over registers and lanes.
  // COMPARE: @one_value(A: 32x4xf32, B: f32) B = B + sum(A, [0, 1])
  // COUNT: @one_value barriers = 0, shuffles = 5, warp barriers = 1, loads = 5, stores = 1, scf.if = 1
  gpu.func @one_value(%A: memref<32x4xf32>, %B: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x4xf32> -> !tile.fragment<32x4xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>]>>
    %old = tile.load %B scope(warp) : memref<f32> -> !tile.fragment<f32, #tile.layout<[<1 : 1 reg>] replica [<32 : 1 lane>]>>
    %r = tile.reduce sum %x init(%old) axes [0, 1] scope(warp) accumulate : !tile.fragment<32x4xf32, #tile.layout<[<32 : 1 lane>, <4 : 1 reg>]>> init !tile.fragment<f32, #tile.layout<[<1 : 1 reg>] replica [<32 : 1 lane>]>> -> !tile.fragment<f32, #tile.layout<[<1 : 1 reg>] replica [<32 : 1 lane>]>>
    tile.store %r to %B scope(warp) : !tile.fragment<f32, #tile.layout<[<1 : 1 reg>] replica [<32 : 1 lane>]>> to memref<f32>
    gpu.return
  }

  // A reduction over two of four registers.
  // COMPARE: @part_of_columns(A: 32x4xf32, B: 4xf32) B = put(B, 0, [1, 3, 1], slice(B, 0, [1, 3, 1]) + sum(slice(A, 1, [1, 3, 1]), [0]))
  // COUNT: @part_of_columns barriers = 0, shuffles = 10, warp barriers = 1, loads = 4, stores = 2, scf.if = 1
  gpu.func @part_of_columns(%A: memref<32x4xf32>, %B: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %from = memref.subview %A[0, 1] [32, 2] [1, 1] : memref<32x4xf32> to memref<32x2xf32, strided<[4, 1], offset: 1>>
    %x = tile.load %from scope(warp) : memref<32x2xf32, strided<[4, 1], offset: 1>> -> !tile.fragment<32x2xf32, #tile.layout<[<32 : 1 lane>, <2 : 1 reg>]>>
    %to = memref.subview %B[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
    %old = tile.load %to scope(warp) : memref<2xf32, strided<[1], offset: 1>> -> !tile.fragment<2xf32, #tile.layout<[<2 : 1 reg>] replica [<32 : 1 lane>]>>
    %r = tile.reduce sum %x init(%old) axes [0] scope(warp) accumulate : !tile.fragment<32x2xf32, #tile.layout<[<32 : 1 lane>, <2 : 1 reg>]>> init !tile.fragment<2xf32, #tile.layout<[<2 : 1 reg>] replica [<32 : 1 lane>]>> -> !tile.fragment<2xf32, #tile.layout<[<2 : 1 reg>] replica [<32 : 1 lane>]>>
    tile.store %r to %to scope(warp) : !tile.fragment<2xf32, #tile.layout<[<2 : 1 reg>] replica [<32 : 1 lane>]>> to memref<2xf32, strided<[1], offset: 1>>
    gpu.return
  }
}
