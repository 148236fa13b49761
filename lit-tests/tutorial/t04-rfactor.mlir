// RUN(KERNELS): tx-opt %s --tile-schedule
// RUN(RAN): tx run %s --device cpu --arg full:1:3x20xf32 --arg zeros:3xf32
// COMPARE: @rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 4. Keep partial results apart
//
// So far one thread adds up a row, however long the row is. The columns cannot be shared out as the
// rows were, because all of them go into one number. But a sum can be made in two stages: sixteen
// partial sums, of every sixteenth column each, and then the sum of those. `#tile.rfactor` does
// this: it makes a dimension of a reduced loop, and leaves the rest to a second reduction.

func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d1" by 16>, #tile.rfactor<"d1.i">]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// Each stage becomes a kernel. The first one fills a temporary; its loop over the groups of
// columns is inside of that over the sixteen, which is no longer reduced:
//
// SHOW: KERNELS gpu.func @rows_0 > scf.for
//
// Partial sum `d1.i` of a row goes to place [`d1.i`, row]. Only the last group of columns needs a
// condition, as before.
// KERNELS-LABEL: gpu.func @rows_0(
// KERNELS-SAME:  %{{.+}}: memref<?x?xf32>, %[[RF:[a-z0-9]+]]: memref<16x?xf32>)
// KERNELS:       scf.for %[[ROW:.+]] = %c0 to
// KERNELS:         scf.for %[[PART:.+]] = %c0 to %c16
// KERNELS:           scf.for {{.+}} -> (f32)
// KERNELS-NOT:         scf.if
// KERNELS:             memref.load
// KERNELS:           scf.if {{.+}} -> (f32)
// KERNELS:             arith.cmpi ult
// KERNELS:             scf.if {{.+}} -> (f32)
// KERNELS:               memref.load
// KERNELS:           memref.store %{{.+}}, %[[RF]][%[[PART]], %[[ROW]]]
//
// And the second one combines:
//
// SHOW: KERNELS gpu.func @rows_1
//
// Sixteen is a fixed number, so no element remains, and its loop needs no bounds check. The
// schedule has no steps for the second reduction: the compiler chose them, and wrote them on the kernel.
// KERNELS-LABEL: gpu.func @rows_1(
// KERNELS-SAME:  %[[RF:[a-z0-9]+]]: memref<16x?xf32>, %[[B:[a-z0-9]+]]: memref<?xf32>)
// KERNELS-SAME:  schedule = [
// KERNELS:       scf.for %[[PART:.+]] = %c0 to %c16 {{.+}} -> (f32)
// KERNELS:         memref.load %[[RF]][%[[PART]], %[[ROW:.+]]]
// KERNELS:       memref.store %{{.+}}, %[[B]][%[[ROW]]]
//
// The host function allocates the temporary, and launches one kernel after the other:
//
// SHOW: KERNELS func.func @rows(
//
// Partial sums are an array with the sixteen first. That there are as many results as rows is asserted in front.
// KERNELS-LABEL: func.func @rows(
// KERNELS-SAME:  %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[B:[a-z0-9]+]]: memref<?xf32>)
// KERNELS:       cf.assert
// KERNELS:       %[[N:.+]] = memref.dim %[[A]], %c0
// KERNELS:       %[[RF:.+]] = memref.alloc(%[[N]]) : memref<16x?xf32>
// KERNELS:       gpu.launch_func @rows_kernels::@rows_0
// KERNELS-SAME:    %[[A]] : memref<?x?xf32>, %[[RF]] : memref<16x?xf32>
// KERNELS:       gpu.launch_func @rows_kernels::@rows_1
// KERNELS-SAME:    %[[RF]] : memref<16x?xf32>, %[[B]] : memref<?xf32>
// KERNELS:       memref.dealloc %[[RF]]
//
// Launches of one stream run in their order, so that the second kernel finds all partial sums:
//
// SHOW: RAN
// RAN:      argument 1: 3xf32
// RAN-NEXT: [20. 20. 20.]
