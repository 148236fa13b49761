// RUN: tx run %s --device cpu --entry places --arg zeros:4xf32 --arg zeros:4xi32 --arg zeros:4xf32 --arg zeros:4xi64
// RUN(NONE): tx run %s --device cpu --entry nothing_but_nan --arg zeros:f32 --arg zeros:i32 --arg zeros:f32 --arg zeros:i32
// RUN(LOW): tx run %s --device cpu --entry lowest --arg full:-inf:2x100xf32 --arg zeros:2xf32 --arg zeros:2xi32 --arg full:-128:2x100xi8 --arg zeros:2xi8 --arg zeros:2xi32
// SNAPSHOT: none — what is printed is checked as a whole.

// Indices of extremes. In row 0 the maximum occurs once, in row 1 twice, and the first one wins. In row 2 the
// first of two NaNs wins. In the last row, +0.0 equals the earlier -0.0, which is kept. With `nan = ignore`,
// a minimum is never NaN.
// CHECK:      argument 0: 4xf32
// CHECK-NEXT: [ 7.  9. nan -0.]
// CHECK-NEXT: argument 1: 4xi32
// CHECK-NEXT: [5 2 3 1]
// CHECK-NEXT: argument 2: 4xf32
// CHECK-NEXT: [-1. -3.  0. -8.]
// CHECK-NEXT: argument 3: 4xi64
// CHECK-NEXT: [0 1 0 0]
//
// In a row of NaNs, the first one wins with either policy.
// NONE:      argument 0: f32
// NONE-NEXT: nan
// NONE-NEXT: argument 1: i32
// NONE-NEXT: 0
// NONE-NEXT: argument 2: f32
// NONE-NEXT: nan
// NONE-NEXT: argument 3: i32
// NONE-NEXT: 0
gpu.module @kernels {
  memref.global "private" constant @rows : memref<4x8xf32> = dense<[
    [-1.0, 3.0, 2.0, 0.0, 6.0, 7.0, 4.0, 5.0],
    [0.0, -3.0, 9.0, 1.0, -3.0, 9.0, 8.0, 9.0],
    [0.0, 2.0, 1.0, 0x7FC00000, 5.0, 0x7FC00000, 0x7F800000, 1.0],
    [-8.0, -0.0, 0.0, -1.0, -2.0, -3.0, -0.0, 0.0]]>
  gpu.func @places(%V: memref<4xf32>, %P: memref<4xi32>, %W: memref<4xf32>, %Q: memref<4xi64>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %A = memref.get_global @rows : memref<4x8xf32>
    tile.reduce argmax %A into %V, %P axes [1] scope(cta)
      : memref<4x8xf32> into memref<4xf32>, memref<4xi32>
    tile.reduce argmin %A into %W, %Q axes [1] scope(cta) {nan = #tile.nan<ignore>}
      : memref<4x8xf32> into memref<4xf32>, memref<4xi64>
    gpu.return
  }

  memref.global "private" constant @none : memref<100xf32> = dense<0x7FC00000>
  gpu.func @nothing_but_nan(%V: memref<f32>, %P: memref<i32>, %W: memref<f32>, %Q: memref<i32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %A = memref.get_global @none : memref<100xf32>
    tile.reduce argmax %A into %V, %P axes [0] scope(cta) : memref<100xf32> into memref<f32>, memref<i32>
    tile.reduce argmax %A into %W, %Q axes [0] scope(cta) {nan = #tile.nan<ignore>}
      : memref<100xf32> into memref<f32>, memref<i32>
    gpu.return
  }

  // In a row whose elements equal the initial value, the first one wins, too.
  // LOW:      argument 1: 2xf32
  // LOW-NEXT: [-inf -inf]
  // LOW-NEXT: argument 2: 2xi32
  // LOW-NEXT: [0 0]
  // LOW-NEXT: argument 4: 2xi8
  // LOW-NEXT: [-128 -128]
  // LOW-NEXT: argument 5: 2xi32
  // LOW-NEXT: [0 0]
  gpu.func @lowest(%A: memref<2x100xf32>, %V: memref<2xf32>, %P: memref<2xi32>,
                   %B: memref<2x100xi8>, %W: memref<2xi8>, %Q: memref<2xi32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce argmax %A into %V, %P axes [1] scope(cta)
      : memref<2x100xf32> into memref<2xf32>, memref<2xi32>
    tile.reduce argmax %B into %W, %Q axes [1] scope(cta) {variant = "shared"}
      : memref<2x100xi8> into memref<2xi8>, memref<2xi32>
    gpu.return
  }
}
