// RUN: tx-opt %s --lower-reduction
// RUN(SM90): tx-opt %s --lower-reduction=chip=sm_90
// RUN(PIPE): tx-opt %s --pass-pipeline='builtin.module(lower-reduction{chip=sm_100a})'
// SNAPSHOT: none — the kernel is the same three times.

// The option names the chip of modules without a target; the default is sm_80.
// CHECK:      gpu.module @names_none [#nvvm.target<chip = "sm_80", features = "+ptx70">]
// SM90:       gpu.module @names_none [#nvvm.target<chip = "sm_90", features = "+ptx81">]
// PIPE:       gpu.module @names_none [#nvvm.target<chip = "sm_100a", features = "+ptx88">]
gpu.module @names_none {
  // CHECK-NOT: tile.
  // SM90-NOT:  tile.
  // PIPE-NOT:  tile.
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// A target in the module has priority over the option.
// CHECK:      gpu.module @names_one [#nvvm.target<chip = "sm_89", features = "+ptx81">]
// SM90:       gpu.module @names_one [#nvvm.target<chip = "sm_89", features = "+ptx81">]
// PIPE:       gpu.module @names_one [#nvvm.target<chip = "sm_89", features = "+ptx81">]
gpu.module @names_one [#nvvm.target<chip = "sm_89">] {
  // CHECK-NOT: tile.
  // SM90-NOT:  tile.
  // PIPE-NOT:  tile.
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
