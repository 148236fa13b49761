// RUN(KERNELS): tx-opt %s --tile-schedule
// SNAPSHOT(KERNELS): none — CHECK and COUNT state what each kernel holds

// Partial results in global memory divide a reduction into two.

// The sixteen partial sums of each row are the first dimension of a temporary, which the second reduction
// reduces.
// KERNELS-LABEL: gpu.func @sixteen_partial_sums_0(
// KERNELS-SAME:    %{{.+}}: memref<?x?xf32>, %[[RF:.+]]: memref<16x?xf32>)
// KERNELS:       memref.store %{{.+}}, %[[RF]][%{{.+}}, %{{.+}}]
// KERNELS-LABEL: gpu.func @sixteen_partial_sums_1(
// KERNELS-SAME:    %[[RF:.+]]: memref<16x?xf32>, %{{.+}}: memref<?xf32>)
// KERNELS:       memref.load %[[RF]]
// COUNT(KERNELS): @sixteen_partial_sums_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 3, scf.if = 2
// COUNT(KERNELS): @sixteen_partial_sums_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT(KERNELS): @sixteen_partial_sums gpu.launch_func = 2, memref.alloc = 1, cf.assert = 1
func.func @sixteen_partial_sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 16>, #tile.rfactor<"d1.i">]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// Partial results have the accumulator type. They are converted once, at the end.
// COUNT(KERNELS): @half_precision_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT(KERNELS): @half_precision_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT(KERNELS): @half_precision gpu.launch_func = 2, memref.alloc = 1
func.func @half_precision(%A: memref<1000xf16>, %B: memref<f16>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.split<"d0" by 8>, #tile.rfactor<"d0.i">]}
    : memref<1000xf16> into memref<f16>
  return
}

// Pairs have a temporary for each value, and the second reduction reads both: value and index.
// COUNT(KERNELS): @pairs_0 barriers = 0, shuffles = 0, loads = 1, stores = 2, scf.for = 2
// COUNT(KERNELS): @pairs_1 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 1
// COUNT(KERNELS): @pairs gpu.launch_func = 2, memref.alloc = 2
func.func @pairs(%A: memref<1000xf32>, %V: memref<f32>, %I: memref<i64>) {
  tile.reduce argmax %A into %V, %I axes [0] scope(grid) {schedule = [#tile.split<"d0" by 8>, #tile.rfactor<"d0.i">]}
    : memref<1000xf32> into memref<f32>, memref<i64>
  return
}

// Old values and the epilogue belong to the second reduction. Without elements, the first one then stores a
// neutral value.
// COUNT(KERNELS): @with_old_values_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 3
// COUNT(KERNELS): @with_old_values_1 tile.all_reduce = 1, scf.for = 2, scf.if = 35, memref.load = 34
// COUNT(KERNELS): @with_old_values_1 memref.store = 1
// COUNT(KERNELS): @with_old_values gpu.launch_func = 2, memref.alloc = 1, cf.assert = 2
func.func @with_old_values(%A: memref<?x?xf32>, %B: memref<?xf32>, %S: memref<?xf32>) {
  tile.reduce sum %A into %B with %S axes [1] scope(grid) accumulate
    {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
     schedule = [#tile.split<"d1" by 1024>, #tile.rfactor<"d1.o">, #tile.bind<"d1.o" to block_y>]} epilogue {
  ^bb0(%r: f32, %s: f32, %i: index):
    %p = arith.mulf %r, %s : f32
    tile.yield %p : f32
  } : memref<?x?xf32> into memref<?xf32> with memref<?xf32>
  return
}

// Old values wider than partial results are combined in their own type, without rounding to the type of the
// partial results.
// KERNELS-LABEL: gpu.func @wide_old_values_1(
// KERNELS:       arith.addf %{{.+}}, %{{.+}} : f64
// KERNELS-NOT:   arith.truncf
// KERNELS:       gpu.return
// COUNT(KERNELS): @wide_old_values_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT(KERNELS): @wide_old_values_1 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 1
// COUNT(KERNELS): @wide_old_values gpu.launch_func = 2, memref.alloc = 1
func.func @wide_old_values(%A: memref<1000xf32>, %B: memref<f64>) {
  tile.reduce sum %A into %B axes [0] scope(grid) accumulate
    {schedule = [#tile.split<"d0" by 8>, #tile.rfactor<"d0.i">]} : memref<1000xf32> into memref<f64>
  return
}

// Both reductions have the combiner region.
// COUNT(KERNELS): @custom_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT(KERNELS): @custom_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT(KERNELS): @custom gpu.launch_func = 2, memref.alloc = 1
func.func @custom(%A: memref<1000xf32>, %B: memref<f32>) {
  tile.reduce custom %A into %B axes [0] scope(grid) identity [1.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %p = arith.mulf %l, %r : f32
    tile.yield %p : f32
  } {schedule = [#tile.split<"d0" by 8>, #tile.rfactor<"d0.i">]} : memref<1000xf32> into memref<f32>
  return
}

// Only the `rfactor` loop moves outside the combining loops: the four columns of a thread stay inside, and
// are one load.
// KERNELS-LABEL: gpu.func @columns_side_by_side_0(
// KERNELS:       scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (f32, f32, f32, f32)
// KERNELS-COUNT-8: vector.load {{.+}} vector<4xf32>
// KERNELS-COUNT-32: arith.addf
// COUNT(KERNELS): @columns_side_by_side_0 barriers = 0, shuffles = 0, loads = 20, vector loads = 16, stores = 4
// COUNT(KERNELS): @columns_side_by_side_0 scf.for = 3, scf.if = 47
// COUNT(KERNELS): @columns_side_by_side_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT(KERNELS): @columns_side_by_side gpu.launch_func = 2, memref.alloc = 1
func.func @columns_side_by_side(%A: memref<?x64xf32>, %B: memref<64xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d1" by 4>, #tile.bind<"d1.o" to thread_x>, #tile.split<"d0" by 128>, #tile.split<"d0.i" by 8>,
                 #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_y>, #tile.unroll<"d0.i.i">,
                 #tile.reorder<"d0.o", "d0.i.i", "d1.i">, #tile.vectorize<"d1.i">]}
    : memref<?x64xf32> into memref<64xf32>
  return
}
