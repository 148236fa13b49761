// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// The loops that each step makes: bounds checks, full tiles and remainders, loop bounds.

// Without bound loops, one thread executes all loops. The parallel loops are outside, and the inner loop
// carries the accumulator.
// CHECK-LABEL: gpu.func @serial_0
// CHECK-SAME:  known_block_size = array<i32: 1, 1, 1>
// CHECK:       scf.for %[[ROW:.+]] = %{{.+}} to %{{.+}} step
// CHECK:         %[[SUM:.+]] = scf.for %[[K:.+]] = {{.+}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (f32)
// CHECK:           memref.load %{{.+}}[%[[ROW]], %[[K]]]
// CHECK:         memref.store %{{.+}}, %{{.+}}[%[[ROW]]]
// CHECK-NOT:   scf.if
// COUNT: @serial_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT: @serial gpu.launch_func = 1, cf.assert = 1
func.func @serial(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = []} : memref<?x?xf32> into memref<?xf32>
  return
}

// A reduced dimension split by 16: full tiles come first, without bounds checks, then at most one partial
// tile, whose inner loop ends early.
// CHECK-LABEL: gpu.func @peeled_0
// CHECK:       %[[FULL:.+]] = arith.divui %[[M:.+]], %c16
// CHECK:       scf.for %{{.+}} = %c0 to %[[FULL]]
// CHECK:         scf.for %{{.+}} = %c0 to %c16
// CHECK:       %[[MORE:.+]] = arith.cmpi ult, %[[FULL]], %
// CHECK:       scf.if %[[MORE]]
// CHECK:         arith.subi %[[M]]
// CHECK:         scf.for
// COUNT: @peeled_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 3, scf.if = 1
// COUNT: @peeled gpu.launch_func = 1
func.func @peeled(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.split<"d0" by 16>]} : memref<?xf32> into memref<f32>
  return
}

// A multiple of the factor needs no bounds check.
// CHECK-LABEL: gpu.func @even_0
// CHECK-NOT:   scf.if
// CHECK-NOT:   arith.cmpi
// CHECK:       gpu.return
// COUNT: @even_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT: @even gpu.launch_func = 1
func.func @even(%A: memref<64x128xf32>, %B: memref<64xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>,
    #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]} : memref<64x128xf32> into memref<64xf32>
  return
}

