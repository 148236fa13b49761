// RUN: tx-opt %s --convert-linalg-to-tile
// SNAPSHOT: none — the CHECK lines say what matters

// Element-wise ops that fill a temporary for one other op are fused into that op.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>

// A chain of element-wise ops is fused, and the temporaries are removed.
// CHECK-LABEL:  func.func @three
// CHECK-NOT:    memref.alloc
// CHECK:        linalg.generic
// CHECK:          arith.addf
// CHECK-NEXT:     arith.mulf
// CHECK-NEXT:     arith.subf
// CHECK-NEXT:     linalg.yield
// CHECK-NOT:    memref.dealloc
func.func @three(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %columns = memref.dim %A, %c1 : memref<?x?xf32>
  %T = memref.alloc(%rows, %columns) : memref<?x?xf32>
  %U = memref.alloc(%rows, %columns) : memref<?x?xf32>
  linalg.add ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%T : memref<?x?xf32>)
  linalg.mul ins(%T, %T : memref<?x?xf32>, memref<?x?xf32>) outs(%U : memref<?x?xf32>)
  linalg.sub ins(%U, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  memref.dealloc %T : memref<?x?xf32>
  memref.dealloc %U : memref<?x?xf32>
  return
}

// A final copy is fused: the value is rounded to the type of the temporary, and stored in the destination.
// CHECK-LABEL:  func.func @copied
// CHECK:        linalg.generic {{.+}} ins(%{{.+}} : memref<4x8xf32>) outs(%{{.+}} : memref<4x8xbf16>)
// CHECK:          arith.truncf
// CHECK-NOT:    memref.copy
func.func @copied(%A: memref<4x8xf32>, %B: memref<4x8xbf16>) {
  %T = memref.alloc() : memref<4x8xbf16>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<4x8xf32>) outs(%T : memref<4x8xbf16>) {
  ^bb0(%a: f32, %t: bf16):
    %b = arith.truncf %a : f32 to bf16
    linalg.yield %b : bf16
  }
  memref.copy %T, %B : memref<4x8xbf16> to memref<4x8xbf16>
  memref.dealloc %T : memref<4x8xbf16>
  return
}

// The first op reads the transposed array at indices of the second op's loops.
// CHECK-LABEL:  func.func @turned
// CHECK:        linalg.generic
// CHECK-DAG:      %[[I:.+]] = linalg.index 0
// CHECK-DAG:      %[[J:.+]] = linalg.index 1
// CHECK:          arith.addi %[[J]], %[[I]]
// CHECK-NOT:    memref.alloc
func.func @turned(%A: memref<8x4xf32>, %B: memref<4x8xf32>) {
  %T = memref.alloc() : memref<8x4xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<8x4xf32>) outs(%T : memref<8x4xf32>) {
  ^bb0(%a: f32, %t: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %k = arith.index_cast %sum : index to i32
    %f = arith.sitofp %k : i32 to f32
    %r = arith.addf %a, %f : f32
    linalg.yield %r : f32
  }
  linalg.transpose ins(%T : memref<8x4xf32>) outs(%B : memref<4x8xf32>) permutation = [1, 0]
  memref.dealloc %T : memref<8x4xf32>
  return
}

// A row that every row reads is computed once, and its op stays.
// CHECK-LABEL:  func.func @broadcast
// CHECK:        linalg.exp
// CHECK:        linalg.generic
// CHECK-NOT:      math.exp
func.func @broadcast(%A: memref<4x8xf32>, %R: memref<8xf32>, %B: memref<4x8xf32>) {
  %T = memref.alloc() : memref<8xf32>
  linalg.exp ins(%R : memref<8xf32>) outs(%T : memref<8xf32>)
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A, %T : memref<4x8xf32>, memref<8xf32>) outs(%B : memref<4x8xf32>) {
  ^bb0(%a: f32, %r: f32, %b: f32):
    %s = arith.mulf %a, %r : f32
    linalg.yield %s : f32
  }
  memref.dealloc %T : memref<8xf32>
  return
}

