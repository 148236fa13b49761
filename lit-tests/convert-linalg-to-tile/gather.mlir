// RUN: tx-opt %s --convert-linalg-to-tile

#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// An element may be gathered from memory that is not an operand, as in a loss by class labels.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME:    %[[X:.+]]: memref<?x10xf32>, %[[L:.+]]: memref<?xi32>, %[[B:.+]]: memref<f32>)
// CHECK-NEXT:  tile.reduce sum %[[L]] into %[[B]] axes [0] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[CLASS:.+]]: i32, %[[I:.+]]: index):
// CHECK-NEXT:    %[[J:.+]] = arith.index_cast %[[CLASS]] : i32 to index
// CHECK-NEXT:    %[[V:.+]] = memref.load %[[X]][%[[I]], %[[J]]] : memref<?x10xf32>
// CHECK-NEXT:    %[[N:.+]] = arith.negf %[[V]] : f32
// CHECK-NEXT:    tile.yield %[[N]] : f32
func.func @loss(%X: memref<?x10xf32>, %L: memref<?xi32>, %B: memref<f32>) {
  linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]}
      ins(%L : memref<?xi32>) outs(%B : memref<f32>) {
  ^bb0(%class: i32, %sum: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %class : i32 to index
    %x = memref.load %X[%i, %j] : memref<?x10xf32>
    %n = arith.negf %x : f32
    %s = arith.addf %sum, %n : f32
    linalg.yield %s : f32
  }
  return
}

// A branch around the gather stays in the element region.
// CHECK-LABEL: func.func @some(
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK:         scf.if
// CHECK-NEXT:      memref.load
// CHECK:       } : memref<?x?xi32> into memref<?xf32>
func.func @some(%T: memref<64xf32>, %L: memref<?x?xi32>, %B: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%L : memref<?x?xi32>) outs(%B : memref<?xf32>) {
  ^bb0(%class: i32, %sum: f32):
    %j = arith.index_cast %class : i32 to index
    %is = arith.cmpi sge, %class, %none : i32
    %x = scf.if %is -> f32 {
      %at = memref.load %T[%j] : memref<64xf32>
      scf.yield %at : f32
    } else {
      scf.yield %zero : f32
    }
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  }
  return
}

// A consumer of the results is fused, unless the gathered array is written before.
// CHECK-LABEL: func.func @looked_up_before(
// CHECK:       tile.reduce sum
// CHECK-NOT:   epilogue
// CHECK:       linalg.fill ins(%{{.+}} : f32) outs(%[[T:.+]] : memref<64xf32>)
// CHECK-NEXT:  linalg.map { math.sqrt }
func.func @looked_up_before(%T: memref<64xf32>, %L: memref<8x8xi32>, %B: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %D = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%D : memref<8xf32>)
  linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%L : memref<8x8xi32>) outs(%D : memref<8xf32>) {
  ^bb0(%class: i32, %sum: f32):
    %j = arith.index_cast %class : i32 to index
    %x = memref.load %T[%j] : memref<64xf32>
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%zero : f32) outs(%T : memref<64xf32>)
  linalg.map { math.sqrt } ins(%D : memref<8xf32>) outs(%B : memref<8xf32>)
  return
}

// A consumer that writes the gathered array is not fused.
// CHECK-LABEL: func.func @overwritten(
// CHECK:       tile.reduce sum
// CHECK-NOT:   epilogue
// CHECK:       linalg.map { math.sqrt }
func.func @overwritten(%T: memref<8xf32>, %L: memref<8x8xi32>) {
  %zero = arith.constant 0.0 : f32
  %D = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%D : memref<8xf32>)
  linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%L : memref<8x8xi32>) outs(%D : memref<8xf32>) {
  ^bb0(%class: i32, %sum: f32):
    %j = arith.index_cast %class : i32 to index
    %x = memref.load %T[%j] : memref<8xf32>
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  }
  linalg.map { math.sqrt } ins(%D : memref<8xf32>) outs(%T : memref<8xf32>)
  return
}
