// RUN(OPTION): not tx compile %s --chip sm_91 2>&1
// EXIT: 1
// RUN(MODULE): not tx compile %s 2>&1
// EXIT: 1

// An unknown chip is rejected with a list of the supported chips, whether it comes from the command line or
// from the module, with its position.
// OPTION: error: unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a
// MODULE: compile-unknown-chip.mlir:[[# @LINE + 1]]:1: error: unknown chip `sm_9000`; known chips: sm_80
gpu.module @kernels [#nvvm.target<chip = "sm_9000">] {
  gpu.func @k(%B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
