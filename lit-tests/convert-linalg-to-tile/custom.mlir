// RUN: tx-opt %s --convert-linalg-to-tile

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A combiner without a named kind becomes `custom`. The fill value of the outputs is its identity if it
// leaves every sample value unchanged, and the fill is folded.
// CHECK-LABEL: func.func @filled
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) identity [0.000000e+00 : f32] combiner {
// CHECK-NEXT:  ^bb0(%[[L:.+]]: f32, %[[R:.+]]: f32):
// CHECK-NEXT:    %[[S:.+]] = arith.addf %[[L]], %[[R]] : f32
// CHECK-NEXT:    %[[P:.+]] = arith.mulf %[[L]], %[[R]] : f32
// CHECK-NEXT:    %[[D:.+]] = arith.subf %[[S]], %[[P]] : f32
// CHECK-NEXT:    tile.yield %[[D]] : f32
// CHECK-NEXT:  } : memref<?x?xf32> into memref<?xf32>
func.func @filled(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<?xf32>)
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %s = arith.addf %o, %x : f32
    %p = arith.mulf %o, %x : f32
    %d = arith.subf %s, %p : f32
    linalg.yield %d : f32
  }
  return
}

// Otherwise an identity is searched, and old values are combined. With -inf, the result for no elements
// would be NaN; the lowest finite number is neutral.
// CHECK-LABEL: func.func @log_sum_exp
// CHECK:       tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate identity [-3.40282347E+38 : f32] combiner
func.func @log_sum_exp(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %m = arith.maximumf %x, %o : f32
    %dx = arith.subf %x, %m : f32
    %do = arith.subf %o, %m : f32
    %ex = math.exp %dx : f32
    %eo = math.exp %do : f32
    %s = arith.addf %ex, %eo : f32
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    linalg.yield %r : f32
  }
  return
}

// A fill with another value than an identity stays.
// CHECK-LABEL: func.func @started
// CHECK:       linalg.fill
// CHECK:       tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate identity [0 : i32] combiner
func.func @started(%A: memref<?x?xi32>, %B: memref<?xi32>) {
  %c = arith.constant 17 : i32
  linalg.fill ins(%c : i32) outs(%B : memref<?xi32>)
  linalg.reduce ins(%A : memref<?x?xi32>) outs(%B : memref<?xi32>) dimensions = [1] (%x: i32, %o: i32) {
    %s = arith.addi %x, %o : i32
    %p = arith.muli %x, %o : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  }
  return
}

// Products of complex numbers: the algebraic laws determine which element belongs to which output.
// CHECK-LABEL: func.func @complex_product(
// CHECK-SAME:    %[[IM:.+]]: memref<?xf32>, %[[RE:.+]]: memref<?xf32>, %[[OR:.+]]: memref<f32>, %[[OI:.+]]: memref<f32>)
// CHECK:       tile.reduce custom %[[IM]], %[[RE]] into %[[OR]], %[[OI]] axes [0] scope(grid) accumulate identity [1.000000e+00 : f32, 0.000000e+00 : f32] combiner {
// CHECK:       } element {
// CHECK-NEXT:  ^bb0(%[[I:.+]]: f32, %[[R:.+]]: f32, %{{.+}}: index):
// CHECK-NEXT:    tile.yield %[[R]], %[[I]] : f32, f32
func.func @complex_product(%Im: memref<?xf32>, %Re: memref<?xf32>, %OR: memref<f32>, %OI: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>, affine_map<(k) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%Im, %Re : memref<?xf32>, memref<?xf32>) outs(%OR, %OI : memref<f32>, memref<f32>) {
  ^bb0(%xi: f32, %xr: f32, %r: f32, %i: f32):
    %rr = arith.mulf %r, %xr : f32
    %ii = arith.mulf %i, %xi : f32
    %ri = arith.mulf %r, %xi : f32
    %ir = arith.mulf %i, %xr : f32
    %nr = arith.subf %rr, %ii : f32
    %ni = arith.addf %ri, %ir : f32
    linalg.yield %nr, %ni : f32, f32
  }
  return
}

