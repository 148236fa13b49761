// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// A block of 20 threads is one warp with the member mask 0xfffff (lanes 0 to 19), also in its barriers. Two
// lanes share a row.
// CHECK:       .visible .entry rows_by_20(
// CHECK:       {{\.(maxntid|reqntid)}} 20
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar.warp.sync 1048575;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 1, 31, 1048575;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar.warp.sync 1048575;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @rows_by_20(%A: memref<3x40xf32>, %B: memref<3xf32>)
      workgroup(%As: memref<3x40xf32, #shared>, %Bs: memref<3xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<3x40xf32> to memref<3x40xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<3x40xf32, #shared> into memref<3xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<3xf32, #shared> to memref<3xf32>
    gpu.return
  }
}
