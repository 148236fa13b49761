// RUN: tx-opt %s --lower-reduction --mlir-print-ir-after-all 2>&1
// SNAPSHOT: none — the passes have folders of their own.

// MLIR's flag prints the IR after each pass of the pipeline, under the name of the pass.
// CHECK: IR Dump After tile-attach-target (tile-attach-target)
// CHECK: gpu.module @kernels [#nvvm.target
// CHECK: IR Dump After tile-analyze-scope (tile-analyze-scope)
// CHECK: tile.reduce {{.*}}exec = {
// CHECK: IR Dump After tile-select-variant (tile-select-variant)
// CHECK: tile.reduce {{.*}}variant = "shared"
// CHECK: IR Dump After tile-expand-reduce (tile-expand-reduce)
// CHECK: tile.all_reduce
// CHECK: IR Dump After tile-expand-shuffle-tree (tile-expand-shuffle-tree)
// CHECK: gpu.shuffle
// CHECK: IR Dump After tile-insert-sync (tile-insert-sync)
// CHECK: IR Dump After convert-tile-to-gpu (convert-tile-to-gpu)
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
