// RUN: tx-opt %s --convert-linalg-to-tile
// PTXAS: sm_90
// COMPARE: @softmax(A: NxMxf32 in -20..20, B: NxMxf32) e = exp(A - max(A, 1, keep)); B = e / sum(e, 1, keep)

// Softmax of each row: the maximum, the sum of exponentials of differences from the maximum, then the
// quotients. The exponentials are computed once for the sum, and again for the quotients: only the two
// results of each row are stored in between.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce max %{{.+}} into %[[MAX:.+]] axes [1] scope(grid) :
// CHECK:       tile.reduce sum %{{.+}}, %[[MAX]] into %[[SUM:.+]] axes [1] scope(grid) element {
// CHECK:         math.exp
// CHECK:       linalg.generic
// CHECK-SAME:  ["parallel", "parallel"]
// CHECK-SAME:  %[[MAX]], %[[SUM]]
func.func @softmax(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%n) : memref<?xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<?xf32>)
  linalg.reduce { arith.maximumf } ins(%A : memref<?x?xf32>) outs(%max : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%A, %max : memref<?x?xf32>, memref<?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %t = arith.addf %s, %e : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32, %b: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %sum : memref<?xf32>
  memref.dealloc %max : memref<?xf32>
  return
}
