// RUN: tx-opt %s --tile-analyze-scope

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!W = memref<4x4xf32, #gpu.address_space<workgroup>>
!V = memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // All warps may execute an op if each warp writes its own row.
  // CHECK-LABEL: gpu.func @a_row_for_each_warp
  // CHECK:       exec = {active = array<i64: 0, 128>, block = 128 : i64, threads = 32 : i64}
  gpu.func @a_row_for_each_warp() workgroup(%S: !S, %W: !W)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %w = gpu.subgroup_id : index
    %mine = memref.subview %W[%w, 0] [1, 4] [1, 1] : !W to !V
    tile.reduce sum %S into %mine axes [1] scope(warp) : !S into !V
    gpu.return
  }

  // Private memory is different in each thread.
  // CHECK-LABEL: gpu.func @private_memory_of_all_threads
  // CHECK:       exec = {active = array<i64: 0, 128>, block = 128 : i64, threads = 1 : i64}
  gpu.func @private_memory_of_all_threads()
      private(%P: memref<8xf32, #gpu.address_space<private>>, %Q: memref<f32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      : memref<8xf32, #gpu.address_space<private>> into memref<f32, #gpu.address_space<private>>
    gpu.return
  }

  // A block of one warp has only one executing warp.
  // CHECK-LABEL: gpu.func @the_only_warp
  // CHECK:       exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
  gpu.func @the_only_warp(%B: memref<4xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(warp) : !S into memref<4xf32>
    gpu.return
  }
}
