// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Schedules with `rfactor` for reductions with two results.

// A custom combiner in which the smaller index wins for equal values.
// COMPARE: @argmax_custom(Idx: 128x128xi32, Val: 128x128xf32 of ties, T0: 128xi32, T1: 128xf32) T1 = max(Val, 1); T0 = min(select(Val == max(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmax_custom_0 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 3
// COUNT: @argmax_custom_1 barriers = 1, shuffles = 0, loads = 36, shared loads = 4, stores = 4, shared stores = 2
// COUNT: @argmax_custom_1 scf.if = 1
// COUNT: @argmax_custom gpu.launch_func = 2, memref.alloc = 2
func.func @argmax_custom(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  tile.reduce custom %Idx, %Val into %T0, %T1 axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} identity [2147483647 : i32, 0xFF800000 : f32] combiner {
  ^bb0(%i: i32, %v: f32, %j: i32, %w: f32):
    %more = arith.cmpf ogt, %v, %w : f32
    %same = arith.cmpf oeq, %v, %w : f32
    %before = arith.cmpi slt, %i, %j : i32
    %first = arith.andi %same, %before : i1
    %left = arith.ori %more, %first : i1
    %value = arith.select %left, %v, %w : f32
    %index = arith.select %left, %i, %j : i32
    tile.yield %index, %value : i32, f32
  }
      : memref<128x128xi32>, memref<128x128xf32> into memref<128xi32>, memref<128xf32>
  return
}

// `argmax` with indices from an operand.
// COMPARE: @argmax_named(Idx: 128x128xi32, Val: 128x128xf32 of ties, T0: 128xi32, T1: 128xf32) T1 = max(Val, 1); T0 = min(select(Val == max(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmax_named_0 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 3
// COUNT: @argmax_named_1 barriers = 1, shuffles = 0, loads = 36, shared loads = 4, stores = 4, shared stores = 2
// COUNT: @argmax_named_1 scf.if = 1
// COUNT: @argmax_named gpu.launch_func = 2, memref.alloc = 2
func.func @argmax_named(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  tile.reduce argmax %Val, %Idx into %T1, %T0 axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]}
      : memref<128x128xf32>, memref<128x128xi32> into memref<128xf32>, memref<128xi32>
  return
}

// A `linalg` reduction that keeps the first of equal values.
// COMPARE: @argmax_of_linalg(Idx: 128x128xi32, Val: 128x128xf32, T0: 128xi32, T1: 128xf32) T1 = max(Val, 1); T0 = min(select(Val == max(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmax_of_linalg_0 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @argmax_of_linalg_1 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @argmax_of_linalg_2 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 3
// COUNT: @argmax_of_linalg_3 barriers = 1, shuffles = 0, loads = 38, shared loads = 4, stores = 4, shared stores = 2
// COUNT: @argmax_of_linalg_3 scf.if = 1
// COUNT: @argmax_of_linalg gpu.launch_func = 4, memref.alloc = 2
func.func @argmax_of_linalg(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  %T0_start = arith.constant -1 : i32
  linalg.fill ins(%T0_start : i32) outs(%T0 : memref<128xi32>)
  %T1_start = arith.constant 0xFF800000 : f32
  linalg.fill ins(%T1_start : f32) outs(%T1 : memref<128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i)>,
        affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%Idx, %Val : memref<128x128xi32>, memref<128x128xf32>) outs(%T0, %T1 : memref<128xi32>, memref<128xf32>)
      attrs = {schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} {
  ^bb0(%i: i32, %v: f32, %j: i32, %w: f32):
    %keep = arith.cmpf oge, %w, %v : f32
    %index = arith.select %keep, %j, %i : i32
    %value = arith.select %keep, %w, %v : f32
    linalg.yield %index, %value : i32, f32
  }
  return
}

