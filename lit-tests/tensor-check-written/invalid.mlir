// RUN: tx-opt %s --tensor-check-written --split-input-file --verify-diagnostics

// A reduction combines with its output, and an empty tensor is uninitialized.
func.func @forgotten_fill(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-note @below {{`tensor.empty` has no values}}
  %empty = tensor.empty() : tensor<4xf32>
  // expected-error @below {{`linalg.reduce` accumulates into output 0, which is uninitialized}}
  // expected-note @below {{initialize the tensor first, and pass the result to `outs`: `%start = linalg.fill}}
  %R = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%empty : tensor<4xf32>) dimensions = [1]
  return %R : tensor<4xf32>
}

// -----

// A generic op with an uninitialized output is an error, even if it has other outputs.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @one_of_two(%A: tensor<?x8xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-note @below {{`tensor.empty` has no values}}
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @below {{`linalg.generic` accumulates into output 1, which is uninitialized}}
  // expected-note @below {{initialize the tensor first, and pass the result to `outs`: `%start = linalg.fill ins(%c : f32)}}
  %s, %p = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x8xf32>) outs(%zeros, %empty : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32, %q: f32):
    %t = arith.addf %o, %x : f32
    %u = arith.mulf %q, %x : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %s, %p : tensor<?xf32>, tensor<?xf32>
}

// -----

// A view of an empty tensor is uninitialized, too, and named ops also combine with their outputs.
func.func @view(%A: tensor<4x8xf32>, %x: tensor<8xf32>) -> tensor<?xf32> {
  // expected-note @below {{`tensor.empty` has no values}}
  %empty = tensor.empty() : tensor<4xf32>
  %cast = tensor.cast %empty : tensor<4xf32> to tensor<?xf32>
  // expected-error @below {{`linalg.matvec` accumulates into output 0, which is uninitialized}}
  // expected-note @below {{initialize the tensor first, and pass the result to `outs`: `%start = linalg.fill ins(%c : f32)}}
  %R = linalg.matvec ins(%A, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%cast : tensor<?xf32>) -> tensor<?xf32>
  return %R : tensor<?xf32>
}
