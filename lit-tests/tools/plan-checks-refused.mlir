// RUN(ARGUMENT): not tx compile %s --entry argument 2>&1
// EXIT: 1
// RUN(FLOAT): not tx compile %s --entry float 2>&1
// EXIT: 1
// RUN(NARROW): not tx compile %s --entry narrow 2>&1
// EXIT: 1
// RUN(FALSE): not tx compile %s --entry false 2>&1
// EXIT: 1
// RUN(NEVER): not tx compile %s --entry never 2>&1
// EXIT: 1
// RUN(LESS): not tx compile %s --entry less 2>&1
// EXIT: 1
// RUN(TERMS): not tx compile %s --entry terms 2>&1
// EXIT: 1
// SNAPSHOT: none — each message is checked.

// An assertion that a launch plan cannot check is rejected at its position, with its operand.
// ARGUMENT:    error: `cf.assert` checks an argument of type `i1`, expected a comparison of `index` values
// FLOAT:       error: `cf.assert` checks the result of `arith.cmpf`, expected a comparison of `index` values
// FLOAT-NEXT:   cf.assert
// FLOAT:       note: the value is computed here
// FLOAT-NEXT:   arith.cmpf
// FLOAT:       note: use `arith.cmpi`, or several joined by `arith.andi` and `arith.ori`; a launch plan supports {{.*}}, and `cf.assert` of its comparisons
// NARROW:      error: `arith.cmpi` computes with i1, but a launch plan computes with 64-bit integers
// NARROW:      note: cast to `index` with `arith.index_cast` first
//
// An assertion that always fails is an error of the program.
// FALSE:       plan-checks-refused.mlir:[[# @LINE + 31]]:5: error: this assertion is always false: the program makes sense
// NEVER:       error: this assertion is always false: rows are 6 long
// NEVER:       note: found `5 == 6`
// LESS:        error: this assertion is always false: less than itself
// LESS:        note: found `%A.dim0 < %A.dim0`
//
// TERMS:       error: `arith.addi` creates an expression of 511 terms over the arguments, expected at most 256
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @number(%x: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }

  func.func @argument(%ok: i1) {
    cf.assert %ok, "the caller says so"
    return
  }
  func.func @float(%x: f32) {
    %zero = arith.constant 0.0 : f32
    %ok = arith.cmpf oge, %x, %zero : f32
    cf.assert %ok, "x is positive"
    return
  }
  func.func @narrow(%a: i1, %b: i1) {
    %ok = arith.cmpi eq, %a, %b : i1
    cf.assert %ok, "a is b"
    return
  }
  func.func @false() {
    %false = arith.constant false
    cf.assert %false, "the program makes sense"
    return
  }
  func.func @never(%A: memref<?x5xf32>) {
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %n = memref.dim %A, %c1 : memref<?x5xf32>
    %ok = arith.cmpi eq, %n, %c6 : index
    cf.assert %ok, "rows are 6 long"
    return
  }
  func.func @less(%A: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %A, %c0 : memref<?xf32>
    %same = memref.dim %A, %c0 : memref<?xf32>
    %ok = arith.cmpi ugt, %n, %same : index
    cf.assert %ok, "less than itself"
    return
  }
  func.func @terms(%n: index) {
    %2 = arith.addi %n, %n : index
    %4 = arith.addi %2, %2 : index
    %8 = arith.addi %4, %4 : index
    %16 = arith.addi %8, %8 : index
    %32 = arith.addi %16, %16 : index
    %64 = arith.addi %32, %32 : index
    %128 = arith.addi %64, %64 : index
    %256 = arith.addi %128, %128 : index
    %ok = arith.cmpi ne, %256, %n : index
    cf.assert %ok, "n is not 0"
    return
  }
}
