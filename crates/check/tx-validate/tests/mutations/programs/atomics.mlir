// Atomic updates: blocks that add to one result in any order, and threads that count elements.
func.func @sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<any>, schedule = [
    #tile.bind<"d0" to block_x>, #tile.split<"d1" by 64>, #tile.bind<"d1.o" to block_y>, #tile.bind<"d1.i" to thread_x>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}
gpu.module @counting {
  gpu.func @count(%A: memref<64xf32>, %N: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1_i32 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %positive = arith.cmpf ogt, %x, %zero : f32
    scf.if %positive {
      %old = memref.atomic_rmw addi %c1_i32, %N[] : (i32, memref<i32>) -> i32
    }
    gpu.return
  }
}
