// RUN: tx-opt %s --tensors-to-memrefs --split-input-file --verify-diagnostics

// Ops of dialects without bufferization must first be lowered to linalg.
func.func @tosa(%A: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{op was not bufferized}}
  %R = tosa.abs %A : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %R : tensor<4x8xf32>
}
