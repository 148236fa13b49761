// RUN: tx-opt %s --tensors-to-memrefs | tx run - --device cpu --entry loss --arg full:0.25:4x8xf32 --arg full:7:4xi32 --arg zeros:f32
// SNAPSHOT: none — what is printed is checked as a whole.

// A gather from a tensor by `tensor.extract` becomes a gather from memory.
// CHECK:      argument 2: f32
// CHECK-NEXT: 1.
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @loss(%X: tensor<4x8xf32>, %L: tensor<4xi32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]}
      ins(%L : tensor<4xi32>) outs(%f : tensor<f32>) {
  ^bb0(%class: i32, %sum: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %class : i32 to index
    %x = tensor.extract %X[%i, %j] : tensor<4x8xf32>
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
