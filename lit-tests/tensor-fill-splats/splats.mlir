// RUN: tx-opt %s --tensor-fill-splats
// SNAPSHOT: none — CHECK lines state each replacement

// A splat constant as the initial value of a reduction becomes a fill.
// CHECK-LABEL: func.func @constant(
// CHECK:         %[[E:.+]] = tensor.empty() : tensor<8xf32>
// CHECK:         %[[F:.+]] = linalg.fill ins(%{{.+}} : f32) outs(%[[E]] : tensor<8xf32>)
// CHECK:         linalg.reduce {{.+}} outs(%[[F]] : tensor<8xf32>)
func.func @constant(%A: tensor<8x4xf32>) -> tensor<8xf32> {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %s = linalg.reduce {arith.addf} ins(%A : tensor<8x4xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  return %s : tensor<8xf32>
}

// Dynamic sizes come from the `tensor.splat`.
// CHECK-LABEL: func.func @splat(
// CHECK-SAME:    %[[K:.+]]: i8, %[[N:.+]]: index
// CHECK:         %[[E:.+]] = tensor.empty(%[[N]]) : tensor<?x3xi8>
// CHECK:         linalg.fill ins(%[[K]] : i8) outs(%[[E]] : tensor<?x3xi8>)
func.func @splat(%k: i8, %n: index) -> tensor<?x3xi8> {
  %s = tensor.splat %k[%n] : tensor<?x3xi8>
  return %s : tensor<?x3xi8>
}

// CHECK-LABEL: func.func @one_element(
// CHECK:         linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : tensor<f32>)
func.func @one_element(%x: f32) -> tensor<f32> {
  %t = tensor.from_elements %x : tensor<f32>
  return %t : tensor<f32>
}

// A constant of several values is not a splat, and a shape is not filled.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     linalg.fill
// CHECK:         arith.constant dense<[1.{{.+}}, 2.{{.+}}]> : tensor<2xf32>
// CHECK:         tensor.reshape
func.func @others(%A: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<6xf32>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %shape = arith.constant dense<6> : tensor<1xi64>
  %r = tensor.reshape %A(%shape) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  return %c, %r : tensor<2xf32>, tensor<6xf32>
}
