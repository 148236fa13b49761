// RUN: tx-opt %s --tile-schedule
// COMPARE: @named(A: NxMxf32, B: Nxf32) B = sum(A, 1)
// COMPARE: @written_out(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 5. Read the second kernel
//
// The output of a pass can be printed at any point, and describes itself completely. This is the
// same reduction as before, once with the sum by its name and once with all its parts: `custom`, the identity,
// and the combiner, which makes one of two partial results.

func.func @named(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d1" by 16>, #tile.rfactor<"d1.i">]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

func.func @written_out(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d1" by 16>, #tile.rfactor<"d1.i">]} identity [0.0 : f32] combiner {
  ^bb0(%x: f32, %y: f32):
    %sum = arith.addf %x, %y : f32
    tile.yield %sum : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// This is the second kernel of `@named`, that of the partial sums:
//
// SHOW: CHECK gpu.func @named_1
//
// A thread has a row. It iterates over the sixteen partial sums of the row, and starts from -0.0, which changes no sum.
// CHECK-LABEL: gpu.func @named_1(
// CHECK-SAME:    %[[RF:[a-z0-9]+]]: memref<16x?xf32>, %{{.+}}: memref<?xf32>)
// CHECK:       %[[START:.+]] = arith.constant -0.000000e+00 : f32
// CHECK:       scf.for %[[PART:.+]] = %c0 to %c16 {{.+}} iter_args(%[[OLD:.+]] = %[[START]])
// CHECK:         %[[X:.+]] = memref.load %[[RF]][%[[PART]], %{{.+}}]
// CHECK:         arith.addf %[[OLD]], %[[X]] : f32
//
// And this is the kernel of the `custom` sum:
//
// SHOW: CHECK gpu.func @written_out_1
//
// The combiner stands in both kernels, as partial sums are combined as elements are. A thread starts from the identity.
// CHECK-LABEL: gpu.func @written_out_1(
// CHECK:       %[[IDENTITY:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:       arith.addf
