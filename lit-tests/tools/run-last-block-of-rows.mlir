// RUN: tx run %s --device cpu --arg full:2:48x33xi32 --arg zeros:48xi32
// SNAPSHOT: none — what is printed is checked as a whole.

// The last block of the second 32 rows, of which 16 exist, reads partial results of its own rows only: other
// blocks may still be writing those of row 0.
// CHECK:      argument 1: 48xi32
// CHECK-NEXT: [66 66 66
func.func @sums(%A: memref<48x33xi32>, %B: memref<48xi32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {acc = i64,
      schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_y>, #tile.split<"d0.i" by 16>, #tile.bind<"d0.i.i" to thread_y>,
        #tile.split<"d1" by 1024>, #tile.split<"d1.i" by 64>, #tile.rfactor<"d1.i.o">, #tile.bind<"d1.i.o" to block_x>, #tile.last_block,
        #tile.split<"d1.i.i" by 16>, #tile.bind<"d1.i.i.i" to thread_x>, #tile.unroll<"d1.i.i.o">, #tile.reorder<"d1.i.i.o", "d0.i.o">,
        #tile.unroll<"d0.i.o">]} : memref<48x33xi32> into memref<48xi32>
  return
}
