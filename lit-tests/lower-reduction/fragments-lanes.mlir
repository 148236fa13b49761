// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#eight = #tile.layout<[<4 : 8 lane>, <8 : 1 lane>]>
#eight_row = #tile.layout<[<4 : 8 lane>] replica [<8 : 1 lane>]>
#strided = #tile.layout<[<4 : 1 lane>, <8 : 4 lane>]>
#strided_row = #tile.layout<[<4 : 1 lane>] replica [<8 : 4 lane>]>
#six = #tile.layout<[<5 : 6 lane>, <6 : 1 lane>]>
#six_row = #tile.layout<[<5 : 6 lane>] replica [<6 : 1 lane>]>
#five = #tile.layout<[<3 : 1 lane>, <5 : 4 lane>]>
#five_row = #tile.layout<[<3 : 1 lane>] replica [<5 : 4 lane>]>
#middle = #tile.layout<[<8 : 1 lane>] offset [<8 : constant lane>]>
#middle_total = #tile.layout<[] replica [<8 : 1 lane>] offset [<8 : constant lane>]>
#copies = #tile.layout<[<8 : 1 lane>] replica [<4 : 8 lane>]>
#everywhere = #tile.layout<[] replica [<32 : 1 lane>]>

gpu.module @kernels {
  // Eight neighbouring lanes share a row: the XOR masks are 1, 2 and 4.
  // CHECK-LABEL: gpu.func @neighbours
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         %[[M1:.+]] = arith.constant 1 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[M1]],
  // CHECK:         %[[M2:.+]] = arith.constant 2 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[M2]],
  // CHECK:         %[[M4:.+]] = arith.constant 4 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[M4]],
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @neighbours barriers = 0, shuffles = 3, loads = 1, stores = 1, scf.if = 1
  gpu.func @neighbours(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<4x8xf32> -> !tile.fragment<4x8xf32, #eight>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<4x8xf32, #eight> -> !tile.fragment<4xf32, #eight_row>
    tile.store %r to %B scope(warp) : !tile.fragment<4xf32, #eight_row> to memref<4xf32>
    gpu.return
  }

  // Eight lanes with a stride of four share a row: the XOR masks are 4, 8 and 16.
  // CHECK-LABEL: gpu.func @every_fourth
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         %[[M4:.+]] = arith.constant 4 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[M4]],
  // CHECK:         %[[M8:.+]] = arith.constant 8 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[M8]],
  // CHECK:         %[[M16:.+]] = arith.constant 16 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[M16]],
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @every_fourth barriers = 0, shuffles = 3, loads = 1, stores = 1, scf.if = 1
  gpu.func @every_fourth(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<4x8xf32> -> !tile.fragment<4x8xf32, #strided>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<4x8xf32, #strided> -> !tile.fragment<4xf32, #strided_row>
    tile.store %r to %B scope(warp) : !tile.fragment<4xf32, #strided_row> to memref<4xf32>
    gpu.return
  }

  // Six lanes share a row, and two lanes hold no elements. Three steps combine the row in its first lane,
  // and one more step broadcasts the total. All 32 lanes execute the shuffles; only lanes with elements
  // load.
  // CHECK-LABEL: gpu.func @six_lanes
  // CHECK:         %[[HAS:.+]] = arith.cmpi ult, %{{.+}}, %c5
  // CHECK-NEXT:    scf.if %[[HAS]]
  // CHECK-NEXT:      memref.load
  // CHECK:         } else {
  // CHECK-NOT:       memref.load
  // CHECK:         }
  // CHECK-NOT:     {{tile\.|gpu.shuffle|scf.if|barrier|nvvm.b}}
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @six_lanes barriers = 0, shuffles = 4, loads = 1, stores = 1, scf.if = 2
  gpu.func @six_lanes(%A: memref<5x6xf32>, %B: memref<5xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<5x6xf32> -> !tile.fragment<5x6xf32, #six>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<5x6xf32, #six> -> !tile.fragment<5xf32, #six_row>
    tile.store %r to %B scope(warp) : !tile.fragment<5xf32, #six_row> to memref<5xf32>
    gpu.return
  }

  // Five lanes with a stride of four share a row: three steps at distances 4, 8 and 16, and a broadcast.
  // CHECK-LABEL: gpu.func @five_lanes_apart
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         arith.addi %[[LANE:.+]], %c4
  // CHECK:         gpu.shuffle idx
  // CHECK:         arith.addi %[[LANE]], %c8
  // CHECK:         gpu.shuffle idx
  // CHECK:         arith.addi %[[LANE]], %c16
  // CHECK:         gpu.shuffle idx
  // CHECK:         gpu.shuffle idx
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @five_lanes_apart barriers = 0, shuffles = 4, loads = 1, stores = 1, scf.if = 2
  gpu.func @five_lanes_apart(%A: memref<3x5xf32>, %B: memref<3xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<3x5xf32> -> !tile.fragment<3x5xf32, #five>
    %r = tile.reduce max %x axes [1] scope(warp)
      : !tile.fragment<3x5xf32, #five> -> !tile.fragment<3xf32, #five_row>
    tile.store %r to %B scope(warp) : !tile.fragment<3xf32, #five_row> to memref<3xf32>
    gpu.return
  }

  // Lanes 8 to 15 hold the tile. Their numbers differ in three bits.
  // CHECK-LABEL: gpu.func @lanes_8_to_15
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK-COUNT-3: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @lanes_8_to_15 barriers = 0, shuffles = 3, loads = 1, stores = 1, scf.if = 2
  gpu.func @lanes_8_to_15(%A: memref<8xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #middle>
    %r = tile.reduce sum %x axes [0] scope(warp)
      : !tile.fragment<8xf32, #middle> -> !tile.fragment<f32, #middle_total>
    tile.store %r to %B scope(warp) : !tile.fragment<f32, #middle_total> to memref<f32>
    gpu.return
  }

  // Four replicas of a row are four groups, and each group computes the sum. Replicas are not added up, and
  // all lanes have the result after three steps.
  // CHECK-LABEL: gpu.func @copies
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK-COUNT-3: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @copies barriers = 0, shuffles = 3, loads = 1, stores = 1, scf.if = 1
  gpu.func @copies(%A: memref<8xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #copies>
    %r = tile.reduce sum %x axes [0] scope(warp)
      : !tile.fragment<8xf32, #copies> -> !tile.fragment<f32, #everywhere>
    tile.store %r to %B scope(warp) : !tile.fragment<f32, #everywhere> to memref<f32>
    gpu.return
  }
}
