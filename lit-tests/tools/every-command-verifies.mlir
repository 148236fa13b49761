// RUN(COMPILE): not tx compile %s -o %t.ptx 2>&1
// EXIT: 1
// RUN(LAUNCH): not tx run %s --device cpu --arg zeros:4x30xi32 --arg zeros:4xi32 2>&1
// EXIT: 1
// RUN(CHECKED): not tx validate %s 2>&1
// EXIT: 1
// RUN(EXPLAIN): not tx explain %s 2>&1
// EXIT: 1
// RUN(REPORT): not tx report %s -o %t.html 2>&1
// EXIT: 1
// RUN(BENCH): not tx bench %s --device cpu --arg zeros:4x30xi32 --arg zeros:4xi32 2>&1
// EXIT: 1
// RUN(TUNE): not tx tune %s --device cpu --arg zeros:4x30xi32 --arg zeros:4xi32 -o %t.mlir 2>&1
// EXIT: 1
// RUN(OPT): not tx-opt %s --lower-reduction 2>&1
// EXIT: 1
// SNAPSHOT: none — the message of each command is checked as a whole.

// An op that the verifier of `tile.reduce` rejects is rejected by every command, with one message.
// COMPILE:  every-command-verifies.mlir:[[# @LINE + 11]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
// LAUNCH:   every-command-verifies.mlir:[[# @LINE + 10]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
// CHECKED:  every-command-verifies.mlir:[[# @LINE + 9]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
// EXPLAIN:  every-command-verifies.mlir:[[# @LINE + 8]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
// REPORT:   every-command-verifies.mlir:[[# @LINE + 7]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
// BENCH:    every-command-verifies.mlir:[[# @LINE + 6]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
// TUNE:     every-command-verifies.mlir:[[# @LINE + 5]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
// OPT:      every-command-verifies.mlir:[[# @LINE + 4]]:3: error: 'tile.reduce' op `acc` must be `i32` or a wider type of the same class (integer or float), found `i16`
#a = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @f(%A: memref<4x30xi32>, %B: memref<4xi32>) {
  linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x30xi32>) outs(%B : memref<4xi32>) attrs = {acc = i16} {
  ^bb0(%x: i32, %o: i32):
    %s = arith.addi %x, %o : i32
    linalg.yield %s : i32
  }
  return
}
