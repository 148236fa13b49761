// RUN: not tx run %s --device cpu --arg rand:4xf32 --arg zeros:6xf32 --arg zeros:f32 2>&1
// EXIT: 1
// RUN(RIGHT): tx run %s --device cpu --arg rand:4xf32 --arg zeros:4xf32 --arg zeros:f32
// SNAPSHOT: none — what is printed is checked as a whole.

// A result array must have the sizes that the program computes: otherwise excess elements would be used.
// CHECK: error: arg1.dim0 is 6, %A.dim0 is 4: dimension 0 of result 0 (expected arg1.dim0 == %A.dim0)
// CHECK: TX0809
// RIGHT:      argument 1: 4xf32
// RIGHT-NEXT: [1. 1. 1. 1.]
// RIGHT:      argument 2: f32
// RIGHT-NEXT: 4.0
func.func private @ones(%A: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %A, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%i : tensor<?xf32>) outs(%z : tensor<f32>) dimensions = [0]
  return %i, %r : tensor<?xf32>, tensor<f32>
}
