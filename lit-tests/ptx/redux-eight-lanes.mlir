// RUN: tx compile %s --chip sm_80
// PTXAS: sm_80 sm_90 sm_100

// Groups of eight lanes, forced by the program: the member mask of a lane contains its own group, that is,
// eight ones shifted by the number of the group's first lane. The mask is computed from the thread id, not
// queried from the active lanes.
// CHECK:       .visible .entry eight_lanes(
// CHECK-NOT:   {{shfl|activemask|bar\.|barrier}}
// CHECK:       and.b32 [[FIRST:%r[0-9]+]], %r{{[0-9]+}}, 24;
// CHECK:       mov.b32 [[ONES:%r[0-9]+]], 255;
// CHECK:       shl.b32 [[MASK:%r[0-9]+]], [[ONES]], [[FIRST]];
// CHECK:       redux.sync.add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[MASK]];
// CHECK-NOT:   {{shfl|redux|activemask|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @eight_lanes(%A: memref<4x8xi32>, %B: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "redux"} : memref<4x8xi32> into memref<4xi32>
    gpu.return
  }
}
