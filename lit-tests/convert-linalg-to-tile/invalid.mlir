// RUN: tx-opt %s --convert-linalg-to-tile --split-input-file --verify-diagnostics

// Ops on tensors are rejected.
func.func @tensors(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{operand 0 is a tensor, expected a memref: `tensor<4x8xf32>`}}
  // expected-note @below {{run the pipeline `tensors-to-memrefs` first}}
  %C = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%B : tensor<4xf32>) dimensions = [1]
  return %C : tensor<4xf32>
}

// -----

// Indexing maps with symbols are rejected.
func.func @layout(%A: memref<4x8xf32, affine_map<(i, j) -> (i, j mod 4)>>, %B: memref<4xf32>) {
  // expected-error @below {{operand 0 is `memref<4x8xf32, affine_map<(d0, d1) -> (d0, d1 mod 4)>>`, expected a ranked memref with a strided layout}}
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32, affine_map<(i, j) -> (i, j mod 4)>>) outs(%B : memref<4xf32>) dimensions = [1]
  return
}

// -----

// Each result must have one position in an output.
func.func @reduction_in_output(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{d1 is a `reduction` loop, but an output is indexed by this loop}}
  // expected-note @below {{index each output by every `parallel` loop and by no `reduction` loop}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Two results must not have the same position.
func.func @parallel_not_in_output(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{d1 is a `parallel` loop, but output 0 is not indexed by this loop: several results would be written to one element}}
  // expected-note @below {{index each output by every `parallel` loop and by no `reduction` loop}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Outputs must be indexed by loops, element by element.
func.func @skewed_output(%A: memref<4x8xf32>, %B: memref<8xf32>) {
  // expected-error @below {{output 0 is indexed by ((d0, d1) -> ((d0 * 2))), expected each parallel loop exactly once}}
  // expected-note @below {{reduce into a temporary that is indexed by each parallel loop once, and copy it with a separate op}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i * 2)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%B : memref<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Ops in kernels have narrower scopes. The error names the surrounding op.
gpu.module @kernels {
  // expected-note @below {{the parent of this reduction is `gpu.func`}}
  gpu.func @kernel(%A: memref<4x8xf32>, %B: memref<4xf32>) kernel {
    // expected-error @below {{a linalg reduction must be directly in the body of a `func.func`}}
    // expected-note @below {{in a kernel, write `tile.reduce` at scope `cta` or below}}
    linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
    gpu.return
  }
}

// -----

// Host loops around grid-level ops are not converted.
func.func @loop(%A: memref<4x8xf32>, %B: memref<4xf32>, %from: index, %to: index, %step: index) {
  // expected-note @below {{the parent of this reduction is `scf.for`}}
  scf.for %i = %from to %to step %step {
    // expected-error @below {{a linalg reduction must be directly in the body of a `func.func`}}
    // expected-note @below {{grid-level ops are not allowed in loops and branches of a host function: reduce the whole array at once, with the loop as an additional parallel dimension}}
    linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  }
  return
}

// -----

// Results must not overwrite elements that are still read.
func.func @overlap(%A: memref<4x4xf32>) {
  %row = memref.subview %A[0, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1]>>
  // expected-error @below {{output 0 shares memory with another operand}}
  // expected-note @below {{elements are read while results are written: reduce into a temporary from `memref.alloc`, and copy it with `memref.copy`}}
  linalg.reduce {arith.addf} ins(%A : memref<4x4xf32>) outs(%row : memref<4xf32, strided<[1]>>) dimensions = [1]
  return
}

// -----

// The order of elements must not matter.
func.func @difference(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(1, 2) = -1, but combiner(2, 1) = 1}}
  // expected-note @below {{to subtract elements, add them negated: `arith.negf` of the element, then `arith.addf`}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %d = arith.subf %o, %x : f32
    linalg.yield %d : f32
  }
  return
}

// -----

func.func @difference_of_integers(%A: memref<?x?xi32>, %B: memref<?xi32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(1, 2) = -1, but combiner(2, 1) = 1}}
  // expected-note @below {{to subtract elements, add them negated: `arith.subi` of 0 and the element, then `arith.addi`}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce { arith.subi } ins(%A : memref<?x?xi32>) outs(%B : memref<?xi32>) dimensions = [1]
  return
}

// -----

func.func @quotient(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(1, 2) = 0.5, but combiner(2, 1) = 2}}
  // expected-note @below {{to divide by elements, multiply by their reciprocals: `arith.divf` of 1.0 and the element, then `arith.mulf`}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce { arith.divf } ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
  return
}

