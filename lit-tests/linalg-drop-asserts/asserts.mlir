// RUN: tx-opt %s --linalg-drop-asserts
// SNAPSHOT: none — CHECK lines state what stays

// Assertions in a body are removed. An assertion of the host function becomes a check of the launch plan.
// CHECK-LABEL: func.func @gather(
// CHECK:         cf.assert %{{.+}}, "of the function"
// CHECK:         linalg.generic
// CHECK-NOT:     cf.assert
// CHECK:         tensor.extract
// CHECK:         return
func.func @gather(%A: tensor<?xf32>, %I: tensor<4xindex>, %E: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?xf32>
  %some = arith.cmpi sgt, %n, %c0 : index
  cf.assert %some, "of the function"
  %R = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%I : tensor<4xindex>) outs(%E : tensor<4xf32>) {
  ^bb0(%i: index, %e: f32):
    %inside = arith.cmpi slt, %i, %n : index
    cf.assert %inside, "of the body"
    %x = tensor.extract %A[%i] : tensor<?xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %R : tensor<4xf32>
}
