// RUN: not tx compile %s 2>&1
// EXIT: 1

// What is wrong with an op as it is written is told with its line, and not with the op in its generic form.
// CHECK:      error: 'linalg.reduce' op the output has rank 1, expected 0: the rank of the input less one for each of `dimensions`; take 1 out of `dimensions`, or give it an output of rank 0, as `memref<f32>`
// CHECK-NEXT: linalg.reduce
// CHECK-NEXT: ^
// CHECK-NOT:  current operation
func.func @all(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [0, 1]
  return
}
