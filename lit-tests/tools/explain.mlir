// RUN: tx-opt %s --tile-analyze-scope --tile-select-variant=explain 2>&1

// A remark at the op shows the considered and the chosen variants, one line for each variant with its cost or
// its reasons.
// CHECK: explain.mlir:[[# @LINE + 6]]:5: remark: variant `shared` computes this reduction
// CHECK: note: local (priority 10): storage: source is in global memory, expected registers or private memory
// CHECK: note: shared (priority 10): accepted, cost {{[0-9]+}}, chosen
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
