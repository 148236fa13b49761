// RUN: tx-opt %s --tile-schedule
// RUN(RAN): tx run %s --device cpu --arg full:1:33x20xf32 --arg zeros:33xf32
// COMPARE: @rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 3. Bind loops to blocks and threads
//
// Rows do not depend on each other, so they may be computed at once. `#tile.bind` gives the
// iterations of a loop to as many blocks, or threads of a block. Here each block takes a group of 32
// rows, and each of its 32 threads a row. The columns stay loops, which each thread runs for itself.

func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>,
                 #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// The two loops over rows have become the number of the block and the number of the thread:
//
// SHOW: CHECK gpu.func @rows_0
//
// The block has 32 threads.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK-SAME:  known_block_size = array<i32: 32, 1, 1>
//
// A thread's row is 32 times its block and itself. (The loop around it is for more rows than a grid
// can have blocks for; otherwise it runs once.)
// CHECK:       %[[N:.+]] = memref.dim %{{.+}}, %c0
// CHECK:       %[[GROUPS:.+]] = arith.ceildivui %[[N]], %c32
// CHECK-DAG:   %[[THREAD:.+]] = gpu.thread_id x
// CHECK-DAG:   %[[BLOCK:.+]] = gpu.block_id x
// CHECK:       scf.for %[[GROUP:.+]] = %[[BLOCK]] to %[[GROUPS]] step %grid_dim_x
// CHECK:         %[[FIRST:.+]] = arith.muli %[[GROUP]], %c32
// CHECK:         %[[ROW:.+]] = arith.addi %[[FIRST]], %[[THREAD]]
//
// In the last block there may be threads without a row. They skip all of it: one comparison a thread,
// instead of one an element.
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW]], %[[N]]
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           memref.store %{{.+}}, %{{.+}}[%[[ROW]]]
// CHECK-NOT:       memref.store
// CHECK:           gpu.return
//
// The function now contains the launch, and before it an assertion that there is a result for each row:
//
// SHOW: CHECK func.func @rows(
//
// The grid has a block for each 32 rows, rounded up, and at most as many as a GPU permits.
// CHECK-LABEL: func.func @rows(
// CHECK:       %[[N:.+]] = memref.dim %{{.+}}, %c0
// CHECK:       %[[BLOCKS:.+]] = arith.ceildivui %[[N]], %c32
// CHECK:       %[[GRID:.+]] = arith.minui %[[BLOCKS]], %c2147483647
// CHECK:       gpu.launch_func @rows_kernels::@rows_0 blocks in (%[[GRID]], %c1, %c1) threads in (%c32, %c1, %c1)
//
// Two blocks for 33 rows: in the second one 31 threads have nothing to do.
//
// SHOW: RAN
// RAN:      argument 1: 33xf32
// RAN-NEXT: [20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20.
// RAN-NEXT:  20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20.]