// -----

// The note suggests an element region for a subtracted value.
#elements = affine_map<(d0, d1) -> (d0, d1)>
#results = affine_map<(d0, d1) -> (d0)>
func.func @difference_of_products(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(1, 2) = -1, but combiner(2, 1) = 1}}
  // expected-note @below {{to subtract elements, add them negated: `arith.negf` of the element, then `arith.addf`}}
  // expected-note @below {{elements are combined in any order}}
  linalg.generic {indexing_maps = [#elements, #elements, #results], iterator_types = ["parallel", "reduction"]}
      ins(%A, %A : memref<?x?xf32>, memref<?x?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %d = arith.subf %out, %p : f32
    linalg.yield %d : f32
  }
  return
}

// -----

// If the region ignores its accumulator, the last element wins.
func.func @last(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the result does not use the accumulator, `%out`}}
  // expected-note @+3 {{this is the accumulator}}
  // expected-note @below {{combine the accumulator with the element, and yield the result: `%new = arith.addf %out, %element : f32` for a sum}}
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32,
      %out: f32) {
    linalg.yield %x : f32
  }
  return
}

// -----

// The region ignores one of two accumulators.
#elements = affine_map<(d0, d1) -> (d0, d1)>
#results = affine_map<(d0, d1) -> (d0)>
func.func @forgotten(%A: memref<?x?xi32>, %B: memref<?xi32>, %C: memref<?xi32>) {
  // expected-error @below {{the result does not use the accumulator, `%squares`}}
  // expected-note @below {{combine the accumulator with the element, and yield the result: `%new = arith.addi %squares, %element : i32` for a sum}}
  linalg.generic {indexing_maps = [#elements, #results, #results], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xi32>) outs(%B, %C : memref<?xi32>, memref<?xi32>) {
  // expected-note @below {{this is the accumulator}}
  ^bb0(%x: i32, %sum: i32, %squares: i32):
    %s = arith.addi %sum, %x : i32
    %q = arith.muli %x, %x : i32
    linalg.yield %s, %q : i32, i32
  }
  return
}

// -----

// A commutative combiner must also be associative.
func.func @average(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{the combiner is not associative}}
  // expected-note-re @below {{combiner(combiner(1, 1), 2) = 1.5, but combiner(1, combiner(1, 2)) = 1.25}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %half = arith.constant 0.5 : f32
    %s = arith.addf %o, %x : f32
    %h = arith.mulf %s, %half : f32
    linalg.yield %h : f32
  }
  return
}

// -----

// The running mean, sum of squared differences and count are no combiner: the region updates them by one
// element, and does not merge two states.
func.func @welford(%A: memref<?xf32>, %M: memref<f32>, %S: memref<f32>, %N: memref<f32>) {
  // expected-error @below {{the body does not combine two partial results}}
  // expected-note @below {{the body updates old values (f32, f32, f32) from (f32); expected a value of the same type for each old value}}
  // expected-note @below {{write a `tile.reduce custom` whose `combiner {^bb0(%l0: f32, %l1: f32, %l2: f32, %r0: f32, %r1: f32, %r2: f32): ...}` combines two partial results, and whose `element {...}` computes a partial result from an element}}
  // expected-note @below {{the combiner must give the same result in any order}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%M, %S, %N : memref<f32>, memref<f32>, memref<f32>) {
  ^bb0(%x: f32, %m: f32, %s: f32, %n: f32):
    %one = arith.constant 1.0 : f32
    %count = arith.addf %n, %one : f32
    %before = arith.subf %x, %m : f32
    %step = arith.divf %before, %count : f32
    %mean = arith.addf %m, %step : f32
    %after = arith.subf %x, %mean : f32
    %p = arith.mulf %before, %after : f32
    %squares = arith.addf %s, %p : f32
    linalg.yield %mean, %squares, %count : f32, f32, f32
  }
  return
}

// -----

// A recurrence combines an old value with two elements.
func.func @recurrence(%A: memref<?xf32>, %S: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{the body does not combine two partial results}}
  // expected-note @below {{the body updates old values (f32) from (f32, f32); expected a value of the same type for each old value}}
  // expected-note @below {{write a `tile.reduce custom`}}
  // expected-note @below {{the combiner must give the same result in any order: for a recurrence, which depends on the order of elements, partial results must contain more than the old values}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A, %S : memref<?xf32>, memref<?xf32>) outs(%B : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %o : f32
    %s = arith.addf %p, %y : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// `argmax` keeps the lowest index of equal values.
