// RUN: tx-opt %s --split-input-file --verify-diagnostics

// A word where an op begins is no part of the one before.
func.func @no_types_of_a_reduction(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(cta)
  // expected-error @below {{custom op 'tile.reduce' unknown part `return`; known: accumulate, identity, combiner, element, epilogue}}
  return
}

// -----

func.func @no_colon(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{custom op 'tile.reduce' unknown part `memref`; known: accumulate, identity, combiner, element, epilogue}}
  tile.reduce sum %A into %B axes [1] scope(cta) memref<4x8xf32> into memref<4xf32>
  return
}
