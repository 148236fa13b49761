// RUN: tx-opt %s --tile-schedule
// RUN(RAN): tx run %s --entry blocks --device cpu --arg full:1:5x6xf32 --arg full:2:3x3xf32 --arg zeros:3x4xf32
// COMPARE: @loops(A: NxNxf32, K: 3x3xf32, B: N-2xN-2xf32) B = sum(windows(A, [3, 3]) * K, [2, 3])
// SIZES: N = 128 3 4 33 2
// COMPARE: @blocks(A: NxNxf32, K: 3x3xf32, B: N-2xN-2xf32) B = sum(windows(A, [3, 3]) * K, [2, 3])
// SIZES: N = 128 3 4 33 2

// # 8. A convolution is a sum over two axes
//
// Each pixel of the result is the sum of a 3x3 window of the image, weighted by a filter. That is a
// reduction over four dimensions: `i` and `j` iterate over the pixels, `di` and `dj` over the window, and the
// last two are reduced. Two things are new. `maps` says which element of each array an iteration
// is about: here image[i + di, j + dj], filter[di, dj] and result[i, j]. And `element` computes
// what is added up.
//
// The result is smaller than the image, by two rows and two columns. Its size is what `i` and `j` go by.

#window = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#weight = affine_map<(i, j, di, dj) -> (di, dj)>
#pixel = affine_map<(i, j, di, dj) -> (i, j)>

func.func @loops(%image: memref<?x?xf32>, %filter: memref<3x3xf32>, %result: memref<?x?xf32>) {
  tile.reduce sum %image, %filter into %result axes [2, 3] scope(grid)
    {maps = [#window, #weight, #pixel], schedule = []} element {
  ^bb0(%x: f32, %w: f32, %i: index, %j: index, %di: index, %dj: index):
    %product = arith.mulf %x, %w : f32
    tile.yield %product : f32
  } : memref<?x?xf32>, memref<3x3xf32> into memref<?x?xf32>
  return
}

// Without a schedule that binds anything there are four loops, the inner two of three iterations each:
//
// SHOW: CHECK gpu.func @loops_0 > scf.for
//
// Both inner loops carry the sum, and a pixel is stored once.
// CHECK-LABEL: gpu.func @loops_0(
// CHECK-SAME:  %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[K:[a-z0-9]+]]: memref<3x3xf32>, %[[B:[a-z0-9]+]]: memref<?x?xf32>)
// CHECK-DAG:   %[[ROWS:.+]] = memref.dim %[[B]], %c0
// CHECK-DAG:   %[[COLUMNS:.+]] = memref.dim %[[B]], %c1
// CHECK:       scf.for %[[I:.+]] = %c0 to %[[ROWS]]
// CHECK:         scf.for %[[J:.+]] = %c0 to %[[COLUMNS]]
// CHECK:           scf.for %[[DI:.+]] = %c0 to %c3
// CHECK:             scf.for %[[DJ:.+]] = %c0 to %c3
//
// The image is read at a sum of two indices. That stays inside of it, because the result is smaller.
// CHECK:               %[[Y:.+]] = arith.addi %[[I]], %[[DI]]
// CHECK:               %[[X:.+]] = arith.addi %[[J]], %[[DJ]]
// CHECK:               memref.load %[[A]][%[[Y]], %[[X]]]
// CHECK:               memref.load %[[K]][%[[DI]], %[[DJ]]]
// CHECK:               arith.mulf
// CHECK:               arith.addf
// CHECK:           memref.store %{{.+}}, %[[B]][%[[I]], %[[J]]]
//
// On a GPU one would give each block a tile of pixels, each thread a pixel, and write the nine products
// out. This is a matter of the schedule alone:

func.func @blocks(%image: memref<?x?xf32>, %filter: memref<3x3xf32>, %result: memref<?x?xf32>) {
  tile.reduce sum %image, %filter into %result axes [2, 3] scope(grid)
    {maps = [#window, #weight, #pixel],
     schedule = [#tile.split<"d0" by 8>, #tile.split<"d1" by 32>,
                 #tile.bind<"d0.o" to block_y>, #tile.bind<"d1.o" to block_x>,
                 #tile.bind<"d0.i" to thread_y>, #tile.bind<"d1.i" to thread_x>,
                 #tile.unroll<"d2">, #tile.unroll<"d3">]} element {
  ^bb0(%x: f32, %w: f32, %i: index, %j: index, %di: index, %dj: index):
    %product = arith.mulf %x, %w : f32
    tile.yield %product : f32
  } : memref<?x?xf32>, memref<3x3xf32> into memref<?x?xf32>
  return
}

// Nine products of a pixel, one condition, and no loop around them but those for grids that are too
// large.
// CHECK-LABEL:   gpu.func @blocks_0(
// CHECK-SAME:    known_block_size = array<i32: 32, 8, 1>
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
// CHECK:         scf.if
// CHECK-COUNT-9: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.return
//
// An image of ones and a filter of twos give eighteen everywhere:
//
// SHOW: RAN
// RAN:      argument 2: 3x4xf32
// RAN-NEXT: {{\[\[}}18. 18. 18. 18.]
// RAN-NEXT: [18. 18. 18. 18.]
// RAN-NEXT: [18. 18. 18. 18.{{\]\]}}
