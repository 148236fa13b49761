// RUN(SORT): not tx compile %s --entry of_another_sort -o %t.ptx 2>&1
// EXIT: 1
// SNAPSHOT: none — the messages are checked as a whole.

// Ops of `linalg` are checked by the rules of their `tile.reduce`, before any pass relies on these rules.
// SORT: compile-unverified.mlir:[[# @LINE + 9]]:3: error: 'tile.reduce' op `acc` must be `f32` or a wider type of the same class (integer or float), found `i32`
// SORT: compile-unverified.mlir:[[# @LINE + 21]]:3: error: 'tile.reduce' op an `i32` index cannot distinguish 3000000000 elements
// SORT: compile-unverified.mlir:[[# @LINE + 33]]:3: error: 'tile.reduce' op {{.*}}index
#a = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#d = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
func.func @of_another_sort(%A: memref<4x30xf32>, %B: memref<4xf32>) {
  // Partial results of another kind of number caused a stack overflow in a later pass.
  linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x30xf32>) outs(%B : memref<4xf32>) attrs = {acc = i32} {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  return
}
func.func @index_too_narrow(%A: memref<3000000000xi8>, %V: memref<i8>, %I: memref<i32>) {
  %zi = arith.constant 0 : i32
  %lo = arith.constant -128 : i8
  linalg.fill ins(%lo : i8) outs(%V : memref<i8>)
  linalg.fill ins(%zi : i32) outs(%I : memref<i32>)
  linalg.generic {indexing_maps = [#d, #s, #s], iterator_types = ["reduction"]}
      ins(%A : memref<3000000000xi8>) outs(%V, %I : memref<i8>, memref<i32>) {
  ^bb0(%x: i8, %v: i8, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %c = arith.cmpi sgt, %x, %v : i8
    %m = arith.select %c, %x, %v : i8
    %k = arith.select %c, %jj, %i : i32
    linalg.yield %m, %k : i8, i32
  }
  return
}
func.func @index_elements(%A: memref<4x30xindex>, %B: memref<4xindex>) {
  linalg.reduce {arith.addi} ins(%A : memref<4x30xindex>) outs(%B : memref<4xindex>) dimensions = [1]
  return
}
