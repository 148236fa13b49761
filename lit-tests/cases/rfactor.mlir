// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Schedules with `rfactor`: separate partial results in memory or registers, and their combination.

// A matrix product: the innermost of three parts of the reduced loop has separate partial results.
// COMPARE: @matmul(A: 64x64xf32, B: 64x64xf32, C: 64x64xf32) C = sum(reshape(A, [64, 1, 64]) * reshape(B, [1, 64, 64]), 2)
// COUNT: @matmul_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 5
// COUNT: @matmul_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @matmul gpu.launch_func = 2, memref.alloc = 1
func.func @matmul(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  tile.reduce sum %A, %B into %C axes [2] scope(grid) {
      maps = [affine_map<(i, j, k) -> (i, k)>,
        affine_map<(i, j, k) -> (j, k)>,
        affine_map<(i, j, k) -> (i, j)>],
      schedule = [#tile.split<"d2" by 32>,
        #tile.split<"d2.i" by 4>,
        #tile.rfactor<"d2.i.i">]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index, %k: index):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  }
      : memref<64x64xf32>, memref<64x64xf32> into memref<64x64xf32>
  return
}

// A matrix product in `linalg`, into an output filled with zeros.
// COMPARE: @matmul_of_linalg(A: 64x64xf32, B: 64x64xf32, C: 64x64xf32) C = sum(reshape(A, [64, 1, 64]) * reshape(B, [1, 64, 64]), 2)
// COUNT: @matmul_of_linalg_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 5
// COUNT: @matmul_of_linalg_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @matmul_of_linalg gpu.launch_func = 2, memref.alloc = 1
func.func @matmul_of_linalg(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %C_start = arith.constant 0.0 : f32
  linalg.fill ins(%C_start : f32) outs(%C : memref<64x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
        affine_map<(i, j, k) -> (j, k)>,
        affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<64x64xf32>, memref<64x64xf32>) outs(%C : memref<64x64xf32>)
      attrs = {schedule = [#tile.split<"d2" by 32>,
        #tile.split<"d2.i" by 4>,
        #tile.rfactor<"d2.i.i">]} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %v0 = arith.mulf %a, %b : f32
    %v1 = arith.addf %c, %v0 : f32
    linalg.yield %v1 : f32
  }
  return
}

// Two reduced dimensions, of which one has separate partial results.
// COMPARE: @square_sum(A: 16x64x64xf32, D: 16xf32) D = sum(A * A, [1, 2])
// COUNT: @square_sum_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 3
// COUNT: @square_sum_1 barriers = 1, shuffles = 1, loads = 12, shared loads = 8, stores = 2, shared stores = 1
// COUNT: @square_sum_1 scf.if = 2
// COUNT: @square_sum gpu.launch_func = 2, memref.alloc = 1
func.func @square_sum(%A: memref<16x64x64xf32>, %D: memref<16xf32>) {
  tile.reduce sum %A into %D axes [1, 2] scope(grid) {
      maps = [affine_map<(b, i, j) -> (b, i, j)>,
        affine_map<(b, i, j) -> (b)>],
      schedule = [#tile.rfactor<"d2">]} element {
  ^bb0(%x: f32, %b: index, %i: index, %j: index):
    %p = arith.mulf %x, %x : f32
    tile.yield %p : f32
  }
      : memref<16x64x64xf32> into memref<16xf32>
  return
}

// The epilogue runs once, after all partial results are combined.
// COMPARE: @square_sum_root(A: 16x64x64xf32, D: 16xf32) D = sqrt(sum(A * A, [1, 2]))
// COUNT: @square_sum_root_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 3
// COUNT: @square_sum_root_1 barriers = 1, shuffles = 1, loads = 12, shared loads = 8, stores = 2, shared stores = 1
// COUNT: @square_sum_root_1 scf.if = 2
// COUNT: @square_sum_root gpu.launch_func = 2, memref.alloc = 1
func.func @square_sum_root(%A: memref<16x64x64xf32>, %D: memref<16xf32>) {
  tile.reduce sum %A into %D axes [1, 2] scope(grid) {
      maps = [affine_map<(b, i, j) -> (b, i, j)>,
        affine_map<(b, i, j) -> (b)>],
      schedule = [#tile.rfactor<"d2">]} element {
  ^bb0(%x: f32, %b: index, %i: index, %j: index):
    %p = arith.mulf %x, %x : f32
    tile.yield %p : f32
  } epilogue {
  ^bb0(%sum: f32, %b: index):
    %root = math.sqrt %sum : f32
    tile.yield %root : f32
  }
      : memref<16x64x64xf32> into memref<16xf32>
  return
}

// Two dimensions are fused, and split by a number that does not divide their product.
// COMPARE: @fused_square_sum_root(A: 16x64x64xf32, D: 16xf32) D = sqrt(sum(A * A, [1, 2]))
// COUNT: @fused_square_sum_root_0 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 4
// COUNT: @fused_square_sum_root_1 barriers = 1, shuffles = 1, loads = 12, shared loads = 8, stores = 2
// COUNT: @fused_square_sum_root_1 shared stores = 1, scf.if = 6
// COUNT: @fused_square_sum_root_2 barriers = 0, shuffles = 0, loads = 1, stores = 1
// COUNT: @fused_square_sum_root gpu.launch_func = 3, memref.alloc = 2
func.func @fused_square_sum_root(%A: memref<16x64x64xf32>, %D: memref<16xf32>) {
  %C = memref.alloc() : memref<16xf32>
  tile.reduce sum %A into %C axes [1, 2] scope(grid) {
      maps = [affine_map<(b, i, j) -> (b, i, j)>,
        affine_map<(b, i, j) -> (b)>],
      schedule = [#tile.fuse<["d1", "d2"] to "r">,
        #tile.split<"r" by 119>,
        #tile.rfactor<"r.o">]} element {
  ^bb0(%x: f32, %b: index, %i: index, %j: index):
    %p = arith.mulf %x, %x : f32
    tile.yield %p : f32
  }
      : memref<16x64x64xf32> into memref<16xf32>
  linalg.generic {indexing_maps = [affine_map<(b) -> (b)>,
        affine_map<(b) -> (b)>],
      iterator_types = ["parallel"]}
      ins(%C : memref<16xf32>) outs(%D : memref<16xf32>) {
  ^bb0(%sum: f32, %old: f32):
    %root = math.sqrt %sum : f32
    linalg.yield %root : f32
  }
  memref.dealloc %C : memref<16xf32>
  return
}

// Written by hand: the partial results are dimension 0 of the temporary, and the axis is negative.
// COMPARE: @partials_first(A: 64x64xf32, B: 64x64xf32, C: 64x64xf32) C = sum(reshape(A, [64, 1, 64]) * reshape(B, [1, 64, 64]), 2)
// COUNT: @partials_first_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 1
// COUNT: @partials_first_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @partials_first gpu.launch_func = 2, memref.alloc = 1
func.func @partials_first(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %A_cut = memref.expand_shape %A [[0], [1, 2]] output_shape [64, 16, 4] : memref<64x64xf32> into memref<64x16x4xf32>
  %B_cut = memref.expand_shape %B [[0], [1, 2]] output_shape [64, 16, 4] : memref<64x64xf32> into memref<64x16x4xf32>
  %partial = memref.alloc() : memref<4x64x64xf32>
  tile.reduce sum %A_cut, %B_cut into %partial axes [2] scope(grid) {
      maps = [affine_map<(i, j, ko, ki) -> (i, ko, ki)>,
        affine_map<(i, j, ko, ki) -> (j, ko, ki)>,
        affine_map<(i, j, ko, ki) -> (ki, i, j)>]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index, %ko: index, %ki: index):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  }
      : memref<64x16x4xf32>, memref<64x16x4xf32> into memref<4x64x64xf32>
  tile.reduce sum %partial into %C axes [-3] scope(grid)
      : memref<4x64x64xf32> into memref<64x64xf32>
  memref.dealloc %partial : memref<4x64x64xf32>
  return
}

// Written by hand: the partial results are a middle dimension of the temporary.
// COMPARE: @partials_between(A: 64x64xf32, B: 64x64xf32, C: 64x64xf32) C = sum(reshape(A, [64, 1, 64]) * reshape(B, [1, 64, 64]), 2)
// COUNT: @partials_between_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 1
// COUNT: @partials_between_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @partials_between gpu.launch_func = 2, memref.alloc = 1
func.func @partials_between(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %A_cut = memref.expand_shape %A [[0], [1, 2]] output_shape [64, 16, 4] : memref<64x64xf32> into memref<64x16x4xf32>
  %B_cut = memref.expand_shape %B [[0], [1, 2]] output_shape [64, 16, 4] : memref<64x64xf32> into memref<64x16x4xf32>
  %partial = memref.alloc() : memref<64x4x64xf32>
  tile.reduce sum %A_cut, %B_cut into %partial axes [2] scope(grid) {
      maps = [affine_map<(i, j, ko, ki) -> (i, ko, ki)>,
        affine_map<(i, j, ko, ki) -> (j, ko, ki)>,
        affine_map<(i, j, ko, ki) -> (i, ki, j)>]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index, %ko: index, %ki: index):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  }
      : memref<64x16x4xf32>, memref<64x16x4xf32> into memref<64x4x64xf32>
  tile.reduce sum %partial into %C axes [-2] scope(grid)
      : memref<64x4x64xf32> into memref<64x64xf32>
  memref.dealloc %partial : memref<64x4x64xf32>
  return
}

// Written by hand: the partial results are the last dimension of the temporary.
// COMPARE: @partials_last(A: 64x64xf32, B: 64x64xf32, C: 64x64xf32) C = sum(reshape(A, [64, 1, 64]) * reshape(B, [1, 64, 64]), 2)
// COUNT: @partials_last_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 1
// COUNT: @partials_last_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @partials_last gpu.launch_func = 2, memref.alloc = 1
func.func @partials_last(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %A_cut = memref.expand_shape %A [[0], [1, 2]] output_shape [64, 16, 4] : memref<64x64xf32> into memref<64x16x4xf32>
  %B_cut = memref.expand_shape %B [[0], [1, 2]] output_shape [64, 16, 4] : memref<64x64xf32> into memref<64x16x4xf32>
  %partial = memref.alloc() : memref<64x64x4xf32>
  tile.reduce sum %A_cut, %B_cut into %partial axes [2] scope(grid) {
      maps = [affine_map<(i, j, ko, ki) -> (i, ko, ki)>,
        affine_map<(i, j, ko, ki) -> (j, ko, ki)>,
        affine_map<(i, j, ko, ki) -> (i, j, ki)>]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index, %ko: index, %ki: index):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  }
      : memref<64x16x4xf32>, memref<64x16x4xf32> into memref<64x64x4xf32>
  tile.reduce sum %partial into %C axes [2] scope(grid)
      : memref<64x64x4xf32> into memref<64x64xf32>
  memref.dealloc %partial : memref<64x64x4xf32>
  return
}

// Every element is a partial result, and the result has rank 0.
// COMPARE: @everything(A: 128xf32, B: f32) B = sum(A, [0])
// COUNT: @everything_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @everything_1 barriers = 1, shuffles = 5, loads = 4, shared loads = 2, stores = 2, shared stores = 1
// COUNT: @everything_1 scf.if = 2
// COUNT: @everything gpu.launch_func = 2, memref.alloc = 1
func.func @everything(%A: memref<128xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {
      schedule = [#tile.rfactor<"d0">]}
      : memref<128xf32> into memref<f32>
  return
}

// Eight separate partial results.
// COMPARE: @everything_split(A: 128xf32, B: f32) B = sum(A, [0])
// COUNT: @everything_split_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT: @everything_split_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @everything_split gpu.launch_func = 2, memref.alloc = 1
func.func @everything_split(%A: memref<128xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {
      schedule = [#tile.split<"d0" by 8>,
        #tile.rfactor<"d0.i">]}
      : memref<128xf32> into memref<f32>
  return
}

// Four reductions, each of which reads the result of the previous one.
// COMPARE: @one_after_the_other(A: 16x16x16xf32, C: 16x16xf32, D: 16x16xf32, E: 16x16xf32, F: 16x16xf32) C = sum(A, 2); c = sum(A, 2); d = sum(A + reshape(c, [16, 16, 1]), 2); D = d; e = sum(A + reshape(d, [16, 16, 1]), 2); E = e; F = sum(A + reshape(e, [16, 16, 1]), 2)
// COUNT: @one_after_the_other_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 4
// COUNT: @one_after_the_other_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @one_after_the_other_2 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 4
// COUNT: @one_after_the_other_3 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @one_after_the_other_4 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 4
// COUNT: @one_after_the_other_5 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @one_after_the_other_6 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 4
// COUNT: @one_after_the_other_7 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @one_after_the_other gpu.launch_func = 8, memref.alloc = 4
func.func @one_after_the_other(%A: memref<16x16x16xf32>, %C: memref<16x16xf32>, %D: memref<16x16xf32>, %E: memref<16x16xf32>, %F: memref<16x16xf32>) {
  tile.reduce sum %A into %C axes [2] scope(grid) {
      maps = [affine_map<(i, j, k) -> (i, j, k)>,
        affine_map<(i, j, k) -> (i, j)>],
      schedule = [#tile.split<"d2" by 4>,
        #tile.rfactor<"d2.i">]}
      : memref<16x16x16xf32> into memref<16x16xf32>
  tile.reduce sum %A, %C into %D axes [2] scope(grid) {
      maps = [affine_map<(i, j, k) -> (i, j, k)>,
        affine_map<(i, j, k) -> (i, j)>,
        affine_map<(i, j, k) -> (i, j)>],
      schedule = [#tile.split<"d2" by 4>,
        #tile.rfactor<"d2.i">]} element {
  ^bb0(%a: f32, %more: f32, %i: index, %j: index, %k: index):
    %s = arith.addf %a, %more : f32
    tile.yield %s : f32
  }
      : memref<16x16x16xf32>, memref<16x16xf32> into memref<16x16xf32>
  tile.reduce sum %A, %D into %E axes [2] scope(grid) {
      maps = [affine_map<(i, j, k) -> (i, j, k)>,
        affine_map<(i, j, k) -> (i, j)>,
        affine_map<(i, j, k) -> (i, j)>],
      schedule = [#tile.split<"d2" by 4>,
        #tile.rfactor<"d2.i">]} element {
  ^bb0(%a: f32, %more: f32, %i: index, %j: index, %k: index):
    %s = arith.addf %a, %more : f32
    tile.yield %s : f32
  }
      : memref<16x16x16xf32>, memref<16x16xf32> into memref<16x16xf32>
  tile.reduce sum %A, %E into %F axes [2] scope(grid) {
      maps = [affine_map<(i, j, k) -> (i, j, k)>,
        affine_map<(i, j, k) -> (i, j)>,
        affine_map<(i, j, k) -> (i, j)>],
      schedule = [#tile.split<"d2" by 4>,
        #tile.rfactor<"d2.i">]} element {
  ^bb0(%a: f32, %more: f32, %i: index, %j: index, %k: index):
    %s = arith.addf %a, %more : f32
    tile.yield %s : f32
  }
      : memref<16x16x16xf32>, memref<16x16xf32> into memref<16x16xf32>
  return
}

// A fused window has separate partial results; the results keep dimensions of size 1.
// COMPARE: @pool(A: 1x512x7x7xf32, B: 1x512x1x1xf32) B = reshape(sum(A, [2, 3]), [1, 512, 1, 1])
// COUNT: @pool_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT: @pool_1 barriers = 4, shuffles = 0, loads = 44, shared loads = 32, vector loads = 8, stores = 8
// COUNT: @pool_1 shared stores = 4, scf.for = 2, scf.if = 27
// COUNT: @pool gpu.launch_func = 2, memref.alloc = 1
func.func @pool(%A: memref<1x512x7x7xf32>, %B: memref<1x512x1x1xf32>) {
  tile.reduce sum %A into %B axes [2, 3] scope(grid) {
      schedule = [#tile.fuse<["d2", "d3"] to "window">,
        #tile.rfactor<"window">]}
      : memref<1x512x7x7xf32> into memref<1x512x1x1xf32>
  return
}

// A loop with separate partial results is bound to threads.
// COMPARE: @on_threads(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @on_threads_0 barriers = 2, shuffles = 5, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @on_threads_0 shared stores = 1, scf.for = 1, scf.if = 2
// COUNT: @on_threads gpu.launch_func = 1
func.func @on_threads(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.rfactor<"d1">,
        #tile.bind<"d1" to thread_x>]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// A loop with separate partial results is bound to blocks.
// COMPARE: @on_blocks(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @on_blocks_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @on_blocks_1 barriers = 4, shuffles = 0, loads = 44, shared loads = 32, vector loads = 8, stores = 8
// COUNT: @on_blocks_1 shared stores = 4, scf.for = 3, scf.if = 2
// COUNT: @on_blocks gpu.launch_func = 2, memref.alloc = 1
func.func @on_blocks(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.rfactor<"d1">,
        #tile.bind<"d1" to block_x>]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// A loop with separate partial results is unrolled.
// COMPARE: @unrolled(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @unrolled_0 barriers = 0, shuffles = 0, loads = 8, stores = 8, scf.for = 9
// COUNT: @unrolled_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @unrolled gpu.launch_func = 2, memref.alloc = 1
func.func @unrolled(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 8>,
        #tile.rfactor<"d1.i">,
        #tile.unroll<"d1.i">]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// A loop with separate partial results outside a vectorized loop.
// COMPARE: @vectorized(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @vectorized_0 barriers = 0, shuffles = 0, loads = 9, vector loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT: @vectorized_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @vectorized gpu.launch_func = 2, memref.alloc = 1
func.func @vectorized(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 8>,
        #tile.rfactor<"d1.o">,
        #tile.vectorize<"d1.i">]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// The filled array is not the destination, so old values of the destination are combined.
// COMPARE: @onto_other_values(A: 128x128xf32, B: 128xf32, C: 128xf32) B = B + sum(A, 1); C = abs(C * 0.0)
// COUNT: @onto_other_values_0 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @onto_other_values_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 3
// COUNT: @onto_other_values_2 barriers = 1, shuffles = 0, loads = 19, shared loads = 2, stores = 2, shared stores = 1
// COUNT: @onto_other_values_2 scf.if = 1
// COUNT: @onto_other_values gpu.launch_func = 3, memref.alloc = 1
func.func @onto_other_values(%A: memref<128x128xf32>, %B: memref<128xf32>, %C: memref<128xf32>) {
  %C_start = arith.constant 0.0 : f32
  linalg.fill ins(%C_start : f32) outs(%C : memref<128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<128x128xf32>) outs(%B : memref<128xf32>)
      attrs = {schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A sum with the initial value 1.
// COMPARE: @onto_ones(A: 128x128xf32, B: 128xf32) B = sum(A, 1) + 1.0
// COUNT: @onto_ones_0 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @onto_ones_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 3
// COUNT: @onto_ones_2 barriers = 1, shuffles = 0, loads = 19, shared loads = 2, stores = 2, shared stores = 1
// COUNT: @onto_ones_2 scf.if = 1
// COUNT: @onto_ones gpu.launch_func = 3, memref.alloc = 1
func.func @onto_ones(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  %B_start = arith.constant 1.0 : f32
  linalg.fill ins(%B_start : f32) outs(%B : memref<128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<128x128xf32>) outs(%B : memref<128xf32>)
      attrs = {schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  }
  return
}

// The tiles exceed the loop: 13 iterations for 10 elements.
// COMPARE: @uneven_outer(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @uneven_outer_0 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 4
// COUNT: @uneven_outer_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @uneven_outer gpu.launch_func = 2, memref.alloc = 1
func.func @uneven_outer(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 10>,
        #tile.rfactor<"d1.o">]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// Tiles of 10 iterations for 13 elements.
// COMPARE: @uneven_inner(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @uneven_inner_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 3, scf.if = 1
// COUNT: @uneven_inner_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @uneven_inner gpu.launch_func = 2, memref.alloc = 1
func.func @uneven_inner(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 10>,
        #tile.rfactor<"d1.i">]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// 13 threads with separate partial results.
// COMPARE: @uneven_on_threads(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @uneven_on_threads_0 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT: @uneven_on_threads gpu.launch_func = 1
func.func @uneven_on_threads(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 10>,
        #tile.rfactor<"d1.o">,
        #tile.bind<"d1.o" to thread_x>]}
      : memref<128x128xf32> into memref<128xf32>
  return
}
