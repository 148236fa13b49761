// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Reduced loops bound to threads and blocks: which threads combine, and which one stores.

// Sixteen threads share a row. All threads of the warp execute the `tile.all_reduce`, those without a row
// with the identity. The first of the sixteen stores.
// CHECK-LABEL: gpu.func @sixteen_share_a_row_0
// CHECK-SAME:  known_block_size = array<i32: 16, 32, 1>
// CHECK:       %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW:.+]], %[[N:.+]] : index
// CHECK:       %[[PART:.+]] = scf.if %[[INSIDE]] -> (f32)
// CHECK:       } else {
// CHECK:       %[[SUM:.+]] = tile.all_reduce sum %[[PART]] scope(warp) width 16 stride 1
// CHECK:       %[[FIRST:.+]] = arith.cmpi eq, %thread_id_x, %c0
// CHECK:       %[[STORES:.+]] = arith.andi %[[INSIDE]], %[[FIRST]]
// CHECK:       scf.if %[[STORES]]
// CHECK-COUNT-1: memref.store
// CHECK-NOT:     memref.store
// CHECK:       gpu.return
// COUNT: @sixteen_share_a_row_0 tile.all_reduce = 1, scf.for = 2, scf.if = 4, memref.load = 2, memref.store = 1
// COUNT: @sixteen_share_a_row_0 arith.select = 1
// COUNT: @sixteen_share_a_row gpu.launch_func = 1, cf.assert = 1
func.func @sixteen_share_a_row(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>,
    #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.bind<"d1.i" to thread_x>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// Threads along y share a column: threads of a group are one warp apart.
// CHECK-LABEL: gpu.func @along_y_0
// CHECK:       tile.all_reduce sum %{{.+}} scope(cta) width 8 stride 32
// CHECK:       arith.cmpi eq, %thread_id_y, %c0
// COUNT: @along_y_0 tile.all_reduce = 1, scf.for = 2, scf.if = 4, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @along_y gpu.launch_func = 1, cf.assert = 1
func.func @along_y(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.split<"d1" by 32>, #tile.split<"d0" by 8>,
    #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.bind<"d0.i" to thread_y>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// Two reduced loops bound to x and y form one group. Bound to x and z, with rows along y, they are combined
// in two steps.
// CHECK-LABEL: gpu.func @along_x_and_y_0
// CHECK-COUNT-1: tile.all_reduce sum %{{.+}} scope(warp) width 32 stride 1
// CHECK-NOT:     tile.all_reduce
// CHECK-LABEL: gpu.func @along_x_and_z_0
// CHECK:       tile.all_reduce sum %{{.+}} scope(warp) width 4 stride 1
// CHECK:       tile.all_reduce sum %{{.+}} scope(cta) width 8 stride 16
// COUNT: @along_x_and_y_0 tile.all_reduce = 1, scf.for = 1, scf.if = 1, memref.load = 1, memref.store = 1
// COUNT: @along_x_and_y gpu.launch_func = 1, cf.assert = 1
func.func @along_x_and_y(%A: memref<?x8x4xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid) {schedule = [#tile.bind<"d0" to block_x>,
    #tile.bind<"d1" to thread_y>, #tile.bind<"d2" to thread_x>]} : memref<?x8x4xf32> into memref<?xf32>
  return
}
// COUNT: @along_x_and_z_0 tile.all_reduce = 2, scf.if = 1, memref.load = 1, memref.store = 1
// COUNT: @along_x_and_z gpu.launch_func = 1
func.func @along_x_and_z(%A: memref<4x8x4xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid) {schedule = [#tile.bind<"d0" to thread_y>,
    #tile.bind<"d1" to thread_z>, #tile.bind<"d2" to thread_x>]} : memref<4x8x4xf32> into memref<4xf32>
  return
}

// A pair is exchanged by one op.
// CHECK-LABEL: gpu.func @pairs_0
// CHECK:       tile.all_reduce argmax %{{.+}}, %{{.+}} scope(warp) width 32 stride 1
// CHECK-SAME:    : f32, i32 -> f32, i32
// COUNT: @pairs_0 tile.all_reduce = 1, scf.for = 2, scf.if = 3, memref.load = 2, memref.store = 2, arith.select = 6
// COUNT: @pairs gpu.launch_func = 1, cf.assert = 3
func.func @pairs(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_x>,
    #tile.split<"d1" by 32>, #tile.bind<"d1.i" to thread_x>]} : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
  return
}

// With `determinism = any`, blocks may add to one result by atomics. A separate kernel first stores the
// initial value: -0.0, which leaves every sum unchanged, or +0.0 for empty rows.
// CHECK-LABEL: gpu.func @atomics_0
// CHECK-DAG:   %[[NEUTRAL:.+]] = arith.constant -0.0
// CHECK-DAG:   %[[EMPTY:.+]] = arith.cmpi eq
// CHECK:       %[[START:.+]] = arith.select %[[EMPTY]], %{{.+}}, %[[NEUTRAL]]
// CHECK:       memref.store %[[START]]
// CHECK-LABEL: gpu.func @atomics_1
// CHECK:       memref.atomic_rmw addf
// CHECK-NOT:   memref.store
// CHECK:       gpu.return
// COUNT: @atomics_0 barriers = 0, shuffles = 0, loads = 0, stores = 1, scf.for = 1, scf.if = 1
// COUNT: @atomics_1 tile.all_reduce = 1, scf.for = 3, scf.if = 2, memref.load = 1, memref.atomic_rmw = 1
// COUNT: @atomics gpu.launch_func = 2, cf.assert = 1
func.func @atomics(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<any>, schedule = [
    #tile.bind<"d0" to block_x>, #tile.split<"d1" by 1024>, #tile.bind<"d1.o" to block_y>, #tile.split<"d1.i" by 128>,
    #tile.bind<"d1.i.i" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// With `accumulate`, the atomics start from the old values.
// CHECK-LABEL: gpu.func @atomics_onto_old_values_0
// CHECK:       memref.atomic_rmw addf
// CHECK-NOT:   gpu.func @atomics_onto_old_values_1
// COUNT: @atomics_onto_old_values_0 barriers = 0, shuffles = 0, atomics = 1, loads = 1, stores = 0, scf.for = 1
// COUNT: @atomics_onto_old_values gpu.launch_func = 1
func.func @atomics_onto_old_values(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) accumulate {determinism = #tile.determinism<any>, schedule = [
    #tile.bind<"d0" to block_x>]} : memref<?xf32> into memref<f32>
  return
}
