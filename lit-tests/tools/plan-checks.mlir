// RUN: tx compile %s --entry add --plan -
// RUN(ADDED): tx run %s --entry add --device cpu --arg full:2:4x6xf32 --arg full:1:6xf32 --arg 4
// RUN(EMPTY): tx run %s --entry add --device cpu --arg zeros:0x0xf32 --arg zeros:0xf32 --arg 0
// RUN(COLUMNS): not tx run %s --entry add --device cpu --arg zeros:4x5xf32 --arg zeros:6xf32 --arg 4 2>&1
// EXIT: 1
// RUN(MULTIPLE): not tx run %s --entry add --device cpu --arg zeros:3x6xf32 --arg zeros:6xf32 --arg 3 2>&1
// EXIT: 1
// RUN(LIMIT): not tx run %s --entry add --device cpu --arg zeros:4x6xf32 --arg zeros:6xf32 --arg 5 2>&1
// EXIT: 1
// RUN(NEGATIVE): not tx run %s --entry add --device cpu --arg zeros:4x6xf32 --arg zeros:6xf32 --arg -1 2>&1
// EXIT: 1
// RUN(MANY): not tx run %s --entry add --device cpu --arg zeros:4x4096xf32 --arg zeros:4096xf32 --arg 4 2>&1
// EXIT: 1
// RUN(FIRST): not tx run %s --entry add --device cpu --arg zeros:3x5xf32 --arg zeros:6xf32 --arg 7 2>&1
// EXIT: 1
// RUN(ALWAYS): tx compile %s --entry always --plan -
// RUN(PREDICATES): tx compile %s --entry predicates --plan -
// RUN(NOTHING): not tx run %s --entry predicates --device cpu --arg 4 --arg 4 2>&1
// EXIT: 1
// RUN(EITHER): tx compile %s --entry either --plan -
// RUN(NONE): not tx run %s --entry either --device cpu --arg 9 --arg 7 --arg 8 2>&1
// EXIT: 1
// RUN(LOWERED): tx-opt %s --lower-reduction
// SNAPSHOT: none — what is printed is checked as a whole.

