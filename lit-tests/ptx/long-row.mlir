// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// One row for a block of 256 threads: four loads of four elements per thread, six shuffles, three barriers.
// CHECK:       .target sm_90
// CHECK:       .visible .entry long_row(
// CHECK:       {{\.(maxntid|reqntid)}} 256
// CHECK-DAG:   .shared .align 16 .b8 {{.+}}[16384];
// CHECK-DAG:   .shared .align 16 .b8 {{.+}}[32];
// CHECK-NOT:   {{shfl|bar\.|barrier|ld.shared}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier|ld.shared.b32}}
// CHECK-COUNT-4: ld.shared.v4
// CHECK-NOT:   {{shfl|bar\.|barrier|ld.shared}}
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 1, 31, -1;
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 2, 31, -1;
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 4, 31, -1;
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 8, 31, -1;
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 16, 31, -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.shared
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       ld.shared.v4.b32
// CHECK-NOT:   ld.shared
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 1, 31, -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.global
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @long_row(%A: memref<1x4096xf32>, %B: memref<1xf32>)
      workgroup(%As: memref<1x4096xf32, #shared>, %Bs: memref<1xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<1x4096xf32> to memref<1x4096xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<1x4096xf32, #shared> into memref<1xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<1xf32, #shared> to memref<1xf32>
    gpu.return
  }
}
