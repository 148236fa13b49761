// RUN: not tx-opt %s --lower-reduction=chip=sm_90 --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1
// EXIT: 1
// RUN(AGAIN): not tx-opt %t.mlir --run-reproducer 2>&1
// EXIT: 1
// RUN(FILE): tx-opt %t.mlir
// SNAPSHOT: none — the reproducer's name stands in the messages.

// A failing pass writes a file with the input and the pipeline, which reproduces the failure. The message
// names the pass.
// CHECK: error: the kernel has no block size
// CHECK: Pipeline failed while executing [`tile-analyze-scope` on 'builtin.module' operation]: reproducer generated at `$TMP/t.mlir`
// AGAIN: t.mlir:{{.*}}: error: the kernel has no block size
// FILE:  tile.reduce sum
// FILE:  mlir_reproducer
// FILE:  pipeline: "builtin.module(convert-linalg-to-tile, tile-form-kernels{chip=sm_90 explain=false fusion=algebraic math=exact}, linalg-collapse-loops, tile-schedule{chip=sm_90}, tile-attach-target{chip=sm_90}, tile-analyze-scope,
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>) kernel {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
