// RUN: tx-opt %s --tile-schedule=chip=sm_90
// SNAPSHOT: none — what counts is the scope of exchanges

// The blocks of a cluster use the cluster exchange, even if their threads in total are at most one warp.

// CHECK-LABEL: gpu.func @one_thread_0(
// CHECK:         tile.all_reduce min %{{.+}} scope(cluster) width 2 stride 1
func.func @one_thread(%A: memref<3x2xf32>, %B: memref<3xf32>) {
  tile.reduce min %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d1" by 1>, #tile.bind<"d1.o" to cluster_x>,
                   #tile.bind<"d1.i" to thread_x>]} : memref<3x2xf32> into memref<3xf32>
  return
}

// CHECK-LABEL: gpu.func @less_than_a_warp_0(
// CHECK:         tile.all_reduce sum %{{.+}} scope(cluster) width 8 stride 1
func.func @less_than_a_warp(%A: memref<5x100xf32>, %B: memref<5xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d1" by 50>, #tile.bind<"d1.o" to cluster_x>,
                   #tile.split<"d1.i" by 4>, #tile.bind<"d1.i.i" to thread_x>]} : memref<5x100xf32> into memref<5xf32>
  return
}

// CHECK-LABEL: gpu.func @several_rows_0(
// CHECK-COUNT-2: tile.all_reduce max
func.func @several_rows(%A: memref<5x100xf32>, %B: memref<5xf32>) {
  tile.reduce max %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d0" by 3>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
                   #tile.split<"d1" by 25>, #tile.bind<"d1.o" to cluster_x>, #tile.split<"d1.i" by 8>,
                   #tile.bind<"d1.i.i" to thread_x>]} : memref<5x100xf32> into memref<5xf32>
  return
}
