// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

gpu.module @kernels {
  // Dynamic sizes are read with `memref.dim`. A warp reduces 32 rows at a time, and its lanes exchange all
  // partial results together in 31 shuffles. The last rows, and the last elements of a row, have bounds
  // checks. The shuffles are outside the branches.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME:    (%[[A:.+]]: memref<?x?xf32>, %[[B:.+]]: memref<?xf32>)
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-DAG:     %[[ROWS:.+]] = memref.dim %[[A]], %c0
  // CHECK-DAG:     %[[LENGTH:.+]] = memref.dim %[[A]], %c1
  // CHECK:         %[[ROUNDS:.+]] = arith.ceildivui %[[ROWS]], %{{.+}}
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %[[ROUNDS]] step
  // CHECK-COUNT-32:  memref.load %[[A]]
  // CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %[[LENGTH]]
  // CHECK-NEXT:      scf.if %[[INSIDE]]
  // CHECK-COUNT-32:    memref.load %[[A]]
  // CHECK:             } else {
  // CHECK-NOT:       {{tile\.|gpu.shuffle|memref.load}}
  // CHECK-COUNT-31:  gpu.shuffle xor
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           %[[VALID:.+]] = arith.cmpi ult, %{{.+}}, %[[ROWS]]
  // CHECK-NEXT:      scf.if %[[VALID]] {
  // CHECK:             memref.store %{{.+}}, %[[B]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|memref.store}}
  // COUNT: @rows barriers = 0, shuffles = 31, loads = 64, stores = 1, scf.for = 3, scf.if = 2
  gpu.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<?x?xf32> into memref<?xf32>
    gpu.return
  }

  // With `shared`, each of four warps reduces one row at a time.
  // CHECK-LABEL: gpu.func @one_row_at_a_time
  // CHECK-SAME:    (%[[A:.+]]: memref<?x?xf32>, %[[B:.+]]: memref<?xf32>)
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-DAG:     %[[ROWS:.+]] = memref.dim %[[A]], %c0
  // CHECK-DAG:     %[[LENGTH:.+]] = memref.dim %[[A]], %c1
  // CHECK:         %[[ROUNDS:.+]] = arith.ceildivui %[[ROWS]], %{{.+}}
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %[[ROUNDS]] step
  // CHECK:           %[[VALID:.+]] = arith.cmpi ult, %{{.+}}, %[[ROWS]]
  // CHECK:           scf.if %[[VALID]] -> (f32)
  // CHECK:           } else {
  // CHECK:           }
  // CHECK-COUNT-5:   gpu.shuffle xor
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           scf.if
  // CHECK:             memref.store %{{.+}}, %[[B]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @one_row_at_a_time barriers = 0, shuffles = 5, loads = 2, stores = 1, scf.for = 3, scf.if = 3
  gpu.func @one_row_at_a_time(%A: memref<?x?xf32>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "shared"}
      : memref<?x?xf32> into memref<?xf32>
    gpu.return
  }

  // Each thread has its own column, so columns need no exchange, whatever their number.
  // CHECK-LABEL: gpu.func @columns
  // CHECK-SAME:    (%[[A:.+]]: memref<?x?xf32>, %[[B:.+]]: memref<?xf32>)
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.store %{{.+}}, %[[B]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @columns barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2, scf.if = 2
  gpu.func @columns(%A: memref<?x?xf32>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) : memref<?x?xf32> into memref<?xf32>
    gpu.return
  }

  // A maximum in which NaN wins starts from NaN; the result of no elements is still minus infinity.
  // CHECK-LABEL: gpu.func @maximum
  // CHECK-SAME:    (%[[A:.+]]: memref<4x?xf32>,
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         memref.store
  // CHECK:         gpu.return
  // COUNT: @maximum barriers = 0, shuffles = 5, loads = 2, stores = 1, scf.for = 2, scf.if = 2
  gpu.func @maximum(%A: memref<4x?xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) {nan = #tile.nan<ignore>}
      : memref<4x?xf32> into memref<4xf32>
    gpu.return
  }
}