// `argmin`, with value and index in reversed order.
// COMPARE: @argmin_custom(Idx: 128x128xi32, Val: 128x128xf32 of ties, T0: 128xi32, T1: 128xf32) T1 = min(Val, 1); T0 = min(select(Val == min(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmin_custom_0 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 3
// COUNT: @argmin_custom_1 barriers = 1, shuffles = 0, loads = 36, shared loads = 4, stores = 4, shared stores = 2
// COUNT: @argmin_custom_1 scf.if = 1
// COUNT: @argmin_custom gpu.launch_func = 2, memref.alloc = 2
func.func @argmin_custom(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  tile.reduce custom %Val, %Idx into %T1, %T0 axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} identity [0x7F800000 : f32, 2147483647 : i32] combiner {
  ^bb0(%v: f32, %i: i32, %w: f32, %j: i32):
    %more = arith.cmpf olt, %v, %w : f32
    %same = arith.cmpf oeq, %v, %w : f32
    %before = arith.cmpi slt, %i, %j : i32
    %first = arith.andi %same, %before : i1
    %left = arith.ori %more, %first : i1
    %value = arith.select %left, %v, %w : f32
    %index = arith.select %left, %i, %j : i32
    tile.yield %value, %index : f32, i32
  }
      : memref<128x128xf32>, memref<128x128xi32> into memref<128xf32>, memref<128xi32>
  return
}

// `argmin` with reversed results, written in `linalg`.
// COMPARE: @argmin_of_linalg(Idx: 128x128xi32, Val: 128x128xf32, T0: 128xi32, T1: 128xf32) T1 = min(Val, 1); T0 = min(select(Val == min(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @argmin_of_linalg_0 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @argmin_of_linalg_1 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @argmin_of_linalg_2 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 3
// COUNT: @argmin_of_linalg_3 barriers = 1, shuffles = 0, loads = 38, shared loads = 4, stores = 4, shared stores = 2
// COUNT: @argmin_of_linalg_3 scf.if = 1
// COUNT: @argmin_of_linalg gpu.launch_func = 4, memref.alloc = 2
func.func @argmin_of_linalg(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  %T0_start = arith.constant -1 : i32
  linalg.fill ins(%T0_start : i32) outs(%T0 : memref<128xi32>)
  %T1_start = arith.constant 0x7F800000 : f32
  linalg.fill ins(%T1_start : f32) outs(%T1 : memref<128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i)>,
        affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%Idx, %Val : memref<128x128xi32>, memref<128x128xf32>) outs(%T1, %T0 : memref<128xf32>, memref<128xi32>)
      attrs = {schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} {
  ^bb0(%i: i32, %v: f32, %w: f32, %j: i32):
    %keep = arith.cmpf ole, %w, %v : f32
    %index = arith.select %keep, %j, %i : i32
    %value = arith.select %keep, %w, %v : f32
    linalg.yield %value, %index : f32, i32
  }
  return
}

// A reduction of one row, in parts of eight elements.
// COMPARE: @argmax_row(A: 1x32xf32 of ties, V: 1xf32, I: 1xi32) V = max(A, 1); I = argmax(A, 1)
// COUNT: @argmax_row_0 barriers = 0, shuffles = 0, loads = 1, stores = 2, scf.for = 2
// COUNT: @argmax_row_1 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 1
// COUNT: @argmax_row gpu.launch_func = 2, memref.alloc = 2
func.func @argmax_row(%A: memref<1x32xf32>, %V: memref<1xf32>, %I: memref<1xi32>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 8>,
        #tile.rfactor<"d1.i">]}
      : memref<1x32xf32> into memref<1xf32>, memref<1xi32>
  return
}

// `argmin` of one row.
// COMPARE: @argmin_row(A: 1x32xf32 of ties, V: 1xf32, I: 1xi32) V = min(A, 1); I = argmin(A, 1)
// COUNT: @argmin_row_0 barriers = 0, shuffles = 0, loads = 1, stores = 2, scf.for = 2
// COUNT: @argmin_row_1 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 1
// COUNT: @argmin_row gpu.launch_func = 2, memref.alloc = 2
func.func @argmin_row(%A: memref<1x32xf32>, %V: memref<1xf32>, %I: memref<1xi32>) {
  tile.reduce argmin %A into %V, %I axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 8>,
        #tile.rfactor<"d1.i">]}
      : memref<1x32xf32> into memref<1xf32>, memref<1xi32>
  return
}

