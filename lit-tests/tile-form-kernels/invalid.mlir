// RUN: tx-opt %s --tile-form-kernels --split-input-file --verify-diagnostics

// The attributes of kernel groups have values of fixed kinds.
// expected-error @below {{`tile.fusion` must be `#tile.fusion<none>`, `<exact>` or `<algebraic>`}}
func.func @word(%A: memref<8xf32>) attributes {tile.fusion = "none"} {
  return
}

// -----

// expected-error @below {{`tile.math` must be `#tile.math<exact>` or `<approx>`}}
func.func @math(%A: memref<8xf32>) attributes {tile.math = "approx"} {
  return
}

// -----

func.func @number(%A: memref<8x40xf32>, %B: memref<8x40xf32>) {
  // expected-error @below {{`tile.group` must be an integer}}
  linalg.exp {tile.group = "first"} ins(%A : memref<8x40xf32>) outs(%B : memref<8x40xf32>)
  return
}

// -----

// expected-error @below {{`tile.determinism` must be `#tile.determinism<any>`, `<run_to_run>` or `<batch_invariant>`}}
func.func @promise(%A: memref<8xf32>) attributes {tile.determinism = "any"} {
  return
}
