// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @layer_norm_statistics(A: NxMxf32, mean: Nxf32, scale: Nxf32, epsilon = 0.5) mean = mean(A, 1); v = mean(A * A, 1) - mean(A, 1) * mean(A, 1); scale = 1.0 / sqrt(v + epsilon)
// SIZES: NxM = 128x128 127x1003 1x1 7x20 33x1 1x4099 0x7

// Statistics of layer normalization for each row: the mean, and the reciprocal of the standard deviation. One
// pass over the matrix computes both the sum and the sum of squares. The rest is computed where the results
// are stored.
// CHECK-LABEL: func.func @layer_norm_statistics
// CHECK-COUNT-1: tile.reduce custom
// CHECK-NOT:   linalg.fill
// CHECK:       return
func.func @layer_norm_statistics(%A: memref<?x?xf32>, %mean: memref<?xf32>, %scale: memref<?xf32>, %epsilon: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  %i = arith.index_cast %m : index to i64
  %n = arith.sitofp %i : i64 to f32
  %sum = memref.alloc(%rows) : memref<?xf32>
  %squares = memref.alloc(%rows) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%squares : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%sum, %squares : memref<?xf32>, memref<?xf32>) {
  ^bb0(%x: f32, %s: f32, %q: f32):
    %t = arith.addf %s, %x : f32
    %xx = arith.mulf %x, %x : f32
    %r = arith.addf %q, %xx : f32
    linalg.yield %t, %r : f32, f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%sum, %squares : memref<?xf32>, memref<?xf32>) outs(%mean, %scale : memref<?xf32>, memref<?xf32>) {
  ^bb0(%s: f32, %q: f32, %a: f32, %b: f32):
    %u = arith.divf %s, %n : f32
    %v = arith.divf %q, %n : f32
    %uu = arith.mulf %u, %u : f32
    %variance = arith.subf %v, %uu : f32
    %shifted = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %shifted : f32
    %r = arith.divf %one, %deviation : f32
    linalg.yield %u, %r : f32, f32
  }
  memref.dealloc %squares : memref<?xf32>
  memref.dealloc %sum : memref<?xf32>
  return
}
