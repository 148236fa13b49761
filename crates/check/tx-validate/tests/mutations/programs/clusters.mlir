// RUN: tx compile %s --chip sm_90

// Cluster reductions through distributed shared memory.

func.func @sum(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d0" by 192>, #tile.split<"d0.i" by 64>, #tile.bind<"d0.i.o" to cluster_x>,
                 #tile.bind<"d0.i.i" to thread_x>]} : memref<?xf32> into memref<f32>
  return
}

func.func @columns(%A: memref<?x20xi32>, %B: memref<20xi32>) {
  tile.reduce max %A into %B axes [0] scope(grid)
    {schedule = [#tile.bind<"d1" to thread_x>, #tile.split<"d0" by 8>, #tile.split<"d0.i" by 2>,
                 #tile.bind<"d0.i.o" to cluster_y>, #tile.bind<"d0.i.i" to thread_y>]}
    : memref<?x20xi32> into memref<20xi32>
  return
}

// Bytes are too narrow for asynchronous stores: blocks meet at the barrier of the cluster.
func.func @bytes(%A: memref<?xi8>, %B: memref<i8>) {
  tile.reduce max %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d0" by 192>, #tile.split<"d0.i" by 64>, #tile.bind<"d0.i.o" to cluster_x>,
                 #tile.bind<"d0.i.i" to thread_x>]} : memref<?xi8> into memref<i8>
  return
}

func.func @narrow_columns(%A: memref<?x20xi16>, %B: memref<20xi16>) {
  tile.reduce min %A into %B axes [0] scope(grid)
    {schedule = [#tile.bind<"d1" to thread_x>, #tile.split<"d0" by 8>, #tile.split<"d0.i" by 2>,
                 #tile.bind<"d0.i.o" to cluster_y>, #tile.bind<"d0.i.i" to thread_y>]}
    : memref<?x20xi16> into memref<20xi16>
  return
}
