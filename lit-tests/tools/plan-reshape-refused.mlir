// RUN: not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — the message is checked

// The host cannot read elements of an argument, so they cannot determine sizes.
// CHECK: plan-reshape-refused.mlir:[[# @LINE + 4]]:8: error: `memref.reshape` reads sizes from elements, which are in device memory
// CHECK: note: pass the sizes as arguments and fill the shape with them in the function, or use `memref.expand_shape` and `memref.collapse_shape`
// CHECK: = TX0602
func.func @f(%A: tensor<?xf32>, %S: tensor<2xindex>) -> tensor<?x?xf32> {
  %B = tensor.reshape %A(%S) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %B : tensor<?x?xf32>
}
