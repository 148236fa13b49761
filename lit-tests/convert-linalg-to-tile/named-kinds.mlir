// RUN: tx-opt %s --convert-linalg-to-tile

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A combiner of one op becomes a named kind. Elements that are combined directly need no maps and no
// element region. Old values are combined, as in linalg.
// CHECK-LABEL: func.func @floats
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate : memref<4x?xf32> into memref<4xf32>
// CHECK:       tile.reduce prod %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate : memref<4x?xf32> into memref<?xf32>
// CHECK:       tile.reduce max %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK:       tile.reduce max %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate {nan = #tile.nan<ignore>} :
// CHECK:       tile.reduce min %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK:       tile.reduce min %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate {nan = #tile.nan<ignore>} :
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [0, 1] scope(grid) accumulate : memref<4x?xf32> into memref<f32>
func.func @floats(%A: memref<4x?xf32>, %B: memref<4xf32>, %C: memref<?xf32>, %D: memref<f32>) {
  linalg.reduce {arith.addf} ins(%A : memref<4x?xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.reduce {arith.mulf} ins(%A : memref<4x?xf32>) outs(%C : memref<?xf32>) dimensions = [0]
  linalg.reduce {arith.maximumf} ins(%A : memref<4x?xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.reduce {arith.maxnumf} ins(%A : memref<4x?xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.reduce {arith.minimumf} ins(%A : memref<4x?xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.reduce {arith.minnumf} ins(%A : memref<4x?xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.reduce {arith.addf} ins(%A : memref<4x?xf32>) outs(%D : memref<f32>) dimensions = [0, 1]
  return
}

// CHECK-LABEL: func.func @integers
// CHECK-COUNT-9: tile.reduce {{sum|prod|max|min|umax|umin|and|or|xor}} %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate : memref<4x8xi16> into memref<4xi16>
// CHECK:       tile.reduce or %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate : memref<4x8xi1> into memref<4xi1>
func.func @integers(%A: memref<4x8xi16>, %B: memref<4xi16>, %C: memref<4x8xi1>, %D: memref<4xi1>) {
  linalg.reduce {arith.addi} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.muli} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.maxsi} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.minsi} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.maxui} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.minui} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.andi} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.ori} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.xori} ins(%A : memref<4x8xi16>) outs(%B : memref<4xi16>) dimensions = [1]
  linalg.reduce {arith.ori} ins(%C : memref<4x8xi1>) outs(%D : memref<4xi1>) dimensions = [1]
  return
}

// The reduction widens narrow floats itself: partial results are f32. A sum of f16 also widens the old
// value, combines, and truncates once.
// CHECK-LABEL: func.func @narrow
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate : memref<?x?xf16> into memref<?xf32>
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate : memref<?x?xf16> into memref<?xf16>
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate : memref<?x?xf8E4M3FN> into memref<?xf32>
func.func @narrow(%A: memref<?x?xf16>, %B: memref<?xf32>, %C: memref<?xf16>, %F: memref<?x?xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf16>) outs(%B : memref<?xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %s = arith.addf %w, %o : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf16>) outs(%C : memref<?xf16>) {
  ^bb0(%x: f16, %o: f16):
    %w = arith.extf %x : f16 to f32
    %v = arith.extf %o : f16 to f32
    %s = arith.addf %v, %w : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%F : memref<?x?xf8E4M3FN>) outs(%B : memref<?xf32>) {
  ^bb0(%x: f8E4M3FN, %o: f32):
    %w = arith.extf %x : f8E4M3FN to f32
    %s = arith.addf %w, %o : f32
    linalg.yield %s : f32
  }
  return
}

// A dimension kept with size 1 needs no map either. Attributes for schedules, types and numerics are copied
// to the reduction.
// CHECK-LABEL: func.func @kept
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate {acc = f64, determinism = #tile.determinism<any>, schedule = [#tile.split<"d1" by 32>]} : memref<?x?xf32> into memref<?x1xf32>
func.func @kept(%A: memref<?x?xf32>, %B: memref<?x1xf32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%B : memref<?x1xf32>)
      attrs = {acc = f64, determinism = #tile.determinism<any>, schedule = [#tile.split<"d1" by 32>]} {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  }
  return
}

// Ops without a reduction do not change.
// CHECK-LABEL: func.func @element_wise
// CHECK-NOT:   tile.reduce
// CHECK:       linalg.exp
// CHECK:       linalg.broadcast
// CHECK:       memref.copy
func.func @element_wise(%A: memref<4x8xf32>, %B: memref<4x8xf32>, %C: memref<4xf32>) {
  linalg.exp ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>)
  linalg.broadcast ins(%C : memref<4xf32>) outs(%B : memref<4x8xf32>) dimensions = [1]
  memref.copy %A, %B : memref<4x8xf32> to memref<4x8xf32>
  return
}
