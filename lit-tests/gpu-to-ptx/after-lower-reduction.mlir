// RUN: tx-opt %s --lower-reduction=chip=sm_90 --gpu-to-ptx
// RUN(PIPE): tx-opt %s --pass-pipeline='builtin.module(lower-reduction{chip=sm_90},gpu-to-ptx)'
// SNAPSHOT: none — the binary says how many milliseconds LLVM took.

// Both pipelines in sequence lower a reduction to PTX. The first one writes the chip to the module, so the
// default chip of the second one does not matter.
// CHECK:     gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90"
// CHECK-SAME: .target sm_90
// CHECK-SAME: .visible .entry rows(
// CHECK-SAME: shfl.sync.bfly.b32
// PIPE:      gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90"
// PIPE-SAME:  .target sm_90
// PIPE-SAME:  .visible .entry rows(
// PIPE-SAME:  shfl.sync.bfly.b32
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
