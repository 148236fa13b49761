// RUN: tx-opt %s --tensor-restore-functions
// SNAPSHOT: none — the CHECK lines state all of it

// A module of the program's own is not one that the pass takes apart.
// CHECK:      module @own {
// CHECK-NEXT:   func.func @f(
module @own {
  func.func @f(%A: memref<4xf32>) {
    return
  }
}
