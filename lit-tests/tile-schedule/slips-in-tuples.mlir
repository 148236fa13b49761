// RUN: tx-opt %s --tile-schedule --tile-analyze-scope --verify-diagnostics
// SNAPSHOT: none — what is said is the matter, and what is not

// A likely mistake in one value of a tuple combiner is reported: `l1 + r0` is `l1 + r1` for (2, 2).
func.func @sums(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %s: memref<?xf32>, %t: memref<?xf32>) {
  // expected-warning @below {{the combiner is not commutative for most tuples: combiner((3, 11), (6, 27)) = (9, 17), but combiner((6, 27), (3, 11)) = (9, 30)}}
  // expected-note @below {{value 1 (counted from 0) differs: check whether its operand of `tile.yield` uses a left argument of the combiner instead of a right argument, or the reverse}}
  // expected-note @below {{elements are combined in any order: the result depends on the order if such tuples occur}}
  tile.reduce custom %a, %b into %s, %t axes [1] scope(grid) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %x = arith.addf %l0, %r0 : f32
    %y = arith.addf %l1, %r0 : f32
    tile.yield %x, %y : f32, f32
  } : memref<?x?xf32>, memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// A combiner that uses the same value twice is reported; the order of elements does not show it.
func.func @twice(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %s: memref<?xi32>, %t: memref<?xi32>) {
  // expected-warning @below {{the identity is not neutral for most tuples: combiner((0, 0), (3, 11)) = (3, 3), expected (3, 11)}}
  // expected-note @below {{value 1 (counted from 0) changes: correct its identity, or the operand of `tile.yield` for this value}}
  // expected-note @below {{threads without an element contribute the identity}}
  tile.reduce custom %a, %b into %s, %t axes [1] scope(grid) identity [0 : i32, 0 : i32] combiner {
  ^bb0(%l0: i32, %l1: i32, %r0: i32, %r1: i32):
    %x = arith.addi %l0, %r0 : i32
    tile.yield %x, %x : i32, i32
  } : memref<?x?xi32>, memref<?x?xi32> into memref<?xi32>, memref<?xi32>
  return
}

// A choice by an argument of the wrong value is reported; it fails for some values only.
func.func @chooses(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %s: memref<?xi32>, %t: memref<?xi32>) {
  // expected-warning @below {{the combiner is not commutative for most tuples}}
  // expected-note @below {{value 1 (counted from 0) differs: check whether its operand of `tile.yield` uses a left argument of}}
  // expected-note @below {{in any order}}
  tile.reduce custom %a, %b into %s, %t axes [1] scope(grid) identity [-2147483648 : i32, 0 : i32] combiner {
  ^bb0(%l0: i32, %l1: i32, %r0: i32, %r1: i32):
    %c = arith.cmpi sgt, %l0, %r1 : i32
    %x = arith.maxsi %l0, %r0 : i32
    %y = arith.select %c, %l1, %r1 : i32
    tile.yield %x, %y : i32, i32
  } : memref<?x?xi32>, memref<?x?xi32> into memref<?xi32>, memref<?xi32>
  return
}

// Welford's sum of squares with the mean of the right operand; also reported in kernels of the program.
gpu.module @kernels {
  gpu.func @welford(%a: memref<4x40xf32>, %q: memref<4x40xf32>, %c: memref<4x40xf32>, %m: memref<4xf32>, %s: memref<4xf32>, %n: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-warning @below {{the combiner is not commutative for most tuples}}
    // expected-note @below {{value 1 (counted from 0) differs: check whether its operand of `tile.yield` uses a left argument of}}
    // expected-note @below {{in any order}}
    tile.reduce custom %a, %q, %c into %m, %s, %n axes [1] scope(cta) identity [0.0 : f32, 0.0 : f32, 0.0 : f32] combiner {
    ^bb0(%ma: f32, %sa: f32, %na: f32, %mb: f32, %sb: f32, %nb: f32):
      %one = arith.constant 1.0 : f32
      %both = arith.addf %na, %nb : f32
      %some = arith.maximumf %both, %one : f32
      %delta = arith.subf %mb, %ma : f32
      %share = arith.divf %nb, %some : f32
      %step = arith.mulf %delta, %share : f32
      %mean = arith.addf %ma, %step : f32
      %cross = arith.mulf %na, %step : f32
      %square = arith.mulf %delta, %cross : f32
      %sums = arith.addf %sa, %mb : f32
      %squares = arith.addf %sums, %square : f32
      tile.yield %mean, %squares, %both : f32, f32, f32
    } : memref<4x40xf32>, memref<4x40xf32>, memref<4x40xf32> into memref<4xf32>, memref<4xf32>, memref<4xf32>
    gpu.return
  }
}

