// Grid-level splits with a last-block reduction.

func.func @sum(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d0" by 192>, #tile.split<"d0.i" by 64>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_x>,
                 #tile.bind<"d0.i.i" to thread_x>, #tile.last_block]} : memref<?xf32> into memref<f32>
  return
}

func.func @columns(%A: memref<?x40xi32>, %B: memref<40xi32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 2>,
                 #tile.rfactor<"d0.o">, #tile.bind<"d0.o" to block_y>, #tile.bind<"d0.i" to thread_y>,
                 #tile.last_block]} : memref<?x40xi32> into memref<40xi32>
  return
}
