// RUN: tx run %s --device cpu --entry loss --arg full:0.25:300x10xf32 --arg full:9:300xi32 --arg zeros:f32
// RUN(FEW): tx run %s --device cpu --entry rows --arg full:0.5:64xf32 --arg full:63:5x3xi32 --arg zeros:5xf32
// RUN(MANY): tx run %s --device cpu --entry rows --arg full:0.5:64xf32 --arg full:63:3x10007xi32 --arg zeros:3xf32
// RUN(BEYOND): not tx run %s --device cpu --entry loss --arg full:0.25:300x10xf32 --arg full:10:300xi32 --arg zeros:f32 2>&1
// EXIT: 3
// VALIDATE: --entry rows --arg rand:64xf32 --arg full:63:67x103xi32 --arg zeros:67xf32
// SNAPSHOT: none — what is printed is checked as a whole.

// Elements are gathered by the values of an operand, for short rows and long ones.
// CHECK:      argument 2: f32
// CHECK-NEXT: -75.
// FEW:        argument 2: 5xf32
// FEW-NEXT:   [1.5 1.5 1.5 1.5 1.5]
// MANY:       argument 2: 3xf32
// MANY-NEXT:  [5003.5 5003.5 5003.5]
//
// An invalid label is found at run time, at the load.
// BEYOND: run-gather.mlir:[[# @LINE + 11]]:10: error: out of bounds: read of 4 bytes
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
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
func.func @rows(%T: memref<64xf32>, %L: memref<?x?xi32>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%L : memref<?x?xi32>) outs(%B : memref<?xf32>) {
  ^bb0(%class: i32, %sum: f32):
    %j = arith.index_cast %class : i32 to index
    %x = memref.load %T[%j] : memref<64xf32>
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  }
  return
}
