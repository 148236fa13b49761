// RUN: tx-opt %s --tile-schedule
// RUN(RIGHT): tx run %s --entry shared --device cpu --arg full:2:3x100xf32 --arg zeros:3xf32
// RUN(OTHER): tx run %s --entry own --device cpu --arg full:2:3x108xf32 --arg zeros:3xf32
// RUN(SUM): tx run %s --entry sum --device cpu --arg full:2:3x100xf32 --arg zeros:3xf32
// VALIDATE
// SNAPSHOT: none — who loads what is what matters

// With an expensive combiner, all threads of a row share the elements of the last vectors, if there are fewer
// vectors than threads, like head and tail elements. Each of four threads has six of 25 vectors.
// CHECK-LABEL: gpu.func @shared_0(
// CHECK:         memref.load
// CHECK-COUNT-6: vector.load
// CHECK-NOT:     vector.load
// CHECK:         gpu.return
// RIGHT: [200. 200. 200.]
func.func @shared(%A: memref<?x100xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32):
    %x = math.absf %a : f32
    %y = math.absf %b : f32
    %s = arith.addf %x, %y : f32
    tile.yield %s : f32
  } element {
  ^bb0(%a: f32, %i: index, %j: index):
    %x = math.absf %a : f32
    tile.yield %x : f32
  } {schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.align<"d1" to 4>,
                 #tile.split<"d1.o" by 24>, #tile.split<"d1.o.i" by 4>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">,
                 #tile.vectorize<"d1.i">]}
    : memref<?x100xf32> into memref<?xf32>
  return
}

// A sum takes less time than the loads: the first thread has the seventh vector alone.
// CHECK-LABEL: gpu.func @sum_0(
// CHECK-NOT:     memref.load
// CHECK-COUNT-12: vector.load
// CHECK:         memref.load
// CHECK:         gpu.return
// SUM: [200. 200. 200.]
func.func @sum(%A: memref<?x100xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.align<"d1" to 4>,
                 #tile.split<"d1.o" by 24>, #tile.split<"d1.o.i" by 4>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">,
                 #tile.vectorize<"d1.i">]}
    : memref<?x100xf32> into memref<?xf32>
  return
}

// Three of 27 vectors remain for two threads: the first thread has two of them.
// CHECK-LABEL: gpu.func @own_0(
// CHECK-COUNT-12: vector.load
// CHECK:          gpu.return
// OTHER: [216. 216. 216.]
func.func @own(%A: memref<?x108xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32):
    %x = math.absf %a : f32
    %y = math.absf %b : f32
    %s = arith.addf %x, %y : f32
    tile.yield %s : f32
  } element {
  ^bb0(%a: f32, %i: index, %j: index):
    %x = math.absf %a : f32
    tile.yield %x : f32
  } {schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.align<"d1" to 4>,
                 #tile.split<"d1.o" by 24>, #tile.split<"d1.o.i" by 2>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">,
                 #tile.vectorize<"d1.i">]}
    : memref<?x108xf32> into memref<?xf32>
  return
}
