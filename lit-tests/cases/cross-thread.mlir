// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Schedules in which several threads share a result, with ops before and after the reduction.

// Both parts of a split loop are bound to threads, along x and y.
// COMPARE: @two_bound_loops(A: 128x128xf32, B: 128xf32) B = sum(A, [1])
// COUNT: @two_bound_loops_0 barriers = 2, shuffles = 5, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @two_bound_loops_0 shared stores = 1, scf.for = 1, scf.if = 2
// COUNT: @two_bound_loops gpu.launch_func = 1
func.func @two_bound_loops(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.bind<"d1.o" to thread_x>,
        #tile.bind<"d1.i" to thread_y>]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// Threads have separate partial results, and a loop each.
// COMPARE: @partials_of_threads(A: 16x16x16xf32, B: 16xf32) B = sum(A, [1, 2])
// COUNT: @partials_of_threads_0 barriers = 0, shuffles = 2, loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT: @partials_of_threads gpu.launch_func = 1
func.func @partials_of_threads(%A: memref<16x16x16xf32>, %B: memref<16xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid) {
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 4>,
        #tile.rfactor<"d1.o">,
        #tile.bind<"d1.o" to thread_x>]}
      : memref<16x16x16xf32> into memref<16xf32>
  return
}

// Softmax of 256 elements with 512 threads.
// COMPARE: @softmax_guarded(A: 256x256xf32, B: 256x256xf32) e = exp(A - max(A, 1, keep)); B = e / sum(e, 1, keep)
// COUNT: @softmax_guarded_0 barriers = 1, shuffles = 7, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @softmax_guarded_0 shared stores = 1, scf.if = 3
// COUNT: @softmax_guarded_1 barriers = 1, shuffles = 7, loads = 3, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @softmax_guarded_1 shared stores = 1, scf.if = 3
// COUNT: @softmax_guarded_2 barriers = 0, shuffles = 0, loads = 3, stores = 1, scf.if = 1
// COUNT: @softmax_guarded gpu.launch_func = 3, memref.alloc = 2
func.func @softmax_guarded(%A: memref<256x256xf32>, %B: memref<256x256xf32>) {
  %largest = memref.alloc() : memref<256xf32>
  %sums = memref.alloc() : memref<256xf32>
  tile.reduce max %A into %largest axes [1] scope(grid) {
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 512>,
        #tile.bind<"d1.i" to thread_x>]}
      : memref<256x256xf32> into memref<256xf32>
  tile.reduce sum %A, %largest into %sums axes [1] scope(grid) {
      maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i)>],
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 512>,
        #tile.bind<"d1.i" to thread_x>]} element {
  ^bb0(%a: f32, %m: f32, %i: index, %j: index):
    %x = arith.subf %a, %m : f32
    %exp = math.exp %x : f32
    tile.yield %exp : f32
  }
      : memref<256x256xf32>, memref<256xf32> into memref<256xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A, %largest, %sums : memref<256x256xf32>, memref<256xf32>, memref<256xf32>) outs(%B : memref<256x256xf32>)
      attrs = {schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 512>,
        #tile.bind<"d1.i" to thread_x>]} {
  ^bb0(%a: f32, %m: f32, %s: f32, %old: f32):
    %x = arith.subf %a, %m : f32
    %exp = math.exp %x : f32
    %q = arith.divf %exp, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %largest : memref<256xf32>
  memref.dealloc %sums : memref<256xf32>
  return
}

