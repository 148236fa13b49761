// RUN: not tx compile %s --entry host 2>&1
// EXIT: 1
// RUN(KERNEL): tx compile %s --entry k

// A host function that launches kernels is not implemented, and says so; its kernels can be
// compiled by their names.
// CHECK:  compile-host-function.mlir:[[# @LINE + 9]]:3: error: `host` is a host function: launching its kernels is not implemented; name a kernel with --entry
// KERNEL: .visible .entry k(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }

  func.func @host(%B: memref<f32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%B : memref<f32>)
    return
  }
}
