// RUN: tx-opt %s --split-input-file --verify-diagnostics

// An op of any dialect that does not exist is told with the one that may be meant.
func.func @op_of_linalg(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{custom op 'linalg.redude' is unknown; did you mean `linalg.reduce`?}}
  linalg.redude ins(%a : memref<4x4xf32>) outs(%b : memref<4xf32>) dimensions = [1]
}

// -----

func.func @op_in_a_region(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  linalg.reduce ins(%a : memref<4x4xf32>) outs(%b : memref<4xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      // expected-error @below {{custom op 'arith.adddf' is unknown; did you mean `arith.addf`?}}
      %z = arith.adddf %x, %y : f32
    }
}

// -----

func.func @op_of_the_dialect_of_the_region() {
  // expected-error @below {{custom op 'retrun' is unknown (tried 'func.retrun' as well); did you mean `func.return`?}}
  retrun
}

// -----

func.func @op_of_tile(%a: memref<4x4xf32>) {
  // expected-error @below {{custom op 'tile.reduse' is unknown; did you mean `tile.reduce`?}}
  tile.reduse sum %a
}

// -----

// A dialect with few ops lists them where none is near.
func.func @no_op_of_tile(%a: memref<4x4xf32>) {
  // expected-error @below {{custom op 'tile.gather' is unknown; known: all_reduce, annotate, copy}}
  tile.gather %a
}

// -----

// One with many does not.
func.func @no_op_of_arith() {
  // expected-error @below {{custom op 'arith.gather' is unknown}}
  arith.gather
}

// -----

func.func @in_generic_form() {
  // expected-error @below {{that does not allow unknown operations; did you mean `tile.reduce`?}}
  "tile.reduse"() : () -> ()
}

// -----

func.func @dialect() {
  // expected-error @below {{unknown dialect `lnalg`; did you mean `linalg.fill`?}}
  lnalg.fill
}

// -----

func.func @no_dialect() {
  // expected-error @below {{unknown dialect `triton`; known: acc, affine}}
  triton.load
}

// -----

func.func @kind(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{unknown kind `summ`; known: sum, prod, max, min, umax, umin, and, or, xor, argmax, argmin, custom; did you mean `sum`?}}
  tile.reduce summ %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

// A kind by the name that it has elsewhere.
func.func @kind_of_others(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{argmin, custom; did you mean `sum`?}}
  tile.reduce add %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

func.func @kind_in_capitals(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{argmin, custom; did you mean `sum`?}}
  tile.reduce SUM %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

// An op that is written without its dialect, where ops of that are loaded.
func.func @no_dialect_written(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  tile.reduce sum %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
  // expected-error @below {{custom op 'reduce' is unknown (tried 'func.reduce' as well); did you mean `tile.reduce`?}}
  reduce sum %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

// An op that is not written to its end yet: the ops of its dialect, and not of what was tried.
func.func @dialect_alone(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  tile.copy %a to %a scope(cta) : memref<4x4xf32> to memref<4x4xf32>
  // expected-error @below {{custom op 'tile.' is unknown (tried 'func.tile.' as well); known: all_reduce, annotate, copy}}
  tile. sum %a
}

// -----

func.func @keyword(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{custom op 'tile.reduce' expected 'axes', found `to`: write `tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`}}
  tile.reduce sum %a to %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

func.func @accumulate(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{or `:` and types; did you mean `accumulate`?}}
  tile.reduce sum %a into %b axes [1] scope(cta) accumulat : memref<4x4xf32> into memref<4xf32>
}

// -----

func.func @no_terminator(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{a block ends without a terminator: add `func.return`, `gpu.return`}}
  tile.reduce sum %a into %b axes [1] scope(cta) : memref<4x4xf32> into memref<4xf32>
}

// -----

func.func @unsigned(%a: memref<4x4xui8>, %b: memref<4xui8>) {
  // expected-error @below {{found `memref<4x4xui8>`; use an `iN`: `umax` and `umin` take it as unsigned}}
  tile.reduce sum %a into %b axes [1] scope(cta) : memref<4x4xui8> into memref<4xui8>
  return
}

// -----

