// RUN: not tx compile %s 2>&1
// EXIT: 1

// An invalid op is reported with its line, in its written form, not in the generic form.
// CHECK:      error: 'linalg.reduce' op number of dimensions after reduction 0 doesn't match the init rank 1
// CHECK-NEXT: linalg.reduce
// CHECK-NEXT: ^
// CHECK-NOT:  current operation
func.func @all(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [0, 1]
  return
}
