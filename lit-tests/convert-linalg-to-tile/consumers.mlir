// RUN: tx-opt %s --convert-linalg-to-tile

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

// CHECK-DAG: #[[$TRANSPOSED:.+]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1, d2) -> (d1)>

// An element-wise op that reads the result from a temporary becomes the epilogue of the reduction. The
// temporary is removed.
// CHECK-LABEL: func.func @mean(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4xf32>, %[[N:.+]]: f32)
// CHECK-NEXT:  tile.reduce sum %[[A]] into %[[B]] axes [1] scope(grid) epilogue {
// CHECK-NEXT:  ^bb0(%[[R:.+]]: f32, %{{.+}}: index):
// CHECK-NEXT:    %[[Q:.+]] = arith.divf %[[R]], %[[N]] : f32
// CHECK-NEXT:    tile.yield %[[Q]] : f32
// CHECK-NEXT:  } : memref<4x8xf32> into memref<4xf32>
// CHECK-NEXT:  return
func.func @mean(%A: memref<4x8xf32>, %B: memref<4xf32>, %n: f32) {
  %z = arith.constant 0.0 : f32
  %D = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%D : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%D : memref<4xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#vector, affine_map<(i) -> ()>, #vector], iterator_types = ["parallel"]}
      ins(%D, %n : memref<4xf32>, f32) outs(%B : memref<4xf32>) {
  ^bb0(%x: f32, %count: f32, %o: f32):
    %q = arith.divf %x, %count : f32
    linalg.yield %q : f32
  }
  memref.dealloc %D : memref<4xf32>
  return
}

// Other operands of the consumer become `with`. The destination may be another array of another type. An
// output allocated after the reduction does not prevent the fusion.
// CHECK-LABEL: func.func @linear
// CHECK:       tile.reduce sum %{{.+}}, %{{.+}} into %{{.+}} with %{{.+}} axes [2] scope(grid) element {
// CHECK:       } epilogue {
// CHECK-NEXT:  ^bb0(%[[R:.+]]: f32, %[[BIAS:.+]]: f32, %{{.+}}: index, %{{.+}}: index):
// CHECK:         %[[S:.+]] = arith.addf %[[R]], %[[BIAS]] : f32
// CHECK:         %[[M:.+]] = arith.maximumf %[[S]], %{{.+}} : f32
// CHECK:         arith.truncf %[[M]] : f32 to f16
// CHECK:       } {maps = [#{{.+}}, #{{.+}}, #[[$TRANSPOSED]], #[[$COLUMN]]]} : memref<4x8xf16>, memref<8x16xf16> into memref<16x4xf16> with memref<16xf32>
func.func @linear(%A: memref<4x8xf16>, %B: memref<8x16xf16>, %bias: memref<16xf32>) -> memref<16x4xf16> {
  %z = arith.constant 0.0 : f32
  %D = memref.alloc() : memref<4x16xf32>
  linalg.fill ins(%z : f32) outs(%D : memref<4x16xf32>)
  linalg.matmul ins(%A, %B : memref<4x8xf16>, memref<8x16xf16>) outs(%D : memref<4x16xf32>)
  %C = memref.alloc() : memref<16x4xf16>
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%D, %bias : memref<4x16xf32>, memref<16xf32>) outs(%C : memref<16x4xf16>) {
  ^bb0(%x: f32, %b: f32, %o: f16):
    %s = arith.addf %x, %b : f32
    %m = arith.maximumf %s, %z : f32
    %h = arith.truncf %m : f32 to f16
    linalg.yield %h : f16
  }
  memref.dealloc %D : memref<4x16xf32>
  return %C : memref<16x4xf16>
}

// An in-place consumer may use any memory, and old values are combined. Chains are fused too.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4xf32>, %[[C:.+]]: memref<4xf32>)
// CHECK-NEXT:  tile.reduce sum %[[A]] into %[[B]] with %[[C]] axes [1] scope(grid) accumulate epilogue {
// CHECK-NEXT:  ^bb0(%[[R:.+]]: f32, %[[X:.+]]: f32, %{{.+}}: index):
// CHECK-NEXT:    %[[S:.+]] = arith.addf %[[X]], %[[R]] : f32
// CHECK-NEXT:    %[[Q:.+]] = math.sqrt %[[S]] : f32
// CHECK-NEXT:    tile.yield %[[Q]] : f32
func.func @in_place(%A: memref<4x8xf32>, %B: memref<4xf32>, %C: memref<4xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%C : memref<4xf32>) outs(%B : memref<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  linalg.sqrt ins(%B : memref<4xf32>) outs(%B : memref<4xf32>)
  return
}

