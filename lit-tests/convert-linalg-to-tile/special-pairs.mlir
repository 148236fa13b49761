// RUN: tx-opt %s --convert-linalg-to-tile
// SNAPSHOT: none — CHECK lines state which reductions there are; tools/run-argmax-nan.mlir what they compute
// VALIDATE

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#cube = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (i)>

// The value uses `maximumf`, which keeps NaN, and the index `ogt`, which is false for NaN. The first
// reduction computes the value and the first NaN's index, the second the best index before it.
// CHECK-LABEL: func.func @two_rules(
// CHECK-SAME:    %[[A:.+]]: memref<4x?xf32>, %[[V:.+]]: memref<4xf32>, %[[I:.+]]: memref<4xi64>)
// CHECK-NOT:     linalg.fill
// CHECK:         tile.reduce custom %[[A]] into %[[V]], %[[FIRST:.+]] axes [1] scope(grid)
// CHECK-SAME:      identity [0xFF800000 : f32, 9223372036854775807] combiner {
// CHECK:           arith.maximumf
// CHECK:           arith.minsi
// CHECK:         } element {
// CHECK:           arith.cmpf uno
// CHECK:         tile.reduce argmax %[[A]], %[[FIRST]] into %{{.+}}, %[[I]] axes [1] scope(grid) element {
// CHECK-NOT:     linalg
func.func @two_rules(%A: memref<4x?xf32>, %V: memref<4xf32>, %I: memref<4xi64>) {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  linalg.fill ins(%inf : f32) outs(%V : memref<4xf32>)
  linalg.fill ins(%zero : i64) outs(%I : memref<4xi64>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x?xf32>) outs(%V, %I : memref<4xf32>, memref<4xi64>) {
  ^bb0(%x: f32, %v: f32, %i: i64):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i64
    %nv = arith.maximumf %x, %v : f32
    %better = arith.cmpf ogt, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i64
    linalg.yield %nv, %ni : f32, i64
  }
  return
}

// Old values are combined last: the index by the rule of the program, then the value. With two loops, the
// element index is linear.
// CHECK-LABEL: func.func @old_values(
// CHECK-SAME:    %[[A:.+]]: memref<4x3x?xf32>, %[[V:.+]]: memref<4xf32>, %[[I:.+]]: memref<4xi32>)
// CHECK:         tile.reduce min %[[A]] into %[[FIRST:.+]] axes [1, 2] scope(grid) element {
// CHECK:           arith.muli
// CHECK:         tile.reduce argmin %[[A]], %[[FIRST]] into %[[BEST:.+]], %[[PLACE:.+]] axes [1, 2] scope(grid)
// CHECK:         linalg.generic {{.+}} ins(%[[BEST]], %[[PLACE]], %[[V]] : {{.+}}) outs(%[[I]] : memref<4xi32>)
// CHECK:         tile.reduce min %[[A]] into %[[V]] axes [1, 2] scope(grid) accumulate
func.func @old_values(%A: memref<4x3x?xf32>, %V: memref<4xf32>, %I: memref<4xi32>) {
  %c2 = arith.constant 2 : index
  %n = memref.dim %A, %c2 : memref<4x3x?xf32>
  linalg.generic {indexing_maps = [#cube, #first, #first], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A : memref<4x3x?xf32>) outs(%V, %I : memref<4xf32>, memref<4xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %row = arith.muli %j, %n : index
    %place = arith.addi %row, %k : index
    %jj = arith.index_cast %place : index to i32
    %nv = arith.minimumf %x, %v : f32
    %better = arith.cmpf olt, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// Each NaN replaces an earlier NaN: the indices of NaN are negated before and after `argmax`.
// CHECK-LABEL: func.func @last_nan(
// CHECK:         tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) element {
// CHECK:           arith.cmpf uno
// CHECK:           arith.subi
// CHECK:         linalg.generic
// CHECK:           arith.subi
func.func @last_nan(%A: memref<4x8xf32>, %V: memref<4xf32>, %I: memref<4xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  linalg.fill ins(%inf : f32) outs(%V : memref<4xf32>)
  linalg.fill ins(%zero : i32) outs(%I : memref<4xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%V, %I : memref<4xf32>, memref<4xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %nan = arith.cmpf uno, %x, %x : f32
    %greater = arith.cmpf ogt, %x, %v : f32
    %better = arith.ori %greater, %nan : i1
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// Every element replaces a NaN.
// CHECK-LABEL: func.func @after_nan(
// CHECK:         tile.reduce argmax %{{.+}} into %[[LAST:.+]], %{{.+}} axes [1] scope(grid)
// CHECK:           arith.cmpf uno
// CHECK:         tile.reduce argmax %{{.+}}, %[[LAST]] into
// CHECK:         linalg.generic
func.func @after_nan(%A: memref<4x8xf32>, %V: memref<4xf32>, %I: memref<4xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  linalg.fill ins(%inf : f32) outs(%V : memref<4xf32>)
  linalg.fill ins(%zero : i32) outs(%I : memref<4xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%V, %I : memref<4xf32>, memref<4xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ugt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// If the first NaN wins and is kept, one `argmax` suffices.
// CHECK-LABEL: func.func @first_nan(
// CHECK:         tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) : memref<4x8xf32>
// CHECK-NOT:     linalg
func.func @first_nan(%A: memref<4x8xf32>, %V: memref<4xf32>, %I: memref<4xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  linalg.fill ins(%inf : f32) outs(%V : memref<4xf32>)
  linalg.fill ins(%zero : i32) outs(%I : memref<4xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%V, %I : memref<4xf32>, memref<4xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %nan = arith.cmpf uno, %v, %v : f32
    %kept = arith.cmpf oge, %v, %x : f32
    %keeps = arith.ori %kept, %nan : i1
    %nv = arith.select %keeps, %v, %x : f32
    %ni = arith.select %keeps, %i, %jj : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}
