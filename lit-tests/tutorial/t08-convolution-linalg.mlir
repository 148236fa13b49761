// RUN(TILE): tx-opt %s --convert-linalg-to-tile
// RUN: tx-opt %s --convert-linalg-to-tile --tile-schedule
// COMPARE: @loops(A: NxNxf32, K: 3x3xf32, B: N-2xN-2xf32) B = sum(windows(A, [3, 3]) * K, [2, 3])
// SIZES: N = 128 3 4 33 2
// COMPARE: @by_name(A: NxNxf32, K: 3x3xf32, B: N-2xN-2xf32) B = sum(windows(A, [3, 3]) * K, [2, 3])
// SIZES: N = 128 3 4 33 2

// ## The same in `linalg`
//
// `maps` and `element` correspond to the indexing maps and the body of a `linalg.generic`. A convolution
// also has a name.

#window = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#weight = affine_map<(i, j, di, dj) -> (di, dj)>
#pixel = affine_map<(i, j, di, dj) -> (i, j)>

func.func @loops(%image: memref<?x?xf32>, %filter: memref<3x3xf32>, %result: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%result : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#window, #weight, #pixel],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%image, %filter : memref<?x?xf32>, memref<3x3xf32>) outs(%result : memref<?x?xf32>)
      attrs = {schedule = []} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %product = arith.mulf %x, %w : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}

func.func @by_name(%image: memref<?x?xf32>, %filter: memref<3x3xf32>, %result: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%result : memref<?x?xf32>)
  linalg.conv_2d ins(%image, %filter : memref<?x?xf32>, memref<3x3xf32>) outs(%result : memref<?x?xf32>)
  return
}

// SHOW: TILE func.func @loops(
//
// The addition is what is reduced by, the multiplication is the element.
// TILE-LABEL: func.func @loops(
// TILE-NOT:   linalg
// TILE:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [2, 3] scope(grid) element {
// TILE:         arith.mulf
// TILE-NEXT:    tile.yield
//
// By its name it is the same, and as it has no schedule the compiler chooses one.
// TILE-LABEL: func.func @by_name(
// TILE-NOT:   linalg
// TILE:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [2, 3] scope(grid) element {
// TILE:         arith.mulf
// TILE-NEXT:    tile.yield
//
// There are four loops, as above.
// CHECK-LABEL: gpu.func @loops_0(
// CHECK-SAME:  %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[K:[a-z0-9]+]]: memref<3x3xf32>, %[[B:[a-z0-9]+]]: memref<?x?xf32>)
// CHECK-DAG:   %[[ROWS:.+]] = memref.dim %[[B]], %c0
// CHECK-DAG:   %[[COLUMNS:.+]] = memref.dim %[[B]], %c1
// CHECK:       scf.for %[[I:.+]] = %c0 to %[[ROWS]]
// CHECK:         scf.for %[[J:.+]] = %c0 to %[[COLUMNS]]
// CHECK:           scf.for %[[DI:.+]] = %c0 to %c3
// CHECK:             scf.for %[[DJ:.+]] = %c0 to %c3
// CHECK:               %[[Y:.+]] = arith.addi %[[I]], %[[DI]]
// CHECK:               %[[X:.+]] = arith.addi %[[J]], %[[DJ]]
// CHECK:               memref.load %[[A]][%[[Y]], %[[X]]]
// CHECK:               memref.load %[[K]][%[[DI]], %[[DJ]]]
// CHECK:               arith.mulf
// CHECK:               arith.addf
// CHECK:           memref.store %{{.+}}, %[[B]][%[[I]], %[[J]]]