// The `element` region determines the possible values. This mistake shows for three elements.
func.func @difference(%a: memref<?x?xf32>, %s: memref<?xf32>, %t: memref<?xf32>) {
  // expected-warning @below {{the combiner is not associative for most tuples: combiner(combiner((3, 9), (11, 121)), (19, 361)) = (33, 249), but combiner((3, 9), combiner((11, 121), (19, 361))) = (33, 231)}}
  // expected-note @below {{value 1 (counted from 0) differs}}
  // expected-note @below {{in any order}}
  tile.reduce custom %a into %s, %t axes [1] scope(grid) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %x = arith.addf %l0, %r0 : f32
    %d = arith.subf %l1, %r1 : f32
    %y = math.absf %d : f32
    tile.yield %x, %y : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %y = arith.mulf %x, %x : f32
    tile.yield %x, %y : f32, f32
  } : memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// These combiners are correct, without warnings. The first of equal values wins, from left to right.
func.func @ties(%a: memref<?x?xf32>, %i: memref<?x?xi32>, %v: memref<?xf32>, %w: memref<?xi32>) {
  tile.reduce custom %a, %i into %v, %w axes [1] scope(grid) identity [0xFF800000 : f32, 0 : i32] combiner {
  ^bb0(%l0: f32, %l1: i32, %r0: f32, %r1: i32):
    %c = arith.cmpf oge, %l0, %r0 : f32
    %x = arith.select %c, %l0, %r0 : f32
    %y = arith.select %c, %l1, %r1 : i32
    tile.yield %x, %y : f32, i32
  } : memref<?x?xf32>, memref<?x?xi32> into memref<?xf32>, memref<?xi32>
  return
}