// Softmax that stores its exponentials in memory.
// COMPARE: @softmax_stored(A: 256x256xf32, B: 256x256xf32) e = exp(A - max(A, 1, keep)); B = e / sum(e, 1, keep)
// COUNT: @softmax_stored_0 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 1, scf.if = 1
// COUNT: @softmax_stored_1 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 1
// COUNT: @softmax_stored_2 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 1, scf.if = 1
// COUNT: @softmax_stored_3 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 1
// COUNT: @softmax_stored gpu.launch_func = 4, memref.alloc = 3
func.func @softmax_stored(%A: memref<256x256xf32>, %B: memref<256x256xf32>) {
  %largest = memref.alloc() : memref<256xf32>
  %sums = memref.alloc() : memref<256xf32>
  tile.reduce max %A into %largest axes [1] scope(grid) {
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]}
      : memref<256x256xf32> into memref<256xf32>
  %exponentials = memref.alloc() : memref<256x256xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A, %largest : memref<256x256xf32>, memref<256xf32>) outs(%exponentials : memref<256x256xf32>)
      attrs = {schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]} {
  ^bb0(%a: f32, %m: f32, %old: f32):
    %x = arith.subf %a, %m : f32
    %exp = math.exp %x : f32
    linalg.yield %exp : f32
  }
  tile.reduce sum %exponentials into %sums axes [1] scope(grid) {
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]}
      : memref<256x256xf32> into memref<256xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%exponentials, %sums : memref<256x256xf32>, memref<256xf32>) outs(%B : memref<256x256xf32>)
      attrs = {schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]} {
  ^bb0(%e: f32, %s: f32, %old: f32):
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %largest : memref<256xf32>
  memref.dealloc %sums : memref<256xf32>
  memref.dealloc %exponentials : memref<256x256xf32>
  return
}

// Rows of 150528 elements with two threads. The same weights apply to every row.
// COMPARE: @long_rows(X: 150528xf32, W: 4x1024xf32, Y: 4xf32) Y = sum(reshape(X, [1, 147, 1024]) * reshape(W, [4, 1, 1024]), [1, 2])
// COUNT: @long_rows_0 barriers = 0, shuffles = 1, loads = 2, stores = 1, scf.for = 1, scf.if = 1
// COUNT: @long_rows gpu.launch_func = 1
func.func @long_rows(%X: memref<150528xf32>, %W: memref<4x1024xf32>, %Y: memref<4xf32>) {
  tile.reduce sum %X, %W into %Y axes [1] scope(grid) {
      maps = [affine_map<(i, k) -> (k)>,
        affine_map<(i, k) -> (i, k mod 1024)>,
        affine_map<(i, k) -> (i)>],
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 2>,
        #tile.bind<"d1.i" to thread_x>]} element {
  ^bb0(%x: f32, %w: f32, %i: index, %k: index):
    %p = arith.mulf %x, %w : f32
    tile.yield %p : f32
  }
      : memref<150528xf32>, memref<4x1024xf32> into memref<4xf32>
  return
}

// A block with more threads than rows and elements.
// COMPARE: @more_threads_than_elements(A: 2x32xf32, B: 2xf32) B = sum(A, [1])
// COUNT: @more_threads_than_elements_0 barriers = 1, shuffles = 5, loads = 3, shared loads = 2, stores = 2
// COUNT: @more_threads_than_elements_0 shared stores = 1, scf.if = 4
// COUNT: @more_threads_than_elements gpu.launch_func = 1
func.func @more_threads_than_elements(%A: memref<2x32xf32>, %B: memref<2xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<"d0" by 16>,
        #tile.split<"d1" by 64>,
        #tile.bind<"d0.i" to thread_y>,
        #tile.bind<"d1.i" to thread_x>]}
      : memref<2x32xf32> into memref<2xf32>
  return
}

