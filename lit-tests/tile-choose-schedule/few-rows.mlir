// RUN: tx-opt %s --tile-form-kernels=chip=sm_90 --tile-choose-schedule=chip=sm_90
// SNAPSHOT: none — the lines are checked.
#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The blocks of a cluster share each of a few rows, because the latency of one row determines the time.
// CHECK-LABEL: func.func @few(
// CHECK:       tile.reduce
// CHECK-SAME:  #tile.bind<"r0.o.o" to cluster_x>
func.func @few(%A: memref<64x8000xf32>, %S: memref<64xf32>, %B: memref<64x8000xf32>) {
  tile.reduce sum %A into %S axes [1] scope(grid) : memref<64x8000xf32> into memref<64xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %S : memref<64x8000xf32>, memref<64xf32>) outs(%B : memref<64x8000xf32>) {
  ^bb0(%a: f32, %s: f32, %old: f32):
    %d = arith.subf %a, %s : f32
    linalg.yield %d : f32
  }
  return
}

// CHECK-LABEL: func.func @many(
// CHECK:       tile.reduce
// CHECK-NOT:   cluster_x
func.func @many(%A: memref<65x8000xf32>, %S: memref<65xf32>, %B: memref<65x8000xf32>) {
  tile.reduce sum %A into %S axes [1] scope(grid) : memref<65x8000xf32> into memref<65xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %S : memref<65x8000xf32>, memref<65xf32>) outs(%B : memref<65x8000xf32>) {
  ^bb0(%a: f32, %s: f32, %old: f32):
    %d = arith.subf %a, %s : f32
    linalg.yield %d : f32
  }
  return
}

// The bits of a batch-invariant row do not depend on the number of rows, so its schedule does not either.
// CHECK-LABEL: func.func @invariant(
// CHECK:       tile.reduce
// CHECK-NOT:   cluster_x
func.func @invariant(%A: memref<64x8000xf32>, %S: memref<64xf32>, %B: memref<64x8000xf32>) {
  tile.reduce sum %A into %S axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    : memref<64x8000xf32> into memref<64xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %S : memref<64x8000xf32>, memref<64xf32>) outs(%B : memref<64x8000xf32>) {
  ^bb0(%a: f32, %s: f32, %old: f32):
    %d = arith.subf %a, %s : f32
    linalg.yield %d : f32
  }
  return
}
