// RUN: tx-opt %s --func-compute-sizes --canonicalize
// RUN(GOOD): tx run %s --entry told --device cpu --arg full:3:7x6xi8 --arg 21 --arg 2 --arg zeros:21x2xi8
// RUN(BAD): not tx run %s --entry told --device cpu --arg full:3:7x6xi8 --arg 21 --arg 3 --arg zeros:21x3xi8 2>&1
// EXIT: 1
// SNAPSHOT: none — CHECK lines state what becomes of each

// Sizes from other sources are compared at launch.
// CHECK-LABEL: func.func @told(
// CHECK:         cf.assert %{{.+}}, "elements of a reshaped tensor"
// CHECK:         tensor.collapse_shape %{{.+}} {{\[\[}}0, 1]]
// CHECK:         tensor.expand_shape %{{.+}} {{\[\[}}0, 1]] output_shape [%{{.+}}, %{{.+}}]
// GOOD:          argument 3: 21x2xi8
// BAD:           error: {{.*}} is 42, {{.*}} is 63: elements of a reshaped tensor
func.func @told(%A: tensor<7x?xi8>, %n: index, %m: index) -> tensor<?x?xi8> {
  %s = tensor.from_elements %n, %m : tensor<2xindex>
  %B = tensor.reshape %A(%s) : (tensor<7x?xi8>, tensor<2xindex>) -> tensor<?x?xi8>
  return %B : tensor<?x?xi8>
}

// An array filled elsewhere stays, because the host has no copy of it. An index out of bounds stays, too.
// CHECK-LABEL: func.func @not_known(
// CHECK:         tensor.extract %{{.+}}[%{{.+}}] : tensor<2xindex>
// CHECK:         tensor.reshape
func.func @not_known(%A: tensor<?xf32>, %S: tensor<2xindex>) -> (tensor<?x?xf32>, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %S[%c0] : tensor<2xindex>
  %B = tensor.reshape %A(%S) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %B, %n : tensor<?x?xf32>, index
}

// CHECK-LABEL: func.func @outside(
// CHECK:         tensor.extract
func.func @outside(%n: index, %m: index) -> index {
  %c2 = arith.constant 2 : index
  %s = tensor.from_elements %n, %m : tensor<2xindex>
  %x = tensor.extract %s[%c2] : tensor<2xindex>
  return %x : index
}
