// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100
// SNAPSHOT: none — CHECK and COUNT state which instructions there are, PTXAS that ptxas accepts them

// Dynamic sizes come from the descriptor. Indices have 64 bits, so a tile may have more than 2^31 elements. A
// warp reduces 32 rows at once, and exchanges their sums in 31 shuffles.
// CHECK:       .visible .entry rows(
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK-COUNT-31: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.global.b32
// COUNT: @rows barriers = 0, shuffles = 31, atomics = 0, loads = 64, global loads = 64, stores = 1, global stores = 1
gpu.module @kernels {
  gpu.func @rows(%A: memref<?x?xf32, strided<[?, ?], offset: ?>>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      : memref<?x?xf32, strided<[?, ?], offset: ?>> into memref<?xf32>
    gpu.return
  }
}
