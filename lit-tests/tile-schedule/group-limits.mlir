// RUN: tx-opt %s --lower-reduction=chip=sm_90 --split-input-file --verify-diagnostics

// A handwritten group must not exceed the limits of the chip: threads per block …
func.func @threads(%A: memref<64x40xf32>, %m: memref<64xf32>, %s: memref<64xf32>) {
  // expected-error @below {{a block of 40x64x1 has 2560 threads, expected at most 1024}}
  tile.reduce max %A into %m axes [1] scope(grid) {tile.group = 0 : i64, schedule = [#tile.bind<"p0" to thread_y>,
    #tile.bind<"r0" to thread_x>, #tile.hold<"in0" in registers>]} : memref<64x40xf32> into memref<64xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) {tile.group = 0 : i64} : memref<64x40xf32> into memref<64xf32>
  return
}

// -----

// … blocks per cluster …
func.func @blocks(%A: memref<8x40xf32>, %m: memref<8xf32>, %s: memref<8xf32>) {
  // expected-error @below {{`d1.o` has 20 iterations, but cluster_x takes at most 16}}
  // expected-note @below {{split the loop, and bind only one of the two loops}}
  tile.reduce max %A into %m axes [1] scope(grid) {tile.group = 0 : i64, schedule = [#tile.bind<"p0" to block_x>,
    #tile.split<"r0" by 2>, #tile.bind<"r0.o" to cluster_x>, #tile.bind<"r0.i" to thread_x>,
    #tile.hold<"in0" in registers>]} : memref<8x40xf32> into memref<8xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// … and registers per thread.
func.func @registers(%A: memref<8x4096xf32>, %m: memref<8xf32>, %s: memref<8xf32>) {
  // expected-error @below {{a thread has 128 elements of a row, expected at most 64 in registers}}
  // expected-note @below {{unroll the loop, bind more threads to the row, or use `reload` in `#tile.hold`}}
  tile.reduce max %A into %m axes [1] scope(grid) {tile.group = 0 : i64, schedule = [#tile.bind<"p0" to block_x>,
    #tile.split<"r0" by 2>, #tile.split<"r0.o" by 32>, #tile.unroll<"r0.o.o">, #tile.bind<"r0.o.i" to thread_x>,
    #tile.vectorize<"r0.i">, #tile.hold<"in0" in registers>]} : memref<8x4096xf32> into memref<8xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x4096xf32> into memref<8xf32>
  return
}
