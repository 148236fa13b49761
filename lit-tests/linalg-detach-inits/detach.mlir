// RUN: tx-opt %s --linalg-detach-inits
// SNAPSHOT: none — CHECK lines state what ops read

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// The old elements of an output become an input. Attributes stay.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %[[A:.+]]: tensor<?x8xf32>, %[[B:.+]]: tensor<8xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[B]], %[[A]] : tensor<8xf32>, tensor<?x8xf32>) outs(%[[A]] : tensor<?x8xf32>)
// CHECK-SAME:      attrs = {mark = 1 : i64}
// CHECK:         ^bb0(%[[X:.+]]: f32, %[[OLD:.+]]: f32, %{{.+}}: f32):
// CHECK:           arith.addf %[[OLD]], %[[X]] : f32
func.func @bias(%A: tensor<?x8xf32>, %B: tensor<8xf32>) -> tensor<?x8xf32> {
  %R = linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%B : tensor<8xf32>) outs(%A : tensor<?x8xf32>) attrs = {mark = 1 : i64} {
  ^bb0(%b: f32, %o: f32):
    %s = arith.addf %o, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %R : tensor<?x8xf32>
}

// The one of two outputs that is read becomes an input with the same map. `linalg.index` stays.
// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[A:.+]]: tensor<4x8xi64>, %[[B:.+]]: tensor<8x4xi64>)
// CHECK:         linalg.generic {indexing_maps = [#[[TURNED:.+]], #{{.+}}, #[[TURNED]]]
// CHECK-SAME:      ins(%[[B]] : tensor<8x4xi64>) outs(%[[A]], %[[B]] : tensor<4x8xi64>, tensor<8x4xi64>)
// CHECK:         ^bb0(%[[OLD:.+]]: i64, %{{.+}}: i64, %{{.+}}: i64):
// CHECK:           linalg.index 1
// CHECK:           arith.addi %[[OLD]]
func.func @two(%A: tensor<4x8xi64>, %B: tensor<8x4xi64>) -> (tensor<4x8xi64>, tensor<8x4xi64>) {
  %R:2 = linalg.generic {indexing_maps = [#id, #turned], iterator_types = ["parallel", "parallel"]}
      outs(%A, %B : tensor<4x8xi64>, tensor<8x4xi64>) {
  ^bb0(%o: i64, %p: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %s = arith.addi %p, %n : i64
    linalg.yield %n, %s : i64, i64
  } -> (tensor<4x8xi64>, tensor<8x4xi64>)
  return %R#0, %R#1 : tensor<4x8xi64>, tensor<8x4xi64>
}

// Reductions, which combine with their outputs, and ops on memrefs do not change.
// CHECK-LABEL: func.func @others(
// CHECK:         linalg.generic {{.+}} ins(%{{.+}} : tensor<4x8xf32>) outs(
// CHECK:         linalg.generic {{.+}}iterator_types = ["parallel"]} outs(
func.func @others(%A: tensor<4x8xf32>, %S: tensor<4xf32>, %M: memref<4xf32>) -> tensor<4xf32> {
  %R = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x8xf32>) outs(%S : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%M : memref<4xf32>) {
  ^bb0(%o: f32):
    %s = arith.addf %o, %o : f32
    linalg.yield %s : f32
  }
  return %R : tensor<4xf32>
}
