// RUN: tx-opt %s --lower-reduction=chip=sm_90
// VALIDATE: --chip sm_90
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Two blocks of a cluster hold a row of dynamic length. The host launches the kernel for multiples only if the grid
// has a cluster for each row, so this kernel has no loop over rows, and its blocks exchange results with `st.async`.
// The kernel for other lengths has such a loop, and exchanges results with cluster barriers.

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: gpu.func @contiguous_0(
// CHECK-SAME:    known_cluster_size = array<i32: 2, 1, 1>
// CHECK-SAME:    lengths = "`r0` up to 128, multiples of 4"
// CHECK-NOT:     scf.for
// CHECK:         nvvm.mbarrier.try_wait
// CHECK-LABEL: gpu.func @contiguous_1(
// CHECK-SAME:    lengths = "`r0` up to 128"
// CHECK:         scf.for
// CHECK-NOT:     nvvm.mbarrier
// CHECK-LABEL: func.func @contiguous(
// CHECK:         arith.maxsi
func.func @contiguous(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%n) : memref<?xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [
        #tile.case<"r0" to 128 multiple_of 4, [#tile.split<"r0" by 128>, #tile.split<"r0.i" by 4>, #tile.bind<"p0" to block_x>,
                                               #tile.split<"r0.i.o" by 16>, #tile.bind<"r0.i.o.o" to cluster_x>,
                                               #tile.split<"r0.i.o.i" by 8>, #tile.bind<"r0.i.o.i.i" to thread_x>,
                                               #tile.unroll<"r0.i.o.i.o">, #tile.vectorize<"r0.i.i">,
                                               #tile.hold<"in0" in registers>, #tile.hold<"tmp0" in registers>]>,
        #tile.case<"r0" to 128, [#tile.split<"r0" by 128>, #tile.bind<"p0" to block_x>, #tile.split<"r0.i" by 64>,
                                 #tile.bind<"r0.i.o" to cluster_x>, #tile.split<"r0.i.i" by 8>, #tile.bind<"r0.i.i.i" to thread_x>,
                                 #tile.unroll<"r0.i.i.o">, #tile.hold<"in0" in registers>, #tile.hold<"tmp0" in registers>]>]}
      : memref<?x?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max : memref<?x?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %m: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  }
  memref.dealloc %max : memref<?xf32>
  return
}

// The blocks of the cluster alternate over the row: each block holds 32 of 64 elements, twice. The kernel is for 65 to
// 128 elements, so the first 64 elements are inside every row and have no bounds check.
// CHECK-LABEL: gpu.func @alternating_1(
// CHECK-SAME:    lengths = "`r0` from 65 to 128, multiples of 4"
// CHECK-NOT:     scf.for
// CHECK:         nvvm.mbarrier.try_wait
func.func @alternating(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%n) : memref<?xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [
        #tile.case<"r0" to 64, [#tile.split<"r0" by 64>, #tile.bind<"p0" to block_x>, #tile.split<"r0.i" by 8>,
                                #tile.bind<"r0.i.i" to thread_x>, #tile.unroll<"r0.i.o">, #tile.hold<"in0" in registers>,
                                #tile.hold<"tmp0" in registers>]>,
        #tile.case<"r0" to 128 multiple_of 4, [#tile.split<"r0" by 128>, #tile.split<"r0.i" by 4>, #tile.bind<"p0" to block_x>,
                                               #tile.split<"r0.i.o" by 16>, #tile.split<"r0.i.o.i" by 8>,
                                               #tile.bind<"r0.i.o.i.o" to cluster_x>, #tile.bind<"r0.i.o.i.i" to thread_x>,
                                               #tile.unroll<"r0.i.o.o">, #tile.vectorize<"r0.i.i">,
                                               #tile.hold<"in0" in registers>, #tile.hold<"tmp0" in registers>]>]}
      : memref<?x?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max : memref<?x?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %m: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  }
  memref.dealloc %max : memref<?xf32>
  return
}
