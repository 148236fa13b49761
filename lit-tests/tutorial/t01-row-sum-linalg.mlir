// RUN(TILE): tx-opt %s --convert-linalg-to-tile
// RUN: tx-opt %s --convert-linalg-to-tile --tile-schedule
// COMPARE: @rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)
// COMPARE: @by_name(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// ## The same in `linalg`
//
// Programs in MLIR's `linalg` dialect need no `tile` ops. A `linalg.generic` says which loops are
// there, which of them is a reduction, and what happens in the innermost one. It adds to what its output
// holds, so that a `linalg.fill` comes first. For sums there is `linalg.reduce` as well.

#cell = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%B : memref<?xf32>)
  linalg.generic {indexing_maps = [#cell, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) attrs = {schedule = []} {
  ^bb0(%x: f32, %sum: f32):
    %next = arith.addf %sum, %x : f32
    linalg.yield %next : f32
  }
  return
}

func.func @by_name(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%B : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>)
    dimensions = [1] {schedule = []}
  return
}

// The pass `convert-linalg-to-tile` recognises both:
//
// SHOW: TILE func.func @rows(
//
// It is the reduction of above, with the schedule that stood on the loops. The fill is removed: a
// sum begins with its identity anyway.
// TILE-LABEL: func.func @rows(
// TILE-NOT:   linalg
// TILE:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) {schedule = []}
// TILE-LABEL: func.func @by_name(
// TILE-NOT:   linalg
// TILE:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) {schedule = []}
//
// So the kernel is that of above, too. `tx run`, `tx compile` and `lower-reduction` do all of this by
// themselves.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK-SAME:  %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[B:[a-z0-9]+]]: memref<?xf32>)
// CHECK-SAME:  known_block_size = array<i32: 1, 1, 1>
// CHECK:       %[[N:.+]] = memref.dim %[[A]], %c0
// CHECK:       %[[M:.+]] = memref.dim %[[A]], %c1
// CHECK:       scf.for %[[I:.+]] = %c0 to %[[N]] step %c1 {
// CHECK:         %[[ZERO:.+]] = arith.constant -0.000000e+00 : f32
// CHECK:         %[[SUM:.+]] = scf.for %[[K:.+]] = %c0 to %[[M]] step %c1 iter_args(%[[ACC:.+]] = %[[ZERO]]) -> (f32) {
// CHECK:           %[[X:.+]] = memref.load %[[A]][%[[I]], %[[K]]]
// CHECK:           %[[NEXT:.+]] = arith.addf %[[ACC]], %[[X]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         %[[NONE:.+]] = arith.cmpi eq, %[[M]], %c0
// CHECK:         %[[RESULT:.+]] = arith.select %[[NONE]], %{{.+}}, %[[SUM]]
// CHECK:         memref.store %[[RESULT]], %[[B]][%[[I]]]
// CHECK-NOT:     memref.store
// CHECK:         gpu.return
