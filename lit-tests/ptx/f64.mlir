// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// Values of 64 bits need two shuffles per step, ten in total.
// CHECK:       .visible .entry f64_sum(
// CHECK-COUNT-10: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.global.b64
gpu.module @kernels {
  gpu.func @f64_sum(%A: memref<4x64xf64>, %B: memref<4xf64>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x64xf64> into memref<4xf64>
    gpu.return
  }
}
