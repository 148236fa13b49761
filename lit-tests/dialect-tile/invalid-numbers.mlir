// RUN: tx-opt %s --split-input-file --verify-diagnostics

// An op on integers in a combiner of floats is told the op that is meant.
func.func @integers_of_floats(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce custom %A into %B axes [1] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    // expected-error @below {{'arith.addi' op operand #0 must be signless-integer-like, found `f32`; did you mean `arith.addf`?}}
    %p = arith.addi %l, %r : f32
    tile.yield %p : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// The other way round.
func.func @floats_of_integers(%A: memref<4x8xi32>, %B: memref<4xi32>) {
  tile.reduce custom %A into %B axes [1] scope(cta) identity [0 : i32] combiner {
  ^bb0(%l: i32, %r: i32):
    // expected-error @below {{'arith.maximumf' op operand #0 must be floating-point-like, found `i32`; did you mean `arith.maxsi`?}}
    %p = arith.maximumf %l, %r : i32
    tile.yield %p : i32
  } : memref<4x8xi32> into memref<4xi32>
  return
}

// -----

// A type for each operand is one too many where all have the same.
func.func @type_for_each(%l: f32, %r: f32) {
  // expected-error @below {{expected an op, such as `func.return`, found `,`: the op before ends there}}
  %p = arith.addf %l, %r : f32, f32
  return
}

// -----

// `true` and `false` are of one type, which is not written.
func.func @type_of_a_boolean() {
  // expected-error @below {{expected an op, such as `func.return`, found `:`: `true` and `false` have no type behind them}}
  %b = arith.constant true : i1
  return
}

// -----

// Two types do not mix.
func.func @mixed(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce custom %A into %B axes [1] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    // expected-error @below {{use of `%l` of type `f32`, where `arith.addf` takes `f16`: convert it before, by `arith.truncf %l : f32 to f16`}}
    %p = arith.addf %l, %r : f16
    tile.yield %p : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}
