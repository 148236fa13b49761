// RUN(COLUMNS): tx run %s --device cpu --entry columns --arg full:1:40xi32 --arg zeros:i32
// RUN(OFFSET): tx run %s --device cpu --entry offset --arg full:1:24xf32 --arg zeros:3xf32
// RUN(GROUPS): tx run %s --device cpu --entry groups --arg full:1:2x32xf32 --arg zeros:2xf32
// SNAPSHOT: none — what is printed is checked as a whole.

#forty = #tile.layout<[<8 : 5 thread>, <5 : 1 thread>]>
#forty_total = #tile.layout<[] replica [<8 : 5 thread>, <5 : 1 thread>]>
#late = #tile.layout<[<3 : 8 thread>, <8 : 1 thread>] offset [<20 : constant thread>]>
#late_row = #tile.layout<[<3 : 8 thread>] replica [<8 : 1 thread>] offset [<20 : constant thread>]>
#group = #tile.layout<[<8 : 8 thread_in_group>, <4 : 2 thread_in_group>]>
#group_total = #tile.layout<[] replica [<4 : 2 thread_in_group>]>

gpu.module @kernels {
  // Groups of five threads cross warps: threads 30 to 34 are one group.
  // COLUMNS:      argument 1: i32
  // COLUMNS-NEXT: {{^}}40
  gpu.func @columns(%A: memref<40xi32>, %B: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %x = tile.load %A scope(cta) : memref<40xi32> -> !tile.fragment<40xi32, #forty>
    %r = tile.reduce sum %x axes [0] scope(cta)
      : !tile.fragment<40xi32, #forty> -> !tile.fragment<i32, #forty_total>
    tile.store %r to %B scope(cta) : !tile.fragment<i32, #forty_total> to memref<i32>
    gpu.return
  }

  // Groups of eight threads cross warps if they begin at another offset: threads 28 to 35 are one group.
  // OFFSET:      argument 1: 3xf32
  // OFFSET-NEXT: [8. 8. 8.]
  gpu.func @offset(%A: memref<24xf32>, %B: memref<3xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %rows = memref.expand_shape %A [[0, 1]] output_shape [3, 8] : memref<24xf32> into memref<3x8xf32>
    %x = tile.load %rows scope(cta) : memref<3x8xf32> -> !tile.fragment<3x8xf32, #late>
    %r = tile.reduce sum %x axes [1] scope(cta)
      : !tile.fragment<3x8xf32, #late> -> !tile.fragment<3xf32, #late_row>
    tile.store %r to %B scope(cta) : !tile.fragment<3xf32, #late_row> to memref<3xf32>
    gpu.return
  }

  // Two warpgroups exchange at the same time, each in separate memory.
  // GROUPS:      argument 1: 2xf32
  // GROUPS-NEXT: [32. 32.]
  gpu.func @groups(%A: memref<2x32xf32>, %B: memref<2xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %g = arith.divui %t, %c128 : index
    %from = memref.subview %A[%g, 0] [1, 32] [1, 1] : memref<2x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %to = memref.subview %B[%g] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: ?>>
    %x = tile.load %from scope(warpgroup)
      : memref<32xf32, strided<[1], offset: ?>> -> !tile.fragment<32xf32, #group>
    %r = tile.reduce sum %x axes [0] scope(warpgroup)
      : !tile.fragment<32xf32, #group> -> !tile.fragment<f32, #group_total>
    tile.store %r to %to scope(warpgroup)
      : !tile.fragment<f32, #group_total> to memref<f32, strided<[], offset: ?>>
    gpu.return
  }
}
