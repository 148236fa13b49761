// RUN: tx run %s --device cpu --entry halves --arg zeros:6xf16 --arg zeros:6xi32 --arg zeros:6xf16 --arg zeros:6xi64 --arg zeros:6xf16 --arg zeros:6xi32
// RUN(BYTES): tx run %s --device cpu --entry bytes --arg zeros:3xi8 --arg zeros:3xi32 --arg zeros:3xi8 --arg zeros:3xi32
// RUN(LONG): tx run %s --device cpu --entry long --arg full:-inf:65536xf16 --arg zeros:f16 --arg zeros:i32 --arg zeros:f16 --arg zeros:i32
// SNAPSHOT: none — what is printed is checked as a whole.

// A packed key gives the same result as value and index: of equal values the lowest index; the first NaN,
// or none unless all are NaN; -0.0 equals +0.0, and the first keeps its sign; rows of infinities and of
// NaN.
// CHECK:      argument 0: 6xf16
// CHECK-NEXT: [  9.  nan  -0. -inf  inf  nan]
// CHECK-NEXT: argument 1: 6xi32
// CHECK-NEXT: [2 3 1 0 6 0]
// CHECK-NEXT: argument 2: 6xf16
// CHECK-NEXT: [ -3.   0.  -8. -inf -inf  nan]
// CHECK-NEXT: argument 3: 6xi64
// CHECK-NEXT: [1 0 0 0 2 0]
// CHECK-NEXT: argument 4: 6xf16
// CHECK-NEXT: [  9.  inf  -0. -inf  inf  nan]
// CHECK-NEXT: argument 5: 6xi32
// CHECK-NEXT: [2 6 1 0 6 0]
gpu.module @kernels {
  memref.global "private" constant @rows : memref<6x8xf16> = dense<[
    [0.0, -3.0, 9.0, 1.0, -3.0, 9.0, 8.0, 9.0],
    [0.0, 2.0, 1.0, 0x7E00, 5.0, 0xFE00, 0x7C00, 1.0],
    [-8.0, -0.0, 0.0, -1.0, -2.0, -3.0, -0.0, 0.0],
    [0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00],
    [1.0, 2.0, 0xFC00, 4.0, 0xFC00, 6.0, 0x7C00, 0x7C00],
    [0x7E00, 0xFE00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]]>
  gpu.func @halves(%V: memref<6xf16>, %P: memref<6xi32>, %W: memref<6xf16>, %Q: memref<6xi64>, %U: memref<6xf16>, %O: memref<6xi32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %A = memref.get_global @rows : memref<6x8xf16>
    tile.reduce argmax %A into %V, %P axes [1] scope(cta) {variant = "packed_key"}
      : memref<6x8xf16> into memref<6xf16>, memref<6xi32>
    tile.reduce argmin %A into %W, %Q axes [1] scope(cta) {nan = #tile.nan<ignore>, variant = "packed_key"}
      : memref<6x8xf16> into memref<6xf16>, memref<6xi64>
    tile.reduce argmax %A into %U, %O axes [1] scope(cta) {nan = #tile.nan<ignore>, variant = "packed_key"}
      : memref<6x8xf16> into memref<6xf16>, memref<6xi32>
    gpu.return
  }

  // Signed integers, and the lowest ones.
  // BYTES:      argument 0: 3xi8
  // BYTES-NEXT: [ 127 -128   -1]
  // BYTES-NEXT: argument 1: 3xi32
  // BYTES-NEXT: [1 0 2]
  // BYTES-NEXT: argument 2: 3xi8
  // BYTES-NEXT: [-128 -128   -9]
  // BYTES-NEXT: argument 3: 3xi32
  // BYTES-NEXT: [2 0 1]
  memref.global "private" constant @small : memref<3x4xi8> = dense<[
    [0, 127, -128, 127], [-128, -128, -128, -128], [-5, -9, -1, -9]]>
  gpu.func @bytes(%V: memref<3xi8>, %P: memref<3xi32>, %W: memref<3xi8>, %Q: memref<3xi32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %A = memref.get_global @small : memref<3x4xi8>
    tile.reduce argmax %A into %V, %P axes [1] scope(cta) {variant = "packed_key"}
      : memref<3x4xi8> into memref<3xi8>, memref<3xi32>
    tile.reduce argmin %A into %W, %Q axes [1] scope(cta) {variant = "packed_key"}
      : memref<3x4xi8> into memref<3xi8>, memref<3xi32>
    gpu.return
  }

  // In the longest row that fits, the first of equal lowest values wins, and the last element is found.
  // LONG:      argument 1: f16
  // LONG-NEXT: -inf
  // LONG-NEXT: argument 2: i32
  // LONG-NEXT: 0
  // LONG-NEXT: argument 3: f16
  // LONG-NEXT: -1.
  // LONG-NEXT: argument 4: i32
  // LONG-NEXT: 65535
  gpu.func @long(%A: memref<65536xf16>, %V: memref<f16>, %P: memref<i32>, %W: memref<f16>, %Q: memref<i32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %last = arith.constant 65535 : index
    %x = arith.constant -1.0 : f16
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %t, %c0 : index
    tile.reduce argmax %A into %V, %P axes [0] scope(cta) {variant = "packed_key"}
      : memref<65536xf16> into memref<f16>, memref<i32>
    scf.if %first {
      memref.store %x, %A[%last] : memref<65536xf16>
    }
    tile.reduce argmax %A into %W, %Q axes [0] scope(cta) {variant = "packed_key"}
      : memref<65536xf16> into memref<f16>, memref<i32>
    gpu.return
  }
}
