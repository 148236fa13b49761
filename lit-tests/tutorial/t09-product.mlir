// RUN: tx-opt %s --tile-schedule
// RUN(ACROSS): tx-opt %s --lower-reduction
// RUN(RAN): tx run %s --entry product --device cpu --arg full:2:3x10xf32 --arg zeros:3xf32
// COMPARE: @product(A: NxMxf32 in 0.9..1.1, B: Nxf32) B = prod(A, 1)
// COMPARE: @named(A: NxMxf32 in 0.9..1.1, B: Nxf32) B = prod(A, 1)
// COMPARE: @across_threads(A: NxMxf32 in 0.9..1.1, B: Nxf32) B = prod(A, 1)

// # 9. A combiner of your own
//
// Nothing so far depended on the sum being a sum. A reduction is defined by its combiner, which makes
// one of two partial results, and an identity, which changes nothing. For a product these are `x * y`
// and 1. A combiner must permit that elements are combined in any order: it has to be
// associative and commutative.

func.func @product(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) {schedule = []} identity [1.0 : f32] combiner {
  ^bb0(%x: f32, %y: f32):
    %xy = arith.mulf %x, %y : f32
    tile.yield %xy : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// With an empty schedule again, these are the loops:
//
// SHOW: CHECK gpu.func @product_0 > scf.for
//
// They are those of step 1, with this identity in place of -0, and the combiner in place of the addition.
// CHECK-LABEL: gpu.func @product_0(
// CHECK:       scf.for
// CHECK:         %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:         scf.for {{.+}} iter_args(%[[ACC:.+]] = %[[ONE]]) -> (f32)
// CHECK:           %[[X:.+]] = memref.load
// CHECK:           arith.mulf %[[ACC]], %[[X]]
// CHECK:         memref.store
//
// Ten twos are 1024:
//
// SHOW: RAN
// RAN:      argument 1: 3xf32
// RAN-NEXT: [1024. 1024. 1024.]
//
// The product is one of the kinds with a name, `prod`, like `sum`, `max`, `min`, `and`, `or`, `xor`.
// A name is shorter, and means the same:

func.func @named(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce prod %A into %B axes [1] scope(grid) {schedule = []} : memref<?x?xf32> into memref<?xf32>
  return
}

// One and a multiplication, as above.
// CHECK-LABEL: gpu.func @named_0(
// CHECK:         %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:         scf.for {{.+}} iter_args(%[[ACC:.+]] = %[[ONE]]) -> (f32)
// CHECK:           arith.mulf %[[ACC]],
//
// And every schedule is for every combiner. This one is that of step 6:

func.func @across_threads(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>, #tile.rfactor<"d1.i">,
                 #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
                 #tile.bind<"d1.i" to thread_x>]}
    identity [1.0 : f32] combiner {
  ^bb0(%x: f32, %y: f32):
    %xy = arith.mulf %x, %y : f32
    tile.yield %xy : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// And that is what the threads do:
//
// SHOW: ACROSS gpu.func @across_threads_0 > arith.constant 1 : i32 .. arith.cmpi
//
// Four exchanges, with the combiner after each.
// ACROSS-LABEL: gpu.func @across_threads_0(
// ACROSS:       gpu.shuffle xor
// ACROSS-NEXT:  arith.mulf
// ACROSS:       gpu.shuffle xor
// ACROSS-NEXT:  arith.mulf
// ACROSS:       gpu.shuffle xor
// ACROSS-NEXT:  arith.mulf
// ACROSS:       gpu.shuffle xor
// ACROSS-NEXT:  arith.mulf
// ACROSS-NOT:   gpu.shuffle
// ACROSS:       gpu.return
