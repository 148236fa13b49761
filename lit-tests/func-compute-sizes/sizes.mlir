// RUN: tx-opt %s --func-compute-sizes --canonicalize
// SNAPSHOT: none — CHECK lines state what is computed on the host, and validation what comes out
// VALIDATE

// A reshape to computed sizes becomes a view with the same first dimension and number of elements.
// CHECK-LABEL: func.func @grouped(
// CHECK-NOT:     cf.assert
// CHECK:         tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2, 3]] : tensor<?x8x2x3xf32> into tensor<?x48xf32>
// CHECK:         tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [%{{.+}}, 4, 12]
func.func @grouped(%A: tensor<?x8x2x3xf32>) -> tensor<?x4x12xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %all = arith.constant 48 : i64
  %dim = tensor.dim %A, %c0 : tensor<?x8x2x3xf32>
  %n = arith.index_cast %dim : index to i64
  // A size of -1 is the inferred size.
  %inferred = arith.cmpi slt, %n, %zero : i64
  %known = arith.select %inferred, %one, %n : i64
  %count = arith.extui %inferred : i1 to i64
  %most = arith.cmpi sle, %count, %one : i64
  cf.assert %most, "at most one inferred size"
  %rows = arith.muli %known, %four : i64
  %total = arith.muli %n, %all : i64
  %rest = arith.divsi %total, %rows : i64
  %first = arith.select %inferred, %rest, %n : i64
  %s = tensor.from_elements %first, %four, %rest : tensor<3xi64>
  %B = tensor.reshape %A(%s) : (tensor<?x8x2x3xf32>, tensor<3xi64>) -> tensor<?x4x12xf32>
  return %B : tensor<?x4x12xf32>
}

// Dimensions of size 1 are inserted, in the middle and at the end.
// CHECK-LABEL: func.func @ones(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [%{{.+}}, 1, %{{.+}}]
// CHECK:         tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [%{{.+}}, %{{.+}}, 1]
func.func @ones(%A: tensor<?x?xf32>) -> (tensor<?x1x?xf32>, tensor<?x?x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %A, %c0 : tensor<?x?xf32>
  %m = tensor.dim %A, %c1 : tensor<?x?xf32>
  %s = tensor.from_elements %n, %c1, %m : tensor<3xindex>
  %B = tensor.reshape %A(%s) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x1x?xf32>
  %t = tensor.from_elements %n, %m, %c1 : tensor<3xindex>
  %C = tensor.reshape %A(%t) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x?x1xf32>
  return %B, %C : tensor<?x1x?xf32>, tensor<?x?x1xf32>
}

// Sizes pass through tensors of integers: single values, concatenations, and conversions of widths.
// CHECK-LABEL: func.func @concatenated(
// CHECK-NOT:     tensor.extract
// CHECK-NOT:     tensor.from_elements
// CHECK:         tensor.empty(%{{.+}}, %{{.+}}) : tensor<?x?xf32>
func.func @concatenated(%A: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.5 : f32
  %n = tensor.dim %A, %c0 : tensor<?x?xf32>
  %n32 = arith.index_cast %n : index to i32
  %first = tensor.from_elements %n32 : tensor<i32>
  %m = tensor.dim %A, %c1 : tensor<?x?xf32>
  %m32 = arith.index_cast %m : index to i32
  %second = tensor.from_elements %m32 : tensor<i32>
  %e64 = tensor.empty() : tensor<i64>
  %wide = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%second : tensor<i32>) outs(%e64 : tensor<i64>) {
  ^bb0(%i: i32, %o: i64):
    %w = arith.extsi %i : i32 to i64
    linalg.yield %w : i64
  } -> tensor<i64>
  %e32 = tensor.empty() : tensor<i32>
  %narrow = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%wide : tensor<i64>) outs(%e32 : tensor<i32>) {
  ^bb0(%i: i64, %o: i32):
    %w = arith.trunci %i : i64 to i32
    linalg.yield %w : i32
  } -> tensor<i32>
  %a = tensor.expand_shape %first [] output_shape [1] : tensor<i32> into tensor<1xi32>
  %b = tensor.expand_shape %narrow [] output_shape [1] : tensor<i32> into tensor<1xi32>
  %e2 = tensor.empty() : tensor<2xi32>
  %both = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e2 : tensor<2xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %is_first = arith.cmpi ult, %i, %c1 : index
    %size = scf.if %is_first -> i32 {
      %v = tensor.extract %a[%i] : tensor<1xi32>
      scf.yield %v : i32
    } else {
      %j = arith.subi %i, %c1 : index
      %v = tensor.extract %b[%j] : tensor<1xi32>
      scf.yield %v : i32
    }
    linalg.yield %size : i32
  } -> tensor<2xi32>
  %v0 = tensor.extract %both[%c0] : tensor<2xi32>
  %v1 = tensor.extract %both[%c1] : tensor<2xi32>
  %d0 = arith.index_cast %v0 : i32 to index
  %d1 = arith.index_cast %v1 : i32 to index
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %R = linalg.fill ins(%x : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %R : tensor<?x?xf32>
}
