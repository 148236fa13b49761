// RUN: tx compile %s --chip sm_80
// PTXAS: sm_80 sm_90 sm_100

// Groups of eight lanes, where the program insists on it: the mask of a lane names the eight of its own group,
// which are eight ones, moved by the number of the group's first lane. It is computed, and does not depend on
// which lanes happen to be there.
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
