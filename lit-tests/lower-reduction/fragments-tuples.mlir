// RUN: tx-opt %s --lower-reduction

#tile = #tile.layout<[<8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<8 : 4 lane>] replica [<4 : 1 lane>]>

gpu.module @kernels {
  // Value and index are shuffled together: two shuffles per step, one of them for the index. The index of an
  // element is twice its lane in the row, plus its slot.
  // CHECK-LABEL: gpu.func @argmax
  // CHECK-NOT:     {{tile\.|gpu.shuffle}}
  // CHECK:         arith.index_cast %{{.+}} : index to i32
  // CHECK:         arith.index_cast %{{.+}} : index to i32
  // CHECK:         gpu.shuffle xor {{.+}} : f32
  // CHECK-NEXT:    gpu.shuffle xor {{.+}} : i32
  // CHECK-NOT:     {{tile\.|gpu.shuffle}}
  // CHECK:         gpu.shuffle xor {{.+}} : f32
  // CHECK-NEXT:    gpu.shuffle xor {{.+}} : i32
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         memref.store {{.+}} : memref<8xf32>
  // CHECK:         memref.store {{.+}} : memref<8xi32>
  gpu.func @argmax(%A: memref<8x8xf32>, %V: memref<8xf32>, %I: memref<8xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x8xf32> -> !tile.fragment<8x8xf32, #tile>
    %v, %i = tile.reduce argmax %x axes [1] scope(warp)
      : !tile.fragment<8x8xf32, #tile> -> !tile.fragment<8xf32, #row>, !tile.fragment<8xi32, #row>
    tile.store %v to %V scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
    tile.store %i to %I scope(warp) : !tile.fragment<8xi32, #row> to memref<8xi32>
    gpu.return
  }

  // A combiner of two sources: the sum of products of complex numbers is no tree of its parts.
  // Every combine, in the thread and between lanes, is the region with both parts.
  // CHECK-LABEL: gpu.func @complex_product
  // CHECK-NOT:     {{tile\.|gpu.shuffle}}
  // CHECK-COUNT-4: arith.mulf
  // CHECK-NOT:     arith.mulf
  // CHECK:         gpu.shuffle xor {{.+}} : f32
  // CHECK-NEXT:    gpu.shuffle xor {{.+}} : f32
  // CHECK-COUNT-4: arith.mulf
  // CHECK-NOT:     arith.mulf
  // CHECK:         gpu.shuffle xor {{.+}} : f32
  // CHECK-NEXT:    gpu.shuffle xor {{.+}} : f32
  // CHECK-COUNT-4: arith.mulf
  // CHECK-NOT:     {{tile\.|gpu.shuffle|arith.mulf|barrier|nvvm.b}}
  gpu.func @complex_product(%R: memref<8x8xf32>, %I: memref<8x8xf32>, %P: memref<8xf32>, %Q: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %re = tile.load %R scope(warp) : memref<8x8xf32> -> !tile.fragment<8x8xf32, #tile>
    %im = tile.load %I scope(warp) : memref<8x8xf32> -> !tile.fragment<8x8xf32, #tile>
    %p, %q = tile.reduce custom %re, %im axes [1] scope(warp) identity [1.0 : f32, 0.0 : f32] combiner {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %ac = arith.mulf %a, %c : f32
      %bd = arith.mulf %b, %d : f32
      %ad = arith.mulf %a, %d : f32
      %bc = arith.mulf %b, %c : f32
      %x = arith.subf %ac, %bd : f32
      %y = arith.addf %ad, %bc : f32
      tile.yield %x, %y : f32, f32
    } : !tile.fragment<8x8xf32, #tile>, !tile.fragment<8x8xf32, #tile>
      -> !tile.fragment<8xf32, #row>, !tile.fragment<8xf32, #row>
    tile.store %p to %P scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
    tile.store %q to %Q scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
    gpu.return
  }
}
