// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Tiles in shared and private memory: reduced axes, subviews, and empty tiles.

#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>

gpu.module @kernels {
  // A reduction of the last two of four dimensions.
  // COMPARE: @two_axes(A: 8x16x2x22xf32, B: 8x16xf32) B = max(A, [2, 3])
  // COUNT: @two_axes barriers = 2, shuffles = 0, loads = 4, shared loads = 2, vector loads = 1, stores = 4
  // COUNT: @two_axes shared stores = 3, scf.for = 2
  gpu.func @two_axes(%A: memref<8x16x2x22xf32>, %B: memref<8x16xf32>) workgroup(%At : memref<8x16x2x22xf32, #shared>, %Bt : memref<8x16xf32, #shared>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<8x16x2x22xf32> to memref<8x16x2x22xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<8x16xf32> to memref<8x16xf32, #shared>
    tile.reduce max %At into %Bt axes [-2, -1] scope(cta) : memref<8x16x2x22xf32, #shared> into memref<8x16xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<8x16xf32, #shared> to memref<8x16xf32>
    gpu.return
  }

  // A reduction of a middle dimension, accumulated into old values.
  // COMPARE: @middle_axis(A: 4x8x6xf16, B: 4x6xf16) B = B + sum(A, [1])
  // COUNT: @middle_axis barriers = 0, shuffles = 0, warp barriers = 2, loads = 5, shared loads = 3, stores = 4
  // COUNT: @middle_axis shared stores = 3, scf.for = 2, scf.if = 4
  gpu.func @middle_axis(%A: memref<4x8x6xf16>, %B: memref<4x6xf16>) workgroup(%At : memref<4x8x6xf16, #shared>, %Bt : memref<4x6xf16, #shared>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8x6xf16> to memref<4x8x6xf16, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4x6xf16> to memref<4x6xf16, #shared>
    tile.reduce sum %At into %Bt axes [1] scope(cta) accumulate : memref<4x8x6xf16, #shared> into memref<4x6xf16, #shared>
    tile.copy %Bt to %B scope(cta) : memref<4x6xf16, #shared> to memref<4x6xf16>
    gpu.return
  }

  // A subview is reduced into a subview of the destination; other elements do not change.
  // COMPARE: @part(A: 32x32xf16, B: 32xf16) B = put(B, 0, [2, 7, 1], slice(B, 0, [2, 7, 1]) + sum(slice(slice(A, 0, [1, 6, 1]), 1, [1, 9, 1]), [1]))
  // COUNT: @part barriers = 0, shuffles = 0, warp barriers = 2, loads = 5, shared loads = 3, stores = 4
  // COUNT: @part shared stores = 3, scf.for = 2, scf.if = 2
  gpu.func @part(%A: memref<32x32xf16>, %B: memref<32xf16>) workgroup(%At : memref<32x32xf16, #shared>, %Bt : memref<32xf16, #shared>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<32x32xf16> to memref<32x32xf16, #shared>
    tile.copy %B to %Bt scope(cta) : memref<32xf16> to memref<32xf16, #shared>
    %src = memref.subview %At[1, 1] [5, 8] [1, 1] : memref<32x32xf16, #shared> to memref<5x8xf16, strided<[32, 1], offset: 33>, #shared>
    %dst = memref.subview %Bt[2] [5] [1] : memref<32xf16, #shared> to memref<5xf16, strided<[1], offset: 2>, #shared>
    tile.reduce sum %src into %dst axes [-1] scope(cta) accumulate : memref<5x8xf16, strided<[32, 1], offset: 33>, #shared> into memref<5xf16, strided<[1], offset: 2>, #shared>
    tile.copy %Bt to %B scope(cta) : memref<32xf16, #shared> to memref<32xf16>
    gpu.return
  }

  // A maximum of a subview.
  // COMPARE: @part_maximum(A: 32x32xf16, B: 32xf16) B = put(B, 0, [2, 7, 1], max(slice(slice(A, 0, [1, 6, 1]), 1, [1, 9, 1]), [1]))
  // COUNT: @part_maximum barriers = 0, shuffles = 0, warp barriers = 2, loads = 4, shared loads = 2, stores = 4
  // COUNT: @part_maximum shared stores = 3, scf.for = 2, scf.if = 2
  gpu.func @part_maximum(%A: memref<32x32xf16>, %B: memref<32xf16>) workgroup(%At : memref<32x32xf16, #shared>, %Bt : memref<32xf16, #shared>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<32x32xf16> to memref<32x32xf16, #shared>
    tile.copy %B to %Bt scope(cta) : memref<32xf16> to memref<32xf16, #shared>
    %src = memref.subview %At[1, 1] [5, 8] [1, 1] : memref<32x32xf16, #shared> to memref<5x8xf16, strided<[32, 1], offset: 33>, #shared>
    %dst = memref.subview %Bt[2] [5] [1] : memref<32xf16, #shared> to memref<5xf16, strided<[1], offset: 2>, #shared>
    tile.reduce max %src into %dst axes [-1] scope(cta) : memref<5x8xf16, strided<[32, 1], offset: 33>, #shared> into memref<5xf16, strided<[1], offset: 2>, #shared>
    tile.copy %Bt to %B scope(cta) : memref<32xf16, #shared> to memref<32xf16>
    gpu.return
  }

  // A reduction of two dimensions that are not adjacent, in private memory.
  // COMPARE: @two_axes_apart(A: 3x4x5xf32, B: 4xf32) B = B + sum(A, [0, 2])
  // COUNT: @two_axes_apart barriers = 0, shuffles = 0, loads = 5, private loads = 3, stores = 4, private stores = 3
  // COUNT: @two_axes_apart scf.for = 8
  gpu.func @two_axes_apart(%A: memref<3x4x5xf32>, %B: memref<4xf32>) private(%At : memref<3x4x5xf32, #private>, %Bt : memref<4xf32, #private>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(thread) : memref<3x4x5xf32> to memref<3x4x5xf32, #private>
    tile.copy %B to %Bt scope(thread) : memref<4xf32> to memref<4xf32, #private>
    tile.reduce sum %At into %Bt axes [0, 2] scope(thread) accumulate : memref<3x4x5xf32, #private> into memref<4xf32, #private>
    tile.copy %Bt to %B scope(thread) : memref<4xf32, #private> to memref<4xf32>
    gpu.return
  }

  // Every thread reduces a shared tile into private memory.
  // COMPARE: @into_private(A: 4x8xf32, B: 32x4xf32) B = B * 0.0 + sum(A, 1)
  // COUNT: @into_private barriers = 0, shuffles = 0, warp barriers = 1, loads = 3, shared loads = 1
  // COUNT: @into_private private loads = 1, stores = 3, shared stores = 1, private stores = 1, scf.for = 3
  gpu.func @into_private(%A: memref<4x8xf32>, %B: memref<32x4xf32>) workgroup(%As: memref<4x8xf32, #shared>) private(%p: memref<4xf32, #private>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    tile.copy %A to %As scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.reduce sum %As into %p axes [1] scope(thread)
        : memref<4x8xf32, #shared> into memref<4xf32, #private>
    %to = memref.subview %B[%thread, 0] [1, 4] [1, 1] : memref<32x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    tile.copy %p to %to scope(thread) : memref<4xf32, #private> to memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // Without axes, each element is added to an old value.
  // COMPARE: @no_axes(A: 4x8xf32, B: 4x8xf32) B = B + A
  // COUNT: @no_axes barriers = 0, shuffles = 0, warp barriers = 2, loads = 5, shared loads = 3, stores = 4
  // COUNT: @no_axes shared stores = 3, scf.if = 1
  gpu.func @no_axes(%A: memref<4x8xf32>, %B: memref<4x8xf32>) workgroup(%At : memref<4x8xf32, #shared>, %Bt : memref<4x8xf32, #shared>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.reduce sum %At into %Bt axes [] scope(cta) accumulate : memref<4x8xf32, #shared> into memref<4x8xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<4x8xf32, #shared> to memref<4x8xf32>
    gpu.return
  }

  // A sum of no elements is stored.
  // COMPARE: @nothing(A: 4x8xf32, B: 4xf32) B = sum(slice(A, 1, [0, 0, 1]), 1)
  // COUNT: @nothing barriers = 0, shuffles = 0, warp barriers = 2, loads = 3, shared loads = 1, stores = 4
  // COUNT: @nothing shared stores = 3, scf.if = 4
  gpu.func @nothing(%A: memref<4x8xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x8xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    %src = memref.subview %At[0, 0] [4, 0] [1, 1] : memref<4x8xf32, #shared> to memref<4x0xf32, strided<[8, 1]>, #shared>
    tile.reduce sum %src into %Bt axes [-1] scope(cta) : memref<4x0xf32, strided<[8, 1]>, #shared> into memref<4xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // A maximum of old values and no elements.
  // COMPARE: @nothing_onto_old(A: 4x8xf32, B: 4xf32) B = B
  // COUNT: @nothing_onto_old barriers = 0, shuffles = 0, warp barriers = 2, loads = 4, shared loads = 2, stores = 4
  // COUNT: @nothing_onto_old shared stores = 3, scf.if = 4
  gpu.func @nothing_onto_old(%A: memref<4x8xf32>, %B: memref<4xf32>) workgroup(%At : memref<4x8xf32, #shared>, %Bt : memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %At scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.copy %B to %Bt scope(cta) : memref<4xf32> to memref<4xf32, #shared>
    %src = memref.subview %At[0, 0] [4, 0] [1, 1] : memref<4x8xf32, #shared> to memref<4x0xf32, strided<[8, 1]>, #shared>
    tile.reduce max %src into %Bt axes [-1] scope(cta) accumulate : memref<4x0xf32, strided<[8, 1]>, #shared> into memref<4xf32, #shared>
    tile.copy %Bt to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }
}
