// RUN: tx-opt %s --tile-schedule=until=partials
// COMPARE: @named(A: NxMxf32, B: Nxf32) B = sum(A, 1)
// COMPARE: @written_out(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 5. Read the rewritten reduction
//
// What a pass has made can be printed at any point, and says everything about itself. This is the
// same reduction as before, once with the sum by its name and once written out: `custom`, the identity,
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

// Of the first one, this is the second reduction, that of the partial sums:
//
// SHOW: CHECK func.func @named( > axes [0]
//
// Its source is the temporary, sixteen by n. It goes over the sixteen, axis 0, and gives n numbers.
// CHECK-LABEL: func.func @named(
// CHECK:       %[[RF:.+]] = memref.alloc(%{{.+}}) : memref<16x?xf32>
// CHECK:       tile.reduce sum %[[RF]] into %{{.+}} axes [0] scope(grid) {{.+}} : memref<16x?xf32> into memref<?xf32>
//
// And this is it with the sum written out:
//
// SHOW: CHECK func.func @written_out( > axes [0]
//
// Identity and combiner went along to both reductions, as partial sums are combined as elements are.
// CHECK-LABEL:   func.func @written_out(
// CHECK-COUNT-2: identity [0.000000e+00 : f32] combiner {
// CHECK:         ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32):
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT:      tile.yield %[[SUM]] : f32
//
// The second reduction's schedule is there too, to be read and edited: what is printed is a program,
// and `tx-opt` takes it.
// CHECK:         } {schedule = [{{.+}}]} : memref<16x?xf32> into memref<?xf32>
