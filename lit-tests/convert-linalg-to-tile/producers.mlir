// RUN: tx-opt %s --convert-linalg-to-tile

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#transposed = affine_map<(i, j) -> (j, i)>

// CHECK-DAG: #[[$TRANSPOSED:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$WINDOW:.+]] = affine_map<(d0, d1) -> (d0 + d1)>

// Element-wise ops that fill a temporary for one reduction are fused into its element region, in sequence.
// Transposes and broadcasts become maps. The temporaries are removed.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[A:.+]]: memref<8x4xf32>, %[[W:.+]]: memref<4xf32>, %[[S:.+]]: f32, %[[B:.+]]: memref<4xf32>)
// CHECK-NEXT:  tile.reduce sum %[[A]], %[[W]] into %[[B]] axes [1] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[X]] : f32
// CHECK-NEXT:    %[[D:.+]] = arith.subf %[[E]], %[[Y]] : f32
// CHECK-NEXT:    %[[M:.+]] = arith.mulf %[[D]], %[[S]] : f32
// CHECK-NEXT:    tile.yield %[[M]] : f32
// CHECK-NEXT:  } {maps = [#[[$TRANSPOSED]], #[[$ROW]], #[[$ROW]]]} : memref<8x4xf32>, memref<4xf32> into memref<4xf32>
// CHECK-NEXT:  return
func.func @chain(%A: memref<8x4xf32>, %W: memref<4xf32>, %s: f32, %B: memref<4xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  %U = memref.alloc() : memref<4x8xf32>
  %V = memref.alloc() : memref<4x8xf32>
  %X = memref.alloc() : memref<4x8xf32>
  linalg.transpose ins(%A : memref<8x4xf32>) outs(%T : memref<4x8xf32>) permutation = [1, 0]
  linalg.map { math.exp } ins(%T : memref<4x8xf32>) outs(%U : memref<4x8xf32>)
  linalg.broadcast ins(%W : memref<4xf32>) outs(%V : memref<4x8xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#id, #id, affine_map<(i, j) -> ()>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%U, %V, %s : memref<4x8xf32>, memref<4x8xf32>, f32) outs(%X : memref<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %scale: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %m = arith.mulf %d, %scale : f32
    linalg.yield %m : f32
  }
  linalg.reduce {arith.addf} ins(%X : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  memref.dealloc %T : memref<4x8xf32>
  memref.dealloc %U : memref<4x8xf32>
  memref.dealloc %V : memref<4x8xf32>
  memref.dealloc %X : memref<4x8xf32>
  return
}

// Loop indices of the producer become loop indices of the reduction.
// CHECK-LABEL: func.func @indices
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f32, %[[W:.+]]: f32, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT:    %[[K:.+]] = arith.addi %[[I]], %[[J]] : index
// CHECK-NEXT:    %[[C:.+]] = arith.index_cast %[[K]] : index to i32
// CHECK:       } {maps = [#[[$WINDOW]], #[[$COLUMN]], #[[$ROW]]]}
func.func @indices(%A: memref<10xf32>, %W: memref<3xf32>, %B: memref<8xf32>) {
  %T = memref.alloc() : memref<10xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<10xf32>) outs(%T : memref<10xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    %f = arith.sitofp %c : i32 to f32
    %m = arith.mulf %x, %f : f32
    linalg.yield %m : f32
  }
  linalg.conv_1d ins(%T, %W : memref<10xf32>, memref<3xf32>) outs(%B : memref<8xf32>)
  return
}

// A temporary with another reader stays, with its producer.
// CHECK-LABEL: func.func @shared
// CHECK:       linalg.exp
// CHECK:       tile.reduce sum %[[T:.+]] into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK:       tile.reduce max %[[T]] into
func.func @shared(%A: memref<4x8xf32>, %B: memref<4xf32>, %C: memref<4xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%A : memref<4x8xf32>) outs(%T : memref<4x8xf32>)
  linalg.reduce {arith.addf} ins(%T : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.reduce {arith.maximumf} ins(%T : memref<4x8xf32>) outs(%C : memref<4xf32>) dimensions = [1]
  return
}

