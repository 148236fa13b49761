// Jobs of several kernels, with temporaries between them.
func.func @two_steps(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 32>, #tile.rfactor<"d1.o">,
    #tile.bind<"d0" to block_x>, #tile.bind<"d1.i" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}
func.func @centred(%A: memref<?x?xf32>, %M: memref<?xf32>, %B: memref<?xf32>) {
  tile.reduce max %A into %M axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  tile.reduce sum %A, %M into %B axes [1] scope(grid)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>]} element {
  ^bb0(%x: f32, %m: f32, %i: index, %j: index):
    %d = arith.subf %x, %m : f32
    tile.yield %d : f32
  } : memref<?x?xf32>, memref<?xf32> into memref<?xf32>
  return
}
