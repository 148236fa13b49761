// RUN: tx-opt %s --tensor-fill-splats --split-input-file --verify-diagnostics

// The pass refuses nothing; a splat of another type is refused by the dialect before.
func.func @other_type(%k: f32) -> tensor<4xi32> {
  // expected-error @below {{operand type matches element type of result}}
  %s = "tensor.splat"(%k) : (f32) -> tensor<4xi32>
  return %s : tensor<4xi32>
}
