// RUN: tx run %s --device cpu --entry returned --arg zeros:5xbf16 --arg zeros:5xbf16
// RUN(INIT): tx run %s --device cpu --entry initial --arg full:1:3x1003xf32 --arg zeros:3xf32
// RUN(SUM): tx run %s --device cpu --entry summed --arg zeros:f64
// RUN(GATHER): tx run %s --device cpu --entry gathered --arg full:2:7xi32 --arg zeros:7xf8E4M3FN
// RUN(SLICE): tx run %s --device cpu --entry sliced --arg 2 --arg full:1:3xf32 --arg zeros:3xf32
// RUN(MASK): tx run %s --device cpu --entry masked --arg full:1:4x3xf16 --arg zeros:4x3xf16
// RUN(SIZE): tx compile %s --entry masked --chip sm_90
// SNAPSHOT: none — what is printed is checked as a whole.

// A constant array as the source of a reduction and of an element-wise op, as initial value, gathered,
// sliced, reshaped, and as a result.
// CHECK:      argument 0: 5xbf16
// CHECK-NEXT: [ 1. -0. inf nan -2.]
// CHECK-NEXT: argument 1: 5xbf16
// CHECK-NEXT: [ 1. -0. inf nan -2.]
func.func @returned() -> (tensor<5xbf16>, tensor<5xbf16>) {
  %w = arith.constant dense<[1.0, -0.0, 0x7F80, 0x7FC0, -2.0]> : tensor<5xbf16>
  return %w, %w : tensor<5xbf16>, tensor<5xbf16>
}
// INIT:      argument 1: 3xf32
// INIT-NEXT: [1004. 1003. 1007.]
func.func @initial(%A: tensor<3x1003xf32>) -> tensor<3xf32> {
  %w = arith.constant dense<[1.0, 0.0, 4.0]> : tensor<3xf32>
  %R = linalg.reduce {arith.addf} ins(%A : tensor<3x1003xf32>) outs(%w : tensor<3xf32>) dimensions = [1]
  return %R : tensor<3xf32>
}
// SUM:      argument 0: f64
// SUM-NEXT: 127.0
func.func @summed() -> tensor<f64> {
  %w = arith.constant dense<[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]> : tensor<7xf64>
  %z = arith.constant dense<0.0> : tensor<f64>
  %R = linalg.reduce {arith.addf} ins(%w : tensor<7xf64>) outs(%z : tensor<f64>) dimensions = [0]
  return %R : tensor<f64>
}
// GATHER:      argument 1: 7xf8E4M3FN
// GATHER-NEXT: [32. 32. 32. 32. 32. 32. 32.]
func.func @gathered(%I: tensor<7xi32>) -> tensor<7xf8E4M3FN> {
  %w = arith.constant dense<[[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]]> : tensor<3x2xf8E4M3FN>
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<7xf8E4M3FN>
  %R = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%I : tensor<7xi32>) outs(%e : tensor<7xf8E4M3FN>) {
  ^bb0(%i: i32, %o: f8E4M3FN):
    %x = arith.index_cast %i : i32 to index
    %v = tensor.extract %w[%x, %c1] : tensor<3x2xf8E4M3FN>
    linalg.yield %v : f8E4M3FN
  } -> tensor<7xf8E4M3FN>
  return %R : tensor<7xf8E4M3FN>
}
// SLICE:      argument 2: 3xf32
// SLICE-NEXT: [ 5.  9. 17.]
func.func @sliced(%n: index, %A: tensor<?xf32>) -> tensor<?xf32> {
  %w = arith.constant dense<[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]> : tensor<7xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %A, %c0 : tensor<?xf32>
  %s = tensor.extract_slice %w[%n] [%d] [1] : tensor<7xf32> to tensor<?xf32>
  %R = linalg.add ins(%s, %A : tensor<?xf32>, tensor<?xf32>) outs(%A : tensor<?xf32>) -> tensor<?xf32>
  return %R : tensor<?xf32>
}
// MASK:      argument 1: 4x3xf16
// MASK-NEXT: {{\[\[}}0. 1. 0.]
// MASK-NEXT: [1. 1. 0.]
// MASK-NEXT: [0. 0. 1.]
// MASK-NEXT: [1. 0. 1.]]
// SIZE: .global .align 64 .b8 {{[a-z0-9_]+}}[12] = {0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1};
func.func @masked(%A: tensor<4x3xf16>) -> tensor<4x3xf16> {
  %m = arith.constant dense<[0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]> : tensor<12xi1>
  %zero = arith.constant 0.0 : f16
  %s = tensor.expand_shape %m [[0, 1]] output_shape [4, 3] : tensor<12xi1> into tensor<4x3xi1>
  %e = tensor.empty() : tensor<4x3xf16>
  %R = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s, %A : tensor<4x3xi1>, tensor<4x3xf16>) outs(%e : tensor<4x3xf16>) {
  ^bb0(%k: i1, %a: f16, %o: f16):
    %v = arith.select %k, %a, %zero : f16
    linalg.yield %v : f16
  } -> tensor<4x3xf16>
  return %R : tensor<4x3xf16>
}
