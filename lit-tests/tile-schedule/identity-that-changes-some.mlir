// RUN: tx-opt %s --tile-schedule --tile-analyze-scope --verify-diagnostics
// RUN(ONCE): tx compile %s --entry least_number -o /dev/null 2>&1
// RUN(QUIET): tx compile %s --entry least_number --quiet --plan - -o /dev/null 2>&1

// A warning for an identity that changes some values, with a neutral one, is reported once for all kernels.
// SNAPSHOT: none — launch plans have tests of their own
// ONCE-COUNT-1: warning: the identity is not neutral for every value
// QUIET-NOT: warning
// QUIET: "entry": "least_number"
// The lowest finite number is no identity of a maximum: a row of -inf has a lower maximum.
func.func @least_number(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  // expected-warning @below {{the identity is not neutral for every value: combiner(-3.4028234663852886e38, -inf) = -3.4028234663852886e38, expected -inf; the neutral value is -inf}}
  // expected-note @below {{threads without an element contribute the identity: results are correct only if such values do not occur}}
  tile.reduce custom %a into %b axes [1] scope(grid) identity [-3.4028235e38 : f32] combiner {
    ^bb0(%x: f32, %y: f32):
      %z = arith.maximumf %x, %y : f32
      tile.yield %z : f32
    } : memref<?x?xf32> into memref<?xf32>
  return
}

// An `element` region determines the possible values: a magnitude is never negative.
func.func @magnitudes(%a: memref<4x40xf32>, %b: memref<4xf32>) {
  tile.reduce custom %a into %b axes [1] scope(grid) identity [0.0 : f32] combiner {
    ^bb0(%x: f32, %y: f32):
      %z = arith.maximumf %x, %y : f32
      tile.yield %z : f32
    } element {
    ^bb0(%x: f32, %i: index, %j: index):
      %z = math.absf %x : f32
      tile.yield %z : f32
    } : memref<4x40xf32> into memref<4xf32>
  return
}

// The warning also applies to kernels of the program.
gpu.module @kernels {
  gpu.func @k(%a: memref<4x40xi32>, %b: memref<4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-warning @below {{the identity is not neutral for every value: combiner(0, 1) = 0, expected 1; the neutral value is 2147483647}}
    // expected-note @below {{threads without an element}}
    tile.reduce custom %a into %b axes [1] scope(cta) identity [0 : i32] combiner {
      ^bb0(%x: i32, %y: i32):
        %z = arith.minsi %x, %y : i32
        tile.yield %z : i32
      } : memref<4x40xi32> into memref<4xi32>
    gpu.return
  }
}

// NaN is neutral if it is ignored. For a sum, the message shows a number that NaN changes.
func.func @passed_over(%a: memref<4x40xf32>, %b: memref<4xf32>) {
  tile.reduce custom %a into %b axes [1] scope(grid) identity [0x7FC00000 : f32] combiner {
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tile.yield %z : f32
    } : memref<4x40xf32> into memref<4xf32>
  return
}

// With bounded values, the identity is neutral to all elements.
func.func @at_least_two(%a: memref<4x40xf32>, %b: memref<4xf32>) {
  tile.reduce custom %a into %b axes [1] scope(grid) identity [2.0 : f32] combiner {
    ^bb0(%x: f32, %y: f32):
      %z = arith.maximumf %x, %y : f32
      tile.yield %z : f32
    } element {
    ^bb0(%x: f32, %i: index, %j: index):
      %two = arith.constant 2.0 : f32
      %z = arith.maximumf %x, %two : f32
      tile.yield %z : f32
    } : memref<4x40xf32> into memref<4xf32>
  return
}
