// RUN: tx-opt %s --tile-schedule=chip=sm_90 --split-input-file --verify-diagnostics

// An unknown loop; the message lists the existing loops.
func.func @unknown_loop(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the schedule names an unknown loop `d2`}}
  // expected-note @below {{loops here: `d0`, `d1`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d2" to block_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A loop that was split no longer exists; the message names its parts.
func.func @split_loop(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the schedule names an unknown loop `d1`}}
  // expected-note @below {{it was split into `d1.o` and `d1.i`; loops here: `d0`, `d1.o`, `d1.i`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 16>, #tile.bind<"d1" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A loop that was fused no longer exists.
func.func @fused_loop(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  // expected-error @below {{the schedule names an unknown loop `d0`}}
  // expected-note @below {{it was fused into `p`; loops here: `p`}}
  tile.reduce sum %A into %B axes [] scope(grid) {schedule = [#tile.fuse<["d0", "d1"] to "p">, #tile.split<"d0" by 2>]} : memref<?x?xf32> into memref<?x?xf32>
  return
}

// -----

// Blocks need partial results or atomics to combine.
func.func @reduced_on_blocks(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` is reduced and bound to block_x: several blocks would write one result}}
  // expected-note @below {{store partial results with `#tile.rfactor<"d1">`; atomics cannot be used: they require `determinism = #tile.determinism<any>`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d1" to block_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A pair cannot be updated by one atomic, whatever the `determinism`.
func.func @no_atomic(%A: memref<?x?xf32>, %B: memref<?xf32>, %I: memref<?xi32>) {
  // expected-error @below {{`d1` is reduced and bound to block_x: several blocks would write one result}}
  // expected-note @below {{atomics cannot be used: there is no atomic op for `argmax`}}
  tile.reduce argmax %A into %B, %I axes [1] scope(grid) {determinism = #tile.determinism<any>, schedule = [#tile.bind<"d1" to block_x>]} : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
  return
}

// -----

// A result narrower than its partial results cannot be updated by an atomic.
func.func @narrow_atomic(%A: memref<?x?xf16>, %B: memref<?xf16>) {
  // expected-error @below {{`d1` is reduced and bound to block_x: several blocks would write one result}}
  // expected-note @below {{partial results are `f32`, but the destination has `f16`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<any>, schedule = [#tile.bind<"d1" to block_x>]} : memref<?x?xf16> into memref<?xf16>
  return
}

// -----

// Two loops bound to one processor.
func.func @bound_twice(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  // expected-error @below {{`d1` and `d0` are both bound to thread_x}}
  // expected-note @below {{only one loop can be bound to each block, cluster or thread dimension; fuse the loops, or use another dimension}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d1" to thread_x>, #tile.bind<"d0" to thread_x>]} : memref<8x8xf32> into memref<8xf32>
  return
}

// -----

// One loop bound to two processors.
func.func @on_two_processors(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  // expected-error @below {{`d1` is bound to thread_x already}}
  // expected-note @below {{split and fuse loops before they are bound}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d1" to thread_x>, #tile.bind<"d1" to thread_y>]} : memref<8x8xf32> into memref<8xf32>
  return
}

// -----

// More threads than a block can have: in one dimension …
func.func @long_thread_loop(%A: memref<8x2000xf32>, %B: memref<8xf32>) {
  // expected-error @below {{`d1` has 2000 iterations, but thread_x takes at most 1024}}
  // expected-note @below {{split the loop, and bind only one of the two loops}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d1" to thread_x>]} : memref<8x2000xf32> into memref<8xf32>
  return
}

// -----

// … along z, where the maximum is 64 …
func.func @deep_block(%A: memref<8x65xf32>, %B: memref<8xf32>) {
  // expected-error @below {{`d1` has 65 iterations, but thread_z takes at most 64}}
  // expected-note @below {{split the loop, and bind only one of the two loops}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d1" to thread_z>]} : memref<8x65xf32> into memref<8xf32>
  return
}

// -----

// … and in total.
func.func @many_threads(%A: memref<64x64xf32>, %B: memref<64xf32>) {
  // expected-error @below {{a block of 64x64x1 has 4096 threads, expected at most 1024}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d1" to thread_x>, #tile.bind<"d0" to thread_y>]} : memref<64x64xf32> into memref<64xf32>
  return
}

// -----

// The number of threads must be static.
func.func @dynamic_threads(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` has a dynamic number of iterations, so it cannot be bound to thread_x}}
  // expected-note @below {{split the loop, and bind `d1.i`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d1" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// The number of iterations of an unrolled loop must be static.
func.func @dynamic_unroll(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` has a dynamic number of iterations, so it cannot be unrolled}}
  // expected-note @below {{split the loop, and use `d1.i`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.unroll<"d1">]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// An unrolled loop must not have too many iterations.
func.func @long_unroll(%A: memref<8x1000xf32>, %B: memref<8xf32>) {
  // expected-error @below {{`d1` has 1000 iterations, too many to be vectorized, expected at most 64}}
  // expected-note @below {{split the loop, and unroll or vectorize only one of the two loops}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.vectorize<"d1">]} : memref<8x1000xf32> into memref<8xf32>
  return
}

// -----

// Only the innermost loop can be vectorized.
func.func @vector_outside(%A: memref<8x4x8xf32>, %B: memref<8xf32>) {
  // expected-error @below {{`d1` is vectorized, but not the innermost loop of a thread}}
  // expected-note @below {{move the loop inside with `#tile.reorder`}}
  tile.reduce sum %A into %B axes [1, 2] scope(grid) {schedule = [#tile.vectorize<"d1">]} : memref<8x4x8xf32> into memref<8xf32>
  return
}

// -----

// A parallel loop inside a reduced loop would need memory for the partial results of both.
func.func @result_inside(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d0` is inside the reduced loop `d1`: the accumulators of its iterations would need memory}}
  // expected-note @below {{move the loop outside with `#tile.reorder`, unroll it, or vectorize it}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.reorder<"d1", "d0">]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A loop must not be repeated in `reorder`.
func.func @two_places(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` occurs twice in one `#tile.reorder`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.reorder<"d1", "d1">]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// Only a reduced loop has partial results.
func.func @rfactor_of_rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d0` is not reduced, so it has no partial results}}
  // expected-note @below {{`rfactor` takes a loop over a reduced dimension}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.rfactor<"d0">]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A loop must be split before `rfactor`, which names one part.
func.func @split_after_rfactor(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` is split after its `rfactor`}}
  // expected-note @below {{split the loop first, and use `#tile.rfactor` on one of the two new loops}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.rfactor<"d1">, #tile.split<"d1" by 4>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A split factor of zero.
func.func @split_by_zero(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` is split by 0, expected a factor from 1 to 2147483648}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 0>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A parallel and a reduced loop cannot be fused.
func.func @fuse_both_sorts(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d0` and `d1` cannot be fused}}
  // expected-note @below {{one is reduced and the other is not}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.fuse<["d0", "d1"] to "p">]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A loop name that exists already.
func.func @name_taken(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  // expected-error @below {{there is a loop `d0` already}}
  tile.reduce sum %A into %B axes [] scope(grid) {schedule = [#tile.fuse<["d0", "d1"] to "d0">]} : memref<?x?xf32> into memref<?x?xf32>
  return
}

// -----

// An entry that is not a schedule step.
func.func @no_step(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`fast` is not a schedule step}}
  // expected-note @below {{known: #tile.split, #tile.align, #tile.fuse, #tile.reorder, #tile.bind, #tile.rfactor, #tile.unroll, #tile.vectorize, #tile.stream}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = ["fast"]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// `variant` applies to the threads of one CTA, not to scope `grid`.
func.func @variant(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`variant` is only for reductions within one CTA; at scope `grid`, use `schedule`}}
  // expected-note @below {{remove `variant`, or reduce at scope `cta` in a kernel}}
  tile.reduce sum %A into %B axes [1] scope(grid) {variant = "shared"} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// Results overwrite elements that other threads still read.
func.func @overlap(%A: memref<64x64xf32>) {
  %B = memref.subview %A[0, 0] [64, 1] [1, 1] : memref<64x64xf32> to memref<64x1xf32, strided<[64, 1]>>
  // expected-error @below {{output 0 overlaps an input}}
  // expected-note @below {{results are written while other elements are still read; write to a temporary from `memref.alloc`, and copy it with `memref.copy`}}
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<64x64xf32> into memref<64x1xf32, strided<[64, 1]>>
  return
}

// -----

// Results overwrite the last column, which is still read.
func.func @columns(%A: memref<64x9xf32>) {
  %s = memref.subview %A[0, 1] [64, 8] [1, 1] : memref<64x9xf32> to memref<64x8xf32, strided<[9, 1], offset: 1>>
  %d = memref.subview %A[0, 8] [64, 1] [1, 1] : memref<64x9xf32> to memref<64xf32, strided<[9], offset: 8>>
  // expected-error @below {{output 0 may overlap an input}}
  // expected-note @below {{results are written while other elements are still read; write to a temporary from `memref.alloc`, and copy it with `memref.copy`}}
  tile.reduce sum %s into %d axes [1] scope(grid) : memref<64x8xf32, strided<[9, 1], offset: 1>> into memref<64xf32, strided<[9], offset: 8>>
  return
}

// -----

// Old values of uninitialized memory.
func.func @nothing_wrote(%A: memref<64x64xf32>) {
  // expected-note @below {{it is allocated here}}
  %T = memref.alloc() : memref<64xf32>
  // expected-error @below {{`tile.reduce` accumulates into output 0, which is uninitialized}}
  // expected-note @below {{remove `accumulate`, or initialize the output with `linalg.fill` first}}
  tile.reduce sum %A into %T axes [1] scope(grid) accumulate : memref<64x64xf32> into memref<64xf32>
  return
}

// -----

// An in-place transposition.
func.func @transpose_in_place(%A: memref<64x64xf32>) {
  // expected-error @below {{output 0 overlaps an input}}
  // expected-note @below {{results are written while other elements are still read; write to a temporary from `memref.alloc`, and copy it with `memref.copy`}}
  linalg.transpose ins(%A : memref<64x64xf32>) outs(%A : memref<64x64xf32>) permutation = [1, 0]
  return
}

// -----

// Two outputs with the same memory.
func.func @one_place_for_two(%A: memref<8x8xf32>, %I: memref<8xi32>, %V: memref<8xf32>) {
  // expected-error @below {{two outputs overlap}}
  // expected-note @below {{write each result to separate memory}}
  tile.reduce custom %A, %A into %V, %V axes [1] scope(grid) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %x = arith.addf %a, %c : f32
    %y = arith.addf %b, %d : f32
    tile.yield %x, %y : f32, f32
  } : memref<8x8xf32>, memref<8x8xf32> into memref<8xf32>, memref<8xf32>
  return
}

// -----

// All results have the same position.
func.func @stride_zero(%A: memref<64xf32>, %B: memref<64xf32, strided<[0]>>) {
  // expected-error @below {{several results would be written to one element: dimension 0 of output 0 has stride 0}}
  // expected-note @below {{write to a memref in which every result has its own element}}
  linalg.map { math.absf } ins(%A : memref<64xf32>) outs(%B : memref<64xf32, strided<[0]>>)
  return
}

// -----

// Grid-level ops cannot be in a host loop.
func.func @host_loop(%A: memref<64x64xf32>, %B: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{the op is in this `scf.for`}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{a grid-level op must be directly in the body of a host function}}
    // expected-note @below {{grid-level ops are not allowed in loops and branches of a host function: reduce the whole array at once, with the loop as an additional parallel dimension}}
    tile.reduce sum %A into %B axes [1] scope(grid) : memref<64x64xf32> into memref<64xf32>
  }
  return
}

// -----

// Grid-level ops cannot be in a kernel.
gpu.module @m {
  // expected-note @below {{the op is in this `gpu.func`}}
  gpu.func @k(%A: memref<64x64xf32>, %B: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{a grid-level op must be directly in the body of a host function}}
    tile.reduce sum %A into %B axes [1] scope(grid) : memref<64x64xf32> into memref<64xf32>
    gpu.return
  }
}

