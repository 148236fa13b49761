// RUN: tx-opt %s --split-input-file --verify-diagnostics

// A misspelt attribute is an error: otherwise the program would be compiled without its schedule.
func.func @misspelt_schedule(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{has no attribute `scedule`}}
  // expected-note @below {{did you mean `schedule`?}}
  // expected-note @below {{known: acc, accumulate, axes, determinism, exec, identities, kind, maps, nan, params, schedule, scope, variant; a discardable attribute needs a dialect prefix, such as `mytool.scedule`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {scedule = [#tile.bind<"d0" to block_x>]} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A misspelt attribute is an error next to valid attributes, too.
func.func @misspelt_determinism(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{has no attribute `determinsm`}}
  // expected-note @below {{did you mean `determinism`?}}
  // expected-note @below {{known: }}
  tile.reduce sum %A into %B axes [1] scope(cta) {acc = f32, determinsm = "any", nan = #tile.nan<ignore>} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Two swapped letters count as one mistake.
func.func @misspelt_variant(%v: f32) {
  // expected-error @below {{has no attribute `varaint`}}
  // expected-note @below {{did you mean `variant`?}}
  // expected-note @below {{known: acc, determinism, exec, identities, kind, nan, scope, stride, variant, width; a discardable}}
  %s = tile.all_reduce sum %v scope(warp) {varaint = "shuffle"} : f32 -> f32
  return
}

// -----

// Without a similar name, the message suggests nothing.
func.func @unknown_of_a_copy(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{has no attribute `threads`}}
  // expected-note @below {{known: exec, scope; a discardable attribute needs a dialect prefix, such as `mytool.threads`}}
  tile.copy %A to %B scope(cta) {threads = 32} : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// An op without attributes has no similar names.
func.func @unknown_of_a_splat(%c: f32) {
  // expected-error @below {{has no attribute `scope`}}
  // expected-note @below {{it has none; a discardable attribute needs a dialect prefix, such as `mytool.scope`}}
  %z = tile.splat %c {scope = "cta"} : f32 -> !tile.fragment<1xf32, #tile.layout<[<1 : 1 reg>]>>
  return
}

// -----

// The generic form has the same rules for attributes.
func.func @generic_form(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{has no attribute `unroll`}}
  // expected-note @below {{known: exec, scope; a discardable attribute needs a dialect prefix, such as `mytool.unroll`}}
  "tile.copy"(%A, %B) <{scope = #tile.scope<cta>}> {unroll} : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

// Names that begin with `tile.` belong to the dialect, too.
func.func @unknown_fact(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{has no attribute `tile.candidate`}}
  // expected-note @below {{did you mean `tile.candidates`?}}
  // expected-note @below {{known: }}
  tile.reduce sum %A into %B axes [1] scope(grid) {tile.candidate = []} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Attributes of other compilers are accepted; candidate schedules belong to the dialect.
func.func @facts_of_others(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {theirs.fact, tile.candidates = []} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// For an attribute of the wrong kind, the message shows the right syntax.
func.func @determinism_as_text(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute 'determinism' failed to satisfy constraint: which results must have equal bits: `#tile.determinism<WORD>`, where WORD is one of any, run_to_run, batch_invariant}}
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = "any"} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A property of the syntax cannot be an attribute again: one of the two would be ignored.
func.func @said_twice(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute `kind` has its own syntax, and is not allowed in the attribute dictionary}}
  tile.reduce sum %A into %B axes [1] scope(cta) {kind = #tile.kind<max>} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Parameters need a `variant`, to which they belong.
func.func @params_of_no_variant(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`params` requires the attribute `variant`}}
  // expected-note @below {{set `variant`, or remove `params`: `tile-select-variant` chooses both}}
  tile.reduce sum %A into %B axes [1] scope(cta) {params = {group = 8 : i64}} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// The error is at the position of the misspelt keyword.
func.func @misspelt_part(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{unknown part `elemnt`; known: accumulate, identity, combiner, element, epilogue; did you mean `element`?}}
  tile.reduce sum %A into %B axes [0] scope(grid) elemnt {
  ^bb0(%a: f32, %i: index):
    tile.yield %a : f32
  } : memref<?xf32> into memref<f32>
  return
}

// -----

func.func @unknown_part(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{unknown part `body`; known: accumulate, identity, combiner, element, epilogue}}
  tile.reduce sum %A into %B axes [0] scope(grid) body {
  } : memref<?xf32> into memref<f32>
  return
}

// -----

// Each op has its own keywords.
func.func @misspelt_width(%v: f32) -> f32 {
  // expected-error @below {{unknown part `widht`; known: width, stride, identity, combiner; did you mean `width`?}}
  %s = tile.all_reduce sum %v scope(warp) widht 8 : f32 -> f32
  return %s : f32
}

// -----

func.func @part_of_the_other(%v: f32) -> f32 {
  // expected-error @below {{unknown part `accumulate`; known: width, stride, identity, combiner}}
  %s = tile.all_reduce sum %v scope(warp) accumulate : f32 -> f32
  return %s : f32
}

// -----

// A dialect attribute on a foreign op has a known name and kind, and is valid on some ops only.
// expected-error @below {{'func.func' op has no attribute `tile.bogus`; known: tile.candidates, tile.determinism, tile.fusion, tile.group, tile.math, tile.owned}}
func.func @unknown() attributes {tile.bogus = 1 : i32} {
  return
}

// -----

func.func @of_another_kind(%i: index) {
  // expected-error @below {{'arith.addi' op `tile.owned` must be an integer}}
  %j = arith.addi %i, %i {tile.owned = "mine"} : index
  return
}

// -----

// expected-error @below {{'func.func' op argument 0 has no attribute `tile.bogus`}}
func.func @on_an_argument(%i: index {tile.bogus}) {
  return
}

// -----

// expected-error @below {{'func.func' op result 0 has no attribute `tile.bogus`}}
func.func @on_a_result(%i: index) -> (index {tile.bogus}) {
  return %i : index
}
