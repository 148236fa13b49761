// RUN: tx-opt %s --linalg-hoist-attributes --split-input-file --verify-diagnostics

// Two ops with attributes were fused.
func.func @two(%A: memref<4xf32>, %B: memref<4xf32>) {
  // expected-error @below {{two ops with attributes were fused into this op, expected at most one}}
  // expected-note @below {{write the program on memrefs}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<4xf32>) outs(%B : memref<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    // expected-note @below {{one op}}
    tile.annotate {schedule = [], iterator_types = [#linalg.iterator_type<parallel>]}
    // expected-note @below {{the other op}}
    tile.annotate {schedule = [], iterator_types = [#linalg.iterator_type<parallel>]}
    linalg.yield %a : f32
  }
  return
}

// -----

// The loops of a reduction were collapsed.
func.func @other_loops(%A: memref<32xf32>, %B: memref<f32>) {
  // expected-error @below {{the `schedule` of this op cannot be kept: fusion or reshaping changed its loops}}
  // expected-note @below {{write the op on memrefs, or drop the schedule}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<32xf32>) outs(%B : memref<f32>) {
  ^bb0(%a: f32, %old: f32):
    // expected-note @below {{the schedule is for the loops of this op, which was fused or reshaped}}
    tile.annotate {schedule = [], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>]}
    %s = arith.addf %a, %old : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// An op was fused into an op with another loop order.
func.func @permuted(%A: memref<4x8xf32>, %B: memref<8x4xf32>) {
  // expected-error @below {{the `schedule` of this op cannot be kept: fusion or reshaping changed its loops}}
  // expected-note @below {{write the op on memrefs, or drop the schedule}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<4x8xf32>) outs(%B : memref<8x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    // expected-note @below {{the schedule is for the loops of this op, which was fused or reshaped}}
    tile.annotate {schedule = [], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      output_maps = [affine_map<(i, j) -> (j, i)>]}
    linalg.yield %a : f32
  }
  return
}

// -----

// A reduction over one element became a copy.
func.func @reduces_nothing(%A: memref<4xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute `acc` is only for reductions, and `linalg.generic` is not a reduction}}
  // expected-note @below {{remove the attribute, or set it on the reduction}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<4xf32>) outs(%B : memref<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    tile.annotate {acc = f64}
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @elsewhere() {
  // expected-error @below {{'tile.annotate' op expects a linalg op as its parent, found `func.func`}}
  tile.annotate {acc = f64}
  return
}
