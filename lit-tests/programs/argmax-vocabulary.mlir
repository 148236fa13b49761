// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// SNAPSHOT: none — COMPARE states what the program computes, CHECK and COUNT what its kernels hold
// COMPARE: @argmax(logits: Nx129280xf32 of ties, value: Nxf32, token: Nxi32) value = max(logits, 1); token = argmax(logits, 1)
// SIZES: N = 1 3

// The next token of each sequence: the largest of 129280 logits and its index. Among equal logits, the lowest
// index wins, independent of the threads that compare them.
// CHECK-LABEL: gpu.func @argmax_0
// CHECK:       tile.all_reduce argmax
// CHECK:       gpu.return
// COUNT: @argmax_0 tile.all_reduce = 1, scf.for = 4, scf.if = 12, memref.load = 4, vector.load = 16, memref.store = 2
// COUNT: @argmax_0 arith.select = 139
// COUNT: @argmax gpu.launch_func = 1, cf.assert = 2
func.func @argmax(%logits: memref<?x129280xf32>, %value: memref<?xf32>, %token: memref<?xi32>) {
  tile.reduce argmax %logits into %value, %token axes [1] scope(grid)
    : memref<?x129280xf32> into memref<?xf32>, memref<?xi32>
  return
}
