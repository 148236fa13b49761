// RUN: tx-opt %s --tile-schedule
// RUN(LOWERED): tx-opt %s --lower-reduction
// RUN(RAN): tx run %s --entry across_threads --device cpu --arg rand:3x20xf32:1 --arg zeros:3xf32 --arg zeros:3xi32
// COMPARE: @argmax(A: NxMxf32 of special, V: Nxf32, I: Nxi32) V = argmax(A, 1, value); I = argmax(A, 1)
// COMPARE: @argmax(A: NxMxf32, V: Nxf32, I: Nxi32) V = max(A, 1); I = argmax(A, 1)
// COMPARE: @across_threads(A: NxMxf32 of special, V: Nxf32, I: Nxi32) V = argmax(A, 1, value); I = argmax(A, 1)
// COMPARE: @written_out(A: NxMxf32 of ties, V: Nxf32, I: Nxi32) V = max(A, 1); I = argmax(A, 1)
// SIZES: NxM = 128x128 127x1003 1x1 7x20 33x1 1x4099 0x7

// # 10. Two results at once
//
// Where is the largest element of each row? An index alone cannot be combined with another one: one has
// to know the values as well. So this reduction is of pairs, a value and its index. It has two
// destinations, which are computed together.

func.func @argmax(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid) {schedule = []}
    : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
  return
}

// As loops:
//
// SHOW: CHECK gpu.func @argmax_0 > scf.for
//
// A pair is two values that the loop hands on. It begins with minus infinity, not with the least finite
// number, so that a row of nothing but minus infinities has an index too.
// CHECK-LABEL: gpu.func @argmax_0(
// CHECK:         %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[PAIR:.+]]:2 = scf.for {{.+}} iter_args(%[[V:.+]] = %[[LEAST]], %[[I:.+]] = %{{.+}}) -> (f32, i32)
//
// A larger value wins, or NaN, so that it is not lost. The first of equal values that a thread meets stays, which
// has the lower index; between threads the indices are compared.
// CHECK:           %[[X:.+]] = memref.load
// CHECK:           %[[K:.+]] = arith.index_cast
// CHECK:           arith.cmpf ugt, %[[X]], %[[V]]
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.select %[[WINS:.+]], %[[X]], %[[V]]
// CHECK:           arith.select %[[WINS]], %[[K]], %[[I]]
//
// Both results are stored.
// CHECK:         memref.store %{{.+}}, %[[VALUES:[a-z0-9]+]][%[[ROW:.+]]] {{.*}} : memref<?xf32>
// CHECK-NEXT:    memref.store %{{.+}}, %{{.+}}[%[[ROW]]] {{.*}} : memref<?xi32>
//
// With the schedule of step 6 pairs go from thread to thread:

func.func @across_threads(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>, #tile.rfactor<"d1.i">,
                 #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
                 #tile.bind<"d1.i" to thread_x>]}
    : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
  return
}

// This line of its kernel exchanges the pairs:
//
// SHOW: CHECK gpu.func @across_threads_0 > tile.all_reduce
//
// Each thread gives a pair and gets the best one of sixteen.
// CHECK-LABEL: gpu.func @across_threads_0(
// CHECK:       tile.all_reduce argmax %{{.+}}, %{{.+}} scope(warp) width 16 stride 1 {{.+}} : f32, i32 -> f32, i32
//
// Below it, four exchanges of two values each.
// LOWERED-LABEL:   gpu.func @across_threads_0(
// LOWERED-COUNT-8: gpu.shuffle xor
// LOWERED-NOT:     gpu.shuffle
// LOWERED:         gpu.return
//
// Three rows of random numbers:
//
// SHOW: RAN
// RAN:      argument 1: 3xf32
// RAN-NEXT: [0.9710027
// RAN-NEXT: argument 2: 3xi32
//
// Such a reduction can be written by hand. The source is one matrix, while a pair has two parts, so
// `element` makes pairs: of an element and the indices of the loops, the element and its column. The
// combiner takes four values, a pair on the left and a pair on the right, and gives one pair. It keeps
// the left one unless the right one is better, and says which is better when values are equal; without
// that the result would depend on the order.

func.func @written_out(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  tile.reduce custom %A into %V, %I axes [1] scope(grid) {schedule = []}
    identity [0xFF800000 : f32, 2147483647 : i32] combiner {
  ^bb0(%lv: f32, %li: i32, %rv: f32, %ri: i32):
    %more = arith.cmpf ogt, %rv, %lv : f32
    %same = arith.cmpf oeq, %rv, %lv : f32
    %before = arith.cmpi slt, %ri, %li : i32
    %tie = arith.andi %same, %before : i1
    %better = arith.ori %more, %tie : i1
    %v = arith.select %better, %rv, %lv : f32
    %i = arith.select %better, %ri, %li : i32
    tile.yield %v, %i : f32, i32
  } element {
  ^bb0(%a: f32, %row: index, %column: index):
    %k = arith.index_cast %column : index to i32
    tile.yield %a, %k : f32, i32
  } : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
  return
}

// It becomes:
//
// SHOW: CHECK gpu.func @written_out_0 > scf.for
//
// The combiner stands in the loop as it was written.
// CHECK-LABEL: gpu.func @written_out_0(
// CHECK:         scf.for {{.+}} -> (f32, i32)
// CHECK:           arith.cmpf ogt
// CHECK-NEXT:      arith.cmpf oeq
// CHECK-NEXT:      arith.cmpi slt
// CHECK-NEXT:      arith.andi
// CHECK-NEXT:      arith.ori
// CHECK-NEXT:      arith.select
// CHECK-NEXT:      arith.select
// CHECK-NEXT:      scf.yield
