// RUN: tx-opt %s --convert-linalg-to-tile

// A fill with the identity is folded, together with its constant, and old values are not combined. For a
// sum, the identity is zero of either sign.
// CHECK-LABEL: func.func @identities
// CHECK-NOT:   linalg.fill
// CHECK-NOT:   arith.constant
// CHECK-COUNT-5: axes [1] scope(grid) :
// CHECK-NOT:   linalg.fill
// CHECK:       return
func.func @identities(%A: memref<?x?xf32>, %B: memref<?xf32>, %C: memref<?x?xi8>, %D: memref<?xi8>) {
  %zero = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %least = arith.constant -128 : i8
  %ones = arith.constant -1 : i8
  linalg.fill ins(%zero : f32) outs(%B : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%one : f32) outs(%B : memref<?xf32>)
  linalg.reduce {arith.mulf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%inf : f32) outs(%B : memref<?xf32>)
  linalg.reduce {arith.minimumf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%least : i8) outs(%D : memref<?xi8>)
  linalg.reduce {arith.maxsi} ins(%C : memref<?x?xi8>) outs(%D : memref<?xi8>) dimensions = [1]
  linalg.fill ins(%ones : i8) outs(%D : memref<?xi8>)
  linalg.reduce {arith.minui} ins(%C : memref<?x?xi8>) outs(%D : memref<?xi8>) dimensions = [1]
  return
}

// A generic that stores a constant is a fill too. Ops that do not touch the output may be in between:
// arguments do not alias.
// CHECK-LABEL: func.func @apart
// CHECK-NOT:   iterator_types
// CHECK:       memref.copy
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) :
func.func @apart(%A: memref<?x?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %D: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%B : memref<?xf32>) {
  ^bb0(%o: f32):
    %z = arith.constant 0.0 : f32
    linalg.yield %z : f32
  }
  memref.copy %C, %D : memref<?xf32> to memref<?xf32>
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  return
}

// Other fills stay, such as the lowest finite number, which is not the identity of a maximum.
// CHECK-LABEL: func.func @others
// CHECK:       linalg.fill
// CHECK:       tile.reduce max %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK:       linalg.fill
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK:       linalg.fill
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
func.func @others(%A: memref<?x?xf32>, %B: memref<?xf32>, %x: f32) {
  %lowest = arith.constant 0xFF7FFFFF : f32
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%lowest : f32) outs(%B : memref<?xf32>)
  linalg.reduce {arith.maximumf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%one : f32) outs(%B : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%x : f32) outs(%B : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  return
}

// A fill stays if an op in between reads or writes the output: through a view, in a call with unknown
// effects, or in a second reduction into the same output.
// CHECK-LABEL: func.func @seen
// CHECK:       linalg.fill
// CHECK:       memref.copy
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK:       linalg.fill
// CHECK:       call @anything
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) :
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
func.func private @anything()
func.func @seen(%A: memref<8x?xf32>, %B: memref<8xf32>, %C: memref<4xf32>) {
  %z = arith.constant 0.0 : f32
  %part = memref.subview %B[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.fill ins(%z : f32) outs(%B : memref<8xf32>)
  memref.copy %C, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.reduce {arith.addf} ins(%A : memref<8x?xf32>) outs(%B : memref<8xf32>) dimensions = [1]
  linalg.fill ins(%z : f32) outs(%B : memref<8xf32>)
  call @anything() : () -> ()
  linalg.reduce {arith.addf} ins(%A : memref<8x?xf32>) outs(%B : memref<8xf32>) dimensions = [1]
  linalg.fill ins(%z : f32) outs(%B : memref<8xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<8x?xf32>) outs(%B : memref<8xf32>) dimensions = [1]
  linalg.reduce {arith.addf} ins(%A : memref<8x?xf32>) outs(%B : memref<8xf32>) dimensions = [1]
  return
}

// A copy of a filled array is a fill. After folding, the copy no longer reads this array.
// CHECK-LABEL: func.func @copied
// CHECK-NEXT:  tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) :
// CHECK-NEXT:  tile.reduce sum %{{.+}} into %{{.+}} axes [0] scope(grid) :
// CHECK-NEXT:  return
func.func @copied(%A: memref<8x8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<8xf32>)
  memref.copy %B, %C : memref<8xf32> to memref<8xf32>
  linalg.reduce {arith.addf} ins(%A : memref<8x8xf32>) outs(%C : memref<8xf32>) dimensions = [1]
  linalg.reduce {arith.addf} ins(%A : memref<8x8xf32>) outs(%B : memref<8xf32>) dimensions = [0]
  return
}
