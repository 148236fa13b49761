// RUN: tx-opt %s --lower-reduction

#tile = #tile.layout<[<8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>

gpu.module @kernels {
  // A loaded fragment is stored without a barrier: two loads and two stores for each thread.
  // CHECK-LABEL: gpu.func @copy
  // CHECK-COUNT-2: memref.load
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|memref.load}}
  // CHECK-COUNT-2: memref.store {{.+}} : memref<8x8xf32>
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|memref\.}}
  gpu.func @copy(%A: memref<8x8xf32>, %B: memref<8x8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x8xf32> -> !tile.fragment<8x8xf32, #tile>
    tile.store %x to %B scope(warp) : !tile.fragment<8x8xf32, #tile> to memref<8x8xf32>
    gpu.return
  }

  // All four lanes of a row hold its value, and the first of them stores it: two stores under one
  // condition.
  // CHECK-LABEL: gpu.func @one_lane_stores
  // CHECK:         %[[COLUMN:.+]] = arith.remui %thread_id_x{{.*}}, %c4
  // CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0
  // CHECK-NEXT:    scf.if %[[FIRST]] {
  // CHECK-COUNT-2:   memref.store
  // CHECK-NOT:     {{tile\.|memref.store}}
  gpu.func @one_lane_stores(%x: f32, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = tile.splat %x : f32 -> !tile.fragment<16xf32, #row>
    tile.store %r to %B scope(warp) : !tile.fragment<16xf32, #row> to memref<16xf32>
    gpu.return
  }
}
