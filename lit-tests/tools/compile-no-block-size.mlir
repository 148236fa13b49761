// RUN: not tx compile %s 2>&1
// EXIT: 1

// A kernel without a block size cannot be launched: the message shows the kernel and the missing attribute.
// CHECK:      compile-no-block-size.mlir:[[# @LINE + 6]]:3: error: kernel `k` has no block size
// CHECK-NEXT:   gpu.func @k(%B: memref<f32>) kernel {
// CHECK-NEXT:   ^
// CHECK:      note: add `attributes {known_block_size = array<i32: X, Y, Z>}`
// CHECK-NOT:  error
gpu.module @kernels {
  gpu.func @k(%B: memref<f32>) kernel {
    gpu.return
  }
}
