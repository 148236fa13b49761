// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// Each thread adds up a row of 32 words; all rows begin at the same bank. Thread 3 begins at word 12 and
// wraps around: 4 * thread + 4 * step, modulo 32. The threads of a quarter warp load from different banks.
// CHECK:       .visible .entry rows(
// CHECK-NOT:   shfl
// CHECK-COUNT-8: ld.shared.v4.b32
// CHECK-NOT:   {{ld\.shared|shfl}}
// CHECK:       st.global.b32
gpu.module @kernels {
  gpu.func @rows(%A: memref<32x32xf32>, %B: memref<32xf32>) workgroup(%S: memref<32x32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %S scope(cta) : memref<32x32xf32> to memref<32x32xf32, #shared>
    tile.reduce sum %S into %B axes [1] scope(cta) : memref<32x32xf32, #shared> into memref<32xf32>
    gpu.return
  }
}
