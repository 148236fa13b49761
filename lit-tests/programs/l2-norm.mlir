// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @l2_norm(A: Nxf32, B: f32) B = sqrt(sum(A * A, 0))

// The Euclidean norm of a vector: squares are computed before the sum, and the square root after the sum, in
// the last kernel.
// CHECK-LABEL: func.func @l2_norm
// CHECK:       tile.reduce sum %{{.+}} into %{{.+}} axes [0] scope(grid) element {
// CHECK:         arith.mulf
// CHECK:       } epilogue {
// CHECK:         math.sqrt
// CHECK-NOT:   linalg.generic
func.func @l2_norm(%A: memref<?xf32>, %B: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%B : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%B : memref<f32>) {
  ^bb0(%x: f32, %s: f32):
    %xx = arith.mulf %x, %x : f32
    %t = arith.addf %s, %xx : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%B : memref<f32>) {
  ^bb0(%s: f32):
    %r = math.sqrt %s : f32
    linalg.yield %r : f32
  }
  return
}
