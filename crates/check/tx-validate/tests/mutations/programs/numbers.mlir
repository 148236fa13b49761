// Signed and unsigned integers of all widths. The schedule of the 8-bit ops gives each row to a warp, so that their kernels contain `redux`.
func.func @least_bytes(%A: memref<?x300xi8>, %B: memref<?xi8>, %C: memref<?xi8>) {
  tile.reduce min %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 256>, #tile.split<"d1.i" by 32>, #tile.bind<"d1.i.i" to thread_x>, #tile.unroll<"d1.i.o">, #tile.stream]} : memref<?x300xi8> into memref<?xi8>
  tile.reduce umin %A into %C axes [1] scope(grid) {schedule = [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 256>, #tile.split<"d1.i" by 32>, #tile.bind<"d1.i.i" to thread_x>, #tile.unroll<"d1.i.o">, #tile.stream]} : memref<?x300xi8> into memref<?xi8>
  return
}
func.func @greatest(%A: memref<?x300xi32>, %B: memref<?xi32>, %C: memref<?xi32>) {
  tile.reduce max %A into %B axes [1] scope(grid) : memref<?x300xi32> into memref<?xi32>
  tile.reduce umax %A into %C axes [1] scope(grid) : memref<?x300xi32> into memref<?xi32>
  return
}
func.func @bits(%A: memref<300x?xi64>, %B: memref<?xi64>, %C: memref<?xi64>, %D: memref<?xi64>) {
  tile.reduce and %A into %B axes [0] scope(grid) accumulate : memref<300x?xi64> into memref<?xi64>
  tile.reduce or %A into %C axes [0] scope(grid) : memref<300x?xi64> into memref<?xi64>
  tile.reduce xor %A into %D axes [0] scope(grid) : memref<300x?xi64> into memref<?xi64>
  return
}
func.func @places(%A: memref<?x300xf64>, %V: memref<?xf64>, %I: memref<?xi32>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid) {nan = #tile.nan<ignore>}
    : memref<?x300xf64> into memref<?xf64>, memref<?xi32>
  return
}
gpu.module @kernels {
  // 64-bit indices, which are exchanged as two 32-bit halves.
  gpu.func @pairs(%A: memref<32xf64>, %I: memref<32xi64>, %V: memref<f64>, %J: memref<i64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xf64>
    %i = memref.load %I[%t] : memref<32xi64>
    %m, %j = tile.all_reduce argmax %x, %i scope(warp) : f64, i64 -> f64, i64
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      memref.store %m, %V[] : memref<f64>
      memref.store %j, %J[] : memref<i64>
    }
    gpu.return
  }
}
func.func @product(%A: memref<?x300xf32>, %B: memref<?xf32>) {
  tile.reduce prod %A into %B axes [1] scope(grid) accumulate : memref<?x300xf32> into memref<?xf32>
  return
}
func.func @range(%A: memref<?x300xf32>, %L: memref<?xf32>, %H: memref<?xf32>) {
  tile.reduce custom %A, %A into %L, %H axes [1] scope(grid)
      identity [0x7F800000 : f32, 0xFF800000 : f32] combiner {
  ^bb0(%l0: f32, %h0: f32, %l1: f32, %h1: f32):
    %l = arith.minimumf %l0, %l1 : f32
    %h = arith.maximumf %h0, %h1 : f32
    tile.yield %l, %h : f32, f32
  } : memref<?x300xf32>, memref<?x300xf32> into memref<?xf32>, memref<?xf32>
  return
}
