// RUN: tx-opt %s --convert-linalg-to-tile
// SNAPSHOT: none — CHECK lines state what reductions are, and VALIDATE that they compute the same
// VALIDATE

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A loop that sets bits computes a bitwise or. Its laws are only tested, so it stays `custom`.
// CHECK-LABEL: func.func @combiner_with_a_loop(
// CHECK:         tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) identity [0 : i16] combiner {
// CHECK:           scf.for
func.func @combiner_with_a_loop(%A: memref<4x30xi16>, %B: memref<4xi16>) {
  %zero = arith.constant 0 : i16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  linalg.fill ins(%zero : i16) outs(%B : memref<4xi16>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x30xi16>) outs(%B : memref<4xi16>) {
  ^bb0(%x: i16, %o: i16):
    %r = scf.for %n = %c0 to %c16 step %c1 iter_args(%q = %o) -> (i16) {
      %k = arith.index_cast %n : index to i16
      %one = arith.constant 1 : i16
      %bit = arith.shli %one, %k : i16
      %own = arith.andi %x, %bit : i16
      %t = arith.ori %q, %own : i16
      scf.yield %t : i16
    }
    linalg.yield %r : i16
  }
  return
}

// A loop, a switch and a region that compute elements.
// CHECK-LABEL: func.func @element_with_control(
// CHECK:         tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) element {
// CHECK:           scf.for
// CHECK:           scf.index_switch
// CHECK:           scf.execute_region
func.func @element_with_control(%A: memref<4x30xf32>, %B: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  linalg.fill ins(%zero : f32) outs(%B : memref<4xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x30xf32>) outs(%B : memref<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %power = scf.for %n = %c0 to %c3 step %c1 iter_args(%q = %x) -> (f32) {
      %t = arith.mulf %q, %x : f32
      scf.yield %t : f32
    }
    %j = linalg.index 1 : index
    %rest = arith.remui %j, %c3 : index
    %s = scf.index_switch %rest -> f32
    case 0 {
      scf.yield %x : f32
    }
    case 1 {
      scf.yield %power : f32
    }
    default {
      %negated = arith.negf %x : f32
      scf.yield %negated : f32
    }
    %e = scf.execute_region -> f32 {
      %u = arith.addf %s, %power : f32
      scf.yield %u : f32
    }
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  }
  return
}

// A loop with a different trip count for each element, in an element-wise op that is fused into a reduction
// whose combiner contains a switch.
// CHECK-LABEL: func.func @producer_with_a_loop(
// CHECK:         tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) identity [-2147483648 : i32] combiner {
// CHECK:           scf.index_switch
// CHECK:         } element {
// CHECK:           scf.while
func.func @producer_with_a_loop(%A: memref<4x30xi32>, %B: memref<4xi32>) {
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %T = memref.alloc() : memref<4x30xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<4x30xi32>) outs(%T : memref<4x30xi32>) {
  ^bb0(%x: i32, %o: i32):
    %odd = scf.while (%k = %x) : (i32) -> i32 {
      %bit = arith.andi %k, %one : i32
      %even = arith.cmpi eq, %bit, %zero : i32
      %some = arith.cmpi ne, %k, %zero : i32
      %go = arith.andi %even, %some : i1
      scf.condition(%go) %k : i32
    } do {
    ^bb0(%k: i32):
      %half = arith.shrui %k, %one : i32
      scf.yield %half : i32
    }
    linalg.yield %odd : i32
  }
  linalg.fill ins(%least : i32) outs(%B : memref<4xi32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%T : memref<4x30xi32>) outs(%B : memref<4xi32>) {
  ^bb0(%x: i32, %o: i32):
    %greater = arith.cmpi sgt, %x, %o : i32
    %case = arith.index_castui %greater : i1 to index
    %r = scf.index_switch %case -> i32
    case 0 {
      scf.yield %o : i32
    }
    default {
      scf.yield %x : i32
    }
    linalg.yield %r : i32
  }
  memref.dealloc %T : memref<4x30xi32>
  return
}
