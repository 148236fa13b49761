// RUN(E4M3): tx run %s --device cpu --entry e4m3 --arg full:1.75:3x20xf8E4M3FN --arg zeros:3xf32 --arg zeros:3xf16
// RUN(E5M2): tx run %s --device cpu --entry e5m2 --arg full:-0.375:64xf8E5M2 --arg zeros:f32 --arg zeros:f32
// RUN(NAN): tx run %s --device cpu --entry e4m3 --arg full:nan:3x20xf8E4M3FN --arg zeros:3xf32 --arg zeros:3xf16
// RUN(BITS): tx run %s --device cpu --entry bits --arg zeros:4xi1 --arg zeros:4xi1 --arg zeros:4xi1
// SNAPSHOT: none — what is printed is checked as a whole.

gpu.module @kernels {
  // 8-bit floats are added in f32, and their maximum may be stored as f16.
  // E4M3:      argument 1: 3xf32
  // E4M3-NEXT: [35. 35. 35.]
  // E4M3-NEXT: argument 2: 3xf16
  // E4M3-NEXT: [1.75 1.75 1.75]
  // NaN is the only special value of f8E4M3FN.
  // NAN:      argument 1: 3xf32
  // NAN-NEXT: [nan nan nan]
  // NAN-NEXT: argument 2: 3xf16
  // NAN-NEXT: [nan nan nan]
  gpu.func @e4m3(%A: memref<3x20xf8E4M3FN>, %S: memref<3xf32>, %M: memref<3xf16>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce sum %A into %S axes [1] scope(cta) : memref<3x20xf8E4M3FN> into memref<3xf32>
    tile.reduce max %A into %M axes [1] scope(cta) : memref<3x20xf8E4M3FN> into memref<3xf16>
    gpu.return
  }

  // f8E5M2, with a greater range.
  // E5M2:      argument 1: f32
  // E5M2-NEXT: -24.
  // E5M2-NEXT: argument 2: f32
  // E5M2-NEXT: -0.375
  gpu.func @e5m2(%A: memref<64xf8E5M2>, %S: memref<f32>, %M: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %S axes [0] scope(cta) : memref<64xf8E5M2> into memref<f32>
    tile.reduce min %A into %M axes [0] scope(cta) {nan = #tile.nan<ignore>} : memref<64xf8E5M2> into memref<f32>
    gpu.return
  }

  memref.global "private" constant @flags : memref<4x5xi1> = dense<[
    [true, true, true, true, true], [false, false, true, false, false],
    [false, false, false, false, false], [true, true, false, true, true]]>

  // `and`, `or` and `xor` of i1.
  // BITS:      argument 0: 4xi1
  // BITS-NEXT: [ True False False False]
  // BITS-NEXT: argument 1: 4xi1
  // BITS-NEXT: [ True True False True]
  // BITS-NEXT: argument 2: 4xi1
  // BITS-NEXT: [ True True False False]
  gpu.func @bits(%all: memref<4xi1>, %any: memref<4xi1>, %odd: memref<4xi1>)
      kernel attributes {known_block_size = array<i32: 40, 1, 1>} {
    %A = memref.get_global @flags : memref<4x5xi1>
    tile.reduce and %A into %all axes [1] scope(cta) : memref<4x5xi1> into memref<4xi1>
    tile.reduce or %A into %any axes [1] scope(cta) : memref<4x5xi1> into memref<4xi1>
    tile.reduce xor %A into %odd axes [1] scope(cta) : memref<4x5xi1> into memref<4xi1>
    gpu.return
  }
}
