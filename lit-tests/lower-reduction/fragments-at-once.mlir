// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#rows32 = #tile.layout<[<32 : 1 reg>, <32 : 1 lane>]>
#lane32 = #tile.layout<[<32 : 1 lane>]>
#rows8 = #tile.layout<[<8 : 1 reg>, <32 : 1 lane>]>
#by_four = #tile.layout<[<8 : 4 lane>] replica [<4 : 1 lane>]>
#by_one = #tile.layout<[<8 : 1 lane>] replica [<4 : 8 lane>]>

gpu.module @kernels {
  // Each register has a row, and lane 3 gets the total of row 3. The lanes exchange all rows together: 31
  // shuffles instead of five for each row, 160 in total, and one store per lane.
  // CHECK-LABEL: gpu.func @one_row_a_lane(
  // CHECK-COUNT-32: memref.load
  // CHECK-NOT:     {{tile\.|gpu.shuffle|memref.load|barrier|nvvm.b}}
  // CHECK-COUNT-31: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK-COUNT-1: memref.store
  // CHECK-NOT:     {{tile\.|gpu.shuffle|memref.store|barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @one_row_a_lane barriers = 0, shuffles = 31, loads = 32, stores = 1
  gpu.func @one_row_a_lane(%A: memref<32x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<32x32xf32> -> !tile.fragment<32x32xf32, #rows32>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<32x32xf32, #rows32> -> !tile.fragment<32xf32, #lane32>
    tile.store %r to %B scope(warp) : !tile.fragment<32xf32, #lane32> to memref<32xf32>
    gpu.return
  }

  // Eight rows end in four neighbouring lanes each: 4 + 2 + 1 shuffles, then two among the four lanes.
  // CHECK-LABEL: gpu.func @four_lanes_a_row(
  // CHECK-COUNT-9: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK-COUNT-1: memref.store
  // CHECK-NOT:     {{tile\.|gpu.shuffle|memref.store|barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @four_lanes_a_row barriers = 0, shuffles = 9, loads = 8, stores = 1, scf.if = 1
  gpu.func @four_lanes_a_row(%A: memref<8x32xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x32xf32> -> !tile.fragment<8x32xf32, #rows8>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<8x32xf32, #rows8> -> !tile.fragment<8xf32, #by_four>
    tile.store %r to %B scope(warp) : !tile.fragment<8xf32, #by_four> to memref<8xf32>
    gpu.return
  }

  // Each row has an old value, which is added to the total in its lanes. All four lanes of a row load the old
  // value before one of them stores.
  // CHECK-LABEL: gpu.func @accumulate(
  // CHECK-COUNT-9: gpu.shuffle xor
  // CHECK-NEXT:    %[[TOTAL:.+]] = arith.addf
  // CHECK-NEXT:    %[[NEW:.+]] = arith.addf %{{.+}}, %[[TOTAL]]
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NOT:     {{tile\.|gpu.shuffle|arith.addf|barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @accumulate barriers = 0, shuffles = 9, warp barriers = 1, loads = 9, stores = 1, scf.if = 1
  gpu.func @accumulate(%A: memref<8x32xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x32xf32> -> !tile.fragment<8x32xf32, #rows8>
    %old = tile.load %B scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #by_four>
    %r = tile.reduce sum %x init(%old) axes [1] scope(warp) accumulate
      : !tile.fragment<8x32xf32, #rows8> init !tile.fragment<8xf32, #by_four> -> !tile.fragment<8xf32, #by_four>
    tile.store %r to %B scope(warp) : !tile.fragment<8xf32, #by_four> to memref<8xf32>
    gpu.return
  }

  // The transposing exchange does not leave rows eight lanes apart. So each row takes five shuffles, and
  // every lane selects its own row of eight.
  // CHECK-LABEL: gpu.func @eight_lanes_apart(
  // CHECK-COUNT-40: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK-COUNT-7: arith.select
  // CHECK-NOT:     {{tile\.|gpu.shuffle|arith.select|barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @eight_lanes_apart barriers = 0, shuffles = 40, loads = 8, stores = 1, scf.if = 1
  gpu.func @eight_lanes_apart(%A: memref<8x32xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x32xf32> -> !tile.fragment<8x32xf32, #rows8>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<8x32xf32, #rows8> -> !tile.fragment<8xf32, #by_one>
    tile.store %r to %B scope(warp) : !tile.fragment<8xf32, #by_one> to memref<8xf32>
    gpu.return
  }
}
