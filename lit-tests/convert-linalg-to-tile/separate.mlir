// RUN: tx-opt %s --convert-linalg-to-tile
// SNAPSHOT: none — CHECK lines state which ops there are, and VALIDATE that they compute the same
// VALIDATE

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// One op computes sums and an `argmax`: value and index stay together.
// CHECK-LABEL: func.func @value_index_sums(
// CHECK-SAME:    %[[A:.+]]: memref<?x30xf32>, %[[V:.+]]: memref<?xf32>, %[[I:.+]]: memref<?xi32>, %[[S:.+]]: memref<?xf32>,
// CHECK-SAME:    %[[Q:.+]]: memref<?xf32>)
// CHECK:         tile.reduce custom %[[A]] into %[[S]], %[[Q]] axes [1]
// CHECK:         tile.reduce argmax %[[A]] into %[[V]], %[[I]] axes [1]
// CHECK-NOT:     linalg
func.func @value_index_sums(%A: memref<?x30xf32>, %V: memref<?xf32>, %I: memref<?xi32>, %S: memref<?xf32>,
                            %Q: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i32
  %inf = arith.constant 0xFF800000 : f32
  linalg.fill ins(%inf : f32) outs(%V : memref<?xf32>)
  linalg.fill ins(%first : i32) outs(%I : memref<?xi32>)
  linalg.fill ins(%zero : f32) outs(%S : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%Q : memref<?xf32>)
  linalg.generic {indexing_maps = [#id, #row, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x30xf32>) outs(%S, %V, %Q, %I : memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xi32>) {
  ^bb0(%x: f32, %s: f32, %v: f32, %q: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    %ns = arith.addf %s, %x : f32
    %square = arith.mulf %x, %x : f32
    %nq = arith.addf %q, %square : f32
    linalg.yield %ns, %nv, %nq, %ni : f32, f32, f32, i32
  }
  return
}

// Two custom combiners, each with its own identity.
// CHECK-LABEL: func.func @two_combiners(
// CHECK:         tile.reduce custom {{.+}} identity [0.000000e+00 : f32] combiner {
// CHECK:         tile.reduce custom {{.+}} identity [0 : i32] combiner {
func.func @two_combiners(%A: memref<4x30xf32>, %K: memref<4x30xi32>, %H: memref<4xf32>, %G: memref<4xi32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  linalg.fill ins(%zero : f32) outs(%H : memref<4xf32>)
  linalg.fill ins(%none : i32) outs(%G : memref<4xi32>)
  linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %K : memref<4x30xf32>, memref<4x30xi32>) outs(%H, %G : memref<4xf32>, memref<4xi32>) {
  ^bb0(%x: f32, %k: i32, %h: f32, %g: i32):
    %a = arith.mulf %x, %x : f32
    %b = arith.mulf %h, %h : f32
    %c = arith.addf %a, %b : f32
    %nh = math.sqrt %c : f32
    %r:2 = scf.while (%m = %k, %n = %g) : (i32, i32) -> (i32, i32) {
      %go = arith.cmpi ne, %n, %none : i32
      scf.condition(%go) %m, %n : i32, i32
    } do {
    ^bb0(%m: i32, %n: i32):
      %rest = arith.remui %m, %n : i32
      scf.yield %n, %rest : i32, i32
    }
    linalg.yield %nh, %r#0 : f32, i32
  }
  return
}

// An output that is yielded unchanged is an operand of the element region.
// CHECK-LABEL: func.func @handed_on(
// CHECK-SAME:    %[[A:.+]]: memref<5x7xf32>, %[[K:.+]]: memref<5xf32>, %[[S:.+]]: memref<5xf32>)
// CHECK:         tile.reduce sum %[[A]], %[[K]] into %[[S]] axes [1] scope(grid) element {
func.func @handed_on(%A: memref<5x7xf32>, %K: memref<5xf32>, %S: memref<5xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<5xf32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<5x7xf32>) outs(%K, %S : memref<5xf32>, memref<5xf32>) {
  ^bb0(%x: f32, %k: f32, %s: f32):
    %p = arith.mulf %k, %x : f32
    %ns = arith.addf %s, %p : f32
    linalg.yield %k, %ns : f32, f32
  }
  return
}

// An in-place output, and a sum of its new elements: the sum reads the old elements, and comes first.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[A:.+]]: memref<?x?xf32>, %[[X:.+]]: memref<?x?xf32>, %[[S:.+]]: memref<?xf32>)
// CHECK:         tile.reduce sum %[[A]], %[[X]] into %[[S]] axes [1] scope(grid) element {
// CHECK:         linalg.generic {{.+}} iterator_types = ["parallel", "parallel"]} ins(%[[A]] : memref<?x?xf32>)
// CHECK-SAME:      outs(%[[X]] : memref<?x?xf32>)
func.func @in_place(%A: memref<?x?xf32>, %X: memref<?x?xf32>, %S: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<?xf32>)
  linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%X, %S : memref<?x?xf32>, memref<?xf32>) {
  ^bb0(%a: f32, %x: f32, %s: f32):
    %nx = arith.addf %x, %a : f32
    %ns = arith.addf %s, %nx : f32
    linalg.yield %nx, %ns : f32, f32
  }
  return
}

// Sums of the rows and the columns of one array.
// CHECK-LABEL: func.func @rows_and_columns(
// CHECK:         tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate
// CHECK:         tile.reduce max %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate
func.func @rows_and_columns(%A: memref<5x7xf32>, %R: memref<5xf32>, %C: memref<7xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #column], iterator_types = ["reduction", "reduction"]}
      ins(%A : memref<5x7xf32>) outs(%R, %C : memref<5xf32>, memref<7xf32>) {
  ^bb0(%x: f32, %r: f32, %c: f32):
    %nr = arith.addf %r, %x : f32
    %nc = arith.maximumf %x, %c : f32
    linalg.yield %nr, %nc : f32, f32
  }
  return
}

// An axis of one element combines nothing: each result is computed from the element and the fill value.
// `canonicalize` has replaced the index by a constant.
// CHECK-LABEL: func.func @one_element(
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.+}} iterator_types = ["parallel"]} ins(%{{.+}} : memref<32x1xf32>)
// CHECK-SAME:      outs(%{{.+}}, %{{.+}} : memref<32xf32>, memref<32xi64>)
// CHECK-NOT:     tile.reduce
func.func @one_element(%A: memref<32x1xf32>, %V: memref<32xf32>, %I: memref<32xi64>) {
  %inf = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  linalg.fill ins(%inf : f32) outs(%V : memref<32xf32>)
  linalg.fill ins(%first : i64) outs(%I : memref<32xi64>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<32x1xf32>) outs(%V, %I : memref<32xf32>, memref<32xi64>) {
  ^bb0(%x: f32, %v: f32, %i: i64):
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %first, %i : i64
    linalg.yield %nv, %ni : f32, i64
  }
  return
}

// A named op over an axis of one element stays a reduction.
// CHECK-LABEL: func.func @sum_of_one(
// CHECK:         tile.reduce sum
func.func @sum_of_one(%A: memref<32x1xf32>, %S: memref<32xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<32x1xf32>) outs(%S : memref<32xf32>) dimensions = [1]
  return
}

// An op that yields the old values unchanged is removed.
// CHECK-LABEL:  func.func @old_values
// CHECK-NEXT:   return
func.func @old_values(%A: memref<4x8xi32>, %B: memref<4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xi32>) outs(%B : memref<4xi32>) {
  ^bb0(%a: i32, %old: i32):
    linalg.yield %old : i32
  }
  return
}
