// RUN: tx-opt %s --linalg-drop-asserts=keep
// SNAPSHOT: none — CHECK lines state what stays

// With `keep`, assertions in a body stay, and each thread checks them.
// CHECK-LABEL: func.func @gather(
// CHECK:         linalg.generic
// CHECK:           cf.assert %{{.+}}, "of the body"
// CHECK:           tensor.extract
func.func @gather(%A: tensor<8xf32>, %I: tensor<4xindex>, %E: tensor<4xf32>) -> tensor<4xf32> {
  %n = arith.constant 8 : index
  %R = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%I : tensor<4xindex>) outs(%E : tensor<4xf32>) {
  ^bb0(%i: index, %e: f32):
    %inside = arith.cmpi ult, %i, %n : index
    cf.assert %inside, "of the body"
    %x = tensor.extract %A[%i] : tensor<8xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %R : tensor<4xf32>
}
