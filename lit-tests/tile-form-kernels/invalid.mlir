// RUN: tx-opt %s --tile-form-kernels --split-input-file --verify-diagnostics
// RUN(OPTION): not tx-opt %s --split-input-file --tile-form-kernels=fusion=all 2>&1
// EXIT: 1
// RUN(CHIP): not tx-opt %s --split-input-file --tile-form-kernels=chip=sm_1 2>&1
// EXIT: 1
// SNAPSHOT: none — what is said of an option stands below.

// Options and attributes that say which ops share a kernel have values of their kinds.
// OPTION: option `fusion`: unknown value `all`
// OPTION: known: none, exact, algebraic
// CHIP: option `chip`:

// expected-error @below {{`tile.fusion` must be `#tile.fusion<none>`, `<exact>` or `<algebraic>`}}
func.func @word(%A: memref<8xf32>) attributes {tile.fusion = "none"} {
  return
}

// -----

func.func @number(%A: memref<8x40xf32>, %B: memref<8x40xf32>) {
  // expected-error @below {{`tile.group` must be an integer}}
  linalg.exp {tile.group = "first"} ins(%A : memref<8x40xf32>) outs(%B : memref<8x40xf32>)
  return
}
