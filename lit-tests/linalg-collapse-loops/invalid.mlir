// RUN: tx-opt %s --linalg-collapse-loops --split-input-file --verify-diagnostics

// An op that overwrites elements which it still reads keeps its loops, and is rejected later.
func.func @overlap(%A: memref<8x40xf32>) {
  %first = memref.reinterpret_cast %A to offset: [0], sizes: [8, 40], strides: [40, 1] : memref<8x40xf32> to memref<8x40xf32>
  // expected-error @below {{output 0 overlaps an input}}
  // expected-note @below {{results are written while other elements are still read}}
  linalg.exp ins(%A : memref<8x40xf32>) outs(%first : memref<8x40xf32>)
  return
}