func.func @scope(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{unknown scope `tread`; known: thread, warp, warpgroup, cta, cluster, grid; did you mean `thread`?}}
  tile.reduce sum %a into %b axes [1] scope(tread) : memref<4x4xf32> into memref<4xf32>
}

// -----

// Below an op without its brace, what follows is in its region.
func.func @brace_of_a_region(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  linalg.reduce ins(%a : memref<4x4xf32>) outs(%b : memref<4xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
  // expected-error @below {{`return` is unknown here: this region of `linalg.reduce` ends with `linalg.yield`; is a `}` missing above?}}
  return
}

// -----

func.func @brace_too_many() {
  return
}
} // expected-error @above {{expected an op, such as `func.return`, found `}`; is a `}` missing above, or one too many here?}}

// -----

// expected-error @below {{expected a type, such as `f32`, `index` or `memref<4x?xf32>`}}
func.func @type(%a: memref<4xf23>) {
  return
}

// -----

// Types are told as they are written, and the op as it stands in the file.
func.func @element(%a: memref<4x8xindex>, %b: memref<4xindex>) {
  // expected-error @below {{op operand #0 must be memref of integer (`iN`) or floating-point values or a tile in registers, found `memref<4x8xindex>`; an `index` is as wide as the machine has it: use `i64` or `i32`}}
  tile.reduce sum %a into %b axes [1] scope(cta) : memref<4x8xindex> into memref<4xindex>
  return
}

// -----

func.func @types_left_out(%a: memref<4x8xf32>, %b: memref<4xf32>) {
  tile.reduce sum %a into %b axes [1] scope(cta)
  // expected-error @below {{unknown part `return`; known: accumulate, identity, combiner, element, epilogue, or `:` and types}}
  return
}

// -----

func.func @attribute(%a: memref<4x8xf32>, %b: memref<4xf32>) {
  // expected-error @below {{expected an attribute, such as `1 : i64`, `"text"` or `#tile.determinism<any>`}}
  tile.reduce sum %a into %b axes [1] scope(cta) {determinism = any} : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// An op that was renamed, or that another dialect has, is told by its name now.
func.func @renamed(%a: f32) {
  // expected-error @below {{custom op 'arith.maxf' is unknown; did you mean `arith.maximumf` or `arith.maxnumf`?}}
  %b = arith.maxf %a, %a : f32
}

// -----

func.func @without_a_type(%a: f32) {
  // expected-error @below {{custom op 'arith.add' is unknown; did you mean `arith.addf` or `arith.addi`?}}
  %b = arith.add %a, %a : f32
}

// -----

// Attributes and types of other dialects are near, too.
// expected-error @below {{unknown attribute `#gpu.address_spac`; did you mean `#gpu.address_space`?}}
func.func @attribute_of_gpu(%a: memref<4x4xf32, #gpu.address_spac<workgroup>>) {
  return
}

// -----

// expected-error @below {{unknown type `!gpu.async.tokn`; did you mean `!gpu.async.token`?}}
func.func @type_of_gpu(%a: !gpu.async.tokn) {
  return
}

// -----

// What ends another region is told with what ends this one.
func.func @ends_a_combiner(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  tile.reduce custom %a into %b axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %p = arith.addf %l, %r : f32
    // expected-error @below {{`return` is unknown here: this region of `tile.reduce` ends with `tile.yield`; is a `}` missing above?}}
    return %p : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

func.func @ends_a_branch(%c: i1) {
  %x = scf.if %c -> i1 {
    scf.yield %c : i1
  } else {
    // expected-error @below {{`return` is unknown here: this region of `scf.if` ends with `scf.yield`; is a `}` missing above?}}
    return %c : i1
  }
  return
}

// -----

// A value of another type is converted.
func.func @mixed(%a: memref<?x?xf16>, %b: memref<?xf32>) {
  linalg.reduce ins(%a : memref<?x?xf16>) outs(%b : memref<?xf32>) dimensions = [1]
    (%x: f16, %y: f32) {
      // expected-error @below {{use of `%x` of type `f16`, where `arith.addf` takes `f32`: convert it before, by `arith.extf %x : f16 to f32`}}
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
  return
}
