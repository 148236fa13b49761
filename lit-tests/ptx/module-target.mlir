// RUN: tx compile %s --chip sm_100a

// The target of the module has priority over the option.
// CHECK: .version 8.1
// CHECK: .target sm_90
// CHECK: .visible .entry rows(
gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
