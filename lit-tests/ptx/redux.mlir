// RUN: tx compile %s --chip sm_80
// PTXAS: sm_80 sm_90 sm_100

// A whole warp adds integers by one instruction for all lanes.
// CHECK:       .visible .entry sum(
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       mov.b32 [[ALL:%r[0-9]+]], -1;
// CHECK:       redux.sync.add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[ALL]];
// CHECK-NOT:   {{shfl|redux|bar\.|barrier}}
// COUNT:       @sum redux = 1, shuffles = 0, barriers = 0, loads = 1, stores = 1
gpu.module @kernels {
  gpu.func @sum(%A: memref<1x32xi32>, %B: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<1x32xi32> into memref<1xi32>
    gpu.return
  }
}
