// RUN: tx-opt %s --tensor-restore-functions
// SNAPSHOT: none — the CHECK lines state all of it

// Isolated functions replace the nested module. A function whose name is in use is renamed.
// CHECK:      module {
// CHECK-NEXT:   memref.global "private" constant @table : memref<4xf32> = dense<1.0
// CHECK-NEXT:   memref.global "private" constant @table_0 : memref<4xf32> = dense<2.0
// CHECK-NEXT:   func.func @f(
// CHECK-NEXT:     memref.get_global @table_0
// CHECK:        func.func @g(
// CHECK-NEXT:     memref.get_global @table :
memref.global "private" constant @table : memref<4xf32> = dense<1.0>
module attributes {tile.isolated} {
  memref.global "private" constant @table : memref<4xf32> = dense<2.0>
  func.func @f(%A: memref<4xf32>) {
    %T = memref.get_global @table : memref<4xf32>
    memref.copy %T, %A : memref<4xf32> to memref<4xf32>
    return
  }
}
func.func @g(%A: memref<4xf32>) {
  %T = memref.get_global @table : memref<4xf32>
  memref.copy %T, %A : memref<4xf32> to memref<4xf32>
  return
}
