// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// Groups of eight lanes with a stride of four.
// CHECK:       .visible .entry width_8_stride_4(
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 4, 31, -1;
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 8, 31, -1;
// CHECK:       shfl.sync.bfly.b32 %{{.+}}, %{{.+}}, 16, 31, -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @width_8_stride_4(%A: memref<64xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %s = tile.all_reduce sum %x scope(warp) width 8 stride 4 : f32 -> f32
    memref.store %s, %B[%t] : memref<64xf32>
    gpu.return
  }
}
