// RUN: tx-opt %s --tensor-check-written

// Accepted outputs of reductions: filled, only written, or arguments. The module does not change.
// CHECK-LABEL: func.func @rows
// CHECK:       tensor.empty
// CHECK:       linalg.fill
// CHECK:       linalg.reduce
// CHECK:       linalg.exp
// CHECK:       linalg.reduce
func.func @rows(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sums = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  %exp = linalg.exp ins(%sums : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %added = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%B : tensor<4xf32>) dimensions = [1]
  return %exp, %added : tensor<4xf32>, tensor<4xf32>
}
