// RUN: tx-opt %s --lower-reduction

gpu.module @kernels {
  // Four warps compute sixteen results, each warp four at a time. Its lanes share the 16 * 22 elements of
  // each result, as neighbours along the innermost dimension. The warp exchanges four sums in six shuffles.
  // CHECK-LABEL: gpu.func @two_of_four
  // CHECK-SAME:    (%[[A:.+]]: memref<8x16x2x22xf32>, %[[B:.+]]: memref<8x2xf32>)
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         %[[LENGTH:.+]] = arith.constant 352 : index
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %[[LENGTH]] step
  // CHECK-COUNT-4:   memref.load %[[A]]
  // CHECK-NOT:     memref.load
  // CHECK-COUNT-6: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         scf.if
  // CHECK:           memref.store %{{.+}}, %[[B]][%{{.+}}, %{{.+}}]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @two_of_four(%A: memref<8x16x2x22xf32>, %B: memref<8x2xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1, 3] scope(cta) : memref<8x16x2x22xf32> into memref<8x2xf32>
    gpu.return
  }

  // The other two axes, kept with size 1: neighbouring threads compute different results, more than there are
  // threads, and exchange nothing. The order of the axes does not matter.
  // CHECK-LABEL: gpu.func @the_other_two
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.store %{{.+}}, %{{.+}}[%[[Z:.+]], %{{.+}}, %[[Z]], %{{.+}}] : memref<1x16x1x22xf32>
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @the_other_two(%A: memref<8x16x2x22xf32>, %B: memref<1x16x1x22xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [2, 0] scope(cta)
      : memref<8x16x2x22xf32> into memref<1x16x1x22xf32>
    gpu.return
  }

  // A reduction over all axes gives one result, which four warps share.
  // CHECK-LABEL: gpu.func @all_four
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-COUNT-1: vector.load %{{.+}}, vector<4xf32>
  // CHECK-COUNT-3: arith.addf
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|addf}}
  // CHECK:         memref.store %{{.+}}, %{{.+}}[] : memref<f32>
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @all_four(%A: memref<8x16x2x22xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0, 1, 2, 3] scope(cta) : memref<8x16x2x22xf32> into memref<f32>
    gpu.return
  }

  // A reduction without axes is a copy: one load and one store for each element.
  // CHECK-LABEL: gpu.func @none
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.load
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|memref.load}}
  // CHECK:         memref.store
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|memref.load}}
  gpu.func @none(%A: memref<8x16xf32>, %B: memref<8x16xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [] scope(cta) : memref<8x16xf32> into memref<8x16xf32>
    gpu.return
  }
}
