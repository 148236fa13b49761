// RUN: tx-opt %s --tensor-check-written --split-input-file --verify-diagnostics

// A reduction combines with its output, and an empty tensor is uninitialized.
func.func @forgotten_fill(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-note @below {{it is empty: a shape without values}}
  %empty = tensor.empty() : tensor<4xf32>
  // expected-error @below {{`linalg.reduce` combines with what output 0 holds, and nothing wrote that before}}
  // expected-note @below {{write what results start from before, and give the result of that to `outs`: `%start = linalg.fill}}
  %R = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%empty : tensor<4xf32>) dimensions = [1]
  return %R : tensor<4xf32>
}

// -----

// A generic op with an uninitialized output is an error, even if it has other outputs.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @one_of_two(%A: tensor<?x8xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-note @below {{it is empty}}
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @below {{`linalg.generic` combines with what output 1 holds}}
  // expected-note @below {{write what results start from}}
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
  // expected-note @below {{it is empty}}
  %empty = tensor.empty() : tensor<4xf32>
  %cast = tensor.cast %empty : tensor<4xf32> to tensor<?xf32>
  // expected-error @below {{`linalg.matvec` combines with what output 0 holds}}
  // expected-note @below {{write what results start from}}
  %R = linalg.matvec ins(%A, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%cast : tensor<?xf32>) -> tensor<?xf32>
  return %R : tensor<?xf32>
}
