// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Accumulator fragments of a matrix product: one of four lanes holds a result, or all lanes do.

gpu.module @kernels {
  // Accumulator of a matrix product: one of four lanes holds a result, in each position, or all lanes do.
  // COMPARE: @accumulator_of_mma(A: 16x16x4x2xf32, B: 16x4xf32, C: 16xf32) C = sum(A, [1, 2, 3]); B = B * 0.0 + reshape(sum(A, [1, 2, 3]), [16, 1])
  // COUNT: @accumulator_of_mma barriers = 0, shuffles = 20, loads = 64, stores = 10, scf.if = 5
  gpu.func @accumulator_of_mma(%A: memref<16x16x4x2xf32>, %B: memref<16x4xf32>, %C: memref<16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x16x4x2xf32> -> !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>>
    %to0 = memref.subview %B[0, 0] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4]>>
    %r0 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>>
    tile.store %r0 to %to0 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>> to memref<16xf32, strided<[4]>>
    %to1 = memref.subview %B[0, 1] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4], offset: 1>>
    %r1 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>>
    tile.store %r1 to %to1 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>> to memref<16xf32, strided<[4], offset: 1>>
    %to2 = memref.subview %B[0, 2] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4], offset: 2>>
    %r2 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>>
    tile.store %r2 to %to2 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>> to memref<16xf32, strided<[4], offset: 2>>
    %to3 = memref.subview %B[0, 3] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4], offset: 3>>
    %r3 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>>
    tile.store %r3 to %to3 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>> to memref<16xf32, strided<[4], offset: 3>>
    %r = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>>
    tile.store %r to %C scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>> to memref<16xf32>
    gpu.return
  }

  // Elements of f16, accumulated into old values.
  // COMPARE: @accumulator_onto_old(A: 16x16x4x2xf16, B: 16x4xf16) B = B + B * 0.0 + reshape(sum(A, [1, 2, 3]), [16, 1])
  // COUNT: @accumulator_onto_old barriers = 0, shuffles = 16, warp barriers = 4, loads = 72, stores = 8, scf.if = 8
  gpu.func @accumulator_onto_old(%A: memref<16x16x4x2xf16>, %B: memref<16x4xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x16x4x2xf16> -> !tile.fragment<16x16x4x2xf16, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>>
    %to0 = memref.subview %B[0, 0] [16, 1] [1, 1] : memref<16x4xf16> to memref<16xf16, strided<[4]>>
    %old0 = tile.load %to0 scope(warp) : memref<16xf16, strided<[4]>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>>
    %r0 = tile.reduce sum %x init(%old0) axes [1, 2, 3] scope(warp) accumulate : !tile.fragment<16x16x4x2xf16, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> init !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>>
    tile.store %r0 to %to0 scope(warp) : !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>> to memref<16xf16, strided<[4]>>
    %to1 = memref.subview %B[0, 1] [16, 1] [1, 1] : memref<16x4xf16> to memref<16xf16, strided<[4], offset: 1>>
    %old1 = tile.load %to1 scope(warp) : memref<16xf16, strided<[4], offset: 1>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>>
    %r1 = tile.reduce sum %x init(%old1) axes [1, 2, 3] scope(warp) accumulate : !tile.fragment<16x16x4x2xf16, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> init !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>>
    tile.store %r1 to %to1 scope(warp) : !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>> to memref<16xf16, strided<[4], offset: 1>>
    %to2 = memref.subview %B[0, 2] [16, 1] [1, 1] : memref<16x4xf16> to memref<16xf16, strided<[4], offset: 2>>
    %old2 = tile.load %to2 scope(warp) : memref<16xf16, strided<[4], offset: 2>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>>
    %r2 = tile.reduce sum %x init(%old2) axes [1, 2, 3] scope(warp) accumulate : !tile.fragment<16x16x4x2xf16, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> init !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>>
    tile.store %r2 to %to2 scope(warp) : !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>> to memref<16xf16, strided<[4], offset: 2>>
    %to3 = memref.subview %B[0, 3] [16, 1] [1, 1] : memref<16x4xf16> to memref<16xf16, strided<[4], offset: 3>>
    %old3 = tile.load %to3 scope(warp) : memref<16xf16, strided<[4], offset: 3>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>>
    %r3 = tile.reduce sum %x init(%old3) axes [1, 2, 3] scope(warp) accumulate : !tile.fragment<16x16x4x2xf16, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> init !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>> -> !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>>
    tile.store %r3 to %to3 scope(warp) : !tile.fragment<16xf16, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>> to memref<16xf16, strided<[4], offset: 3>>
    gpu.return
  }

  // A reduction within lanes, then across lanes.
  // COMPARE: @in_two_steps(A: 16x16x4x2xf32, B: 16x4xf32, C: 16xf32) C = max(A, [1, 2, 3]); B = B * 0.0 + reshape(max(A, [1, 2, 3]), [16, 1])
  // COUNT: @in_two_steps barriers = 0, shuffles = 20, loads = 64, stores = 10, scf.if = 5
  gpu.func @in_two_steps(%A: memref<16x16x4x2xf32>, %B: memref<16x4xf32>, %C: memref<16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x16x4x2xf32> -> !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>>
    %partial = tile.reduce max %x axes [1, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>>
    %to0 = memref.subview %B[0, 0] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4]>>
    %r0 = tile.reduce max %partial axes [1] scope(warp) : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>>
    tile.store %r0 to %to0 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>> to memref<16xf32, strided<[4]>>
    %to1 = memref.subview %B[0, 1] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4], offset: 1>>
    %r1 = tile.reduce max %partial axes [1] scope(warp) : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>>
    tile.store %r1 to %to1 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>> to memref<16xf32, strided<[4], offset: 1>>
    %to2 = memref.subview %B[0, 2] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4], offset: 2>>
    %r2 = tile.reduce max %partial axes [1] scope(warp) : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>>
    tile.store %r2 to %to2 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>> to memref<16xf32, strided<[4], offset: 2>>
    %to3 = memref.subview %B[0, 3] [16, 1] [1, 1] : memref<16x4xf32> to memref<16xf32, strided<[4], offset: 3>>
    %r3 = tile.reduce max %partial axes [1] scope(warp) : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>>
    tile.store %r3 to %to3 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>> to memref<16xf32, strided<[4], offset: 3>>
    %r = tile.reduce max %partial axes [1] scope(warp) : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>>
    tile.store %r to %C scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>> to memref<16xf32>
    gpu.return
  }

  // Four warps, accumulated into old values.
  // COMPARE: @in_two_steps_of_warps(A: 4x16x16x4x2xf32, B: 4x16x4xf32) B = minimum(B, B * 0.0 + reshape(min(A, [2, 3, 4]), [4, 16, 1]))
  // COUNT: @in_two_steps_of_warps barriers = 0, shuffles = 16, warp barriers = 4, loads = 72, stores = 8, scf.if = 8
  gpu.func @in_two_steps_of_warps(%A: memref<4x16x16x4x2xf32>, %B: memref<4x16x4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %unit = arith.constant 32 : index
    %group = arith.divui %thread, %unit : index
    %from = memref.subview %A[%group, 0, 0, 0, 0] [1, 16, 16, 4, 2] [1, 1, 1, 1, 1] : memref<4x16x16x4x2xf32> to memref<16x16x4x2xf32, strided<[128, 8, 2, 1], offset: ?>>
    %x = tile.load %from scope(warp) : memref<16x16x4x2xf32, strided<[128, 8, 2, 1], offset: ?>> -> !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>>
    %partial = tile.reduce min %x axes [1, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>>
    %to0 = memref.subview %B[%group, 0, 0] [1, 16, 1] [1, 1, 1] : memref<4x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %old0 = tile.load %to0 scope(warp) : memref<16xf32, strided<[4], offset: ?>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>>
    %r0 = tile.reduce min %partial init(%old0) axes [1] scope(warp) accumulate : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> init !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>>
    tile.store %r0 to %to0 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    %to1 = memref.subview %B[%group, 0, 1] [1, 16, 1] [1, 1, 1] : memref<4x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %old1 = tile.load %to1 scope(warp) : memref<16xf32, strided<[4], offset: ?>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>>
    %r1 = tile.reduce min %partial init(%old1) axes [1] scope(warp) accumulate : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> init !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>>
    tile.store %r1 to %to1 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    %to2 = memref.subview %B[%group, 0, 2] [1, 16, 1] [1, 1, 1] : memref<4x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %old2 = tile.load %to2 scope(warp) : memref<16xf32, strided<[4], offset: ?>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>>
    %r2 = tile.reduce min %partial init(%old2) axes [1] scope(warp) accumulate : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> init !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>>
    tile.store %r2 to %to2 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    %to3 = memref.subview %B[%group, 0, 3] [1, 16, 1] [1, 1, 1] : memref<4x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %old3 = tile.load %to3 scope(warp) : memref<16xf32, strided<[4], offset: ?>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>>
    %r3 = tile.reduce min %partial init(%old3) axes [1] scope(warp) accumulate : !tile.fragment<16x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>, <4 : 1 lane>]>> init !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>>
    tile.store %r3 to %to3 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    gpu.return
  }

  // A fragment on eight warps.
  // COMPARE: @eight_warps(A: 8x16x16x4x2xf32, B: 8x16x4xf32, C: 8x16xf32) C = sum(A, [2, 3, 4]); B = B * 0.0 + reshape(sum(A, [2, 3, 4]), [8, 16, 1])
  // COUNT: @eight_warps barriers = 0, shuffles = 20, loads = 64, stores = 10, scf.if = 5
  gpu.func @eight_warps(%A: memref<8x16x16x4x2xf32>, %B: memref<8x16x4xf32>, %C: memref<8x16xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %thread = gpu.thread_id x
    %unit = arith.constant 32 : index
    %group = arith.divui %thread, %unit : index
    %from = memref.subview %A[%group, 0, 0, 0, 0] [1, 16, 16, 4, 2] [1, 1, 1, 1, 1] : memref<8x16x16x4x2xf32> to memref<16x16x4x2xf32, strided<[128, 8, 2, 1], offset: ?>>
    %x = tile.load %from scope(warp) : memref<16x16x4x2xf32, strided<[128, 8, 2, 1], offset: ?>> -> !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>>
    %to0 = memref.subview %B[%group, 0, 0] [1, 16, 1] [1, 1, 1] : memref<8x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %r0 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>>
    tile.store %r0 to %to0 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    %to1 = memref.subview %B[%group, 0, 1] [1, 16, 1] [1, 1, 1] : memref<8x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %r1 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>>
    tile.store %r1 to %to1 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<1 : constant lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    %to2 = memref.subview %B[%group, 0, 2] [1, 16, 1] [1, 1, 1] : memref<8x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %r2 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>>
    tile.store %r2 to %to2 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<2 : constant lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    %to3 = memref.subview %B[%group, 0, 3] [1, 16, 1] [1, 1, 1] : memref<8x16x4xf32> to memref<16xf32, strided<[4], offset: ?>>
    %r3 = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>>
    tile.store %r3 to %to3 scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] offset [<3 : constant lane>]>> to memref<16xf32, strided<[4], offset: ?>>
    %all = memref.subview %C[%group, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %r = tile.reduce sum %x axes [1, 2, 3] scope(warp) : !tile.fragment<16x16x4x2xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>> -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>>
    tile.store %r to %all scope(warp) : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>> to memref<16xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
