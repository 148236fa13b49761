// RUN: not tx compile %s 2>&1
// EXIT: 1

// What is wrong with an op as it is written is told with its line, and not with the op in its generic form.
// CHECK:      error: 'linalg.reduce' op number of dimensions after reduction 0 doesn't match the init rank 1
// CHECK-NEXT: linalg.reduce
// CHECK-NEXT: ^
// CHECK-NOT:  current operation
func.func @all(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [0, 1]
  return
}
