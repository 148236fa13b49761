// RUN: tx-opt %s --convert-linalg-to-tile

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A conditional addition becomes an unconditional one of the element or of a neutral value: -0.0 leaves an
// old value bitwise unchanged. If the outputs were filled with 0.0, this value is added instead.
// CHECK-LABEL: func.func @masked
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f32, %{{.+}}: index, %{{.+}}: index):
// CHECK:         %[[N:.+]] = arith.constant -0.000000e+00 : f32
// CHECK:         %[[P:.+]] = arith.cmpf ogt, %[[X]]
// CHECK:         %[[S:.+]] = arith.addf %[[N]], %[[X]] : f32
// CHECK:         %[[E:.+]] = arith.select %[[P]], %[[S]], %[[N]] : f32
// CHECK-NEXT:    tile.yield %[[E]] : f32
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) element {
// CHECK:         arith.constant 0.000000e+00 : f32
func.func @masked(%A: memref<?x?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %c = arith.constant 1.0 : f32
    %p = arith.cmpf ogt, %x, %c : f32
    %s = arith.addf %o, %x : f32
    %r = arith.select %p, %s, %o : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%z : f32) outs(%C : memref<?xf32>)
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%C : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %c = arith.constant 1.0 : f32
    %p = arith.cmpf ogt, %x, %c : f32
    %s = arith.addf %o, %x : f32
    %r = arith.select %p, %s, %o : f32
    linalg.yield %r : f32
  }
  return
}

// A branch is copied with its ops, which may divide by a number that the condition proves to be nonzero.
// CHECK-LABEL: func.func @branches
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) element {
// CHECK:         scf.if
// CHECK:           arith.divsi
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %c0_i32
// CHECK:       tile.reduce max %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK:         arith.constant 0xFF800000 : f32
func.func @branches(%A: memref<?x?xi32>, %B: memref<?xi32>, %C: memref<?x?xf32>, %D: memref<?xf32>) {
  %z = arith.constant 0 : i32
  linalg.fill ins(%z : i32) outs(%B : memref<?xi32>)
  linalg.reduce ins(%A : memref<?x?xi32>) outs(%B : memref<?xi32>) dimensions = [1] (%x: i32, %o: i32) {
    %zero = arith.constant 0 : i32
    %many = arith.constant 5040 : i32
    %p = arith.cmpi sgt, %x, %zero : i32
    %r = scf.if %p -> i32 {
      %q = arith.divsi %many, %x : i32
      %s = arith.addi %o, %q : i32
      scf.yield %s : i32
    } else {
      scf.yield %o : i32
    }
    linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%C : memref<?x?xf32>) outs(%D : memref<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %p = arith.cmpi ult, %j, %two : index
    %s = arith.maximumf %o, %x : f32
    %r = arith.select %p, %s, %o : f32
    linalg.yield %r : f32
  }
  return
}

// Several steps of one op become one step. A subtraction becomes an addition of the negated element.
// CHECK-LABEL: func.func @several
// CHECK:       tile.reduce sum {{.+}} axes [1] scope(grid) element {
// CHECK-COUNT-2: math.fma
// CHECK:       tile.reduce sum {{.+}} axes [1] scope(grid) accumulate element {
// CHECK:         arith.subf %{{.+}}, %cst
// CHECK:       tile.reduce max {{.+}} axes [1] scope(grid) accumulate element {
// CHECK-COUNT-2: arith.maximumf
func.func @several(%A: memref<?x?xf32>, %W: memref<?x?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %D: memref<?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<?xf32>)
  linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %W : memref<?x?xf32>, memref<?x?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = math.fma %a, %a, %o : f32
    %t = math.fma %b, %b, %s : f32
    linalg.yield %t : f32
  }
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%C : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %c = arith.constant 1.5 : f32
    %s = arith.addf %o, %x : f32
    %t = arith.subf %s, %c : f32
    linalg.yield %t : f32
  }
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%D : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %n = arith.negf %x : f32
    %s = arith.maximumf %o, %x : f32
    %t = arith.maximumf %s, %n : f32
    linalg.yield %t : f32
  }
  return
}
