// RUN: tx-opt %s --tile-schedule --tile-analyze-scope --verify-diagnostics
// RUN(ONCE): tx compile %s --entry sum -o /dev/null 2>&1

// `nan` applies to maxima and minima. On other kinds, one warning says that it has no effect.
// SNAPSHOT: none — kernels of sums have tests of their own
// ONCE-COUNT-1: warning: `nan` has no effect on `sum`
func.func @sum(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  // expected-warning @below {{`nan` has no effect on `sum`: the result is NaN if any operand is NaN}}
  // expected-note @below {{`nan` defines the handling of NaN in `max`, `min`, `argmax` and `argmin`}}
  // expected-note @below {{to ignore NaN, replace it by another value in an `element` region, with `arith.cmpf uno` and `arith.select`}}
  tile.reduce sum %a into %b axes [1] scope(grid) {nan = #tile.nan<ignore>} : memref<?x?xf32> into memref<?xf32>
  return
}

// The program follows the note.
func.func @sum_without_nan(%a: memref<3x40xf32>, %b: memref<3xf32>) {
  tile.reduce sum %a into %b axes [1] scope(grid) element {
    ^bb0(%x: f32, %i: index, %j: index):
      %zero = arith.constant 0.0 : f32
      %is_nan = arith.cmpf uno, %x, %x : f32
      %y = arith.select %is_nan, %zero, %x : f32
      tile.yield %y : f32
    } : memref<3x40xf32> into memref<3xf32>
  return
}

// Integers have no NaN, but a generic program may use `nan` for any element type.
func.func @integers(%a: memref<3x40xi32>, %b: memref<3xi32>) {
  tile.reduce sum %a into %b axes [1] scope(grid) {nan = #tile.nan<ignore>} : memref<3x40xi32> into memref<3xi32>
  return
}

gpu.module @kernels {
gpu.func @exchange(%a: memref<32xf32>, %b: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<32xf32>
  // expected-warning @below {{`nan` has no effect on `prod`: the result is NaN if any operand is NaN}}
  // expected-note @below {{`nan` defines the handling of NaN in `max`, `min`, `argmax` and `argmin`}}
  // expected-note @below {{to ignore NaN, replace it by another value in an `element` region, with `arith.cmpf uno` and `arith.select`}}
  %y = tile.all_reduce prod %x scope(warp) {nan = #tile.nan<ignore>} : f32 -> f32
  // expected-warning @below {{`nan` has no effect on `custom`: the combiner defines the handling of NaN}}
  // expected-note @below {{`nan` defines the handling of NaN in `max`, `min`, `argmax` and `argmin`}}
  // expected-note @below {{to ignore NaN, replace it by another value in the combiner, with `arith.cmpf uno` and `arith.select`}}
  %z = tile.all_reduce custom %y scope(warp) identity [0.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    } {nan = #tile.nan<ignore>} : f32 -> f32
  memref.store %z, %b[%t] : memref<32xf32>
  gpu.return
}
}