// A maximum over 128 threads.
// COMPARE: @maximum(A: 128x128xf32, B: 128xf32) B = max(A, [1])
// COUNT: @maximum_0 barriers = 2, shuffles = 5, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @maximum_0 shared stores = 1, scf.for = 1, scf.if = 2
// COUNT: @maximum gpu.launch_func = 1
func.func @maximum(%A: memref<128x128xf32>, %B: memref<128xf32>) {
  tile.reduce max %A into %B axes [1] scope(grid) {
      schedule = [#tile.bind<"d1" to thread_x>]}
      : memref<128x128xf32> into memref<128xf32>
  return
}

// The destination is an array of rank 0.
// COMPARE: @no_dimension(A: 128xf32, B: f32) B = sum(A, [0])
// COUNT: @no_dimension_0 barriers = 1, shuffles = 5, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @no_dimension_0 shared stores = 1, scf.if = 2
// COUNT: @no_dimension gpu.launch_func = 1
func.func @no_dimension(%A: memref<128xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {
      schedule = [#tile.bind<"d0" to thread_x>]}
      : memref<128xf32> into memref<f32>
  return
}

// A custom combiner of a value and its index.
// COMPARE: @argmax_custom(Idx: 128x128xi32, Val: 128x128xf32 of ties, T0: 128xi32, T1: 128xf32) T1 = max(Val, 1); T0 = min(select(Val == max(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmax_custom_0 barriers = 0, shuffles = 10, loads = 2, stores = 2, scf.for = 2, scf.if = 1
// COUNT: @argmax_custom gpu.launch_func = 1
func.func @argmax_custom(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  tile.reduce custom %Idx, %Val into %T0, %T1 axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]} identity [2147483647 : i32, 0xFF800000 : f32] combiner {
  ^bb0(%i: i32, %v: f32, %j: i32, %w: f32):
    %more = arith.cmpf ogt, %v, %w : f32
    %same = arith.cmpf oeq, %v, %w : f32
    %before = arith.cmpi slt, %i, %j : i32
    %first = arith.andi %same, %before : i1
    %left = arith.ori %more, %first : i1
    %value = arith.select %left, %v, %w : f32
    %index = arith.select %left, %i, %j : i32
    tile.yield %index, %value : i32, f32
  }
      : memref<128x128xi32>, memref<128x128xf32> into memref<128xi32>, memref<128xf32>
  return
}

// A custom combiner of a value and its index, written in `linalg`.
// COMPARE: @argmax_of_linalg(Idx: 128x128xi32, Val: 128x128xf32, T0: 128xi32, T1: 128xf32) T1 = max(Val, 1); T0 = min(select(Val == max(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmax_of_linalg_0 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @argmax_of_linalg_1 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @argmax_of_linalg_2 barriers = 0, shuffles = 10, loads = 4, stores = 2, scf.for = 2, scf.if = 1
// COUNT: @argmax_of_linalg gpu.launch_func = 3
func.func @argmax_of_linalg(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  %T0_start = arith.constant -1 : i32
  linalg.fill ins(%T0_start : i32) outs(%T0 : memref<128xi32>)
  %T1_start = arith.constant 0xFF800000 : f32
  linalg.fill ins(%T1_start : f32) outs(%T1 : memref<128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i)>,
        affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%Idx, %Val : memref<128x128xi32>, memref<128x128xf32>) outs(%T0, %T1 : memref<128xi32>, memref<128xf32>)
      attrs = {schedule = [#tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]} {
  ^bb0(%i: i32, %v: f32, %j: i32, %w: f32):
    %keep = arith.cmpf oge, %w, %v : f32
    %index = arith.select %keep, %j, %i : i32
    %value = arith.select %keep, %w, %v : f32
    linalg.yield %index, %value : i32, f32
  }
  return
}

// `argmin`.
// COMPARE: @argmin_named(Idx: 128x128xi32, Val: 128x128xf32 of ties, T0: 128xi32, T1: 128xf32) T1 = min(Val, 1); T0 = min(select(Val == min(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmin_named_0 barriers = 0, shuffles = 10, loads = 2, stores = 2, scf.for = 2, scf.if = 1
// COUNT: @argmin_named gpu.launch_func = 1
func.func @argmin_named(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  tile.reduce argmin %Val, %Idx into %T1, %T0 axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]}
      : memref<128x128xf32>, memref<128x128xi32> into memref<128xf32>, memref<128xi32>
  return
}