func.func @later(%A: memref<?xf32>, %V: memref<f32>, %I: memref<i32>) {
  // expected-error @below {{the body keeps the later of two equal values, but `argmax` must keep the earlier one}}
  // expected-note @below {{compare the element with the accumulator strictly: `ogt` or `sgt` for the largest value, `olt` or `slt` for the smallest}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%V, %I : memref<f32>, memref<i32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf oge, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// -----

// A payload other than an index makes the result of ties depend on the order.
func.func @payload(%A: memref<?xf32>, %P: memref<?xf32>, %V: memref<f32>, %W: memref<f32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner((1, 1), (1, 2)) = (1, 1), but combiner((1, 2), (1, 1)) = (1, 2)}}
  // expected-note @below {{for equal elements, decide by a criterion that does not depend on their order, such as the lower index}}
  // expected-note @below {{if one comparison selects both the value and its index, each with `arith.select`, the body is recognised as `argmax` or `argmin`}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce ins(%A, %P : memref<?xf32>, memref<?xf32>) outs(%V, %W : memref<f32>, memref<f32>) dimensions = [0]
    (%x: f32, %p: f32, %v: f32, %w: f32) {
      %better = arith.cmpf ogt, %x, %v : f32
      %nv = arith.select %better, %x, %v : f32
      %nw = arith.select %better, %p, %w : f32
      linalg.yield %nv, %nw : f32, f32
    }
  return
}

// -----

// A legal combiner without an identity.
func.func @no_identity(%A: memref<?xi32>, %B: memref<i32>) {
  // expected-error @below {{no identity of the combiner is known}}
  // expected-note @below {{fill the outputs with the identity by `linalg.fill`, directly before this op}}
  linalg.reduce ins(%A : memref<?xi32>) outs(%B : memref<i32>) dimensions = [0] (%x: i32, %o: i32) {
    %c = arith.constant 40 : i32
    %p = arith.addi %x, %c : i32
    %q = arith.addi %o, %c : i32
    %s = arith.muli %p, %q : i32
    %r = arith.subi %s, %c : i32
    linalg.yield %r : i32
  }
  return
}

// -----

// A combiner with ops that the law check cannot evaluate is rejected.
func.func @unknown(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{cannot determine whether elements may be combined in any order: the combiner contains ops that the analysis does not support}}
  // expected-note @below {{write it as a `tile.reduce custom` with its identity}}
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] (%x: f32, %o: f32) {
    %p = arith.mulf %x, %o : f32
    %r, %c = math.sincos %p : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A gather at a partial result depends on the order of elements.
func.func @lookup_by_the_result(%A: memref<?xi32>, %L: memref<?xi32>, %B: memref<i32>) {
  // expected-error @below {{the body of a reduction must have no side effects: it may be executed any number of times}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xi32>) outs(%B : memref<i32>) {
  ^bb0(%x: i32, %o: i32):
    %i = arith.index_cast %o : i32 to index
    // expected-note @below {{`memref.load` reads memory and depends on the accumulator: loads may depend only on elements and indices}}
    %v = memref.load %L[%i] : memref<?xi32>
    %s = arith.addi %v, %x : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// A gather from the output reads changing values.
func.func @lookup_in_the_output(%A: memref<?xi32>, %B: memref<?xf32>) {
  %first = memref.subview %B[0] [1] [1] : memref<?xf32> to memref<f32, strided<[]>>
  // expected-error @below {{the body of a reduction must have no side effects: it may be executed any number of times}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xi32>) outs(%first : memref<f32, strided<[]>>) {
  ^bb0(%x: i32, %o: f32):
    %i = arith.index_cast %x : i32 to index
    // expected-note @below {{`memref.load` reads memory that the op writes: write to a temporary, and copy the temporary to the output}}
    %v = memref.load %B[%i] : memref<?xf32>
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Elements are computed in any order, any number of times, so a region must not write.
func.func @element_that_stores(%A: memref<?xf32>, %L: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{the body of a reduction must have no side effects: it may be executed any number of times}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%B : memref<f32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    // expected-note @below {{`memref.store` is not known to be free of side effects}}
    memref.store %x, %L[%i] : memref<?xf32>
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// If array and index are unknown, two views of one array may be equal.
func.func @views(%A: memref<64x9xf32>, %n: index, %m: index) {
  %s = memref.subview %A[0, %n] [64, 8] [1, 1] : memref<64x9xf32> to memref<64x8xf32, strided<[9, 1], offset: ?>>
  %d = memref.subview %A[0, %m] [64, 1] [1, 1] : memref<64x9xf32> to memref<64xf32, strided<[9], offset: ?>>
  // expected-error @below {{output 0 may share memory with another operand}}
  // expected-note @below {{elements are read while results are written: reduce into a temporary from `memref.alloc`, and copy it with `memref.copy`}}
  linalg.reduce { arith.addf } ins(%s : memref<64x8xf32, strided<[9, 1], offset: ?>>) outs(%d : memref<64xf32, strided<[9], offset: ?>>) dimensions = [1]
  return
}

// -----

// A linalg reduction combines with its output, and a new temporary is uninitialized.
func.func @nothing_wrote(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-note @below {{it is allocated here}}
  %T = memref.alloc() : memref<4xf32>
  // expected-error @below {{`linalg.reduce` accumulates into output 0, which is uninitialized}}
  // expected-note @below {{initialize the output with `linalg.fill` first: 0 for a sum}}
  linalg.reduce { arith.addf } ins(%A : memref<4x8xf32>) outs(%T : memref<4xf32>) dimensions = [1]
  memref.copy %T, %B : memref<4xf32> to memref<4xf32>
  return
}

// -----

// The type of partial results comes from the region.
func.func @acc(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{`acc` is only for named kinds; here the combiner defines the type of partial results}}
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] {acc = f64} (%x: f32, %o: f32) {
    %s = arith.addf %o, %x : f32
    %p = arith.mulf %o, %x : f32
    %d = arith.subf %s, %p : f32
    linalg.yield %d : f32
  }
  return
}

// -----

// An op with several reductions cannot have attributes of one reduction.
func.func @softmax(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{attribute `acc` is only for reductions, and `linalg.softmax` is not a reduction}}
  // expected-note @below {{remove the attribute, or set it on the reduction}}
  linalg.softmax {acc = f64} dimension(1) ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>)
  return
}

