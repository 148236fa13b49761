// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// One warp sums the rows of a 4x8 tile: three shuffles, and two warp barriers.
// CHECK:       .target sm_90
// CHECK:       .visible .entry rows(
// CHECK:       {{\.(maxntid|reqntid)}} 32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.shared
// CHECK-NEXT:  bar.warp.sync -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 1, 31, -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 2, 31, -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 4, 31, -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar.warp.sync -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.global
// CHECK-NOT:   {{shfl|bar\.|barrier}}
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
        workgroup(%As: memref<4x8xf32, #shared>, %Bs: memref<4xf32, #shared>)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      tile.copy %A to %As scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
      tile.reduce sum %As into %Bs axes [-1] scope(cta)
          : memref<4x8xf32, #shared> into memref<4xf32, #shared>
      tile.copy %Bs to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
      gpu.return
    }
  }
}
