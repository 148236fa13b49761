// RUN: tx-opt %s --tile-schedule
// RUN(RAN): tx run %s --device cpu --arg full:1:3x20xf32 --arg zeros:3xf32
// COMPARE: @rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 1. Rows and columns as loops
//
// A reduction combines the elements of an array along some of its axes. The sum of each row is one
// along axis 1, and `tile.reduce` says just that: the kind, the source, the destination, the axes.
// `scope(grid)` says who does it: everyone, so that it stands in an ordinary function and its arrays
// are in global memory. The sizes of the matrix, n rows of m columns, are `?`, known when it runs.
//
// With an empty schedule nothing is cut and nothing runs at once.

func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = []} : memref<?x?xf32> into memref<?xf32>
  return
}

// The pass `tile-schedule` makes a kernel of the reduction, and a launch of that kernel in its place.
// One thread iterates over the rows, and in each row over the columns:
//
// SHOW: CHECK gpu.func @rows_0
//
// `%arg0` is the matrix, `%arg1` the result, `%dim` the number of rows and `%dim_0` that of columns.
// There is one block of one thread.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK-SAME:  %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[B:[a-z0-9]+]]: memref<?xf32>)
// CHECK-SAME:  known_block_size = array<i32: 1, 1, 1>
//
// The sum begins with the identity, outside of the loop over columns: what changes no number when it
// is added. That is -0, not 0, which would turn a row of -0 into 0.
// CHECK:       %[[N:.+]] = memref.dim %[[A]], %c0
// CHECK:       %[[M:.+]] = memref.dim %[[A]], %c1
// CHECK:       scf.for %[[I:.+]] = %c0 to %[[N]] step %c1 {
// CHECK:         %[[ZERO:.+]] = arith.constant -0.000000e+00 : f32
//
// The partial sum is a value that goes from iteration to iteration, and never is in memory.
// CHECK:         %[[SUM:.+]] = scf.for %[[K:.+]] = %c0 to %[[M]] step %c1 iter_args(%[[ACC:.+]] = %[[ZERO]]) -> (f32) {
// CHECK:           %[[X:.+]] = memref.load %[[A]][%[[I]], %[[K]]]
// CHECK:           %[[NEXT:.+]] = arith.addf %[[ACC]], %[[X]]
// CHECK:           scf.yield %[[NEXT]]
//
// Each row is stored once. A row of no columns is 0.
// CHECK:         %[[NONE:.+]] = arith.cmpi eq, %[[M]], %c0
// CHECK:         %[[RESULT:.+]] = arith.select %[[NONE]], %{{.+}}, %[[SUM]]
// CHECK:         memref.store %[[RESULT]], %[[B]][%[[I]]]
// CHECK-NOT:     memref.store
// CHECK:         gpu.return
//
// To run it, say what the arguments are. Without a GPU the kernel runs on the CPU, thread by thread:
//
// SHOW: RAN
// RAN:      argument 1: 3xf32
// RAN-NEXT: [20. 20. 20.]
