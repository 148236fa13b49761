// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// A block of 48 threads: in the last warp only lanes 0 to 15 are members, so the mask is computed. Four lanes
// share a row.
// CHECK:       .visible .entry rows_by_48(
// CHECK:       {{\.(maxntid|reqntid)}} 48
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 1, 31, %[[MEMBERS:r[0-9]+]];
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 2, 31, %[[MEMBERS]];
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @rows_by_48(%A: memref<3x100xf32>, %B: memref<3xf32>)
      workgroup(%As: memref<3x100xf32, #shared>, %Bs: memref<3xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<3x100xf32> to memref<3x100xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<3x100xf32, #shared> into memref<3xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<3xf32, #shared> to memref<3xf32>
    gpu.return
  }
}
