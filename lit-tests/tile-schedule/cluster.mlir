// RUN: tx-opt %s --tile-schedule=chip=sm_90
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Loops bound to the blocks of a cluster.

// Four blocks of a cluster share a sum: threads of all blocks combine, and the first thread of the first
// block stores. The grid is one cluster.
// CHECK-LABEL: gpu.func @full_sum_0(
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>
// CHECK:         %[[THREAD:.+]] = gpu.thread_id x
// CHECK:         %[[BLOCK:.+]] = gpu.cluster_block_id x
// CHECK:         tile.all_reduce sum %{{.+}} scope(cluster) width 256 stride 1
// CHECK:         %[[FIRST_THREAD:.+]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK:         %[[FIRST_BLOCK:.+]] = arith.cmpi eq, %[[BLOCK]], %c0
// CHECK:         %[[STORES:.+]] = arith.andi %[[FIRST_THREAD]], %[[FIRST_BLOCK]]
// CHECK:         scf.if %[[STORES]]
// CHECK-LABEL: func.func @full_sum(
// CHECK:         gpu.launch_func @full_sum_kernels::@full_sum_0 clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1)
// COUNT: @full_sum_0 tile.all_reduce = 1, scf.for = 1, scf.if = 10, memref.load = 8, memref.store = 1
// COUNT: @full_sum_0 arith.select = 1
// COUNT: @full_sum gpu.launch_func = 1
func.func @full_sum(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d0" by 1024>, #tile.split<"d0.i" by 256>, #tile.bind<"d0.i.o" to cluster_x>,
                 #tile.split<"d0.i.i" by 64>, #tile.unroll<"d0.i.i.o">, #tile.bind<"d0.i.i.i" to thread_x>]}
    : memref<?xf32> into memref<f32>
  return
}

// A cluster for each row: loops bound to blocks count clusters, and the grid has three times as many blocks
// as rows, within the grid limit.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK-SAME:    known_cluster_size = array<i32: 3, 1, 1>
// CHECK:         %[[CLUSTER:.+]] = gpu.cluster_id x
// CHECK:         %[[CLUSTERS:.+]] = gpu.cluster_dim x
// CHECK:         scf.for %{{.+}} = %[[CLUSTER]] to %{{.+}} step %[[CLUSTERS]] {
// CHECK:           tile.all_reduce max %{{.+}} scope(cluster) width 60 stride 1
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[ROWS:.+]] = memref.dim %{{.+}}, %c0
// CHECK:         %[[MOST:.+]] = arith.minui %[[ROWS]], %c715827882
// CHECK:         %[[BLOCKS:.+]] = arith.muli %[[MOST]], %c3
// CHECK:         gpu.launch_func {{.+}} clusters in (%c3, %c1, %c1) blocks in (%[[BLOCKS]], %c1, %c1)
// COUNT: @rows_0 tile.all_reduce = 1, scf.for = 2, scf.if = 3, memref.load = 2, memref.store = 1
// COUNT: @rows gpu.launch_func = 1, cf.assert = 1
func.func @rows(%A: memref<?x?xf16>, %B: memref<?xf16>) {
  tile.reduce max %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d1" by 60>, #tile.split<"d1.i" by 20>, #tile.bind<"d0" to block_x>, #tile.bind<"d1.i.o" to cluster_x>,
                 #tile.bind<"d1.i.i" to thread_x>]}
    : memref<?x?xf16> into memref<?xf16>
  return
}

// Blocks along y share columns: each thread exchanges values with the threads of equal number in other
// blocks, after the threads of its own block have combined.
// CHECK-LABEL: gpu.func @columns_0(
// CHECK-SAME:    known_block_size = array<i32: 32, 4, 1>, known_cluster_size = array<i32: 1, 8, 1>
// CHECK:         tile.all_reduce xor %{{.+}} scope(cluster) width 32 stride 32
// COUNT: @columns_0 tile.all_reduce = 1, scf.for = 1, scf.if = 7, memref.load = 4, memref.store = 1
// COUNT: @columns gpu.launch_func = 1
func.func @columns(%A: memref<?x100xi32>, %B: memref<100xi32>) {
  tile.reduce xor %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 64>,
                 #tile.split<"d0.i" by 8>, #tile.bind<"d0.i.o" to cluster_y>, #tile.split<"d0.i.i" by 4>,
                 #tile.bind<"d0.i.i.i" to thread_y>, #tile.unroll<"d0.i.i.o">]}
    : memref<?x100xi32> into memref<100xi32>
  return
}

// Rows bound to the blocks of a cluster are not combined.
// CHECK-LABEL: gpu.func @side_by_side_0(
// CHECK-SAME:    known_cluster_size = array<i32: 2, 1, 1>
// CHECK-NOT:     scope(cluster)
// CHECK:         tile.all_reduce sum %{{.+}} scope(warp) width 32 stride 1
// CHECK-NOT:     scope(cluster)
// COUNT: @side_by_side_0 tile.all_reduce = 1, scf.for = 1, scf.if = 2, memref.load = 2, memref.store = 1
// COUNT: @side_by_side gpu.launch_func = 1
func.func @side_by_side(%A: memref<6x100xf32>, %B: memref<6xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 2>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to cluster_x>, #tile.split<"d1" by 32>,
                 #tile.bind<"d1.i" to thread_x>]}
    : memref<6x100xf32> into memref<6xf32>
  return
}
