// RUN: tx-opt %s --tensor-isolate-functions
// SNAPSHOT: none — the CHECK lines state all of it

// A module without tensors does not change.
// CHECK-NOT: tile.isolated
// CHECK:     func.func @memrefs(
func.func @memrefs(%A: memref<4xf32>) {
  return
}
