// RUN(E5M2): tx run %s --device cpu --entry e5m2 --arg full:-0.375:64xf8E5M2 --arg zeros:f32 --arg zeros:i32
// RUN(E4M3): tx run %s --device cpu --entry e4m3 --arg full:nan:4x100xf8E4M3FN --arg zeros:4xf32 --arg zeros:4xi64
// SNAPSHOT: none — what is printed is checked as a whole.

gpu.module @kernels {
  // If all elements are equal, the first index wins.
  // E5M2:      argument 1: f32
  // E5M2-NEXT: -0.375
  // E5M2-NEXT: argument 2: i32
  // E5M2-NEXT: 0
  gpu.func @e5m2(%A: memref<64xf8E5M2>, %V: memref<f32>, %P: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmin %A into %V, %P axes [0] scope(cta) : memref<64xf8E5M2> into memref<f32>, memref<i32>
    gpu.return
  }

  // If all elements are NaN and NaN is ignored, the first index wins.
  // E4M3:      argument 1: 4xf32
  // E4M3-NEXT: [nan nan nan nan]
  // E4M3-NEXT: argument 2: 4xi64
  // E4M3-NEXT: [0 0 0 0]
  gpu.func @e4m3(%A: memref<4x100xf8E4M3FN>, %V: memref<4xf32>, %P: memref<4xi64>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce argmax %A into %V, %P axes [1] scope(cta) {nan = #tile.nan<ignore>}
      : memref<4x100xf8E4M3FN> into memref<4xf32>, memref<4xi64>
    gpu.return
  }
}
