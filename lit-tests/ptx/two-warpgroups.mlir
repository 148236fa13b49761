// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// Two warpgroups: a barrier before the reduction and one in the exchange, each for the 128 threads of a
// warpgroup. The four sums are one load.
// CHECK:       .visible .entry two_warpgroups(
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync {{.+}}, 128;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync {{.+}}, 128;
// CHECK:       ld.shared.v4.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @two_warpgroups(%A: memref<2x1024xf32>, %B: memref<2xf32>)
      workgroup(%As: memref<2x1024xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %g = arith.divui %t, %c128 : index
    %from = memref.subview %A[%g, 0] [1, 1024] [1, 1]
      : memref<2x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
    %tile = memref.subview %As[%g, 0] [1, 1024] [1, 1]
      : memref<2x1024xf32, #shared> to memref<1x1024xf32, strided<[1024, 1], offset: ?>, #shared>
    %to = memref.subview %B[%g] [1] [1] : memref<2xf32> to memref<1xf32, strided<[1], offset: ?>>
    tile.copy %from to %tile scope(warpgroup)
      : memref<1x1024xf32, strided<[1024, 1], offset: ?>> to memref<1x1024xf32, strided<[1024, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %to axes [1] scope(warpgroup)
      : memref<1x1024xf32, strided<[1024, 1], offset: ?>, #shared> into memref<1xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
