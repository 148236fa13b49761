// RUN: tx-opt %s --tile-schedule=until=choice

// Without a schedule one is chosen from what is known of the sizes and strides, and written on the op
// as the attribute that could also have been written by hand.

// Rows of unknown length: a warp for each, eight rows a block. Elements of a row are neighbours in
// memory, and so are the lanes that take them.
// CHECK-LABEL: func.func @rows(
// CHECK: schedule = [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 32>, #tile.bind<"d1.i" to thread_x>]
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}

// Long rows are worth a block each.
// CHECK-LABEL: func.func @long_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d1" by 256>, #tile.bind<"d1.i" to thread_x>]
func.func @long_rows(%A: memref<?x5000xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x5000xf32> into memref<?xf32>
  return
}

// Short rows are one thread's each: there is nothing to share.
// CHECK-LABEL: func.func @short_rows(
// CHECK: schedule = [#tile.split<"d0" by 256>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]
func.func @short_rows(%A: memref<?x7xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x7xf32> into memref<?xf32>
  return
}

// Columns: neighbouring lanes take neighbouring columns, and eight threads share one.
// CHECK-LABEL: func.func @columns(
// CHECK: schedule = [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 8>, #tile.bind<"d0.i" to thread_y>]
func.func @columns(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}

// The same memory seen transposed: what counts is which elements are neighbours, not how dimensions
// are numbered.
// CHECK-LABEL: func.func @rows_of_the_transposed(
// CHECK: schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>, #tile.split<"d1" by 8>, #tile.bind<"d1.i" to thread_y>]
func.func @rows_of_the_transposed(%A: memref<?x?xf32, strided<[1, ?]>>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32, strided<[1, ?]>> into memref<?xf32>
  return
}

// Everything into one number: always the same number of blocks leave partial results, so that the
// same elements are combined in the same order on every run.
// CHECK-LABEL: func.func @everything(
// CHECK: schedule = [#tile.split<"d0" by 65536>, #tile.split<"d0.i" by 256>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_x>, #tile.bind<"d0.i.i" to thread_x>]
func.func @everything(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?xf32> into memref<f32>
  return
}

// Few long rows are cut over blocks, too.
// CHECK-LABEL: func.func @few_very_long_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_y>, #tile.split<"d1" by 65536>, #tile.split<"d1.i" by 256>, #tile.rfactor<"d1.i.o">,
func.func @few_very_long_rows(%A: memref<4x1000000xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<4x1000000xf32> into memref<4xf32>
  return
}

// But not where a row's bits must not depend on how many rows there are: the number of rows plays no
// part then.
// CHECK-LABEL: func.func @batch_invariant_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d1" by 256>, #tile.bind<"d1.i" to thread_x>]
func.func @batch_invariant_rows(%A: memref<4x1000000xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    : memref<4x1000000xf32> into memref<4xf32>
  return
}

// Nor do strides, which may follow from that number: one column is cut as a thousand are.
// CHECK-LABEL: func.func @batch_invariant_column(
// CHECK: schedule = [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 8>, #tile.bind<"d0.i" to thread_y>]
// CHECK-LABEL: func.func @batch_invariant_columns(
// CHECK: schedule = [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 8>, #tile.bind<"d0.i" to thread_y>]
func.func @batch_invariant_column(%A: memref<1000x1xf32>, %B: memref<1xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    : memref<1000x1xf32> into memref<1xf32>
  return
}
func.func @batch_invariant_columns(%A: memref<1000x1000xf32>, %B: memref<1000xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    : memref<1000x1000xf32> into memref<1000xf32>
  return
}

// Several kept dimensions become one loop; the one along which elements are neighbours runs fastest.
// CHECK-LABEL: func.func @middle_axis(
// CHECK: schedule = [#tile.fuse<["d0", "d2"] to "p">, #tile.split<"p" by 32>,
func.func @middle_axis(%A: memref<?x?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?x?xf32> into memref<?x?xf32>
  return
}

// Element-wise work: a thread for each element that is written.
// CHECK-LABEL: func.func @each_element(
// CHECK: schedule = [#tile.fuse<["d0", "d1"] to "p">, #tile.split<"p" by 256>, #tile.bind<"p.o" to block_x>, #tile.bind<"p.i" to thread_x>]
func.func @each_element(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  linalg.map { math.absf } ins(%A : memref<?x?xf32>) outs(%B : memref<?x?xf32>)
  return
}

// A single element needs no loop, and the schedule has no step.
// CHECK-LABEL: func.func @one_element(
// CHECK: schedule = []
func.func @one_element(%A: memref<f32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [] scope(grid) : memref<f32> into memref<f32>
  return
}

// A schedule that is written stays.
// CHECK-LABEL: func.func @written(
// CHECK: schedule = [#tile.split<"d1" by 5>]
func.func @written(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 5>]} : memref<?x?xf32> into memref<?xf32>
  return
}