// A copy out of a temporary is not an epilogue: the reduction writes to the copy's destination.
// CHECK-LABEL: func.func @copied(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4xf32>)
// CHECK-NEXT:  tile.reduce sum %[[A]] into %[[B]] axes [1] scope(grid) : memref<4x8xf32> into memref<4xf32>
// CHECK-NEXT:  return
func.func @copied(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  %z = arith.constant 0.0 : f32
  %D = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%D : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%D : memref<4xf32>) dimensions = [1]
  memref.copy %D, %B : memref<4xf32> to memref<4xf32>
  memref.dealloc %D : memref<4xf32>
  return
}

// An epilogue may combine several results into one.
// CHECK-LABEL: func.func @variance
// CHECK-NOT:   memref.alloc
// CHECK:       tile.reduce custom %{{.+}} into %{{[^,]+}} axes [1] scope(grid) identity [0.000000e+00 : f32, 0.000000e+00 : f32] combiner {
// CHECK:       } element {
// CHECK:       } epilogue {
// CHECK-NEXT:  ^bb0(%[[S:.+]]: f32, %[[Q:.+]]: f32, %{{.+}}: index):
// CHECK:       } : memref<4x8xf32> into memref<4xf32>
func.func @variance(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %D = memref.alloc() : memref<4xf32>
  %E = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%D : memref<4xf32>)
  linalg.fill ins(%z : f32) outs(%E : memref<4xf32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%D, %E : memref<4xf32>, memref<4xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    %s = arith.addf %x, %o : f32
    %q = math.fma %x, %x, %p : f32
    linalg.yield %s, %q : f32, f32
  }
  linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%D, %E : memref<4xf32>, memref<4xf32>) outs(%B : memref<4xf32>) {
  ^bb0(%s: f32, %q: f32, %o: f32):
    %m = arith.divf %s, %n : f32
    %m2 = arith.mulf %m, %m : f32
    %r = arith.divf %q, %n : f32
    %v = arith.subf %r, %m2 : f32
    linalg.yield %v : f32
  }
  return
}

// One of several results has its own consumer, and no other use.
// CHECK-LABEL: func.func @best
// CHECK:       tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) element {
// CHECK:       } epilogue {
// CHECK-NEXT:  ^bb0(%[[V:.+]]: f32, %[[I:.+]]: i32, %{{.+}}: index):
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[V]] : f32
// CHECK-NEXT:    tile.yield %[[E]], %[[I]] : f32, i32
// CHECK:       } : memref<4x8xf32> into memref<4xf32>, memref<4xi32>
func.func @best(%A: memref<4x8xf32>, %B: memref<4xf32>, %I: memref<4xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %V = memref.alloc() : memref<4xf32>
  linalg.fill ins(%inf : f32) outs(%V : memref<4xf32>)
  linalg.fill ins(%none : i32) outs(%I : memref<4xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%V, %I : memref<4xf32>, memref<4xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  linalg.exp ins(%V : memref<4xf32>) outs(%B : memref<4xf32>)
  memref.dealloc %V : memref<4xf32>
  return
}

// Not fused: a temporary with two readers, a temporary with old values, a result that is read in between, a
// source that changes in between, and a consumer with more loops.
// CHECK-LABEL: func.func @apart
// CHECK:       tile.reduce
// CHECK-NEXT:  linalg.exp
// CHECK-NEXT:  linalg.log
// CHECK:       linalg.fill
// CHECK-NEXT:  tile.reduce sum %{{.+}} into %{{.+}} axes [1] scope(grid) accumulate :
// CHECK-NEXT:  linalg.exp
// CHECK:       tile.reduce
// CHECK-NEXT:  memref.copy
// CHECK-NEXT:  linalg.exp
// CHECK:       tile.reduce
// CHECK-NEXT:  linalg.fill
// CHECK-NEXT:  linalg.exp
// CHECK:       tile.reduce
// CHECK-NEXT:  linalg.broadcast
func.func @apart(%A: memref<4x8xf32>, %B: memref<4xf32>, %C: memref<4xf32>, %E: memref<4x8xf32>) {
  %one = arith.constant 1.0 : f32
  %z = arith.constant 0.0 : f32
  %D = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%D : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%D : memref<4xf32>) dimensions = [1]
  linalg.exp ins(%D : memref<4xf32>) outs(%B : memref<4xf32>)
  linalg.log ins(%D : memref<4xf32>) outs(%C : memref<4xf32>)
  %F = memref.alloc() : memref<4xf32>
  linalg.fill ins(%one : f32) outs(%F : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%F : memref<4xf32>) dimensions = [1]
  linalg.exp ins(%F : memref<4xf32>) outs(%B : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  memref.copy %B, %C : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%B : memref<4xf32>) outs(%B : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.fill ins(%one : f32) outs(%A : memref<4x8xf32>)
  linalg.exp ins(%B : memref<4xf32>) outs(%B : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  linalg.broadcast ins(%B : memref<4xf32>) outs(%E : memref<4x8xf32>) dimensions = [1]
  return
}
