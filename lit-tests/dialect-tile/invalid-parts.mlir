// RUN: tx-opt %s --split-input-file --verify-diagnostics

// The first word of the next op does not belong to the op before.
func.func @no_types_of_a_reduction(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(cta)
  // expected-error @below {{custom op 'tile.reduce' unknown part `return`; known: accumulate, identity, combiner, element, epilogue}}
  return
}

// -----

func.func @no_colon(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{custom op 'tile.reduce' unknown part `memref`; known: accumulate, identity, combiner, element, epilogue}}
  tile.reduce sum %A into %B axes [1] scope(cta) memref<4x8xf32> into memref<4xf32>
  return
}

// -----

func.func @parts_in_another_order(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce custom %A into %B axes [1] scope(cta) combiner {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  // expected-error @below {{custom op 'tile.reduce' part `identity` is in the wrong position; expected the order accumulate, identity, combiner, element, epilogue; the attribute dictionary comes before `identity` or last}}
  } identity [0.0 : f32] : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

func.func @attributes_among_parts(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{custom op 'tile.reduce' part `combiner` is in the wrong position; expected the order accumulate, identity, combiner, element, epilogue; the attribute dictionary comes before `identity` or last}}
  tile.reduce custom %A into %B axes [1] scope(cta) identity [0.0 : f32] {acc = f64} combiner {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}
