// RUN: not tx-opt %s 2>&1
// EXIT: 1
// SNAPSHOT: none — what is said below the op is checked as a whole.

// The code of an error follows it once, as in `tx`.
// CHECK:      opt-codes.mlir:[[# @LINE + 5]]:3: error: 'tile.reduce' op axis 3 is out of range for rank 2
// CHECK:      opt-codes.mlir:[[# @LINE + 4]]:3: note: axes are 0 to 1
// CHECK-NEXT: opt-codes.mlir:[[# @LINE + 3]]:3: note: TX0001: tx explain TX0001
// CHECK-NOT:  note:
func.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [3] scope(grid) : memref<4x8xf32> into memref<4xf32>
  return
}
