// RUN: tx-opt %s --lower-reduction --mlir-pass-statistics -o %t.mlir 2>&1

#shared = #gpu.address_space<workgroup>

// Every pass counts its changes: here two copies, one reduction, three shuffles for eight lanes, and two warp
// barriers.
// CHECK-DAG: tile-attach-target
// CHECK-DAG: 1 attached - modules that got a target
// CHECK-DAG: tile-analyze-scope
// CHECK-DAG: 3 ops - tile ops analysed
// CHECK-DAG: tile-select-variant
// CHECK-DAG: 1 selected - reductions for which a variant was chosen
// CHECK-DAG: tile-expand-reduce
// CHECK-DAG: 1 expanded - reductions expanded
// CHECK-DAG: tile-expand-shuffle-tree
// CHECK-DAG: 3 shuffles - shuffles written
// CHECK-DAG: 0 scratch_bytes - bytes of shared memory allocated
// CHECK-DAG: tile-insert-sync
// CHECK-DAG: 0 cta_barriers - barriers of the whole block
// CHECK-DAG: 0 named_barriers - barriers of some warps of the block
// CHECK-DAG: 2 warp_barriers - barriers of single warps
// CHECK-DAG: convert-tile-to-gpu
// CHECK-DAG: 2 copies - copies lowered
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      workgroup(%As: memref<4x8xf32, #shared>, %Bs: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.reduce sum %As into %Bs axes [-1] scope(cta)
        : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }
}
