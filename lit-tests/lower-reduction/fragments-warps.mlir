// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#cta = #tile.layout<[<8 : 1 lane>, <4 : 1 warp>, <4 : 8 lane>]>
#cta_row = #tile.layout<[<8 : 1 lane>] replica [<4 : 8 lane>, <4 : 1 warp>]>
#long_total = #tile.layout<[] replica [<512 : 1 thread>]>
#odd = #tile.layout<[<12 : 8 thread>, <8 : 1 thread>]>
#odd_column = #tile.layout<[<8 : 1 thread>] replica [<12 : 8 thread>]>
#group = #tile.layout<[<4 : 1 warp_in_group>, <32 : 1 lane>]>
#group_total = #tile.layout<[] replica [<4 : 1 warp_in_group>, <32 : 1 lane>]>
#warp = #tile.layout<[<4 : 8 lane>, <8 : 1 lane>]>
#warp_row = #tile.layout<[<4 : 8 lane>] replica [<8 : 1 lane>]>

gpu.module @kernels {
  // Four lanes in each of four warps share a row. The lanes exchange first, at distances 8 and 16, and one
  // lane stores the partial result in shared memory. After one barrier, every thread loads the four partial
  // results and combines them in pairs.
  // CHECK-LABEL: gpu.func @rows_over_warps
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         %[[SCRATCH:.+]] = memref.get_global @rows_over_warps_scratch : memref<32xf32, #gpu.address_space<workgroup>>
  // CHECK:         scf.if
  // CHECK:           memref.store %{{.+}}, %[[SCRATCH]]
  // CHECK-NOT:       memref.store
  // CHECK:         }
  // CHECK:         gpu.barrier
  // CHECK-COUNT-4: memref.load %[[SCRATCH]]
  // CHECK:         %[[L:.+]] = arith.addf
  // CHECK-NEXT:    %[[R:.+]] = arith.addf
  // CHECK-NEXT:    arith.addf %[[L]], %[[R]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|load|addf}}
  // COUNT: @rows_over_warps barriers = 1, shuffles = 2, loads = 5, shared loads = 4, stores = 2, shared stores = 1
  // COUNT: @rows_over_warps scf.if = 2
  gpu.func @rows_over_warps(%A: memref<8x16xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %x = tile.load %A scope(cta) : memref<8x16xf32> -> !tile.fragment<8x16xf32, #cta>
    %r = tile.reduce sum %x axes [1] scope(cta)
      : !tile.fragment<8x16xf32, #cta> -> !tile.fragment<8xf32, #cta_row>
    tile.store %r to %B scope(cta) : !tile.fragment<8xf32, #cta_row> to memref<8xf32>
    gpu.return
  }

  // The partial results of sixteen warps are loaded in a loop.
  // CHECK-LABEL: gpu.func @sixteen_warps
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         %[[SCRATCH:.+]] = memref.get_global @sixteen_warps_scratch : memref<16xf32,
  // CHECK:         memref.store %{{.+}}, %[[SCRATCH]]
  // CHECK:         gpu.barrier
  // CHECK:         scf.for
  // CHECK:           memref.load %[[SCRATCH]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @sixteen_warps barriers = 1, shuffles = 5, loads = 3, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @sixteen_warps scf.for = 1, scf.if = 2
  gpu.func @sixteen_warps(%A: memref<512xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %x = tile.load %A scope(cta) : memref<512xf32> -> !tile.fragment<512xf32, #tile.layout<[<512 : 1 thread>]>>
    %r = tile.reduce max %x axes [0] scope(cta)
      : !tile.fragment<512xf32, #tile.layout<[<512 : 1 thread>]>> -> !tile.fragment<f32, #long_total>
    tile.store %r to %B scope(cta) : !tile.fragment<f32, #long_total> to memref<f32>
    gpu.return
  }

  // Twelve rows of eight threads occupy three warps. Four rows are combined within each warp, and three
  // partial results per column are exchanged after the barrier.
  // CHECK-LABEL: gpu.func @columns_over_three_warps
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         memref.get_global @columns_over_three_warps_scratch : memref<24xf32,
  // CHECK:         gpu.barrier
  // CHECK-COUNT-3: memref.load {{.+}} : memref<24xf32,
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // COUNT: @columns_over_three_warps barriers = 1, shuffles = 2, loads = 4, shared loads = 3, stores = 2
  // COUNT: @columns_over_three_warps shared stores = 1, scf.if = 2
  gpu.func @columns_over_three_warps(%A: memref<12x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %x = tile.load %A scope(cta) : memref<12x8xf32> -> !tile.fragment<12x8xf32, #odd>
    %r = tile.reduce sum %x axes [0] scope(cta)
      : !tile.fragment<12x8xf32, #odd> -> !tile.fragment<8xf32, #odd_column>
    tile.store %r to %B scope(cta) : !tile.fragment<8xf32, #odd_column> to memref<8xf32>
    gpu.return
  }

  // One warpgroup of a block of 256 threads works: its four warps wait for each other only. Both warpgroups
  // of the block have separate slots.
  // CHECK-LABEL: gpu.func @one_warpgroup
  // CHECK:         scf.if
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-5:   gpu.shuffle xor
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           memref.get_global @one_warpgroup_scratch : memref<8xf32,
  // CHECK:           nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
  // CHECK-COUNT-4:   memref.load {{.+}} : memref<8xf32,
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @one_warpgroup barriers = 1, shuffles = 5, loads = 5, shared loads = 4, stores = 2, shared stores = 1
  // COUNT: @one_warpgroup scf.if = 3
  gpu.func @one_warpgroup(%A: memref<4x32xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      %x = tile.load %A scope(warpgroup) : memref<4x32xf32> -> !tile.fragment<4x32xf32, #group>
      %r = tile.reduce sum %x axes [0, 1] scope(warpgroup)
        : !tile.fragment<4x32xf32, #group> -> !tile.fragment<f32, #group_total>
      tile.store %r to %B scope(warpgroup) : !tile.fragment<f32, #group_total> to memref<f32>
    }
    gpu.return
  }

  // Each of eight warps has its own tile, without any barrier.
  // CHECK-LABEL: gpu.func @every_warp
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|get_global}}
  // CHECK-COUNT-3: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b|get_global}}
  // COUNT: @every_warp scf.if = 1, memref.load = 1, memref.store = 1
  gpu.func @every_warp(%A: memref<8x4x8xf32>, %B: memref<8x4xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %w = gpu.subgroup_id : index
    %from = memref.subview %A[%w, 0, 0] [1, 4, 8] [1, 1, 1]
      : memref<8x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %B[%w, 0] [1, 4] [1, 1]
      : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %x = tile.load %from scope(warp)
      : memref<4x8xf32, strided<[8, 1], offset: ?>> -> !tile.fragment<4x8xf32, #warp>
    %r = tile.reduce sum %x axes [1] scope(warp)
      : !tile.fragment<4x8xf32, #warp> -> !tile.fragment<4xf32, #warp_row>
    tile.store %r to %to scope(warp)
      : !tile.fragment<4xf32, #warp_row> to memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
