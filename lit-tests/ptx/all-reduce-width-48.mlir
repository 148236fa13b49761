// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// Rows of 48 threads begin and end within warps: five shuffles from a computed lane, one barrier, and two
// sums that each thread adds.
// CHECK:       .visible .entry rows(
// CHECK:       .shared .align 16 .b8 {{.+}}[48];
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK-COUNT-5: shfl.sync.idx.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.shared
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK-COUNT-2: ld.shared
// CHECK-COUNT-1: add.rn.f32
// CHECK-NOT:   {{shfl|bar\.|barrier|add.rn.f32|ld.shared}}
// CHECK:       st.global
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x48xf32>, %B: memref<4x48xf32>)
      kernel attributes {known_block_size = array<i32: 48, 4, 1>} {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %v = memref.load %A[%y, %x] : memref<4x48xf32>
    %s = tile.all_reduce sum %v scope(cta) width 48 : f32 -> f32
    memref.store %s, %B[%y, %x] : memref<4x48xf32>
    gpu.return
  }
}
