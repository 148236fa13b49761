// RUN: not tx-opt %s --lower-reduction --mlir-disable-threading --mlir-pass-pipeline-crash-reproducer=%t.mlir --mlir-pass-pipeline-local-reproducer 2>&1
// EXIT: 1
// RUN(FILE): tx-opt %t.mlir
// SNAPSHOT: none — the reproducer's name stands in the messages.

// A local reproducer contains only the failing pass and its input.
// CHECK: Pipeline failed while executing `tile-select-variant` on 'builtin.module' operation
// FILE:  tile.reduce {{.*}}exec = {
// FILE:  pipeline: "builtin.module(tile-select-variant{explain=false})"
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "fastest"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
