// RUN: tx-opt %s --split-input-file --verify-diagnostics

// A group has at least one thread.
func.func @width_of_zero(%v: f32) {
  // expected-error @below {{`width` must be between 1 and 32, found 0}}
  %s = tile.all_reduce sum %v scope(warp) width 0 : f32 -> f32
  return
}

// -----

// The width must be positive.
func.func @negative_width(%v: f32) {
  // expected-error @below {{`width` must be between 1 and 32, found -8}}
  %s = tile.all_reduce sum %v scope(warp) width -8 : f32 -> f32
  return
}

// -----

// A warp has 32 lanes.
func.func @width_beyond_the_warp(%v: f32) {
  // expected-error @below {{`width` must be between 1 and 32, found 64}}
  %s = tile.all_reduce sum %v scope(warp) width 64 : f32 -> f32
  return
}

// -----

// A warpgroup has 128 threads.
func.func @width_beyond_the_warpgroup(%v: f32) {
  // expected-error @below {{`width` must be between 1 and 128, found 256}}
  %s = tile.all_reduce sum %v scope(warpgroup) width 256 : f32 -> f32
  return
}

// -----

// A block has at most 1024 threads.
func.func @width_beyond_the_block(%v: f32) {
  // expected-error @below {{`width` must be between 1 and 1024, found 2048}}
  %s = tile.all_reduce sum %v scope(cta) width 2048 : f32 -> f32
  return
}

// -----

// At scope `thread`, the width must be 1.
func.func @width_beyond_the_thread(%v: f32) {
  // expected-error @below {{`width` must be between 1 and 1, found 2}}
  %s = tile.all_reduce sum %v scope(thread) width 2 : f32 -> f32
  return
}

// -----

// The stride must be positive.
func.func @stride_of_zero(%v: f32) {
  // expected-error @below {{`stride` must be at least 1, and `width` times `stride` at most 32, found stride 0}}
  %s = tile.all_reduce sum %v scope(warp) width 4 stride 0 : f32 -> f32
  return
}

// -----

// Three lanes with a stride of 11 would need 33 lanes.
func.func @group_one_lane_beyond_the_warp(%v: f32) {
  // expected-error @below {{`stride` must be at least 1, and `width` times `stride` at most 32, found stride 11}}
  %s = tile.all_reduce sum %v scope(warp) width 3 stride 11 : f32 -> f32
  return
}

// -----

// An overflowing product of width and stride is rejected too.
func.func @stride_beyond_everything(%v: f32) {
  // expected-error @below {{`stride` must be at least 1, and `width` times `stride` at most 1024, found stride 9223372036854775807}}
  %s = tile.all_reduce sum %v scope(cta) width 4 stride 9223372036854775807 : f32 -> f32
  return
}

// -----

// Eight lanes with a stride of eight would need 64 lanes.
func.func @group_beyond_the_warp(%v: f32) {
  // expected-error @below {{`stride` must be at least 1, and `width` times `stride` at most 32, found stride 8}}
  %s = tile.all_reduce sum %v scope(warp) width 8 stride 8 : f32 -> f32
  return
}

// -----

// A stride needs a width.
func.func @stride_without_width(%v: f32) {
  // expected-error @below {{`stride` needs `width`}}
  %s = tile.all_reduce sum %v scope(warp) stride 4 : f32 -> f32
  return
}

// -----

// Threads of different blocks cannot exchange values in registers.
func.func @grid_scope(%v: f32) {
  // expected-error @below {{expected scope `cluster` or narrower, found `grid`}}
  %s = tile.all_reduce sum %v scope(grid) : f32 -> f32
  return
}

// -----

// A cluster has at most sixteen blocks of 1024 threads.
func.func @width_beyond_the_cluster(%v: f32) {
  // expected-error @below {{`width` must be between 1 and 16384, found 16385}}
  %s = tile.all_reduce sum %v scope(cluster) width 16385 : f32 -> f32
  return
}

// -----

// The result type must be the type of the value.
func.func @result_of_another_type(%v: f16) {
  // expected-error @below {{result types must equal the types of the values}}
  %s = tile.all_reduce sum %v scope(warp) : f16 -> f32
  return
}

// -----

// A named kind takes one value.
func.func @sum_of_two_values(%v: f32) {
  // expected-error @below {{`sum` takes 1 value, found 2}}
  %s:2 = tile.all_reduce sum %v, %v scope(warp) : f32, f32 -> f32, f32
  return
}

// -----

// `argmax` takes a value and its index.
func.func @argmax_without_index(%v: f32) {
  // expected-error @below {{`argmax` takes 2 values (a value and an index), found 1}}
  %s = tile.all_reduce argmax %v scope(warp) : f32 -> f32
  return
}

