// RUN: tx-opt %s --lower-reduction

#cube = #tile.layout<[<2 : 12 reg>, <3 : 4 reg>, <4 : 1 reg>]>
#inner = #tile.layout<[<3 : 1 reg>]>
#one = #tile.layout<[]>

gpu.module @kernels {
  // One reduction removes the outer two dimensions, a second one the last; its result is a scalar.
  // CHECK-LABEL: gpu.func @twice_over
  // CHECK-COUNT-21: arith.addi {{.+}} : i32
  // CHECK:         vector.from_elements {{.+}} : vector<3xi32>
  // CHECK-COUNT-2: arith.addi {{.+}} : i32
  // CHECK-NOT:     arith.addi {{.+}} : i32
  // CHECK:         memref.store {{.+}}[] : memref<i32>
  // CHECK-NOT:     tile.
  gpu.func @twice_over(%A: memref<2x3x4xi32>, %B: memref<i32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(thread) : memref<2x3x4xi32> -> !tile.fragment<2x3x4xi32, #cube>
    %m = tile.reduce sum %x axes [0, 2] scope(thread)
      : !tile.fragment<2x3x4xi32, #cube> -> !tile.fragment<3xi32, #inner>
    %r = tile.reduce sum %m axes [0] scope(thread)
      : !tile.fragment<3xi32, #inner> -> !tile.fragment<i32, #one>
    tile.store %r to %B scope(thread) : !tile.fragment<i32, #one> to memref<i32>
    gpu.return
  }
}