// A temporary with two readers is not fused.
// CHECK-LABEL:  func.func @two_readers
// CHECK:        linalg.exp
// CHECK:        linalg.add
// CHECK:        linalg.mul
func.func @two_readers(%A: memref<4x8xf32>, %B: memref<4x8xf32>, %C: memref<4x8xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%A : memref<4x8xf32>) outs(%T : memref<4x8xf32>)
  linalg.add ins(%T, %A : memref<4x8xf32>, memref<4x8xf32>) outs(%B : memref<4x8xf32>)
  linalg.mul ins(%T, %A : memref<4x8xf32>, memref<4x8xf32>) outs(%C : memref<4x8xf32>)
  memref.dealloc %T : memref<4x8xf32>
  return
}

// The operand changes before the last op runs, so the op is not fused.
// CHECK-LABEL:  func.func @changed_between
// CHECK:        linalg.exp
// CHECK:        linalg.fill
// CHECK:        linalg.add
func.func @changed_between(%A: memref<4x8xf32>, %B: memref<4x8xf32>, %C: memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %T = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%A : memref<4x8xf32>) outs(%T : memref<4x8xf32>)
  linalg.fill ins(%zero : f32) outs(%A : memref<4x8xf32>)
  linalg.add ins(%T, %B : memref<4x8xf32>, memref<4x8xf32>) outs(%C : memref<4x8xf32>)
  memref.dealloc %T : memref<4x8xf32>
  return
}

// The last op writes an array that the first op reads in another order, so the op is not fused.
// CHECK-LABEL:  func.func @read_and_written
// CHECK:        linalg.exp
// CHECK:        linalg.transpose
func.func @read_and_written(%A: memref<4x4xf32>) {
  %T = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%A : memref<4x4xf32>) outs(%T : memref<4x4xf32>)
  linalg.transpose ins(%T : memref<4x4xf32>) outs(%A : memref<4x4xf32>) permutation = [1, 0]
  memref.dealloc %T : memref<4x4xf32>
  return
}

// The last op works in place: it needs the old element after the fused computation.
// CHECK-LABEL:  func.func @in_place
// CHECK:        ^bb0(%{{.+}}: f32, %[[OLD:.+]]: f32):
// CHECK-NEXT:     %[[E:.+]] = math.exp
// CHECK-NEXT:     arith.addf %[[E]], %[[OLD]]
func.func @in_place(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  %T = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%A : memref<4x8xf32>) outs(%T : memref<4x8xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%T : memref<4x8xf32>) outs(%B : memref<4x8xf32>) {
  ^bb0(%t: f32, %b: f32):
    %s = arith.addf %t, %b : f32
    linalg.yield %s : f32
  }
  memref.dealloc %T : memref<4x8xf32>
  return
}

// A temporary that is updated in place remains in memory, although no later op reads it.
// CHECK-LABEL:  func.func @never_read
// CHECK:        %[[T:.+]] = memref.alloc
// CHECK:        linalg.add
// CHECK:        linalg.generic {{.+}} ins(%[[T]] : memref<?x8xf32>) outs(%[[T]] : memref<?x8xf32>)
// CHECK:          math.exp
// CHECK:        memref.dealloc %[[T]]
func.func @never_read(%A: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %A, %c0 : memref<?x8xf32>
  %T = memref.alloc(%rows) : memref<?x8xf32>
  linalg.add ins(%A, %A : memref<?x8xf32>, memref<?x8xf32>) outs(%T : memref<?x8xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%T : memref<?x8xf32>) outs(%T : memref<?x8xf32>) {
  ^bb0(%t: f32, %old: f32):
    %e = math.exp %t : f32
    linalg.yield %e : f32
  }
  memref.dealloc %T : memref<?x8xf32>
  return
}
