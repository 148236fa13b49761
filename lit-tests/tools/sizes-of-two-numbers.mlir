// RUN: tx-opt %s --verify-diagnostics

// Sizes are of three dimensions.
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op attribute `known_block_size` must have three numbers: `array<i32: X, Y, Z>`}}
  gpu.func @k(%A: memref<32xf32>, %x: f32, %i: index) kernel attributes {known_block_size = array<i32: 32, 1>} {
    memref.store %x, %A[%i] : memref<32xf32>
    gpu.return
  }
}