// Rows bound to threads have a bounds check for the partial last block.
// CHECK-LABEL: gpu.func @bound_0
// CHECK-SAME:  known_block_size = array<i32: 32, 1, 1>
// CHECK-DAG:   %[[BLOCKS:.+]] = arith.ceildivui %[[N:.+]], %c32
// CHECK-DAG:   %[[T:.+]] = gpu.thread_id x
// CHECK-DAG:   %[[B:.+]] = gpu.block_id x
// CHECK:       scf.for %[[I:.+]] = %[[B]] to %[[BLOCKS]] step %grid_dim_x
// CHECK:         %[[AT:.+]] = arith.muli %[[I]], %c32
// CHECK:         %[[ROW:.+]] = arith.addi %[[AT]], %[[T]]
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW]], %[[N]]
// CHECK:         scf.if %[[INSIDE]]
// CHECK:           memref.store %{{.+}}, %{{.+}}[%[[ROW]]]
// COUNT: @bound_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT: @bound gpu.launch_func = 1, cf.assert = 1
func.func @bound(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d0" by 32>,
    #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// The rows of one thread are a loop whose end is clamped to the number of rows.
// CHECK-LABEL: gpu.func @rows_of_one_thread_0
// CHECK:       %[[ENOUGH:.+]] = arith.cmpi ult, %[[LEFT:.+]], %c4
// CHECK:       %[[END:.+]] = arith.select %[[ENOUGH]], %[[LEFT]], %c4
// CHECK:       scf.for %{{.+}} = %c0 to %[[END]]
// CHECK-NOT:   scf.if
// COUNT: @rows_of_one_thread_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 3
// COUNT: @rows_of_one_thread gpu.launch_func = 1, cf.assert = 1
func.func @rows_of_one_thread(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d0" by 4>, #tile.bind<"d0.o" to block_x>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// A fused loop: the index of each member is a quotient or remainder, computed once outside the reduced
// loop.
// CHECK-LABEL: gpu.func @fused_0
// CHECK:       scf.for
// CHECK:         arith.remui
// CHECK:         arith.divui
// CHECK:         scf.for
// CHECK-NOT:     arith.divui
// CHECK:       gpu.return
// COUNT: @fused_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT: @fused gpu.launch_func = 1, cf.assert = 2
func.func @fused(%A: memref<?x?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [2] scope(grid) {schedule = [#tile.fuse<["d0", "d1"] to "p">, #tile.bind<"p" to block_x>]}
    : memref<?x?x?xf32> into memref<?x?xf32>
  return
}

// An unrolled loop: no loop remains.
// CHECK-LABEL: gpu.func @unrolled_0
// CHECK-COUNT-5: memref.load
// CHECK-NOT:     memref.load
// CHECK:         gpu.return
// COUNT: @unrolled_0 barriers = 0, shuffles = 0, loads = 5, stores = 1, scf.for = 1
// COUNT: @unrolled gpu.launch_func = 1, cf.assert = 1
func.func @unrolled(%A: memref<?x5xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_x>, #tile.unroll<"d1">]}
    : memref<?x5xf32> into memref<?xf32>
  return
}

// A vectorized loop loads four elements at once if vectors are aligned to 16 bytes, which pointer,
// offset and strides determine. It has four accumulators, combined at the end. The partial tile uses
// scalar loads, each with a bounds check. For unaligned memory, everything uses scalar loads, with less
// code.
// CHECK-LABEL: gpu.func @vectorized_0
// CHECK:         memref.extract_strided_metadata
// CHECK:         memref.extract_aligned_pointer_as_index
// CHECK:         %[[ALIGNED:.+]] = arith.andi
// CHECK:         scf.if %[[ALIGNED]] -> (f32, f32, f32, f32) {
// CHECK:           scf.for
// CHECK-COUNT-1:     vector.load {{.+}} {alignment = 16 : i64} : memref<?x?xf32>, vector<4xf32>
// CHECK-NOT:         memref.load
// CHECK:             scf.yield
// CHECK:           scf.if {{.+}} -> (f32, f32, f32, f32)
// CHECK-COUNT-4:     memref.load
// CHECK-NOT:     vector.load
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-COUNT-4:     memref.load
// CHECK-NOT:     memref.load
// CHECK:         gpu.return
// COUNT: @vectorized_0 barriers = 0, shuffles = 0, loads = 9, vector loads = 1, stores = 1, scf.for = 3, scf.if = 18
// COUNT: @vectorized gpu.launch_func = 1, cf.assert = 1
func.func @vectorized(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_x>,
    #tile.split<"d1" by 4>, #tile.vectorize<"d1.i">]} : memref<?x?xf32> into memref<?xf32>
  return
}

// Four adjacent columns per thread, inside the reduced loop: one load, four accumulators, four
// stores.
// CHECK-LABEL: gpu.func @columns_side_by_side_0
// CHECK:         scf.for {{.+}} -> (f32, f32, f32, f32)
// CHECK-COUNT-1:   vector.load
// CHECK:           scf.yield
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.return
// COUNT: @columns_side_by_side_0 barriers = 0, shuffles = 0, loads = 5, vector loads = 1, stores = 4, scf.for = 2
// COUNT: @columns_side_by_side_0 scf.if = 1
// COUNT: @columns_side_by_side gpu.launch_func = 1
func.func @columns_side_by_side(%A: memref<?x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.split<"d1" by 4>, #tile.bind<"d1.o" to thread_x>,
    #tile.reorder<"d0", "d1.i">, #tile.vectorize<"d1.i">]} : memref<?x128xf32> into memref<128xf32>
  return
}

// An i1 is a bit in a vector and a byte in memory, so such elements use scalar loads.
// CHECK-LABEL: gpu.func @bits_side_by_side_0
// CHECK-NOT:     vector.load
// CHECK-COUNT-4: memref.load %{{.+}} : memref<64x4xi1>
// CHECK-NOT:     memref.load
// CHECK:         gpu.return
// COUNT: @bits_side_by_side_0 barriers = 0, shuffles = 0, loads = 4, stores = 1
// COUNT: @bits_side_by_side gpu.launch_func = 1
func.func @bits_side_by_side(%A: memref<64x4xi1>, %B: memref<64xi1>) {
  tile.reduce xor %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_x>, #tile.vectorize<"d1">]}
    : memref<64x4xi1> into memref<64xi1>
  return
}

// Elements that are not contiguous use scalar loads.
// CHECK-LABEL: gpu.func @no_neighbours_0
// CHECK-NOT:     vector.load
// CHECK-COUNT-4: memref.load
// CHECK:         gpu.return
// COUNT: @no_neighbours_0 barriers = 0, shuffles = 0, loads = 4, stores = 1
// COUNT: @no_neighbours gpu.launch_func = 1
func.func @no_neighbours(%A: memref<64x4xf32, strided<[8, 2]>>, %B: memref<64xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_x>, #tile.vectorize<"d1">]}
    : memref<64x4xf32, strided<[8, 2]>> into memref<64xf32>
  return
}

// With `stream`, loads of the matrix are evict-first; loads of the vector, which each row reads, are not.
// CHECK-LABEL: gpu.func @streamed_0
// CHECK-SAME:    (%[[A:.+]]: memref<?x64xf32>, %[[X:.+]]: memref<64xf32>
// CHECK:         vector.load %[[A]][{{.+}}] {{.*}}nontemporal = true
// CHECK-NOT:     %[[X]][{{.+}}nontemporal
// CHECK:         gpu.return
// COUNT: @streamed_0 tile.all_reduce = 1, scf.for = 1, scf.if = 3, memref.load = 8, vector.load = 2, memref.store = 1
// COUNT: @streamed gpu.launch_func = 1, cf.assert = 1
func.func @streamed(%A: memref<?x64xf32>, %X: memref<64xf32>, %Y: memref<?xf32>) {
  tile.reduce sum %A, %X into %Y axes [1] scope(grid)
    {maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
     schedule = [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 4>,
                 #tile.bind<"d1.o" to thread_x>, #tile.vectorize<"d1.i">, #tile.stream]}
    element { ^bb0(%a: f32, %x: f32, %m: index, %k: index):
      %p = arith.mulf %a, %x : f32
      tile.yield %p : f32
    } : memref<?x64xf32>, memref<64xf32> into memref<?xf32>
  return
}