// -----

// A reduction of `linalg` must first become a `tile.reduce`.
func.func @linalg_reduction(%A: memref<64x64xf32>, %B: memref<64xf32>) {
  // expected-error @below {{`linalg.reduce` is a reduction}}
  // expected-note @below {{run `convert-linalg-to-tile` first: it converts reductions to `tile.reduce`}}
  linalg.reduce { arith.addf } ins(%A : memref<64x64xf32>) outs(%B : memref<64xf32>) dimensions = [1]
  return
}

// -----

// The iteration space has more points than 64 bits can count.
func.func @too_large(%A: memref<4294967296xf32, strided<[0]>>, %B: memref<4294967296xf32, strided<[0]>>, %C: memref<f32>) {
  // expected-error @below {{the iteration space has more points than 64 bits can count}}
  tile.reduce sum %A, %B into %C axes [0, 1] scope(grid)
    {maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  } : memref<4294967296xf32, strided<[0]>>, memref<4294967296xf32, strided<[0]>> into memref<f32>
  return
}

// -----

// Static sizes for which an index is outside its array.
func.func @outside(%A: memref<7xf32>, %K: memref<3xf32>, %B: memref<6xf32>) {
  // expected-error @below {{operand 0 is indexed by `(d0 + d1)`, which is 7, but dimension 0 of the operand has 7 elements}}
  tile.reduce sum %A, %K into %B axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]} element {
  ^bb0(%a: f32, %k: f32, %i: index, %j: index):
    %p = arith.mulf %a, %k : f32
    tile.yield %p : f32
  } : memref<7xf32>, memref<3xf32> into memref<6xf32>
  return
}

