// RUN(MMA): tx run %s --device cpu --entry mma --arg full:0.5:16x128xf32 --arg zeros:16xf32 --arg full:100:16xf32
// RUN(ODD): tx run %s --device cpu --entry odd --arg zeros:5xf32 --arg zeros:5xi32 --arg zeros:6xf32
// RUN(WARPS): tx run %s --device cpu --entry warps --arg full:1:8x4x8xf16 --arg zeros:8x4xf32
// RUN(CTA): tx run %s --device cpu --entry cta --arg full:2:12x8xi32 --arg zeros:8xi32 --arg full:7:i32
// RUN(LOOP): tx run %s --device cpu --entry loop --arg full:0.25:8x64xf32 --arg zeros:8xf32
// SNAPSHOT: none — what is printed is checked as a whole.

#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
#six = #tile.layout<[<5 : 6 lane>, <6 : 1 lane>]>
#six_row = #tile.layout<[<5 : 6 lane>] replica [<6 : 1 lane>]>
#six_column = #tile.layout<[<6 : 1 lane>] replica [<5 : 6 lane>]>
#warp = #tile.layout<[<4 : 8 lane>, <8 : 1 lane>]>
#warp_row = #tile.layout<[<4 : 8 lane>] replica [<8 : 1 lane>]>
#cta = #tile.layout<[<12 : 8 thread>, <8 : 1 thread>]>
#cta_column = #tile.layout<[<8 : 1 thread>] replica [<12 : 8 thread>]>
#one = #tile.layout<[] replica [<8 : 1 thread>]>
#tile = #tile.layout<[<8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>
#tile_row = #tile.layout<[<8 : 4 lane>] replica [<4 : 1 lane>]>