// The thread that stores a result computes its epilogue.
// COMPARE: @epilogue(A: 256x256xf32, B: 256xf32) B = sum(A, 1) + 1.0
// COUNT: @epilogue_0 barriers = 1, shuffles = 6, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @epilogue_0 shared stores = 1, scf.if = 2
// COUNT: @epilogue gpu.launch_func = 1
func.func @epilogue(%A: memref<256x256xf32>, %B: memref<256xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.bind<"d1" to thread_x>]} epilogue {
  ^bb0(%sum: f32, %i: index):
    %one = arith.constant 1.0 : f32
    %more = arith.addf %sum, %one : f32
    tile.yield %more : f32
  }
      : memref<256x256xf32> into memref<256xf32>
  return
}

// An epilogue with two additional operands.
// COMPARE: @epilogue_of_arrays(X: 320xf32, W: 64x320xf32, bias: 64xf32, carried: 64xf32, Y: 64xf32) Y = sum(X * W, 1) + bias + carried
// COUNT: @epilogue_of_arrays_0 barriers = 1, shuffles = 5, loads = 6, shared loads = 2, stores = 2, shared stores = 1
// COUNT: @epilogue_of_arrays_0 scf.for = 1, scf.if = 2
// COUNT: @epilogue_of_arrays gpu.launch_func = 1
func.func @epilogue_of_arrays(%X: memref<320xf32>, %W: memref<64x320xf32>, %bias: memref<64xf32>, %carried: memref<64xf32>, %Y: memref<64xf32>) {
  tile.reduce sum %X, %W into %Y with %bias, %carried axes [1] scope(grid) {
      maps = [affine_map<(i, k) -> (k)>,
        affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i)>,
        affine_map<(i, k) -> (i)>,
        affine_map<(i, k) -> (i)>],
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 64>,
        #tile.bind<"d1.i" to thread_x>]} element {
  ^bb0(%x: f32, %w: f32, %i: index, %k: index):
    %p = arith.mulf %x, %w : f32
    tile.yield %p : f32
  } epilogue {
  ^bb0(%sum: f32, %b: f32, %c: f32, %i: index):
    %first = arith.addf %sum, %b : f32
    %second = arith.addf %first, %c : f32
    tile.yield %second : f32
  }
      : memref<320xf32>, memref<64x320xf32> into memref<64xf32> with memref<64xf32>, memref<64xf32>
  return
}

// Two element-wise ops after the reduction, fused into one kernel.
// COMPARE: @consumers(X: 320xf32, W: 64x320xf32, bias: 64xf32, carried: 64xf32, Y: 64xf32) Y = sum(X * W, 1) + bias + carried
// COUNT: @consumers_0 barriers = 1, shuffles = 5, loads = 4, shared loads = 2, stores = 2, shared stores = 1
// COUNT: @consumers_0 scf.for = 1, scf.if = 2
// COUNT: @consumers_1 barriers = 0, shuffles = 0, loads = 3, stores = 1
// COUNT: @consumers gpu.launch_func = 2, memref.alloc = 1
func.func @consumers(%X: memref<320xf32>, %W: memref<64x320xf32>, %bias: memref<64xf32>, %carried: memref<64xf32>, %Y: memref<64xf32>) {
  %sums = memref.alloc() : memref<64xf32>
  %biased = memref.alloc() : memref<64xf32>
  tile.reduce sum %X, %W into %sums axes [1] scope(grid) {
      maps = [affine_map<(i, k) -> (k)>,
        affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i)>],
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 64>,
        #tile.bind<"d1.i" to thread_x>]} element {
  ^bb0(%x: f32, %w: f32, %i: index, %k: index):
    %p = arith.mulf %x, %w : f32
    tile.yield %p : f32
  }
      : memref<320xf32>, memref<64x320xf32> into memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
        affine_map<(i) -> (i)>,
        affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%sums, %bias : memref<64xf32>, memref<64xf32>) outs(%biased : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
        affine_map<(i) -> (i)>,
        affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%biased, %carried : memref<64xf32>, memref<64xf32>) outs(%Y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  memref.dealloc %sums : memref<64xf32>
  memref.dealloc %biased : memref<64xf32>
  return
}

