// RUN: tx-opt %s --tensor-fill-splats --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects splats of another type.
func.func @other_type(%k: f32) -> tensor<4xi32> {
  // expected-error @below {{operand type matches element type of result}}
  %s = "tensor.splat"(%k) : (f32) -> tensor<4xi32>
  return %s : tensor<4xi32>
}
