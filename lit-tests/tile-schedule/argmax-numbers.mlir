// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — long; what is said of numbers is what matters.

// A thread that combines elements in order has one accumulator, also with vectors. Indices are relative to
// the tile; the index of the tile start is added once per tile, unless no element of it has won.

// CHECK-LABEL: gpu.func @rows_0(
// CHECK:         %[[START:.+]] = arith.constant 0 : i32
// CHECK:         %[[NONE:.+]] = arith.constant -1 : i32
// CHECK-NOT:     index_cast
// CHECK:         %[[LAST:.+]] = arith.constant 99 : i32
// CHECK-NOT:     index_cast
// CHECK:         %[[NUMBER:.+]] = arith.select %{{.+}}, %[[LAST]], %{{.+}} : i32
// CHECK-NEXT:    %[[FIRST:.+]] = arith.index_cast %{{.+}} : index to i32
// CHECK-NEXT:    %[[WINS:.+]] = arith.addi %[[FIRST]], %[[NUMBER]] : i32
// CHECK-NEXT:    %[[UNCHANGED:.+]] = arith.cmpi eq, %[[NUMBER]], %[[NONE]] : i32
// CHECK-NEXT:    arith.select %[[UNCHANGED]], %[[START]], %[[WINS]] : i32

// In unaligned arrays the tiles are shorter, and the old result stays if no element of a tile wins.
// CHECK:         scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}}, %[[BEFORE:.+]] = %[[START]]) -> (f32, i32)
// CHECK:           arith.constant 3 : i32
// CHECK:           arith.index_cast %{{.+}} : index to i32
// CHECK:           arith.select %{{.+}}, %[[BEFORE]], %{{.+}} : i32
// CHECK-NEXT:      scf.yield
// CHECK-COUNT-1: tile.all_reduce argmax

// Several columns of a thread have one accumulator each; consecutive rows of a thread are 8 apart.
// CHECK-LABEL: gpu.func @columns_0(
// CHECK:         scf.for
// CHECK:           arith.constant 56 : i32
// CHECK-COUNT-4:   arith.index_cast %{{.+}} : index to i32
// CHECK-NOT:       index_cast
// CHECK:           scf.yield
func.func @rows(%A: memref<?x128xf32>, %B: memref<?xf32>, %C: memref<?xi32>) {
  tile.reduce argmax %A into %B, %C axes [1] scope(grid) : memref<?x128xf32> into memref<?xf32>, memref<?xi32>
  return
}
func.func @columns(%A: memref<?x128xf32>, %B: memref<128xf32>, %C: memref<128xi32>) {
  tile.reduce argmin %A into %B, %C axes [0] scope(grid) : memref<?x128xf32> into memref<128xf32>, memref<128xi32>
  return
}
