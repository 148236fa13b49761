// RUN: tx-opt %s --tensor-restore-functions
// SNAPSHOT: none — the CHECK lines state all of it

// The pass does not dissolve a module of the program.
// CHECK:      module @own {
// CHECK-NEXT:   func.func @f(
module @own {
  func.func @f(%A: memref<4xf32>) {
    return
  }
}
