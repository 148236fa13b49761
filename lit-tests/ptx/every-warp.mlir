// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// Eight warps have a tile each, and need warp barriers only. Two lanes share a row of sixteen
// elements.
// CHECK:       .visible .entry every_warp(
// CHECK-NOT:   {{shfl|bar\.|barrier|%warpid}}
// CHECK:       bar.warp.sync -1;
// CHECK-NOT:   {{bar\.|barrier}}
// CHECK-COUNT-8: ld.shared.b32
// CHECK-NOT:   {{bar\.|barrier|ld.shared}}
// CHECK:       shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @every_warp(%A: memref<8x16x16xf32>, %B: memref<8x16xf32>)
      workgroup(%As: memref<8x16x16xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %w = gpu.subgroup_id : index
    %from = memref.subview %A[%w, 0, 0] [1, 16, 16] [1, 1, 1]
      : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    %tile = memref.subview %As[%w, 0, 0] [1, 16, 16] [1, 1, 1]
      : memref<8x16x16xf32, #shared> to memref<16x16xf32, strided<[16, 1], offset: ?>, #shared>
    %to = memref.subview %B[%w, 0] [1, 16] [1, 1]
      : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    tile.copy %from to %tile scope(warp)
      : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %to axes [1] scope(warp)
      : memref<16x16xf32, strided<[16, 1], offset: ?>, #shared> into memref<16xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
