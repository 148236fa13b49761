// RUN: tx-opt %s --tile-form-kernels=chip=sm_90 --tile-schedule=chip=sm_90
// SNAPSHOT: none — that no cluster shares the rows is the matter.

// Each block of a cluster computes the one element per row, and one block stores it. An op that updates
// such an element in place would read the value that another block has stored, so each row belongs to one
// block.
// CHECK-LABEL: gpu.func @updated_0(
// CHECK-NOT:     cluster
// CHECK-LABEL: func.func @updated(
func.func @updated(%A: memref<8x20000xf32>, %S: memref<8xf32>, %U: memref<8xf32>) {
  tile.reduce sum %A into %S axes [1] scope(grid) : memref<8x20000xf32> into memref<8xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%S : memref<8xf32>) outs(%U : memref<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = arith.addf %x, %o : f32
    linalg.yield %e : f32
  }
  tile.reduce max %A into %S axes [1] scope(grid) : memref<8x20000xf32> into memref<8xf32>
  return
}
