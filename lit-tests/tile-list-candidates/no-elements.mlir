// RUN: tx-opt %s --tile-list-candidates

// The estimate for a static empty array is the launch time.
// SNAPSHOT: none — what counts are the estimates.
// CHECK-LABEL: func.func @rows
// CHECK:       tile.candidates = {{.*}}the A100, which represents sm_80, and lengths of 0x3
// CHECK-NOT:   NaN
func.func @rows(%A: memref<0x3xf32>, %B: memref<0xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<0x3xf32> into memref<0xf32>
  return
}
