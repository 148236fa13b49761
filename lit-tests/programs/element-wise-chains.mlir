// RUN: tx-opt %s --convert-linalg-to-tile
// SNAPSHOT: none — what matters is counted
// COUNT: @gated linalg.generic = 1, memref.alloc = 0
// COUNT: @turned linalg.generic = 1, memref.alloc = 0
// COMPARE: @gated(A: NxMxf32, B: NxMxf32, R: Mxf32, C: NxMxf32) C = B * (A * 2.0 + R) + exp(A)
// SIZES: NxM = 7x20 1x1 33x1003 64x128 0x5
// COMPARE: @turned(A: NxMxf32, B: MxNxf32) B = transpose(exp(A), [1, 0]) + B
// SIZES: NxM = 7x20 1x1 33x103 64x128

// A chain of element-wise ops is one kernel, which reads each argument once and writes one result.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

func.func @gated(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %R: memref<?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %columns = memref.dim %A, %c1 : memref<?x?xf32>
  %S = memref.alloc(%rows, %columns) : memref<?x?xf32>
  %T = memref.alloc(%rows, %columns) : memref<?x?xf32>
  %E = memref.alloc(%rows, %columns) : memref<?x?xf32>
  %U = memref.alloc(%rows, %columns) : memref<?x?xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?xf32>) outs(%S : memref<?x?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.mulf %a, %two : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%S, %R : memref<?x?xf32>, memref<?xf32>) outs(%T : memref<?x?xf32>) {
  ^bb0(%s: f32, %r: f32, %t: f32):
    %sum = arith.addf %s, %r : f32
    linalg.yield %sum : f32
  }
  linalg.exp ins(%A : memref<?x?xf32>) outs(%E : memref<?x?xf32>)
  linalg.mul ins(%B, %T : memref<?x?xf32>, memref<?x?xf32>) outs(%U : memref<?x?xf32>)
  linalg.add ins(%U, %E : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  memref.dealloc %S : memref<?x?xf32>
  memref.dealloc %T : memref<?x?xf32>
  memref.dealloc %E : memref<?x?xf32>
  memref.dealloc %U : memref<?x?xf32>
  return
}

func.func @turned(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %columns = memref.dim %A, %c1 : memref<?x?xf32>
  %E = memref.alloc(%rows, %columns) : memref<?x?xf32>
  %T = memref.alloc(%columns, %rows) : memref<?x?xf32>
  linalg.exp ins(%A : memref<?x?xf32>) outs(%E : memref<?x?xf32>)
  linalg.transpose ins(%E : memref<?x?xf32>) outs(%T : memref<?x?xf32>) permutation = [1, 0]
  linalg.add ins(%T, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%B : memref<?x?xf32>)
  memref.dealloc %E : memref<?x?xf32>
  memref.dealloc %T : memref<?x?xf32>
  return
}
