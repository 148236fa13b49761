// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// The maximum of bf16 elements, in which NaN wins: every chip from sm_80 on has the same instructions.
// CHECK:       .visible .entry bf16_max(
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       max.NaN.f32
// CHECK:       cvt.rn.bf16.f32
// CHECK:       st.global.b16
gpu.module @kernels {
  gpu.func @bf16_max(%A: memref<4x64xbf16>, %B: memref<4xbf16>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) : memref<4x64xbf16> into memref<4xbf16>
    gpu.return
  }
}
