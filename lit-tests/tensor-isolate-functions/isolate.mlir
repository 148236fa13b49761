// RUN: tx-opt %s --tensor-isolate-functions
// SNAPSHOT: none — the CHECK lines state all of it

// Functions on tensors move into one nested module, with the symbols that they use.
// CHECK:      module {
// CHECK-NEXT:   module attributes {tile.isolated} {
// CHECK-NEXT:     func.func @tensors(
// CHECK:          func.func private @declared(
// CHECK:          func.func @declared_for_memrefs(
// CHECK:          func.func @inside(
// CHECK:        }
// CHECK:        func.func @memrefs(
// CHECK:          linalg.exp
// CHECK:        gpu.module @kernels
func.func @tensors(%A: tensor<4xf32>) -> tensor<4xf32> {
  %R = call @declared(%A) : (tensor<4xf32>) -> tensor<4xf32>
  return %R : tensor<4xf32>
}
func.func @memrefs(%A: memref<4xf32>) {
  linalg.exp ins(%A : memref<4xf32>) outs(%A : memref<4xf32>)
  return
}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
// This function has no tensor, but shares symbols with `@inside`.
func.func @declared_for_memrefs(%A: memref<4xf32>) {
  return
}
func.func @inside(%A: memref<4xf32>) {
  %T = bufferization.to_tensor %A : memref<4xf32> to tensor<4xf32>
  call @declared_for_memrefs(%A) : (memref<4xf32>) -> ()
  return
}
gpu.module @kernels {
  gpu.func @k(%A: memref<4xf32>) kernel {
    gpu.return
  }
}
