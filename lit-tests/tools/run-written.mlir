// RUN: tx run %s --device cpu --arg full:1.0:4x1000xf32 --arg zeros:4xf32 2>&1
// RUN(PLAN): tx compile %s --plan -
// SNAPSHOT: none — what is checked is what matters.

// A row sum scheduled by its shape only writes the sums, although one of its kernels has fences.
// CHECK-NOT:  argument 0
// CHECK:      argument 1: 4xf32
// CHECK-NEXT: [1000. 1000. 1000. 1000.]
// PLAN:       "written": false
// PLAN:       "written": true
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