// -----

// A combiner that depends on the order of elements; the message shows values.
func.func @order_matters(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the combiner is not associative: }}
  // expected-note @below {{elements are combined in any order}}
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %half = arith.constant 0.5 : f32
    %s = arith.addf %l, %r : f32
    %m = arith.mulf %s, %half : f32
    tile.yield %m : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// The number of steps is limited, because each step may nest loops deeper.
func.func @many_steps(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  // expected-error @below {{the schedule has 129 steps, expected at most 128}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">]} : memref<8x8xf32> into memref<8xf32>
  return
}

// -----

// A loop name must not be empty.
func.func @nameless(%A: memref<8x8xf32>, %B: memref<8x8xf32>) {
  // expected-error @below {{`#tile.fuse` requires the names of the loops and the name of the fused loop}}
  tile.reduce sum %A into %B axes [] scope(grid) {schedule = [#tile.fuse<["d0", "d1"] to "">]} : memref<8x8xf32> into memref<8x8xf32>
  return
}

// -----

// The body of an element-wise op must not read memory that other points write.
func.func @reads_its_output(%B: memref<5xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%B : memref<5xf32>) {
  ^bb0(%o: f32):
    %c4 = arith.constant 4 : index
    %i = linalg.index 0 : index
    %j = arith.subi %c4, %i : index
    // expected-error @below {{`memref.load` in the body of an element-wise op writes memory, or reads memory that the op writes}}
    // expected-note @below {{iterations are executed in any order: read only operands, or memory that the op does not write}}
    %r = memref.load %B[%j] : memref<5xf32>
    linalg.yield %r : f32
  }
  return
}

// -----

// An identity that changes itself: the result would depend on the schedule.
func.func @no_identity(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the identity is not neutral: combiner(1, 1) = 2, expected 1}}
  // expected-note @below {{threads without an element contribute the identity, any number of times}}
  tile.reduce custom %A into %B axes [1] scope(grid) identity [1.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// An identity that is neutral only to itself: it would be the result for all elements.
func.func @absorbing(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the identity is not neutral: combiner(0, 1) = 0, expected 1, and so with every other value that was tried}}
  // expected-note @below {{threads without an element contribute the identity, any number of times}}
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %p = arith.mulf %l, %r : f32
    tile.yield %p : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// `align` needs one unsplit reduced dimension, and a power of two.
