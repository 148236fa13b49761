// RUN: tx-opt %s --split-input-file --verify-diagnostics

// Partial results of `tile.all_reduce` must be of the value's kind of number, and at least as wide.
func.func @accumulator_of_another_sort(%v: f32) {
  // expected-error @below {{`acc` must be `f32` or a wider type of the same class (integer or float), found `i8`}}
  %s = tile.all_reduce sum %v scope(warp) {acc = i8} : f32 -> f32
  return
}

// -----

// A `tile.yield` is valid at the end of a region only.
func.func @yield_in_a_function(%v: f32) {
  // expected-error @below {{expects parent op to be one of 'tile.reduce, tile.all_reduce'}}
  tile.yield %v : f32
}

// -----

// Shared memory belongs to one CTA of the cluster.
func.func @shared_memory_of_a_cluster(%A: memref<8xf32, 3>, %B: memref<f32>) {
  // expected-error @below {{shared memory is visible to one CTA only, but the scope is `cluster`}}
  tile.reduce sum %A into %B axes [0] scope(cluster) : memref<8xf32, 3> into memref<f32>
  return
}

// -----

// The offset of a layout is a constant without a stride.
// expected-error @below {{expected 'constant'}}
#moved = #tile.layout<[<8 : 1 lane>] offset [<3 : 4 lane>]>

// -----

// A fragment may have the element types of memory tiles.
// expected-error @below {{i32 or i64, found `si32`}}
func.func private @signed(!tile.fragment<8xsi32, #tile.layout<[<8 : 1 lane>]>>)
