// RUN: tx-opt %s --tile-schedule
// RUN(RIGHT): tx run %s --entry rows --device cpu --arg full:2:3x4xf32 --arg zeros:3xf32
// RUN(NONE): tx run %s --entry lengths --device cpu --arg full:2:3x0xf32 --arg zeros:3xf32
// RUN(SOME): tx run %s --entry lengths --device cpu --arg full:2:3x5xf32 --arg zeros:3xf32
// SNAPSHOT: none — how often elements are combined is what matters

// The first element of a thread is its initial partial result, and is not combined with the identity, at the
// cost of another combine. Three of four elements are combined with the previous ones.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         gpu.return
// RIGHT: [16. 16. 16.]
func.func @rows(%A: memref<?x4xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [1.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  } {schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>, #tile.unroll<"d1">]}
    : memref<?x4xf32> into memref<?xf32>
  return
}

// A possibly empty row keeps the identity, and a loop has no first element.
// NONE: [1. 1. 1.]
// SOME: [32. 32. 32.]
func.func @lengths(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [1.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  } {schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 8>,
                 #tile.split<"d1.i" by 4>, #tile.bind<"d1.i.i" to thread_x>, #tile.unroll<"d1.i.o">]}
    : memref<?x?xf32> into memref<?xf32>
  return
}
