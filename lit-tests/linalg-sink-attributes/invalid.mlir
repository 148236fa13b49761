// RUN: tx-opt %s --linalg-sink-attributes --split-input-file --verify-diagnostics

// Each attribute that cannot move is an error at its op.

func.func @misspelt(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute `determinsm` of a linalg op is not copied to the reduction}}
  // expected-note @below {{did you mean `determinism`?}}
  // expected-note @below {{attributes that are copied: acc, determinism, nan, schedule; `tile.reduce` accepts more}}
  %R = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%B : tensor<4xf32>) dimensions = [1] {determinsm = #tile.determinism<any>}
  return %R : tensor<4xf32>
}

// -----

func.func @of_another_kind(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute `acc` is `"f64"`, expected a type, as `f32`}}
  %R = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%B : tensor<4xf32>) dimensions = [1] {acc = "f64"}
  return %R : tensor<4xf32>
}

// -----

func.func @reduces_nothing(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute `nan` is only for reductions, and `linalg.exp` is not a reduction}}
  // expected-note @below {{remove the attribute, or set it on the reduction}}
  %R = linalg.exp {nan = #tile.nan<ignore>} ins(%A : tensor<4xf32>) outs(%A : tensor<4xf32>) -> tensor<4xf32>
  return %R : tensor<4xf32>
}

// -----

func.func @no_body(%A: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @below {{attribute `acc` of `linalg.softmax` cannot be kept: the op has no body}}
  // expected-note @below {{write the op as `linalg.generic` or `linalg.reduce` ops, and put the attribute on one of them}}
  %R = linalg.softmax {acc = f64} dimension(1) ins(%A : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %R : tensor<4x8xf32>
}
