// Grid-level ops that need several kernels, with temporaries between the kernels.
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
func.func @spread(%A: memref<?x?xi32>, %M: memref<?xi32>, %L: memref<?xi32>, %H: memref<?xi32>) {
  tile.reduce custom %A, %M into %L, %H axes [1] scope(grid)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
       schedule = [#tile.split<"d1" by 32>, #tile.rfactor<"d1.o">, #tile.bind<"d0" to block_x>, #tile.bind<"d1.i" to thread_x>]}
      identity [2147483647 : i32, -2147483648 : i32] combiner {
  ^bb0(%l0: i32, %h0: i32, %l1: i32, %h1: i32):
    %l = arith.minsi %l0, %l1 : i32
    %h = arith.maxsi %h0, %h1 : i32
    tile.yield %l, %h : i32, i32
  } element {
  ^bb0(%x: i32, %m: i32, %i: index, %j: index):
    tile.yield %x, %m : i32, i32
  } : memref<?x?xi32>, memref<?xi32> into memref<?xi32>, memref<?xi32>
  return
}
