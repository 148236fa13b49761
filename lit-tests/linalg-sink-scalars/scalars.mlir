// RUN: tx-opt %s --linalg-sink-scalars
// SNAPSHOT: none — CHECK lines state what is computed in bodies

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// The element and the ops that use it move into the body. Sizes stay on the host.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %{{.+}}: tensor<?xf32>, %[[S:.+]]: tensor<f32>
// CHECK:         %[[N:.+]] = arith.sitofp
// CHECK:         linalg.generic
// CHECK:         ^bb0(%[[A:.+]]: f32, %{{.+}}: f32):
// CHECK:           %[[V:.+]] = tensor.extract %[[S]][] : tensor<f32>
// CHECK:           %[[Q:.+]] = arith.divf %[[V]], %[[N]] : f32
// CHECK:           arith.mulf %[[A]], %[[Q]] : f32
func.func @scaled(%A: tensor<?xf32>, %s: tensor<f32>, %E: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %A, %c0 : tensor<?xf32>
  %whole = arith.index_cast %size : index to i64
  %n = arith.sitofp %whole : i64 to f32
  %v = tensor.extract %s[] : tensor<f32>
  %q = arith.divf %v, %n : f32
  %R = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%A : tensor<?xf32>) outs(%E : tensor<?xf32>) {
  ^bb0(%a: f32, %e: f32):
    %p = arith.mulf %a, %q : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %R : tensor<?xf32>
}

// A scalar input is captured by the body.
// CHECK-LABEL: func.func @input(
// CHECK-SAME:    %{{.+}}: tensor<8xf32>, %[[S:.+]]: tensor<4xf32>
// CHECK:         linalg.generic
// CHECK:           %[[V:.+]] = tensor.extract %[[S]]
// CHECK:           arith.addf %{{.+}}, %[[V]] : f32
func.func @input(%A: tensor<8xf32>, %s: tensor<4xf32>, %E: tensor<8xf32>) -> tensor<8xf32> {
  %c2 = arith.constant 2 : index
  %v = tensor.extract %s[%c2] : tensor<4xf32>
  %R = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%A, %v : tensor<8xf32>, f32) outs(%E : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %e: f32):
    %p = arith.addf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  return %R : tensor<8xf32>
}