// -----

// The verifier of `tile.reduce` reports unsupported types.
func.func @element_type(%A: memref<?xi4>, %B: memref<i4>) {
  // expected-error @below {{`sum` of `i4` elements is not defined}}
  // expected-note @below {{known: f16, bf16, f32, f64, i8, i16, i32, i64}}
  linalg.reduce {arith.addi} ins(%A : memref<?xi4>) outs(%B : memref<i4>) dimensions = [0]
  return
}

// -----

// A misspelt attribute is an error.
func.func @misspelt(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute `determinsm` of a linalg op is not copied to the reduction}}
  // expected-note @below {{did you mean `determinism`?}}
  // expected-note @below {{attributes that are copied: acc, determinism, nan, schedule; `tile.reduce` accepts more}}
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {determinsm = #tile.determinism<any>}
  return
}

// -----

// An attribute of `tile.reduce` alone is an error; attributes of other compilers stay.
func.func @of_tile(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute `variant` of a linalg op is not copied to the reduction}}
  // expected-note @below {{attributes that are copied: acc, determinism, nan, schedule; `tile.reduce` accepts more}}
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {lowering_config = 3, theirs.variant = 1, variant = "shared"}
  return
}

// -----

// Invalid attribute values are reported at their position, with the valid values.
func.func @values(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{attribute `determinism` is `"any"`, expected `#tile.determinism<any>`, `<run_to_run>` or `<batch_invariant>`}}
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {determinism = "any"}
  // expected-error @below {{attribute `nan` is `"ignore"`, expected `#tile.nan<propagate>` or `<ignore>`}}
  linalg.reduce {arith.maximumf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {nan = "ignore"}
  // expected-error @below {{attribute `acc` is `"f32"`, expected a type, as `f32`}}
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {acc = "f32"}
  // expected-error @below {{attribute `schedule` is `["d0"]`, expected a list of steps, as `[#tile.split<"d0" by 32>]`}}
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {schedule = ["d0"]}
  return
}

// -----

// Messages quote the written value: 2, and not its square.
func.func @not_lawful(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(1, 2) = 5, but combiner(2, 1) = 4}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] (%x: f32, %o: f32) {
    %xx = arith.mulf %x, %x : f32
    %m = arith.maximumf %xx, %o : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The element minus the partial result is an alternating sum, which negated elements do not compute.
func.func @swapped_difference(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(1, 2) = 1, but combiner(2, 1) = -1}}
  // expected-note @below {{the result depends on the order of elements: every element negates the accumulator}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] (%x: f32, %o: f32) {
    %d = arith.subf %x, %o : f32
    linalg.yield %d : f32
  }
  return
}

// -----

