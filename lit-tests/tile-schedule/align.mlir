// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Rows of 1001 columns begin at all addresses modulo 16 bytes. `align` makes the vectors of `d1.i` begin at
// aligned addresses in each row. The threads of a row load its head and tail elements first, one per thread,
// and combine them last. If the array itself is unaligned, the same elements are combined in the same order,
// by scalar loads.
// CHECK-LABEL: gpu.func @rows_0
// CHECK:         %[[BEGIN:.+]] = memref.extract_aligned_pointer_as_index
// CHECK:         %[[BEYOND:.+]] = arith.remui %[[BEGIN]], %c16
// CHECK:         %[[ALIGNED:.+]] = arith.cmpi eq, %[[BEYOND]], %c0
// CHECK:         scf.if %[[ALIGNED]] -> (f32, f32, f32, f32) {
// CHECK:           %[[ROW:.+]] = arith.muli %{{.+}}, %c1001
// CHECK:           arith.remui %[[ROW]], %c4
// CHECK:           %[[EDGE:.+]] = scf.if %{{.+}} -> (f32) {
// CHECK-NEXT:        memref.load
// CHECK:           scf.for {{.+}} -> (f32, f32, f32, f32) {
// CHECK-COUNT-2:     vector.load {{.+}} {alignment = 16 : i64} : memref<?x1001xf32>, vector<4xf32>
// CHECK-NOT:         vector.load
// CHECK:             scf.yield
// CHECK:           scf.if {{.+}} -> (f32, f32, f32, f32) {
// CHECK:           arith.addf %{{.+}}, %[[EDGE]] : f32
// CHECK:         } else {
// CHECK-NOT:       vector.load
// CHECK:         tile.all_reduce
// COUNT: @rows_0 tile.all_reduce = 1, scf.for = 4, scf.if = 23, memref.load = 6, vector.load = 4, memref.store = 1
// COUNT: @rows_0 arith.select = 4
// COUNT: @rows gpu.launch_func = 1, cf.assert = 1
func.func @rows(%A: memref<?x1001xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [
    #tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
    #tile.align<"d1" to 4>, #tile.split<"d1.o" by 64>, #tile.split<"d1.o.i" by 32>, #tile.bind<"d1.o.i.i" to thread_x>,
    #tile.unroll<"d1.o.i.o">, #tile.vectorize<"d1.i">]} : memref<?x1001xf32> into memref<?xf32>
  return
}

// Rows of 1000 columns begin and end at multiples of 16 bytes: there are no head and tail elements.
// CHECK-LABEL: gpu.func @even_rows_0
// CHECK:         scf.if %{{.+}} -> (f32, f32, f32, f32) {
// CHECK-NOT:       memref.load
// CHECK:         } else {
// COUNT: @even_rows_0 tile.all_reduce = 1, scf.for = 3, scf.if = 12, memref.load = 4, vector.load = 2
// COUNT: @even_rows_0 memref.store = 1
// COUNT: @even_rows gpu.launch_func = 1, cf.assert = 1
func.func @even_rows(%A: memref<?x1000xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [
    #tile.bind<"d0" to block_x>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 32>, #tile.bind<"d1.o.i" to thread_x>,
    #tile.vectorize<"d1.i">]} : memref<?x1000xf32> into memref<?xf32>
  return
}

// A second array with the same row pitch has its vectors at the same columns.
// CHECK-LABEL: gpu.func @products_0
// CHECK:         scf.for
// CHECK-COUNT-2:   vector.load {{.+}} {alignment = 16 : i64}
// COUNT: @products_0 barriers = 0, shuffles = 0, loads = 34, vector loads = 2, stores = 1, scf.for = 3, scf.if = 25
// COUNT: @products gpu.launch_func = 1, cf.assert = 2
func.func @products(%A: memref<?x1001xf32>, %C: memref<?x1001xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A, %C into %B axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
     schedule = [#tile.bind<"d0" to block_x>, #tile.align<"d1" to 4>, #tile.vectorize<"d1.i">]}
    element {
    ^bb0(%a: f32, %c: f32, %i: index, %j: index):
      %p = arith.mulf %a, %c : f32
      tile.yield %p : f32
    } : memref<?x1001xf32>, memref<?x1001xf32> into memref<?xf32>
  return
}

// Partial results of blocks: the first block combines head and tail elements.
// CHECK-LABEL: gpu.func @one_row_0
// CHECK:         %[[BLOCK:.+]] = gpu.block_id x
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %[[BLOCK]], %c0
// CHECK:         arith.andi %[[FIRST]]
// COUNT: @one_row_0 tile.all_reduce = 1, scf.for = 2, scf.if = 17, memref.load = 6, vector.load = 2, memref.store = 1
// COUNT: @one_row_0 arith.select = 5
// COUNT: @one_row_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @one_row gpu.launch_func = 2, memref.alloc = 1
func.func @one_row(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.align<"d0" to 4>, #tile.split<"d0.o" by 1024>,
    #tile.split<"d0.o.i" by 256>, #tile.rfactor<"d0.o.i.o">, #tile.bind<"d0.o.i.o" to block_x>,
    #tile.bind<"d0.o.i.i" to thread_x>, #tile.vectorize<"d0.i">]} : memref<?xf32> into memref<f32>
  return
}