func.func @align_to_three(%A: memref<?x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` is aligned to 3 elements, expected a power of two from 2 to 64}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.align<"d1" to 3>]} : memref<?x64xf32> into memref<?xf32>
  return
}

// -----

func.func @align_a_part(%A: memref<?x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1.i` is not a dimension of the iteration space}}
  // expected-note @below {{align a dimension before it is split or fused}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 16>, #tile.align<"d1.i" to 4>]} : memref<?x64xf32> into memref<?xf32>
  return
}

// -----

func.func @align_what_is_kept(%A: memref<?x64xf32>, %B: memref<64xf32>) {
  // expected-error @below {{`d1` is not reduced}}
  // expected-note @below {{`#tile.align` requires a reduced dimension; vectors along other dimensions begin at the start of a row}}
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.align<"d1" to 4>]} : memref<?x64xf32> into memref<64xf32>
  return
}

// -----

func.func @align_two(%A: memref<?x64x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` and `d2` are both aligned}}
  // expected-note @below {{use `#tile.align` for one dimension only}}
  tile.reduce sum %A into %B axes [1, 2] scope(grid) {schedule = [#tile.align<"d1" to 4>, #tile.align<"d2" to 4>]} : memref<?x64x64xf32> into memref<?xf32>
  return
}

// -----

// The number of vectors of an aligned row depends on its address.
func.func @bind_vectors(%A: memref<?x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the length of `d1.o` differs between rows}}
  // expected-note @below {{split the loop, and use `d1.o.o` or `d1.o.i`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.align<"d1" to 4>, #tile.bind<"d1.o" to thread_x>]} : memref<?x64xf32> into memref<?xf32>
  return
}

