// RUN: tx-opt %s --linalg-sink-scalars --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects excess indices.
func.func @two_indices(%s: tensor<4xf32>, %i: index) -> f32 {
  // expected-error @below {{incorrect number of indices for extract_element}}
  %v = tensor.extract %s[%i, %i] : tensor<4xf32>
  return %v : f32
}
