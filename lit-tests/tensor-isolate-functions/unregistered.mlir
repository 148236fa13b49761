// RUN: tx-opt %s --allow-unregistered-dialect --tensor-isolate-functions
// SNAPSHOT: none — CHECK lines state which function is moved
// ROUNDTRIP: none — the output is read with the same flag only

// A function with an op of an unregistered dialect does not change.
// CHECK:       module attributes {tile.isolated} {
// CHECK-NEXT:    func.func @known
// CHECK:       }
// CHECK:       func.func @unknown
// CHECK-NEXT:    "stablehlo.abs"
func.func @known(%A: tensor<4xf32>) -> tensor<4xf32> {
  %B = math.absf %A : tensor<4xf32>
  return %B : tensor<4xf32>
}
func.func @unknown(%A: tensor<4xf32>) -> tensor<4xf32> {
  %B = "stablehlo.abs"(%A) : (tensor<4xf32>) -> tensor<4xf32>
  return %B : tensor<4xf32>
}
