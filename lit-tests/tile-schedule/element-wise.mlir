// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — what counts is said below.

#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>

// A thread loads one vector, and stores one. For unaligned addresses, or at the end of the array, it computes
// elements one by one.
// COUNT: @long_0 vector.load = 1, vector.store = 1, memref.load = 1, memref.store = 1, barriers = 0
func.func @long(%A: memref<?xf32>, %B: memref<?xf32>) {
  linalg.map { math.absf } ins(%A : memref<?xf32>) outs(%B : memref<?xf32>)
  return
}

// An in-place op: loads and stores use the same array, without a barrier.
// COUNT: @in_place_0 vector.load = 1, vector.store = 1, memref.load = 1, memref.store = 1, barriers = 0
func.func @in_place(%A: memref<?xi8>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%A : memref<?xi8>) {
  ^bb0(%a: i8):
    %s = arith.addi %a, %a : i8
    linalg.yield %s : i8
  }
  return
}

// The widest type fills 16 bytes: bf16 is loaded in vectors of eight bytes.
// COUNT: @widened_0 vector.load = 1, vector.store = 1, memref.load = 1, memref.store = 1
// CHECK-LABEL: gpu.func @widened_0
// CHECK:         vector.load {{.+}} {alignment = 8 : i64} : memref<?xbf16>, vector<4xbf16>
// CHECK:         vector.store {{.+}} : memref<?xf32>, vector<4xf32>
func.func @widened(%A: memref<?xbf16>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%A : memref<?xbf16>) outs(%B : memref<?xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %s = arith.extf %a : bf16 to f32
    linalg.yield %s : f32
  }
  return
}

// A row operand is loaded in vectors, and a column operand once per vector.
// CHECK-LABEL: gpu.func @broadcast_0
// CHECK:         vector.load {{.+}} : memref<40xf32>, vector<4xf32>
// CHECK:         memref.load {{.+}} : memref<?xf32>
func.func @broadcast(%A: memref<?x40xf32>, %R: memref<40xf32>, %C: memref<?xf32>, %B: memref<?x40xf32>) {
  linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%A, %R, %C : memref<?x40xf32>, memref<40xf32>, memref<?xf32>) outs(%B : memref<?x40xf32>) {
  ^bb0(%a: f32, %r: f32, %c: f32, %o: f32):
    %s = arith.mulf %a, %c : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// Rows of 1003: after `linalg-collapse-loops`, the row index is a remainder, which is computed once per
// vector and incremented.
// COUNT: @remainders_0 vector.load = 1, vector.store = 1
func.func @remainders(%A: memref<9027xf32>, %R: memref<1003xf32>, %C: memref<9xf32>, %B: memref<9027xf32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(i) -> (i mod 1003)>, affine_map<(i) -> (i floordiv 1003)>, #id], iterator_types = ["parallel"]}
    ins(%A, %R, %C : memref<9027xf32>, memref<1003xf32>, memref<9xf32>) outs(%B : memref<9027xf32>) {
  ^bb0(%a: f32, %r: f32, %c: f32, %o: f32):
    %s = arith.mulf %a, %c : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// A transposed source passes through shared memory (`programs/transposes.mlir`). One barrier is between
// stores and loads, and one between the loads and the stores of the next tile.
// COUNT: @transposed_0 vector.load = 4, vector.store = 4
func.func @transposed(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  linalg.transpose ins(%A : memref<?x?xf32>) outs(%B : memref<?x?xf32>) permutation = [1, 0]
  return
}

// Each row twice, as in nearest-neighbour upsampling: the quotient is constant along the
// vector.
// CHECK-LABEL: gpu.func @twice_0
// CHECK:         vector.store
func.func @twice(%A: memref<41x40xf32>, %B: memref<82x80xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j floordiv 2)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%A : memref<41x40xf32>) outs(%B : memref<82x80xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  }
  return
}

// CHECK-LABEL: gpu.func @rows_twice_0
// CHECK:         vector.store
func.func @rows_twice(%A: memref<41x80xf32>, %R: memref<3x80xf32>, %B: memref<82x80xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, affine_map<(i, j) -> (i mod 3, j)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%A, %R : memref<41x80xf32>, memref<3x80xf32>) outs(%B : memref<82x80xf32>) {
  ^bb0(%a: f32, %r: f32, %o: f32):
    %t = arith.addf %a, %r : f32
    linalg.yield %t : f32
  }
  return
}