func.func @swapped_quotient(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(1, 2) = 2, but combiner(2, 1) = 0.5}}
  // expected-note @below {{the result depends on the order of elements: every element inverts the accumulator}}
  // expected-note @below {{elements are combined in any order}}
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] (%x: f32, %o: f32) {
    %d = arith.divf %x, %o : f32
    linalg.yield %d : f32
  }
  return
}

// -----

// Old values lose their sign if a row is empty, so only the fill value is a valid initial value.
func.func @magnitude(%A: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{no identity of the combiner is known}}
  // expected-note @below {{fill the outputs with 0 by `linalg.fill`, directly before this op}}
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] (%x: f32, %o: f32) {
    %a = math.absf %x : f32
    %b = math.absf %o : f32
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// A maximum that keeps NaN and an index that ignores NaN are several reductions; `acc` needs one.
func.func @argmax_by_two_rules(%A: memref<?xf32>, %V: memref<f32>, %I: memref<i32>) {
  // expected-error @below {{the combiner is not commutative}}
  // expected-note @below {{combiner(}}
  // expected-note @below {{for rows with NaN, the body differs from `argmax` and `argmin`: set `nan = #tile.nan<propagate>` on this op to select the first NaN, or `#tile.nan<ignore>` to select no NaN}}
  // expected-note @below {{for equal elements, decide by a criterion that does not depend on their order, such as the lower index}}
  // expected-note @below {{if one comparison selects both the value and its index}}
  // expected-note @below {{elements are combined in any order}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%V, %I : memref<f32>, memref<i32>) attrs = {acc = f64} {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %m = arith.maximumf %x, %v : f32
    %p = arith.cmpf ogt, %x, %v : f32
    %k = arith.select %p, %jj, %i : i32
    linalg.yield %m, %k : f32, i32
  }
  return
}

// -----

// After a NaN, every element changes the index, and none changes the value.
func.func @value_and_index_apart(%A: memref<?xf32>, %V: memref<f32>, %I: memref<i32>) {
  // expected-error @below {{after a NaN, the value and the index depend on the order of elements}}
  // expected-note @below {{select the value and the index by one comparison: `ogt` or `olt` never selects NaN; with `uno` of the element and itself in addition, the last NaN is selected}}
  // expected-note @below {{or set `nan = #tile.nan<propagate>` on this op to select the first NaN, or `#tile.nan<ignore>` to select no NaN}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%V, %I : memref<f32>, memref<i32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %m = arith.maximumf %x, %v : f32
    %p = arith.cmpf ugt, %x, %v : f32
    %k = arith.select %p, %jj, %i : i32
    linalg.yield %m, %k : f32, i32
  }
  return
}

// -----

// An element that depends on the sum of earlier elements is a scan.
func.func @running_sum(%A: memref<4x8xf32>, %X: memref<4x8xf32>, %S: memref<4xf32>) {
  // expected-error @below {{d1 is a `reduction` loop, but an output is indexed by this loop}}
  // expected-note @below {{index each output by every `parallel` loop and by no `reduction` loop}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%X, %S : memref<4x8xf32>, memref<4xf32>) {
  ^bb0(%x: f32, %o: f32, %s: f32):
    %n = arith.addf %s, %x : f32
    linalg.yield %n, %n : f32, f32
  }
  return
}

// -----

// The note suggests a fix for a conditional update.
func.func @conditional_recurrence(%A: memref<?xf32>, %S: memref<?xf32>, %B: memref<f32>) {
  // expected-error @below {{the body does not combine two partial results}}
  // expected-note @below {{the body updates old values (f32) from (f32, i1); expected a value of the same type for each old value}}
  // expected-note @below {{select the element or the neutral value with `arith.select`, and combine the selected value with the old value unconditionally}}
  // expected-note @below {{write a `tile.reduce custom`}}
  // expected-note @below {{the combiner must give the same result in any order: for a recurrence, which depends on the order}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A, %S : memref<?xf32>, memref<?xf32>) outs(%B : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.cmpf ogt, %x, %y : f32
    %e = math.exp %o : f32
    %s = arith.addf %x, %e : f32
    %r = arith.select %p, %s, %o : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// MLIR does not pass these attributes to the verifier of the dialect.
gpu.module @attributes_of_memory {
  // expected-error @below {{'gpu.func' op has no attribute `tile.foo`}}
  gpu.func @k(%A: memref<4xf32>) workgroup(%W: memref<4xf32, #gpu.address_space<workgroup>> {tile.foo}) kernel {
    gpu.return
  }
}