// Several outputs of named kinds become one reduction of several values.
// CHECK-LABEL: func.func @range
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce custom %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) identity [0xFF800000 : f32, 0x7F800000 : f32] combiner {
// CHECK:         arith.maximumf
// CHECK:         arith.minimumf
// CHECK:       } element {
func.func @range(%A: memref<?x?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  linalg.fill ins(%high : f32) outs(%C : memref<?xf32>)
  linalg.fill ins(%low : f32) outs(%B : memref<?xf32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%B, %C : memref<?xf32>, memref<?xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    %max = arith.maximumf %x, %o : f32
    %min = arith.minimumf %x, %p : f32
    linalg.yield %max, %min : f32, f32
  }
  return
}

// The merge of two Welford states (mean, sum of squares, count) is a combiner: commutative and associative
// wherever it is defined. The state of no elements is neutral.
// CHECK-LABEL: func.func @welford_states
// CHECK:       tile.reduce custom %{{.+}}, %{{.+}}, %{{.+}} into %{{.+}}, %{{.+}}, %{{.+}} axes [0] scope(grid) identity [0.000000e+00 : f32, 0.000000e+00 : f32, 0.000000e+00 : f32] combiner
func.func @welford_states(%M: memref<?xf32>, %S: memref<?xf32>, %N: memref<?xf32>, %m: memref<f32>, %s: memref<f32>, %n: memref<f32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%m : memref<f32>)
  linalg.fill ins(%z : f32) outs(%s : memref<f32>)
  linalg.fill ins(%z : f32) outs(%n : memref<f32>)
  linalg.reduce ins(%M, %S, %N : memref<?xf32>, memref<?xf32>, memref<?xf32>) outs(%m, %s, %n : memref<f32>, memref<f32>, memref<f32>) dimensions = [0]
    (%mx: f32, %sx: f32, %nx: f32, %mo: f32, %so: f32, %no: f32) {
      %one = arith.constant 1.0 : f32
      %count = arith.addf %no, %nx : f32
      %zero = arith.constant 0.0 : f32
      %empty = arith.cmpf oeq, %count, %zero : f32
      %safe = arith.select %empty, %one, %count : f32
      %delta = arith.subf %mx, %mo : f32
      %share = arith.divf %nx, %safe : f32
      %step = arith.mulf %delta, %share : f32
      %mean = arith.addf %mo, %step : f32
      %d2 = arith.mulf %delta, %delta : f32
      %w = arith.mulf %no, %share : f32
      %extra = arith.mulf %d2, %w : f32
      %sum = arith.addf %so, %sx : f32
      %squares = arith.addf %sum, %extra : f32
      linalg.yield %mean, %squares, %count : f32, f32, f32
    }
  return
}

// For several values, each is tested with its minimum and maximum: -1 is not neutral for a maximum,
// although it is for a few small values.
// CHECK-LABEL: func.func @largest_and_sum
// CHECK:       tile.reduce custom {{.+}} accumulate identity [0xFF800000 : f32, 0.000000e+00 : f32] combiner {
func.func @largest_and_sum(%A: memref<?xf32>, %B: memref<f32>, %C: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%B, %C : memref<f32>, memref<f32>) {
  ^bb0(%x: f32, %p: f32, %q: f32):
    %larger = arith.cmpf ogt, %x, %p : f32
    %m = arith.select %larger, %x, %p : f32
    %s = arith.addf %x, %q : f32
    linalg.yield %m, %s : f32, f32
  }
  return
}

// An index equal to the identity's index is tested too: only the largest index loses every tie.
// CHECK-LABEL: func.func @largest_with_lowest_index
// CHECK:       tile.reduce custom {{.+}} accumulate identity [0xFF800000 : f32, 2147483647 : i32]
func.func @largest_with_lowest_index(%A: memref<?xf32>, %J: memref<?xi32>, %V: memref<f32>, %I: memref<i32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%A, %J : memref<?xf32>, memref<?xi32>) outs(%V, %I : memref<f32>, memref<i32>) {
  ^bb0(%x: f32, %j: i32, %v: f32, %i: i32):
    %nx = arith.negf %x : f32
    %ny = arith.negf %v : f32
    %n = arith.minimumf %nx, %ny : f32
    %m = arith.negf %n : f32
    %gt = arith.cmpf ogt, %x, %v : f32
    %eq = arith.cmpf oeq, %x, %v : f32
    %lt = arith.cmpi slt, %j, %i : i32
    %tie = arith.andi %eq, %lt : i1
    %wins = arith.ori %gt, %tie : i1
    %k = arith.select %wins, %j, %i : i32
    linalg.yield %m, %k : f32, i32
  }
  return
}
