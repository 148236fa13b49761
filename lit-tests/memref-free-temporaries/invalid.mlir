// RUN: tx-opt %s --memref-free-temporaries --split-input-file --verify-diagnostics

// A temporary with an unknown lifetime is an error.

// expected-note @below {{this function has several blocks}}
func.func @branches(%c: i1) {
  // expected-error @below {{a host function must have one block, without branches}}
  // expected-note @below {{grid-level ops are not allowed in loops and branches of a host function}}
  %T = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^one, ^other
^one:
  return
^other:
  return
}

// -----

func.func @yields(%A: memref<4xf32>, %c: i1) {
  // expected-note @below {{this op yields a memref}}
  %B = scf.if %c -> memref<4xf32> {
    // expected-error @below {{this temporary is in a loop or branch that yields a memref, so its lifetime is not known}}
    // expected-note @below {{grid-level ops are not allowed in loops and branches of a host function}}
    %T = memref.alloc() : memref<4xf32>
    scf.yield %T : memref<4xf32>
  } else {
    scf.yield %A : memref<4xf32>
  }
  return
}
