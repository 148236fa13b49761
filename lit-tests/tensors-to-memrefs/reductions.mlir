// RUN(MEMREFS): tx-opt %s --tensors-to-memrefs
// RUN(TILE): tx-opt %s --tensors-to-memrefs --convert-linalg-to-tile

// Results of host functions become arguments, which reductions write.
// MEMREFS-LABEL: func.func @rows(
// MEMREFS-SAME:    %{{.+}}: memref<?x?xf32>, %[[R:.+]]: memref<?xf32>) {
// MEMREFS-NOT:   memref.{{alloc|copy}}
// MEMREFS:       linalg.generic {{.+}} outs(%[[R]] :
// MEMREFS:       linalg.generic {{.+}} outs(%[[R]] :
// MEMREFS-NOT:   memref.{{alloc|copy}}
// MEMREFS:       return
// TILE-LABEL: func.func @rows(
// TILE-SAME:    %[[A:.+]]: memref<?x?xf32>, %[[R:.+]]: memref<?xf32>) {
// TILE:       cf.assert %{{.+}}, "dimension 0 of result 0"
// TILE-NEXT:  tile.reduce sum %[[A]] into %[[R]] axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
// TILE-NEXT:  return
func.func @rows(%A: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%z : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %R = linalg.reduce {arith.addf} ins(%A : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  return %R : tensor<?xf32>
}

// Element-wise ops before and after are fused into the reduction, in linalg or in arith.
// TILE-LABEL: func.func @mean_square_root(
// TILE-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[R:.+]]: memref<4xf32>) {
// TILE-NEXT:  tile.reduce sum %[[A]] into %[[R]] axes [1] scope(grid) element {
// TILE:         math.sqrt
// TILE:       } epilogue {
// TILE:         arith.divf
// TILE:       } : memref<4x8xf32> into memref<4xf32>
// TILE-NEXT:  return
func.func @mean_square_root(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %roots = math.sqrt %A : tensor<4x8xf32>
  %zeros = linalg.fill ins(%z : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce {arith.addf} ins(%roots : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  %R = arith.divf %sum, %n : tensor<4xf32>
  return %R : tensor<4xf32>
}

// Two reductions with the same zero tensor: its copy is a fill, too.
// TILE-LABEL: func.func @both(
// TILE-SAME:    %[[A:.+]]: memref<4x4xf32>, %[[R:.+]]: memref<4xf32>, %[[C:.+]]: memref<4xf32>) {
// TILE-DAG:   tile.reduce sum %[[A]] into %{{.+}} axes [1] scope(grid) :
// TILE-DAG:   tile.reduce sum %[[A]] into %{{.+}} axes [0] scope(grid) :
// TILE-NOT:   linalg
// TILE:       return
func.func @both(%A: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%z : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %R = linalg.reduce {arith.addf} ins(%A : tensor<4x4xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  %C = linalg.reduce {arith.addf} ins(%A : tensor<4x4xf32>) outs(%zeros : tensor<4xf32>) dimensions = [0]
  return %R, %C : tensor<4xf32>, tensor<4xf32>
}

// A softmax becomes two reductions and two element-wise ops, whose temporaries are freed.
// TILE-LABEL: func.func @softmax(
// TILE:       memref.alloc() {{.*}} : memref<4xf32>
// TILE:       tile.reduce max
// TILE:       linalg.generic
// TILE:       tile.reduce sum
// TILE:       linalg.generic
// TILE:       memref.dealloc
func.func @softmax(%A: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %z = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %row = tensor.empty() : tensor<4xf32>
  %all = tensor.empty() : tensor<4x8xf32>
  %lowest = linalg.fill ins(%inf : f32) outs(%row : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.reduce {arith.maximumf} ins(%A : tensor<4x8xf32>) outs(%lowest : tensor<4xf32>) dimensions = [1]
  %maxes = linalg.broadcast ins(%max : tensor<4xf32>) outs(%all : tensor<4x8xf32>) dimensions = [1]
  %d = linalg.sub ins(%A, %maxes : tensor<4x8xf32>, tensor<4x8xf32>) outs(%all : tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = linalg.exp ins(%d : tensor<4x8xf32>) outs(%all : tensor<4x8xf32>) -> tensor<4x8xf32>
  %zeros = linalg.fill ins(%z : f32) outs(%row : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce {arith.addf} ins(%e : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  %sums = linalg.broadcast ins(%sum : tensor<4xf32>) outs(%all : tensor<4x8xf32>) dimensions = [1]
  %R = linalg.div ins(%e, %sums : tensor<4x8xf32>, tensor<4x8xf32>) outs(%all : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %R : tensor<4x8xf32>
}

// An updated argument is updated in place, and copied to the result.
// TILE-LABEL: func.func @update(
// TILE-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4xf32>, %[[R:.+]]: memref<4xf32>) {
// TILE-NEXT:  tile.reduce sum %[[A]] into %[[B]] axes [1] scope(grid) accumulate :
// TILE-NEXT:  memref.copy %[[B]], %[[R]]
func.func @update(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> tensor<4xf32> {
  %R = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%B : tensor<4xf32>) dimensions = [1]
  return %R : tensor<4xf32>
}
