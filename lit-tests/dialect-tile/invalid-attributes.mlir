// RUN: tx-opt %s --split-input-file --verify-diagnostics

// A misspelt attribute would say nothing: this program would be compiled without the schedule that it names.
func.func @misspelt_schedule(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{has no attribute `scedule`}}
  // expected-note @below {{did you mean `schedule`?}}
  // expected-note @below {{known: acc, accumulate, axes, determinism, exec, identities, kind, maps, nan, params, schedule, scope, variant; what others say of an op has a dot in its name: `theirs.scedule`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {scedule = [#tile.bind<"d0" to block_x>]} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// So it is beside attributes that are known.
func.func @misspelt_determinism(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{has no attribute `determinsm`}}
  // expected-note @below {{did you mean `determinism`?}}
  // expected-note @below {{known: }}
  tile.reduce sum %A into %B axes [1] scope(cta) {acc = f32, determinsm = "any", nan = #tile.nan<ignore>} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Letters that change places are one mistake.
func.func @misspelt_variant(%v: f32) {
  // expected-error @below {{has no attribute `varaint`}}
  // expected-note @below {{did you mean `variant`?}}
  // expected-note @below {{known: acc, determinism, exec, identities, kind, nan, scope, stride, variant, width; what}}
  %s = tile.all_reduce sum %v scope(warp) {varaint = "shuffle"} : f32 -> f32
  return
}

// -----

// Nothing is suggested where nothing is near.
func.func @unknown_of_a_copy(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{has no attribute `threads`}}
  // expected-note @below {{known: exec, scope; what}}
  tile.copy %A to %B scope(cta) {threads = 32} : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// An op without attributes has none to confuse with others.
func.func @unknown_of_a_splat(%c: f32) {
  // expected-error @below {{has no attribute `scope`}}
  // expected-note @below {{it has none; what}}
  %z = tile.splat %c {scope = "cta"} : f32 -> !tile.fragment<1xf32, #tile.layout<[<1 : 1 reg>]>>
  return
}

// -----

// In the generic form an attribute has no other rules.
func.func @generic_form(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{has no attribute `unroll`}}
  // expected-note @below {{known: exec, scope; what}}
  "tile.copy"(%A, %B) <{scope = #tile.scope<cta>}> {unroll} : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

// Names that begin with `tile.` are the dialect's too.
func.func @unknown_fact(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{has no attribute `tile.candidate`}}
  // expected-note @below {{did you mean `tile.candidates`?}}
  // expected-note @below {{known: }}
  tile.reduce sum %A into %B axes [1] scope(grid) {tile.candidate = []} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// What a compiler of someone's own says of an op is theirs, and the schedules that were thought of are the dialect's.
func.func @facts_of_others(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {theirs.fact, tile.candidates = []} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// An attribute in the place of another is told how that is written.
func.func @determinism_as_text(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute 'determinism' failed to satisfy constraint: which results must have equal bits: `#tile.determinism<WORD>`, where WORD is one of any, run_to_run, batch_invariant}}
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = "any"} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// What the syntax says is not said again: it would win, or lose, without a word.
func.func @said_twice(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute `kind` is said by the syntax of the op, and not in braces}}
  tile.reduce sum %A into %B axes [1] scope(cta) {kind = #tile.kind<max>} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Parameters without a variant would be for whichever is chosen.
func.func @params_of_no_variant(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`params` are a variant's, and no `variant` is named}}
  // expected-note @below {{leave both to `tile-select-variant`, or name the variant}}
  tile.reduce sum %A into %B axes [1] scope(cta) {params = {group = 8 : i64}} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// The place of a misspelt part is its own.
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

// The parts of one op are not those of the other.
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

// An attribute of the dialect on an op of another one is known by its name and its kind, and stands on some ops alone.
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