// -----

// An index is a 32-bit or 64-bit integer.
func.func @index_of_type_f32(%v: f32) {
  // expected-error @below {{an index is `i32` or `i64`, found `f32`}}
  %s:2 = tile.all_reduce argmax %v, %v scope(warp) : f32, f32 -> f32, f32
  return
}

// -----

// i1 can be combined bit by bit only.
func.func @max_of_i1(%v: i1) {
  // expected-error @below {{`max` of `i1` values is not defined}}
  // expected-note @below {{i1 can be combined by `and`, `or`, `xor` and `custom`; write `or` to test whether any element is true; the signed `max`, where true is -1, equals `and`}}
  %s = tile.all_reduce max %v scope(warp) : i1 -> i1
  return
}

// -----

// Floats have no exclusive or.
func.func @xor_of_floats(%v: f32) {
  // expected-error @below {{`xor` combines integers, found `f32`}}
  %s = tile.all_reduce xor %v scope(warp) : f32 -> f32
  return
}

// -----

// No integer is wider than 64 bits.
func.func @sum_of_i128(%v: i128) {
  // expected-error @below {{`sum` of `i128` values is not defined}}
  // expected-note @below {{known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as sources f8E4M3FN and f8E5M2}}
  %s = tile.all_reduce sum %v scope(warp) : i128 -> i128
  return
}

// -----

// A vector is no element.
func.func @sum_of_vectors(%v: vector<4xf32>) {
  // expected-error @below {{found `vector<4xf32>`}}
  %s = tile.all_reduce sum %v scope(warp) : vector<4xf32> -> vector<4xf32>
  return
}

// -----

// Kind `custom` needs a combiner region.
func.func @custom_without_combiner(%v: f32) {
  // expected-error @below {{`custom` needs `identity [...] combiner {...}` with one block}}
  %s = tile.all_reduce custom %v scope(warp) : f32 -> f32
  return
}

// -----

// The combiner of two values has four arguments.
func.func @combiner_with_two_arguments_for_two_values(%v: f32, %w: i32) {
  // expected-error @below {{the combiner of 2 sources must have 4 arguments (2 left, 2 right), found 2}}
  %s:2 = tile.all_reduce custom %v, %w scope(warp) identity [0.0 : f32, 0 : i32] combiner {
  ^bb0(%l: f32, %r: f32):
    tile.yield %l, %r : f32, f32
  } : f32, i32 -> f32, i32
  return
}

// -----

// The second pair of arguments has the second value's type.
func.func @combiner_with_types_exchanged(%v: f32, %w: i32) {
  // expected-error @below {{arguments 0 and 2 and yield 0 of the combiner must all be `f32`, found `f32`, `i32` and `f32`}}
  %s:2 = tile.all_reduce custom %v, %w scope(warp) identity [0.0 : f32, 0 : i32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: i32, %r1: i32):
    tile.yield %l0, %r0 : f32, i32
  } : f32, i32 -> f32, i32
  return
}

// -----

// For a misspelt kind, the message lists the valid kinds.
func.func @unknown_kind(%v: f32) {
  // expected-error @below {{unknown kind `plus`; known: sum, prod, max, min, umax, umin, and, or, xor, argmax, argmin, custom}}
  %s = tile.all_reduce plus %v scope(warp) : f32 -> f32
  return
}

// -----

// For a misspelt scope, the message lists the valid scopes.
func.func @unknown_scope(%v: f32) {
  // expected-error @below {{unknown scope `wave`; known: thread, warp, warpgroup, cta, cluster, grid}}
  %s = tile.all_reduce sum %v scope(wave) : f32 -> f32
  return
}

// -----

// 8-bit floats can be elements of a reduction, but not results.
func.func @float_of_8_bits(%v: f8E4M3FN) {
  // expected-error @below {{`f8E4M3FN` is supported as the source type of a reduction, but not as a result type}}
  // expected-note @below {{widen the value to f16, bf16 or f32 first}}
  %s = tile.all_reduce max %v scope(warp) : f8E4M3FN -> f8E4M3FN
  return
}

// -----

// 8-bit floats cannot be the values of an `argmax` either.
func.func @argmax_of_8_bits(%v: f8E5M2, %i: i32) {
  // expected-error @below {{`f8E5M2` is supported as the source type of a reduction, but not as a result type}}
  // expected-note @below {{widen the value to f16, bf16 or f32 first}}
  %m, %j = tile.all_reduce argmax %v, %i scope(warp) : f8E5M2, i32 -> f8E5M2, i32
  return
}
