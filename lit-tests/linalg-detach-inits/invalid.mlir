// RUN: tx-opt %s --linalg-detach-inits --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects outputs of other shapes.
func.func @shapes(%A: tensor<4xf32>, %B: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{inferred input/output operand #1 has shape's dimension #0 to be 4, but found 8}}
  %R = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : tensor<4xf32>) outs(%B : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %R : tensor<8xf32>
}
