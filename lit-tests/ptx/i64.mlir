// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// 64-bit integers are shuffled in two halves.
// CHECK:       .visible .entry i64_min(
// CHECK-COUNT-10: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       min.s64
// CHECK:       st.global.b64
gpu.module @kernels {
  gpu.func @i64_min(%A: memref<4x64xi64>, %B: memref<4xi64>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce min %A into %B axes [1] scope(cta) : memref<4x64xi64> into memref<4xi64>
    gpu.return
  }
}
