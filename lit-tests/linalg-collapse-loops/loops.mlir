// RUN: tx-opt %s --linalg-collapse-loops
// SNAPSHOT: none — what is left is said below.

#id = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>

// All operands are contiguous: one loop remains. Sizes are compared before.
// CHECK-LABEL: func.func @twice(
// CHECK:       cf.assert
// CHECK:       %[[A:.+]] = memref.collapse_shape %{{.+}} {{\[\[}}0, 1]] : memref<?x4096xf32> into memref<?xf32>
// CHECK:       %[[B:.+]] = memref.collapse_shape %{{.+}} {{\[\[}}0, 1]] : memref<?x4096xf32> into memref<?xf32>
// CHECK:       linalg.generic {{.+}} iterator_types = ["parallel"]} ins(%[[A]], %[[A]] : {{.+}} outs(%[[B]] :
func.func @twice(%A: memref<?x4096xf32>, %B: memref<?x4096xf32>) {
  linalg.add ins(%A, %A : memref<?x4096xf32>, memref<?x4096xf32>) outs(%B : memref<?x4096xf32>)
  return
}

// An in-place op: both operands use one view.
// CHECK-LABEL: func.func @in_place(
// CHECK:       %[[A:.+]] = memref.collapse_shape
// CHECK-NOT:   memref.collapse_shape
// CHECK:       linalg.generic {{.+}} ins(%[[A]] : memref<280xf32>) outs(%[[A]] : memref<280xf32>)
func.func @in_place(%A: memref<7x40xf32>) {
  linalg.exp ins(%A : memref<7x40xf32>) outs(%A : memref<7x40xf32>)
  return
}

// CHECK-LABEL: func.func @copied(
// CHECK:       memref.copy %{{.+}}, %{{.+}} : memref<280xf32> to memref<280xf32>
func.func @copied(%A: memref<7x40xf32>, %B: memref<7x40xf32>) {
  memref.copy %A, %B : memref<7x40xf32> to memref<7x40xf32>
  return
}

// CHECK-LABEL: func.func @filled(
// CHECK:       ins(%{{.+}} : f32) outs(%{{.+}} : memref<280xf32>)
func.func @filled(%A: memref<7x40xf32>) {
  %c = arith.constant 1.0 : f32
  linalg.fill ins(%c : f32) outs(%A : memref<7x40xf32>)
  return
}

// Loops that index only some operands stay separate: here the first two loops become one.
// CHECK-LABEL: func.func @rows(
// CHECK:       linalg.generic
// CHECK-SAME:  iterator_types = ["parallel", "parallel"]} ins(%{{.+}}, %{{.+}} : memref<21x40xf32>, memref<40xf32>) outs(%{{.+}} : memref<21x40xf32>)
func.func @rows(%A: memref<3x7x40xf32>, %R: memref<40xf32>, %B: memref<3x7x40xf32>) {
  linalg.generic {indexing_maps = [#id3, affine_map<(i, j, k) -> (k)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%A, %R : memref<3x7x40xf32>, memref<40xf32>) outs(%B : memref<3x7x40xf32>) {
  ^bb0(%a: f32, %r: f32, %o: f32):
    %t = arith.addf %a, %r : f32
    linalg.yield %t : f32
  }
  return
}

// No vector width divides rows of 41 elements: all loops become one, and vectors cross row boundaries.
// CHECK-LABEL: func.func @odd_rows(
// CHECK:       linalg.generic {indexing_maps = [#[[ID:.+]], #[[ROW:.+]], #[[COLUMN:.+]], #[[ID]]], iterator_types = ["parallel"]}
// CHECK-SAME:  ins(%{{.+}}, %{{.+}}, %{{.+}} : memref<287xf32>, memref<41xf32>, memref<7xf32>) outs(%{{.+}} : memref<287xf32>)
func.func @odd_rows(%A: memref<7x41xf32>, %R: memref<41xf32>, %C: memref<7xf32>, %B: memref<7x41xf32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]}
    ins(%A, %R, %C : memref<7x41xf32>, memref<41xf32>, memref<7xf32>) outs(%B : memref<7x41xf32>) {
  ^bb0(%a: f32, %r: f32, %c: f32, %o: f32):
    %s = arith.mulf %a, %c : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// One array with two maps: its dimensions become one for the first map, and stay two for the other.
// CHECK-LABEL: func.func @two_places(
// CHECK:       ins(%{{.+}}, %{{.+}}, %{{.+}} : memref<15xf32>, memref<3x5xf32>, memref<3xf32>) outs(%{{.+}} : memref<15x3x5xf32>)
func.func @two_places(%A: memref<3x5xf32>, %C: memref<3xf32>, %B: memref<3x5x3x5xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (k)>,
      affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%A, %A, %C : memref<3x5xf32>, memref<3x5xf32>, memref<3xf32>) outs(%B : memref<3x5x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    %t = arith.addf %s, %c : f32
    linalg.yield %t : f32
  }
  return
}

// CHECK-LABEL: func.func @kept(
// CHECK-NOT:   memref.collapse_shape
// CHECK:       return
func.func @kept(%A: memref<7x40xf32>, %S: memref<7x40xf32, strided<[50, 1]>>, %T: memref<40x7xf32>, %I: memref<7x40xindex>, %R: memref<7xf32>) {
  // Rows with gaps are not collapsed.
  linalg.exp ins(%S : memref<7x40xf32, strided<[50, 1]>>) outs(%A : memref<7x40xf32>)
  // A transposition is not collapsed.
  linalg.transpose ins(%A : memref<7x40xf32>) outs(%T : memref<40x7xf32>) permutation = [1, 0]
  // An op with `linalg.index` is not collapsed.
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%I : memref<7x40xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 1 : index
    linalg.yield %i : index
  }
  // Loops named by a schedule are not collapsed.
  linalg.exp {schedule = [#tile.bind<"d0" to block_x>, #tile.bind<"d1" to thread_x>]} ins(%A : memref<7x40xf32>) outs(%A : memref<7x40xf32>)
  // A reduction is not collapsed.
  tile.reduce sum %A into %R axes [1] scope(grid) : memref<7x40xf32> into memref<7xf32>
  return
}
