// RUN: tx-opt %s --tile-list-candidates=chip=sm_90
// SNAPSHOT: none — what counts is where candidates stand, and of which sorts they are

// Ops that share a kernel have one list, on the first op: with more or fewer threads, with a cluster per row,
// and with rows reloaded by each phase.
// CHECK-LABEL: func.func @softmax_like(
// CHECK:         tile.reduce max
// CHECK-SAME:      tile.candidates = ["the H200, which represents sm_90, and lengths of 16x16384",
// CHECK-SAME:      [#tile.split<"r0" by 4>,{{.*}}to cluster_x>{{.*}}#tile.hold<"in0" in registers>
// CHECK:         tile.reduce sum
// CHECK-NOT:     tile.candidates
// CHECK:       return
#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @softmax_like(%A: memref<16x16384xf32>, %B: memref<16x16384xf32>) {
  %max = memref.alloc() : memref<16xf32>
  %sum = memref.alloc() : memref<16xf32>
  tile.reduce max %A into %max axes [1] scope(grid) {tile.group = 0 : i64} : memref<16x16384xf32> into memref<16xf32>
  tile.reduce sum %A, %max into %sum axes [1] scope(grid)
      {maps = [#whole, #row, #row], tile.group = 0 : i64} element {
  ^bb0(%x: f32, %m: f32, %i: index, %j: index):
    %d = arith.subf %x, %m : f32
    tile.yield %d : f32
  } : memref<16x16384xf32>, memref<16xf32> into memref<16xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %sum : memref<16x16384xf32>, memref<16xf32>) outs(%B : memref<16x16384xf32>)
      attrs = {tile.group = 0 : i64} {
  ^bb0(%x: f32, %s: f32, %old: f32):
    %q = arith.divf %x, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %sum : memref<16xf32>
  memref.dealloc %max : memref<16xf32>
  return
}

// A row of dynamic length: each candidate has one case for each class of lengths.
// CHECK-LABEL: func.func @any_length(
// CHECK:         tile.candidates = ["the H200, which represents sm_90, and lengths of {{.*}}, assumed for dynamic sizes", {{\[\[}}#tile.case<"r0" to
func.func @any_length(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%n) : memref<?xf32>
  tile.reduce max %A into %max axes [1] scope(grid) {tile.group = 0 : i64} : memref<?x?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max : memref<?x?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>)
      attrs = {tile.group = 0 : i64} {
  ^bb0(%x: f32, %m: f32, %old: f32):
    %q = arith.subf %x, %m : f32
    linalg.yield %q : f32
  }
  memref.dealloc %max : memref<?xf32>
  return
}

// If the first op has no rows, the list is on this op.
// CHECK-LABEL: func.func @first_is_element_wise(
// CHECK:         linalg.generic
// CHECK:         tile.candidates
// CHECK:         tile.reduce
// CHECK-NOT:     tile.candidates
// CHECK:       return
func.func @first_is_element_wise(%A: memref<64x1000xf32>, %B: memref<64x1000xf32>, %S: memref<64xf32>) {
  linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<64x1000xf32>) outs(%B : memref<64x1000xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%x: f32, %old: f32):
    %q = arith.addf %x, %x : f32
    linalg.yield %q : f32
  }
  tile.reduce sum %B into %S axes [1] scope(grid) {tile.group = 0 : i64} : memref<64x1000xf32> into memref<64xf32>
  return
}
