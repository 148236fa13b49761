// RUN(IDENTITY): not tx validate %s --chip sm_80 --entry of_negatives
// EXIT: 3
// RUN(FAULT): not tx validate %s --chip sm_80 --entry outside --arg full:1:4xf32
// EXIT: 3
// RUN(GRID): not tx validate %s --chip sm_80 --entry of_negatives --grid 4 2>&1
// EXIT: 1
// RUN(FILLED): tx validate %S/../convert-linalg-to-tile/custom.mlir --chip sm_80 --entry filled --arg rand:7x300xf32 --arg zeros:7xf32
// RUN(CONDITIONAL): tx validate %s --chip sm_80 --entry magnitude
// SNAPSHOT: none — whether there is an assembler is not the matter.

// A wrong identity is reported with its wrong result: only NaN and the sign of zero may be
// ambiguous.
// IDENTITY: the identity is not neutral: combiner(0.0, 1.0) = 0.0, expected 1.0; the identity must be inf
// IDENTITY: WRONG
func.func @of_negatives(%A: memref<?x100xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %p = arith.minimumf %l, %r : f32
    tile.yield %p : f32
  } : memref<?x100xf32> into memref<?xf32>
  return
}

// A combiner that is invalid for some values is reported with these values, the consequence and a remedy.
// CONDITIONAL: laws {{ *}}conditional: custom f32 at {{.+}}: where such values occur, the identity is not neutral: combiner(0.0, -1.0) = 1.0, expected -1.0; no common identity is neutral either: set the neutral value, or correct the combiner where it changes single values (for example, drops a sign), or exclude such values; with such values results depend on lengths and schedules
func.func @magnitude(%A: memref<?x100xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%x: f32, %y: f32):
    %ax = math.absf %x : f32
    %ay = math.absf %y : f32
    %m = arith.maximumf %ax, %ay : f32
    tile.yield %m : f32
  } : memref<?x100xf32> into memref<?xf32>
  return
}

// A fill with the identity is omitted from the reduction. An infinity that becomes NaN with the identity is
// then ambiguous.
// FILLED: convert-linalg-to-tile {{ *}}equal
// FILLED: launch {{ *}}equal

// With explicit arguments, every error is one of the program.
// FAULT: parse {{ *}}FAULT: index [4] is out of range for an array of [4]
gpu.module @kernels {
  gpu.func @outside(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %A[%c4] : memref<4xf32>
    gpu.return
  }
}

// GRID: the grid can be set only for a kernel
