// RUN: tx-opt %s --split-input-file --verify-diagnostics

func.func @kind(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{unknown kind `summ`; known: sum, prod, max, min, umax, umin, and, or, xor, argmax, argmin, custom; did you mean `sum`?}}
  tile.reduce summ %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

// A kind with its name from another framework.
func.func @kind_of_others(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{argmin, custom; did you mean `sum`?}}
  tile.reduce add %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

func.func @kind_in_capitals(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{argmin, custom; did you mean `sum`?}}
  tile.reduce SUM %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

func.func @scope(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{unknown scope `tread`; known: thread, warp, warpgroup, cta, cluster, grid; did you mean `thread`?}}
  tile.reduce sum %a into %b axes [1] scope(tread) : memref<4x4xf32> into memref<4xf32>
}

// -----

func.func @types_left_out(%a: memref<4x8xf32>, %b: memref<4xf32>) {
  tile.reduce sum %a into %b axes [1] scope(cta)
  // expected-error @below {{unknown part `return`; known: accumulate, identity, combiner, element, epilogue}}
  return
}
