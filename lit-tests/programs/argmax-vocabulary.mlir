// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// COMPARE: @argmax(logits: Nx129280xf32 of ties, value: Nxf32, token: Nxi32) value = max(logits, 1); token = argmax(logits, 1)
// SIZES: N = 1 3

// The next token of each sequence: the largest of 129280 logits and its index. Of equal ones the lowest
// index wins, whichever threads find them.
// CHECK-LABEL: gpu.func @argmax_0
// CHECK:       tile.all_reduce argmax
// CHECK:       gpu.return
func.func @argmax(%logits: memref<?x129280xf32>, %value: memref<?xf32>, %token: memref<?xi32>) {
  tile.reduce argmax %logits into %value, %token axes [1] scope(grid)
    : memref<?x129280xf32> into memref<?xf32>, memref<?xi32>
  return
}
