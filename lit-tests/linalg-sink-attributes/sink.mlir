// RUN: tx-opt %s --linalg-sink-attributes

// All four attributes move, for ops on tensors and on memrefs.
// CHECK-LABEL: func.func @all(
// CHECK:       linalg.reduce
// CHECK-NOT:   acc
// CHECK:       tile.annotate {acc = f64, determinism = #tile.determinism<batch_invariant>, iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], nan = #tile.nan<ignore>, output_maps = [#{{map.*}}], schedule = [#tile.bind<"d0" to block_x>]}
// CHECK-NEXT:  arith.addf
func.func @all(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
    {acc = f64, nan = #tile.nan<ignore>, determinism = #tile.determinism<batch_invariant>, schedule = [#tile.bind<"d0" to block_x>]}
  return
}

// A named op gets an explicit body.
// CHECK-LABEL: func.func @named(
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    tile.annotate {acc = f64}
// CHECK-NEXT:    arith.mulf
func.func @named(%A: tensor<4x8xf32>, %x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %R = linalg.matvec {acc = f64} ins(%A, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %R : tensor<4xf32>
}

// An element-wise op has at most a schedule. An op without attributes does not change.
// CHECK-LABEL: func.func @element_wise(
// CHECK:         tile.annotate {iterator_types = [#linalg.iterator_type<parallel>], output_maps = [#{{map.*}}], schedule = []}
// CHECK-NEXT:    math.exp
// CHECK:       linalg.exp ins
func.func @element_wise(%A: memref<4xf32>, %B: memref<4xf32>) {
  linalg.exp {schedule = []} ins(%A : memref<4xf32>) outs(%B : memref<4xf32>)
  linalg.exp ins(%A : memref<4xf32>) outs(%B : memref<4xf32>)
  return
}