// Value and index have destinations of different layout.
// COMPARE: @transposed_index(A: 4x6x128xf32 of ties, V: 4x6xf32, I: 6x4xi32) V = max(A, 2); I = transpose(argmax(A, 2), [1, 0])
// COUNT: @transposed_index_0 barriers = 0, shuffles = 0, loads = 1, stores = 2, scf.for = 4
// COUNT: @transposed_index_1 barriers = 1, shuffles = 0, loads = 24, shared loads = 16, stores = 4, shared stores = 2
// COUNT: @transposed_index_1 scf.if = 2
// COUNT: @transposed_index gpu.launch_func = 2, memref.alloc = 2
func.func @transposed_index(%A: memref<4x6x128xf32>, %V: memref<4x6xf32>, %I: memref<6x4xi32>) {
  tile.reduce argmax %A into %V, %I axes [2] scope(grid) {
      maps = [affine_map<(i, j, k) -> (i, j, k)>,
        affine_map<(i, j, k) -> (i, j)>,
        affine_map<(i, j, k) -> (j, i)>],
      schedule = [#tile.split<"d2" by 32>,
        #tile.rfactor<"d2.i">]}
      : memref<4x6x128xf32> into memref<4x6xf32>, memref<6x4xi32>
  return
}

// A combiner region with several ops.
// COMPARE: @computed_value(Idx: 128x128xi32, Val: 128x128xf32, T0: 128xi32, T1: 128xf32) T1 = max(Val, 1); T0 = min(select(Val == max(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1)
// COUNT: @computed_value_0 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 3
// COUNT: @computed_value_1 barriers = 1, shuffles = 0, loads = 36, shared loads = 4, stores = 4, shared stores = 2
// COUNT: @computed_value_1 scf.if = 1
// COUNT: @computed_value gpu.launch_func = 2, memref.alloc = 2
func.func @computed_value(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  tile.reduce custom %Idx, %Val into %T0, %T1 axes [1] scope(grid) {
      schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} identity [2147483647 : i32, 0xFF800000 : f32] combiner {
  ^bb0(%i: i32, %v: f32, %j: i32, %w: f32):
    %more = arith.cmpf ogt, %v, %w : f32
    %same = arith.cmpf oeq, %v, %w : f32
    %before = arith.cmpi slt, %i, %j : i32
    %first = arith.andi %same, %before : i1
    %left = arith.ori %more, %first : i1
    %value = arith.maximumf %v, %w : f32
    %index = arith.select %left, %i, %j : i32
    tile.yield %index, %value : i32, f32
  }
      : memref<128x128xi32>, memref<128x128xf32> into memref<128xi32>, memref<128xf32>
  return
}

// One of two results is filled before, the other is combined with old values.
// COMPARE: @index_onto_filled(Idx: 128x128xi32, Val: 128x128xf32, T0: 128xi32, T1: 128xf32) m = max(Val, 1); i = min(select(Val == max(Val, 1, keep), Idx, Idx * 0 + 2147483647), 1); T0 = select(T1 >= m, i * 0 - 1, i); T1 = maximum(T1, m)
// COUNT: @index_onto_filled_0 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @index_onto_filled_1 barriers = 0, shuffles = 0, loads = 2, stores = 2, scf.for = 3
// COUNT: @index_onto_filled_2 barriers = 1, shuffles = 0, loads = 38, shared loads = 4, stores = 4, shared stores = 2
// COUNT: @index_onto_filled_2 scf.if = 1
// COUNT: @index_onto_filled gpu.launch_func = 3, memref.alloc = 2
func.func @index_onto_filled(%Idx: memref<128x128xi32>, %Val: memref<128x128xf32>, %T0: memref<128xi32>, %T1: memref<128xf32>) {
  %T0_start = arith.constant -1 : i32
  linalg.fill ins(%T0_start : i32) outs(%T0 : memref<128xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i)>,
        affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%Idx, %Val : memref<128x128xi32>, memref<128x128xf32>) outs(%T0, %T1 : memref<128xi32>, memref<128xf32>)
      attrs = {schedule = [#tile.split<"d1" by 32>,
        #tile.rfactor<"d1.i">]} {
  ^bb0(%i: i32, %v: f32, %j: i32, %w: f32):
    %keep = arith.cmpf oge, %w, %v : f32
    %index = arith.select %keep, %j, %i : i32
    %value = arith.select %keep, %w, %v : f32
    linalg.yield %index, %value : i32, f32
  }
  return
}
