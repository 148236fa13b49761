// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// Value and index of the largest f16 are one 32-bit key, which one instruction finds for a warp.
// CHECK:       .visible .entry argmax(
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       max.u32
// CHECK:       redux.sync.max.u32
// CHECK-NOT:   {{shfl|redux|bar\.|barrier}}
// CHECK:       ld.global.b16
// CHECK:       st.global.b16
// CHECK:       st.global.b32
gpu.module @kernels {
  gpu.func @argmax(%A: memref<1x1024xf16>, %V: memref<1xf16>, %I: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) : memref<1x1024xf16> into memref<1xf16>, memref<1xi32>
    gpu.return
  }
}
