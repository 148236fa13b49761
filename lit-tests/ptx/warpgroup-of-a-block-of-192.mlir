// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// A barrier with a number and a thread count, in which the last two warps of the block do not participate.
// CHECK:       .visible .entry warpgroup_0_of_a_block_of_192(
// CHECK:       {{\.(maxntid|reqntid)}} 192
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 1, 128;
// CHECK-NOT:   {{bar\.|barrier}}
// CHECK:       ld.shared.v4
// CHECK-NOT:   {{bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32
// CHECK-NOT:   {{bar\.|barrier}}
gpu.module @kernels {
  gpu.func @warpgroup_0_of_a_block_of_192(%A: memref<4x256xf32>, %B: memref<4xf32>)
      workgroup(%As: memref<4x256xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      tile.copy %A to %As scope(warpgroup) : memref<4x256xf32> to memref<4x256xf32, #shared>
      tile.reduce sum %As into %B axes [1] scope(warpgroup)
        : memref<4x256xf32, #shared> into memref<4xf32>
    }
    gpu.return
  }
}
