// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Partial results of blocks are combined in the same launch (last-block reduction).

// Sixteen blocks store one sum each. Each block's first thread increments the counter between two fences. A
// barrier tells all threads whether the block is last; the last block adds the sums and resets the counter.
// CHECK-LABEL: gpu.func @full_sum_0(
// CHECK-SAME:    %{{.+}}: memref<?xf32>, %[[PARTS:.+]]: memref<16xf32>, %[[COUNTERS:.+]]: memref<1xi64>, %[[OUT:.+]]: memref<f32>)
// CHECK:         tile.all_reduce
// CHECK:         memref.store %{{.+}}, %[[PARTS]][%block_id_x]
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[MINE:.+]] = scf.if %{{.+}} -> (i32) {
// CHECK-NEXT:      llvm.fence syncscope("device") acq_rel
// CHECK:           %[[BEFORE:.+]] = memref.atomic_rmw addi %{{.+}}, %[[COUNTERS]][%c0]
// CHECK:           arith.cmpi eq, %[[BEFORE]]
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        llvm.fence syncscope("device") acq_rel
// CHECK:             memref.atomic_rmw assign %c0_i64{{.*}}, %[[COUNTERS]][%c0]
// CHECK:         %[[ANY:.+]] = nvvm.barrier #nvvm.reduction<or> %[[MINE]] -> i32
// CHECK:         %[[LAST:.+]] = arith.cmpi ne, %[[ANY]]
// CHECK-NEXT:    scf.if %[[LAST]] {
// CHECK:           memref.load %[[PARTS]]
// CHECK:           tile.all_reduce sum %{{.+}} scope(cta) width 256
// CHECK:           memref.store %{{.+}}, %[[OUT]][]
// CHECK-LABEL: func.func @full_sum(
// CHECK:         memref.alloc() {tile.cleared} : memref<1xi64>
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// COUNT: @full_sum_0 tile.all_reduce = 2, scf.for = 1, scf.if = 22, memref.load = 12, memref.store = 2
// COUNT: @full_sum_0 memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 1
// COUNT: @full_sum gpu.launch_func = 1, memref.alloc = 2
func.func @full_sum(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d0" by 16384>, #tile.split<"d0.i" by 1024>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_x>,
                 #tile.split<"d0.i.i" by 256>, #tile.bind<"d0.i.i.i" to thread_x>, #tile.unroll<"d0.i.i.o">, #tile.last_block]}
    : memref<?xf32> into memref<f32>
  return
}

// Blocks along y share columns, with one counter for each block along x. Several threads of a block have
// results, so a barrier precedes the count. Threads that shared a column share its partial results. There is
// at least one block, which stores no partial results if there are no rows.
// CHECK-LABEL: gpu.func @columns_0(
// CHECK-SAME:    %{{.+}}: memref<?x100xf32>, %[[PARTS:.+]]: memref<?x100xf32>, %[[COUNTERS:.+]]: memref<2xi64>, %{{.+}}: memref<100xf32>)
// CHECK:         %[[TURNS:.+]] = arith.maxui %[[COUNT:.+]], %c1
// CHECK:         scf.for %[[I:.+]] = %block_id_y to %[[TURNS]] step %grid_dim_y {
// CHECK:           %[[THERE:.+]] = arith.cmpi ult, %[[I]], %[[COUNT]]
// CHECK:           scf.if %[[THERE]] {
// CHECK:           gpu.barrier
// CHECK:           memref.atomic_rmw addi %{{.+}}, %[[COUNTERS]][%block_id_x]
// CHECK:           nvvm.barrier #nvvm.reduction<or>
// CHECK:           vector.load %[[PARTS]]
// CHECK-COUNT-2:   tile.all_reduce max %{{.+}} scope(cta) width 8 stride 32
// CHECK-LABEL: func.func @columns(
// CHECK:         arith.maxui
// COUNT: @columns_0 tile.all_reduce = 4, scf.for = 6, scf.if = 48, memref.load = 4, vector.load = 9, memref.store = 4
// COUNT: @columns_0 memref.atomic_rmw = 2, gpu.barrier = 1, nvvm.barrier = 1, llvm.fence = 2
// COUNT: @columns gpu.launch_func = 1, memref.alloc = 2
func.func @columns(%A: memref<?x100xf32>, %B: memref<100xf32>) {
  tile.reduce max %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d1" by 2>, #tile.split<"d1.o" by 32>, #tile.bind<"d1.o.o" to block_x>, #tile.bind<"d1.o.i" to thread_x>,
                 #tile.split<"d0" by 256>, #tile.rfactor<"d0.o">, #tile.bind<"d0.o" to block_y>, #tile.split<"d0.i" by 8>,
                 #tile.bind<"d0.i.i" to thread_y>, #tile.reorder<"d0.i.o", "d1.i">, #tile.vectorize<"d1.i">, #tile.last_block]}
    : memref<?x100xf32> into memref<100xf32>
  return
}

// Pairs, several rows per block, groups of 20 threads, and dynamic sizes: one counter for every four rows.
// CHECK-LABEL: gpu.func @rows_of_pairs_0(
// CHECK:         memref.atomic_rmw addi %{{.+}}, %{{.+}}[%{{.+}}] : (i64, memref<?xi64>) -> i64
// CHECK-LABEL: func.func @rows_of_pairs(
// CHECK:         memref.alloc(%{{.+}}) {tile.cleared} : memref<?xi64>
// COUNT: @rows_of_pairs_0 tile.all_reduce = 2, scf.for = 4, scf.if = 17, memref.load = 9, memref.store = 4
// COUNT: @rows_of_pairs_0 memref.atomic_rmw = 2, gpu.barrier = 1, nvvm.barrier = 1, llvm.fence = 2, arith.select = 14
// COUNT: @rows_of_pairs gpu.launch_func = 1, memref.alloc = 3, cf.assert = 2
func.func @rows_of_pairs(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi64>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 4>, #tile.bind<"d0.i" to thread_y>, #tile.bind<"d0.o" to block_x>, #tile.split<"d1" by 1000>,
                 #tile.rfactor<"d1.o">, #tile.bind<"d1.o" to block_y>, #tile.split<"d1.i" by 20>, #tile.bind<"d1.i.i" to thread_x>,
                 #tile.last_block]}
    : memref<?x?xf32> into memref<?xf32>, memref<?xi64>
  return
}

// Two loops have separate partial results, on two grid dimensions, and threads of two dimensions combine. Old
// values and the epilogue are applied last, once.
// CHECK-LABEL: gpu.func @two_loops_0(
// CHECK:         nvvm.barrier #nvvm.reduction<or>
// CHECK:         tile.all_reduce sum %{{.+}} scope(cta) width 64
// CHECK:         arith.mulf
// CHECK:         memref.store
// COUNT: @two_loops_0 tile.all_reduce = 2, scf.for = 1, scf.if = 14, memref.load = 6, memref.store = 2
// COUNT: @two_loops_0 memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2
// COUNT: @two_loops gpu.launch_func = 1, memref.alloc = 2
func.func @two_loops(%A: memref<40x90xf16>, %B: memref<f16>) {
  tile.reduce sum %A into %B axes [0, 1] scope(grid) accumulate
    {schedule = [#tile.split<"d0" by 8>, #tile.split<"d1" by 32>, #tile.rfactor<"d0.o">, #tile.rfactor<"d1.o">,
                 #tile.bind<"d0.o" to block_x>, #tile.bind<"d1.o" to block_y>, #tile.split<"d1.i" by 8>,
                 #tile.bind<"d1.i.i" to thread_x>, #tile.bind<"d0.i" to thread_y>, #tile.last_block]} epilogue {
  ^bb0(%r: f32):
    %half = arith.constant 0.5 : f32
    %p = arith.mulf %r, %half : f32
    %q = arith.truncf %p : f32 to f16
    tile.yield %q : f16
  } : memref<40x90xf16> into memref<f16>
  return
}

// One thread per column: without an exchange, each thread adds the partial results of its own column.
// CHECK-LABEL: gpu.func @thread_for_each_column_0(
// CHECK:         nvvm.barrier #nvvm.reduction<or>
// CHECK-NOT:     tile.all_reduce
// CHECK:         gpu.return
// COUNT: @thread_for_each_column_0 barriers = 2, shuffles = 0, fences = 2, atomics = 2, loads = 6, stores = 2
// COUNT: @thread_for_each_column_0 scf.for = 1, scf.if = 3
// COUNT: @thread_for_each_column gpu.launch_func = 1, memref.alloc = 2
func.func @thread_for_each_column(%A: memref<70x33xi32>, %B: memref<33xi32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.bind<"d1" to thread_x>, #tile.split<"d0" by 16>, #tile.rfactor<"d0.o">, #tile.bind<"d0.o" to block_x>,
                 #tile.last_block]} : memref<70x33xi32> into memref<33xi32>
  return
}

// One of several kernels for rows of dynamic length.
// CHECK-LABEL: gpu.func @cases_1(
// CHECK:         nvvm.barrier #nvvm.reduction<or>
// CHECK-LABEL: func.func @cases(
// CHECK-COUNT-2: gpu.launch_func
// COUNT: @cases_0 tile.all_reduce = 1, scf.if = 3, memref.load = 1, memref.store = 1, arith.select = 1
// COUNT: @cases_1 tile.all_reduce = 2, scf.for = 2, scf.if = 16, memref.load = 9, memref.store = 2
// COUNT: @cases_1 memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 2
// COUNT: @cases gpu.launch_func = 2, memref.alloc = 2
func.func @cases(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.case<"d0" to 64, [#tile.split<"d0" by 64>, #tile.bind<"d0.i" to thread_x>]>,
                 #tile.otherwise<[#tile.split<"d0" by 128>, #tile.rfactor<"d0.o">, #tile.bind<"d0.o" to block_x>,
                                  #tile.bind<"d0.i" to thread_x>, #tile.last_block]>]}
    : memref<?xf32> into memref<f32>
  return
}

// Reductions of at least half a gibibyte use 16384 blocks like this; here six blocks, so that it can run.
// CHECK-LABEL: gpu.func @vast_0(
// CHECK-SAME:    nvvm.minctasm = 3 : i32
// CHECK:         nvvm.barrier #nvvm.reduction<or>
// CHECK-LABEL: func.func @vast(
// CHECK-COUNT-1: gpu.launch_func
// COUNT: @vast_0 tile.all_reduce = 2, scf.for = 3, scf.if = 44, memref.load = 10, vector.load = 8, memref.store = 2
// COUNT: @vast_0 memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 5
// COUNT: @vast gpu.launch_func = 1, memref.alloc = 2
func.func @vast(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.align<"d0" to 4>, #tile.split<"d0.o" by 12288>, #tile.split<"d0.o.i" by 2048>,
                 #tile.rfactor<"d0.o.i.o">, #tile.bind<"d0.o.i.o" to block_x>, #tile.last_block,
                 #tile.split<"d0.o.i.i" by 512>, #tile.bind<"d0.o.i.i.i" to thread_x>, #tile.unroll<"d0.o.i.i.o">,
                 #tile.vectorize<"d0.i">, #tile.stream, #tile.resident<1536>]}
    : memref<?xf32> into memref<f32>
  return
}
