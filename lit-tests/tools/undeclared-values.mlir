// RUN: tx-opt %s --split-input-file --verify-diagnostics
// RUN(PROGRAM): not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — what is said is the matter

// A value that nobody defines is told by its name, with the one that may be meant. MLIR says that there is one.
// PROGRAM: undeclared-values.mlir:[[# @LINE + 4]]:23: error: use of undeclared SSA value name `%sun`; did you mean `%sum`?
func.func @misspelt(%a: f32) -> f32 {
  %sum = arith.addf %a, %a : f32
  // expected-error @below {{use of undeclared SSA value name `%sun`; did you mean `%sum`?}}
  %y = arith.mulf %a, %sun : f32
  return %y : f32
}

// -----

func.func @argument(%rows : index, %first: f32) {
  // expected-error @below {{use of undeclared SSA value name `%row`; did you mean `%rows`?}}
  %n = arith.addi %row, %row : index
  return
}

// -----

// What is defined where it is not seen is told with the line.
func.func @within(%n: index) {
  %c = arith.constant 1 : index
  scf.for %i = %c to %n step %c {
    %inner = arith.addi %i, %c : index
  }
  // expected-error @below {{use of undeclared SSA value name `%inner`: what line 29 defines is not seen here}}
  %x = arith.addi %inner, %c : index
  return
}

// -----

func.func @there(%elsewhere: f32) {
  return
}
func.func @here() {
  // expected-error @below {{use of undeclared SSA value name `%elsewhere`: line 38 defines it, in another function}}
  %x = arith.negf %elsewhere : f32
  return
}

// -----

func.func @far(%n: index) {
  // expected-error @below {{use of undeclared SSA value name `%something`}}
  %x = arith.negf %something : f32
  return
}
