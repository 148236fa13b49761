// RUN: tx run %s --entry rows --device cpu --arg full:1.0:4x8xf32 --arg zeros:4x1xf32 2>&1
// RUN(WIDE): not tx run %s --entry rows --device cpu --arg rand:4x8xf32 --arg zeros:4x8xf32 2>&1
// EXIT: 1
// RUN(NONE): not tx run %s --entry rows --device cpu --arg rand:4x8xf32 --arg zeros:4x0xf32 2>&1
// EXIT: 1
// RUN(FEW): not tx run %s --entry last_block --device cpu --arg rand:4x300xf32 --arg zeros:3xf32 2>&1
// EXIT: 1
// RUN(BACK): not tx run %s --entry backwards --device cpu --arg rand:8xf32 --arg zeros:9xf32 2>&1
// EXIT: 1
// RUN(BELOW): not tx run %s --entry below --device cpu --arg rand:13xf32 --arg zeros:9xf32 2>&1
// EXIT: 1
// SNAPSHOT: none — each message is checked.

// Array sizes with which a kernel would access memory out of bounds are rejected before any launch.
// CHECK: argument 1: 4x1xf32
// WIDE: {{.*}}:[[# @LINE + 6]]:3: error: %B.dim1 is 8: it is a reduced dimension of the reduction, and must be 1
// NONE: {{.*}}:[[# @LINE + 5]]:3: error: %B.dim1 is 0: it is a reduced dimension of the reduction, and must be 1
// FEW:  %A.dim0 is 4, %B.dim0 is 3: they are one dimension of the reduction, and must be equal
// BACK: `((d0 * -1) + 7)`, the index of `linalg.generic` in %A.dim0, must not be less than 0
// BELOW: `(d0 + -1)`, the index of `linalg.generic` in %A.dim0, must not be less than 0
func.func @rows(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?x?xf32>
  return
}
func.func @last_block(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d1" by 64>, #tile.rfactor<"d1.o">, #tile.bind<"d1.o" to block_x>, #tile.bind<"d0" to block_y>, #tile.last_block]}
    : memref<?x?xf32> into memref<?xf32>
  return
}
func.func @backwards(%A: memref<?xf32>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%A : memref<?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @below(%A: memref<?xf32>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i - 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%A : memref<?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
