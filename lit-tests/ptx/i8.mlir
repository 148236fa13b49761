// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// i8 elements are combined in 32 bits, by one instruction for all lanes.
// CHECK:       .visible .entry i8_or(
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       redux.sync.or.b32
// CHECK-NOT:   {{shfl|bar\.|barrier|redux}}
// CHECK:       st.global.b8
gpu.module @kernels {
  gpu.func @i8_or(%A: memref<4x64xi8>, %B: memref<4xi8>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce or %A into %B axes [1] scope(cta) : memref<4x64xi8> into memref<4xi8>
    gpu.return
  }
}
