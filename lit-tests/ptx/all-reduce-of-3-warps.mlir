// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// Every thread of three warps gets the total: five shuffles in a warp, a barrier, and three sums that each
// thread loads and adds.
// CHECK:       .visible .entry cta_of_3_warps(
// CHECK:       .shared .align 16 .b8 {{.+}}[16];
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.shared
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       ld.shared
// CHECK-COUNT-2: add.rn.f32
// CHECK-NOT:   {{shfl|bar\.|barrier|add.rn.f32}}
// CHECK:       st.global
gpu.module @kernels {
  gpu.func @cta_of_3_warps(%A: memref<96xf32>, %B: memref<96xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<96xf32>
    %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<96xf32>
    gpu.return
  }
}
