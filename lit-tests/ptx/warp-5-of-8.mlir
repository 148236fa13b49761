// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// One warp of eight: its number is computed from the thread id, and its barriers are warp barriers.
// CHECK:       .visible .entry warp_5_of_8(
// CHECK-NOT:   {{shfl|bar\.|barrier|%warpid}}
// CHECK:       bar.warp.sync -1;
// CHECK-NOT:   {{bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32
// CHECK-NOT:   {{bar\.|barrier}}
// CHECK:       bar.warp.sync -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @warp_5_of_8(%A: memref<4x64xf32>, %B: memref<4xf32>)
      workgroup(%As: memref<4x64xf32, #shared>, %Bs: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c5 = arith.constant 5 : index
    %w = gpu.subgroup_id : index
    %is_5 = arith.cmpi eq, %w, %c5 : index
    scf.if %is_5 {
      tile.copy %A to %As scope(warp) : memref<4x64xf32> to memref<4x64xf32, #shared>
      tile.reduce sum %As into %Bs axes [1] scope(warp)
        : memref<4x64xf32, #shared> into memref<4xf32, #shared>
      tile.copy %Bs to %B scope(warp) : memref<4xf32, #shared> to memref<4xf32>
    }
    gpu.return
  }
}
