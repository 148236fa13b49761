// RUN: tx-opt %s --tensor-isolate-functions
// SNAPSHOT: none — the CHECK lines state all of it

// The nested module gets the attributes of its parent, which may apply to its contents.
// CHECK:      module attributes {gpu.container_module} {
// CHECK-NEXT:   module attributes {gpu.container_module, tile.isolated} {
// CHECK:          gpu.launch_func
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @id(%A: memref<4xf32>) kernel {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %T = bufferization.to_tensor %A : memref<4xf32> to tensor<4xf32>
    gpu.launch_func @k::@id blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<4xf32>)
    return
  }
}
