// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#sparse = #tile.layout<[<2 : 8 reg>, <4 : 2 reg>]>
#pair = #tile.layout<[<2 : 1 reg>]>
#cube = #tile.layout<[<2 : 12 reg>, <3 : 4 reg>, <4 : 1 reg>]>
#outer = #tile.layout<[<2 : 4 reg>, <4 : 1 reg>]>
#one = #tile.layout<[]>
#twice = #tile.layout<[<8 : 1 reg>] replica [<2 : 8 reg>]>
#flags = #tile.layout<[<8 : 1 lane>, <4 : 1 reg>]>
#flag = #tile.layout<[] replica [<8 : 1 lane>]>

gpu.module @kernels {
  // A single thread needs no exchange. Its slots are 0, 2, 4, 6 and 8 to 14: unused registers take no space,
  // and each row combines its own four slots.
  // CHECK-LABEL: gpu.func @sparse_slots
  // CHECK:         vector.from_elements {{.+}} : vector<8xf32>
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|addf}}
  // CHECK-COUNT-6: arith.addf
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|addf}}
  // CHECK:         vector.from_elements {{.+}} : vector<2xf32>
  // COUNT: @sparse_slots barriers = 0, shuffles = 0, loads = 8, stores = 2
  gpu.func @sparse_slots(%A: memref<2x4xf32>, %B: memref<2xf32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(thread) : memref<2x4xf32> -> !tile.fragment<2x4xf32, #sparse>
    %r = tile.reduce sum %x axes [1] scope(thread)
      : !tile.fragment<2x4xf32, #sparse> -> !tile.fragment<2xf32, #pair>
    tile.store %r to %B scope(thread) : !tile.fragment<2xf32, #pair> to memref<2xf32>
    gpu.return
  }

  // The middle dimension is removed or kept with size 1: the same eight results.
  // CHECK-LABEL: gpu.func @middle
  // CHECK-COUNT-16: arith.maxsi
  // CHECK-NOT:     {{tile\.|maxsi}}
  // CHECK-COUNT-8: memref.store {{.+}} : memref<2x4xi32>
  // CHECK-NOT:     memref.store
  // COUNT: @middle barriers = 0, shuffles = 0, loads = 24, stores = 8
  gpu.func @middle(%A: memref<2x3x4xi32>, %B: memref<2x4xi32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(thread) : memref<2x3x4xi32> -> !tile.fragment<2x3x4xi32, #cube>
    %r = tile.reduce max %x axes [1] scope(thread)
      : !tile.fragment<2x3x4xi32, #cube> -> !tile.fragment<2x4xi32, #outer>
    tile.store %r to %B scope(thread) : !tile.fragment<2x4xi32, #outer> to memref<2x4xi32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @middle_kept
  // CHECK-COUNT-16: arith.maxsi
  // CHECK-NOT:     {{tile\.|maxsi}}
  // CHECK-COUNT-8: memref.store {{.+}} : memref<2x1x4xi32>
  // CHECK-NOT:     memref.store
  // COUNT: @middle_kept barriers = 0, shuffles = 0, loads = 24, stores = 8
  gpu.func @middle_kept(%A: memref<2x3x4xi32>, %B: memref<2x1x4xi32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(thread) : memref<2x3x4xi32> -> !tile.fragment<2x3x4xi32, #cube>
    %r = tile.reduce max %x axes [-2] scope(thread)
      : !tile.fragment<2x3x4xi32, #cube> -> !tile.fragment<2x1x4xi32, #outer>
    tile.store %r to %B scope(thread) : !tile.fragment<2x1x4xi32, #outer> to memref<2x1x4xi32>
    gpu.return
  }

  // A replica in the same thread is not added again.
  // CHECK-LABEL: gpu.func @second_copy
  // CHECK:         vector.from_elements {{.+}} : vector<16xf32>
  // CHECK-COUNT-7: arith.addf
  // CHECK-NOT:     {{tile\.|addf}}
  // COUNT: @second_copy barriers = 0, shuffles = 0, loads = 16, stores = 1
  gpu.func @second_copy(%A: memref<8xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(thread) : memref<8xf32> -> !tile.fragment<8xf32, #twice>
    %r = tile.reduce sum %x axes [0] scope(thread)
      : !tile.fragment<8xf32, #twice> -> !tile.fragment<f32, #one>
    tile.store %r to %B scope(thread) : !tile.fragment<f32, #one> to memref<f32>
    gpu.return
  }

  // Without axes, nothing is combined. With `accumulate`, each element is combined with its old value.
  // CHECK-LABEL: gpu.func @no_axes
  // CHECK-COUNT-8: arith.addf
  // CHECK-NOT:     {{tile\.|addf}}
  // COUNT: @no_axes barriers = 0, shuffles = 0, loads = 16, stores = 8
  gpu.func @no_axes(%A: memref<2x4xf32>, %B: memref<2x4xf32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = tile.load %A scope(thread) : memref<2x4xf32> -> !tile.fragment<2x4xf32, #sparse>
    %old = tile.load %B scope(thread) : memref<2x4xf32> -> !tile.fragment<2x4xf32, #outer>
    %r = tile.reduce sum %x init(%old) axes [] scope(thread) accumulate
      : !tile.fragment<2x4xf32, #sparse> init !tile.fragment<2x4xf32, #outer> -> !tile.fragment<2x4xf32, #outer>
    tile.store %r to %B scope(thread) : !tile.fragment<2x4xf32, #outer> to memref<2x4xf32>
    gpu.return
  }

  // Elements of i1: three steps in the thread, then eight lanes.
  // CHECK-LABEL: gpu.func @any_of
  // CHECK-COUNT-3: arith.ori {{.+}} : i1
  // CHECK-COUNT-3: gpu.shuffle xor {{.+}} : i1
  // CHECK-NOT:     {{tile\.|gpu.shuffle|redux}}
  // COUNT: @any_of barriers = 0, shuffles = 3, loads = 4, stores = 1, scf.if = 2
  gpu.func @any_of(%A: memref<8x4xi1>, %B: memref<i1>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x4xi1> -> !tile.fragment<8x4xi1, #flags>
    %r = tile.reduce or %x axes [0, 1] scope(warp) {variant = "local"}
      : !tile.fragment<8x4xi1, #flags> -> !tile.fragment<i1, #flag>
    tile.store %r to %B scope(warp) : !tile.fragment<i1, #flag> to memref<i1>
    gpu.return
  }
}
