// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// One warp reduces 32 rows of 1024: its lanes exchange all rows in 31 shuffles, and store one row each.
// CHECK:       .visible .entry rows(
// CHECK-NOT:   {{shfl|st\.global|bar\.|barrier}}
// CHECK-COUNT-31: shfl.sync.bfly.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, {{[0-9]+}}, 31, -1;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.global.b32
// CHECK-NOT:   {{shfl|st\.global|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @rows(%A: memref<32x1024xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "batched"} : memref<32x1024xf32> into memref<32xf32>
    gpu.return
  }
}
