// RUN: tx-opt %s --convert-linalg-to-tile

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#cube = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (i)>
#vector = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// A value and the index of the only reduced loop are `argmax`, which counts for itself. An ordered
// comparison never lets NaN win: the element of a NaN is -inf, so that a row without a better element has what the loop
// starts from. The fills of value and index fold away.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f32, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:    %[[INF:.+]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT:    %[[Y:.+]] = arith.maxnumf %[[X]], %[[INF]] : f32
// CHECK-NEXT:    tile.yield %[[Y]] : f32
// CHECK-NEXT:  } : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
func.func @ordered(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i32
  linalg.fill ins(%inf : f32) outs(%V : memref<?xf32>)
  linalg.fill ins(%first : i32) outs(%I : memref<?xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%V, %I : memref<?xf32>, memref<?xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// An index fill that no element has means that no element exceeded -inf. The fill stays.
// CHECK-LABEL: func.func @none_found
// CHECK-COUNT-2: linalg.fill
// CHECK:       tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) accumulate {nan = #tile.nan<ignore>}
func.func @none_found(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  linalg.fill ins(%inf : f32) outs(%V : memref<?xf32>)
  linalg.fill ins(%none : i32) outs(%I : memref<?xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%V, %I : memref<?xf32>, memref<?xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// The outputs may be in reverse order, the operands of the comparison too, and the smallest is
// `argmin`. Old values are compared with its results where the outputs were not filled with the identity. NaN never wins
// where an unordered comparison keeps the old pair.
// CHECK-LABEL: func.func @turned(
// CHECK-SAME:    %[[A:.+]]: memref<?x?xf16>, %[[I:.+]]: memref<?xi64>, %[[V:.+]]: memref<?xf16>)
// CHECK:       tile.reduce argmin %[[A]] into %[[BEST:.+]], %[[PLACE:.+]] axes [0] scope(grid) element {
// CHECK:         %[[INF:.+]] = arith.constant 0x7C00 : f16
// CHECK:         arith.minnumf %{{.+}}, %[[INF]] : f16
// CHECK:       linalg.generic {{.+}} ins(%[[BEST]], %[[PLACE]] : {{.+}}) outs(%[[V]], %[[I]] : {{.+}}) {
// CHECK:         arith.cmpf ule
func.func @turned(%A: memref<?x?xf16>, %I: memref<?xi64>, %V: memref<?xf16>) {
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%A : memref<?x?xf16>) outs(%I, %V : memref<?xi64>, memref<?xf16>) {
  ^bb0(%x: f16, %i: i64, %v: f16):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i64
    %keep = arith.cmpf ule, %v, %x : f16
    %nv = arith.select %keep, %v, %x : f16
    %ni = arith.select %keep, %i, %jj : i64
    linalg.yield %ni, %nv : i64, f16
  }
  return
}

// A complete pattern: the lower index wins for equal values, and the value is a `maximumf`.
// CHECK-LABEL: func.func @ties
// CHECK:       tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [0] scope(grid) accumulate :
func.func @ties(%A: memref<?xi32>, %V: memref<i32>, %I: memref<i32>) {
  linalg.generic {indexing_maps = [#vector, #none, #none], iterator_types = ["reduction"]}
      ins(%A : memref<?xi32>) outs(%V, %I : memref<i32>, memref<i32>) {
  ^bb0(%x: i32, %v: i32, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %more = arith.cmpi sgt, %x, %v : i32
    %same = arith.cmpi eq, %x, %v : i32
    %before = arith.cmpi slt, %jj, %i : i32
    %tie = arith.andi %same, %before : i1
    %better = arith.ori %more, %tie : i1
    %nv = arith.maxsi %x, %v : i32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : i32, i32
  }
  return
}

// Indices from memory: elements are pairs, and the index of a NaN or -inf is 0.
// CHECK-LABEL: func.func @pairs(
// CHECK-SAME:    %[[J:.+]]: memref<?x?xi32>, %[[A:.+]]: memref<?x?xf32>, %[[I:.+]]: memref<?xi32>, %[[V:.+]]: memref<?xf32>)
// CHECK:       tile.reduce argmax %[[J]], %[[A]] into %[[BEST:.+]], %[[PLACE:.+]] axes [1] scope(grid) element {
// CHECK-NEXT:  ^bb0(%[[JJ:.+]]: i32, %[[X:.+]]: f32, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:    %[[INF:.+]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT:    %[[Y:.+]] = arith.maxnumf %[[X]], %[[INF]] : f32
// CHECK-NEXT:    %[[BETTER:.+]] = arith.cmpf ogt, %[[X]], %[[INF]] : f32
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[K:.+]] = arith.select %[[BETTER]], %[[JJ]], %[[ZERO]] : i32
// CHECK-NEXT:    tile.yield %[[Y]], %[[K]] : f32, i32
// CHECK:       linalg.generic {{.+}} ins(%[[BEST]], %[[PLACE]] : {{.+}}) outs(%[[V]], %[[I]] : {{.+}}) {
func.func @pairs(%J: memref<?x?xi32>, %A: memref<?x?xf32>, %I: memref<?xi32>, %V: memref<?xf32>) {
  linalg.reduce ins(%J, %A : memref<?x?xi32>, memref<?x?xf32>) outs(%I, %V : memref<?xi32>, memref<?xf32>) dimensions = [1]
    (%j: i32, %x: f32, %i: i32, %v: f32) {
      %better = arith.cmpf uge, %v, %x : f32
      %nv = arith.select %better, %v, %x : f32
      %ni = arith.select %better, %i, %j : i32
      linalg.yield %ni, %nv : i32, f32
    }
  return
}

// With several reduced loops, the `element` region computes the index.
// CHECK-LABEL: func.func @flattened
// CHECK:       tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1, 2] scope(grid)
// CHECK:       ^bb0(%[[X:.+]]: f32, %{{.+}}: index, %[[J:.+]]: index, %[[K:.+]]: index):
// CHECK:         %[[ROW:.+]] = arith.muli %[[J]], %{{.+}} : index
// CHECK:         %[[PLACE:.+]] = arith.addi %[[ROW]], %[[K]] : index
// CHECK:         %[[CAST:.+]] = arith.index_cast %[[PLACE]] : index to i32
// CHECK:         %[[Y:.+]] = arith.maxnumf %[[X]], %{{.+}} : f32
// CHECK:         %[[OWN:.+]] = arith.select %{{.+}}, %[[CAST]], %{{.+}} : i32
// CHECK:         tile.yield %[[Y]], %[[OWN]] : f32, i32
func.func @flattened(%A: memref<?x8x16xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  linalg.generic {indexing_maps = [#cube, #first, #first], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A : memref<?x8x16xf32>) outs(%V, %I : memref<?xf32>, memref<?xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %c16 = arith.constant 16 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %row = arith.muli %j, %c16 : index
    %place = arith.addi %row, %k : index
    %cast = arith.index_cast %place : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %cast, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// The largest absolute value, chosen by a branch.
// CHECK-LABEL: func.func @branch
// CHECK:       tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [0] scope(grid) accumulate element {
// CHECK:         %[[ABS:.+]] = math.absf
// CHECK-NEXT:    tile.yield %[[ABS]] : f32
func.func @branch(%A: memref<?xf32>, %V: memref<f32>, %I: memref<i32>) {
  linalg.generic {indexing_maps = [#vector, #none, #none], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%V, %I : memref<f32>, memref<i32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %abs = math.absf %x : f32
    %better = arith.cmpf ogt, %abs, %v : f32
    %r:2 = scf.if %better -> (f32, i32) {
      scf.yield %abs, %jj : f32, i32
    } else {
      scf.yield %v, %i : f32, i32
    }
    linalg.yield %r#0, %r#1 : f32, i32
  }
  return
}

// A maximum chosen by a comparison becomes `max`.
// CHECK-LABEL: func.func @chosen
// CHECK:       tile.reduce max %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate {nan = #tile.nan<ignore>} : memref<?xf32> into memref<f32>
// CHECK:       tile.reduce umin %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate : memref<?xi8> into memref<i8>
func.func @chosen(%A: memref<?xf32>, %V: memref<f32>, %B: memref<?xi8>, %W: memref<i8>) {
  linalg.reduce ins(%A : memref<?xf32>) outs(%V : memref<f32>) dimensions = [0] (%x: f32, %v: f32) {
    %better = arith.cmpf olt, %v, %x : f32
    %nv = arith.select %better, %x, %v : f32
    linalg.yield %nv : f32
  }
  linalg.reduce ins(%B : memref<?xi8>) outs(%W : memref<i8>) dimensions = [0] (%x: i8, %v: i8) {
    %better = arith.cmpi ule, %v, %x : i8
    %nv = arith.select %better, %v, %x : i8
    linalg.yield %nv : i8
  }
  return
}

// A maximum, and an index chosen by a comparison, become `argmax` if there is no NaN, as for integers, or
// if the program specifies the treatment of NaN.
// CHECK-LABEL: func.func @two_rules
// CHECK:       tile.reduce argmax {{.+}} accumulate : memref<?xi32> into memref<i32>, memref<i64>
// CHECK:       tile.reduce argmin {{.+}} accumulate {nan = #tile.nan<propagate>} : memref<?xf32> into memref<f32>, memref<i64>
func.func @two_rules(%A: memref<?xi32>, %V: memref<i32>, %B: memref<?xf32>, %W: memref<f32>, %I: memref<i64>) {
  linalg.generic {indexing_maps = [#vector, #none, #none], iterator_types = ["reduction"]}
      ins(%A : memref<?xi32>) outs(%V, %I : memref<i32>, memref<i64>) {
  ^bb0(%x: i32, %v: i32, %i: i64):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i64
    %m = arith.maxsi %x, %v : i32
    %p = arith.cmpi sgt, %x, %v : i32
    %k = arith.select %p, %jj, %i : i64
    linalg.yield %m, %k : i32, i64
  }
  linalg.generic {indexing_maps = [#vector, #none, #none], iterator_types = ["reduction"]}
      ins(%B : memref<?xf32>) outs(%W, %I : memref<f32>, memref<i64>) attrs = {nan = #tile.nan<propagate>} {
  ^bb0(%x: f32, %v: f32, %i: i64):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i64
    %m = arith.minimumf %x, %v : f32
    %p = arith.cmpf olt, %x, %v : f32
    %k = arith.select %p, %jj, %i : i64
    linalg.yield %m, %k : f32, i64
  }
  return
}
