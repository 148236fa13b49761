// RUN: tx-opt %s --tensors-to-memrefs
// SNAPSHOT: none — CHECK lines state what is left of scalars, and validation what is computed

// Scalar code of front ends needs no kernel and no memory: tensors of one number, splat tensors, numbers
// computed from sizes, and whole powers. An assertion of an or-condition becomes a check.
// CHECK-LABEL: func.func @mean_square(
// CHECK-NOT:     memref.store
// CHECK-NOT:     memref.get_global
// CHECK:         linalg.generic {{.+}} "reduction"
// CHECK:           math.fpowi
// CHECK-LABEL: func.func @scaled(
// CHECK-NOT:     memref.load
// CHECK:         linalg.generic
// CHECK:           memref.load %{{.+}}[] : memref<f32>
// CHECK-LABEL: func.func @added(
// CHECK:         arith.ori
// CHECK:         cf.assert
#a = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#i = affine_map<(i) -> (i)>
#n = affine_map<(i) -> ()>
func.func @mean_square(%A: tensor<?x37xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %rows = tensor.dim %A, %c0 : tensor<?x37xf32>
  %size = tensor.dim %A, %c1 : tensor<?x37xf32>
  %whole = arith.index_cast %size : index to i32
  %n = arith.sitofp %whole : i32 to f32
  %t = tensor.from_elements %n : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %z = tensor.splat %zero[%rows] : tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x37xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %q = math.fpowi %x, %two : f32, i64
    %p = arith.addf %o, %q : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %R = linalg.generic {indexing_maps = [#i, #n, #i], iterator_types = ["parallel"]}
      ins(%s, %t : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %q = arith.divf %x, %d : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %R : tensor<?xf32>
}
func.func @scaled(%A: tensor<5x41xf32>, %s: tensor<f32>, %p: tensor<5x41xi32>) -> tensor<5x41xf32> {
  %e = tensor.empty() : tensor<5x41xf32>
  %v = tensor.extract %s[] : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<5x41xf32>
  %w = arith.constant 2.0 : f32
  %u = arith.mulf %v, %w : f32
  %R = linalg.generic {indexing_maps = [#a, #a, #a, #a], iterator_types = ["parallel", "parallel"]}
      ins(%A, %half, %p : tensor<5x41xf32>, tensor<5x41xf32>, tensor<5x41xi32>) outs(%e : tensor<5x41xf32>) {
  ^bb0(%x: f32, %h: f32, %n: i32, %o: f32):
    %y = arith.mulf %x, %u : f32
    %z = arith.addf %y, %h : f32
    %q = math.fpowi %z, %n : f32, i32
    linalg.yield %q : f32
  } -> tensor<5x41xf32>
  return %R : tensor<5x41xf32>
}
func.func @added(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %one = arith.cmpi eq, %n, %c1 : index
  %same = arith.cmpi eq, %n, %m : index
  %either = arith.ori %same, %one : i1
  cf.assert %either, "sizes are the same, or one is 1"
  %e = tensor.empty(%m) : tensor<?xf32>
  %R = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %R : tensor<?xf32>
}
