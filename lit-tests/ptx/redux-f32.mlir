// RUN(NEW): tx compile %s --chip sm_100a
// RUN(OLD): tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100 sm_100a

// The maximum float of a warp is one instruction on chips that have it, and NaN wins.
// NEW:       .visible .entry max(
// NEW-NOT:   {{shfl|bar\.|barrier}}
// NEW:       redux.sync.max.NaN.f32
// NEW-NOT:   {{shfl|redux|bar\.|barrier}}
//
// Other chips use a shuffle tree.
// OLD:       .visible .entry max(
// OLD-NOT:   redux
// OLD-COUNT-5: shfl.sync.bfly.b32
// OLD-NOT:   {{shfl|redux}}
gpu.module @kernels {
  gpu.func @max(%A: memref<1x32xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) : memref<1x32xf32> into memref<1xf32>
    gpu.return
  }
}