gpu.module @kernels {
  // The accumulator of an `mma`: rows of 128 halves (0.5), and the same added to 100.
  // MMA:      argument 1: 16xf32
  // MMA-NEXT: [64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64.]
  // MMA-NEXT: argument 2: 16xf32
  // MMA-NEXT: [164. 164. 164. 164. 164. 164. 164. 164. 164. 164. 164. 164. 164. 164.
  // MMA-NEXT:  164. 164.]
  gpu.func @mma(%A: memref<16x128xf32>, %B: memref<16xf32>, %C: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !tile.fragment<16x128xf32, #acc>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<16x128xf32, #acc> -> !tile.fragment<16xf32, #row>
    tile.store %r to %B scope(warp) : !tile.fragment<16xf32, #row> to memref<16xf32>
    %old = tile.load %C scope(warp) : memref<16xf32> -> !tile.fragment<16xf32, #row>
    %s = tile.reduce sum %x init(%old) axes [1] scope(warp) accumulate
      : !tile.fragment<16x128xf32, #acc> init !tile.fragment<16xf32, #row> -> !tile.fragment<16xf32, #row>
    tile.store %s to %C scope(warp) : !tile.fragment<16xf32, #row> to memref<16xf32>
    gpu.return
  }

  memref.global "private" constant @numbers : memref<5x6xf32> = dense<[
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [9.0, 8.0, 7.0, 6.0, 9.0, 9.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [-1.0, -2.0, 0x7FC00000, 4.0, 5.0, 0x7FC00000], [-6.0, -5.0, -4.0, -3.0, -2.0, -1.0]]>

  // Rows of six lanes, five per warp: indices of the maxima, with ties and NaN, and sums of the
  // columns.
  // ODD:      argument 0: 5xf32
  // ODD-NEXT: [ 6.  9.  0. nan -1.]
  // ODD-NEXT: argument 1: 5xi32
  // ODD-NEXT: [5 0 0 2 5]
  // ODD-NEXT: argument 2: 6xf32
  // ODD-NEXT: [ 3.  3. nan 11. 17. nan]
  gpu.func @odd(%V: memref<5xf32>, %P: memref<5xi32>, %S: memref<6xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %A = memref.get_global @numbers : memref<5x6xf32>
    %x = tile.load %A scope(warp) : memref<5x6xf32> -> !tile.fragment<5x6xf32, #six>
    %v, %p = tile.reduce argmax %x axes [1] scope(warp)
      : !tile.fragment<5x6xf32, #six> -> !tile.fragment<5xf32, #six_row>, !tile.fragment<5xi32, #six_row>
    tile.store %v to %V scope(warp) : !tile.fragment<5xf32, #six_row> to memref<5xf32>
    tile.store %p to %P scope(warp) : !tile.fragment<5xi32, #six_row> to memref<5xi32>
    %s = tile.reduce sum %x axes [0] scope(warp)
      : !tile.fragment<5x6xf32, #six> -> !tile.fragment<6xf32, #six_column>
    tile.store %s to %S scope(warp) : !tile.fragment<6xf32, #six_column> to memref<6xf32>
    gpu.return
  }

  // Each of eight warps adds up its own tile of f16 in f32.
  // WARPS:      argument 1: 8x4xf32
  // WARPS-NEXT: {{\[\[}}8. 8. 8. 8.]
  // WARPS-COUNT-7: [8. 8. 8. 8.]
  gpu.func @warps(%A: memref<8x4x8xf16>, %B: memref<8x4xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %w = gpu.subgroup_id : index
    %from = memref.subview %A[%w, 0, 0] [1, 4, 8] [1, 1, 1]
      : memref<8x4x8xf16> to memref<4x8xf16, strided<[8, 1], offset: ?>>
    %to = memref.subview %B[%w, 0] [1, 4] [1, 1]
      : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %x = tile.load %from scope(warp)
      : memref<4x8xf16, strided<[8, 1], offset: ?>> -> !tile.fragment<4x8xf16, #warp>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<4x8xf16, #warp> -> !tile.fragment<4xf32, #warp_row>
    tile.store %r to %to scope(warp)
      : !tile.fragment<4xf32, #warp_row> to memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // Twelve rows of eight threads occupy three warps. The sums of the columns are 24. Their product with 7 is
  // 7 * 24^8, of which an i32 holds the lower 32 bits.
  // CTA:      argument 1: 8xi32
  // CTA-NEXT: [24 24 24 24 24 24 24 24]
  // CTA-NEXT: argument 2: i32
  // CTA-NEXT: 1728053248
  gpu.func @cta(%A: memref<12x8xi32>, %B: memref<8xi32>, %C: memref<i32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %x = tile.load %A scope(cta) : memref<12x8xi32> -> !tile.fragment<12x8xi32, #cta>
    %r = tile.reduce sum %x axes [0] scope(cta)
      : !tile.fragment<12x8xi32, #cta> -> !tile.fragment<8xi32, #cta_column>
    tile.store %r to %B scope(cta) : !tile.fragment<8xi32, #cta_column> to memref<8xi32>
    %y = tile.load %B scope(cta) : memref<8xi32> -> !tile.fragment<8xi32, #tile.layout<[<8 : 1 thread>]>>
    %old = tile.load %C scope(cta) : memref<i32> -> !tile.fragment<i32, #one>
    %p = tile.reduce prod %y init(%old) axes [0] scope(cta) accumulate
      : !tile.fragment<8xi32, #tile.layout<[<8 : 1 thread>]>> init !tile.fragment<i32, #one> -> !tile.fragment<i32, #one>
    tile.store %p to %C scope(cta) : !tile.fragment<i32, #one> to memref<i32>
    gpu.return
  }

  // A loop adds up eight tiles in registers; the lanes of a row exchange at the end.
  // LOOP:      argument 1: 8xf32
  // LOOP-NEXT: [16. 16. 16. 16. 16. 16. 16. 16.]
  gpu.func @loop(%A: memref<8x64xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %none = tile.splat %zero : f32 -> !tile.fragment<8x8xf32, #tile>
    %sums = scf.for %i = %c0 to %c64 step %c8 iter_args(%old = %none) -> (!tile.fragment<8x8xf32, #tile>) {
      %from = memref.subview %A[0, %i] [8, 8] [1, 1]
        : memref<8x64xf32> to memref<8x8xf32, strided<[64, 1], offset: ?>>
      %x = tile.load %from scope(warp)
        : memref<8x8xf32, strided<[64, 1], offset: ?>> -> !tile.fragment<8x8xf32, #tile>
      %new = tile.reduce sum %x init(%old) axes [] scope(warp) accumulate
        : !tile.fragment<8x8xf32, #tile> init !tile.fragment<8x8xf32, #tile> -> !tile.fragment<8x8xf32, #tile>
      scf.yield %new : !tile.fragment<8x8xf32, #tile>
    }
    %r = tile.reduce sum %sums axes [1] scope(warp)
      : !tile.fragment<8x8xf32, #tile> -> !tile.fragment<8xf32, #tile_row>
    tile.store %r to %B scope(warp) : !tile.fragment<8xf32, #tile_row> to memref<8xf32>
    gpu.return
  }
}