// Assertions of a host function become checks of its plan, in program order. The operands of `arith.andi`
// become one check each. Repeated checks are omitted, and so are conditions and their operands without other
// uses.
// CHECK:        "checks": [
// CHECK-NEXT:     {
// CHECK-NEXT:       "left": "arg0.dim1",
// CHECK-NEXT:       "relation": "==",
// CHECK-NEXT:       "right": "arg1.dim0",
// CHECK-NEXT:       "message": "a row of A is as long as B",
// CHECK-NEXT:       "place": {
// CHECK-NEXT:         "line": {{[0-9]+}},
// CHECK-NEXT:         "column": 5
// CHECK-NEXT:       }
// CHECK-NEXT:     },
// CHECK-NEXT:     {
// CHECK-NEXT:       "left": "mod(arg0.dim0, 2)",
// CHECK-NEXT:       "relation": "==",
// CHECK-NEXT:       "right": 0,
// CHECK-NEXT:       "message": "rows come in pairs, and n is one of them",
// CHECK-NEXT:       "place": {
// CHECK-NEXT:         "line": {{[0-9]+}},
// CHECK-NEXT:         "column": 5
// CHECK-NEXT:       }
// CHECK-NEXT:     },
// CHECK-NEXT:     {
// CHECK-NEXT:       "left": "nonnegative(arg2)",
// CHECK-NEXT:       "relation": "<=",
// CHECK-NEXT:       "right": "arg0.dim0",
// CHECK-NEXT:       "message": "rows come in pairs, and n is one of them",
// CHECK-NEXT:       "place": {
// CHECK-NEXT:         "line": {{[0-9]+}},
// CHECK-NEXT:         "column": 5
// CHECK-NEXT:       }
// CHECK-NEXT:     },
// CHECK-NEXT:     {
// CHECK-NEXT:       "left": "arg0.dim1",
// CHECK-NEXT:       "relation": "<",
// CHECK-NEXT:       "right": 1025,
// CHECK-NEXT:       "message": "at most 1024 columns",
// CHECK-NEXT:       "place": {
// CHECK-NEXT:         "line": {{[0-9]+}},
// CHECK-NEXT:         "column": 5
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   ],
// CHECK-NEXT:   "temporaries": [],
//
// A program runs if its sizes fit. Otherwise, it is rejected before any launch, with the assertion, the found
// and the expected value. The exit status is that for a size that a type excludes.
// ADDED:      argument 1: 6xf32
// ADDED-NEXT: [9. 9. 9. 9. 9. 9.]
// EMPTY:      argument 1: 0xf32
// COLUMNS:    {{.*}}.mlir:{{[0-9]+}}:5: error: %A.dim1 is 5, %B.dim0 is 6: a row of A is as long as B (expected %A.dim1 == %B.dim0)
// MULTIPLE:   {{.*}}.mlir:{{[0-9]+}}:5: error: mod(%A.dim0, 2) is 1: rows come in pairs, and n is one of them (expected mod(%A.dim0, 2) == 0)
// LIMIT:      {{.*}}.mlir:{{[0-9]+}}:5: error: nonnegative(%n) is 5, %A.dim0 is 4: rows come in pairs, and n is one of them (expected nonnegative(%n) <= %A.dim0)
// NEGATIVE:   {{.*}}.mlir:{{[0-9]+}}:5: error: `%n` is -1, expected 0 or more: rows come in pairs, and n is one of them
// MANY:       {{.*}}.mlir:{{[0-9]+}}:5: error: %A.dim1 is 4096: at most 1024 columns (expected %A.dim1 < 1025)
// FIRST:      {{.*}}.mlir:{{[0-9]+}}:5: error: %A.dim1 is 5, %B.dim0 is 6: a row of A is as long as B
//
// An assertion that always holds is no check, and a plan without checks has no such entry.
// ALWAYS-NOT: "checks"
//
// Each integer predicate becomes one of four relations.
// PREDICATES:      "left": "arg0",
// PREDICATES-NEXT: "relation": "!=",
// PREDICATES-NEXT: "right": "arg1",
// PREDICATES-NEXT: "message": "ne"
// PREDICATES:      "left": "arg0",
// PREDICATES-NEXT: "relation": "<",
// PREDICATES-NEXT: "right": "arg1",
// PREDICATES-NEXT: "message": "slt"
// PREDICATES:      "left": "arg0",
// PREDICATES-NEXT: "relation": "<=",
// PREDICATES-NEXT: "right": "arg1",
// PREDICATES-NEXT: "message": "sle"
// PREDICATES:      "left": "arg1",
// PREDICATES-NEXT: "relation": "<",
// PREDICATES-NEXT: "right": "arg0",
// PREDICATES-NEXT: "message": "sgt"
// PREDICATES:      "left": "arg1",
// PREDICATES-NEXT: "relation": "<=",
// PREDICATES-NEXT: "right": "arg0",
// PREDICATES-NEXT: "message": "sge"
// PREDICATES:      "left": "nonnegative(arg0)",
// PREDICATES-NEXT: "relation": "<",
// PREDICATES-NEXT: "right": "nonnegative(arg1)",
// PREDICATES-NEXT: "message": "ult"
// PREDICATES:      "left": "nonnegative(arg1)",
// PREDICATES-NEXT: "relation": "<",
// PREDICATES-NEXT: "right": "nonnegative(arg0)",
// PREDICATES-NEXT: "message": "ugt"
// PREDICATES:      "left": "nonnegative(arg1)",
// PREDICATES-NEXT: "relation": "<=",
// PREDICATES-NEXT: "right": "nonnegative(arg0)",
// PREDICATES-NEXT: "message": "uge"
//
// A function without launches is checked, too.
// NOTHING: {{.*}}.mlir:{{[0-9]+}}:5: error: %a is 4, %b is 4: ne (expected %a != %b)
//
// Passes do not change assertions.
// LOWERED-LABEL: func.func @add
// LOWERED-COUNT-4: cf.assert
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Adds all rows of A to B.
    gpu.func @add(%A: memref<?x?xf32>, %B: memref<?xf32>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %column = gpu.block_id x
      %rows = memref.dim %A, %c0 : memref<?x?xf32>
      %old = memref.load %B[%column] : memref<?xf32>
      %new = scf.for %row = %c0 to %rows step %c1 iter_args(%sum = %old) -> f32 {
        %x = memref.load %A[%row, %column] : memref<?x?xf32>
        %more = arith.addf %sum, %x : f32
        scf.yield %more : f32
      }
      memref.store %new, %B[%column] : memref<?xf32>
      gpu.return
    }
  }

  func.func @add(%A: memref<?x?xf32>, %B: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %many = arith.constant 1025 : index
    %rows = memref.dim %A, %c0 : memref<?x?xf32>
    %columns = memref.dim %A, %c1 : memref<?x?xf32>
    %length = memref.dim %B, %c0 : memref<?xf32>
    %fits = arith.cmpi eq, %columns, %length : index
    cf.assert %fits, "a row of A is as long as B"
    %rest = arith.remui %rows, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    %inside = arith.cmpi uge, %rows, %n : index
    %pairs = arith.andi %even, %inside : i1
    %both = arith.andi %pairs, %fits : i1
    cf.assert %both, "rows come in pairs, and n is one of them"
    %again = arith.cmpi eq, %length, %columns : index
    cf.assert %again, "the same, the other way round"
    gpu.launch_func @kernels::@add blocks in (%columns, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<?x?xf32>, %B : memref<?xf32>)
    // This assertion is after the launch, and is still checked before it.
    %few = arith.cmpi slt, %columns, %many : index
    cf.assert %few, "at most 1024 columns"
    return
  }

  func.func @always(%A: memref<?x8xf32>, %B: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %true = arith.constant true
    cf.assert %true, "true"
    %columns = memref.dim %A, %c1 : memref<?x8xf32>
    %is_8 = arith.cmpi eq, %columns, %c8 : index
    cf.assert %is_8, "columns are 8"
    %rows = memref.dim %A, %c0 : memref<?x8xf32>
    %cast = memref.cast %A : memref<?x8xf32> to memref<?x?xf32>
    %same = memref.dim %cast, %c0 : memref<?x?xf32>
    %itself = arith.cmpi sge, %rows, %same : index
    %all = arith.andi %itself, %true : i1
    cf.assert %all, "rows are rows"
    return
  }

  // An or-condition is one check: the smaller distance is compared with 0.
  // EITHER:     "left": "min(max(arg0 - 1, 1 - arg0), max(max(arg1 - arg2, arg2 - arg1), arg0 - 9))",
  // EITHER-NEXT: "relation": "<=",
  // EITHER-NEXT: "right": 0,
  // NONE:       of one size, or one
  func.func @either(%a: index, %b: index, %c: index) {
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %one = arith.cmpi eq, %a, %c1 : index
    %same = arith.cmpi eq, %b, %c : index
    %few = arith.cmpi sle, %a, %c9 : index
    %both = arith.andi %same, %few : i1
    %either = arith.ori %one, %both : i1
    cf.assert %either, "of one size, or one"
    return
  }

  func.func @predicates(%a: index, %b: index) {
    %ne = arith.cmpi ne, %a, %b : index
    cf.assert %ne, "ne"
    %slt = arith.cmpi slt, %a, %b : index
    cf.assert %slt, "slt"
    %sle = arith.cmpi sle, %a, %b : index
    cf.assert %sle, "sle"
    %sgt = arith.cmpi sgt, %a, %b : index
    cf.assert %sgt, "sgt"
    %sge = arith.cmpi sge, %a, %b : index
    cf.assert %sge, "sge"
    %ult = arith.cmpi ult, %a, %b : index
    cf.assert %ult, "ult"
    %ugt = arith.cmpi ugt, %a, %b : index
    cf.assert %ugt, "ugt"
    %uge = arith.cmpi uge, %a, %b : index
    cf.assert %uge, "uge"
    return
  }
}