// An operand of the producer is overwritten before the reduction.
// CHECK-LABEL: func.func @overwritten
// CHECK:       linalg.exp
// CHECK:       memref.copy
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
func.func @overwritten(%A: memref<4x8xf32>, %B: memref<4xf32>, %C: memref<4x8xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%A : memref<4x8xf32>) outs(%T : memref<4x8xf32>)
  memref.copy %C, %A : memref<4x8xf32> to memref<4x8xf32>
  linalg.reduce {arith.addf} ins(%T : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  return
}

// The producer reads an array that the reduction writes.
// CHECK-LABEL: func.func @circle
// CHECK:       linalg.broadcast
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
func.func @circle(%B: memref<4xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  linalg.broadcast ins(%B : memref<4xf32>) outs(%T : memref<4x8xf32>) dimensions = [1]
  linalg.reduce {arith.addf} ins(%T : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  return
}

// Without the temporary, no operand would determine the length of the reduced loop.
// CHECK-LABEL: func.func @length
// CHECK:       linalg.broadcast
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
func.func @length(%A: memref<4xf32>, %B: memref<4xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  linalg.broadcast ins(%A : memref<4xf32>) outs(%T : memref<4x8xf32>) dimensions = [1]
  linalg.reduce {arith.addf} ins(%T : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  return
}

// The exponentials of a softmax are fused into its second reduction. The division reads rows of both
// results, and stays.
// CHECK-LABEL: func.func @softmax
// CHECK:       tile.reduce max %[[A:.+]] into %[[M:.+]] axes [1] scope(grid) :
// CHECK:       tile.reduce sum %[[A]], %[[M]] into %{{.+}} axes [1] scope(grid) element {
// CHECK:         math.exp
// CHECK:       linalg.generic
func.func @softmax(%A: memref<4x8xf32>, %O: memref<4x8xf32>) {
  %z = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %M = memref.alloc() : memref<4xf32>
  %S = memref.alloc() : memref<4xf32>
  %T = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%inf : f32) outs(%M : memref<4xf32>)
  linalg.fill ins(%z : f32) outs(%S : memref<4xf32>)
  linalg.reduce {arith.maximumf} ins(%A : memref<4x8xf32>) outs(%M : memref<4xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A, %M : memref<4x8xf32>, memref<4xf32>) outs(%T : memref<4x8xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.reduce {arith.addf} ins(%T : memref<4x8xf32>) outs(%S : memref<4xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A, %M, %S : memref<4x8xf32>, memref<4xf32>, memref<4xf32>) outs(%O : memref<4x8xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %T : memref<4x8xf32>
  return
}

// Producers may work in place, in sequence, in the temporary that the first one fills.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[W:.+]]: memref<4xf32>, %[[B:.+]]: memref<4xf32>)
// CHECK-NEXT:  tile.reduce sum %[[W]], %[[A]] into %[[B]] axes [1] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[Y:.+]]: f32, %[[X:.+]]: f32, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:    %[[D:.+]] = arith.subf %[[X]], %[[Y]] : f32
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[D]] : f32
// CHECK-NEXT:    tile.yield %[[E]] : f32
// CHECK:       return
func.func @in_place(%A: memref<4x8xf32>, %W: memref<4xf32>, %B: memref<4xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  linalg.broadcast ins(%W : memref<4xf32>) outs(%T : memref<4x8xf32>) dimensions = [1]
  linalg.sub ins(%A, %T : memref<4x8xf32>, memref<4x8xf32>) outs(%T : memref<4x8xf32>)
  linalg.exp ins(%T : memref<4x8xf32>) outs(%T : memref<4x8xf32>)
  linalg.reduce {arith.addf} ins(%T : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  memref.dealloc %T : memref<4x8xf32>
  return
}
