// RUN: tx-opt %s --memref-promote-results --split-input-file --verify-diagnostics

// A function whose results cannot become arguments is rejected.

// expected-note @below {{this function has several blocks}}
func.func @branches(%A: memref<4xf32>, %B: memref<4xf32>, %c: i1) -> memref<4xf32> {
  cf.cond_br %c, ^one, ^other
^one:
  // expected-error @below {{a host function must have one block, without branches}}
  return %A : memref<4xf32>
^other:
  return %B : memref<4xf32>
}

// -----

func.func @called(%A: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{`called` returns a memref, and is called here}}
  // expected-note @below {{run `inline` first; a function that calls itself cannot be inlined}}
  %B = call @called(%A) : (memref<4xf32>) -> memref<4xf32>
  return %B : memref<4xf32>
}
