// RUN: tx-opt %s --split-input-file --verify-diagnostics

// `maps` and regions are valid at scope `grid` only.
func.func @element_in_a_cta(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`element` requires `scope(grid)`, but the scope is `cta`}}
  tile.reduce sum %A into %B axes [1] scope(cta) element {
  ^bb0(%a: f32, %i: index, %j: index):
    tile.yield %a : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Each operand needs a map.
func.func @missing_map(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{needs a map for each of 2 sources, destinations and `with` operands, found 1}}
  tile.reduce sum %A into %B axes [1] scope(grid) {maps = [affine_map<(i, j) -> (i, j)>]} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// All maps must have equally many dimensions.
func.func @two_spaces(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{the map of destination 0 has 1 dimensions, expected 2 as in the first map}}
  // expected-note @below {{the map is (d0) -> (d0)}}
  tile.reduce sum %A into %B axes [1] scope(grid) {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i) -> (i)>]} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A map has a result for each dimension of its operand.
func.func @wrong_rank(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{the map of source 0 has 1 results, expected one for each of the 2 dimensions of [4, 8]}}
  // expected-note @below {{the map is (d0, d1) -> (d0)}}
  tile.reduce sum %A into %B axes [1] scope(grid) {maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>]} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Maps with symbols are rejected.
func.func @symbol(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{the map of source 0 has symbols, expected only dimensions of the iteration space}}
  // expected-note @below {{the map is (d0, d1)[s0] -> (d0, (d1 + s0))}}
  tile.reduce sum %A into %B axes [1] scope(grid) {maps = [affine_map<(i, j)[s] -> (i, j + s)>, affine_map<(i, j) -> (i)>]} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Two results must not have the same position: a dimension is missing …
func.func @meeting(%A: memref<4x8xf32>, %B: memref<f32>) {
  // expected-error @below {{destination 0 is not indexed by the parallel dimension d0: several results would be written to one element}}
  // expected-note @below {{the map is (d0, d1) -> ()}}
  tile.reduce sum %A into %B axes [1] scope(grid) {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>]} : memref<4x8xf32> into memref<f32>
  return
}

// -----

// … or an index expression combines two dimensions.
func.func @folded(%A: memref<4x8xf32>, %B: memref<11xf32>) {
  // expected-error @below {{destination 0 is indexed by `(d0 + d1)`, expected a parallel dimension that no other index uses, or 0}}
  // expected-note @below {{the map is (d0, d1) -> ((d0 + d1))}}
  tile.reduce sum %A into %B axes [] scope(grid) {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>]} : memref<4x8xf32> into memref<11xf32>
  return
}

// -----

// Every dimension needs an operand that determines its length.
func.func @no_length(%A: memref<8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{the length of d1 is unknown: no operand has an index that consists of this dimension alone}}
  tile.reduce sum %A into %B axes [1] scope(grid) {maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i)>]} : memref<8xf32> into memref<4xf32>
  return
}

// -----

// Two operands determine different lengths of a dimension.
func.func @two_lengths(%A: memref<4x8xf32>, %K: memref<9xf32>, %B: memref<4xf32>) {
  // expected-error @below {{d1 has 8 iterations according to source 0, but 9 according to source 1}}
  tile.reduce sum %A, %K into %B axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]} element {
  ^bb0(%a: f32, %k: f32, %i: index, %j: index):
    %p = arith.mulf %a, %k : f32
    tile.yield %p : f32
  } : memref<4x8xf32>, memref<9xf32> into memref<4xf32>
  return
}

// -----

// An operand of the epilogue must not depend on reduced dimensions.
func.func @reduced_extra(%A: memref<4x8xf32>, %B: memref<4xf32>, %S: memref<8xf32>) {
  // expected-error @below {{`with` operand 0 is indexed by d1, which is reduced}}
  // expected-note @below {{make it a source, and use it in `element`}}
  tile.reduce sum %A into %B with %S axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>]} epilogue {
  ^bb0(%r: f32, %s: f32, %i: index):
    tile.yield %r : f32
  } : memref<4x8xf32> into memref<4xf32> with memref<8xf32>
  return
}

// -----

// Arguments of `element`: a value of each source, then an index of each dimension.
func.func @element_arguments(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{the arguments of `element` must be one element of each source and the index of each dimension}}
  // expected-note @below {{expected (`f32`, `index`, `index`), found (`f32`)}}
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// The element region yields too many values for the kind.
func.func @two_elements(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`sum` combines one value, found 2}}
  // expected-note @below {{use `custom` to combine several values}}
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%a: f32, %i: index, %j: index):
    tile.yield %a, %a : f32, f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// The epilogue must yield the types of the destinations.
func.func @epilogue_type(%A: memref<4x8xf32>, %B: memref<4xf16>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce sum %A into %B axes [1] scope(grid) epilogue {
  ^bb0(%r: f32, %i: index):
    // expected-error @below {{the epilogue yields `f32` for destination 0, whose elements are `f16`}}
    tile.yield %r : f32
  } : memref<4x8xf32> into memref<4xf16>
  return
}

// -----

// `with` operands need an epilogue.
func.func @extra_alone(%A: memref<4x8xf32>, %B: memref<4xf32>, %S: memref<4xf32>) {
  // expected-error @below {{`with` operands require an `epilogue` region}}
  tile.reduce sum %A into %B with %S axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>]}
    : memref<4x8xf32> into memref<4xf32> with memref<4xf32>
  return
}

// -----

// An element region must not read the destination.
func.func @element_of_the_destination(%A: memref<4x8xi32>, %B: memref<4xi32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%a: i32, %i: index, %j: index):
    // expected-note @below {{`memref.load` reads memory; only `element` at scope `grid` may read memory, and only memory that the reduction does not write}}
    // expected-error @below {{`element` must have no side effects: it may be executed any number of times}}
    %b = memref.load %B[%i] : memref<4xi32>
    tile.yield %b : i32
  } : memref<4x8xi32> into memref<4xi32>
  return
}

// -----

// A region must not have side effects.
func.func @impure_element(%A: memref<4x8xf32>, %B: memref<4xf32>, %C: memref<f32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%a: f32, %i: index, %j: index):
    // expected-note @below {{`memref.store` is not known to be free of side effects}}
    // expected-error @below {{`element` must have no side effects: it may be executed any number of times}}
    memref.store %a, %C[] : memref<f32>
    tile.yield %a : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// An attribute of the wrong kind is an error.
func.func @wrong_kind_of_attribute(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute 'determinism' failed to satisfy constraint}}
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = "any"} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A schedule is a list.
func.func @schedule_is_no_list(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute 'schedule' failed to satisfy constraint: array attribute}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = "x"} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// The attribute `nan` of `tile.all_reduce` must have the right kind, too.
func.func @nan_is_no_text(%v: f32) {
  // expected-error @below {{attribute 'nan' failed to satisfy constraint}}
  %s = tile.all_reduce max %v scope(warp) {nan = "ignore"} : f32 -> f32
  return
}