// -----

func.func @fuse_vectors(%A: memref<?x64x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the length of `d2.o` differs between rows, so the loop cannot be fused}}
  // expected-note @below {{fuse loops of other dimensions, or split instead of `align`}}
  tile.reduce sum %A into %B axes [1, 2] scope(grid) {schedule = [#tile.align<"d2" to 4>, #tile.fuse<["d1", "d2.o"] to "r">]} : memref<?x64x64xf32> into memref<?xf32>
  return
}

// -----

func.func @within_vectors(%A: memref<?x64x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1` is inside `d2.o`, but the number of iterations of the outer loop depends on the inner loop}}
  // expected-note @below {{move the loop outside with `#tile.reorder`}}
  tile.reduce sum %A into %B axes [1, 2] scope(grid) {schedule = [#tile.align<"d2" to 4>, #tile.reorder<"d2.o", "d1">]} : memref<?x64x64xf32> into memref<?xf32>
  return
}

// -----

// Lengths outside all cases would not be computed.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the last case of the schedule must be `#tile.otherwise`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.case<"d1" to 8, []>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A case after `otherwise` would never be used.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`#tile.otherwise` is not the last case of the schedule}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.otherwise<[]>, #tile.case<"d1" to 8, []>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// Cases of one dimension must have ascending lengths.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the case of `d1` up to 8 follows the case up to 9: expected a greater limit}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.case<"d1" to 9, []>, #tile.case<"d1" to 8, []>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// Cases of one dimension must ascend, also with other cases in between.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the case of `d1` up to 9 follows the case up to 9: expected a greater limit}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.case<"d1" to 9, []>, #tile.case<"d0" to 8, []>, #tile.case<"d1" to 9, []>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// An earlier case covers all lengths of a later one.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the case of `d1` up to 8, multiples of 4 follows the case up to 8, multiples of 2: expected a greater limit}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.case<"d1" to 8 multiple_of 2, []>, #tile.case<"d1" to 8 multiple_of 4, []>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// No length is a multiple of 0.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the case of `d1` up to 8, multiples of 0 covers no length: expected a divisor of 1 or more}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.case<"d1" to 8 multiple_of 0, []>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A case names a dimension that does not exist.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{a case of the schedule names an unknown dimension `d2`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.case<"d2" to 8, []>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A step must be in a case, not next to it.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`#tile.stream` is not a case, but the schedule is a list of cases}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.stream, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// Atomics need a kernel for initial values, which would overwrite the results of other cases.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{a case of the schedule combines the results of several blocks with atomics, expected separate partial results}}
  // expected-note @below {{store the partial results with `#tile.rfactor`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<any>, schedule = [#tile.case<"d1" to 8, [#tile.split<"d1" by 4>, #tile.bind<"d1.o" to block_x>]>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// The steps of a case are checked like those of a schedule.
func.func @case(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the schedule names an unknown loop `d7`}}
  // expected-note @below {{loops here: `d0`, `d1`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.case<"d1" to 8, [#tile.split<"d7" by 4>]>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// `last_block` without partial results.
func.func @no_partial_results(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{`last_block` requires partial results in global memory, found none}}
  // expected-note @below {{add `#tile.rfactor` for a loop that is bound to blocks}}
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.split<"d0" by 256>, #tile.bind<"d0.i" to thread_x>, #tile.last_block]} : memref<?xf32> into memref<f32>
  return
}

// -----

// `last_block` with partial results of a loop that is not bound to blocks.
func.func @no_blocks(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{`d0.o` is not bound to blocks, as `last_block` requires}}
  // expected-note @below {{bind every loop with `#tile.rfactor` to blocks, or remove `last_block`}}
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.split<"d0" by 256>, #tile.rfactor<"d0.o">, #tile.bind<"d0.i" to thread_x>, #tile.last_block]} : memref<?xf32> into memref<f32>
  return
}

