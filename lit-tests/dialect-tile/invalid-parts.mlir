// RUN: tx-opt %s --split-input-file --verify-diagnostics

// What is left out, left open or in the place of something else is named where it is, with what was found there.
// A type is looked for behind `:`.
func.func @no_types(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{expected ':', found the end of the line: write `tile.copy %A to %B scope(cta) : memref<8xf32> to memref<8xf32>`}}
  tile.copy %A to %B scope(cta)
  return
}

// -----

// A word where an op begins is no part of the one before.
func.func @no_types_of_a_reduction(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(cta)
  // expected-error @below {{custom op 'tile.reduce' unknown part `return`; known: accumulate, identity, combiner, element, epilogue, or `:` and types; types stand behind `:`, as in `tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`}}
  return
}

// -----

func.func @no_colon(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{custom op 'tile.reduce' unknown part `memref`; known: accumulate, identity, combiner, element, epilogue, or `:` and types; types stand behind `:`, as in `tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`}}
  tile.reduce sum %A into %B axes [1] scope(cta) memref<4x8xf32> into memref<4xf32>
  return
}

// -----

func.func @no_kind(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{custom op 'tile.reduce' expected valid keyword, found `%A`: write `tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`}}
  tile.reduce %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

func.func @no_scope(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{custom op 'tile.reduce' expected 'scope', found `:`: write `tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`}}
  tile.reduce sum %A into %B axes [1] : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

func.func @no_parentheses(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{expected '(', found `cta`: write `tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`}}
  tile.reduce sum %A into %B axes [1] scope cta : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

func.func @words_of_another_op(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{custom op 'tile.copy' expected 'to', found `into`: write `tile.copy %A to %B scope(cta) : memref<8xf32> to memref<8xf32>`}}
  tile.copy %A into %B scope(cta) : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

func.func @no_result_type(%v: f32) -> f32 {
  // expected-error @below {{expected '->', found the end of the line: write `%s = tile.all_reduce sum %v scope(warp) : f32 -> f32`}}
  %s = tile.all_reduce sum %v scope(warp) : f32
  return %s : f32
}

// -----

// What is open is named, where the text goes on without an end.
func.func @open_type(%A: memref<8xf32>) {
  // expected-error @below {{`!tile.fragment<` is not closed: expected a `>` behind what it holds}}
  %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>
  return
}

// -----

func.func @open_memref(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{expected ',' or '>' in memref type, found `into`}}
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32 into memref<4xf32>
  return
}

// -----

// A region whose brace is missing ends at the types.
func.func @open_region(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %p = arith.mulf %l, %r : f32
  // expected-error @below {{expected an op, such as `func.return`, found `:`: a `}` is missing before it, which ends a region}}
    tile.yield %p : f32
  : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// An element type by another name, or misspelt.
  // expected-error @below {{expected a type, such as `f32`, `index` or `memref<4x?xf32>`, found `float`; did you mean `f32`?}}
func.func private @another_name(memref<4x8xfloat>)

// -----

  // expected-error @below {{expected a type, such as `f32`, `index` or `memref<4x?xf32>`, found `f23`; did you mean `f32`?}}
func.func private @swapped_letters(memref<4x8xf23>)

// -----

  // expected-error @below {{expected a type, such as `f32`, `index` or `memref<4x?xf32>`, found `half`; did you mean `f16`?}}
func.func private @fragment_of_float(!tile.fragment<8xhalf, #tile.layout<[<8 : 1 lane>]>>)

// -----

// A word of an enumeration that is MLIR's own.
func.func @dimension() {
  // expected-error @below {{custom op 'gpu.thread_id' expected one of: x, y, z, found `w`}}
  %x = gpu.thread_id w
  return
}

// -----

// The last function has no end.
func.func @open_function(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
  // expected-error @below {{expected an op, such as `func.return`, found the end of the file: a `}` is missing}}
  return
