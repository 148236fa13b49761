// RUN: tx-opt %s --tile-schedule
// RUN(RAN): tx run %s --device cpu --arg full:1:33x20xf32 --arg zeros:33xf32
// COMPARE: @rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 2. Cut the loops
//
// The loops of a reduction are named after the dimensions: `d0` iterates over the rows, `d1` over the
// columns. `#tile.split<"d0" by 32>` cuts the first one in two, `d0.o` over groups of 32 rows and
// `d0.i` over the rows of a group. The same is done with the columns, in groups of 16: now there are
// four loops, one in the other.
//
// The catch is sizes that are no multiples of 32 and 16.

func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// The usual answer is a condition around the innermost statement, asked for every element. But all
// groups are full except perhaps the last. So the loop over groups is made twice: first for the groups
// that are full, which need no condition, and then for what is left, which is one group or none. At the
// beginning of the kernel these are counted:
//
// SHOW: CHECK arith.constant 32 : index .. scf.for
//
// How many groups there are is a division that rounds up, how many of them are full one that rounds down.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK:       %[[N:.+]] = memref.dim %{{.+}}, %c0
// CHECK:       %[[M:.+]] = memref.dim %{{.+}}, %c1
// CHECK:       %[[ROWS:.+]] = arith.ceildivui %[[N]], %c32
// CHECK:       %[[COLUMNS:.+]] = arith.ceildivui %[[M]], %c16
// CHECK:       %[[FULL_ROWS:.+]] = arith.divui %[[N]], %c32
//
// Then come the groups of 32 rows that are full:
//
// SHOW: CHECK gpu.func @rows_0 > scf.for
//
// In each of these rows the full groups of columns come first. On the way to their elements there is no
// comparison.
// CHECK:       scf.for %{{.+}} = %c0 to %[[FULL_ROWS]] step %c1 {
// CHECK-NEXT:    %{{.+}} = arith.muli
// CHECK-NEXT:    scf.for %{{.+}} = %c0 to %c32 step %c1 {
// CHECK-NOT:       arith.cmpi
// CHECK:           %[[FULL_COLUMNS:.+]] = arith.divui %[[M]], %c16
// CHECK:           %[[PART:.+]] = scf.for %{{.+}} = %c0 to %[[FULL_COLUMNS]]
// CHECK-NEXT:        %{{.+}} = arith.muli
// CHECK-NEXT:        scf.for %{{.+}} = %c0 to %c16
// CHECK-NOT:           arith.cmpi
// CHECK:               memref.load
//
// The remaining group of columns, if there is one, continues the sum. Its inner loop is as long as
// there are columns, so that no column is asked about by itself.
// CHECK:           %[[MORE:.+]] = arith.cmpi ult, %[[FULL_COLUMNS]], %[[COLUMNS]]
// CHECK:           scf.if %[[MORE]] -> (f32) {
// CHECK:             %[[LEFT:.+]] = arith.select
// CHECK:             %[[END:.+]] = arith.select %{{.+}}, %[[LEFT]], %c16
// CHECK:             scf.for %{{.+}} = %c0 to %[[END]] step %c1 iter_args(%{{.+}} = %[[PART]])
// CHECK:               memref.load
// CHECK:           memref.store
//
// Below, not shown, all of it follows once more for the remaining rows.
// CHECK:       %[[MORE_ROWS:.+]] = arith.cmpi ult, %[[FULL_ROWS]], %[[ROWS]]
// CHECK:       scf.if %[[MORE_ROWS]] {
// CHECK:         memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.return
//
// With 33 rows of 20 columns there is one full group of rows and one with a single row, and in each
// row one full group of columns and one of four:
//
// SHOW: RAN
// RAN:      argument 1: 33xf32
// RAN-NEXT: [20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20.
// RAN-NEXT:  20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20.]
