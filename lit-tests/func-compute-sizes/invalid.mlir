// RUN: tx-opt %s --func-compute-sizes --split-input-file --verify-diagnostics

// The pass refuses nothing; a reshape that does not keep the number of elements is refused by the dialect before.
func.func @more(%A: tensor<4xf32>, %s: tensor<1xindex>) -> tensor<5xf32> {
  // expected-error @below {{source and destination tensor should have the same number of elements}}
  %B = tensor.reshape %A(%s) : (tensor<4xf32>, tensor<1xindex>) -> tensor<5xf32>
  return %B : tensor<5xf32>
}
