// RUN: tx-opt %s --convert-linalg-to-tile

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Indexing maps may contain strides, constants and divisions.
// CHECK-DAG:   #[[$HALF:.+]] = affine_map<(d0, d1) -> (d0 * 2 + d1, 5, d1 floordiv 2)>
// CHECK-DAG:   #[[$PLAIN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG:   #[[$OUT:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @maps
// CHECK:       {maps = [#[[$HALF]], #[[$PLAIN]], #[[$OUT]]]}
func.func @maps(%A: memref<?x?x?xf32>, %W: memref<?xf32>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j, 5, j floordiv 2)>, affine_map<(i, j) -> (j)>, #row],
                  iterator_types = ["parallel", "reduction"]}
      ins(%A, %W : memref<?x?x?xf32>, memref<?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Ops that do not depend on old values form the `element` region. `linalg.index` becomes an index argument,
// a scalar operand is captured, and constants move into the region.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %[[A:.+]]: memref<?x?xi8>, %[[S:.+]]: i32, %[[B:.+]]: memref<?xi32>)
// CHECK:       tile.reduce sum %[[A]] into %[[B]] axes [1] scope(grid) accumulate element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: i8, %{{.+}}: index, %[[J:.+]]: index):
// CHECK:         %[[WIDE:.+]] = arith.extsi %[[X]] : i8 to i32
// CHECK:         %[[CAST:.+]] = arith.index_cast %[[J]] : index to i32
// CHECK:         %[[P:.+]] = arith.muli %[[WIDE]], %[[CAST]] : i32
// CHECK:         %[[Q:.+]] = arith.muli %[[P]], %[[S]] : i32
// CHECK:         %[[R:.+]] = arith.addi %[[Q]], %c3_i32 : i32
// CHECK-NEXT:    tile.yield %[[R]] : i32
// CHECK-NEXT:  } : memref<?x?xi8> into memref<?xi32>
func.func @scaled(%A: memref<?x?xi8>, %s: i32, %B: memref<?xi32>) {
  %three = arith.constant 3 : i32
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> ()>, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %s : memref<?x?xi8>, i32) outs(%B : memref<?xi32>) {
  ^bb0(%x: i8, %scale: i32, %o: i32):
    %w = arith.extsi %x : i8 to i32
    %j = linalg.index 1 : index
    %c = arith.index_cast %j : index to i32
    %p = arith.muli %w, %c : i32
    %q = arith.muli %p, %scale : i32
    %r = arith.addi %q, %three : i32
    %sum = arith.addi %o, %r : i32
    linalg.yield %sum : i32
  }
  return
}

// A fused multiply-add becomes a sum of products, and counting becomes a sum of ones.
// CHECK-LABEL: func.func @norms
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK:         %[[P:.+]] = arith.mulf
// CHECK-NEXT:    tile.yield %[[P]] : f32
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate element {
// CHECK:         tile.yield %c1_i32 : i32
func.func @norms(%A: memref<?x?xf32>, %B: memref<?xf32>, %C: memref<?xi32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = math.fma %x, %x, %o : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%C : memref<?xi32>) {
  ^bb0(%x: f32, %o: i32):
    %one = arith.constant 1 : i32
    %s = arith.addi %o, %one : i32
    linalg.yield %s : i32
  }
  return
}

// A value combined in f32 and truncated after each step is truncated once, at the end.
// CHECK-LABEL: func.func @half_dot
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} axes [0] scope(grid) accumulate element {
// CHECK:         tile.yield %{{.+}} : f32
// CHECK:       } epilogue {
// CHECK-NEXT:  ^bb0(%[[R:.+]]: f32):
// CHECK-NEXT:    %[[H:.+]] = arith.truncf %[[R]] : f32 to f16
// CHECK-NEXT:    tile.yield %[[H]] : f16
func.func @half_dot(%A: memref<?xf16>, %B: memref<?xf16>, %C: memref<f16>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%A, %B : memref<?xf16>, memref<?xf16>) outs(%C : memref<f16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %p = arith.mulf %a, %b : f32
    %w = arith.extf %o : f16 to f32
    %s = arith.addf %p, %w : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  }
  return
}