// A consumer bound to the same threads as the reduction.
// COMPARE: @consumer_on_threads(A: 256x256xf32 in 0.5..1.5, B: 256x256xf32) B = A / sum(A, 1, keep)
// COUNT: @consumer_on_threads_0 barriers = 1, shuffles = 6, loads = 2, shared loads = 1, vector loads = 1, stores = 2
// COUNT: @consumer_on_threads_0 shared stores = 1, scf.if = 2
// COUNT: @consumer_on_threads_1 barriers = 0, shuffles = 0, loads = 2, stores = 1
// COUNT: @consumer_on_threads gpu.launch_func = 2, memref.alloc = 1
func.func @consumer_on_threads(%A: memref<256x256xf32>, %B: memref<256x256xf32>) {
  %sums = memref.alloc() : memref<256xf32>
  tile.reduce sum %A into %sums axes [1] scope(grid) {
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.bind<"d1" to thread_x>]}
      : memref<256x256xf32> into memref<256xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A, %sums : memref<256x256xf32>, memref<256xf32>) outs(%B : memref<256x256xf32>)
      attrs = {schedule = [#tile.bind<"d0" to block_x>,
        #tile.bind<"d1" to thread_x>]} {
  ^bb0(%x: f32, %s: f32, %old: f32):
    %q = arith.divf %x, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %sums : memref<256xf32>
  return
}

// One reduction computes sums and sums of squares, then a layer normalization uses both.
// COMPARE: @layer_norm(X: 128x768xf32, gamma: 768xf32, beta: 768xf32, S: 128xf32, Q: 128xf32, Y: 128x768xf32) S = sum(X, 1); Q = sum(X * X, 1); m = sum(X, 1, keep) / 768.0; v = sum(X * X, 1, keep) / 768.0 - m * m; Y = (X - m) / sqrt(v + 0.00001) * gamma + beta
// COUNT: @layer_norm_0 barriers = 0, shuffles = 10, loads = 1, stores = 2, scf.for = 1, scf.if = 1
// COUNT: @layer_norm_1 barriers = 0, shuffles = 0, loads = 10, stores = 2
// COUNT: @layer_norm gpu.launch_func = 2
func.func @layer_norm(%X: memref<128x768xf32>, %gamma: memref<768xf32>, %beta: memref<768xf32>, %S: memref<128xf32>, %Q: memref<128xf32>, %Y: memref<128x768xf32>) {
  tile.reduce custom %X into %S, %Q axes [1] scope(grid) {
      maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i)>],
      schedule = [#tile.bind<"d0" to block_x>,
        #tile.split<"d1" by 32>,
        #tile.bind<"d1.i" to thread_x>]} identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%s: f32, %q: f32, %t: f32, %r: f32):
    %sum = arith.addf %s, %t : f32
    %squares = arith.addf %q, %r : f32
    tile.yield %sum, %squares : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %square = arith.mulf %x, %x : f32
    tile.yield %x, %square : f32, f32
  }
      : memref<128x768xf32> into memref<128xf32>, memref<128xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (j)>,
        affine_map<(i, j) -> (j)>,
        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%X, %S, %Q, %gamma, %beta : memref<128x768xf32>, memref<128xf32>, memref<128xf32>, memref<768xf32>, memref<768xf32>) outs(%Y : memref<128x768xf32>) {
  ^bb0(%x: f32, %s: f32, %q: f32, %g: f32, %b: f32, %old: f32):
    %n = arith.constant 768.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %s, %n : f32
    %mean_of_squares = arith.divf %q, %n : f32
    %square = arith.mulf %mean, %mean : f32
    %variance = arith.subf %mean_of_squares, %square : f32
    %positive = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %positive : f32
    %difference = arith.subf %x, %mean : f32
    %normal = arith.divf %difference, %deviation : f32
    %scaled = arith.mulf %normal, %g : f32
    %shifted = arith.addf %scaled, %b : f32
    linalg.yield %shifted : f32
  }
  return
}