// -----

// A cluster has a static number of blocks, at most sixteen.
func.func @large_cluster(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1.i` has 17 iterations, but cluster_x takes at most 16}}
  // expected-note @below {{split the loop, and bind only one of the two loops}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 17>, #tile.bind<"d1.i" to cluster_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// The limit of sixteen blocks applies to the product of all dimensions.
func.func @wide_cluster(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{a cluster of 8x4x1 has 32 blocks, expected at most 16}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 8>, #tile.bind<"d1.i" to cluster_x>, #tile.split<"d0" by 4>, #tile.bind<"d0.i" to cluster_y>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// A dynamic number of blocks cannot be a cluster.
func.func @unknown_cluster(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d0` has a dynamic number of iterations, so it cannot be bound to cluster_x}}
  // expected-note @below {{split the loop, and bind `d0.i`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to cluster_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// `last_block` counts blocks, and cannot be combined with clusters.
func.func @last_block_of_clusters(%A: memref<1048576xf32>, %B: memref<f32>) {
  // expected-error @below {{`last_block` does not support clusters}}
  // expected-note @below {{remove `last_block`, or bind loops to blocks only}}
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = [#tile.split<"d0" by 64>, #tile.split<"d0.i" by 4>, #tile.rfactor<"d0.o">, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i.o" to cluster_x>, #tile.last_block]} : memref<1048576xf32> into memref<f32>
  return
}

// -----

// The laws are tested with elements that the `element` region computes from sample sources.
func.func @made_elements(%A: memref<?x?xf32>, %a: memref<?xf32>, %b: memref<?xf32>) {
  // expected-error @below {{the combiner is not associative: combiner(combiner((1, 1), (2, 1)), (3, 1)) = (6, -1), but combiner((1, 1), combiner((2, 1), (3, 1))) = (6, 1)}}
  // expected-note @below {{elements are combined in any order}}
  tile.reduce custom %A into %a, %b axes [1] scope(grid) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %x = arith.addf %l0, %r0 : f32
    %y = arith.subf %l1, %r1 : f32
    tile.yield %x, %y : f32, f32
  } element {
  ^bb0(%v: f32, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tile.yield %v, %one : f32, f32
  } : memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// -----

// All errors are reported at once, each with its note, except for possible consequences of another error.
func.func @several_mistakes(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the schedule names an unknown loop `d7`}}
  // expected-note @below {{loops here: `d0`, `d1`}}
  // expected-error @below {{`d0` is not reduced, so it has no partial results}}
  // expected-note @below {{`rfactor` takes a loop over a reduced dimension}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d7" by 32>, #tile.bind<"d7.o" to block_x>, #tile.split<"d1" by 16>, #tile.rfactor<"d0">, #tile.unroll<"d1.i">]} : memref<?x?xf32> into memref<?xf32>
  return
}
