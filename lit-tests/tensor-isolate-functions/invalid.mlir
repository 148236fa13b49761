// RUN: tx-opt %s --tensor-isolate-functions --split-input-file --verify-diagnostics

// The attribute of the nested module is valid on modules only.
// expected-error @below {{'func.func' op has no attribute `tile.isolated`; known: tile.candidates, tile.determinism, tile.fusion, tile.group, tile.math, tile.owned}}
func.func @f(%A: tensor<4xf32>) attributes {tile.isolated} {
  return
}

// -----

// A module of the program must not have the attribute, because the restoring pass would remove it.
func.func private @beside()
// expected-error @below {{this module already has the attribute `tile.isolated`}}
// expected-note @below {{only this pass may set the attribute: remove it}}
module attributes {tile.isolated} {
}

// -----

func.func private @beside()
// expected-error @below {{functions on tensors must not be in a nested module}}
// expected-note @below {{move the functions into the enclosing module}}
module @inner {
  func.func @f(%A: tensor<4xf32>) {
    return
  }
}

// -----

// expected-error @below {{`func.func` has a tensor with an encoding}}
// expected-note @below {{tensors are dense, in row-major order}}
func.func @f(%A: tensor<4xf32, 3 : i32>) {
  return
}
