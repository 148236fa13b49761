// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
#small = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>

gpu.module @kernels {
  // The accumulator of one `mma` instruction, with 16 rows: a thread holds two rows, and the four lanes of a
  // row are neighbours. Each row takes 31 combines in the thread and two shuffles at distances 1 and 2. There
  // is no shared memory and no barrier.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|get_global}}
  // CHECK-COUNT-62: arith.maximumf
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|get_global|arith.maximumf}}
  // CHECK:         %[[ONE:.+]] = arith.constant 1 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[ONE]], {{.+}} : f32
  // CHECK:         %[[TWO:.+]] = arith.constant 2 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[TWO]], {{.+}} : f32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[ONE]], {{.+}} : f32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[TWO]], {{.+}} : f32
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|get_global}}
  // COUNT: @rows barriers = 0, shuffles = 4, loads = 64, stores = 2, scf.if = 1
  gpu.func @rows(%A: memref<16x128xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !tile.fragment<16x128xf32, #acc>
    %r = tile.reduce max %x axes [1] scope(warp)
      : !tile.fragment<16x128xf32, #acc> -> !tile.fragment<16xf32, #row>
    tile.store %r to %B scope(warp) : !tile.fragment<16xf32, #row> to memref<16xf32>
    gpu.return
  }

  // Elements of f16 are added in f32, and the sum is rounded to f16 once, at the end.
  // CHECK-LABEL: gpu.func @f16_rows
  // CHECK-COUNT-4: arith.extf {{.+}} : f16 to f32
  // CHECK-NOT:     {{arith.extf|arith.truncf|addf .+ : f16}}
  // CHECK-COUNT-4: gpu.shuffle xor {{.+}} : f32
  // CHECK-NOT:     {{gpu.shuffle|arith.extf|addf .+ : f16}}
  // CHECK-COUNT-2: arith.truncf {{.+}} : f32 to f16
  // CHECK-NOT:     {{gpu.shuffle|arith.extf|arith.truncf|addf .+ : f16}}
  // COUNT: @f16_rows barriers = 0, shuffles = 4, loads = 4, stores = 2, scf.if = 1
  gpu.func @f16_rows(%A: memref<16x8xf16>, %B: memref<16xf16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x8xf16> -> !tile.fragment<16x8xf16, #small>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<16x8xf16, #small> -> !tile.fragment<16xf16, #row>
    tile.store %r to %B scope(warp) : !tile.fragment<16xf16, #row> to memref<16xf16>
    gpu.return
  }

  // Old values are combined last, once for each row. Four lanes load the value that one of them overwrites,
  // so the warp has one barrier before the store.
  // CHECK-LABEL: gpu.func @accumulate
  // CHECK-COUNT-4: gpu.shuffle xor {{.+}} : f32
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         arith.addf
  // CHECK-NEXT:    arith.addf
  // CHECK-NEXT:    arith.addf
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|addf}}
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|addf}}
  // COUNT: @accumulate barriers = 0, shuffles = 4, warp barriers = 1, loads = 6, stores = 2, scf.if = 1
  gpu.func @accumulate(%A: memref<16x8xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x8xf32> -> !tile.fragment<16x8xf32, #small>
    %old = tile.load %B scope(warp) : memref<16xf32> -> !tile.fragment<16xf32, #row>
    %r = tile.reduce sum %x init(%old) axes [1] scope(warp) accumulate
      : !tile.fragment<16x8xf32, #small> init !tile.fragment<16xf32, #row> -> !tile.fragment<16xf32, #row>
    tile.store %r to %B scope(warp) : !tile.fragment<16xf32, #row> to memref<16xf32>
    gpu.return
  }
}
