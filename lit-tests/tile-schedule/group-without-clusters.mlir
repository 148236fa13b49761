// RUN: not tx-opt %s --lower-reduction=chip=sm_86 --split-input-file 2>&1
// SNAPSHOT: none — the diagnostic is checked.

// A chip without clusters rejects a group whose schedule binds a cluster. Chosen schedules of such a chip have no cluster.
// CHECK:     group-without-clusters.mlir:[[# @LINE + 3]]:3: error: sm_86 has no clusters, expected sm_90 or later
// CHECK-NOT: error:
func.func @blocks(%A: memref<8x40xf32>, %m: memref<8xf32>, %s: memref<8xf32>) {
  tile.reduce max %A into %m axes [1] scope(grid) {tile.group = 0 : i64, schedule = [#tile.bind<"p0" to block_x>,
    #tile.split<"r0" by 20>, #tile.bind<"r0.o" to cluster_x>, #tile.bind<"r0.i" to thread_x>,
    #tile.hold<"in0" in registers>]} : memref<8x40xf32> into memref<8xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// The same for a cluster of one block, and without a group.
// CHECK:     group-without-clusters.mlir:[[# @LINE + 3]]:3: error: sm_86 has no clusters, expected sm_90 or later
// CHECK-NOT: error:
func.func @cluster_of_one(%A: memref<3x7xf32>, %B: memref<3xf32>) {
  tile.reduce max %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d1" by 8>, #tile.bind<"d1.o" to cluster_x>,
                   #tile.bind<"d1.i" to thread_x>]} : memref<3x7xf32> into memref<3xf32>
  return
}