// NaN wins on one side only, so validation with special values finds a dependence on the order.
func.func @bounds(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %v: memref<?xf32>, %w: memref<?xf32>) {
  tile.reduce custom %a, %b into %v, %w axes [1] scope(grid) identity [0x7F800000 : f32, 0xFF800000 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %less = arith.cmpf olt, %l0, %r0 : f32
    %x = arith.select %less, %l0, %r0 : f32
    %more = arith.cmpf ugt, %l1, %r1 : f32
    %y = arith.select %more, %l1, %r1 : f32
    tile.yield %x, %y : f32, f32
  } : memref<?x?xf32>, memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// A maximum and a sum of exponentials relative to it.
func.func @log_sum_exp(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %v: memref<?xf32>, %w: memref<?xf32>) {
  tile.reduce custom %a, %b into %v, %w axes [1] scope(grid) identity [-3.0e38 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %m = arith.maximumf %l0, %r0 : f32
    %dl = arith.subf %l0, %m : f32
    %dr = arith.subf %r0, %m : f32
    %el = math.exp %dl : f32
    %er = math.exp %dr : f32
    %sl = arith.mulf %l1, %el : f32
    %sr = arith.mulf %r1, %er : f32
    %s = arith.addf %sl, %sr : f32
    tile.yield %m, %s : f32, f32
  } : memref<?x?xf32>, memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// Sum and error, after Kahan and Knuth: exact for integers.
func.func @two_sum(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %v: memref<?xf32>, %w: memref<?xf32>) {
  tile.reduce custom %a, %b into %v, %w axes [1] scope(grid) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %s = arith.addf %l0, %r0 : f32
    %bb = arith.subf %s, %l0 : f32
    %aa = arith.subf %s, %bb : f32
    %db = arith.subf %r0, %bb : f32
    %da = arith.subf %l0, %aa : f32
    %e = arith.addf %da, %db : f32
    %el = arith.addf %e, %l1 : f32
    %er = arith.addf %el, %r1 : f32
    tile.yield %s, %er : f32, f32
  } : memref<?x?xf32>, memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// A composition of functions a x + c is associative, so it is no mistake. It is commutative only if all a are
// 1, which would be written as a sum.
func.func @linear(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %v: memref<?xf32>, %w: memref<?xf32>) {
  // expected-warning @below {{the combiner is not commutative for most tuples}}
  // expected-note @below {{the combiner is associative but not commutative, as in a composition of functions, and reductions preserve no order}}
  // expected-note @below {{elements are combined in any order: the result depends on the order if such tuples occur}}
  tile.reduce custom %a, %b into %v, %w axes [1] scope(grid) identity [1.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %x = arith.mulf %l0, %r0 : f32
    %z = arith.mulf %l1, %r0 : f32
    %y = arith.addf %z, %r1 : f32
    tile.yield %x, %y : f32, f32
  } : memref<?x?xf32>, memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// The two largest values, in descending order.
func.func @largest_two(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %v: memref<?xi32>, %w: memref<?xi32>) {
  tile.reduce custom %a, %b into %v, %w axes [1] scope(grid) identity [-2147483648 : i32, -2147483648 : i32] combiner {
  ^bb0(%l0: i32, %l1: i32, %r0: i32, %r1: i32):
    %c = arith.cmpi sge, %l0, %r0 : i32
    %x = arith.select %c, %l0, %r0 : i32
    %other = arith.select %c, %r0, %l0 : i32
    %own = arith.select %c, %l1, %r1 : i32
    %y = arith.maxsi %other, %own : i32
    tile.yield %x, %y : i32, i32
  } : memref<?x?xi32>, memref<?x?xi32> into memref<?xi32>, memref<?xi32>
  return
}

// A product of complex numbers: each part depends on all parts.
func.func @complex(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %v: memref<?xf32>, %w: memref<?xf32>) {
  tile.reduce custom %a, %b into %v, %w axes [1] scope(grid) identity [1.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    %p = arith.mulf %l0, %r0 : f32
    %q = arith.mulf %l1, %r1 : f32
    %x = arith.subf %p, %q : f32
    %u = arith.mulf %l0, %r1 : f32
    %z = arith.mulf %l1, %r0 : f32
    %y = arith.addf %u, %z : f32
    tile.yield %x, %y : f32, f32
  } : memref<?x?xf32>, memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// The maximum subarray sum: of the whole, a prefix, a suffix, and any part. It depends on the order.
func.func @subarray(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %c: memref<?x?xi32>, %d: memref<?x?xi32>,
                    %v: memref<?xi32>, %w: memref<?xi32>, %x: memref<?xi32>, %y: memref<?xi32>) {
  // expected-warning @below {{the combiner is not commutative for most tuples}}
  // expected-note @below {{the combiner is associative but not commutative, as in a composition of functions, and reductions}}
  // expected-note @below {{elements are combined in any order}}
  tile.reduce custom %a, %b, %c, %d into %v, %w, %x, %y axes [1] scope(grid)
      identity [0 : i32, -1000000 : i32, -1000000 : i32, -1000000 : i32] combiner {
  ^bb0(%ls: i32, %lp: i32, %le: i32, %lm: i32, %rs: i32, %rp: i32, %re: i32, %rm: i32):
    %s = arith.addi %ls, %rs : i32
    %p1 = arith.addi %ls, %rp : i32
    %p = arith.maxsi %lp, %p1 : i32
    %e1 = arith.addi %le, %rs : i32
    %e = arith.maxsi %re, %e1 : i32
    %m1 = arith.addi %le, %rp : i32
    %m2 = arith.maxsi %lm, %rm : i32
    %m = arith.maxsi %m1, %m2 : i32
    tile.yield %s, %p, %e, %m : i32, i32, i32, i32
  } : memref<?x?xi32>, memref<?x?xi32>, memref<?x?xi32>, memref<?x?xi32>
      into memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>
  return
}
