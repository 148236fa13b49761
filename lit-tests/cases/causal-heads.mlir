// RUN: tx-opt %s --tensors-to-memrefs --lower-reduction=chip=sm_90
// SNAPSHOT: none — one kernel, one store per element and the results are checked.
// COMPARE: @heads(A: 2x3x7x100xf32 in -9..9, B: 2x3x7x100xf32) w = index(A, 3) <= index(A, 2); m = max(select(w, A, 0.0 - 99.0), 3, keep); e = select(w, exp(A - m), 0.0); B = e / sum(e, 3, keep)

// An attention mask for all heads, on tensors. The masked scores and the result share an array. Threads keep the scores in
// registers and store only the result, two vectors each.
// CHECK-LABEL: gpu.func @heads_0(
// CHECK-COUNT-2: vector.store
// CHECK-NOT:   vector.store
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @heads(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
#whole = affine_map<(b, h, i, j) -> (b, h, i, j)>
#row = affine_map<(b, h, i, j) -> (b, h, i)>
#mask = affine_map<(b, h, i, j) -> (i, j)>
#pair = affine_map<(i, j) -> (i, j)>
func.func @heads(%A: tensor<2x3x7x100xf32>) -> tensor<2x3x7x100xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x3x7x100xf32>
  %r = tensor.empty() : tensor<2x3x7xf32>
  %mm = tensor.empty() : tensor<7x100xi1>
  %mask = linalg.generic {indexing_maps = [#pair], iterator_types = ["parallel", "parallel"]} outs(%mm : tensor<7x100xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.cmpi sle, %j, %i : index
    linalg.yield %p : i1
  } -> tensor<7x100xi1>
  %T = linalg.generic {indexing_maps = [#whole, #mask, #whole], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%A, %mask : tensor<2x3x7x100xf32>, tensor<7x100xi1>) outs(%e : tensor<2x3x7x100xf32>) {
  ^bb0(%x: f32, %p: i1, %o: f32):
    %v = arith.select %p, %x, %lowest : f32
    linalg.yield %v : f32
  } -> tensor<2x3x7x100xf32>
  %B = linalg.softmax dimension(3) ins(%T : tensor<2x3x7x100xf32>) outs(%e : tensor<2x3x7x100xf32>) -> tensor<2x3x7x100xf32>
  return %B : tensor<2x3x7x100xf32>
}
