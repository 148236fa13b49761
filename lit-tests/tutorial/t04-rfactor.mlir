// RUN(PARTIALS): tx-opt %s --tile-schedule=until=partials
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

// It is a rewriting of the program, before there are kernels. The option `until=partials` stops there:
//
// SHOW: PARTIALS func.func @rows(
//
// Partial sums are a temporary array, with the sixteen first. That there are as many results as rows is asserted in front.
// PARTIALS-LABEL: func.func @rows(
// PARTIALS-SAME:  %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[B:[a-z0-9]+]]: memref<?xf32>)
// PARTIALS:       cf.assert
// PARTIALS:       %[[N:.+]] = memref.dim %[[A]], %c0
// PARTIALS:       %[[RF:.+]] = memref.alloc(%[[N]]) : memref<16x?xf32>
//
// One reduction has become two. In the first, `partials` says which loop keeps its results apart; the
// second is an ordinary sum, over axis 0 of the temporary.
// PARTIALS:       tile.reduce sum %[[A]] into %[[RF]] axes [1] scope(grid) {partials = ["d1.i"], schedule = [#tile.split<"d1" by 16>]}
// PARTIALS:       tile.reduce sum %[[RF]] into %[[B]] axes [0] scope(grid)
// PARTIALS-NOT:   tile.reduce
// PARTIALS:       memref.dealloc %[[RF]]
//
// Each reduction becomes a kernel. The first one fills the temporary; its loop over the groups of
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
// Sixteen is a fixed number, so nothing is left over, and nothing is asked in its loop. Of the second
// reduction the schedule said nothing: the compiler took one of its own, and wrote it on the kernel.
// KERNELS-LABEL: gpu.func @rows_1(
// KERNELS-SAME:  %[[RF:[a-z0-9]+]]: memref<16x?xf32>, %[[B:[a-z0-9]+]]: memref<?xf32>)
// KERNELS-SAME:  schedule = [
// KERNELS:       scf.for %[[PART:.+]] = %c0 to %c16 {{.+}} -> (f32)
// KERNELS:         memref.load %[[RF]][%[[PART]], %[[ROW:.+]]]
// KERNELS:       memref.store %{{.+}}, %[[B]][%[[ROW]]]
//
// The launches stand one after the other, so that the second kernel finds all partial sums:
//
// SHOW: RAN
// RAN:      argument 1: 3xf32
// RAN-NEXT: [20. 20. 20.]
